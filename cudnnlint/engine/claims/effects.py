"""Claims about what no exception tells: what a run shows instead, measured by the worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.engine.claims.api import name
from cudnnlint.engine.claims.layers import applied, created, emptied
from cudnnlint.engine.claims.model import optimizer_of
from cudnnlint.engine.claims.training import training
from cudnnlint.engine.claims.values import NotVerifiableError
from cudnnlint.events import Event, LayerApplied, LayerCreated, ModelCompiled, TrainingStarted
from cudnnlint.events.loops import FunctionTraced, GraphGrown, ModelRebuilt
from cudnnlint.events.project import ApiChanged
from cudnnlint.values import Tensor

WINDOWS = 10
"""Times that the window of a convolution fits into the side of what it is applied to."""
TURNS = 3
LEAST_GROWTH = 64 << 10
"""Bytes of memory for each model that is made: less is noise."""
Made = tuple[str, dict[str, Any]]


def effect(event: Event, rule: str) -> Made | None:
    """A job with what it is to show, as `shows`; None if nothing that is measured tells of it."""
    make = _MAKERS.get((rule, type(event)))
    return make(event) if make is not None else None


def _without_steps(event: TrainingStarted) -> Made:
    if event.data.rows != 0 and event.data.batches != 0 and event.validation is not None:
        raise NotVerifiableError("what is not logged is no error")
    kind, facts = training(event, "empty-training-run")
    return kind, {**facts, "shows": {"steps": 0}}


def _interrupted(event: TrainingStarted) -> Made:
    kind, facts = training(event, "steps-exceed-data")
    return kind, {**facts, "shows": {"warning": "Your input ran out of data"}}


def _shrinks(event: LayerCreated) -> Made:
    """To a tenth of each side; as it was meant, next to nothing would be lost."""
    size = event.layer.arguments.get("kernel_size")
    if not isinstance(size, int):
        raise NotVerifiableError("kernel_size is not known")
    side = WINDOWS * size
    kind, facts = created(event, "", (2, side, side, 3))
    filters = facts["arguments"].get("filters")
    return kind, {**facts, "shows": {"shape": [2, WINDOWS, WINDOWS, filters]}}


def _not_finite(event: LayerCreated) -> Made:
    """In training, on channels that have one value throughout."""
    kind, facts = created(event, "")
    return kind, {**facts, **_trained(facts), "shows": {"finite": False}}


def _emptied(event: LayerApplied) -> Made | None:
    if not event.layer.name.endswith("BatchNormalization"):
        return None
    kind, facts = applied(event, "", emptied(event.inputs))
    return kind, {**facts, **_trained(facts), "shows": {"finite": False}}


def _vanishes(event: LayerApplied) -> Made:
    if not isinstance(event.inputs, Tensor):
        raise NotVerifiableError("the batch is not one tensor")
    kind, facts = applied(event, "", event.inputs.with_(kind="tf"))
    fed = facts["inputs"]["tensor"]
    return kind, {**facts, **_trained(facts), "inputs": {"tensor": {**fed, "fill": 3}}, "shows": {"largest": 0.0}}


def _other_axis(event: LayerApplied) -> Made:
    """How many statistics there are."""
    axis, shape = event.layer.arguments.get("axis"), getattr(event.inputs, "shape", None)
    if not isinstance(axis, int) or not isinstance(shape, tuple) or not isinstance(shape[axis], int):
        raise NotVerifiableError("the axis is not known")
    kind, facts = applied(event, "")
    return kind, {**facts, "shows": {"weights": [shape[axis]]}}


def _trained(facts: Mapping[str, Any]) -> dict[str, Any]:
    """A module of PyTorch is in training mode when it is made."""
    torch = facts["layer"].startswith("torch.")
    return {} if torch else {"kwargs": {**facts["kwargs"], "training": True}}


def _jumps(event: ModelCompiled | TrainingStarted) -> Made:
    if (optimizer := optimizer_of(event.model)) is None:
        raise NotVerifiableError("the optimizer is not known")
    return "optimizer", {"optimizer": optimizer, "dtype": "float16", "shows": {"jump": 10}}


def _traced(event: FunctionTraced) -> Made:
    """A function that does nothing, given such arguments as differ."""
    values: dict[str, list[Any]] = {
        "number": list(range(TURNS)), "text": ["a", "b", "c"], "made": [0] * TURNS,
        "shape": [{"tensor": {"shape": [rows, 4], "dtype": "float32"}} for rows in range(1, TURNS + 1)]}
    return "traces", {"cause": event.cause, "values": values[event.cause], "shows": {"traces": TURNS},
                      "notes": ["a function that does nothing"]}


def _grows(event: ModelRebuilt) -> Made:
    """Models of one layer, made and run one after the other."""
    return "rebuilt", {"method": event.method, "shows": {"growth": LEAST_GROWTH}, "notes": ["models of one layer"]}


def _grown(event: GraphGrown) -> Made:
    return "grown", {"shows": {"operations": 1}, "notes": ["an addition"]}


def _ignored(event: ApiChanged) -> Made | None:
    if event.what != "ignored":
        return None
    kind, facts = name(event, "")
    facts.pop("exists", None)
    return kind, {**facts, "shows": {"warning": event.argument}}


_MAKERS: Mapping[tuple[str, type[Event]], Callable[[Any], Made | None]] = {
    ("empty-training-run", TrainingStarted): _without_steps,
    ("steps-exceed-data", TrainingStarted): _interrupted,
    ("positional-kernel-size", LayerCreated): _shrinks,
    ("zero-batchnorm-epsilon", LayerCreated): _not_finite,
    ("negative-batchnorm-epsilon", LayerCreated): _not_finite,
    ("empty-batch", LayerApplied): _emptied,
    ("possibly-empty-batch", LayerApplied): _emptied,
    ("single-value-batchnorm", LayerApplied): _vanishes,
    ("batchnorm-wrong-axis", LayerApplied): _other_axis,
    ("epsilon-underflows-float16", ModelCompiled): _jumps,
    ("epsilon-underflows-float16", TrainingStarted): _jumps,
    ("retraced-each-step", FunctionTraced): _traced,
    ("ignored-argument", ApiChanged): _ignored,
    ("model-rebuilt-in-loop", ModelRebuilt): _grows,
    ("graph-grows-in-session-loop", GraphGrown): _grown,
}

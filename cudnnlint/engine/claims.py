"""What a run could refute of a finding, as plain data: made here from its event, whichever rule found it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.engine.claim_cudnn import question_of
from cudnnlint.engine.claim_training import loss_called, refused_input, training
from cudnnlint.engine.claim_values import Encoder, NotVerifiableError, policy_name
from cudnnlint.events import (
    ApiChanged,
    DatasetBatched,
    Event,
    LayerApplied,
    LayerInfo,
    LossCalled,
    Rejected,
    TrainingStarted,
    tensors,
)
from cudnnlint.finding import Claim, Finding
from cudnnlint.ops.protocol import FUNCTIONS as LIBRARY
from cudnnlint.values import Problem, Tensor, Where
from cudnnlint.values.bounds import bounds

NOT_VERIFIABLE = "not-verifiable"
INDICES = "embedding-index-out-of-range"
REFUSED_INPUTS = frozenset({"integer-conv-input", INDICES})
"""Rules about layers that are applied, for inputs that the library refuses."""
FUNCTIONS = ("tensorflow.", "keras.ops.", "numpy.", "operator.", "torch.")
_CLASS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_BETWEEN = re.compile(r'(" (?:or |on |\(|; )[^"]*")')
"""What stands between two texts that are told: `" or "`, `" (numpy: ValueError "`."""
_OF_GPU = re.compile(r"\bGPU|CUDNN_|cuDNN")


def claim_of(event: Event, finding: Finding, rule: str) -> Claim:
    """The claim of a rule's finding about this event, or why there is none, with what cuDNN can be asked. Never raises.
    """
    made = _made(event, finding, rule)
    with contextlib.suppress(Exception):  # our own bug must not cost the finding
        if asked := question_of(event, finding, rule):
            return Claim(made.kind, (*made.facts, ("cudnn", asked)))
    return made


def _made(event: Event, finding: Finding, rule: str) -> Claim:
    try:
        return _claim(event, finding, rule)
    except NotVerifiableError as error:
        return Claim(NOT_VERIFIABLE, (("reason", str(error)),))
    except Exception as error:  # our own bug must not cost the finding
        return Claim(NOT_VERIFIABLE, (("reason", f"an internal error: {type(error).__name__}: {error}"),))


def _claim(event: Event, finding: Finding, rule: str) -> Claim:
    predicted = expected(finding.fails)
    if finding.fails.startswith("silently") or not predicted:
        raise NotVerifiableError("no exception is predicted")
    make = _MAKERS.get(type(event))
    if make is None:
        raise NotVerifiableError("no job is known for such a finding")
    kind, facts = make(event, rule)
    if finding.fails.startswith("on a GPU"):
        facts = {**facts, "needs": "gpu"}
    also = _also(predicted, facts)
    about = {"keras": list(event.stack.keras), "tensorflow": list(event.stack.tensorflow),
             "torch": list(event.stack.torch)}
    return Claim(kind, (*facts.items(), ("expected", also), ("stack", about)))


def expected(fails: str) -> list[dict[str, Any]]:
    """The exceptions that are predicted, any of which may come: each a class and what it says, one of its texts.

    >>> expected('everywhere, when it runs: ValueError or TypeError "axis ... is out" or "no axis"')
    [{'error': 'ValueError', 'texts': []}, {'error': 'TypeError', 'texts': ['axis ... is out', 'no axis']}]
    """
    told = fails.partition(": ")[2]
    opening, closing = told.find('"'), told.rfind('"')
    if opening < 0:
        return [{"error": name, "texts": []} for name in _CLASS.findall(told)]
    parts = _BETWEEN.split(told[opening + 1:closing])
    found: list[dict[str, Any]] = []
    for outside, text in zip([told[:opening], *parts[1::2], told[closing + 1:]], [*parts[::2], ""], strict=True):
        found += [{"error": name, "texts": []} for name in _CLASS.findall(outside)]
        if text:
            found = found or [{"error": "", "texts": []}]
            found[-1]["texts"].append(text)
    return found


def _also(predicted: list[dict[str, Any]], facts: dict[str, Any]) -> list[dict[str, Any]]:
    """With other texts that tell of the same failure."""
    more = list(facts.pop("also", ()))
    return [{**one, "texts": [*one["texts"], *more]} if one["texts"] else one for one in predicted]


def _rejected(event: Rejected, rule: str) -> tuple[str, dict[str, Any]]:
    if event.mismatch.problem is Problem.LABEL:
        raise NotVerifiableError("it depends on the labels' values")
    needs = {"needs": "gpu"} if _OF_GPU.search(event.mismatch.error) else {}
    if event.layer is not None:
        return "layer", {**_rejected_layer(event, event.layer), "where": _clauses(event.mismatch.where), **needs}
    if event.path:
        return "function", {**_function(event), "where": _clauses(event.mismatch.where), **needs}
    kind, facts = refused_input(event)
    return kind, {**facts, "where": _clauses(event.mismatch.where)}


def _function(event: Rejected) -> dict[str, Any]:
    """A function with what it was given; symbolic tensors as real ones, but for Keras' own functions."""
    application = event.path.startswith("keras.applications.") and not tensors(list(event.kwargs.values()))
    if not application and (not event.path.startswith(FUNCTIONS) or event.path not in LIBRARY):
        raise NotVerifiableError(f"no job is known for {event.what}")
    undefined = event.mismatch.problem is Problem.FEATURE_UNKNOWN
    encoder = Encoder(symbolic=undefined and event.path.startswith("keras.ops."))
    return {"function": event.path, "args": [encoder.value(value, "an argument") for value in event.args],
            "kwargs": {name: encoder.value(value, name) for name, value in event.kwargs.items()},
            "notes": list(encoder.notes), "uses": next((tensor.kind for tensor in tensors(event.about)), "")}


def _clauses(where: Where) -> dict[str, str]:
    """Versions, as data."""
    told = (("keras", where.keras), ("tensorflow", where.tensorflow), ("torch", where.torch))
    return {name: clauses for name, clauses in told if clauses}


def _rejected_layer(event: Rejected, layer: LayerInfo) -> dict[str, Any]:
    encoder = _encoder(event.inputs, event.args, event.kwargs)
    facts = encoder.layer(layer.path, layer.arguments, layer.given, layer.base)
    if event.mismatch.problem is Problem.UNKNOWN_ARGUMENT:
        facts |= _refused_argument(event, layer, encoder, facts["arguments"])
    if event.stage == "constructor":
        return {**facts, "stage": "constructor", "notes": list(encoder.notes), **_policy(layer)}
    if event.before is not None and event.mismatch.fact("built") is not None:
        facts["before"] = encoder.value(event.before, "inputs")
    return {**facts, **_called(encoder, event.inputs, event.args, event.kwargs), **_policy(layer)}


def _encoder(*given: Any) -> Encoder:
    return Encoder(symbolic=any(tensor.kind == "keras" for tensor in tensors(given)
                                + tensors([list(each.values()) for each in given if isinstance(each, Mapping)])))


def _called(encoder: Encoder, inputs: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """A call on these inputs."""
    return {"inputs": encoder.value(inputs, "inputs"),
            "args": [encoder.value(value, "an argument of the call") for value in args],
            "kwargs": {name: encoder.value(value, name) for name, value in kwargs.items()},
            "stage": "call", "notes": list(encoder.notes)}


def _policy(layer: LayerInfo) -> dict[str, str]:
    policy = policy_name(layer.compute, layer.variable)
    return {"policy": policy} if policy != "float32" else {}


def _applied(event: LayerApplied, rule: str) -> tuple[str, dict[str, Any]]:
    """A layer that the analysis lets pass, and the library does not."""
    if rule not in REFUSED_INPUTS:
        raise NotVerifiableError("no job is known for such a finding")
    layer, held = event.layer, bounds(event.inputs)
    encoder = _encoder(event.inputs) if rule != INDICES else Encoder(symbolic=False)
    facts = encoder.layer(layer.path, layer.arguments, layer.given, layer.base)
    if rule == INDICES and held is not None and isinstance(event.inputs, Tensor):
        told = encoder.tensor(event.inputs.with_())["tensor"]
        return "layer", {**facts, **_called(encoder, None, (), {}), "inputs": {"tensor": {**told, "fill": held.high}}}
    traced = {"graph": True} if event.fed is not None else {}  # fit() traces what it runs
    return "layer", {**facts, **_called(encoder, event.inputs, (), {}), **_policy(layer), **traced}


def _name(event: ApiChanged, rule: str) -> tuple[str, dict[str, Any]]:
    """A name that a library does not have."""
    if event.what != "name" or not event.name.startswith(("tensorflow.", "keras.")):
        raise NotVerifiableError("no job is known for such a finding")
    tail = event.name.rpartition(".")[2]
    return "name", {"name": event.name, "imported": event.imported, "exists": _clauses(event.exists),
                    "also": () if event.imported else (f"has no attribute '{tail}'",)}


def _batch(event: DatasetBatched, rule: str) -> tuple[str, dict[str, Any]]:
    if event.differing is not None and rule == "ragged-image-batch":
        encoder = Encoder(symbolic=False)
        shapes = [encoder.tensor(Tensor(shape))["tensor"]["shape"] for shape in event.differing.shapes]
        if shapes[0] == shapes[1]:
            raise NotVerifiableError("the two sizes are not known")
        return "batch", {"batch_size": 2, "shapes": shapes, "notes": list(encoder.notes)}
    if rule != "non-positive-batch-size" or not isinstance(event.batch_size, int):
        raise NotVerifiableError("no job is known for such a finding")
    return "batch", {"batch_size": event.batch_size}


def _refused_argument(event: Rejected, layer: LayerInfo, encoder: Encoder, told: dict[str, Any]) -> dict[str, Any]:
    """The argument that the layer does not have (whatever its value), or those by position that are too many."""
    fact: Callable[[str], Any] = event.mismatch.fact
    if (count := fact("positional")) is not None:
        named = list(layer.arguments.items())
        values: list[Any] = [encoder.value(value, name) for name, value in named[:count]]
        return {"positional": values + [1] * (count - len(values)), "arguments": {}}
    name: str = fact("name")
    if not fact("twice"):
        return {"arguments": {**told, name: 1}}
    first = list(layer.arguments)[:layer.positional]
    values = [told.get(each) for each in first]
    rest: Mapping[str, Any] = {key: value for key, value in told.items() if key not in first}
    return {"positional": values, "arguments": {**rest, name: 1}}


def _loss(event: LossCalled, rule: str) -> tuple[str, dict[str, Any]]:
    return loss_called(event)


_MAKERS: Mapping[type[Event], Callable[[Any, str], tuple[str, dict[str, Any]]]] = {
    Rejected: _rejected, TrainingStarted: training, LossCalled: _loss, LayerApplied: _applied, ApiChanged: _name,
    DatasetBatched: _batch}

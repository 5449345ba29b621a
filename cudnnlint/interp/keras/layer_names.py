"""Names that layers are given: within one model each may stand once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import of_line, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Where
from cudnnlint.values.assumption import NONE, Assumptions

RENAMED = re.compile(r"""\b(?!self\b)\w+\._?name\s*=(?!=)|[\])]\._?name\s*=(?!=)|["']_name["']""")
"""What a program says that gives layers other names later, by means that may not be followed."""
KERAS_3 = Where(keras=">=3")


def refuse_slash(m: Machine, layer: LayerV | ModelV, name: Any) -> None:
    """`name="encoder/attention"`, of which Keras 2 made a scope (keras/src/ops/operation.py: Operation.__init__); not
    in a program that may be for Keras 2."""
    if isinstance(name, str) and "/" in name and layer.path.startswith("keras.") \
            and all(KERAS_3.holds(older) for older in reversed(m.stack.before)):
        refuse(m, layer.span, Mismatch(
            Problem.INVALID_ARGUMENT, f'the name "{name}" of {layer.display} has a "/"', argument="name", where=KERAS_3,
            help='write "_" for "/"',
            error='ValueError "Argument `name` must be a string and cannot contain character `/`"'),
            what=layer.display, layer=layer.info() if isinstance(layer, LayerV) else None, stage="constructor")


def named(value: Any) -> tuple[str, LayerV | ModelV] | None:
    """The name that a layer or model was given and still has, and what has it; None for one that Keras numbers."""
    held = plain(value)
    layer = held.extra if isinstance(held, InstanceV) else held
    if not isinstance(layer, LayerV | ModelV) or not layer.named or layer.extra.keys() & {"name", "_name"}:
        return None
    return layer.name, layer


def refuse_namesakes(m: Machine, layers: Sequence[Any], model: ModelV) -> None:
    """Two layers of a functional model have one name (keras/src/ops/function.py: map_graph;
    tf_keras/src/engine/functional.py: _map_graph_network)."""
    known: dict[str, LayerV | ModelV] = {}
    for value in layers:
        if (found := named(value)) is None:
            continue
        name, layer = found
        if (other := known.setdefault(name, layer)) is not layer:
            _refuse(m, name, other, layer, model, f'The name "{name}" is used')
            return


def refuse_namesake(m: Machine, layers: Sequence[Any], added: Any, model: ModelV) -> None:
    """A layer is added to a sequential model that has one of its name (keras/src/models/sequential.py: Sequential.add;
    tf_keras/src/engine/sequential.py: Sequential.add). The tf.keras of TensorFlow before 2.3 asks only models that are
    built as they grow (tensorflow/python/keras/engine/sequential.py of 2.2 and 2.3)."""
    if m.stack.tensorflow < (2, 3) or (found := named(added)) is None:
        return
    name, layer = found
    known = [found for value in layers if (found := named(value)) is not None]
    first = next((other for of_other, other in known if of_other == name and other is not layer), None)
    if first is not None:
        _refuse(m, name, first, layer, model, "All layers added to a Sequential model should have unique names")


def _refuse(m: Machine, name: str, first: LayerV | ModelV, second: LayerV | ModelV, model: ModelV,
            error: str) -> None:
    if RENAMED.search(m.frame.module.source.text):
        return
    span = _place(second, model, m.linted)
    who = f"{second.display}, made by one call" if first.span == second.span else \
        f"{first.display}{_there(span, first.span)} and {_second(span, second)}"
    told = (getattr(layer, "assumptions", NONE) for layer in (first, second))
    taken: Assumptions = NONE.union(*told)
    refuse(m, span, Mismatch(
        Problem.NAMESAKES, f'two layers of one model are named "{name}": {who}',
        help="give each a name of its own, or none", error=f'ValueError "{error}"',
        facts=(("moment", "when the model is built"), ("layer", span == second.span))),
        assumptions=taken, what=second.display, stage="names",
        applied_at=None if span == model.span else model.span)


def _place(second: LayerV | ModelV, model: ModelV, linted: str) -> Span:
    """Where a name can be changed: the second layer's constructor, if it stands in the file at hand."""
    return second.span if second.span is not None and second.span.path == linted else model.span


def _there(here: Span, other: Span) -> str:
    return of_line(here, other) if other.line != here.line else ""


def _second(here: Span, layer: LayerV | ModelV) -> str:
    return f"this {layer.display}" if layer.span == here else f"{layer.display}{_there(here, layer.span)}"

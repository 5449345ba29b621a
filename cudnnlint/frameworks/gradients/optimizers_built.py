"""Optimizers that have slots for the variables of one model and are to train another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.interp.refusals import is_certain, of_line, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Unknown, Where

BUILT = "optimizers built"
TRACED = "functions that made an optimizer's variables"
SINCE = Where(keras=">=2.11")
"""Before, an optimizer made slots for whatever variables it met (tf_keras/src/optimizers/optimizer.py: Optimizer)."""
UNKNOWN_VARIABLE = ('ValueError "This optimizer can only be called for the variables it was originally built with" or '
                    'KeyError "The optimizer cannot recognize variable"')


def trained_by(m: Machine, optimizer: Any, models: tuple[Any, ...], span: Span, stage: str) -> None:
    """The variables of these models are trained by it now."""
    optimizer = plain(optimizer)
    if not models or not isinstance(optimizer, ObjectV) or not optimizer.path.startswith("keras.optimizers.") \
            or "legacy" in optimizer.path or not all(isinstance(one, MODELS) for one in models):
        return
    _, held = m.state.setdefault(BUILT, {}).setdefault(id(optimizer), (optimizer, ListV()))
    if held.unknown:
        return
    if not held.items:
        m.heap.touch(held)
        held.items = list(models)
        _made_again(m, optimizer, span)
    elif not m.trying and not m.uncalled and all(
            isinstance(other, MODELS) and _apart(other, one) for other in held.items for one in models):
        refuse(m, span, Mismatch(
            Problem.OPTIMIZER_REUSED, f"the optimizer{of_line(span, optimizer.span)} was built for another model",
            help="make an optimizer for each model", error=UNKNOWN_VARIABLE, where=SINCE,
            facts=(("origins", tuple(_made(optimizer, held.items, models))),)), what=stage, stage=stage)


def _made(optimizer: ObjectV, before: Sequence[Any], now: Sequence[Any]) -> Iterator[tuple[Span, str]]:
    """Where the three are made, each line once."""
    told: set[tuple[str, int]] = set()
    for thing, text in ((optimizer, "the optimizer"), (before[0], "the model that it was built for"),
                        (now[0], "the other model")):
        span = getattr(thing, "span", None)
        if span is not None and (span.path, span.line) not in told:
            told.add((span.path, span.line))
            yield span, text


MODELS = (ModelV, LayerV, InstanceV)


def _made_again(m: Machine, optimizer: ObjectV, span: Span) -> None:
    """A tf.function that is given one optimizer after the other makes the variables of the first one in its first
    trace, and may make none later
    (tensorflow/python/eager/polymorphic_function/polymorphic_function.py: Function._call)."""
    frame = next((each for each in m.frames if each.function is not None and each.function.traced is not None), None)
    if frame is None or not m.bodies or not isinstance(frame.function, FunctionV):
        return
    names, body = [each.arg for each in frame.function.node.args.args], m.bodies[0]
    if not any(plain(frame.scope.items.get(name)) is optimizer for name in names):
        return
    _, first = m.state.setdefault(TRACED, {}).setdefault(id(frame.function), (frame.function, body))
    if first is not body and is_certain(m):
        refuse(m, span, Mismatch(
            Problem.VARIABLE_TRACED, f"an optimizer{of_line(span, optimizer.span)} makes its variables inside "
            f"{frame.function.name}(), which made those of another one before",
            help="optimizer.build(model.trainable_variables) before the call, or a tf.function for each optimizer",
            error='ValueError "tf.function only supports singleton tf.Variables created on the first call"'),
            what="tf.Variable", stage="call")


def forgotten(m: Machine, optimizer: Any) -> None:
    """It was built by hand, for variables that nobody looks at here."""
    made = plain(optimizer)
    _, models = m.state.setdefault(BUILT, {}).setdefault(id(made), (made, ListV()))
    m.heap.touch(models)
    models.loosen(Unknown("variables of an optimizer"))


def _apart(one: Any, other: Any) -> bool:
    """Whether they certainly have no layer in common, and the second one has layers."""
    if one is other:
        return False
    parts = [list(within(value)) for value in (one, other)]
    if not all(parts) or any(isinstance(part, Unknown) for each in parts for part in each):
        return False
    return not {id(part) for part in parts[0]} & {id(part) for part in parts[1]}


def made_in_graph(m: Machine, optimizer: Any, span: Span) -> bool:
    """Whether a tf.function makes the optimizer that it applies, or a metric, each time that it is traced."""
    optimizer, function = plain(optimizer), m.frame.function
    if not m.bodies or m.bodies[-1].instance is not None or not isinstance(optimizer, ObjectV) \
            or not isinstance(function, FunctionV) or function.name != m.bodies[-1].name:
        return False
    at = optimizer.span
    return at.path == span.path and any(
        isinstance(statement, ast.Assign | ast.AnnAssign) and statement.lineno <= at.line <= (statement.end_lineno or 0)
        for statement in _body(function))


def _body(function: FunctionV) -> list[ast.stmt]:
    body = getattr(function.node, "body", None)
    return body if isinstance(body, list) else []


__all__ = ["forgotten", "made_in_graph", "trained_by"]

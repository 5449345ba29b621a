"""Bodies that TensorFlow traces - a layer's call(), a tf.function - and the layers that get their variables in one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cudnnlint.events import LayerMadeInside
from cudnnlint.interp.heap import DictV, ListV, clock
from cudnnlint.interp.keras.parts import lent_to
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Where

if TYPE_CHECKING:
    from cudnnlint.interp.keras.layers import LayerV


class Body:
    """One under way. `name` is whose it is, `instance` the layer or model whose call() it is, or None."""

    __slots__ = ("began", "depth", "instance", "name", "uncertain")

    def __init__(self, m: Machine, name: str, instance: Any) -> None:
        self.name, self.instance = name, instance
        self.began, self.depth, self.uncertain = next(clock), len(m.calls), m.uncertain


@contextmanager
def body(m: Machine, name: str, instance: Any = None) -> Iterator[None]:
    m.bodies.append(Body(m, name, instance))
    try:
        yield
    finally:
        if m.bodies:
            m.bodies.pop()


def has_variables(m: Machine, layer: LayerV, weights: Any) -> bool:
    """Whether the layer makes variables as it is built: weights, or what Keras 3 keeps of its random numbers."""
    if isinstance(weights, tuple) and weights:
        return True
    rate = layer.arguments.get("rate", 0)  # keras/src/layers/regularization/dropout.py: Dropout.__init__
    return m.stack.keras >= (3,) and "seed" in layer.arguments and isinstance(rate, int | float) and rate > 0


def first_built(m: Machine, layer: LayerV, weights: Any, span: Span) -> None:
    """A layer gets its variables now: one that was made inside the body gets them each time it is traced or run."""
    inside = m.bodies[-1]
    if layer.born < inside.began or m.uncertain != inside.uncertain or not layer.path.startswith("keras.") \
            or not has_variables(m, layer, weights) or any(one.born < inside.began for one in lent_to(layer)):
        return
    if inside.instance is not None and _is_builder(inside.instance.cls):
        return
    name = _attribute(inside.instance, layer)
    if name and m.stack.keras < (3,):
        return  # it may be made there once
    place = m.calls[inside.depth + 1] if len(m.calls) > inside.depth + 1 else layer.span
    m.say(LayerMadeInside, place, layer=layer.info(), owner=inside.name, method="call" if inside.instance else "",
          attribute=name)


def _is_builder(cls: Any) -> bool:
    """Whether its build() makes a functional model by calling call() once, of which the layers are then."""
    build = getattr(cls.lookup("build"), "node", None)
    return build is not None and any(
        isinstance(node, ast.Call) and ast.unparse(node.func) == "self.call" for node in walk(build))


def variable_made(m: Machine, span: Span, what: str) -> None:
    """A tf.function makes variables, whatever way it goes (tensorflow/python/eager/polymorphic_function: Function)."""
    inside, frame = m.bodies[-1], m.frame
    node = getattr(frame.function, "node", None)
    if inside.instance is not None or m.uncertain != inside.uncertain or m.trying or frame.function is None \
            or frame.function.name != inside.name or isinstance(node, ast.Lambda) or node is None:
        return
    if any(isinstance(statement, ast.If | ast.For | ast.While | ast.Try | ast.Match)
           and statement.lineno <= span.line <= (statement.end_lineno or 0) for statement in node.body):
        return  # made once, perhaps
    refuse(m, span, Mismatch(
        Problem.VARIABLE_TRACED, f"{what} is made inside {inside.name}(), each time that TensorFlow traces it",
        help="make it before, outside of the function",
        error='ValueError "tf.function only supports singleton tf.Variables created on the first call"',
        where=Where(tensorflow=">=2")),
        what="tf.Variable", stage="call")


def _attribute(instance: Any, layer: LayerV) -> str:
    """The attribute that holds the layer, itself or in a container; "" where none does."""
    for name, value in (instance.items if instance is not None else {}).items():
        held = plain(value)
        parts = held.items.values() if isinstance(held, DictV) else held.items if isinstance(held, ListV) else (held,)
        if any(plain(part) is layer for part in parts):
            return str(name)
    return ""

"""Models called again: their layers applied in order, or the recorded graph computed for other inputs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from cudnnlint.events import Event, LayerApplied, tensors
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import JOIN, join
from cudnnlint.interp.keras.application import apply_layer
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import model_type
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.nothing_used import tell_of_chain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown, Where


def run_chain(m: Machine, layers: ListV, value: Any, span: Span | None, first: Span | None = None) -> Any:
    """Apply the layers of a sequential model one after the other, each at its constructor unless `span` is given;
    the first at `first`: what it does not take is what the model was called on."""
    before: Any = None
    for number, layer in enumerate(layers.items):
        if value is None and number:
            tell_of_chain(m, before, layer, span)
            return Unknown("the input of a layer, which is None")
        before = layer
        value = apply_any(m, layer, value, span or (None if number else first))
        if several(m, layer, value):
            return Unknown("several tensors in a Sequential")
    return value


def several(m: Machine, layer: Any, outputs: Any) -> bool:
    """Tell of a layer in a sequential model that gives several tensors (tf_keras/src/engine/sequential.py:
    SINGLE_LAYER_OUTPUT_ERROR_MSG; in Keras 3 the next layer decides)."""
    held, count = plain(layer), len(tensors(strip(outputs)))
    return count > 1 and isinstance(held, LayerV) and refuse(m, held.span, Mismatch(
        Problem.INPUT_COUNT, f"{held.display} gives {count} tensors, in a Sequential it may give one",
        where=Where(keras="<3"), help="leave out return_state, or use the functional API",
        error='ValueError "All layers in a Sequential model should have a single output tensor"'),
        what=held.display, layer=held.info())


def apply_any(m: Machine, layer: Any, value: Any, span: Span | None = None) -> Any:
    """Apply a layer, model or user object at `span` (default: where it was constructed)."""
    held = plain(layer)
    at = span or getattr(held, "span", None)
    if isinstance(held, InstanceV):
        at = span or held.span
    if isinstance(held, LayerV):
        return apply_layer(m, held, [value], {}, at or held.span)
    if isinstance(held, model_type()):
        return held.apply(m, [value], {}, at or held.span)
    if isinstance(held, InstanceV):
        from cudnnlint.interp.keras.base_init import layer_of
        from cudnnlint.interp.keras.subclass import apply_instance

        node = ast.Constant(value=None)
        return apply_instance(m, held, layer_of(m, held), [wrap(value)], {}, node, at or layer_of(m, held).span)
    return held if isinstance(held, Unknown) else Unknown("a layer that is not known")


@contextmanager
def asked_for_shapes(m: Machine) -> Iterator[None]:
    """What is applied in it is not called: only what it would give is asked for."""
    here, emit = tuple(m.applying), m.emit

    def told(event: Event) -> None:
        emit(replace(event, asked=True) if isinstance(event, LayerApplied) and event.within == here else event)

    m.emit = told
    try:
        yield
    finally:
        m.emit = emit


@contextmanager
def not_called(m: Machine) -> Iterator[None]:
    """What is applied in it, at any depth, is only applied once data go through the layer around it."""
    emit = m.emit
    m.emit = lambda event: emit(replace(event, hypothetical=True) if isinstance(event, LayerApplied) else event)
    try:
        yield
    finally:
        m.emit = emit


class Replay:
    """Computes outputs again for other inputs, by the recorded makers."""

    def __init__(self, m: Machine, given: dict[int, Tensor], span: Span) -> None:
        self.m, self.memo, self.span = m, dict(given), span
        self.calls: dict[tuple[int, int], Any] = {}
        self.kept: list[Any] = []

    def run(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self.tensor(value)
        if isinstance(value, ListV):
            return ListV([self.run(item) for item in value.items], value.unknown)
        if isinstance(value, DictV):
            return DictV({key: self.run(item) for key, item in value.items.items()}, value.unknown)
        if isinstance(value, (list, tuple)):
            return type(value)(self.run(item) for item in value)
        if isinstance(value, dict):
            return {key: self.run(item) for key, item in value.items()}
        return value

    def tensor(self, root: Tensor) -> Any:
        """Iterative over the graph: models may be hundreds of layers deep."""
        stack = [root]
        while stack:
            tensor = stack[-1]
            if id(tensor) in self.memo:
                stack.pop()
                continue
            pending = [parent for parent in tensor.step.parents if id(parent) not in self.memo] if tensor.step else []
            if pending:
                stack.extend(pending)
                continue
            self.kept.append(tensor)
            self.memo[id(tensor)] = self._again(tensor)
            stack.pop()
        return self.memo[id(root)]

    def _again(self, tensor: Tensor) -> Any:
        step = tensor.step
        self.m.tick()
        if step is None or not step.parents:
            return tensor
        if step.maker == JOIN:
            return join([self.memo[id(parent)] for parent in step.parents])
        if step.arguments is None:
            return Unknown("cannot be replayed")
        key = (id(step.maker) if not isinstance(step.maker, str) else hash(step.maker), id(step.arguments))
        if key not in self.calls:
            self.calls[key] = self._call(step)
        result = strip(self.calls[key])
        for part in step.index:
            try:
                result = result[part]
            except (TypeError, LookupError):
                return Unknown("cannot be replayed")
        return result

    def _call(self, step: Step) -> Any:
        args = [self.run(arg) for arg in step.arguments[0]]
        kwargs = {key: self.run(value) for key, value in step.arguments[1].items()}
        maker = step.maker
        if isinstance(maker, str):
            return apply_function(self.m, maker, args, kwargs, _Located(step.span))
        if isinstance(maker, LayerV):
            return apply_layer(self.m, maker, args, kwargs, step.span)
        if isinstance(maker, model_type()):
            return maker.apply(self.m, args, kwargs, step.span)
        if isinstance(maker, InstanceV):
            from cudnnlint.interp.keras.base_init import layer_of
            from cudnnlint.interp.keras.subclass import apply_instance

            return apply_instance(self.m, maker, layer_of(self.m, maker), args, kwargs, _Located(step.span), step.span)
        return Unknown("cannot be replayed")


class _Located(ast.Constant):
    """A node that stands at a span, for calls that the machine makes itself."""

    def __init__(self, span: Span) -> None:
        super().__init__(value=None)
        self.lineno, self.col_offset = span.line, span.column
        self.end_lineno, self.end_col_offset = span.end_line, span.end_column

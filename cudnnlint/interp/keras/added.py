"""What layers give to add_loss(): the tensors of the last call of each, and those of every call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cudnnlint.events.training import ADDED
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor
from cudnnlint.values.tensor import tensors

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

GIVEN = "losses given to add_loss()"
"""Where in the state; not there in a program that gives none."""
MANY = 64
"""Losses of one layer in one call that are kept, as of a loop."""
Loss = tuple[Any, Tensor]
"""The layer or model that gave it, and what."""


class Given:
    """own    id of a model -> what it was given outside of any call, of its own tensors (Keras 2)
    last   id of a layer -> the outermost application in which it gave losses last, and these
    under  the applications that were under way, of each that was given in the outermost one under way
    calls  id of the arguments of an application -> these, and all losses given in it
    """

    __slots__ = ("calls", "last", "own", "under")

    def __init__(self) -> None:
        self.own: dict[int, list[Loss]] = {}
        self.last: dict[int, tuple[int, list[Loss]]] = {}
        self.under: list[tuple[tuple[int, ...], Loss]] = []
        self.calls: dict[int, tuple[Any, tuple[Loss, ...]]] = {}

    def give(self, m: Machine, layer: Any, loss: Tensor, number: int = 0) -> None:
        """Losses are cleared as the outermost layer is called (keras/src/layers/layer.py: _get_call_context;
        tf_keras/src/engine/base_layer.py: Layer.__call__)."""
        outer = m.applying[0] if m.applying else number
        if not outer:
            own = self.own.setdefault(id(layer), [])
            own += [(layer, loss)] * (len(own) < MANY)
            return
        before = self.last.get(id(layer))
        if before is None or before[0] != outer:
            before = self.last[id(layer)] = outer, []
        found = before[1]
        if len(found) < MANY:
            found.append((layer, loss))
            self.under.append((tuple(m.applying), (layer, loss)))


def give(m: Machine, layer: Any, loss: Tensor) -> None:
    m.state.setdefault(GIVEN, Given()).give(m, layer, loss)


def ended(m: Machine, number: int, arguments: Any) -> None:
    """The application ends whose outputs come of these arguments."""
    given: Given | None = m.state.get(GIVEN)
    if given is None:
        return
    if found := tuple(loss for under, loss in given.under if number in under):
        given.calls[id(arguments)] = arguments, found
    if not m.applying:
        given.under.clear()


def recalled(m: Machine, model: Any, outputs: Any, result: Any, number: int, span: Span) -> None:
    """A functional model is called on other inputs, and its layers give what they gave for its own."""
    given: Given | None = m.state.get(GIVEN)
    made = tensors(result) if given is not None else ()
    if given is None or not made or made[0].step is None:
        return
    again: list[Loss] = []
    for layer, loss in in_graph(m, model, outputs):
        step = Step(span, (made[0],), ADDED, ((loss,), {}))
        again.append((layer, Tensor(loss.shape, loss.dtype, made[0].kind, None, step)))
    for layer, loss in again:
        given.give(m, layer, loss, number)
    if again:
        arguments = made[0].step.arguments
        given.calls[id(arguments)] = arguments, tuple(again)
    if not m.applying:
        given.under.clear()


def in_graph(m: Machine, model: Any, outputs: Any) -> list[Loss]:
    """The losses that come with these outputs of a model."""
    given: Given | None = m.state.get(GIVEN)
    if given is None:
        return []
    calls = dict.fromkeys(id(step.arguments) for step in _steps(outputs) if step.arguments is not None)
    return [*(loss for call in reversed(calls) for loss in given.calls.get(call, ((), ()))[1]),
            *given.own.get(id(model), ())]


def last_given(m: Machine, layers: Iterable[Any]) -> list[Tensor]:
    """What these layers gave in the last call, in which they did."""
    given: Given | None = m.state.get(GIVEN)
    if given is None:
        return []
    every = [given.last[id(layer)][1] if id(layer) in given.last else given.own.get(id(layer), ()) for layer in layers]
    return [loss for found in every for _, loss in found]


def _steps(outputs: Any) -> Iterator[Step]:
    todo, seen = list(tensors(outputs)), set[int]()
    while todo:
        step = todo.pop().step
        if step is not None and id(step) not in seen:
            seen.add(id(step))
            yield step
            todo += step.parents


__all__ = ["GIVEN", "ended", "give", "in_graph", "last_given", "recalled"]

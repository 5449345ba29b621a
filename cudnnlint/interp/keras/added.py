"""What layers give to add_loss(): the tensors of the last call of each, and those of every call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    """An object on the heap: what one path gives is nothing to the other. Where they meet, that is left which the path
    gave that gave most, as one that is only taken in training does; what not all gave is noted.

    own    id of a model -> what it was given outside of any call, of its own tensors (Keras 2)
    last   id of a layer -> the outermost application in which it gave losses last, and these
    under  the applications that were under way, of each that was given in the outermost one under way
    calls  id of the arguments of an application -> these, and all losses given in it: the same on all paths
    missed what is not known of them, or is given on some paths only: where -> the layer, and whether it is counted
    """

    __slots__ = ("born", "calls", "last", "missed", "own", "under")

    def __init__(self) -> None:
        self.born = -1  # older than any path: the state that holds it is that of all
        self.own: dict[int, tuple[Loss, ...]] = {}
        self.last: dict[int, tuple[int, tuple[Loss, ...]]] = {}
        self.under: tuple[tuple[tuple[int, ...], Loss], ...] = ()
        self.calls: dict[int, tuple[Any, tuple[Loss, ...]]] = {}
        self.missed: dict[Span, tuple[Any, bool]] = {}

    def snapshot(self) -> Any:
        return dict(self.own), dict(self.last), self.under, dict(self.missed)

    def restore(self, state: Any) -> None:
        own, last, self.under, missed = state
        self.own, self.last, self.missed = dict(own), dict(last), dict(missed)

    def merge(self, states: Sequence[Any]) -> None:
        self.own, self.last, self.missed = {}, {}, {}
        for *_, missed in states:
            self.missed.update(missed)
        for which in dict.fromkeys(key for own, *_ in states for key in own):
            self.own[which] = self._most([own.get(which, ()) for own, *_ in states])
        for which in dict.fromkeys(key for _, last, *_ in states for key in last):
            found = [last.get(which, (0, ())) for _, last, *_ in states]
            self.last[which] = max(number for number, _ in found), self._most([losses for _, losses in found])
        every = [under for _, _, under, _ in states]
        self._most([tuple(loss for _, loss in under) for under in every])
        self.under = max(every, key=len)

    def _most(self, found: Sequence[tuple[Loss, ...]]) -> tuple[Loss, ...]:
        most = max(found, key=len)
        for layer, loss in most:
            if loss.step is not None and not all(any(loss is one for _, one in losses) for losses in found):
                self.missed[loss.step.span] = layer, True
        return most

    def give(self, m: Machine, layer: Any, loss: Tensor, number: int = 0) -> None:
        """Losses are cleared as the outermost layer is called (keras/src/layers/layer.py: _get_call_context;
        tf_keras/src/engine/base_layer.py: Layer.__call__)."""
        m.heap.touch(self)
        one = layer, loss
        outer = m.applying[0] if m.applying else number
        if not outer:
            own = self.own.get(id(layer), ())
            self.own[id(layer)] = own if len(own) >= MANY else (*own, one)
            return
        before = self.last.get(id(layer))
        losses = before[1] if before is not None and before[0] == outer else ()
        if len(losses) < MANY:
            self.last[id(layer)] = outer, (*losses, one)
            self.under = (*self.under, (tuple(m.applying), one))

    def end(self, m: Machine, number: int, arguments: Any) -> None:
        """The application ends whose outputs come of these arguments."""
        if self.under:
            m.heap.touch(self)
            if found := tuple(loss for under, loss in self.under if number in under):
                self.calls[id(arguments)] = arguments, found
            self.under = self.under if m.applying else ()

    def called(self, m: Machine, arguments: Any, losses: tuple[Loss, ...]) -> None:
        m.heap.touch(self)
        if losses:
            self.calls[id(arguments)] = arguments, losses
        self.under = self.under if m.applying else ()

    def miss(self, m: Machine, span: Span, layer: Any) -> None:
        m.heap.touch(self)
        self.missed[span] = layer, False

    def __copy__(self) -> Given:
        """As it is now, for another file that imports the same module."""
        made = Given()
        made.restore(self.snapshot())
        made.calls = dict(self.calls)
        return made


def give(m: Machine, layer: Any, loss: Tensor) -> None:
    _given(m).give(m, layer, loss)


def missed(m: Machine, span: Span, layer: Any) -> None:
    """What a layer gives there is not known."""
    _given(m).miss(m, span, layer)


def _given(m: Machine) -> Given:
    if GIVEN not in m.state:
        m.state[GIVEN] = Given()
    given: Given = m.state[GIVEN]
    return given


def ended(m: Machine, number: int, arguments: Any) -> None:
    given: Given | None = m.state.get(GIVEN)
    if given is not None:
        given.end(m, number, arguments)


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
    given.called(m, made[0].step.arguments, tuple(again))


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


def not_known(m: Machine, layers: Iterable[Any]) -> list[tuple[Span, bool]]:
    """Where these layers give what is not known, or what only some paths give, and whether it is counted."""
    given: Given | None = m.state.get(GIVEN)
    if given is None or not given.missed:
        return []
    parts = list(layers)
    return [(span, counted) for span, (layer, counted) in given.missed.items() if any(one is layer for one in parts)]


def _steps(outputs: Any) -> Iterator[Step]:
    todo, seen = list(tensors(outputs)), set[int]()
    while todo:
        step = todo.pop().step
        if step is not None and id(step) not in seen:
            seen.add(id(step))
            yield step
            todo += step.parents


__all__ = ["GIVEN", "ended", "give", "in_graph", "last_given", "missed", "not_known", "recalled"]

"""PyTorch tensors that keep the graph they were computed by from one turn of a loop to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.loops import turns
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.torch.frozen import any_frozen, frozen
from cudnnlint.records import record
from cudnnlint.source import Source, Span
from cudnnlint.values import Step, Tensor, Unknown, is_floating
from cudnnlint.values.tensor import tensors

if TYPE_CHECKING:
    from cudnnlint.events.loops import GraphKept
    from cudnnlint.interp.machine import Machine

GRAD = "torch.grad"
"""Key of whether graphs are kept: True, False or Unknown."""
PAUSED = "torch.paused"
"""Key of the steps of functions that kept no graph; there once the program asked for none anywhere."""
OFF = "torch.off"
"""Key of those that certainly kept none."""
NO_GRAD = "torch.no_grad"
"""Maker of a tensor that has no graph behind it."""
LOADER = "torch.utils.data.DataLoader"
"""Maker of the batches of a loader."""
MOVING = frozenset({"torch.Tensor.to", "torch.Tensor.cuda"})
HERE, WAITING, SEEN = "histories", "histories to be told at the end", "where backward() was called"
MANY = 16
"""Turns of a loop that keeps what grows."""
UNSEEN = ("autograd", ".backward(loss", "manual_backward", "functorch", "torch.func")
"""How graphs are gone through but by the backward() of a tensor."""
MOST = 20_000
"""Steps that are remembered."""
RECENT = 32
"""How many steps back what is kept is looked for among what backward() went through."""
NEAR = 4
"""The same of what arithmetic made it of, to each side."""
FAR = 200
"""How many steps back a tensor's history is followed."""


@record(slots=True)
class Candidate:
    """What is kept in a loop: the event, in how many turns, and what made the tensors.

    evaluated  by modules in evaluation mode; loaded: of the batches of a loader
    """

    event: GraphKept
    count: int
    last: int
    steps: list[Step]
    evaluated: bool
    loaded: bool


def tracks(m: Machine) -> Any:
    """Whether autograd records now: True, False or Unknown, where what turns it off and on is one within the other."""
    marks = {getattr(getattr(frame.function, "node", None), "cudnnlint_untracked", None) for frame in m.frames} - {None}
    if not marks:
        return m.state.get(GRAD, True)
    return False if marks == {True} and m.state.get(GRAD) is not True else Unknown("several modes of autograd")


def paused(m: Machine, result: Any) -> None:
    """A function or module gave a tensor while no graph may have been kept."""
    steps: dict[int, Step] = m.state[PAUSED]
    mode = tracks(m)
    if isinstance(result, Tensor) and result.step is not None and len(steps) < MOST and mode is not True:
        steps[id(result.step)] = result.step
        if mode is False:
            m.state.setdefault(OFF, {})[id(result.step)] = result.step


def history(tensor: Tensor) -> Iterator[Tensor]:
    """The tensor and those that it was computed from, as far as gradients go back."""
    todo, seen = [tensor], set[int]()
    while todo and len(seen) < FAR:
        one = todo.pop()
        step = one.step
        if step is None or id(step) in seen or one.kind != "torch" or is_floating(one.dtype) is not True:
            continue
        seen.add(id(step))
        if step.maker != NO_GRAD:
            yield one
            todo += step.parents


def modules(m: Machine, tensor: Tensor) -> list[Any]:
    """The modules with parameters that the tensor came through."""
    makers = (one.step.maker for one in history(tensor) if one.step is not None)
    return [maker for maker in makers if maker is not None and not isinstance(maker, str) and _learns(m, maker)]


def _learns(m: Machine, maker: Any) -> bool:
    """A module that holds more than is known learns what is known of it."""
    from cudnnlint.interp.keras.parts import layer_of, own_parameters, walk_parts

    for part in walk_parts(maker):
        if isinstance(part, Unknown) or frozen(m, part):
            continue
        layer = layer_of(part)
        weights = layer.weights if layer is not None and not frozen(m, layer) else ()
        if getattr(part, "learns", False) or (isinstance(part, InstanceV) and own_parameters(part)) or (
                isinstance(weights, tuple) and any(weight.trainable for weight in weights)):
            return True
    return False


def _mode(maker: Any) -> Any:
    return plain(maker.items.get("training")) if isinstance(maker, InstanceV) else getattr(maker, "mode", None)


def _of_loader(tensor: Tensor) -> bool:
    return any(parent.step is not None and parent.step.maker == LOADER for one in history(tensor)
               for given in (one, *(one.step.parents if one.step is not None else ())) for parent in _moved(given))


def _moved(tensor: Tensor) -> Iterator[Tensor]:
    """The tensor, and what it was before it was brought somewhere else."""
    yield tensor
    while tensor.step is not None and tensor.step.maker in MOVING and tensor.step.parents:
        tensor = tensor.step.parents[0]
        yield tensor


def appended(m: Machine, value: ListV, item: Any, span: Span) -> None:
    """A list that is older than the loop gets a tensor."""
    loop = m.loops[-1] if m.loops else None
    if loop is not None and value.born < loop.born:
        held = strip(item)
        for tensor in tensors(held):
            _noted(m, loop, tensor, "list", span, certain=True, holder=value, alone=held is tensor)


def summed(m: Machine, current: Any, operand: Any, span: Span) -> None:
    """`total += loss`: a plain number in the first turn and none in later ones was carried over from the one before."""
    held, added = plain(current), plain(operand)
    loop = m.loops[-1] if m.loops else None
    if loop is not None and isinstance(added, Tensor):
        number = isinstance(held, (int, float))
        _noted(m, loop, added, "sum", span, certain=number is (loop.turn == 0), alone=True)


def carried(m: Machine, before: Any, value: Tensor, span: Span) -> None:
    """`total = total + loss`, `mean = 0.9 * mean + 0.1 * loss`: each turn leads on from what the one before left.

    before  what the name held: a number, None or a tensor at first, then what the turns before may have left
    """
    loop, old = m.loops[-1], plain(before)
    last, loop.facts["carried", span] = loop.facts.get(("carried", span)), value.step
    if loop.turn:
        certain = isinstance(old, Unknown) or (last is not None and _leads(value, last))
    else:
        certain = old is None or (isinstance(old, int | float | Tensor) and not (
            isinstance(old, Tensor) and modules(m, old)))
    learned = next((one for one in _operands(value) if modules(m, one)), None)
    if learned is not None:
        _noted(m, loop, learned, "sum", span, certain=certain, alone=True)


ARITHMETIC = frozenset({"torch.cat", "torch.stack", "torch.add", "torch.lerp", "torch.concat", "join"})


def _operands(value: Tensor) -> Iterator[Tensor]:
    """The tensor and those that arithmetic made it of."""
    todo = [value]
    for _ in range(NEAR * NEAR):
        if not todo:
            return
        one = todo.pop(0)
        yield one
        maker = one.step.maker if one.step is not None else None
        if one.step is not None and isinstance(maker, str) and (maker in ARITHMETIC or maker.startswith("operator.")):
            todo += one.step.parents


def _leads(made: Tensor, last: Step) -> bool:
    """Whether it is calculated from what that step gave."""
    return any(one.step is last for one in _operands(made))


def _noted(m: Machine, loop: turns.Loop, tensor: Tensor, form: str, span: Span, *, certain: bool,
           holder: Any = None, alone: bool = False) -> None:
    if tensor.kind != "torch" or turns.in_graph(m) or tracks(m) is not True or any_frozen(m):
        return
    found = modules(m, tensor)
    held: dict[Any, Candidate] = loop.facts.setdefault(HERE, {})
    if not found or tensor.step is None:
        return
    loop.ends[HERE], loop.asks[HERE] = partial(_told, m, loop), partial(_undecided, loop)
    evaluated = all(_mode(maker) is False for maker in found)
    loaded = evaluated and _of_loader(tensor)
    key = (span, form, id(holder))
    known = held.get(key)
    if not certain:
        held.pop(key, None)
        loop.facts["reset", key] = True
    elif known is None and ("reset", key) not in loop.facts:
        from cudnnlint.events.loops import GraphKept

        within = [each for each in m.loops if holder is not None and holder.born < each.born] or [loop]
        event = m.event(GraphKept, span, about=tensor, loop=loop.info(), turns=turns.product(within), tensor=tensor,
                        form=form, alone=alone)
        assert isinstance(event, GraphKept)
        held[key] = Candidate(event, 1, loop.turn, _latest(tensor), evaluated, loaded)
    elif known is not None and known.last != loop.turn:
        known.count, known.last = known.count + 1, loop.turn
        known.steps += _latest(tensor)
        known.evaluated, known.loaded = known.evaluated and evaluated, known.loaded and loaded


def _undecided(loop: turns.Loop) -> bool:
    """Whether another turn would tell that each of them keeps something."""
    return any(one.count == 1 and one.last == loop.turn for one in loop.facts.get(HERE, {}).values())


def _latest(tensor: Tensor) -> list[Step]:
    """The last steps to it: `2 * loss` comes from the loss that backward() is called on, a metric from the outputs."""
    return [one.step for one in islice(history(tensor), RECENT) if one.step is not None]


def backward(m: Machine, tensor: Any, span: Span) -> None:
    """`loss.backward()`: the graph of this very tensor is not needed any more."""
    m.notes.setdefault(SEEN, {})[span.path, span.line] = True
    if waiting := m.notes.get(WAITING):
        makers = modules(m, tensor) if isinstance(tensor, Tensor) else []
        if not makers or any(_mode(maker) is False for maker in makers):
            waiting.clear()  # it may go through what is kept
    for loop in m.loops:
        steps: list[Any] = loop.facts.setdefault("backward", [])
        steps += [one.step for one in history(tensor)] if isinstance(tensor, Tensor) else [None]


def _told(m: Machine, loop: turns.Loop) -> None:
    """At the end of a loop: what keeps a graph that a backward() went through, or that nothing asks for."""
    gone = {id(step) for step in loop.facts.get("backward", [])}
    for key, candidate in loop.facts.pop(HERE, {}).items():
        if ("dropped", key[2]) in loop.facts:
            continue
        used = any(id(step) in gone for step in candidate.steps)
        if not used and _of_forward(m, loop):
            continue  # its steps are one network's
        if candidate.count > 1 and (used or (candidate.loaded and not gone)):
            m.emit(candidate.event if not used else _trained(candidate.event))
        elif candidate.count > 1 and candidate.evaluated and not gone and not m.uncalled:
            _told_at_end(m, candidate)


def _of_forward(m: Machine, loop: turns.Loop) -> bool:
    """Whether it stands in a module's forward(), or in what that calls."""
    within = False
    for function in (frame.function for frame in m.frames if frame.function is not None):
        within |= function.name == "forward"
        if function.module.source.path == loop.span.path and \
                function.node.lineno <= loop.span.line <= (function.node.end_lineno or 0):
            return within
    return False


def _told_at_end(m: Machine, candidate: Candidate) -> None:
    """What comes of no loader may be kept for a backward() that follows: that is seen once the program ends."""
    count, sources = candidate.event.turns, {frame.module.source for frame in m.frames} - {None}
    if (isinstance(count, int) and count < MANY) or any(source.says(word) for source in sources for word in UNSEEN):
        return  # a few models, or views of one image
    waiting: dict[int, Candidate] = m.notes.setdefault(WAITING, {})
    waiting[id(candidate)] = candidate
    m.endings[WAITING] = partial(_tell_all, m, waiting, sources)


def _tell_all(m: Machine, waiting: dict[int, Candidate], sources: set[Source]) -> None:
    """If every backward() that is written was followed."""
    seen = m.notes.get(SEEN, {})
    if all((source.path, number) in seen for source in sources for number, line in enumerate(source.lines, 1)
           if ".backward(" in line):
        for candidate in waiting.values():
            m.emit(candidate.event)


def _trained(event: GraphKept) -> GraphKept:
    return replace(event, trained=True)


__all__ = ["GRAD", "LOADER", "NO_GRAD", "appended", "backward", "carried", "summed", "tracks"]

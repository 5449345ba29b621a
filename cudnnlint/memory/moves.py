"""Variables that a step assigns by hand what it computes of others: moving averages of weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cudnnlint.events.training import VARIABLE
from cudnnlint.memory.record import Recorder
from cudnnlint.memory.trainables import in_order
from cudnnlint.memory.updates import NOTHING, SMALL
from cudnnlint.ops.kernels.functions import lowered
from cudnnlint.ops.kernels.tape import FORWARD, TAKEN, UPDATE, NotSized, Tape, Value
from cudnnlint.values import Tensor


def moving(recorder: Recorder, move: Any, done: Mapping[int, Value]) -> None:
    """For each variable that the value is computed of (frameworks/gradients/stepped.py: Moved): what reads nothing else
    than the variable that is assigned runs at the start of the step and waits; `done`: what changed the others before.
    """
    tape, targets = recorder.tape, _owners(move.target)
    owners = [owner for owner in _leaves(move.value) if all(owner is not one for one in targets)]
    tape.layer, tape.phase = 0, UPDATE
    try:
        for index in in_order(recorder, owners or targets):
            if tape.values[index].size.fixed > SMALL:
                made = _computed(tape, move.value, index, targets, done)
                tape.run(TAKEN if move.how == "assign" else "assign", (made,), NOTHING)
    except NotSized as reason:
        tape.unknown[str(reason)] = None
    tape.phase = FORWARD


def _owners(tensor: Tensor) -> tuple[Any, ...]:
    step = tensor.step
    found: tuple[Any, ...] = step.arguments[0][0].owners if step is not None and step.maker == VARIABLE else ()
    return found


def _leaves(tensor: Tensor) -> Iterator[Any]:
    """The models whose variables a value is computed of."""
    yield from _owners(tensor)
    for parent in tensor.step.parents if tensor.step is not None else ():
        yield from _leaves(parent)


def _computed(tape: Tape, tensor: Tensor, index: int, targets: tuple[Any, ...], done: Mapping[int, Value]) -> Value:
    """The value, of the variable with this index."""
    step, source = tensor.step, tape.values[index]
    if owners := _owners(tensor):
        if all(one is other for one, other in zip(owners, targets, strict=False)):
            return tape.value(source.size)
        return tape.run("read", (done[index],), NOTHING) if index in done else source
    if step is None or not isinstance(step.maker, str) or not step.parents:
        raise NotSized("what a step assigns to the variables of a model")
    given = tuple(_computed(tape, parent, index, targets, done) for parent in step.parents)
    return lowered(tape, step.maker, given, source.size)

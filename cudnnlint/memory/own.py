"""Losses that a program computes itself, in its functions and in add_loss(), and what else is only known in part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cudnnlint.memory.record import Recorder
from cudnnlint.memory.shared import simplify
from cudnnlint.memory.steps import with_norms
from cudnnlint.memory.training import summed
from cudnnlint.ops.kernels.maths import add
from cudnnlint.ops.kernels.tape import NotSized, Tape, Value
from cudnnlint.values.tensor import tensors
from cudnnlint.values.unknown import Cut


def followed(recorder: Recorder, own: Mapping[int, Any]) -> dict[int, Value]:
    """Those that could be followed, by the place of the output."""
    found = {place: whole(recorder, tensor) for place, tensor in own.items()}
    return {place: value for place, value in found.items() if value is not None}


def whole(recorder: Recorder, loss: Any) -> Value | None:
    """One of them as one number; None where what is trained does not reach it."""
    try:
        made = summed(recorder.tape, [recorder.value(loss)])
    except NotSized:
        return None
    return with_norms(recorder, made) if made is not None and made.trained else None


def before(recorder: Recorder, cut: Cut) -> list[Value]:
    """What is computed in any case before a part that is not known; what is kept of it for the way back is not."""
    tape, found = recorder.tape, list[Value]()
    for tensor in tensors([*cut.of]):
        try:
            found.append(recorder.value(tensor))
        except NotSized as reason:
            tape.unknown[str(reason)] = None
    for value in tape.values:
        value.trained = False
    tape.variables.clear()
    simplify(tape, found)
    return found


def with_added(t: Tape, loss: Value | None, added: Sequence[Value]) -> Value:
    """A loss and what is added; what is added alone where there is none."""
    total, *rest = added if loss is None else (loss, *added)
    for one in rest:
        total = add(t, total, one)
    return total

"""Losses that a program computes itself, in its functions and in add_loss(), beside those that the library has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cudnnlint.memory.record import Recorder
from cudnnlint.memory.steps import with_norms
from cudnnlint.memory.training import summed
from cudnnlint.ops.kernels.maths import add
from cudnnlint.ops.kernels.tape import NotSized, Tape, Value


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


def with_added(t: Tape, loss: Value | None, added: Sequence[Value]) -> Value:
    """A loss and what is added; what is added alone where there is none."""
    total, *rest = added if loss is None else (loss, *added)
    for one in rest:
        total = add(t, total, one)
    return total

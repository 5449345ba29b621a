"""Models called on what they are fed, to find out what their layers refuse of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import Data, Event, Rejected, tensors
from cudnnlint.interp.convert import wrap
from cudnnlint.interp.model_inputs import matched
from cudnnlint.interp.models import ModelV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.replay import apply_any
from cudnnlint.values import Problem, Symbol, Tensor


def at_size(c: Call, model: ModelV, data: Data) -> None:
    """What the layers refuse of data of a size that the model leaves open, Input((None, None, 3)), is told."""
    pairs = zip(tensors(model.inputs), matched(model.inputs, data.x), strict=False)
    if any(_is_pinned(want, have) for want, have in pairs):
        for event in _refusals(c, data.x):
            told = TOLD.get(event.mismatch.problem, "{}").format(event.mismatch.error)
            c.machine.emit(replace(event, mismatch=replace(event.mismatch, error=told)))


TOLD = {Problem.EMPTY_DIM: 'ValueError "Negative dimension size caused by subtracting"',
        **dict.fromkeys((Problem.MERGE, Problem.BROADCAST),
                        '{} or "in both shapes must be equal" or "Dimensions must be equal"')}
"""What TensorFlow says as fit() builds its graph (run with Keras 3.15 and tf_keras 2.21), beside the layer's words."""


def _is_pinned(want: Tensor, have: Tensor) -> bool:
    """Whether an extent beside the batch is open in the model and known in the data."""
    return isinstance(want.shape, tuple) and isinstance(have.shape, tuple) and len(want.shape) == len(have.shape) \
        and any(isinstance(free, Symbol) and isinstance(fixed, int)
                for free, fixed in zip(want.shape[1:], have.shape[1:], strict=True))


def refused(c: Call, x: Any) -> bool:
    """Whether some layer of the model certainly fails on `x`; nothing is told of it."""
    return bool(_refusals(c, x))


def _refusals(c: Call, x: Any) -> list[Event]:
    """What the layers of the model refuse when it is called on `x`."""
    m = c.machine
    emit, found = m.emit, list[Event]()
    m.emit = found.append
    try:
        apply_any(m, c.receiver, wrap(as_tf(x)), c.span)
    finally:
        m.emit = emit
    return [event for event in found if isinstance(event, Rejected)]


def as_tf(value: Any) -> Any:
    if isinstance(value, Tensor):
        return Tensor(value.shape, value.dtype, "tf", None, value.step, value.assumptions)
    if isinstance(value, list | tuple):
        return type(value)(as_tf(item) for item in value)
    if isinstance(value, dict):
        return {key: as_tf(item) for key, item in value.items()}
    return value

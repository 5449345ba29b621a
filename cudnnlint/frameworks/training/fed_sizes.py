"""Models called on what they are fed, to find out what their layers refuse of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import Data, Event, LayerApplied, LayerFed, Rejected, tensors
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import told_params
from cudnnlint.interp.keras.replay import apply_any
from cudnnlint.interp.registry import Call
from cudnnlint.values import Problem, Symbol, Tensor, Unknown
from cudnnlint.values.tensor import matched


def closes(model: ModelV, data: Data) -> bool:
    """Whether the data have extents that the model was built without: images for an Input of (None, None, 3), or with
    Keras 3 what a sequential model was built for in other sizes and its layers take."""
    pairs = zip(tensors(model.inputs), matched(model.inputs, data.x), strict=False)
    return any((isinstance(want, Symbol) or (model.kind == "sequential" and want != have)) and isinstance(have, int)
               for one, fed in pairs
               if isinstance(one.shape, tuple) and isinstance(fed.shape, tuple)
               for want, have in zip(one.shape[1:], fed.shape[1:], strict=False))


def at_size(c: Call, model: ModelV, data: Data, method: str) -> Any:
    """What the model gives for data of such a size; what its layers refuse then is told in TensorFlow's words.

    That they are applied is told by itself: they were when the model was built, and its tables are those of then.
    """
    m = c.machine
    training, emit, m.training = m.training, m.emit, method in ("fit", "train_on_batch")

    def told(event: Event) -> None:
        if isinstance(event, Rejected):
            own, besides = event.mismatch.error, TOLD.get(event.mismatch.problem, "")
            error = own if besides in own else f"{own} or {besides}"
            emit(replace(event, mismatch=replace(event.mismatch, error=error)))
        elif isinstance(event, LayerApplied):
            emit(LayerFed(span=event.span, stack=event.stack, applied=event))
        elif model.kind == "functional":
            emit(event)

    m.emit = told
    try:
        made = strip(model.apply(m, [wrap(as_tf(data.x))], {}, c.span))
    finally:
        m.training, m.emit = training, emit
    return _by_layers(made) if model.kind == "functional" else by_last(made)


def as_given(c: Call, model: ModelV, data: Data) -> None:
    """Tell of a model that it was called on what has another rank than its inputs, an axis of 1 too few or too many
    (keras/src/models/functional.py: Functional._adjust_input_rank); before Keras 2.7 fit() added one itself."""
    m = c.machine
    pairs = list(zip(tensors(model.inputs), matched(model.inputs, data.x), strict=False))
    if m.stack.keras < (2, 7) or all(have.rank is None or want.rank == have.rank for want, have in pairs):
        return
    given: list[Any] = [as_tf(have) for _, have in pairs]
    inputs = given[0] if len(given) == 1 else given
    m.say(LayerFed, c.span, applied=m.event(
        LayerApplied, c.span, about=tuple(given), layer=model.info(), inputs=inputs, output=model.outputs, eager=True,
        params=told_params(m, model), maker=model))


def by_last(made: Any) -> Any:
    """What a sequential model gave, as its last layer gave it."""
    body = made.step.body if isinstance(made, Tensor) and made.step is not None else None
    return body if isinstance(body, Tensor) else made


def _by_layers(made: Any) -> Any:
    """Several outputs go by the names of the layers that gave them, not of the model."""
    first = made[0] if isinstance(made, list | tuple) and made else None
    body = first.step.body if isinstance(first, Tensor) and first.step is not None else None
    return body if isinstance(body, list | tuple) and len(body) == len(made) else made


def told_apart(model: ModelV | None, data: Data) -> Data:
    """What a generator yields to a dataset are single samples where each is as the model's inputs say, batch axis
    aside; only a last axis of 1 could be what is lacking instead (keras/src/models/functional.py: _adjust_input_rank).
    """
    if model is None or data.kind != "dataset" or not isinstance(data.batched, Unknown):
        return data
    wanted, given = tensors(model.inputs), matched(model.inputs, data.x)
    single = bool(wanted) and len(wanted) == len(given) and all(
        isinstance(want.shape, tuple) and len(want.shape) > 1 and want.shape[1:] == have.shape and want.shape[-1] != 1
        and all(isinstance(dim, int) for dim in want.shape[1:]) for want, have in zip(wanted, given, strict=True))
    return replace(data, batched=False) if single else data


TOLD = {Problem.EMPTY_DIM: '"Negative dimension size caused by subtracting"',
        **dict.fromkeys((Problem.MERGE, Problem.BROADCAST),
                        '"in both shapes must be equal" or "Dimensions must be equal"')}
"""What TensorFlow says as fit() builds its graph (run with Keras 3.15 and tf_keras 2.21), beside the layer's words."""


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

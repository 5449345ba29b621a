"""What a model gave for other inputs, as it is for these: another batch, another step."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.values import BATCH, Step, Symbol, Tensor, Unknown
from cudnnlint.values.dim import Dim, Implied


def batch_first(outputs: Any) -> bool:
    found = tensors(outputs)
    return bool(found) and all(isinstance(t.shape, tuple) and t.shape and t.shape[0] == BATCH for t in found)


def shows_more(outputs: Any, given: Any) -> bool:
    """Whether real tensors would tell extents that are open in the symbolic outputs: all of theirs are numbers."""
    shown = [extent for one in tensors(outputs) if isinstance(one.shape, tuple) for extent in one.shape[1:]]
    known = [isinstance(one.shape, tuple) and all(type(extent) is int for extent in one.shape[1:]) for one in given]
    return any(isinstance(extent, Symbol | Implied) and extent != BATCH for extent in shown) and all(known)


def same_but_batch(want: Tensor, have: Tensor) -> bool:
    if isinstance(want.shape, Unknown) or isinstance(have.shape, Unknown) or len(want.shape) != len(have.shape):
        return False
    return want.shape[1:] == have.shape[1:]


def is_rebatched(outputs: Any, own: Any) -> bool:
    """Whether they are the model's own outputs but for the batch: then its own graph tells how they are made."""
    return all(one.step is other.step for one, other in zip(tensors(outputs), tensors(own), strict=False))


def rebatched(value: Any, batch: Dim) -> Any:
    if isinstance(value, Tensor) and isinstance(value.shape, tuple):
        return value.with_(shape=(batch, *value.shape[1:]))
    if isinstance(value, (list, tuple)):
        return type(value)(rebatched(item, batch) for item in value)
    if isinstance(value, dict):
        return {key: rebatched(item, batch) for key, item in value.items()}
    return value


def unpacked(outputs: Any) -> Any:
    """What a functional model of Keras 3 gives for values: of a list of one output, that one
    (keras/src/models/functional.py: Functional.call, unpack_singleton)."""
    return outputs[0] if isinstance(outputs, list | tuple) and len(outputs) == 1 else outputs


def remade(value: Any, step: Step, kind: str, index: tuple[Any, ...] = ()) -> Any:
    if isinstance(value, Tensor):
        found = value.assumptions.union(*(parent.assumptions for parent in step.parents))
        return Tensor(value.shape, value.dtype, kind, None,
                      Step(step.span, step.parents, step.maker, step.arguments, index, step.body, step.mask),
                      found)
    if isinstance(value, (list, tuple)):
        return type(value)(remade(item, step, kind, (*index, i)) for i, item in enumerate(value))
    if isinstance(value, dict):
        return {key: remade(item, step, kind, (*index, key)) for key, item in value.items()}
    return value

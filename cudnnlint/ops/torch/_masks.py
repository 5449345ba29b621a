"""Masks that attention of PyTorch is given: their shapes go by the batch, the queries and the keys."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions._core import flag
from cudnnlint.ops.protocol import LayerCall
from cudnnlint.ops.torch._core import count, torch_size
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Tensor, Unknown
from cudnnlint.values.dim import product
from cudnnlint.values.tensor import show


@record(frozen=True, slots=True)
class Scene:
    """Batch, queries and keys of one attention, and its heads."""

    batch: Dim
    queries: Dim
    keys: Dim
    heads: Any


def scene(query: Any, key: Any, batch_first: Any, heads: Any) -> Scene | None:
    """Of batched tensors whose axes are known; else None."""
    first = flag(batch_first)
    if first is None or not all(isinstance(one, Tensor) and isinstance(one.shape, tuple) and len(one.shape) == 3
                                for one in (query, key)):
        return None
    along = 1 if first else 0
    return Scene(query.shape[1 - along], query.shape[along], key.shape[along], heads)


def given(call: LayerCall, place: int, name: str) -> Any:
    """An argument of forward(), by its place after the first or its name."""
    return call.args[place] if len(call.args) > place else call.kwargs.get(name)


def wrong_padding(at: Scene | None, mask: Any, name: str) -> Mismatch | None:
    """torch/nn/functional.py: multi_head_attention_forward: (batch, keys), also where batch_first is not set."""
    if at is None or not isinstance(mask, Tensor) or not isinstance(mask.shape, tuple):
        return None
    wanted: Shape = (at.batch, at.keys)
    if len(mask.shape) == len(wanted) and all(map(may_equal, mask.shape, wanted)):
        return None
    turned = len(mask.shape) == len(wanted) and all(map(may_equal, mask.shape, wanted[::-1]))
    return Mismatch(
        Problem.MERGE, f"{name} {mask} for {_told(at)}: it must be {show(wanted)}",
        help="its axes are (batch, keys); the sequences are read as (time, batch, features) unless batch_first=True"
        if turned else "(batch, keys)",
        error=f'AssertionError "expecting key_padding_mask shape of {torch_size(wanted)}" or "Expected '
              'key_padded_mask.shape[0] to be"', facts=(("shapes", (mask.shape, wanted)),))


def wrong_attention(at: Scene | None, mask: Any, name: str) -> Mismatch | None:
    """(queries, keys), or (batch * heads, queries, keys)."""
    if at is None or not isinstance(mask, Tensor) or not isinstance(mask.shape, tuple):
        return None
    rows = product((at.batch, count(at.heads)))
    wanted: Shape = (at.queries, at.keys) if len(mask.shape) != 3 else (rows, at.queries, at.keys)
    if len(mask.shape) == len(wanted) and all(map(may_equal, mask.shape, wanted)):
        return None
    return Mismatch(
        Problem.MERGE, f"{name} {mask} for {_told(at)}: it must be {show(wanted)}",
        help="(queries, keys), or (batch * heads, queries, keys)",
        error=f'RuntimeError "The shape of the {len(mask.shape)}D attn_mask is {torch_size(mask.shape)}, but should '
              f'be"', facts=(("shapes", (mask.shape, wanted)),))


WHOLE = ("int", "uint")


def wrong_scores(scores: Shape, mask: Any) -> Mismatch | None:
    """A mask that is broadcast to the scores, (..., queries, keys): it may have fewer axes, and extents of 1; bool or
    floating (aten/src/ATen/native/transformers/attention.cpp: validate_sdpa_input)."""
    if not isinstance(mask, Tensor):
        return None
    if isinstance(mask.dtype, str) and mask.dtype.startswith(WHOLE):
        return Mismatch(
            Problem.DTYPE, f"attn_mask of dtype {mask.dtype}, it must be bool or that of the query", help="mask.bool()",
            error='RuntimeError "Expected attn_mask dtype to be bool or float or to match query dtype"',
            facts=(("dtype", mask.dtype),))
    if not isinstance(mask.shape, tuple) or not 2 <= len(mask.shape) <= len(scores):
        return None
    beside = scores[len(scores) - len(mask.shape):]
    if all(one == 1 or may_equal(one, other) for one, other in zip(mask.shape, beside, strict=True)):
        return None
    heads = len(mask.shape) == 3 and len(scores) == 4 and may_equal(mask.shape[0], scores[0])
    return Mismatch(
        Problem.MERGE, f"attn_mask {mask} for scores of {show(scores)}: it cannot be broadcast to them",
        help="mask.unsqueeze(1): (batch, 1, queries, keys)" if heads else "(..., queries, keys)",
        error='RuntimeError "The size of tensor a must match the size of tensor b" or "output with shape ... doesn\'t '
              'match the broadcast shape"', facts=(("shapes", (mask.shape, scores)),))


def _told(at: Scene) -> str:
    """
    >>> _told(Scene(8, 25, 25, 4)), _told(Scene(8, 10, 25, 4))
    ('8 sequences of 25', '8 sequences of 10 queries and 25 keys')
    """
    return f"{_shown(at.batch)} sequences of {_shown(at.queries)}" + (
        f" queries and {_shown(at.keys)} keys" if at.queries is not at.keys and at.queries != at.keys else "")


def _shown(dim: Dim) -> str:
    return "?" if isinstance(dim, Unknown) else str(dim)

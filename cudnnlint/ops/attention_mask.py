"""The mask of an attention: how it stands beside the scores, and where it does not fit."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.attention_scores import scores
from cudnnlint.values import Mismatch, Problem, Shape, Tensor, Unknown

NAMES = {-2: "queries", -1: "keys"}


def unfitting_mask(mask: Any, q: Shape, k: Shape, heads: Any, out: Any) -> Mismatch | None:
    """A mask (Tq, Tk), (B, Tq, Tk) or (B, N, Tq, Tk) that does not broadcast to the scores (B, N, Tq, Tk).

    keras/src/layers/attention/multi_head_attention.py: _masked_softmax; tf_keras/src/layers/attention/ likewise
    """
    if not isinstance(mask, Tensor) or not isinstance(mask.shape, tuple) or len(q) != 3 or len(k) != 3:
        return None
    over = scores(q, k, heads, None)
    if isinstance(over, Unknown) or len(over) != 4 or not 2 <= len(mask.shape) <= 4:
        return None
    missing = len(over) - len(mask.shape)
    spread = (*mask.shape[:-2], *(1,) * missing, *mask.shape[-2:])
    for axis in (-2, -1, -3, -4):
        have, wanted = spread[axis], over[axis]
        if isinstance(have, int) and isinstance(wanted, int) and have != wanted and 1 not in (have, wanted):
            return _mismatch(mask, axis, have, wanted, out, over)
    return None


def _mismatch(mask: Tensor, axis: int, have: int, wanted: int, out: Any, over: Shape) -> Mismatch:
    what = NAMES.get(axis, "heads" if axis == -3 else "rows of a batch")
    cut = ", ".join(f":{extent}" for extent in over[-2:])
    return Mismatch(
        Problem.BROADCAST, f"attention_mask {mask} is for {have} {what}, the scores have {wanted}", otherwise=out,
        help=f"one of the size of the sequences: attention_mask[{cut}]" if axis in NAMES and mask.rank == 2 else
        "(batch, queries, keys), or 1 where it is the same for all",
        error='InvalidArgumentError "Incompatible shapes" or ValueError "The `mask` must be broadcastable to `inputs`" '
              'or in a graph ValueError "Dimensions must be equal"')

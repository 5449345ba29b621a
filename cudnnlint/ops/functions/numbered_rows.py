"""Rows that are summed, averaged or compared by the number of the segment that each is of: what graphs are made of."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions._core import known_size, number
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

UNSORTED = 'InvalidArgumentError "does not start with segment_ids.shape" or in a graph ValueError "must be equal"'
SORTED = 'InvalidArgumentError "segment_ids should be the same size as dimension 0 of input."'
KERAS = 'ValueError "Argument `segment_ids` and `data` should have same leading dimension."'


def segments(data: Any, segment_ids: Any, count: Any, name: str, error: str) -> Outcome:
    """One row per segment, for the axes that the ids have (tensorflow/core/kernels/segment_reduction_ops_impl.h:
    ValidateUnsortedSegmentReduction, ValidateSegmentReduction; keras/src/backend/tensorflow/math.py: segment_sum)."""
    x, ids, size = as_tensor(data, "tf"), as_tensor(segment_ids, "tf"), number(count)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or not x.shape:
        return x
    if isinstance(ids, Unknown) or not isinstance(ids.shape, tuple):
        return x.with_(shape=Unknown("segment_ids"))
    if len(ids.shape) > len(x.shape) or not all(map(may_equal, x.shape, ids.shape)):
        return Mismatch(
            Problem.BROADCAST, f"{name}: the ids {ids} are not of the rows of {x}", error=error,
            help="one id for each row of what is reduced", facts=(("shapes", (x.shape, ids.shape)),))
    known = known_size(size if isinstance(size, int) else Unknown("num_segments"))
    return x.with_(shape=(known, *x.shape[len(ids.shape):]))


@function(*(f"tensorflow.math.unsorted_segment_{kind}" for kind in ("sum", "mean", "max", "min", "prod", "sqrt_n")))
def unsorted_segment(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Outcome:
    return segments(data, segment_ids, num_segments, "tf.math.unsorted_segment", UNSORTED)


@function(*(f"tensorflow.math.segment_{kind}" for kind in ("sum", "mean", "max", "min", "prod")))
def segment(data: Any, segment_ids: Any, name: Any = None) -> Outcome:
    """As many rows as the last segment's number says, the numbers being sorted."""
    ids = as_tensor(segment_ids, "tf")
    items = contents.flat(ids.content) if isinstance(ids, Tensor) else None
    last = items[-1] if items else None
    return segments(data, segment_ids, last + 1 if type(last) is int else None, "tf.math.segment", SORTED)


@function(*(f"keras.ops.segment_{kind}" for kind in ("sum", "max", "min", "prod")))
def keras_segment(data: Any, segment_ids: Any, num_segments: Any = None, sorted: Any = False) -> Outcome:
    return segments(data, segment_ids, num_segments, "keras.ops.segment", KERAS)

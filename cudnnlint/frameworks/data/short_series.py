"""Series that are too short for the windows that are cut from them."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.dim import is_known


def tell_of_short(c: Call, total: Any, others: Any, window: tuple[Any, Any, Any], taken: Assumptions) -> None:
    """What TimeseriesGenerator refuses (keras/src/legacy/preprocessing/sequence.py): after a window of `length` rows
    there must be one more, and each row has its target.

    window  `length`, `start_index` and `end_index`
    """
    length, first, last = window
    if not is_known(total) or not is_certain(c.machine):
        return
    if is_known(others) and others != total:
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"TimeseriesGenerator: the data has {total} rows, the targets have {others}",
            help="as many targets as rows", argument="targets",
            error='ValueError "Data and targets have to be of same length"'),
            what="TimeseriesGenerator", assumptions=taken)
    end = total - 1 if last is None else last
    if is_known(length) and is_known(first) and is_known(end) and first + length > end:
        told = f"windows of {length} rows and the row after them do not fit into {end + 1 - first} rows"
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"TimeseriesGenerator: {told}",
            help="a smaller length, or more rows in this part", argument="length",
            error='ValueError "is disallowed, as no part of the sequence would be left to be used as current step"'),
            what="TimeseriesGenerator", assumptions=taken)

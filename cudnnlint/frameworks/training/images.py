"""Arrays of images that an ImageDataGenerator is given."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor


def tell_of_images(c: Call, x: Any, method: str) -> None:
    """keras/src/legacy/preprocessing/image.py: NumpyArrayIterator.__init__, ImageDataGenerator.fit"""
    if not isinstance(x, Tensor) or x.rank in (None, 4) or c.machine.trying:
        return
    told = "Input to `.fit()` should have rank 4" if method == "fit" else \
        "Input data in `NumpyArrayIterator` should have rank 4"
    refuse(c.machine, c.span, Mismatch(
        Problem.RANK, f"{method}() of {x}: images have 4 axes", error=f'ValueError "{told}"',
        help="an axis for the channels is lacking: x[..., np.newaxis]" if x.rank == 3 else
        "(rows, height, width, channels)", facts=(("expected", 4), ("actual", x.rank))),
        about=(x,), what=f"ImageDataGenerator.{method}", inputs=x)

"""Convolutions whose kernel is larger than what comes back: XLA takes the kernel for what is convolved, with that.

xla/hlo/transforms/simplifiers/algebraic_simplifier.cc: SwapConvOperands, where that takes fewer products
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

from cudnnlint.ops.kernels.tape import Size, Tape, Value
from cudnnlint.ops.windows import Window, each

Axis = tuple[int, int, int, int, int]
"""Extents of the input and the output, of the window, its stride and its dilation."""


def swaps(t: Tape, made: Value, kernel: Value, window: Window, before: Sequence[object],
          after: Sequence[object]) -> None:
    """Note the padded copy of the kernel that the gradient of a convolution's input is made of; `before` and `after`:
    extents of the input and the output."""
    unfolds = t.unfolds.get(made.index)
    if unfolds is not None and window.extent.__class__ is int and window.extent ** window.rank <= unfolds.places:
        return  # as mostly
    strides, rates = each(window.strides, window.rank), each(window.dilation_rate, window.rank)
    axes: Any = tuple(zip(before, after, each(window.extent, window.rank), strides, rates, strict=False))
    if len(axes) == window.rank and all(isinstance(one, int) and one > 0 for axis in axes for one in axis):
        same = str(window.padding).lower() == "same"
        if places := _places(axes, same):
            extent = prod(axis[2] for axis in axes)
            t.swapped[made.index] = Size(kernel.size.fixed // extent * places, 0, made.size.item)


@lru_cache(maxsize=256)
def _places(axes: tuple[Axis, ...], same: bool) -> int:
    """Of the padded kernel; 0 where it is not the larger one, or padded alike on both sides, which cuDNN does by itself
    (xla/service/gpu/transforms/conv_padding_legalization.cc).

    >>> _places(((20, 6, 9, 2, 1), (20, 6, 9, 2, 1)), False), _places(((20, 10, 9, 2, 1), (20, 10, 9, 2, 1)), True)
    (900, 0)
    """
    if prod(axis[2] for axis in axes) <= prod(axis[1] for axis in axes):
        return 0
    uneven = False
    for dim, out, extent, stride, rate in axes:
        wide, reach = (extent - 1) * rate + 1, (out - 1) * stride
        first = max(0, reach + wide - dim) // 2 if same else 0
        uneven = uneven or reach - first != dim - wide + first
    return prod(dim + (out - 1) * stride for dim, out, _, stride, _ in axes) if uneven else 0

"""Convolutions with a dilation rate: TensorFlow moves the gaps into the batch, convolves, and moves them back.

tensorflow/python/ops/nn_ops.py: convolution_internal, _WithSpaceToBatch, required_space_to_batch_paddings
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from cudnnlint.ops.kernels.maths import convolve, copy
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import NotSized, Size, Tape, Value
from cudnnlint.ops.windows import Window, each
from cudnnlint.values import Unknown
from cudnnlint.values.tensor import tensors

TILE = 8
"""The least of the two extents that XLA transposes by tiles (xla/service/gpu/ir_emission_utils.h:
kMinDimensionToTransposeTiled2)."""


def convolved(at: Site, x: Value, kernel: Value, window: Window, size: Size, shape: Sequence[Any] = (), *,
              dense: bool = False) -> Value:
    """A convolution that gives `size`; `shape` is that of x where x is not the layer's input; `dense` where each output
    is of all channels."""
    t = at.tape
    rates, extents = _numbers(window.dilation_rate, window.rank), _numbers(window.extent, window.rank)
    first = str(at.arguments.get("data_format")).lower() == "channels_first"
    spatial = slice(2, 2 + window.rank) if first else slice(1, 1 + window.rank)
    if all(rate == 1 for rate in rates):
        output = convolve(t, x, kernel, size)
        if window.rank == 1:
            t.flat.add(output.index)
            if tuple(each(window.strides, 1)) == (1,):
                t.steady.add(output.index)
        _pad(t, output, x, window, (shape or at.shape())[spatial], dense)
        return output
    given, after = list(shape or at.shape()), tensors(at.outputs)[0].shape
    before, out = _extents(given[spatial]), prod(_extents(() if isinstance(after, Unknown) else after[spatial]))
    same = str(window.padding).lower() == "same"
    gaps = [(extent - 1) * rate for extent, rate in zip(extents, rates, strict=True)]
    padded = [-(-(dim + gap * same) // rate) * rate for dim, gap, rate in zip(before, gaps, rates, strict=True)]
    given[spatial] = padded
    parts = t.run("spaced", (x,), t.size(given, at.item))  # once for all that convolve x so
    made = prod(dim - gap for dim, gap in zip(padded, gaps, strict=True))
    whole = convolve(t, parts, kernel, Size(size.fixed * made // out, size.each * made // out, size.item))
    if window.rank == 1:
        t.lines.add(whole.index)
        if made == out and rates[0] >= TILE:
            t.tiled.add(whole.index)
    return copy(t, whole, size)


def _pad(t: Tape, made: Value, x: Value, window: Window, before: Sequence[Any], dense: bool) -> None:
    """cuDNN pads both sides alike: where "same" wants one row behind and none before, what it convolves, and what the
    gradient of the kernel reads, is a copy with that one. Of larger windows the two differ, and are made again
    (xla/service/gpu/transforms/conv_padding_legalization.cc: what a forward convolution pads is all, else the odd one).
    """
    parts = [*zip(before, each(window.extent, window.rank), each(window.strides, window.rank), strict=True)]
    if str(window.padding).lower() != "same" or not all(isinstance(one, int) and one > 0 for part in parts
                                                        for one in part):
        return
    more = [max(0, (-(-dim // stride) - 1) * stride + extent - dim) for dim, extent, stride in parts]
    odd = [one % 2 for one in more]
    if max(more) == 1 or (dense and any(odd)):
        old = prod(dim for dim, _, _ in parts)
        new = prod(dim + one for (dim, _, _), one in zip(parts, odd, strict=True))
        (t.padded if max(more) == 1 else t.repadded)[made.index] = Size(
            x.size.fixed * new // old, x.size.each * new // old, x.size.item)


def _extents(shape: Sequence[Any]) -> list[int]:
    found = [dim for dim in shape if isinstance(dim, int) and dim > 0]
    if not found or len(found) != len(shape):
        raise NotSized("an open extent")
    return found


def _numbers(value: Any, count: int) -> tuple[int, ...]:
    found = each(value, count)
    numbers = tuple(one for one in found if isinstance(one, int))
    if len(numbers) != len(found):
        raise NotSized("a dilation_rate or kernel_size that is not known")
    return numbers

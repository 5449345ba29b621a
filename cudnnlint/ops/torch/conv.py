"""Convolutions of PyTorch: Conv1d, Conv2d, Conv3d, also lazy, and torch.nn.functional.conv1d, conv2d, conv3d."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arith import is_known, lift, may_equal
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._core import (
    Module,
    Parts,
    assumed,
    by,
    count,
    dtype_of,
    dtype_problem,
    late,
    negative,
    not_whole,
    parts,
    rank_problem,
    shown,
    size,
    spread,
)
from cudnnlint.ops.windows import AXES, at_most, gone, phrase, remedies
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Stack, Tensor, Unknown

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")
"""torch/nn/modules/conv.py: _ConvNd"""


@record(frozen=True, slots=True)
class Window:
    """What slides over the input (aten/src/ATen/native/ConvUtils.h: conv_output_size)."""

    rank: int
    kernel_size: Any
    stride: Any = 1
    padding: Any = 0
    dilation: Any = 1

    def padded(self, spatial: Shape) -> Shape:
        """Extents with their padding on both sides."""
        return tuple(lift(lambda n, p: n + 2 * p, n, p) for n, p in zip(spatial, self._pads(), strict=True))

    def reach(self) -> Shape:
        """What the dilated kernel covers: (k - 1) * d + 1."""
        return tuple(lift(lambda k, d: (k - 1) * d + 1, k, d) for k, d in
                     zip(spread(self.kernel_size, self.rank), spread(self.dilation, self.rank), strict=True))

    def _pads(self) -> Shape:
        if isinstance(self.padding, str):
            return (0 if self.padding == "valid" else Unknown("padding"),) * self.rank
        return spread(self.padding, self.rank)

    def over(self, spatial: Shape) -> Shape:
        """Extents after the window: (n + 2p - reach) // s + 1.

        >>> Window(2, 3, 2, 1).over((224, 7)), Window(1, 5).over((4,))
        ((112, 4), (0,))
        """
        if self.padding == "same":
            return spatial
        strides = spread(self.stride, self.rank)
        if any(is_known(step) and step <= 0 for step in strides):  # type: ignore[operator]
            return (Unknown("stride"),) * self.rank
        return tuple(lift(lambda n, k, s: (n - k) // s + 1, n, k, s)
                     for n, k, s in zip(self.padded(spatial), self.reach(), strides, strict=True))

    def __str__(self) -> str:
        told = [f"kernel_size {shown(self.kernel_size)}"]
        told += [f"stride {shown(self.stride)}"] if self.stride not in (1, (1,) * self.rank) else []
        told += [f"dilation {shown(self.dilation)}"] if self.dilation not in (1, (1,) * self.rank) else []
        return ", ".join([*told, f"padding {shown(self.padding)}"])

    def faults(self) -> Iterator[Mismatch]:
        """What no input makes good; told when the layer is called."""
        for name, least in (("kernel_size", 1), ("stride", 1), ("dilation", 1), ("padding", 0)):
            value = getattr(self, name)
            if isinstance(value, str):
                continue
            if wrong := not_whole(name, value):
                yield wrong
            low = [extent for extent in spread(value, self.rank) if is_known(extent) and extent < least]  # type: ignore[operator]
            if low:
                yield Mismatch(Problem.NON_POSITIVE, f"{name} is {shown(value)}", argument=name,
                               help=f"{name} must be at least {least}", error=f'RuntimeError "{SAYS[name]}"')

    def empty(self, at: Parts) -> Mismatch | None:
        """The kernel is larger than the padded input (aten/src/ATen/native/Convolution.cpp: check_shape_forward)."""
        padded, reach = self.padded(at.spatial), self.reach()
        if self.padding == "same" or not any(isinstance(n, int) and isinstance(k, int) and k > n
                                             for n, k in zip(padded, reach, strict=True)):
            return None
        after = tuple(lift(lambda n, k: n - k + 1 if k > n else 1, n, k) for n, k in zip(padded, reach, strict=True))
        lost = [axis for axis, extent in enumerate(after) if gone(extent)]
        limits = tuple(lift(lambda n, d: (n - 1) // d + 1, n, d)
                       for n, d in zip(padded, spread(self.dilation, self.rank), strict=True))
        return Mismatch(
            Problem.EMPTY_DIM, f"{phrase(at.spatial, after)} with {self}",
            help=remedies(self._enough(at.spatial, lost), at_most("kernel_size", limits, after)),
            error=f'RuntimeError "Calculated padded input size per channel: ({by(padded)}). Kernel size: '
                  f'({by(reach)}). Kernel size can\'t be greater than actual input size"',
            facts=(("axes", tuple(AXES[self.rank][axis] for axis in lost)),))

    def _enough(self, spatial: Shape, lost: list[int]) -> str:
        """The least padding that leaves something."""
        needed = [-(-(k - n) // 2) for axis, (n, k) in enumerate(zip(spatial, self.reach(), strict=True))
                  if axis in lost and isinstance(n, int) and isinstance(k, int)]
        return f"padding={max(needed)}" if needed else ""


SAYS = {"kernel_size": "kernel size should be greater than zero", "stride": "non-positive stride is not supported",
        "dilation": "dilation should be greater than zero", "padding": "negative padding is not supported"}


@record(frozen=True, slots=True)
class Conv(Module):
    """(N, C, *spatial) or (C, *spatial) -> (N, out_channels, *windowed); weight (out, in // groups, *kernel).

    torch/nn/modules/conv.py: _ConvNd. `in_channels` None: a lazy module, made for what comes.
    """

    name: str
    window: Window
    in_channels: Any
    out_channels: Any
    groups: Any = 1
    bias: Any = True
    dtype: Any = "float32"
    padding_mode: Any = "zeros"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if is_known(self.groups) and self.groups <= 0:
            yield Mismatch(Problem.NON_POSITIVE, f"groups is {self.groups}", argument="groups",
                           help="groups must be a positive integer",
                           error='ValueError "groups must be a positive integer"')
        elif is_known(self.groups):
            for name in ("in_channels", "out_channels"):
                value = getattr(self, name)
                if is_known(value) and value % self.groups:
                    yield Mismatch(Problem.GROUPS, f"{name} {value} is not divisible by groups {self.groups}",
                                   help="groups must divide in_channels and out_channels", argument="groups",
                                   error=f'ValueError "{name} must be divisible by groups"')
        for name, value in (("kernel_size", self.window.kernel_size), ("groups", self.groups)):
            if wrong := negative(name, value if isinstance(value, float) else None):
                yield wrong
        for name in ("in_channels", "out_channels"):
            if wrong := late(negative(name, getattr(self, name)), self.in_channels is None):
                yield wrong
        if isinstance(self.padding_mode, str) and self.padding_mode not in PADDING_MODES:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"padding_mode is {self.padding_mode!r}", argument="padding_mode",
                           help=f"one of {', '.join(PADDING_MODES)}",
                           error='ValueError "padding_mode must be one of"')
        yield from self._check_padding()

    def _check_padding(self) -> Iterator[Mismatch]:
        padding = self.window.padding
        if not isinstance(padding, str):
            return
        if padding not in ("same", "valid"):
            yield Mismatch(Problem.INVALID_ARGUMENT, f'padding is "{padding}", not "same" or "valid"',
                           argument="padding", help='padding must be "same", "valid" or numbers',
                           error=f"ValueError \"Invalid padding string '{padding}', should be one of "
                                 "{'same', 'valid'}\"")
        elif padding == "same" and any(is_known(step) and step != 1
                                       for step in spread(self.window.stride, self.window.rank)):
            yield Mismatch(Problem.INVALID_ARGUMENT, f'padding "same" with stride {shown(self.window.stride)}',
                           argument="padding", help="give the padding as numbers",
                           error="ValueError \"padding='same' is not supported for strided convolutions\"")

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        rank = self.window.rank
        if wrong := rank_problem(x, (rank + 1, rank + 2), self.name, _rank_error(x, rank)):
            return wrong
        at = parts(x, rank)
        if wrong := next(self.window.faults(), None) or self._clash(x, at) or self.window.empty(at):
            return wrong
        if self.out_channels == 0:
            return Mismatch(Problem.NON_POSITIVE, "out_channels is 0", argument="out_channels",
                            help="out_channels must be positive",
                            error='RuntimeError "expected weight to be at least 1 at dimension 0"')
        if wrong := dtype_problem(x, self.dtype, "bias" if self.bias is True else "weight"):
            return wrong
        mode = self.padding_mode
        after = self.window.over(at.spatial) if isinstance(mode, str) else (Unknown("padding_mode"),) * rank
        dtype = self.dtype if isinstance(self.dtype, str) else Unknown("dtype")
        return assumed(x, self.name, rank + 2, at.shape(count(self.out_channels), after), dtype)

    def _turned(self, x: Tensor) -> str:
        """How channels that are the last axis come to be the first after the batch."""
        rank = self.window.rank
        last = isinstance(x.shape, tuple) and len(x.shape) == rank + 2 and x.shape[-1] == self.in_channels
        spatial = ", ".join(str(axis) for axis in range(1, rank + 1))
        return f"channels come before the extents: x.permute(0, {rank + 1}, {spatial})" if last else ""

    def _clash(self, x: Tensor, at: Parts) -> Mismatch | None:
        if self.in_channels is None or may_equal(count(self.in_channels), at.channel):
            return None
        shape = x.shape if isinstance(x.shape, tuple) else ()
        batched = shape if len(shape) == self.window.rank + 2 else (1, *shape)
        return Mismatch(
            Problem.CHANNELS, f"{self.name} takes {self.in_channels} channels, its input has {at.channel}: {x}",
            help=self._turned(x) or self._alone(shape) or f"in_channels={at.channel}",
            error=f'RuntimeError "Given groups={self.groups}, weight of size {size(self._kernel())}, expected '
                  f'input{size(batched)} to have {self.in_channels} channels, but got {at.channel} channels instead"',
            facts=(("expected", self.in_channels), ("actual", at.channel)))

    def _alone(self, shape: Shape) -> str:
        """What is read as one sample, for want of an axis, and has the channels where a batch has them."""
        if len(shape) != self.window.rank + 1 or not may_equal(count(self.in_channels), shape[1]):
            return ""
        return (f"an input of {len(shape)} axes is one sample, its first axis the channels; {self.name} takes a batch "
                f"of {len(shape) + 1} axes")

    def _kernel(self) -> Shape:
        groups = count(self.groups)
        each: Dim = lift(lambda c, g: c // g if g else c, count(self.in_channels), groups)
        return (count(self.out_channels), each, *spread(self.window.kernel_size, self.window.rank))

    def variables(self) -> tuple[Weight, ...] | Unknown:
        if self.in_channels is None:
            return Unknown("a lazy module")
        if isinstance(self.bias, Unknown):
            return self.bias
        kernel = Weight("weight", self._kernel())
        return (kernel, Weight("bias", (count(self.out_channels),))) if self.bias else (kernel,)


def _rank_error(x: Tensor, rank: int) -> str:
    shape = x.shape if isinstance(x.shape, tuple) else ()
    return (f'RuntimeError "Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to conv{rank}d, but got '
            f'input of size: {size(shape)}"')


def _register() -> None:
    for rank in (1, 2, 3):
        layer(f"torch.nn.Conv{rank}d")(_spelled(rank))
        layer(f"torch.nn.LazyConv{rank}d")(_lazy(rank))
        function(f"torch.nn.functional.conv{rank}d", f"torch.conv{rank}d")(_called(rank))


def _spelled(rank: int) -> Any:
    def conv(in_channels: Any, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0,
             dilation: Any = 1, groups: Any = 1, bias: Any = True, padding_mode: Any = "zeros", device: Any = None,
             dtype: Any = None) -> Conv:
        return Conv(f"Conv{rank}d", Window(rank, kernel_size, stride, padding, dilation),
                    Unknown("None") if in_channels is None else in_channels, out_channels, groups, bias,
                    dtype_of(dtype), padding_mode)

    return conv


def _lazy(rank: int) -> Any:
    def lazy_conv(out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                  groups: Any = 1, bias: Any = True, padding_mode: Any = "zeros", device: Any = None,
                  dtype: Any = None) -> Conv:
        return Conv(f"LazyConv{rank}d", Window(rank, kernel_size, stride, padding, dilation), None, out_channels,
                    groups, bias, dtype_of(dtype), padding_mode)

    return lazy_conv


def _called(rank: int) -> Any:
    def conv(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
             groups: Any = 1) -> Outcome:
        if not isinstance(input, Tensor) or not isinstance(weight, Tensor) or weight.rank != rank + 2:
            return Unknown("input or weight")
        assert isinstance(weight.shape, tuple)
        out, each, *kernel = weight.shape
        channels = lift(lambda c, g: c * g, each, count(groups))
        op = Conv(f"conv{rank}d", Window(rank, tuple(kernel), stride, padding, dilation), channels, out, groups,
                  bias is not None, weight.dtype)
        return op.infer(LayerCall(input))

    return conv


_register()

"""Pooling of PyTorch: windows with ceil_mode, adaptive ones, as modules and as functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.functions._core import flag
from cudnnlint.ops.protocol import LayerCall, Outcome, function, layer
from cudnnlint.ops.torch._core import Module, Parts, assumed, by, count, not_whole, parts, rank_problem, shown, spread
from cudnnlint.ops.windows import AXES, at_most, gone, phrase
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown


def pooled(n: int, k: int, s: int, p: int, d: int, ceil: bool) -> int:
    """aten/src/ATen/native/Pool.h: pooling_output_shape_pad_lr; a window that starts beyond the input is dropped.

    >>> pooled(7, 2, 2, 0, 1, False), pooled(7, 2, 2, 0, 1, True), pooled(5, 2, 3, 1, 1, True)
    (3, 4, 2)
    """
    size = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil else 0)) // s + 1
    return size - 1 if ceil and (size - 1) * s >= n + p else size


@record(frozen=True, slots=True)
class Pooling(Module):
    """(N, C, *spatial) or (C, *spatial) -> the same with pooled extents (torch/nn/modules/pooling.py)."""

    name: str
    rank: int
    kernel_size: Any
    stride: Any = None
    padding: Any = 0
    dilation: Any = 1
    ceil_mode: Any = False
    return_indices: Any = False

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        wanted = (self.rank + 1, self.rank + 2)
        if wrong := rank_problem(x, wanted, self.name,
                                 f'RuntimeError "non-empty {wanted[0]}D or {wanted[1]}D (batch mode) tensor expected '
                                 'for input"'):
            return wrong
        if wrong := self._fault():
            return wrong
        at = parts(x, self.rank)
        after = self._over(at.spatial)
        if any(map(gone, after)):
            return self._empty(at, after)
        if wrong := self._larger(at):
            return wrong
        made = assumed(x, self.name, self.rank + 2, at.shape(at.channel, after))
        return with_indices(made, self.return_indices)

    def _larger(self, at: Parts) -> Mismatch | None:
        """AvgPool3d wants the window within the input, whatever the padding (aten/src/ATen/native/Pool.h)."""
        kernel = spread(self.kernel_size, self.rank)
        if not self.name.lower().startswith("avg") or self.rank != 3 or not any(
                isinstance(k, int) and isinstance(n, int) and k > n for k, n in zip(kernel, at.spatial, strict=True)):
            return None
        return Mismatch(Problem.EMPTY_DIM, f"kernel_size {shown(self.kernel_size)} is larger than {by(at.spatial)}",
                        help="a smaller kernel_size", facts=(("axes", AXES[3]),),
                        error='RuntimeError "input image ... smaller than kernel size"')

    def _over(self, spatial: Shape) -> Shape:
        ceil = flag(self.ceil_mode)
        if ceil is None:
            return (Unknown("ceil_mode"),) * self.rank
        given = (spread(value, self.rank) for value in
                 (self.kernel_size, self._steps(), self.padding, self.dilation))
        return tuple(lift(lambda n, k, s, p, d: pooled(n, k, s, p, d, bool(ceil)), n, *rest)
                     for n, *rest in zip(spatial, *given, strict=True))

    def _steps(self) -> Any:
        return self.kernel_size if self.stride is None or self.stride in ([], ()) else self.stride

    def _fault(self) -> Mismatch | None:
        """What no input makes good (aten/src/ATen/native/Pool.h: pool2d_shape_check)."""
        for name, value in (("kernel_size", self.kernel_size), ("stride", self.stride), ("padding", self.padding)):
            if wrong := not_whole(name, value):
                return wrong
        for name, value in (("kernel_size", self.kernel_size), ("stride", self._steps()), ("dilation", self.dilation)):
            if any(isinstance(item, int) and item <= 0 for item in spread(value, self.rank)):
                said = {"kernel_size": "kernel size should be greater than zero", "stride": "stride should not be zero",
                        "dilation": "dilation should be greater than zero"}[name]
                return Mismatch(Problem.NON_POSITIVE, f"{name} is {shown(value)}", argument=name,
                                help=f"{name} must be at least 1", error=f'RuntimeError "{said}"')
        for pad, k, d in zip(spread(self.padding, self.rank), spread(self.kernel_size, self.rank),
                             spread(self.dilation, self.rank), strict=True):
            if isinstance(pad, int) and pad < 0:
                return Mismatch(Problem.NON_POSITIVE, f"padding is {shown(self.padding)}", argument="padding",
                                help="padding must be at least 0", error='RuntimeError "pad must be non-negative"')
            if isinstance(pad, int) and isinstance(k, int) and isinstance(d, int) and pad > k // 2:
                return Mismatch(Problem.INVALID_ARGUMENT, f"padding {shown(self.padding)} is more than half of "
                                f"kernel_size {shown(self.kernel_size)}", argument="padding",
                                help=f"a padding of at most {k // 2}",
                                error='RuntimeError "pad should be at most half of effective kernel size, but got '
                                      f'pad={pad}, kernel_size={k} and dilation={d}"')
        return None

    def _empty(self, at: Parts, after: Shape) -> Mismatch:
        before = (at.channel, *at.spatial)
        cause = f"kernel_size {shown(self.kernel_size)}"
        if self.stride is not None and self.stride != self.kernel_size:
            cause += f", stride {shown(self.stride)}"
        limits = tuple(lift(lambda n, p: n + 2 * p, n, p)
                       for n, p in zip(at.spatial, spread(self.padding, self.rank), strict=True))
        lost = tuple(AXES[self.rank][axis] for axis, extent in enumerate(after) if gone(extent))
        return Mismatch(Problem.EMPTY_DIM, f"{phrase(at.spatial, after)} with {cause}",
                        help=at_most("kernel_size", limits, after),
                        error=self._said(before, (at.channel, *after)), facts=(("axes", lost),))

    def _said(self, before: Shape, after: Shape) -> str:
        """Rows are pooled as images of height 1, but for the maxima of max_pool1d(); AvgPool3d compares by itself."""
        kind = self.name.lower()
        if self.rank == 1 and kind.startswith("max") and flag(self.return_indices) is False:
            return f'RuntimeError "max_pool1d() Invalid computed output size: {after[-1]}"'
        if self.rank == 3 and kind.startswith("avg"):
            return 'RuntimeError "input image ... smaller than kernel size" or "Output size is too small"'
        one = (1,) if self.rank == 1 else ()
        given, made = (by((shape[0], *one, *shape[1:])).replace(" ", "") for shape in (before, after))
        return f'RuntimeError "Given input size: ({given}). Calculated output size: ({made}). Output size is too small"'


def with_indices(made: Tensor, wanted: Any) -> Outcome:
    """(pooled, where each value came from) with return_indices=True."""
    both = flag(wanted)
    if both is None:
        return Unknown("return_indices")
    return (made, made.with_(dtype="int64")) if both else made


@record(frozen=True, slots=True)
class AdaptivePooling(Module):
    """The spatial extents become `output_size`, where it is not None (torch/nn/functional.py: adaptive_avg_pool2d)."""

    name: str
    rank: int
    output_size: Any
    return_indices: Any = False

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        return iter(())

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := not_whole("output_size", self.output_size):
            return wrong
        if x.rank is not None and x.rank not in (self.rank + 1, self.rank + 2):
            return Unknown("an adaptive pooling over other axes")  # some are accepted where output_size is 1
        at = parts(x, self.rank)
        size = self.output_size
        if size is None:
            size = (None,) * self.rank
        if isinstance(size, (list, tuple)) and len(size) not in (1, self.rank):
            return Unknown("output_size of another length")
        asked = size if isinstance(size, (list, tuple)) and len(size) == self.rank else \
            (size[0] if isinstance(size, (list, tuple)) else size,) * self.rank
        after = tuple(extent if each is None else _extent(each) for each, extent in zip(asked, at.spatial, strict=True))
        return with_indices(assumed(x, self.name, self.rank + 2, at.shape(at.channel, after)), self.return_indices)


def _extent(value: Any) -> Any:
    found = count(value)
    return Unknown("a negative extent") if isinstance(found, int) and found < 0 else found


def _register() -> None:
    for rank in (1, 2, 3):
        layer(f"torch.nn.MaxPool{rank}d")(_max(rank))
        layer(f"torch.nn.AvgPool{rank}d")(_average(rank))
        layer(f"torch.nn.AdaptiveMaxPool{rank}d")(_adaptive_max(rank))
        layer(f"torch.nn.AdaptiveAvgPool{rank}d")(_adaptive_average(rank))
        layer(f"torch.nn.LPPool{rank}d")(_power(rank))
        function(f"torch.nn.functional.max_pool{rank}d", f"torch.max_pool{rank}d")(_called_max(rank))
        function(f"torch.nn.functional.avg_pool{rank}d")(_called_average(rank))
        function(f"torch.nn.functional.adaptive_avg_pool{rank}d")(_called_adaptive(rank, "avg"))
        function(f"torch.nn.functional.adaptive_max_pool{rank}d")(_called_adaptive(rank, "max"))


def _max(rank: int) -> Any:
    def max_pool(kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: Any = False,
                 ceil_mode: Any = False) -> Pooling:
        return Pooling(f"MaxPool{rank}d", rank, kernel_size, stride, padding, dilation, ceil_mode, return_indices)

    return max_pool


def _average(rank: int) -> Any:
    def avg_pool(kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False,
                 count_include_pad: Any = True, divisor_override: Any = None) -> Pooling:
        return Pooling(f"AvgPool{rank}d", rank, kernel_size, stride, padding, 1, ceil_mode)

    return avg_pool


def _power(rank: int) -> Any:
    def lp_pool(norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False) -> Pooling:
        return Pooling(f"LPPool{rank}d", rank, kernel_size, stride, 0, 1, ceil_mode)

    return lp_pool


def _adaptive_max(rank: int) -> Any:
    def adaptive_max_pool(output_size: Any, return_indices: Any = False) -> AdaptivePooling:
        return AdaptivePooling(f"AdaptiveMaxPool{rank}d", rank, output_size, return_indices)

    return adaptive_max_pool


def _adaptive_average(rank: int) -> Any:
    def adaptive_avg_pool(output_size: Any) -> AdaptivePooling:
        return AdaptivePooling(f"AdaptiveAvgPool{rank}d", rank, output_size)

    return adaptive_avg_pool


def _called_max(rank: int) -> Any:
    def max_pool(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                 ceil_mode: Any = False, return_indices: Any = False) -> Outcome:
        op = Pooling(f"max_pool{rank}d", rank, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
        return op.infer(LayerCall(input))

    return max_pool


def _called_average(rank: int) -> Any:
    def avg_pool(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: Any = False,
                 count_include_pad: Any = True, divisor_override: Any = None) -> Outcome:
        return Pooling(f"avg_pool{rank}d", rank, kernel_size, stride, padding, 1, ceil_mode).infer(LayerCall(input))

    return avg_pool


def _called_adaptive(rank: int, kind: str) -> Any:
    def adaptive_pool(input: Any, output_size: Any, return_indices: Any = False) -> Outcome:
        op = AdaptivePooling(f"adaptive_{kind}_pool{rank}d", rank, output_size)
        return replace(op, return_indices=return_indices if kind == "max" else False).infer(LayerCall(input))

    return adaptive_pool


_register()

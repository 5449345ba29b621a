"""Transposed convolutions of PyTorch: ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, and as functions."""

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
    negative,
    not_whole,
    parts,
    rank_problem,
    shown,
    size,
    spread,
)
from cudnnlint.ops.windows import phrase
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class ConvTranspose(Module):
    """n -> (n - 1) * s - 2p + (k - 1) * d + output_padding + 1; weight (in, out // groups, *kernel).

    torch/nn/modules/conv.py: _ConvTransposeNd; aten/src/ATen/native/ConvUtils.h: conv_input_size
    """

    name: str
    rank: int
    in_channels: Any
    out_channels: Any
    kernel_size: Any
    stride: Any = 1
    padding: Any = 0
    output_padding: Any = 0
    dilation: Any = 1
    groups: Any = 1
    bias: Any = True
    dtype: Any = "float32"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if is_known(self.groups) and self.groups <= 0:
            yield Mismatch(Problem.NON_POSITIVE, f"groups is {self.groups}", argument="groups",
                           help="groups must be a positive integer",
                           error='ValueError "groups must be a positive integer"')
        for name in ("in_channels", "out_channels"):
            value = getattr(self, name)
            if is_known(self.groups) and self.groups > 0 and is_known(value) and value % self.groups:
                yield Mismatch(Problem.GROUPS, f"{name} {value} is not divisible by groups {self.groups}",
                               help="groups must divide in_channels and out_channels", argument="groups",
                               error=f'ValueError "{name} must be divisible by groups"')
            if wrong := negative(name, value):
                yield wrong
        if wrong := negative("groups", self.groups if isinstance(self.groups, float) else None):
            yield wrong

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        wanted = (self.rank + 1, self.rank + 2)
        error = (f'RuntimeError "Expected {wanted[0]}D (unbatched) or {wanted[1]}D (batched) input to '
                 f'conv_transpose{self.rank}d"')
        if wrong := rank_problem(x, wanted, self.name, error):
            return wrong
        at = parts(x, self.rank)
        if wrong := self._not_whole() or self._clash(x, at) or self._odd() or dtype_problem(
                x, self.dtype, "bias" if self.bias is True else "weight"):
            return wrong
        after = self._extents(at.spatial)
        if call.args or "output_size" in call.kwargs:
            asked = call.args[0] if call.args else call.kwargs["output_size"]
            after = spread(asked[-self.rank:], self.rank) if isinstance(asked, (list, tuple)) \
                else after if asked is None else (Unknown("output_size"),) * self.rank
        if any(isinstance(extent, int) and extent < 0 for extent in after):
            return self._empty(at, after)
        after = tuple(Unknown("0 or refused") if extent == 0 else extent for extent in after)
        dtype = self.dtype if isinstance(self.dtype, str) else Unknown("dtype")
        return assumed(x, self.name, self.rank + 2, at.shape(count(self.out_channels), after), dtype)

    def _extents(self, spatial: Shape) -> Shape:
        given = (spread(value, self.rank) for value in
                 (self.kernel_size, self.stride, self.padding, self.output_padding, self.dilation))
        return tuple(lift(lambda n, k, s, p, o, d: (n - 1) * s - 2 * p + (k - 1) * d + o + 1, n, *rest)
                     for n, *rest in zip(spatial, *given, strict=True))

    def _not_whole(self) -> Mismatch | None:
        return next((wrong for name in ("stride", "padding", "output_padding", "dilation")
                     if (wrong := not_whole(name, getattr(self, name)))), None)

    def _odd(self) -> Mismatch | None:
        strides, dilations = spread(self.stride, self.rank), spread(self.dilation, self.rank)
        for extra, step, spaced in zip(spread(self.output_padding, self.rank), strides, dilations, strict=True):
            if isinstance(extra, int) and isinstance(step, int) and isinstance(spaced, int) \
                    and extra >= max(step, spaced):
                return Mismatch(Problem.OUTPUT_PADDING, f"output_padding {shown(self.output_padding)} is not smaller "
                                f"than stride {shown(self.stride)} or dilation {shown(self.dilation)}",
                                argument="output_padding", help=f"an output_padding of at most {max(step, spaced) - 1}",
                                error='RuntimeError "output padding must be smaller than either stride or dilation"')
        return None

    def _clash(self, x: Tensor, at: Parts) -> Mismatch | None:
        if may_equal(count(self.in_channels), at.channel):
            return None
        shape = x.shape if isinstance(x.shape, tuple) else ()
        batched = shape if len(shape) == self.rank + 2 else (1, *shape)
        return Mismatch(
            Problem.CHANNELS, f"{self.name} takes {self.in_channels} channels, its input has {at.channel}: {x}",
            help=f"in_channels={at.channel}",
            error=f'RuntimeError "Given transposed=1, weight of size {size(self._kernel())}, expected '
                  f'input{size(batched)} to have {self.in_channels} channels, but got {at.channel} channels instead"',
            facts=(("expected", self.in_channels), ("actual", at.channel)))

    def _empty(self, at: Parts, after: Shape) -> Mismatch:
        told = f"kernel_size {shown(self.kernel_size)}, stride {shown(self.stride)}, padding {shown(self.padding)}"
        return Mismatch(Problem.EMPTY_DIM, f"{phrase(at.spatial, after)} with {told}", help="a smaller padding",
                        error=f'RuntimeError "Given input size per channel: ({by(at.spatial)}). Calculated output size '
                              f'per channel: ({by(after)}). Output size is too small"')

    def _kernel(self) -> Shape:
        each = lift(lambda c, g: c // g if g else c, count(self.out_channels), count(self.groups))
        return (count(self.in_channels), each, *spread(self.kernel_size, self.rank))

    def variables(self) -> tuple[Weight, ...] | Unknown:
        if isinstance(self.bias, Unknown):
            return self.bias
        kernel = Weight("weight", self._kernel())
        return (kernel, Weight("bias", (count(self.out_channels),))) if self.bias else (kernel,)


def _spelled(rank: int) -> Any:
    def conv_transpose(in_channels: Any, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0,
                       output_padding: Any = 0, groups: Any = 1, bias: Any = True, dilation: Any = 1,
                       padding_mode: Any = "zeros", device: Any = None, dtype: Any = None) -> ConvTranspose:
        return ConvTranspose(f"ConvTranspose{rank}d", rank, in_channels, out_channels, kernel_size, stride, padding,
                             output_padding, dilation, groups, bias, dtype_of(dtype))

    return conv_transpose


def _called(rank: int) -> Any:
    def conv_transpose(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
                       output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Outcome:
        """`weight`: (in_channels, out_channels / groups, *kernel_size)."""
        if not isinstance(input, Tensor) or not isinstance(weight, Tensor) or weight.rank != rank + 2:
            return Unknown("input or weight")
        assert isinstance(weight.shape, tuple)
        entry, each, *kernel = weight.shape
        op = ConvTranspose(f"conv_transpose{rank}d", rank, entry, lift(lambda c, g: c * g, each, count(groups)),
                           tuple(kernel), stride, padding, output_padding, dilation, groups, bias is not None,
                           weight.dtype)
        return op.infer(LayerCall(input))

    return conv_transpose


for _rank in (1, 2, 3):
    layer(f"torch.nn.ConvTranspose{_rank}d")(_spelled(_rank))
    function(f"torch.nn.functional.conv_transpose{_rank}d", f"torch.conv_transpose{_rank}d")(_called(_rank))

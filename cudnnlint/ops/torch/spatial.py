"""What pads, resizes and rearranges images in PyTorch: padding, Upsample, interpolate, PixelShuffle, Unfold."""

from __future__ import annotations

import math
from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.functions._core import numbers
from cudnnlint.ops.protocol import LayerCall, Outcome, function, layer
from cudnnlint.ops.torch._core import Module, not_whole, parts, rank_problem, shown, spread, whole
from cudnnlint.ops.torch.conv import Window
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Tensor, Unknown
from cudnnlint.values.dim import product

PAIRED = 'ValueError "Input and output must have the same number of spatial dimensions"'
"""torch/nn/functional.py: interpolate, which compares them before it looks at the mode."""


@record(frozen=True, slots=True)
class Padding(Module):
    """(..., *spatial) with elements before and after; widths run from the last axis (torch/nn/modules/padding.py)."""

    name: str
    rank: int
    padding: Any
    mode: str = "constant"

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := not_whole("padding", self.padding):
            return wrong
        widths = self._widths()
        constant = self.mode == "constant"
        wanted = (self.rank + 1, self.rank + 2)
        if not constant and (wrong := rank_problem(
                x, wanted, self.name, f'RuntimeError "Expected {wanted[0]}D or {wanted[1]}D tensor with possibly 0 '
                                      'batch size and other non-zero dimensions for input"')):
            return wrong
        if isinstance(x.shape, Unknown) or isinstance(widths, Unknown) or len(x.shape) * 2 < len(widths):
            return x.with_(shape=Unknown("padding"))
        return padded(x, widths, self.mode)

    def _widths(self) -> tuple[Dim, ...] | Unknown:
        if isinstance(self.padding, (list, tuple)):
            found = numbers(self.padding)
            return found if isinstance(found, tuple) and len(found) == 2 * self.rank else Unknown("padding")
        return (whole(self.padding),) * (2 * self.rank)


def padded(x: Tensor, widths: tuple[Dim, ...], mode: str) -> Outcome:
    """`widths` are pairs, the last axis first (aten/src/ATen/native/PadNd.cpp)."""
    assert isinstance(x.shape, tuple)
    shape = list(x.shape)
    for pair in range(len(widths) // 2):
        axis = len(shape) - 1 - pair
        before, after = widths[2 * pair], widths[2 * pair + 1]
        extent = shape[axis]
        limit = {"reflect": lambda n: n - 1, "circular": lambda n: n}.get(mode)
        if limit is not None and isinstance(extent, int) and any(
                isinstance(width, int) and width > limit(extent) for width in (before, after)):
            said = ("Padding size should be less than the corresponding input dimension" if mode == "reflect"
                    else "Padding value causes wrapping around more than once.")
            return Mismatch(Problem.INVALID_ARGUMENT, f"{mode} padding {shown(widths)} of an extent of {extent}: {x}",
                            argument="padding", help="a padding smaller than the extent",
                            error=f'RuntimeError "{said}"')
        made = lift(lambda n, a, b: n + a + b, extent, before, after)
        if isinstance(made, int) and made < 0:
            return Mismatch(Problem.EMPTY_DIM, f"{extent} -> {made} with padding {shown(widths)}: {x}",
                            help="padding that leaves something", error='RuntimeError "The input size, plus negative '
                            'padding, resulted in a negative output size, which is invalid."')
        shape[axis] = Unknown("0 or refused") if made == 0 and mode != "constant" else made
    return x.with_(shape=tuple(shape))


@record(frozen=True, slots=True)
class Resize(Module):
    """Spatial extents become `size`, or floor(n * scale_factor) (torch/nn/functional.py: interpolate)."""

    size: Any = None
    scale_factor: Any = None
    mode: Any = "nearest"

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(self.size, int | list | tuple) and isinstance(self.scale_factor, int | float | list | tuple):
            return Mismatch(Problem.INVALID_ARGUMENT, "Upsample with both a size and a scale_factor", argument="size",
                            help="leave one of them out",
                            error='ValueError "only one of size or scale_factor should be defined"')
        if wrong := not_whole("size", self.size):
            return wrong
        if isinstance(x.shape, Unknown):
            return x.with_()
        needed = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}.get(self.mode) \
            if isinstance(self.mode, str) else None
        if len(x.shape) < 3 or (needed is not None and len(x.shape) != needed):
            wanted = needed or 4
            return Mismatch(Problem.RANK, f"mode {shown(self.mode)} needs {wanted} axes, the input has "
                            f"{len(x.shape)}: {x}", facts=(("expected", wanted), ("actual", len(x.shape))),
                            help="x.unsqueeze(0) gives it a batch" if len(x.shape) == wanted - 1 else "",
                            error=PAIRED if isinstance(self.size, list | tuple) and len(self.size) != len(x.shape) - 2
                            else f'NotImplementedError "Got {len(x.shape)}D input, but {self.mode} mode needs '
                                  f'{wanted}D input"' if needed else 'NotImplementedError "Input Error: Only 3D, 4D '
                                  'and 5D input Tensors supported"')
        after = self._after(x.shape[2:])
        return x.with_(shape=(*x.shape[:2], *after))

    def _after(self, spatial: Shape) -> Shape:
        rank = len(spatial)
        if self.size is not None:
            found = spread(self.size, rank)
            return tuple(Unknown("a size") if isinstance(dim, int) and dim < 1 else dim for dim in found)
        factor = self.scale_factor
        if isinstance(factor, (list, tuple)) and len(factor) == 1:
            factor = factor[0]
        factors = factor if isinstance(factor, (list, tuple)) else (factor,) * rank
        if len(factors) != rank:
            return (Unknown("scale_factor"),) * rank
        return tuple(_scaled(extent, one) for extent, one in zip(spatial, factors, strict=True))


def _scaled(extent: Dim, factor: Any) -> Dim:
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor < 1e6:
        return Unknown("scale_factor")
    made = lift(lambda n: math.floor(float(n) * float(factor)), extent)
    return Unknown("an empty image") if isinstance(made, int) and made < 1 else made


@record(frozen=True, slots=True)
class PixelShuffle(Module):
    """(..., C * r * r, H, W) -> (..., C, H * r, W * r), or back (aten/src/ATen/native/PixelShuffle.cpp)."""

    factor: Any
    back: bool = False

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := not_whole("downscale_factor" if self.back else "upscale_factor", self.factor):
            return wrong
        if isinstance(x.shape, Unknown):
            return x.with_()
        name = "pixel_unshuffle" if self.back else "pixel_shuffle"
        if len(x.shape) < 3:
            return Mismatch(Problem.RANK, f"{name} needs at least 3 axes, its input has {len(x.shape)}: {x}",
                            error=f'RuntimeError "{name} expects input to have at least 3 dimensions"',
                            facts=(("expected", 3), ("actual", len(x.shape))))
        r = whole(self.factor)
        *lead, channels, height, width = x.shape
        if not isinstance(r, int) or r <= 0:
            return x.with_(shape=(*lead, *(Unknown("factor"),) * 3))
        if self.back:
            sides = tuple(lift(lambda n: n // r if n % r == 0 else -1, side) for side in (height, width))
            if -1 in sides:
                return self._wrong(x, name, f"height and width {height} and {width}", f"{r}")
            return x.with_(shape=(*lead, lift(lambda c: c * r * r, channels), *sides))
        if isinstance(channels, int) and channels % (r * r):
            return self._wrong(x, name, f"{channels} channels", f"{r} * {r}")
        return x.with_(shape=(*lead, lift(lambda c: c // (r * r), channels), lift(lambda n: n * r, height),
                              lift(lambda n: n * r, width)))

    def _wrong(self, x: Tensor, name: str, what: str, by: str) -> Mismatch:
        return Mismatch(Problem.RESHAPE, f"{name}: {what} are not divisible by {by}: {x}",
                        help="a convolution before it with that many channels" if not self.back else "",
                        error=f'RuntimeError "{name} expects its input\'s dimension to be divisible by ..."')


@record(frozen=True, slots=True)
class Unfold(Module):
    """(N, C, H, W) -> (N, C * prod(kernel), places) (aten/src/ATen/native/Im2Col.cpp)."""

    window: Window

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if x.rank not in (3, 4):
            return x.with_(shape=Unknown("input of Unfold"))
        at = parts(x, 2)
        after = self.window.over(at.spatial)
        if any(isinstance(extent, int) and extent < 1 for extent in after):
            return Unknown("Unfold of less than a window")
        each = product(spread(self.window.kernel_size, 2))
        return x.with_(shape=(*at.batch, lift(lambda c, k: c * k, at.channel, each), product(after)))


@record(frozen=True, slots=True)
class ChannelShuffle(Module):
    """Shape in, shape out."""

    groups: Any

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return x.with_()


KINDS = {"ZeroPad": "constant", "ReflectionPad": "reflect", "ReplicationPad": "replicate", "CircularPad": "circular"}


def _register() -> None:
    for rank in (1, 2, 3):
        for kind, mode in KINDS.items():
            layer(f"torch.nn.{kind}{rank}d")(_pad(f"{kind}{rank}d", rank, mode))
        layer(f"torch.nn.ConstantPad{rank}d")(_constant_pad(rank))


def _pad(name: str, rank: int, mode: str) -> Any:
    def pad(padding: Any) -> Padding:
        return Padding(name, rank, padding, mode)

    return pad


def _constant_pad(rank: int) -> Any:
    def pad(padding: Any, value: Any) -> Padding:
        return Padding(f"ConstantPad{rank}d", rank, padding)

    return pad


@function("torch.nn.functional.pad")
def pad(input: Any, pad: Any, mode: Any = "constant", value: Any = None) -> Outcome:
    widths = numbers(pad) if isinstance(pad, (list, tuple)) else Unknown("pad")
    if not isinstance(input, Tensor) or isinstance(input.shape, Unknown) or isinstance(widths, Unknown) \
            or not isinstance(mode, str):
        return Unknown("pad") if not isinstance(input, Tensor) else input.with_(shape=Unknown("pad"))
    if len(widths) % 2:
        return Mismatch(Problem.INVALID_ARGUMENT, f"pad() is given {len(widths)} widths, which come in pairs",
                        help="two for each axis, from the last one on", argument="pad",
                        error='RuntimeError "Padding length must be divisible by 2"')
    if len(widths) > 2 * len(input.shape):
        return Mismatch(Problem.INVALID_ARGUMENT, f"pad() is given {len(widths)} widths for the {len(input.shape)} "
                        f"axes of {input}", help="two for each axis, from the last one on", argument="pad",
                        error='RuntimeError "Padding length should be less than or equal to two times the input '
                        'dimension"')
    return padded(input, widths, mode)


@layer("torch.nn.Upsample")
def upsample(size: Any = None, scale_factor: Any = None, mode: Any = "nearest", align_corners: Any = None,
             recompute_scale_factor: Any = None) -> Resize:
    return Resize(size, scale_factor, mode)


@layer("torch.nn.UpsamplingNearest2d")
def upsampling_nearest(size: Any = None, scale_factor: Any = None) -> Resize:
    return Resize(size, scale_factor, "nearest")


@layer("torch.nn.UpsamplingBilinear2d")
def upsampling_bilinear(size: Any = None, scale_factor: Any = None) -> Resize:
    return Resize(size, scale_factor, "bilinear")


@function("torch.nn.functional.interpolate")
def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: Any = "nearest",
                align_corners: Any = None, recompute_scale_factor: Any = None, antialias: Any = False) -> Outcome:
    return Resize(size, scale_factor, mode).infer(LayerCall(input))


@layer("torch.nn.PixelShuffle")
def pixel_shuffle(upscale_factor: Any) -> PixelShuffle:
    return PixelShuffle(upscale_factor)


@layer("torch.nn.PixelUnshuffle")
def pixel_unshuffle(downscale_factor: Any) -> PixelShuffle:
    return PixelShuffle(downscale_factor, True)


@function("torch.nn.functional.pixel_shuffle", "torch.pixel_shuffle")
def called_pixel_shuffle(input: Any, upscale_factor: Any) -> Outcome:
    return PixelShuffle(upscale_factor).infer(LayerCall(input))


@function("torch.nn.functional.pixel_unshuffle", "torch.pixel_unshuffle")
def called_pixel_unshuffle(input: Any, downscale_factor: Any) -> Outcome:
    return PixelShuffle(downscale_factor, True).infer(LayerCall(input))


@layer("torch.nn.ChannelShuffle")
def channel_shuffle(groups: Any) -> ChannelShuffle:
    return ChannelShuffle(groups)


@layer("torch.nn.Unfold")
def unfold(kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Unfold:
    return Unfold(Window(2, kernel_size, stride, padding, dilation))


@function("torch.nn.functional.unfold")
def called_unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Outcome:
    return Unfold(Window(2, kernel_size, stride, padding, dilation)).infer(LayerCall(input))


_register()

"""Layers that repeat or interpolate along space: UpSampling1D/2D/3D."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from cudnnlint.ops.arguments import check_data_format, check_extents, show
from cudnnlint.ops.arith import is_known, lift, rank_mismatch, spread
from cudnnlint.ops.kernels.maths import copy
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, layer
from cudnnlint.ops.windows import NUMBERS, blank, refused_dtype, split, symbolic_dtype
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown, Where
from cudnnlint.values.mismatch import LATE

INTERPOLATIONS = frozenset({"nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian",
                            "mitchellcubic"})
"""keras/src/layers/reshaping/up_sampling2d.py: UpSampling2D.call, when it is called;
tf_keras/src/utils/image_utils.py: get_interpolation, when it is made."""


@record(frozen=True, slots=True)
class UpSampling(SingleInput):
    """(N, *spatial, C) -> (N, *(n * size), C) (keras/src/layers/reshaping/up_sampling2d.py)."""

    name: str
    axes: int
    size: Any
    data_format: Any = None
    interpolation: Any = "nearest"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if self.axes == 1:
            yield from self._check_length()
        else:
            yield from check_extents("size", self.size, self.axes)
        if self.axes == 2 and isinstance(self.interpolation, str) and self.interpolation.lower() not in INTERPOLATIONS:
            yield self._unknown_kind(stack)
        yield from check_data_format(self.data_format)

    def _unknown_kind(self, stack: Stack) -> Mismatch:
        """Keras 3 looks at it as the layer runs, which it does not while a model is built."""
        return Mismatch(
            Problem.INVALID_ARGUMENT, f'interpolation is "{self.interpolation}"', argument="interpolation",
            help="nearest, bilinear, bicubic, lanczos3 or lanczos5", facts=LATE if stack.keras >= (3,) else (),
            error='ValueError "Invalid value for argument `interpolation`" or NotImplementedError "Value not '
                  'recognized for `interpolation`"')

    def _check_length(self) -> Iterator[Mismatch]:
        """One integer only: `int(size)` until Keras 3.15 checks it (up_sampling1d.py: __init__)."""
        if self.size is None or isinstance(self.size, (tuple, list, dict)):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"size is {show(self.size)}, not an integer", argument="size",
                           help="UpSampling1D takes one integer", error="TypeError")
        elif isinstance(self.size, (float, str)):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"size is {show(self.size)}, not an integer", argument="size",
                           help="UpSampling1D takes one integer", where=Where(keras=">=3.15"),
                           error='TypeError "Expected an integer value for `size`"')
        elif is_known(self.size) and self.size <= 0:
            yield Mismatch(Problem.NON_POSITIVE, f"size is {self.size}", argument="size",
                           help="size must be at least 1",
                           error='ValueError "Argument `size` should be a positive integer"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := rank_mismatch(x, self.axes + 2, self.name):
            # tf_keras/src/layers/reshaping/up_sampling3d.py loses its input_spec
            return Unknown("UpSampling3D of Keras 2") if self.axes == 3 and call.stack.keras < (3,) else wrong
        if wrong := refused_dtype(x, call, self.name, NUMBERS) if self.axes == 2 else None:
            return wrong
        dtype = self._dtype(x, call)
        size = int(self.size) if isinstance(self.size, float) and isfinite(self.size) else self.size
        at, sizes = split(x, self.axes, self.data_format), spread(size, self.axes)
        if isinstance(at, Unknown) or isinstance(sizes, Unknown):
            return blank(x, self.axes, dtype)
        after = tuple(lift(lambda n, k: n * k, n, k) for n, k in zip(at.spatial, sizes, strict=True))
        return x.with_(shape=at.shape(after, at.channel), dtype=dtype)

    def _dtype(self, x: Tensor, call: LayerCall) -> Any:
        """tf.image.resize interpolates in float32, whatever comes in (tf_keras/src/backend.py: resize_images)."""
        if isinstance(self.interpolation, Unknown):
            return self.interpolation
        if call.stack.keras < (3,) and self.interpolation != "nearest":
            return "float32"
        return symbolic_dtype(x, call)

    def lower(self, at: Site) -> Value:
        """Nearest ones are repeated, axis by axis, pictures by one kernel in Keras 2 (tf_keras/src/backend.py:
        resize_images); the rest is resized by a kernel that reads its input again."""
        if self.interpolation != "nearest":
            return at.tape.run("resized", (at.x,), at.size())
        sizes = spread(self.size, self.axes)
        made = at.x
        for times in () if isinstance(sizes, Unknown) or self._at_once(at.stack) else sizes[:-1]:
            made = copy(at.tape, made, made.size.times(times)) if isinstance(times, int) else made
        return copy(at.tape, made, at.size())

    def _at_once(self, stack: Stack) -> bool:
        return self.axes == 2 and stack.keras < (3,)


@layer("keras.layers.UpSampling1D")
def up_sampling1d(size: Any = 2) -> UpSampling:
    return UpSampling("UpSampling1D", 1, size)


@layer("keras.layers.UpSampling2D")
def up_sampling2d(size: Any = (2, 2), data_format: Any = None, interpolation: Any = "nearest") -> UpSampling:
    return UpSampling("UpSampling2D", 2, size, data_format, interpolation)


@layer("keras.layers.UpSampling3D")
def up_sampling3d(size: Any = (2, 2, 2), data_format: Any = None) -> UpSampling:
    return UpSampling("UpSampling3D", 3, size, data_format)

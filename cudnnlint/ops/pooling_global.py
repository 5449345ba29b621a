"""Pooling to a fixed extent: GlobalMax/AveragePooling1D/2D/3D and their adaptive kin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arguments import check_data_format, check_extents
from cudnnlint.ops.arith import rank_mismatch, spread
from cudnnlint.ops.kernels.maths import reduce, widely_averaged
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, layer
from cudnnlint.ops.windows import NUMBERS, blank, refused_dtype, split, symbolic_dtype
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Stack, Tensor, Unknown, Where, is_integer

ADAPTIVE = {"": ">=3.13"}
ANY_FORMAT = Where(keras=">=3,<3.0.5")
"""Where a data_format that is not exactly "channels_last" is channels_first (base_global_pooling.py: __init__)."""


def mean_dtype(x: Tensor, call: LayerCall) -> Any:
    """Keras 3 averages integers as floats, Keras 2 only booleans (tf_keras/src/backend.py: mean)."""
    if call.stack.keras < (3,):
        return "float32" if x.dtype == "bool" else x.dtype
    return call.policy.compute if x.dtype == "bool" or is_integer(x.dtype) else symbolic_dtype(x, call)


@record(frozen=True, slots=True)
class GlobalPooling(SingleInput):
    """(N, *spatial, C) -> (N, C), or (N, *1, C) with keepdims (keras/src/layers/pooling/base_global_pooling.py)."""

    name: str
    axes: int
    data_format: Any = None
    keepdims: Any = False

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if not ANY_FORMAT.holds(stack):
            yield from check_data_format(self.data_format)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        average = self.name.startswith("GlobalAverage")
        dtype = mean_dtype(x, call) if average else symbolic_dtype(x, call)
        if wrong := rank_mismatch(x, self.axes + 2, self.name):
            return wrong
        if wrong := None if average else refused_dtype(x, call, self.name, NUMBERS):
            return wrong
        if isinstance(self.keepdims, Unknown):
            return x.with_(shape=self.keepdims, dtype=dtype)
        other = isinstance(self.data_format, str) and self.data_format != "channels_last"
        at = split(x, self.axes, "channels_first" if other and ANY_FORMAT.holds(call.stack) else self.data_format)
        if not self.keepdims:
            batch = Unknown("input rank") if isinstance(x.shape, Unknown) else x.shape[0]
            return x.with_(shape=(batch, at if isinstance(at, Unknown) else at.channel), dtype=dtype)
        if isinstance(at, Unknown):
            return blank(x, self.axes, dtype)
        return x.with_(shape=at.shape((1,) * self.axes, at.channel), dtype=dtype)

    def lower(self, at: Site) -> Value:
        if not self.name.startswith("GlobalAverage"):
            return reduce(at.tape, at.x, at.size(), "max")
        return widely_averaged(at.tape, at.x, at.size()) if at.stack.keras >= (3,) else reduce(
            at.tape, at.x, at.size(), "mean")


@record(frozen=True, slots=True)
class AdaptivePooling(SingleInput):
    """(N, *spatial, C) -> (N, *output_size, C) (keras/src/layers/pooling/base_adaptive_pooling.py)."""

    name: str
    axes: int
    output_size: Any
    data_format: Any = None

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        yield from check_extents("output_size", self.output_size, self.axes)
        yield from check_data_format(self.data_format)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        dtype = symbolic_dtype(x, call)
        at, size = split(x, self.axes, self.data_format), spread(self.output_size, self.axes)
        if x.rank is not None and x.rank != self.axes + 2:
            return Unknown(f"{self.name} does not check the rank of its input")
        if isinstance(at, Unknown) or isinstance(size, Unknown):
            return blank(x, self.axes, dtype)
        return x.with_(shape=at.shape(size, at.channel), dtype=dtype)

    def lower(self, at: Site) -> Value:
        return at.tape.run("kept", (at.x,), at.size())


@layer("keras.layers.GlobalMaxPooling1D", "keras.layers.GlobalMaxPool1D")
def global_max_pooling1d(data_format: Any = None, keepdims: Any = False) -> GlobalPooling:
    return GlobalPooling("GlobalMaxPooling1D", 1, data_format, keepdims)


@layer("keras.layers.GlobalMaxPooling2D", "keras.layers.GlobalMaxPool2D")
def global_max_pooling2d(data_format: Any = None, keepdims: Any = False) -> GlobalPooling:
    return GlobalPooling("GlobalMaxPooling2D", 2, data_format, keepdims)


@layer("keras.layers.GlobalMaxPooling3D", "keras.layers.GlobalMaxPool3D")
def global_max_pooling3d(data_format: Any = None, keepdims: Any = False) -> GlobalPooling:
    return GlobalPooling("GlobalMaxPooling3D", 3, data_format, keepdims)


@layer("keras.layers.GlobalAveragePooling1D", "keras.layers.GlobalAvgPool1D")
def global_average_pooling1d(data_format: Any = None, keepdims: Any = False) -> GlobalPooling:
    return GlobalPooling("GlobalAveragePooling1D", 1, data_format, keepdims)


@layer("keras.layers.GlobalAveragePooling2D", "keras.layers.GlobalAvgPool2D")
def global_average_pooling2d(data_format: Any = None, keepdims: Any = False) -> GlobalPooling:
    return GlobalPooling("GlobalAveragePooling2D", 2, data_format, keepdims)


@layer("keras.layers.GlobalAveragePooling3D", "keras.layers.GlobalAvgPool3D")
def global_average_pooling3d(data_format: Any = None, keepdims: Any = False) -> GlobalPooling:
    return GlobalPooling("GlobalAveragePooling3D", 3, data_format, keepdims)


@layer("keras.layers.AdaptiveMaxPooling1D", versions=ADAPTIVE)
def adaptive_max_pooling1d(output_size: Any, data_format: Any = None) -> AdaptivePooling:
    return AdaptivePooling("AdaptiveMaxPooling1D", 1, output_size, data_format)


@layer("keras.layers.AdaptiveMaxPooling2D", versions=ADAPTIVE)
def adaptive_max_pooling2d(output_size: Any, data_format: Any = None) -> AdaptivePooling:
    return AdaptivePooling("AdaptiveMaxPooling2D", 2, output_size, data_format)


@layer("keras.layers.AdaptiveMaxPooling3D", versions=ADAPTIVE)
def adaptive_max_pooling3d(output_size: Any, data_format: Any = None) -> AdaptivePooling:
    return AdaptivePooling("AdaptiveMaxPooling3D", 3, output_size, data_format)


@layer("keras.layers.AdaptiveAveragePooling1D", versions=ADAPTIVE)
def adaptive_average_pooling1d(output_size: Any, data_format: Any = None) -> AdaptivePooling:
    return AdaptivePooling("AdaptiveAveragePooling1D", 1, output_size, data_format)


@layer("keras.layers.AdaptiveAveragePooling2D", versions=ADAPTIVE)
def adaptive_average_pooling2d(output_size: Any, data_format: Any = None) -> AdaptivePooling:
    return AdaptivePooling("AdaptiveAveragePooling2D", 2, output_size, data_format)


@layer("keras.layers.AdaptiveAveragePooling3D", versions=ADAPTIVE)
def adaptive_average_pooling3d(output_size: Any, data_format: Any = None) -> AdaptivePooling:
    return AdaptivePooling("AdaptiveAveragePooling3D", 3, output_size, data_format)

"""Pooling over windows: MaxPooling1D/2D/3D, AveragePooling1D/2D/3D."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arguments import check_data_format, check_extents, check_padding, show
from cudnnlint.ops.arith import rank_mismatch
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, layer
from cudnnlint.ops.windows import FLOATS, NUMBERS, Window, blank, each, refused_dtype, split, symbolic_dtype
from cudnnlint.records import record
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Stack, Tensor, Unknown, Where

NO_STRIDE = 'ZeroDivisionError "division by zero" or InvalidArgumentError "Stride must be > 0"'
"""Constructors take it (keras/src/layers/pooling/base_pooling.py: BasePooling.__init__, allow_zero=True)."""


@record(frozen=True, slots=True)
class Pooling(SingleInput):
    """(N, *spatial, C) -> (N, *windowed, C) (keras/src/layers/pooling/base_pooling.py).

    given    False where the user left out a pool_size that Keras 3 requires
    """

    name: str
    window: Window
    data_format: Any = None
    average: bool = False
    given: bool = True

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        slide = self.window
        if not self.given:
            yield Mismatch(Problem.MISSING_ARGUMENT, f"{self.name} needs a pool_size", help="give pool_size=2",
                           error="TypeError \"missing 1 required positional argument: 'pool_size'\"",
                           argument="pool_size", where=Where(keras=">=3"))
        yield from check_extents("pool_size", slide.extent, slide.rank)
        for wrong in check_extents("strides", slide.strides, slide.rank):
            yield wrong if wrong.problem is not Problem.NON_POSITIVE else replace(wrong, error=NO_STRIDE, facts=(
                *wrong.facts, ("moment", "when the layer is called")))
        yield from check_padding(slide.padding, "valid", "same", "causal", where=Where(keras="<3"))
        yield from check_data_format(self.data_format)

    def _wrong_padding(self, x: Tensor, stack: Stack) -> Mismatch | None:
        """Keras 3 keeps any, and rejects it when it is called (operation_utils.py: compute_pooling_output_shape), upper
        case on symbolic tensors only, as TensorFlow takes that; Keras 2 takes "causal" until then, too
        (tf_keras/src/utils/conv_utils.py: normalize_padding).
        """
        padding = self.window.padding
        if stack.keras < (3,) and not (isinstance(padding, str) and padding.lower() == "causal"):
            return None
        if isinstance(padding, Unknown) or padding in ("valid", "same"):
            return None
        said = 'ValueError "Argument `padding` must be either \'valid\' or \'same\'"'
        lower = isinstance(padding, str) and padding.lower() in ("valid", "same")
        if lower and x.kind != "keras":
            return None
        return Mismatch(Problem.INVALID_ARGUMENT, f'padding is {show(padding)}, not "valid" or "same"',
                        help="write padding in lower case" if lower else 'padding must be "valid" or "same"',
                        argument="padding", error=said if stack.keras >= (3,) else "ValueError",
                        where=Where(keras=">=3") if lower else EVERYWHERE)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        rank = self.window.rank
        dtype = symbolic_dtype(x, call)
        if wrong := rank_mismatch(x, rank + 2, self.name):
            return wrong
        if wrong := self._wrong_padding(x, call.stack):
            return wrong
        at = split(x, rank, self.data_format)
        if isinstance(at, Unknown):
            return blank(x, rank, dtype)
        if wrong := refused_dtype(x, call, self.name, self._dtypes()):
            return wrong
        after = self.window.over(at.spatial)
        out = x.with_(shape=at.shape(after, at.channel), dtype=dtype)
        return self.window.reject(at, after, out, call, (3, 15)) or out

    def _dtypes(self) -> tuple[str, ...]:
        """What the ops take (tensorflow/core/ops/nn_ops.cc: AvgPool, MaxPool, MaxPool3D)."""
        if self.average:
            return FLOATS
        return ("float16", "bfloat16", "float32") if self.window.rank == 3 else NUMBERS

    def lower(self, at: Site) -> Value:
        """A window of one is a kernel like the others op by op, and a slice to XLA."""
        extents, strides = (each(value, self.window.rank) for value in (self.window.extent, self.window.strides))
        kind = "average_pool" if self.average else "sample_pool" if set(extents) == {1} else "max_pool"
        done = at.tape.run(kind, (at.x,), at.size())
        if kind == "max_pool" and self.window.rank < 3:
            at.tape.sought.add(done.index)
        if kind == "max_pool" and self.window.rank == 1:
            at.tape.lines.add(done.index)
        if kind == "max_pool" and any(isinstance(extent, int) and isinstance(stride, int) and extent > stride
                                      for extent, stride in zip(extents, strides, strict=True)):
            at.tape.overlaps.add(done.index)
        return done


def _pooling(name: str, rank: int, pool_size: Any, strides: Any, padding: Any, data_format: Any) -> Pooling:
    given = pool_size is not None or name.startswith("Max")
    extent = pool_size if given else 2
    window = Window(rank, extent, extent if strides is None else strides, padding, word="pool_size")
    return Pooling(name, window, data_format, name.startswith("Average"), given)


@layer("keras.layers.MaxPooling1D", "keras.layers.MaxPool1D")
def max_pooling1d(pool_size: Any = 2, strides: Any = None, padding: Any = "valid", data_format: Any = None,
                  name: Any = None) -> Pooling:
    return _pooling("MaxPooling1D", 1, pool_size, strides, padding, data_format)


@layer("keras.layers.MaxPooling2D", "keras.layers.MaxPool2D")
def max_pooling2d(pool_size: Any = (2, 2), strides: Any = None, padding: Any = "valid",
                  data_format: Any = None, name: Any = None) -> Pooling:
    return _pooling("MaxPooling2D", 2, pool_size, strides, padding, data_format)


@layer("keras.layers.MaxPooling3D", "keras.layers.MaxPool3D")
def max_pooling3d(pool_size: Any = (2, 2, 2), strides: Any = None, padding: Any = "valid",
                  data_format: Any = None, name: Any = None) -> Pooling:
    return _pooling("MaxPooling3D", 3, pool_size, strides, padding, data_format)


# Keras 3 requires the pool_size that Keras 2 takes to be 2: None stands for one left out


@layer("keras.layers.AveragePooling1D", "keras.layers.AvgPool1D")
def average_pooling1d(pool_size: Any = None, strides: Any = None, padding: Any = "valid", data_format: Any = None,
                      name: Any = None) -> Pooling:
    return _pooling("AveragePooling1D", 1, pool_size, strides, padding, data_format)


@layer("keras.layers.AveragePooling2D", "keras.layers.AvgPool2D")
def average_pooling2d(pool_size: Any = None, strides: Any = None, padding: Any = "valid",
                      data_format: Any = None, name: Any = None) -> Pooling:
    return _pooling("AveragePooling2D", 2, pool_size, strides, padding, data_format)


@layer("keras.layers.AveragePooling3D", "keras.layers.AvgPool3D")
def average_pooling3d(pool_size: Any = None, strides: Any = None, padding: Any = "valid",
                      data_format: Any = None, name: Any = None) -> Pooling:
    return _pooling("AveragePooling3D", 3, pool_size, strides, padding, data_format)

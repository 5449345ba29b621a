"""Layers that only act while training: dropout, noise and activity regularisation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from cudnnlint.ops.arguments import check_data_format, show
from cudnnlint.ops.arith import is_known, rank_mismatch
from cudnnlint.ops.elementwise import Elementwise, Integers, between
from cudnnlint.ops.kernels import maths
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, layer
from cudnnlint.records import record
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Stack, Tensor, Where

KERAS_3 = Where(keras=">=3")


@record(frozen=True, slots=True)
class Noise(Elementwise):
    """Dropout and noise layers: one number in [0, 1] where the library insists on it."""

    argument: str
    value: Any
    where: Where = EVERYWHERE
    noise_shape: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from between(self.argument, self.value, where=self.where)
        yield from _check_text(self.argument, self.value, self.where)
        yield from _check_noise_shape(self.noise_shape)

    def lower(self, at: Site) -> Value:
        """Only Dropout keeps a mask; the noise of the others is added or multiplied."""
        x, t = at.x, at.tape
        if not at.training:
            return x
        if not self.value or self.noise_shape is not None:
            return x if not self.value else maths.dropout(t, x, t.size((*at.shape()[:1], 1), x.size.item))
        if at.kind == "Dropout":
            return maths.dropout(t, x)
        return maths.binary(t, "add" if at.kind == "GaussianNoise" else "mul", x, maths.random(t, x.size))


@record(frozen=True, slots=True)
class SpatialDropout(SingleInput):
    """Drops whole feature maps: needs exactly rank + 2 axes (keras/src/layers/regularization/spatial_dropout.py)."""

    rank: int
    rate: Any
    data_format: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from between("rate", self.rate)
        yield from _check_text("rate", self.rate)
        yield from check_data_format(self.data_format)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        name = f"SpatialDropout{self.rank}D"
        return rank_mismatch(x, self.rank + 2, name) or Noise("rate", self.rate).output(x, call)

    def lower(self, at: Site) -> Value:
        """A mask for each map."""
        channel = at.shape()[1 if self.data_format == "channels_first" else -1]
        if not self.rate or not at.training:
            return at.x
        return maths.dropout(at.tape, at.x, at.tape.size((at.shape()[0], channel), at.item))


class ActivityRegularization(Elementwise):
    """The regulariser multiplies its input by floats."""

    __slots__ = ()
    integers: ClassVar[Integers] = Integers.REFUSED

    def lower(self, at: Site) -> Value:
        return at.x


def _check_text(name: str, value: Any, where: Where = EVERYWHERE) -> Iterator[Mismatch]:
    """`Dropout("0.5")`, which Keras 2 compares with nothing before it drops."""
    if isinstance(value, str):
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is the text {value!r}", argument=name, where=KERAS_3,
                       help=f"{name} is a number",
                       error="TypeError \"'<=' not supported between instances of 'int' and 'str'\"")


def _check_noise_shape(noise_shape: Any) -> Iterator[Mismatch]:
    """Positive integers or None (keras/src/layers/regularization/dropout.py: _validate_noise_shape, since 3.13)."""
    given = noise_shape if isinstance(noise_shape, (list, tuple)) else ()
    wrong = [item for item in given if is_known(item) and item <= 0]
    if wrong:
        yield Mismatch(Problem.INVALID_ARGUMENT, f"noise_shape {show(noise_shape)} has an extent of {wrong[0]}",
                       help="every extent must be a positive integer, or None for the input's", argument="noise_shape",
                       error='ValueError "Invalid value received for argument `noise_shape`"',
                       where=Where(keras=">=3.13"))


@layer("keras.layers.Dropout")
def dropout(rate: Any, noise_shape: Any = None, seed: Any = None) -> Noise:
    return Noise("rate", rate, EVERYWHERE, noise_shape)


@layer("keras.layers.GaussianDropout", versions={"seed": ">=2.7"})
def gaussian_dropout(rate: Any, seed: Any = None) -> Noise:
    return Noise("rate", rate, KERAS_3)


@layer("keras.layers.AlphaDropout", versions={"": "<3|>=3.0.2"})
def alpha_dropout(rate: Any, noise_shape: Any = None, seed: Any = None) -> Noise:
    return Noise("rate", rate, KERAS_3)


@layer("keras.layers.GaussianNoise", versions={"seed": ">=2.7"})
def gaussian_noise(stddev: Any, seed: Any = None) -> Noise:
    return Noise("stddev", stddev, KERAS_3)


@layer("keras.layers.SpatialDropout1D", versions={"noise_shape": "<3"})
def spatial_dropout1d(rate: Any, seed: Any = None, *, noise_shape: Any = None) -> SpatialDropout:
    return SpatialDropout(1, rate)


@layer("keras.layers.SpatialDropout2D", versions={"noise_shape": "<3"})
def spatial_dropout2d(rate: Any, data_format: Any = None, seed: Any = None, *,
                      noise_shape: Any = None) -> SpatialDropout:
    return SpatialDropout(2, rate, data_format)


@layer("keras.layers.SpatialDropout3D", versions={"noise_shape": "<3"})
def spatial_dropout3d(rate: Any, data_format: Any = None, seed: Any = None, *,
                      noise_shape: Any = None) -> SpatialDropout:
    return SpatialDropout(3, rate, data_format)


@layer("keras.layers.ActivityRegularization")
def activity_regularization(l1: Any = 0.0, l2: Any = 0.0) -> ActivityRegularization:
    return ActivityRegularization()

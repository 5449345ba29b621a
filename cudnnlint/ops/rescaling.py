"""Feature-wise scaling: Rescaling and Normalization."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from cudnnlint.ops.arguments import show
from cudnnlint.ops.arith import is_known, product
from cudnnlint.ops.axes import free_axis, positions
from cudnnlint.ops.kernels.maths import scale, shift
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.preprocessing import preprocessing
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where

BY_RESHAPE = Where(keras=">=3,<3.8")
"""Where a given mean is reshaped to the axes, not broadcast (keras/.../preprocessing/normalization.py: build)."""


@record(frozen=True, slots=True)
class Rescaling(SingleInput):
    """Shape in, shape out; integers become floats. A list of factors broadcasts against the last axis."""

    stacks: ClassVar[bool] = True
    scale: Any
    offset: Any = 0.0

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        done = x.with_(dtype=call.policy.compute)
        for name, value in (("scale", self.scale), ("offset", self.offset)):
            size = _length(value)
            last = done.shape[-1] if isinstance(done.shape, tuple) and done.shape else None
            if size is None or size in (1, last):
                continue
            if not isinstance(last, int) or isinstance(size, Unknown) or call.stack.keras >= (3,):
                return x.with_(shape=Unknown(f"{name} is a list"), dtype=call.policy.compute)
            if last != 1:
                return Mismatch(Problem.BROADCAST, f"{name} has {size} values, the last axis of {x} has {last}",
                                where=Where(keras="<3"), argument=name, help=f"give one value, or {last} of them",
                                error=f'ValueError "Dimensions must be equal, but are {last} and {size}"')
            assert isinstance(done.shape, tuple)
            done = done.with_(shape=(*done.shape[:-1], size))
        return done

    def lower(self, at: Site) -> Value:
        return shift(at.tape, scale(at.tape, at.x))


def _length(value: Any) -> int | Unknown | None:
    """How many values a factor has; None for a single one."""
    if isinstance(value, (list, tuple)):
        return len(value) if not any(isinstance(item, (list, tuple)) for item in value) else Unknown("nested list")
    if isinstance(value, Tensor) and value.shape != ():
        size = value.shape[0] if isinstance(value.shape, tuple) and len(value.shape) == 1 else None
        return size if isinstance(size, int) else Unknown("a tensor of factors")
    return value if isinstance(value, Unknown) else None


@record(frozen=True, slots=True)
class Normalization(SingleInput):
    """Shape in, shape out; adapted mean, variance and count unless they are given.

    keras/src/layers/preprocessing/normalization.py: build
    """

    axis: Any = -1
    mean: Any = None
    variance: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if (self.mean is None) != (self.variance is None):
            name, other = ("variance", "mean") if self.variance is None else ("mean", "variance")
            yield Mismatch(Problem.INVALID_ARGUMENT, f"{other} is given without {name}", argument=name,
                           help="give both, or neither and call adapt",
                           error='ValueError "When setting values directly, both `mean` and `variance` must be set"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        places = self._places(x)
        if isinstance(places, Mismatch):
            return places
        if isinstance(places, tuple) and isinstance(x.shape, tuple):
            wrong = free_axis(places, x, "Normalization") or self._uneven(places, x)
            if wrong:
                return wrong
            if BY_RESHAPE.holds(call.stack) and (wrong := self._single(places, x.shape, x)):
                return wrong
        return x.with_(dtype=call.policy.compute)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        places = self._places(x)
        if isinstance(self.mean, Unknown) or not isinstance(places, tuple) or isinstance(x.shape, Unknown):
            return Unknown("axis or mean")
        if self.mean is not None:
            return ()
        shape = tuple(x.shape[place] for place in sorted(places))
        return (Weight("mean", shape, trainable=False), Weight("variance", shape, trainable=False),
                Weight("count", (), trainable=False))

    def _places(self, x: Tensor) -> tuple[int, ...] | Unknown | Mismatch:
        return () if self.axis is None else positions(self.axis, x, "Normalization")

    def _single(self, places: tuple[int, ...], shape: Shape, x: Tensor) -> Mismatch | None:
        """One mean for several extents."""
        extents = product(shape[place] for place in places)
        if self.mean is None or _length(self.mean) not in (None, 1) or not isinstance(extents, int) or extents == 1:
            return None
        return Mismatch(Problem.CHANNELS, f"mean has 1 value, axis {show(self.axis)} of {x} has {extents}",
                        argument="mean", help=f"give {extents} values, axis=None, or use Keras 3.8 or newer",
                        error='InvalidArgumentError "Input to reshape is a tensor with 1 values"', where=BY_RESHAPE,
                        facts=(("expected", 1), ("actual", extents)))

    def _uneven(self, places: tuple[int, ...], x: Tensor) -> Mismatch | None:
        size = _length(self.mean) if self.mean is not None else None
        extent = x.shape[places[0]] if len(places) == 1 and isinstance(x.shape, tuple) else None
        if not is_known(size) or not is_known(extent) or size in (1, extent):
            return None
        return Mismatch(Problem.CHANNELS, f"mean has {size} values, axis {show(self.axis)} of {x} has {extent}",
                        argument="mean", help=f"give one value, or {extent} of them",
                        error=f'ValueError "operands could not be broadcast together with shapes ({size},) '
                              f'({extent},)"',
                        facts=(("expected", size), ("actual", extent)))

    def lower(self, at: Site) -> Value:
        return scale(at.tape, shift(at.tape, at.x))


@preprocessing("Rescaling")
def rescaling(scale: Any, offset: Any = 0.0) -> Rescaling:
    return Rescaling(scale, offset)


@preprocessing("Normalization", versions={"invert": ">=2.10"})
def normalization(axis: Any = -1, mean: Any = None, variance: Any = None, invert: Any = False) -> Normalization:
    return Normalization(axis, mean, variance)

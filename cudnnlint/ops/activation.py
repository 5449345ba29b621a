"""Activation layers: Activation by name, ReLU, LeakyReLU, PReLU, ELU, ThresholdedReLU and Softmax."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from cudnnlint.ops.activation_names import check_activation
from cudnnlint.ops.arith import is_known, normalise_axis
from cudnnlint.ops.elementwise import Elementwise, Integers, computed, kept, not_negative, refused
from cudnnlint.ops.kernels.activations import activated, softmax_over
from cudnnlint.ops.kernels.maths import add, multiply, unary
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import NotSized, Value
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Stack, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim
from cudnnlint.values.tensor import is_integer

KERAS_2 = Where(keras="<3")
KERAS_3 = Where(keras=">=3")


@record(frozen=True, slots=True)
class Activation(Elementwise):
    """Shape in, shape out, but for glu, which halves the last axis when it runs."""

    activation: Any

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return check_activation(self.activation)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if self.activation in ("linear", None):
            return x.with_(dtype=kept(x, call))
        if self.activation == "glu":
            return Unknown("glu halves an axis")
        if not isinstance(self.activation, str | Unknown):
            done = call.apply(self.activation, x)
            if isinstance(done, Tensor) and isinstance(done.shape, tuple):
                return done.with_(dtype=call.policy.compute) if call.stack.keras >= (3,) else done
            return x.with_(dtype=computed(x, call) if call.stack.keras >= (3,) else Unknown("activation function"))
        wrong = refused(x, call, f"the activation {self.activation}")
        if wrong and (self.activation != "relu" or x.dtype == "bool"):
            return wrong
        if self.activation == "softmax" and call.stack.keras < (3,) and x.rank is not None and x.rank < 2:
            return Mismatch(Problem.RANK, f"softmax needs at least 2 axes, its input has {x.rank}: {x}",
                            error='ValueError "Cannot apply softmax to a tensor that is 1D"', where=KERAS_2)
        return x.with_(dtype=kept(x, call) if self.activation == "relu" else computed(x, call))

    def lower(self, at: Site) -> Value:
        if isinstance(self.activation, Unknown):
            raise NotSized("an activation that is not known")
        if not isinstance(self.activation, str | None) and not hasattr(self.activation, "path"):
            made: Value = at.call(self.activation, at)
            return made
        return activated(at.tape, at.x, self.activation)


@record(frozen=True, slots=True)
class Rectifier(Elementwise):
    """ReLU and its relatives: their constants must not be negative.

    numbers  (name, value, where a negative one is refused, where None is refused or None)
    """

    numbers: tuple[tuple[str, Any, Where, Where | None], ...]

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        for name, value, where, none in self.numbers:
            yield from not_negative(name, value, where=where, none=none)

    def _values(self) -> Iterator[Any]:
        return (value for _, value, _, _ in self.numbers)


class ReLU(Rectifier):
    __slots__ = ()

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := _bool_refused(x, call, "ReLU"):
            return wrong
        if call.stack.keras < (3,) and is_integer(x.dtype) and any(self._values()):
            return x.with_(dtype=Unknown("ReLU of integers"))
        return super().output(x, call)

    def lower(self, at: Site) -> Value:
        """With a slope below zero the input is kept, else the output."""
        kind = "leaky_relu" if at.given("negative_slope") else "relu6" if at.given("max_value") == 6 else "relu"
        return unary(at.tape, kind, at.x)


class LeakyReLU(Rectifier):
    """tf.nn.leaky_relu turns integers into float32."""

    __slots__ = ()

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if call.stack.keras < (3,) and is_integer(x.dtype):
            return x.with_(dtype="float32" if all(self._values()) else Unknown("LeakyReLU of integers"))
        return _bool_refused(x, call, "LeakyReLU") or x.with_(dtype=computed(x, call))

    def lower(self, at: Site) -> Value:
        return unary(at.tape, "leaky_relu", at.x)


class ELU(Rectifier):
    __slots__ = ()
    integers: ClassVar[Integers] = Integers.REFUSED

    def lower(self, at: Site) -> Value:
        return unary(at.tape, "elu", at.x)


class ThresholdedReLU(Rectifier):
    __slots__ = ()
    integers: ClassVar[Integers] = Integers.REFUSED

    def lower(self, at: Site) -> Value:
        mask = at.tape.run("cast", (at.tape.run("compare", (at.x,), at.x.size.of(1)),), at.x.size)
        return multiply(at.tape, at.x, mask)


@record(frozen=True, slots=True)
class PReLU(Elementwise):
    """One slope per element of a sample; axes in shared_axes share theirs (keras/src/layers/activations/prelu.py)."""

    integers: ClassVar[Integers] = Integers.REFUSED
    shared_axes: Any = None

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(x.shape, tuple):
            slopes = self._slopes(x.shape)
            if isinstance(slopes, Mismatch):
                return slopes
            if isinstance(slopes, tuple) and any(isinstance(size, Symbol) for size in slopes):
                axes = ", ".join(str(axis) for axis, size in enumerate(slopes, 1) if isinstance(size, Symbol))
                return Mismatch(Problem.FEATURE_UNKNOWN, f"PReLU keeps a slope for every element, axis {axes} of {x} "
                                                         f"is None", argument="shared_axes",
                                help="share the slopes along it: shared_axes=[1, 2] for images",
                                error='ValueError "Cannot convert \'None\' to a shape"')
        return super().output(x, call)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        slopes = self._slopes(x.shape) if isinstance(x.shape, tuple) else x.shape
        return (Weight("alpha", slopes),) if isinstance(slopes, tuple) else Unknown("slopes")

    def _slopes(self, shape: tuple[Dim, ...]) -> tuple[Dim, ...] | Unknown | Mismatch:
        shared = self.shared_axes if isinstance(self.shared_axes, (list, tuple)) else (self.shared_axes,)
        slopes = list(shape[1:])
        for axis in () if self.shared_axes is None else shared:
            if not is_known(axis):
                return Unknown("shared_axes")
            if not -len(slopes) < axis <= len(slopes):
                return Mismatch(Problem.AXIS, f"shared_axes {axis} is not an axis of an input of {len(shape)} axes",
                                error='IndexError "list assignment index out of range"', argument="shared_axes",
                                facts=(("axis", axis), ("rank", len(shape))))
            slopes[axis - 1] = 1
        return tuple(slopes)

    def lower(self, at: Site) -> Value:
        """keras/src/layers/activations/prelu.py: call, relu(x) - alpha * relu(-x)."""
        t, x = at.tape, at.x
        above = unary(t, "relu", x)
        below = multiply(t, unary(t, "neg", at.weight("alpha")), unary(t, "relu", unary(t, "neg", x)))
        return add(t, above, below)


@record(frozen=True, slots=True)
class Softmax(Elementwise):
    """Along one axis or several, which the input must have."""

    integers: ClassVar[Integers] = Integers.REFUSED
    axis: Any = -1

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        for axis in self._axes() if x.rank is not None else ():
            if normalise_axis(axis, x.rank or 0) is None:
                return Mismatch(Problem.AXIS, f"Softmax along axis {axis} of an input of {x.rank} axes: {x}",
                                error='"axis" is out of bounds, when it runs', argument="axis",
                                help="axis=-1 is the last one", facts=(("axis", axis), ("rank", x.rank)))
        return super().output(x, call)

    def _axes(self) -> Iterator[int]:
        for axis in self.axis if isinstance(self.axis, (list, tuple)) else (self.axis,):
            if is_known(axis):
                yield axis

    def lower(self, at: Site) -> Value:
        last = self.axis in (-1, len(at.shape()) - 1)
        return activated(at.tape, at.x, "softmax") if last else softmax_over(at.tape, at.x)


def _bool_refused(x: Tensor, call: LayerCall, name: str) -> Mismatch | None:
    return refused(x, call, name) if x.dtype == "bool" else None


@layer("keras.layers.Activation")
def activation(activation: Any) -> Activation:
    return Activation(activation)


@layer("keras.layers.ReLU")
def relu(max_value: Any = None, negative_slope: Any = 0.0, threshold: Any = 0.0) -> ReLU:
    return ReLU((("max_value", max_value, EVERYWHERE, None),
                 ("negative_slope", negative_slope, EVERYWHERE, EVERYWHERE),
                 ("threshold", threshold, EVERYWHERE, EVERYWHERE)))


@layer("keras.layers.LeakyReLU", versions={"negative_slope": ">=3"})
def leaky_relu(negative_slope: Any = 0.3, alpha: Any = 0.3) -> LeakyReLU:
    return LeakyReLU((("negative_slope", negative_slope, KERAS_3, KERAS_3), ("alpha", alpha, KERAS_3, EVERYWHERE)))


@layer("keras.layers.ELU")
def elu(alpha: Any = 1.0) -> ELU:
    return ELU((("alpha", 1.0 if alpha is not None else None, EVERYWHERE, KERAS_2),))


@layer("keras.layers.ThresholdedReLU", versions={"": "<3"})
def thresholded_relu(theta: Any = 1.0) -> ThresholdedReLU:
    return ThresholdedReLU((("theta", theta, EVERYWHERE, EVERYWHERE),))


@layer("keras.layers.PReLU")
def prelu(alpha_initializer: Any = "Zeros", alpha_regularizer: Any = None, alpha_constraint: Any = None,
          shared_axes: Any = None) -> PReLU:
    return PReLU(shared_axes)


@layer("keras.layers.Softmax", versions={"robust_masking": "<3"})
def softmax(axis: Any = -1, robust_masking: Any = False) -> Softmax:
    return Softmax(axis)

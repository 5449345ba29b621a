"""Normalisation within a sample: LayerNormalization, RMSNormalization, GroupNormalization and UnitNormalization."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

from cudnnlint.ops.arguments import show
from cudnnlint.ops.arith import is_known
from cudnnlint.ops.axes import free_axis, positions, repeated
from cudnnlint.ops.elementwise import Elementwise, Integers, refused
from cudnnlint.ops.kernels.maths import add, cast, moments, multiply, reduce, standardized, unary
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown, Where

SORTED = (3, 14)
"""The Keras since which axes are sorted before they shape the weights (layer_normalization.py: build)."""


@record(frozen=True, slots=True)
class LayerNormalization(SingleInput):
    """Shape in, shape out; the named weights have the extents of `axis`.

    weights  (name, switch): gamma and beta, or scale for RMSNormalization
    """

    name: str
    axis: Any
    named: tuple[tuple[str, Any], ...]

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if self.axis is None or isinstance(self.axis, (str, float)):
            yield _no_axis(self.axis)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        places = positions(self.axis, x, self.name)
        if isinstance(places, Mismatch):
            return places
        if isinstance(places, tuple) and (wrong := self._wrong(places, x, call)):
            return wrong
        return x.with_(dtype=call.policy.compute)

    def _wrong(self, places: tuple[int, ...], x: Tensor, call: LayerCall) -> Mismatch | None:
        if call.stack.keras < (3,) and (twice := repeated(self.axis, places)):
            return twice
        kept = any(switch and not isinstance(switch, Unknown) for _, switch in self.named)
        return free_axis(places, x, self.name) if kept else None

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        places = positions(self.axis, x, self.name)
        if not isinstance(places, tuple) or isinstance(x.shape, Unknown):
            return Unknown("axis")
        if call.stack.keras >= SORTED and isinstance(self.axis, (list, tuple)):
            places = tuple(place for _, place in sorted(zip(self.axis, places, strict=True)))
        for _, switch in self.named:
            if isinstance(switch, Unknown):
                return switch
        extents = tuple(x.shape[place] for place in places)
        return tuple(Weight(name, extents) for name, switch in self.named if switch)

    def lower(self, at: Site) -> Value:
        """Keras 3 multiplies the factor of each row by gamma into a tensor of the input's size, and keeps it
        (keras/src/ops/nn.py: _layer_normalization)."""
        t, wide = at.tape, cast(at.tape, at.x, max(4, at.item))
        rows = at.rows(self.axis)
        offset, factor = at.weights.get("beta"), at.weights.get("gamma")
        if at.stack.keras < (3,) and _is_fused(at.given("epsilon", 1e-3)):
            made = t.run("kept", (at.x,), at.size())
            made = multiply(t, made, factor) if factor is not None else made
            return add(t, made, offset) if offset is not None else made
        if self.name == "RMSNormalization":
            made = multiply(t, wide, unary(t, "rsqrt", reduce(t, t.run("square", (wide,), wide.size), rows, "mean")))
            return cast(t, multiply(t, made, at.weights["scale"]) if "scale" in at.weights else made, at.item)
        mean, variance = moments(t, wide, rows)
        return cast(t, standardized(t, wide, mean, variance, offset, factor, wide.size), at.item)


def _is_fused(epsilon: object) -> bool:
    """Whether a kernel for batches normalises the rows of Keras 2, which raises what is less than so much
    (tf_keras/src/layers/normalization/layer_normalization.py: _fused_can_be_used)."""
    return not isinstance(epsilon, int | float) or epsilon >= 1.001e-5


@record(frozen=True, slots=True)
class GroupNormalization(SingleInput):
    """Shape in, shape out; `groups` must divide the extent of `axis`, -1 stands for that extent.

    keras/src/layers/normalization/group_normalization.py: build
    """

    groups: Any = 32
    axis: Any = -1
    center: Any = True
    scale: Any = True

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if is_known(self.groups) and (self.groups < -1 or self.groups == 0):
            yield Mismatch(Problem.GROUPS, f"groups is {self.groups}", argument="groups",
                           help="groups must be a positive integer, or -1 for instance normalisation",
                           error='ValueError "Received an invalid value for argument `groups`"',
                           where=Where(keras=">=3.15"))

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        places = positions(self.axis, x, "GroupNormalization")
        if isinstance(places, Mismatch):
            return places
        if isinstance(places, tuple) and isinstance(x.shape, tuple) and len(places) == 1:
            wrong = free_axis(places, x, "GroupNormalization") or self._indivisible(x.shape[places[0]], x)
            if wrong:
                return wrong
        return refused(x, call, "GroupNormalization") or x.with_(dtype=call.policy.compute)

    def _indivisible(self, size: Any, x: Tensor) -> Mismatch | None:
        if not is_known(size) or not is_known(self.groups) or self.groups == -1:
            return None
        if self.groups > 0 and size % self.groups == 0 and size >= self.groups:
            return None
        divisors = [count for count in range(1, min(size, 512) + 1) if size % count == 0]
        near = min(divisors, key=lambda count: abs(count - self.groups), default=1)
        text = "cannot be more than the number of channels" if size < self.groups else \
            "must be a multiple of the number of channels"
        return Mismatch(Problem.GROUPS, f"groups {self.groups} does not divide the {size} channels of {x}",
                        argument="groups", help=f"groups={near} does",
                        error=f'ValueError "Number of groups ({self.groups}) {text} ({size})"',
                        facts=(("groups", self.groups), ("channels", size)))

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return LayerNormalization("GroupNormalization", self.axis, (("gamma", self.scale), ("beta", self.center))
                                  ).variables(x, call)

    def lower(self, at: Site) -> Value:
        t, wide = at.tape, cast(at.tape, at.x, max(4, at.item))
        groups = at.shape()[-1] if self.groups == -1 else self.groups
        mean, variance = moments(t, wide, t.size((at.shape()[0], groups), 4))
        return cast(t, standardized(t, wide, mean, variance, at.weights.get("beta"), at.weights.get("gamma"),
                                    t.size((at.shape()[0], at.shape()[-1]), 4)), at.item)


@record(frozen=True, slots=True)
class UnitNormalization(Elementwise):
    """Shape in, shape out, without weights."""

    integers: ClassVar[Integers] = Integers.CAST
    axis: Any = -1

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if self.axis is None or isinstance(self.axis, (str, float)):
            yield _no_axis(self.axis)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        places = positions(self.axis, x, "UnitNormalization")
        if isinstance(places, Mismatch):
            # until Keras 3.5 compute_output_shape lets every axis pass
            late = x.kind == "keras" and (3,) <= call.stack.keras < (3, 6)
            return replace(places, otherwise=x.with_(dtype=call.policy.compute)) if late else places
        twice = repeated(self.axis, places) if isinstance(places, tuple) and call.stack.keras < (3,) else None
        return twice or super().output(x, call)

    def lower(self, at: Site) -> Value:
        square = at.tape.run("square", (at.x,), at.x.size)
        return multiply(at.tape, at.x, unary(at.tape, "rsqrt", reduce(at.tape, square, at.rows(at.given("axis", -1)))))


def _no_axis(axis: Any) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f"axis is {show(axis)}, not an integer or a list of integers",
                    argument="axis", help="axis=-1 is the last one",
                    error=f'TypeError "Expected an int or a list/tuple of ints for the argument \'axis\', but '
                          f'received: {axis}"')


@layer("keras.layers.LayerNormalization", versions={"rms_scaling": ">=3", "rms_scaling=": ">=3.11"})
def layer_normalization(axis: Any = -1, epsilon: Any = 1e-3, center: Any = True, scale: Any = True,
                        rms_scaling: Any = False, beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
                        beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
                        gamma_constraint: Any = None) -> LayerNormalization:
    named = (("gamma", scale), ("beta", center))
    if isinstance(rms_scaling, Unknown):
        named = (("gamma", rms_scaling), ("beta", rms_scaling))
    elif rms_scaling:
        named = (("gamma", True), ("beta", False))
    return LayerNormalization("LayerNormalization", axis, named)


@layer("keras.layers.RMSNormalization", versions={"": ">=3.9"})
def rms_normalization(axis: Any = -1, epsilon: Any = 1e-6) -> LayerNormalization:
    return LayerNormalization("RMSNormalization", axis, (("scale", True),))


@layer("keras.layers.GroupNormalization", versions={"": ">=2.11"})
def group_normalization(groups: Any = 32, axis: Any = -1, epsilon: Any = 1e-3, center: Any = True, scale: Any = True,
                        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
                        beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
                        gamma_constraint: Any = None) -> GroupNormalization:
    return GroupNormalization(groups, axis, center, scale)


@layer("keras.layers.UnitNormalization", versions={"": ">=2.9"})
def unit_normalization(axis: Any = -1) -> UnitNormalization:
    return UnitNormalization(axis)

"""Layers that return what they are given: Identity and Masking."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.ops.elementwise import Elementwise, Integers
from cudnnlint.ops.kernels.maths import scale
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class Identity:
    """Any structure, unchanged, dtype and all (keras/src/layers/core/identity.py: compute_output_spec)."""

    def check(self, stack: Stack) -> tuple[Mismatch, ...]:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        return call.inputs if _is_structure(call.inputs) else Unknown("inputs are not tensors")

    def weights(self, call: LayerCall) -> tuple[Weight, ...]:
        return ()

    def lower(self, at: Site) -> Value:
        return at.x


def _is_structure(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return bool(value) and all(map(_is_structure, value))
    if isinstance(value, dict):
        return bool(value) and all(map(_is_structure, value.values()))
    return isinstance(value, Tensor | Unknown)


@record(frozen=True, slots=True)
class Masking(Elementwise):
    """Compares with mask_value along the last axis, a float by default."""

    integers: ClassVar[Integers] = Integers.REFUSED
    mask_value: Any = 0.0

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if x.rank == 0:
            return Mismatch(Problem.RANK, "Masking needs an axis to look along, its input is a scalar")
        if call.stack.keras < (3,) and not isinstance(self.mask_value, float):
            return x
        return super().output(x, call)

    def lower(self, at: Site) -> Value:
        """Multiplied by what is masked: no gradient reads the input."""
        return scale(at.tape, at.x)


@layer("keras.layers.Identity", versions={"": ">=2.12"})
def identity() -> Identity:
    return Identity()


@layer("keras.layers.Masking")
def masking(mask_value: Any = 0.0) -> Masking:
    return Masking(mask_value)

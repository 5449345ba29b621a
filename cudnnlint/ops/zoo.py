"""Layers that belong to keras.applications alone: they stand in its models, programs do not make them."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.kernels.maths import add, binary, multiply, random, scale
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import FUNCTIONS, LayerCall, Outcome, SingleInput, Weight
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Stack, Tensor, Unknown
from cudnnlint.values.tensor import tensors


@record(frozen=True, slots=True)
class StochasticDepth(SingleInput):
    """Drops whole samples of the batch in training (keras/src/applications/convnext.py: StochasticDepth)."""

    drop_path_rate: Any = 0.0

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return x.with_(dtype=call.policy.compute)

    def lower(self, at: Site) -> Value:
        """Each sample is kept or not: a factor for each."""
        return binary(at.tape, "mul", at.x, random(at.tape, at.tape.size((at.shape()[0],), at.item)))


@record(frozen=True, slots=True)
class LayerScale(SingleInput):
    """A learnt factor for each channel (keras/src/applications/convnext.py: LayerScale)."""

    projection_dim: Any

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return x.with_(dtype=call.policy.compute)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...]:
        return (Weight("gamma", (self.projection_dim,)),)

    def lower(self, at: Site) -> Value:
        return multiply(at.tape, at.x, at.weight("gamma"))


@record(frozen=True, slots=True)
class Arithmetic:
    """An operator on one tensor and a number, or on two tensors that broadcast.

    `x + y` and `x * y` in the source of a model: an operation in Keras 3, a TFOpLambda layer in Keras 2. The scaled
    sum of keras/src/applications/inception_resnet_v2.py: CustomScaleLayer has the same shapes.
    """

    symbol: str

    def check(self, stack: Stack) -> tuple[Mismatch, ...]:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        found = tensors(call.inputs)
        if len(found) not in (1, 2):
            return Unknown("arithmetic of unknown tensors")
        outcome: Outcome = FUNCTIONS[f"operator.{self.symbol}"].builder(*found) if len(found) == 2 else found[0]
        return outcome

    def weights(self, call: LayerCall) -> tuple[Weight, ...]:
        return ()

    def lower(self, at: Site) -> Value:
        if len(at.values) == 1:
            return scale(at.tape, at.x)
        return multiply(at.tape, *at.values) if self.symbol == "*" else add(at.tape, *at.values)



"""Fully connected layers: Dense and EinsumDense."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.ops.arguments import NOT_DEFINED
from cudnnlint.ops.arith import as_dim, is_known, rank_mismatch
from cudnnlint.ops.kernels.activations import activated
from cudnnlint.ops.kernels.maths import contract, view
from cudnnlint.ops.kernels.products import FLAT, of_each
from cudnnlint.ops.kernels.site import Site, biased
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim


@record(frozen=True, slots=True)
class Dense(SingleInput):
    """(..., C) -> (..., units); kernel (C, units), bias (units,) (keras/src/layers/core/dense.py)."""

    units: Dim
    use_bias: Any = True

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if is_known(self.units) and self.units <= 0:  # type: ignore[operator]
            # Dense(0) is rejected since Keras 3.13; negative units always
            yield Mismatch(Problem.NON_POSITIVE, f"units is {self.units}", help="units must be a positive integer",
                           error=f'ValueError "Received an invalid value for `units`, expected a positive integer. '
                                 f'Received: units={self.units}"',
                           argument="units", where=Where(keras=">=3.13") if self.units == 0 else Where())

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(x.shape, Unknown):
            return x.with_(dtype=call.policy.compute)
        if wrong := rank_mismatch(x, 2, "Dense", at_least=True):
            return wrong
        if isinstance(x.shape[-1], Symbol):
            return Mismatch(Problem.FEATURE_UNKNOWN, f"Dense needs the last axis of its input, which is None in {x}",
                            help="give the full input shape, or pool globally instead of flattening",
                            error=NOT_DEFINED if call.stack.keras >= (3,) else 'ValueError "The last dimension '
                                  'of the inputs to a Dense layer should be defined. Found None"')
        return x.with_(shape=(*x.shape[:-1], self.units), dtype=call.policy.compute)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        if isinstance(x.shape, Unknown) or not x.shape:
            return Unknown("input rank")
        kernel = Weight("kernel", (x.shape[-1], self.units))
        if isinstance(self.use_bias, Unknown):
            return self.use_bias
        return (kernel, Weight("bias", (self.units,))) if self.use_bias else (kernel,)

    def lower(self, at: Site) -> Value:
        """More than two axes are folded into two and unfolded (tensorflow/python/ops/math_ops.py: tensordot); Keras 3
        multiplied a stack of matrices before 3.15."""
        x, kernel, shape = at.x, at.weight("kernel"), at.shape()
        if len(shape) > 2 and (3,) <= at.stack.keras < FLAT:
            made = contract(at.tape, x, of_each(at, kernel, shape[:-2]), at.size())
        else:
            x = view(at.tape, x) if len(shape) > 2 else x
            made = contract(at.tape, x, kernel, at.size())
            made = view(at.tape, made) if len(shape) > 2 else made
        return activated(at.tape, biased(at, made), at.given("activation"))


@layer("keras.layers.Dense", versions={"quantization_config": ">=3.13", "lora_rank": ">=3.0.3", "lora_alpha": ">=3.10"})
def dense(units: Any, activation: Any = None, use_bias: Any = True, kernel_initializer: Any = "glorot_uniform",
          bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
          activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None,
          lora_rank: Any = None, lora_alpha: Any = None, quantization_config: Any = None) -> Dense:
    return Dense(as_dim(units), use_bias)

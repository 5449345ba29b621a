"""SpectralNormalization: a wrapper that rescales another layer's kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.ops.arith import is_known
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class SpectralNormalization(SingleInput):
    """The wrapped layer's output, and beside its weights one vector as long as its kernel's last axis."""

    wrapped: Any
    power_iterations: Any = 1

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if is_known(self.power_iterations) and self.power_iterations <= 0:
            yield Mismatch(Problem.NON_POSITIVE, f"power_iterations is {self.power_iterations}",
                           argument="power_iterations", help="power_iterations must be at least 1",
                           error='ValueError "`power_iterations` should be greater than zero"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if call.weigh(self.wrapped, x) == ():
            return Mismatch(Problem.INVALID_ARGUMENT, "the layer in SpectralNormalization has no kernel to normalise",
                            argument="layer", help="wrap a layer with a kernel, such as Dense, Conv2D or Embedding",
                            error='ValueError "object has no attribute \'kernel\' nor \'embeddings\'"')
        done = call.apply(self.wrapped, x)
        if isinstance(done, Tensor) and call.stack.keras >= (3,):
            return done.with_(dtype=call.policy.compute)
        return done if isinstance(done, Tensor | Mismatch | Unknown) else Unknown("not one tensor")

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        inner = call.weigh(self.wrapped, x)
        if not isinstance(inner, tuple):
            return inner if isinstance(inner, Unknown) else Unknown("nested weights")
        for name in ("kernel", "embeddings"):
            for weight in inner:
                if weight.name == name and weight.shape:
                    return (*inner, Weight("vector_u", (1, weight.shape[-1]), trainable=False))
        return Unknown("which weight is the kernel")


@layer("keras.layers.SpectralNormalization", versions={"": ">=2.13"})
def spectral_normalization(layer: Any, power_iterations: Any = 1) -> SpectralNormalization:
    return SpectralNormalization(layer, power_iterations)

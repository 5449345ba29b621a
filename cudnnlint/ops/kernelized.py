"""RandomFourierFeatures: a random projection that stands for a kernel machine (Keras 2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.ops.arguments import check_positive
from cudnnlint.ops.arith import as_dim, rank_mismatch
from cudnnlint.ops.axes import free_axis
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class RandomFourierFeatures(SingleInput):
    """(N, C) -> (N, output_dim) in float32 (tf_keras/src/layers/kernelized.py)."""

    output_dim: Dim
    scale: Any = None
    trainable: Any = False

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from check_positive("output_dim", self.output_dim)
        if isinstance(self.scale, (int, float)) and self.scale <= 0:
            yield Mismatch(Problem.NON_POSITIVE, f"scale is {self.scale}", argument="scale",
                           error='ValueError "When provided, `scale` should be a positive float"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := rank_mismatch(x, 2, "RandomFourierFeatures"):
            return wrong
        if isinstance(x.shape, Unknown):
            return x.with_(shape=(Unknown("input rank"),) * 2, dtype="float32")
        width: Dim = self.output_dim
        return free_axis((1,), x, "RandomFourierFeatures") or x.with_(
            shape=(x.shape[0], width if not isinstance(width, int) or width > 0 else Unknown("output_dim")),
            dtype="float32")

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        if isinstance(x.shape, Unknown) or len(x.shape) != 2 or isinstance(self.trainable, Unknown):
            return Unknown("input rank or trainable")
        return (Weight("unscaled_kernel", (x.shape[1], self.output_dim), trainable=False),
                Weight("bias", (self.output_dim,), trainable=False),
                Weight("kernel_scale", (1,), trainable=bool(self.trainable)))


@layer("keras.layers.experimental.RandomFourierFeatures", versions={"": "<3"})
def random_fourier_features(output_dim: Any, kernel_initializer: Any = "gaussian", scale: Any = None,
                            trainable: Any = False) -> RandomFourierFeatures:
    return RandomFourierFeatures(as_dim(output_dim) if output_dim is not None else Unknown("None"), scale, trainable)

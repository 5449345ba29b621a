"""tf.raw_ops: kernels called by their own names, without the care that tf.nn takes of their arguments."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions.normalizing import fused
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Where

SMALLEST = 1e-5
"""CUDNN_BN_MIN_EPSILON of cuDNN until 7.4; 0.0 since 7.5 (release notes of cuDNN 7.5.0)."""


def _raw(x: Any, scale: Any, epsilon: Any, data_format: Any, name: str, reserved: int) -> Outcome:
    """(y, batch_mean, batch_variance, reserve_space_1, ...)
    (tensorflow/core/ops/nn_ops.cc: FusedBatchNorm, FusedBatchNormV2, FusedBatchNormV3)."""
    made = fused(x, scale, epsilon, data_format, name, handed_on="")
    if not isinstance(made, tuple):
        return made
    outputs = (*made, *(made[1].with_() for _ in range(reserved)))
    if isinstance(epsilon, (int, float)) and 0 <= epsilon < SMALLEST:
        return Mismatch(Problem.SMALL_EPSILON, f"{name}: epsilon is {epsilon}, cuDNN before 7.5 needs {SMALLEST:g}",
                        help=f"an epsilon of at least {SMALLEST:g}, or tf.nn.fused_batch_norm, which sees to it",
                        error="CUDNN_STATUS_BAD_PARAM from cuDNN on a GPU", where=Where(cudnn="<7.5"),
                        otherwise=outputs, argument="epsilon", facts=(("epsilon", epsilon),))
    return outputs


@function("tensorflow.raw_ops.FusedBatchNorm")
def fused_batch_norm(*, x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: Any = 0.0001,
                     exponential_avg_factor: Any = 1, data_format: Any = "NHWC", is_training: Any = True,
                     name: Any = None) -> Outcome:
    return _raw(x, scale, epsilon, data_format, "tf.raw_ops.FusedBatchNorm", 2)


@function("tensorflow.raw_ops.FusedBatchNormV2")
def fused_batch_norm_v2(*, x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: Any = 0.0001,
                        exponential_avg_factor: Any = 1, data_format: Any = "NHWC", is_training: Any = True,
                        name: Any = None) -> Outcome:
    return _raw(x, scale, epsilon, data_format, "tf.raw_ops.FusedBatchNormV2", 2)


@function("tensorflow.raw_ops.FusedBatchNormV3")
def fused_batch_norm_v3(*, x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: Any = 0.0001,
                        exponential_avg_factor: Any = 1, data_format: Any = "NHWC", is_training: Any = True,
                        name: Any = None) -> Outcome:
    return _raw(x, scale, epsilon, data_format, "tf.raw_ops.FusedBatchNormV3", 3)

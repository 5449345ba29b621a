"""Modules within TensorFlow, `tensorflow.python.ops.math_ops` and the like, as programs import them, and which of their
functions are still those of TensorFlow 1, in TensorFlow 2 as well: there `tf.argmax` is `argmax_v2` of math_ops.

Found by comparing each with `tf.` and `tf.compat.v1.` of its name (TensorFlow 2.21).
"""

from __future__ import annotations

from collections.abc import Mapping

WITHIN = "tensorflow.python.ops"
ROOMS: Mapping[str, str] = {
    "array_ops": "", "math_ops": "", "gen_math_ops": "", "standard_ops": "", "clip_ops": "", "check_ops": "",
    "control_flow_ops": "", "special_math_ops": "", "tensor_array_ops": "", "variables": "", "nn": ".nn",
    "nn_ops": ".nn", "nn_impl": ".nn", "gen_nn_ops": ".nn", "image_ops": ".image", "random_ops": ".random",
    "linalg_ops": ".linalg"}
"""Module -> where its functions are found from outside, behind `tensorflow`."""
_ARRAYS = ("batch_to_space", "boolean_mask", "expand_dims", "gather", "gather_nd", "ones_like", "pad",
           "reverse_sequence", "shape", "size", "space_to_batch", "squeeze", "transpose", "where", "zeros_like")
_CHECKS = ("assert_equal", "assert_greater", "assert_less", "assert_rank")
_NUMBERS = ("argmax", "argmin", "scalar_mul")
_NETWORKS = ("avg_pool", "conv1d", "conv2d", "conv2d_transpose", "conv3d_transpose", "convolution", "crelu", "dropout",
             "erosion2d", "fractional_avg_pool", "fractional_max_pool", "in_top_k", "log_softmax", "max_pool", "pool",
             "softmax", "softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits")
_WHOLE = ("batch_norm_with_global_normalization", "depthwise_conv2d", "moments", "nce_loss", "sampled_softmax_loss",
          "separable_conv2d", "sigmoid_cross_entropy_with_logits", "sufficient_statistics",
          "weighted_cross_entropy_with_logits", "weighted_moments")
_FIRST: Mapping[str, tuple[str, ...]] = {
    "array_ops": _ARRAYS, "check_ops": _CHECKS, "control_flow_ops": ("tuple",), "math_ops": _NUMBERS,
    "nn": (*_NETWORKS, *_WHOLE, "ctc_beam_search_decoder", "ctc_loss", "embedding_lookup", "embedding_lookup_sparse",
           "safe_embedding_lookup_sparse"), "nn_impl": _WHOLE, "nn_ops": _NETWORKS,
    "standard_ops": (*_ARRAYS, *_CHECKS, *_NUMBERS, "case", "foldl", "foldr", "gradients", "hessians", "norm", "scan",
                     "tuple")}
FIRST = frozenset(f"{WITHIN}.{room}.{name}" for room, names in _FIRST.items() for name in names)
"""As programs write them."""


def is_of_version_1(written: str) -> bool:
    """Whether a function of TensorFlow is that of TensorFlow 1, whatever the version.

    >>> [is_of_version_1(f"tensorflow.{name}.argmax") for name in ("math", "compat.v1", "python.ops.math_ops")]
    [False, True, True]
    """
    return "compat.v1" in written or written in FIRST

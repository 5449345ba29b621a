"""Norms, moments, percentiles and sums of squares."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axes, is_list
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.reduce import averaged, float_rule, reduced, same
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Tensor, Unknown


@function("tensorflow.norm", "tensorflow.linalg.norm")
def tf_norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: Any = None) -> Outcome:
    return reduced(tensor, axis, keepdims, float_rule, "tf", "tf.norm")


@function("numpy.linalg.norm")
def np_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Outcome:
    return reduced(x, axis, keepdims, averaged, "numpy", "np.linalg.norm")


@function(*paths.ops("norm", "linalg"))
def keras_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Outcome:
    return reduced(x, axis, keepdims, averaged, "keras", "keras.ops.norm")


def moments(value: Any, axes: Any, keepdims: Any, library: Library, name: str) -> Outcome:
    """(mean, variance), each with the axes reduced."""
    made = reduced(value, axes, keepdims, same, library, name)
    return (made, made) if isinstance(made, Tensor) else made


@function("tensorflow.nn.moments")
def tf_moments(x: Any, axes: Any, shift: Any = None, keepdims: Any = False, name: Any = None) -> Outcome:
    return moments(x, axes, keepdims, "tf", "tf.nn.moments")


@function("tensorflow.nn.weighted_moments")
def tf_weighted_moments(x: Any, axes: Any, frequency_weights: Any, keepdims: Any = False, name: Any = None) -> Outcome:
    return moments(x, axes, keepdims, "tf", "tf.nn.weighted_moments")


@function(*paths.ops("moments", "nn"))
def keras_moments(x: Any, axes: Any, keepdims: Any = False, synchronized: Any = False) -> Outcome:
    return moments(x, axes, keepdims, "keras", "keras.ops.moments")


def scaled(value: Any, axis: Any, library: Library, name: str) -> Outcome:
    """Same shape; the axes must exist."""
    x = as_tensor(value, library)
    if isinstance(x, Unknown):
        return x
    found = find_axes(axis, x, name)
    return found if isinstance(found, Mismatch) else x.with_(shape=x.shape if x.shape != () else Unknown("a scalar"))


@function("tensorflow.math.l2_normalize", "tensorflow.nn.l2_normalize", "tensorflow.linalg.l2_normalize")
def tf_l2_normalize(x: Any, axis: Any = None, epsilon: Any = 1e-12, name: Any = None, dim: Any = None) -> Outcome:
    return scaled(x, dim if axis is None else axis, "tf", "tf.math.l2_normalize")


@function("keras.backend.l2_normalize")
def backend_l2_normalize(x: Any, axis: Any = None) -> Outcome:
    return scaled(x, axis, "keras", "keras.backend.l2_normalize")


@function(*paths.ops("normalize", "nn"), versions={"epsilon": ">=3.6"})
def keras_normalize(x: Any, axis: Any = -1, order: Any = 2, epsilon: Any = None) -> Outcome:
    made = scaled(x, axis, "keras", "keras.ops.normalize")
    return made.with_(dtype=averaged(made.dtype, "keras")) if isinstance(made, Tensor) else made


@function("tensorflow.linalg.normalize")
def tf_normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: Any = None) -> Outcome:
    """(normalised, norm kept with axes of 1)."""
    made, norm = scaled(tensor, axis, "tf", "tf.linalg.normalize"), tf_norm(tensor, ord, axis, True)
    return (made, norm) if isinstance(made, Tensor) and isinstance(norm, Tensor) else made


@function("tensorflow.clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: Any = None) -> Outcome:
    return scaled(t, axes, "tf", "tf.clip_by_norm")


@function("tensorflow.clip_by_global_norm")
def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: Any = None) -> Outcome:
    norm = Tensor((), Unknown("dtype"))
    if isinstance(t_list, (list, tuple)):
        dtype = next((t.dtype for t in t_list if isinstance(t, Tensor)), Unknown("dtype"))
        return (list(t_list), norm.with_(dtype=dtype))
    return (t_list, norm) if is_list(t_list) else (Unknown("gradients"), norm)


@function("tensorflow.nn.l2_loss")
def l2_loss(t: Any, name: Any = None) -> Outcome:
    return reduced(t, None, False, same, "tf", "tf.nn.l2_loss")


@function("tensorflow.nn.zero_fraction", "tensorflow.math.zero_fraction")
def zero_fraction(value: Any, name: Any = None) -> Outcome:
    return Tensor((), "float32")


@function("tensorflow.linalg.global_norm")
def global_norm(t_list: Any, name: Any = None) -> Outcome:
    return clip_by_global_norm(t_list, 1.0)[1]


@function("tensorflow.linalg.trace", "tensorflow.trace")
def trace(x: Any, name: Any = None) -> Outcome:
    tensor = as_tensor(x, "tf")
    if isinstance(tensor, Unknown) or isinstance(tensor.shape, Unknown) or len(tensor.shape) < 2:
        return Unknown("trace")
    return tensor.with_(shape=tensor.shape[:-2])


def _percentile(kept: Any) -> paths.Builder:
    def build(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
              method: Any = "linear", keepdims: Any = kept, *, weights: Any = None,
              interpolation: Any = None) -> Outcome:
        """One value per percentile, on a first axis when there are several."""
        made = reduced(a, axis, keepdims, averaged, "numpy", "np.percentile")
        many = as_tensor(q, "numpy")
        if not isinstance(made, Tensor) or isinstance(made.shape, Unknown):
            return made
        lead = many.shape if isinstance(many, Tensor) else many
        return made.with_(shape=(*lead, *made.shape) if isinstance(lead, tuple) else lead,
                          dtype=made.dtype if made.dtype == "float64" else Unknown("depends on the numpy version"))

    return build


paths.spell(_percentile(False), "numpy.percentile", "numpy.quantile")
paths.spell(_percentile(None), "numpy.nanpercentile", "numpy.nanquantile")

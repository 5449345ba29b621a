"""Activations: tf.nn.*, keras.activations.* and keras.ops.* functions that keep the shape."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axis, number
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, floated
from cudnnlint.ops.functions.elementwise import with_otherwise
from cudnnlint.ops.functions.refused_dtypes import of_tensorflow
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, Where, is_integer

KERAS = ("hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "log_sigmoid", "relu6", "selu", "sigmoid", "silu",
         "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "swish", "tanh_shrink")
ACTIVATIONS = ("linear", "mish")
FLOATING = ("exponential", "tanh")


def same(value: Any, library: Library) -> Outcome:
    x = as_tensor(value, library)
    return x if isinstance(x, Unknown) else x.with_()


def along(value: Any, axis: Any, library: Library, name: str, default: int = -1) -> Outcome:
    """softmax and its kin: `axis` must exist."""
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or x.rank is None or isinstance(axis, (list, tuple)):
        return x if isinstance(x, Unknown) else x.with_()
    if isinstance(number(axis), Unknown) and axis is not None:
        return x.with_()
    found = find_axis(default if axis is None else axis, x.rank, name, x)
    return found if isinstance(found, Mismatch) else x.with_()


def halved(value: Any, axis: Any, library: Library, name: str) -> Outcome:
    """glu: half of the extent along `axis`."""
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    found = find_axis(axis, len(x.shape), name, x)
    if not isinstance(found, int):
        return found if isinstance(found, Mismatch) else x.with_(shape=found)
    size = x.shape[found]
    if isinstance(size, int) and size % 2:
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: axis {found} of {x} has an odd extent, {size}",
                        error='ValueError "axis size must be divisible by 2"', argument="axis", facts=(("size", size),))
    half = size // 2 if isinstance(size, int) else size
    return x.with_(shape=(*x.shape[:found], half, *x.shape[found + 1:]))


@function("tensorflow.nn.relu", "tensorflow.nn.relu6")
def features_name(features: Any, name: Any = None) -> Outcome:
    return same(features, "tf")


def _of_floats(called: str) -> paths.Builder:
    def build(features: Any, name: Any = None) -> Outcome:
        return of_floats(f"nn.{called}", features)

    return build


def of_floats(name: str, value: Any, made: Any = None) -> Outcome:
    """What computes floats alone: `made`, or what is given."""
    x = as_tensor(value, "tf")
    if isinstance(x, Unknown):
        return x
    refused = of_tensorflow(name, x)
    result = x.with_() if made is None else made
    return result if refused is None else with_otherwise(refused, result)


@function("tensorflow.nn.leaky_relu")
def tf_leaky_relu(features: Any, alpha: Any = 0.2, name: Any = None) -> Outcome:
    x = as_tensor(features, "tf")
    if isinstance(x, Unknown):
        return x
    return x.with_(dtype="float32" if is_integer(x.dtype) else x.dtype)  # nn_ops.py: leaky_relu casts integers


@function("tensorflow.nn.gelu")
def tf_gelu(features: Any, approximate: Any = False, name: Any = None) -> Outcome:
    return of_floats("nn.gelu", features)


@function("tensorflow.nn.silu", "tensorflow.nn.swish")
def tf_silu(features: Any, beta: Any = 1.0) -> Outcome:
    return of_floats("nn.silu", features)


@function("tensorflow.nn.crelu")
def crelu(features: Any, axis: Any = -1, name: Any = None) -> Outcome:
    x = as_tensor(features, "tf")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    found = find_axis(axis, len(x.shape), "tf.nn.crelu", x)
    if not isinstance(found, int):
        return found if isinstance(found, Mismatch) else x.with_(shape=found)
    size = x.shape[found]
    doubled = 2 * size if isinstance(size, int) else size
    return x.with_(shape=(*x.shape[:found], doubled, *x.shape[found + 1:]))


@function("tensorflow.nn.softmax", "tensorflow.nn.log_softmax", "tensorflow.math.softmax",
          "tensorflow.math.log_softmax")
def tf_softmax(logits: Any, axis: Any = None, name: Any = None) -> Outcome:
    found = along(logits, axis, "tf", "tf.nn.softmax")
    return of_floats("nn.softmax", logits, found) if isinstance(found, Tensor) else found


def _activation(x: Any) -> Outcome:
    return same(x, "keras")


def _float_activation(x: Any) -> Outcome:
    tensor = as_tensor(x, "keras")
    return tensor if isinstance(tensor, Unknown) else tensor.with_(dtype=floated(tensor.dtype, "keras"))


def _register() -> None:
    for name in ("elu", "selu", "softplus", "softsign"):
        paths.spell(_of_floats(name), f"tensorflow.nn.{name}", *(
            (f"tensorflow.math.{name}",) if name.startswith("soft") else ()))
    for name in KERAS:
        paths.spell(_activation, *paths.ops(name, "nn"), f"keras.activations.{name}")
    for name in ACTIVATIONS:
        paths.spell(_activation, f"keras.activations.{name}")
    for name in FLOATING:
        paths.spell(_float_activation, f"keras.activations.{name}")
    for name in ("hard_sigmoid", "softplus", "softsign"):
        paths.spell(_activation, f"keras.backend.{name}")
    paths.spell(_activation, *paths.ops("relu", "nn"))


_register()


@function("keras.activations.relu")
def relu(x: Any, negative_slope: Any = 0.0, max_value: Any = None, threshold: Any = 0.0, alpha: Any = 0.0) -> Outcome:
    """Keras 2 called negative_slope alpha."""
    return same(x, "keras")


@function("keras.backend.relu")
def backend_relu(x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0.0) -> Outcome:
    return same(x, "keras")


@function(*paths.ops("leaky_relu", "nn"), "keras.activations.leaky_relu")
def leaky_relu(x: Any, negative_slope: Any = 0.2, alpha: Any = None) -> Outcome:
    return _float_activation(x)


@function(*paths.ops("elu", "nn"), *paths.ops("celu", "nn"), "keras.activations.elu", "keras.activations.celu",
          "keras.backend.elu")
def elu(x: Any, alpha: Any = 1.0) -> Outcome:
    return same(x, "keras")


@function(*paths.ops("gelu", "nn"))
def gelu(x: Any, approximate: Any = True) -> Outcome:
    return same(x, "keras")


@function("keras.activations.gelu")
def gelu_exact(x: Any, approximate: Any = False) -> Outcome:
    return same(x, "keras")


@function(*paths.ops("soft_shrink", "nn"), *paths.ops("hard_shrink", "nn"), "keras.activations.soft_shrink",
          "keras.activations.hard_shrink")
def shrink(x: Any, threshold: Any = 0.5) -> Outcome:
    return same(x, "keras")


@function(*paths.ops("threshold", "nn"), "keras.activations.threshold")
def threshold(x: Any, threshold: Any, default_value: Any) -> Outcome:
    return same(x, "keras")


@function(*paths.ops("squareplus", "nn"), "keras.activations.squareplus")
def squareplus(x: Any, b: Any = 4) -> Outcome:
    return same(x, "keras")


@function(*paths.ops("softmax", "nn"), *paths.ops("log_softmax", "nn"), *paths.ops("sparsemax", "nn"),
          "keras.activations.softmax", "keras.activations.log_softmax", "keras.activations.sparsemax",
          "keras.backend.softmax")
def softmax(x: Any, axis: Any = -1) -> Outcome:
    return same(x, "keras") if axis is None else along(x, axis, "keras", "softmax")


@function(*paths.ops("glu", "nn"), "keras.activations.glu")
def glu(x: Any, axis: Any = -1) -> Outcome:
    return halved(x, axis, "keras", "glu")


@function("tensorflow.nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Outcome:
    """tensorflow/python/ops/nn_ops.py: dropout_v2"""
    if isinstance(rate, int | float) and not 0 <= rate < 1:
        return Mismatch(Problem.INVALID_ARGUMENT, f"rate is {rate}, and must be 0 or more and less than 1",
                        argument="rate", where=Where(tensorflow=">=2"), help="the share that is dropped: 0.5 for half",
                        error='ValueError "`rate` must be a scalar tensor or a float in the range [0, 1)"',
                        otherwise=same(x, "tf"))
    return same(x, "tf")


@function("keras.random.dropout")
def keras_dropout(inputs: Any, rate: Any, noise_shape: Any = None, seed: Any = None) -> Outcome:
    return same(inputs, "keras")


@function("keras.backend.dropout")
def backend_dropout(x: Any, level: Any, noise_shape: Any = None, seed: Any = None) -> Outcome:
    return same(x, "keras")

"""Random tensors: tf.random, keras.random, numpy.random and keras.backend.random_*."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.functions._core import find_axis, new_shape, size_of, sizes
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.creation import FLOATX
from cudnnlint.ops.functions.dtypes import Library, as_dtype
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Tensor, Unknown, is_floating
from cudnnlint.values.unknown import Drawn


def drawn(shape: Any, dtype: Any, library: Library, name: str, *parameters: Any, default: DType = FLOATX) -> Outcome:
    """Numbers of `shape`, with which the distribution's parameters broadcast.

    >>> print(drawn([2, 3], None, "tf", "tf.random.normal", 0.0, 1.0))
    float32[2, 3]
    """
    found = new_shape(shape, name)
    if isinstance(found, Mismatch):
        return found
    if library == "tf" and (isinstance(shape, int) or (isinstance(shape, Tensor) and shape.rank == 0)):
        found = Unknown("a scalar as a shape")
    for parameter in parameters:
        item = as_tensor(parameter, library)
        common = broadcast(found, item.shape if isinstance(item, Tensor) else item)
        found = Unknown("shape of a parameter") if common is None else common
    return Tensor(found, as_dtype(dtype, default, library))


def appended(shape: Any, dtype: Any, name: str, *parameters: Any, default: DType = FLOATX) -> Outcome:
    """tf.random.gamma and poisson: the parameters' shape comes after `shape`."""
    found = new_shape(shape, name)
    if isinstance(found, Mismatch):
        return found
    rest: Shape | Unknown | None = ()
    for parameter in parameters:
        item = as_tensor(parameter, "tf")
        rest = None if rest is None else broadcast(rest, item.shape if isinstance(item, Tensor) else item)
    made: Shape | Unknown = (*found, *rest) if isinstance(found, tuple) and isinstance(rest, tuple) \
        else Unknown("shape of a parameter")
    return Tensor(made, as_dtype(dtype, default))


@function("tensorflow.random.normal", "tensorflow.random_normal")
def tf_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None,
              name: Any = None) -> Outcome:
    return drawn(shape, dtype, "tf", "tf.random.normal", mean, stddev)


@function("tensorflow.random.truncated_normal", "tensorflow.truncated_normal")
def tf_truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None,
                        name: Any = None) -> Outcome:
    return drawn(shape, dtype, "tf", "tf.random.truncated_normal", mean, stddev)


@function("tensorflow.random.uniform", "tensorflow.random_uniform")
def tf_uniform(shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", seed: Any = None,
               name: Any = None) -> Outcome:
    if maxval is None and is_floating(as_dtype(dtype, Unknown(), "tf")) is False:
        return Mismatch(Problem.INVALID_ARGUMENT, f"tf.random.uniform of {dtype} has no maxval", argument="maxval",
                        help="maxval, which no number drawn reaches",
                        error='ValueError "Must specify maxval for integer dtype"')
    bounds = [bound for bound in (minval, maxval) if bound is not None]
    return drawn(shape, dtype, "tf", "tf.random.uniform", *bounds)


@function("tensorflow.random.stateless_normal", "tensorflow.random.stateless_truncated_normal")
def tf_stateless_normal(shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32",
                        name: Any = None, alg: Any = "auto_select") -> Outcome:
    return drawn(shape, dtype, "tf", "tf.random.stateless_normal", mean, stddev)


@function("tensorflow.random.stateless_uniform")
def tf_stateless_uniform(shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32",
                         name: Any = None, alg: Any = "auto_select") -> Outcome:
    bounds = [bound for bound in (minval, maxval) if bound is not None]
    return drawn(shape, dtype, "tf", "tf.random.stateless_uniform", *bounds)


@function("tensorflow.random.gamma", "tensorflow.random_gamma")
def tf_gamma(shape: Any, alpha: Any, beta: Any = None, dtype: Any = "float32", seed: Any = None,
             name: Any = None) -> Outcome:
    return appended(shape, dtype, "tf.random.gamma", *[p for p in (alpha, beta) if p is not None])


@function("tensorflow.random.poisson")
def tf_poisson(shape: Any, lam: Any, dtype: Any = "float32", seed: Any = None, name: Any = None) -> Outcome:
    return appended(shape, dtype, "tf.random.poisson", lam)


def categorical(logits: Any, count: Any, dtype: DType, library: Library) -> Outcome:
    """(batch, classes) -> (batch, count)."""
    x = as_tensor(logits, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or len(x.shape) != 2:
        return Tensor(Unknown("logits"), dtype)
    return x.with_(shape=(x.shape[0], size_of(count)), dtype=dtype)


@function("tensorflow.random.categorical")
def tf_categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: Any = None) -> Outcome:
    return categorical(logits, num_samples, as_dtype(dtype, "int64"), "tf")


@function("keras.random.categorical")
def keras_categorical(logits: Any, num_samples: Any, dtype: Any = "int32", seed: Any = None) -> Outcome:
    return categorical(logits, num_samples, as_dtype(dtype, "int32", "keras"), "keras")


@function("tensorflow.random.shuffle", "tensorflow.random_shuffle")
def tf_shuffle(value: Any, seed: Any = None, name: Any = None) -> Outcome:
    x = as_tensor(value, "tf")
    return x.with_() if isinstance(x, Tensor) else x


@function("keras.random.shuffle")
def keras_shuffle(x: Any, axis: Any = 0, seed: Any = None) -> Outcome:
    tensor = as_tensor(x, "keras")
    if isinstance(tensor, Unknown) or tensor.rank is None:
        return tensor
    place = find_axis(axis, tensor.rank, "keras.random.shuffle", tensor)
    return place if isinstance(place, Mismatch) else tensor.with_()


@function("keras.random.normal", "keras.random.truncated_normal")
def keras_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.random.normal", mean, stddev)


@function("keras.random.uniform")
def keras_uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.random.uniform", minval, maxval)


@function("keras.random.randint")
def keras_randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.random.randint", minval, maxval, default="int32")


@function("keras.random.beta")
def keras_beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.random.beta", alpha, beta)


@function("keras.random.gamma")
def keras_gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.random.gamma", alpha)


@function("keras.random.binomial")
def keras_binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.random.binomial", counts, probabilities)


@function("keras.backend.random_normal", "keras.backend.truncated_normal")
def backend_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.backend.random_normal", mean, stddev)


@function("keras.backend.random_uniform")
def backend_uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.backend.random_uniform", minval, maxval)


@function("keras.backend.random_bernoulli", "keras.backend.random_binomial")
def backend_bernoulli(shape: Any, p: Any = 0.0, dtype: Any = None, seed: Any = None) -> Outcome:
    return drawn(shape, dtype, "keras", "keras.backend.random_bernoulli", p)


def sampled(size: Any, name: str, *parameters: Any, dtype: DType = "float64") -> Outcome:
    """numpy.random: an array of `size`, or without one of the parameters' common shape (a Python number if scalar)."""
    if size is not None:
        made = new_shape(size, name)
        return made if isinstance(made, Mismatch) else Tensor(made, dtype, "numpy")
    shape: Shape | Unknown | None = ()
    for parameter in parameters:
        if isinstance(parameter, Unknown) and parameter.number:
            continue
        item = as_tensor(parameter, "numpy")
        shape = None if shape is None else broadcast(shape, item.shape if isinstance(item, Tensor) else item)
    if shape is None or isinstance(shape, Unknown) or not shape:
        return Unknown("a random number", number=shape == ()) if dtype == "float64" \
            else Drawn("a random number", number=shape == (), base=object())
    return Tensor(shape, dtype, "numpy")


def from_dims(dims: tuple[Any, ...], name: str) -> Outcome:
    """rand(2, 3): the extents are the arguments."""
    if not dims:
        return Unknown("a random number", number=True)
    shape = new_shape(list(dims), name)
    return shape if isinstance(shape, Mismatch) else Tensor(shape, "float64", "numpy")


def trailing(size: Any, last: Any, name: str, dtype: DType) -> Outcome:
    """multinomial, dirichlet ...: one vector as long as `last` per element of `size`."""
    vector = as_tensor(last, "numpy")
    length: Dim = Unknown("length") if isinstance(vector, Unknown) or isinstance(vector.shape, Unknown) \
        or len(vector.shape) != 1 else vector.shape[0]
    lead = () if size is None else sizes(size)
    return Tensor((*lead, length) if isinstance(lead, tuple) else lead, dtype, "numpy")

"""Normalisation functions: bias_add, batch normalisation, LRN and layer normalisation."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axis, number, rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.elementwise import broadcast_problem
from cudnnlint.ops.functions.sliding import channels_first
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown, Where


def channel_of(x: Tensor, data_format: Any) -> Dim:
    """The extent of the channel axis of a batch."""
    first = channels_first(data_format)
    if first is None or isinstance(x.shape, Unknown) or len(x.shape) < 2:
        return Unknown("channel axis")
    return x.shape[1] if first else x.shape[-1]


def _vector_problem(x: Tensor, vector: Any, channel: Dim, what: str, name: str) -> Mismatch | None:
    """A per-channel vector of another length."""
    v = as_tensor(vector, "tf") if vector is not None else Unknown()
    if isinstance(v, Unknown) or isinstance(v.shape, Unknown) or len(v.shape) != 1 or may_equal(v.shape[0], channel):
        return None
    return Mismatch(Problem.CHANNELS, f"{name}: {what} has {v.shape[0]} elements, the input {channel} channels: {x}",
                    error='InvalidArgumentError "Must provide as many biases as the last dimension"',
                    argument=what, facts=(("expected", channel), ("actual", v.shape[0])))


def add_bias(value: Any, bias: Any, data_format: Any, name: str) -> Outcome:
    x = as_tensor(value, "tf")
    if isinstance(x, Unknown):
        return x
    if x.rank is not None and x.rank < 2:
        return rank_problem(x, (2, 3, 4, 5), name, "value")
    return _vector_problem(x, bias, channel_of(x, data_format), "bias", name) or x.with_()


@function("tensorflow.nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: Any = None, name: Any = None) -> Outcome:
    return add_bias(value, bias, data_format, "tf.nn.bias_add")


@function("keras.backend.bias_add")
def backend_bias_add(x: Any, bias: Any, data_format: Any = None) -> Outcome:
    return add_bias(x, bias, data_format, "keras.backend.bias_add")


def normalised(value: Any, parameters: tuple[Any, ...], name: str) -> Outcome:
    """tf.nn.batch_normalization: arithmetic that broadcasts, whatever the shapes."""
    x = as_tensor(value, "tf")
    if isinstance(x, Unknown):
        return x
    shape = x.shape
    for parameter in parameters:
        p = as_tensor(parameter, "tf") if parameter is not None else None
        if p is None:
            continue
        joined = broadcast(shape, p.shape if isinstance(p, Tensor) else p)
        if joined is None and isinstance(p, Tensor):
            return broadcast_problem(x, p, name)
        shape = Unknown("parameters") if joined is None else joined
    return x.with_(shape=shape)


@function("tensorflow.nn.batch_normalization")
def batch_normalization(x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any,
                        name: Any = None) -> Outcome:
    return normalised(x, (mean, variance, offset, scale), "tf.nn.batch_normalization")


@function("keras.backend.batch_normalization")
def backend_batch_normalization(x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: Any = -1,
                                epsilon: Any = 1e-3) -> Outcome:
    return normalised(x, (mean, var, beta, gamma), "keras.backend.batch_normalization")


@function(*paths.ops("batch_normalization", "nn"))
def keras_batch_normalization(x: Any, mean: Any, variance: Any, axis: Any, offset: Any = None, scale: Any = None,
                              epsilon: Any = 1e-3) -> Outcome:
    tensor = as_tensor(x, "keras")
    if isinstance(tensor, Unknown) or isinstance(tensor.shape, Unknown):
        return tensor
    place = find_axis(axis, len(tensor.shape), "keras.ops.batch_normalization", tensor)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else tensor.with_()
    for what, vector in (("mean", mean), ("variance", variance), ("offset", offset), ("scale", scale)):
        if wrong := _vector_problem(tensor, vector, tensor.shape[place], what, "keras.ops.batch_normalization"):
            return wrong
    return tensor.with_()


def fused(x: Any, scale: Any, epsilon: Any, data_format: Any, name: str, handed_on: str) -> Outcome:
    """(y, mean, variance) (tensorflow/python/ops/nn_impl.py: fused_batch_norm).

    handed_on  the TensorFlow versions that hand a small epsilon on as it is
    """
    tensor = as_tensor(x, "tf")
    if isinstance(tensor, Unknown):
        return tensor
    if wrong := rank_problem(tensor, (4, 5), name):
        return wrong
    channel = channel_of(tensor, data_format)
    if wrong := _vector_problem(tensor, scale, channel, "scale", name):
        return wrong
    statistics = tensor.with_(shape=(channel,), dtype="float32")
    made = (tensor.with_(), statistics, statistics)
    if isinstance(epsilon, (int, float)) and epsilon < 0:
        return Mismatch(Problem.EPSILON, f"{name}: epsilon is {epsilon}", help="a positive epsilon, such as 1e-3",
                        error="CUDNN_STATUS_BAD_PARAM from cuDNN on a GPU", where=Where(tensorflow=handed_on),
                        otherwise=made, argument="epsilon", facts=(("epsilon", epsilon),))
    return made


@function("tensorflow.nn.fused_batch_norm")
def fused_batch_norm(x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None, epsilon: Any = 0.001,
                     data_format: Any = "NHWC", is_training: Any = True, name: Any = None,
                     exponential_avg_factor: Any = 1.0) -> Outcome:
    return fused(x, scale, epsilon, data_format, "tf.nn.fused_batch_norm", handed_on=">=2.12")


@function("tensorflow.nn.local_response_normalization", "tensorflow.nn.lrn")
def lrn(input: Any, depth_radius: Any = 5, bias: Any = 1, alpha: Any = 1, beta: Any = 0.5, name: Any = None) -> Outcome:
    """cuDNN's limits hold on a GPU only; the CPU accepts everything (lrn_op.cc: LaunchLRN<GPUDevice>)."""
    x = as_tensor(input, "tf")
    if isinstance(x, Unknown):
        return x
    if wrong := rank_problem(x, (4,), "tf.nn.local_response_normalization"):
        return wrong
    out = x.with_(dtype="float32" if x.kind == "numpy" else x.dtype)
    radius = number(depth_radius)
    limits = (("depth_radius", radius, isinstance(radius, int) and not 1 <= radius <= 7, "in [1, 7]"),
              ("bias", bias, isinstance(bias, (int, float)) and bias < 1e-5, ">= 1e-5"),
              ("beta", beta, isinstance(beta, (int, float)) and beta < 0.01, ">= 0.01"))
    for argument, value, outside, allowed in limits:
        if outside:
            return Mismatch(Problem.LRN, f"{argument} is {value}, cuDNN needs {allowed}",
                            help="the CPU accepts it, a GPU does not",
                            error=f'InvalidArgumentError "cuDNN requires {argument} {allowed}" on a GPU',
                            otherwise=out, argument=argument, facts=((argument, value),))
    return out


def _kept(value: Any, axis: Any, name: str) -> Outcome:
    x = as_tensor(value, "keras")
    if isinstance(x, Unknown) or x.rank is None or isinstance(axis, (list, tuple)):
        return x
    place = find_axis(axis, x.rank, name, x)
    return place if isinstance(place, Mismatch) else x.with_(shape=x.shape if x.rank else Unknown("a scalar"))


@function(*paths.ops("layer_normalization", "nn"))
def layer_normalization(x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: Any = None,
                        **kwargs: Any) -> Outcome:
    return _kept(x, axis, "keras.ops.layer_normalization")


@function(*paths.ops("rms_normalization", "nn"))
def rms_normalization(x: Any, scale: Any = None, axis: Any = -1, epsilon: Any = None) -> Outcome:
    return _kept(x, axis, "keras.ops.rms_normalization")

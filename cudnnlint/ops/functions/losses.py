"""Loss functions on tensors: cross entropies and CTC, and what their labels must look like."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal, meet
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axis, shown
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.elementwise import binary, broadcast_problem
from cudnnlint.ops.functions.reduce import reduced, same
from cudnnlint.ops.functions.refused_dtypes import of_classes
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Shape, Tensor, Unknown, is_integer
from cudnnlint.values.bounds import bounds


def shapes_problem(name: str, left: str, a: Shape, right: str, b: Shape, error: str) -> Mismatch:
    return Mismatch(Problem.BROADCAST, f"{name}: {left} {shown(a)} and {right} {shown(b)} do not match", error=error,
                    facts=(("shapes", (a, b)),))


def agree(a: Shape, b: Shape) -> bool:
    return len(a) == len(b) and all(map(may_equal, a, b))


def elementwise(labels: Any, logits: Any, library: Library, name: str) -> Outcome:
    """Labels and logits of one shape; one loss per element."""
    y, x = as_tensor(labels, library), as_tensor(logits, library)
    if isinstance(x, Unknown):
        return x
    if isinstance(y, Unknown) or isinstance(y.shape, Unknown) or isinstance(x.shape, Unknown):
        return x.with_()
    if not agree(y.shape, x.shape):
        return shapes_problem(name, "labels", y.shape, "logits", x.shape,
                              'ValueError "`logits` and `labels` must have the same shape"')
    return x.with_(shape=tuple(map(meet, x.shape, y.shape)))


def without(value: Any, axis: Any, library: Library, name: str) -> Outcome:
    """One loss per sample: the class axis is gone."""
    return reduced(value, axis, False, same, library, name)


def categorical(labels: Any, logits: Any, axis: Any, library: Library, name: str) -> Outcome:
    """Labels as wide as the logits; TensorFlow lets them broadcast.

    >>> print(categorical(Tensor((32, 10), "float32"), Tensor((32, 10), "float32"), -1, "tf", "loss"))
    float32[32]
    """
    y, x = as_tensor(labels, library), as_tensor(logits, library)
    if isinstance(x, Unknown):
        return x
    known = isinstance(y, Tensor) and isinstance(y.shape, tuple) and isinstance(x.shape, tuple)
    if known and library == "keras" and not agree(y.shape, x.shape):  # type: ignore[union-attr, arg-type]
        return shapes_problem(name, "target", y.shape, "output", x.shape,  # type: ignore[union-attr, arg-type]
                              'ValueError "Arguments `target` and `output` must have the same shape"')
    if known and library == "tf":
        if (wrong := _of_classes(y, x, name)) is not None:  # type: ignore[arg-type]
            return wrong
        joined = binary("select", y.with_(dtype=x.dtype, kind=x.kind), x, "tf", name)  # type: ignore[union-attr]
        if not isinstance(joined, Tensor):
            return joined
        return without(joined, axis, library, name)
    return without(x if known else x.with_(), axis, library, name)


def _of_classes(labels: Tensor, logits: Tensor, name: str) -> Mismatch | None:
    """Class numbers where one row of probabilities each is needed, of a batch that is not as large as the classes are
    many: tensorflow/python/ops/nn_ops.py joins all axes but the last, so that a batch of numbers becomes one row.

    >>> of_numbers = _of_classes(Tensor((Unknown("n"),), "int32"), Tensor((Unknown("n"), 10), "float32"), "loss")
    >>> print(of_numbers.message)
    loss: labels (?,) for logits (?, 10), of one axis more
    """
    y, x = labels.shape, logits.shape
    if not is_integer(labels.dtype) or not isinstance(y, tuple) or not isinstance(x, tuple) or len(y) != 1 \
            or len(x) != 2 or y[0] in (1, x[1]):
        return None
    return Mismatch(Problem.RANK, f"{name}: labels {shown(y)} for logits {shown(x)}, of one axis more",
                    help="tf.one_hot() of the class numbers, or the sparse loss", argument="labels",
                    error='InvalidArgumentError "logits and labels must be broadcastable", unless a batch has as many '
                          "rows as there are classes", facts=(("expected", len(x)), ("actual", len(y))))


def sparse(labels: Any, logits: Any, library: Library, name: str) -> Outcome:
    """Integer labels, one axis fewer than the logits; Keras also takes a last axis of 1."""
    y, x = as_tensor(labels, library), as_tensor(logits, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or not x.shape:
        return x if isinstance(x, Unknown) else x.with_(shape=Unknown("logits"))
    rest = x.shape[:-1]
    if isinstance(y, Tensor) and isinstance(y.shape, tuple):
        shape = y.shape
        if library == "keras" and len(shape) == len(x.shape) and may_equal(shape[-1], 1):
            shape = shape[:-1]
        if len(shape) != len(rest):
            return Mismatch(Problem.RANK, f"{name}: labels {shown(y.shape)} for logits {shown(x.shape)}, one axis "
                            "fewer is needed", help="integer class indices; one-hot labels need the categorical loss",
                            error='ValueError "`labels.shape.rank` must equal `logits.shape.rank - 1`"',
                            argument="labels", facts=(("expected", len(rest)), ("actual", len(y.shape))))
        if not agree(shape, rest):
            return shapes_problem(name, "labels", y.shape, "logits", x.shape,
                                  'ValueError "`labels.shape` must equal `logits.shape` except for the last dimension"')
        rest = tuple(map(meet, rest, shape))
    made = x.with_(shape=rest)
    return _beyond(y, x.shape[-1], made) or made


def _beyond(labels: Any, classes: Any, made: Tensor) -> Mismatch | None:
    """A class number that the logits have no column for (tensorflow/core/kernels/sparse_xent_op.cc)."""
    held = bounds(labels) if isinstance(classes, int) else None
    if held is None or (held.low >= 0 and held.high < classes):
        return None
    wrong = held.low if held.low < 0 else held.high
    return Mismatch(Problem.LABEL, f"labels {held.told}, the logits have {classes} classes: 0 to {classes - 1}",
                    help="class numbers count from 0" if held.low < 0 else f"{held.high + 1} units in the last layer" +
                    (f", or leave out what is {wrong}" if held.low == wrong else ""),
                    error=f'InvalidArgumentError "Received a label value of {wrong} which is outside the valid range" '
                          "on a CPU; on a GPU the loss becomes NaN, silently", otherwise=made)


@function("tensorflow.nn.softmax_cross_entropy_with_logits")
def tf_softmax(labels: Any, logits: Any, axis: Any = -1, name: Any = None) -> Outcome:
    return categorical(labels, logits, axis, "tf", "tf.nn.softmax_cross_entropy_with_logits")


@function("tensorflow.nn.sparse_softmax_cross_entropy_with_logits")
def tf_sparse_softmax(labels: Any, logits: Any, name: Any = None) -> Outcome:
    name = "tf.nn.sparse_softmax_cross_entropy_with_logits"
    return of_classes(name, labels, sparse(labels, logits, "tf", name))


@function("tensorflow.nn.sigmoid_cross_entropy_with_logits")
def tf_sigmoid(labels: Any = None, logits: Any = None, name: Any = None) -> Outcome:
    return elementwise(labels, logits, "tf", "tf.nn.sigmoid_cross_entropy_with_logits")


@function("tensorflow.nn.weighted_cross_entropy_with_logits")
def tf_weighted(labels: Any, logits: Any, pos_weight: Any, name: Any = None) -> Outcome:
    return elementwise(labels, logits, "tf", "tf.nn.weighted_cross_entropy_with_logits")


@function("tensorflow.nn.log_poisson_loss")
def log_poisson(targets: Any, log_input: Any, compute_full_loss: Any = False, name: Any = None) -> Outcome:
    return elementwise(targets, log_input, "tf", "tf.nn.log_poisson_loss")


@function("tensorflow.nn.compute_average_loss")
def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Outcome:
    return reduced(per_example_loss, None, False, same, "tf", "tf.nn.compute_average_loss")


@function("tensorflow.nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Outcome:
    return reduced(regularization_loss, None, False, same, "tf", "tf.nn.scale_regularization_loss")


@function(*paths.ops("binary_crossentropy", "nn"))
def binary_crossentropy(target: Any, output: Any, from_logits: Any = False) -> Outcome:
    return elementwise(target, output, "keras", "binary_crossentropy")


@function("keras.backend.binary_crossentropy")
def backend_binary(target: Any, output: Any, from_logits: Any = False) -> Outcome:
    """Probabilities broadcast, logits do not (keras/src/legacy/backend.py and tf_keras/src/backend.py:
    binary_crossentropy)."""
    y, x = as_tensor(target, "keras"), as_tensor(output, "keras")
    if from_logits is not False or isinstance(y, Unknown) or isinstance(x, Unknown):
        return elementwise(target, output, "keras", "binary_crossentropy")
    shape = broadcast(x.shape, y.shape)
    return broadcast_problem(y, x, "binary_crossentropy") if shape is None else x.with_(shape=shape)


@function(*paths.ops("categorical_crossentropy", "nn"), "keras.backend.categorical_crossentropy")
def categorical_crossentropy(target: Any, output: Any, from_logits: Any = False, axis: Any = -1) -> Outcome:
    return categorical(target, output, axis, "keras", "categorical_crossentropy")


def _sparse_keras(target: Any, output: Any, axis: Any) -> Outcome:
    x = as_tensor(output, "keras")
    if isinstance(x, Tensor) and x.rank is not None and find_axis(axis, x.rank, "", x) != x.rank - 1:
        return Unknown("class axis")
    return sparse(target, output, "keras", "sparse_categorical_crossentropy")


@function(*paths.ops("sparse_categorical_crossentropy", "nn"))
def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: Any = False, axis: Any = -1) -> Outcome:
    return _sparse_keras(target, output, axis)


@function("keras.backend.sparse_categorical_crossentropy")
def backend_sparse(target: Any, output: Any, from_logits: Any = False, axis: Any = -1,
                   ignore_class: Any = None) -> Outcome:
    return _sparse_keras(target, output, axis)

"""Counts that are no whole numbers to the library: 64 / 2 is a float, "64" a text, np.prod((8, 8)) an integer of
NumPy's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.records import record
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Tensor, Where, is_floating, is_integer
from cudnnlint.values.numpy_int import NumpyFloat, NumpyInt

NOWHERE = None
KERAS_3 = Where(keras=">=3")
"""keras/src/backend/common/variables.py: standardize_shape, which takes integers of NumPy's."""


@record(frozen=True, slots=True)
class Refusal:
    """Where a float is refused, and where an integer of NumPy's is; None for nowhere."""

    fraction: Where | None = KERAS_3
    numpy: Where | None = NOWHERE
    error: str = "ValueError \"Cannot convert to a shape. Found invalid dimension '{value}' of type 'float'\""


OF_INPUTS = Refusal()
EXTENT = Where(tensorflow=">=2.4")
"""Where a float is no extent of a variable (tensorflow/python/framework/tensor_shape.py: Dimension, 1.0 before)."""
INDEX = 'or TypeError "Dimension value must be integer or None or have an __index__ method, got value \'{value}\'"'
STATE = 'ValueError "state_size must be an integer, or a list/tuple of integers"'
LAYERS: Mapping[str, Mapping[str, Refusal]] = {
    # keras/src/layers/core/dense.py: Dense.__init__ asks isinstance(units, int) since 3.13
    "Dense": {"units": Refusal(numpy=Where(keras=">=3.13"), error='ValueError "Received an invalid value for `units`, '
                               'expected a positive integer. Received: units={value}"')},
    # keras/src/layers/core/embedding.py and attention/multi_head_attention.py: likewise since 3.15
    "Embedding": dict.fromkeys(("input_dim", "output_dim"), Refusal(
        EXTENT, Where(keras=">=3.15"), f'ValueError "must be a positive integer. Received: {{value}}" {INDEX}')),
    "MultiHeadAttention": dict.fromkeys(("num_heads", "key_dim", "value_dim"), Refusal(
        numpy=Where(keras=">=3.15"), error='ValueError "expected a positive integer. Received: {value}"')),
    "GroupNormalization": {"groups": Refusal(Where(keras=">=3.15"), Where(keras=">=3.15"),
                                             'ValueError "expected a positive integer. Received: groups={value}"')},
    # keras/src/layers/rnn/rnn.py: RNN.__init__; a list of two states, which LSTM has, is not looked into
    "LSTM": {"units": Refusal(EXTENT, error=f"{Refusal().error} {INDEX}")},
    "GRU": {"units": Refusal(EXTENT, KERAS_3, f"{STATE} {INDEX}")},
    "SimpleRNN": {"units": Refusal(EXTENT, KERAS_3, f"{STATE} {INDEX}")},
    # keras/src/layers/reshaping/repeat_vector.py: RepeatVector.__init__, of every version; floats are told by the layer
    "RepeatVector": {"n": Refusal(NOWHERE, EVERYWHERE, 'TypeError "Expected an integer value for `n`"')},
    **{f"Conv{rank}D": {"groups": Refusal()} for rank in (1, 2, 3)},
}


INPUTS = ("shape", "batch_shape", "batch_size", "input_shape", "batch_input_shape", "input_dim", "input_length")
RUN = ("steps_per_epoch", "epochs", "initial_epoch", "batch_size", "steps", "validation_steps", "validation_batch_size")
"""Arguments of fit(), evaluate() and predict() (keras/src/trainers/epoch_iterator.py: range()); Keras 2 takes some."""
NUMPY = 'TypeError "object cannot be interpreted as an integer"'
TENSORFLOW = "TypeError, ValueError or InvalidArgumentError, as it is to be of integers"
SHAPES: Mapping[str, str] = {
    **dict.fromkeys(("zeros", "ones", "reshape", "broadcast_to", "random.normal", "random.uniform",
                     "random.truncated_normal"), "shape"),
    "fill": "dims", "tile": "multiples", "one_hot": "depth", "image.resize": "size", "image.random_crop": "size",
    "transpose": "perm", "repeat": "repeats", "split": "num_or_size_splits",
}
"""Functions of TensorFlow and which of their arguments makes extents, counts or names axes."""
ARRAYS: Mapping[str, str] = {
    **dict.fromkeys(("zeros", "ones", "empty", "full", "reshape"), "shape"), "linspace": "num", "eye": "N",
    **dict.fromkeys(("random.normal", "random.uniform", "random.randint", "random.random"), "size"),
    "transpose": "axes", "permute_dims": "axes", "tile": "reps",
}
"""The same of NumPy."""
OPS: Mapping[str, str] = {
    **dict.fromkeys(("zeros", "ones", "empty", "full", "broadcast_to"), "shape"), "reshape": "newshape",
    "tile": "repeats", "one_hot": "num_classes", "eye": "N", "identity": "n", "linspace": "num", "top_k": "k",
    **dict.fromkeys(("random.normal", "random.uniform", "random.truncated_normal", "random.randint"), "shape"),
    "transpose": "axes",
}
"""The same of keras.ops and keras.random, each run on TensorFlow, PyTorch and JAX with Keras 3.15."""
TAKING_FLOATS = frozenset({"linspace", "tile", "top_k"})
"""Those of keras.ops that take 2.0 on PyTorch or JAX, though none takes a text."""
BACKEND = "TypeError, ValueError or InvalidArgumentError, as every backend takes integers alone"
SPREAD = frozenset({"numpy.random.rand", "numpy.random.randn"})
"""Those of which each extent is an argument."""
CLASSES = frozenset({"keras.utils.to_categorical", "keras.utils.np_utils.to_categorical"})
"""Which make as many columns (numpy.zeros) as the argument num_classes says."""


_OF_TEXTS = {
    OF_INPUTS.error: "ValueError \"Cannot convert\" or TypeError \"Dimension value must be integer or None or have an "
                     "__index__ method, got value ''{value}''\"",
    NUMPY: "TypeError \"'str' object cannot be interpreted as an integer\"",
    TENSORFLOW: 'ValueError "Can\'t convert Python sequence with mixed types to Tensor", TypeError "Cannot convert" or '
                '"Dimension value must be integer"',
    BACKEND: BACKEND,
}
"""What is said of a float -> what is said of a text."""


def fractional_counts(arguments: Mapping[str, Any]) -> Iterator[Mismatch]:
    """What a run of a model refuses."""
    refusal = Refusal(error=NUMPY)
    for name in RUN:
        value = arguments.get(name)
        if isinstance(value, str):
            yield _told(f"{name} is the text {value!r}, not an integer", "make it one with int(); of a command line, "
                        "type=int", name, value, TEXT, EVERYWHERE)
        elif found := mismatch(name, value, refusal):
            yield found
    if isinstance(share := arguments.get("validation_split"), str):
        yield _told(f"validation_split is the text {share!r}, not a number", "make it one with float(); of a command "
                    "line, type=float", "validation_split", share,
                    "TypeError \"unsupported operand type(s) for -: 'float' and 'str'\"", EVERYWHERE)


TEXT = ("TypeError \"'str' object cannot be interpreted as an integer\", \"unsupported operand type(s)\" or \"not "
        'supported between instances of"')


def fractional_inputs(arguments: Mapping[str, Any]) -> Iterator[Mismatch]:
    """What an Input refuses, or a layer that is told the shape of its input."""
    return (found for name in INPUTS if name in arguments and (found := _extent(name, arguments[name], OF_INPUTS)))


WHOLE = Where(tensorflow=">=2.4")
"""Before, an extent of 1.0 was one of 1 to a TensorShape (tensorflow/python/framework/tensor_shape.py: Dimension)."""


def fractional_extent(path: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    """What a function that makes or reshapes a tensor refuses; it gives nothing then."""
    found = _fractional_extent(path, arguments)
    return replace(found, otherwise=None) if found is not None else None


def _fractional_extent(path: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    library, name, argument, error = _shaped_by(path)
    if path in SPREAD:
        return next((found for key, each in arguments.items() if isinstance(each, str | float)
                     and (found := _extent(key, each, Refusal(EVERYWHERE, error=NUMPY)))), None)
    if path in CLASSES:
        return _extent("num_classes", arguments["num_classes"], Refusal(EVERYWHERE, error=NUMPY))
    if not argument:
        return None
    value = arguments.get(argument)
    where: Where | None = WHOLE if path in ("tensorflow.zeros", "tensorflow.ones") else EVERYWHERE
    if library == "tensorflow" and isinstance(value, Tensor) and _is_of_floats(value):
        return _told(f"{argument} is a tensor of {value.dtype}, not of integers",
                     "tf.cast(..., tf.int32), or // where / divides", argument, value, TENSORFLOW, EVERYWHERE)
    if library == "keras" and name in TAKING_FLOATS:
        where = NOWHERE
    return _extent(argument, _packed(value) if library == "tensorflow" else value, Refusal(where, error=error))


@cache
def _shaped_by(path: str) -> tuple[str, str, str, str]:
    """The library of a function, its name there, its argument of extents ("" for none), and the error of others."""
    library, _, name = path.partition(".")
    table, error = TABLES.get(library, ({}, ""))
    name = name.removeprefix("ops.").removeprefix("numpy.").removeprefix("nn.") if library == "keras" else name
    return library, name, table.get(name, ""), error


def _is_of_floats(shape: Tensor) -> bool:
    """In a list, such a tensor is cast to an integer (run with TensorFlow 2.21)."""
    return shape.kind == "tf" and is_floating(shape.dtype) is True


TABLES: Mapping[str, tuple[Mapping[str, str], str]] = {
    "tensorflow": (SHAPES, TENSORFLOW), "numpy": (ARRAYS, NUMPY), "keras": (OPS, BACKEND)}
"""By library."""


def _packed(value: Any) -> Any:
    """`np.sqrt(16)` alone, or beside tensors, is made an int32, whatever its fraction; in a list of numbers it is none
    (tensorflow/python/ops/array_ops.py: _autopacking_helper; run with TensorFlow 2.21)."""
    if isinstance(value, NumpyFloat):
        return int(value) if math.isfinite(value) else value
    if not isinstance(value, list | tuple) or not any(isinstance(item, Tensor) for item in value):
        return value
    return tuple(map(_packed, value))


SMALL = 1000
"""Elements of which tf.zeros() in a graph makes a constant, if there are fewer, whose extents may be floats
(tensorflow/python/ops/array_ops.py: _constant_if_small; run with TensorFlow 2.21)."""


def small_in_graph(path: str, shape: Any) -> tuple[int, ...] | None:
    """The shape that `tf.zeros([3.0, 1.0])` has in a graph, where an eager one refuses it.

    >>> small_in_graph("tensorflow.zeros", (3.0, 1)), small_in_graph("tensorflow.ones", (40.0, 50.0))
    ((3, 1), None)
    """
    if path not in ("tensorflow.zeros", "tensorflow.ones") or not isinstance(shape, (list, tuple)) \
            or not all(isinstance(dim, (int, float)) for dim in shape) \
            or not any(isinstance(dim, float) for dim in shape):
        return None
    return tuple(map(int, shape)) if math.prod(shape) < SMALL else None


def _extent(name: str, value: Any, refusal: Refusal) -> Mismatch | None:
    items = value if isinstance(value, (list, tuple)) else (value,)
    if text := next((item for item in items if isinstance(item, str)), ""):
        return _text(name, value, text, refusal)
    odd = next((item for item in items if isinstance(item, float)), None)
    found = None if odd is None else mismatch(name, odd, refusal)
    if found is None or items is not value:
        return found
    return replace(found, message=f"{name} {show(value)} holds {odd}, not an integer")


def _text(name: str, value: Any, text: str, refusal: Refusal) -> Mismatch:
    """An extent that is a text, which none of the libraries takes for a number."""
    shown = f"{name} {show(value)} holds the text {text!r}" if value is not text else f"{name} is the text {text!r}"
    return _told(f"{shown}, not an integer", "make it one with int(); of a command line, type=int", name, text,
                 _OF_TEXTS.get(refusal.error, refusal.error), EVERYWHERE)


def fractional(path: str, arguments: Mapping[str, Any], base: Mapping[str, Any]) -> Iterator[Mismatch]:
    """What a layer refuses of the counts that it is given."""
    yield from fractional_inputs(base)
    layer = path.removeprefix("keras.layers.")
    for name, refusal in LAYERS.get(layer, {}).items():
        if found := mismatch(name, arguments.get(name), refusal):
            yield found
    if layer in TUPLES and type(one := arguments.get(name := TUPLES[layer])) is int:
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {one}, not a tuple", argument=name, help=f"({one},)",
                       error="TypeError \"'int' object is not iterable\"")
    for name in COUNTS.get(layer, ()):
        value = arguments.get(name)
        if isinstance(value, list | tuple):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {show(value)}, not a number", argument=name,
                           help=f"len(...) of it, or {value[0]}" if len(value) == 1 and isinstance(value[0], int) else
                           "len(...) of it", error=NO_NUMBER)
        elif isinstance(value, str):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is the text {value!r}, not a number", argument=name,
                           help="make it one with int()", error=NO_NUMBER,
                           where=KERAS_3 if layer == "Dense" and value.strip().isdigit() else EVERYWHERE)


TUPLES = {"Reshape": "target_shape", "Permute": "dims"}
"""Layers and which of their arguments is made a tuple of (keras/src/layers/reshaping/reshape.py, permute.py)."""
COUNTS: Mapping[str, tuple[str, ...]] = {
    "Dense": ("units",), "Embedding": ("input_dim", "output_dim"),
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN"), ("units",)),
    **{f"{kind}{rank}D": ("filters",) for kind in ("Conv", "SeparableConv") for rank in (1, 2)},
    **{f"Conv{rank}DTranspose": ("filters",) for rank in (1, 2, 3)}, "Conv3D": ("filters",),
}
"""Arguments that are one number; Dense of Keras 2 takes a text for the number that it is."""
NO_NUMBER = ('ValueError "a positive integer. Received:" or "Cannot convert" or TypeError "not supported between '
             'instances of" or "must be a string, a bytes-like object or a real number"')


def mismatch(name: str, value: Any, refusal: Refusal) -> Mismatch | None:
    if isinstance(value, float) and refusal.fraction is not None:
        return _told(f"{name} is {show(value)}, not an integer", "use // where / divides two integers", name, value,
                     refusal.error, refusal.fraction)
    if refusal.numpy is not None and _is_numpy(value):
        written = f"the NumPy integer {value}" if isinstance(value, int) else "a NumPy integer"
        return _told(f"{name} is {written}, not an int", "make it one with int()", name,
                     value if isinstance(value, int) else "...", refusal.error, refusal.numpy)
    return None


def _told(message: str, remedy: str, name: str, value: Any, error: str, where: Where) -> Mismatch:
    """The program goes on as if it were whole."""
    return Mismatch(Problem.INVALID_ARGUMENT, message, help=remedy, argument=name, error=error.format(value=value),
                    where=where, otherwise=True)


def _is_numpy(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.kind == "numpy" and value.shape == () and is_integer(value.dtype) is True
    return isinstance(value, NumpyInt)

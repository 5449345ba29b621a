"""Arguments of functions that are of another kind than is taken: an extent for a dtype, a tensor for an axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.ops.functions.dtypes import ALIASES, KNOWN
from cudnnlint.ops.misgiven_torch import refused
from cudnnlint.ops.whole import SPREAD, fractional_extent
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, Where, is_floating

MADE = frozenset({"zeros", "ones", "empty", "full"})
"""Functions of NumPy that take a dtype where people write a further extent."""
LISTED = frozenset({"array", "asarray"})
VECTORS = {**dict.fromkeys(("random.normal", "random.uniform", "random.truncated_normal", "broadcast_to"), "shape"),
           "tile": "multiples", "transpose": "perm"}
"""Functions of TensorFlow and which argument has to be a vector: a number alone is none."""
VECTOR = {"tile": '"Expected multiples to be 1-D, but got shape []"',
          "transpose": '"perm must be rank 1, got shape []"'}
VECTOR_SHAPE = '"shape must be a vector of {int32,int64}, got shape []"'
TAKEN_BY_NAME = frozenset({
    "bfloat16", "bool", "complex128", "complex64", "double", "float", "float16", "float32", "float4_e2m1fn", "float64",
    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "half", "int16", "int2",
    "int32", "int4", "int64", "int8", "qint16", "qint32", "qint8", "quint16", "quint8", "resource", "string", "uint16",
    "uint2", "uint32", "uint4", "uint64", "uint8", "variant"})
"""The texts that TensorFlow 2.21 takes for dtypes (tensorflow/python/framework/dtypes.py: _STRING_TO_TF)."""
AXIS = {
    "numpy": 'TypeError "only integer scalar arrays can be converted to a scalar index" or "object cannot be '
             'interpreted as an integer"',
    "tensorflow": "InvalidArgumentError \"Value for attr 'Tidx' of float is not in the list of allowed values\", "
                  "ValueError or TypeError",
    "keras": 'TypeError or ValueError, as an axis is an integer'}
OF_TEXT = {"numpy": "TypeError \"'str' object cannot be interpreted as an integer\"",
           "tensorflow": "InvalidArgumentError \"Value for attr 'Tidx' of string is not in the list of allowed "
                         "values\", TypeError or ValueError",
           "keras": "TypeError \"'str' object cannot be interpreted as an integer\", or what the backend says of it"}
OF_FLOAT = {"numpy": "TypeError \"'float' object cannot be interpreted as an integer\", \"integer argument expected, "
                     'got float" or "tuple indices must be integers"',
            "tensorflow": "TypeError \"Cannot convert 1.0 to EagerTensor of dtype int32\", InvalidArgumentError or "
                          "ValueError",
            "keras": "TypeError, ValueError or InvalidArgumentError, as an axis is an integer"}
TORCH_LISTS = frozenset({"cat", "concat", "concatenate", "stack", "vstack", "hstack", "dstack"})


SEQUENCE = 'ValueError "Can\'t convert non-rectangular Python sequence to Tensor."'
LENGTH = 'ValueError "expected sequence of length" or TypeError "not a sequence"'
INHOMOGENEOUS = ('ValueError "setting an array element with a sequence. The requested array has an inhomogeneous '
                 'shape"')
INHOMOGENEOUS_SINCE = ">=2.14"
"""The first TensorFlow that is installed with NumPy 1.24 or later, which does not make objects of such rows."""
CONVERTING: Mapping[str, tuple[str, str]] = {
    "tensorflow.constant": ("value", SEQUENCE), "tensorflow.convert_to_tensor": ("value", SEQUENCE),
    "tensorflow.Variable": ("initial_value", SEQUENCE), "torch.tensor": ("data", LENGTH),
    "torch.as_tensor": ("data", LENGTH), "numpy.array": ("object", INHOMOGENEOUS),
    "numpy.asarray": ("a", INHOMOGENEOUS)}
"""Functions that make tensors of nested lists -> the argument, and what is said of rows of several lengths."""


def _ragged(path: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    argument, error = CONVERTING[path]
    lengths = _lengths(arguments.get(argument))
    if lengths is None or (path.startswith("numpy.") and _may_be_object(arguments["dtype"])):
        return None  # NumPy keeps rows as objects where it is told to
    mismatch = _told(f"lists of {lengths[0]} and of {lengths[1]} elements are no rows of one tensor", argument,
                 "tf.ragged.constant, or pad_sequences()" if path.startswith("tensor") else
                 "rows of one length, such as pad_sequences() makes", error)
    return replace(mismatch, where=Where(tensorflow=INHOMOGENEOUS_SINCE)) if path.startswith("numpy.") else mismatch


def _may_be_object(dtype: Any) -> bool:
    return dtype is not None and (dtype not in KNOWN or dtype == "object")


def _lengths(value: Any) -> tuple[int, int] | None:
    """Two lengths of lists of numbers that are side by side."""
    if not isinstance(value, list | tuple) or len(value) < 2 or not all(
            isinstance(row, list | tuple) and all(isinstance(item, int | float) for item in row) for row in value):
        return None
    counts = sorted({len(row) for row in value})
    return (counts[0], counts[-1]) if len(counts) > 1 else None


def misgiven(path: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    """What a function refuses of what it is given, before anything is computed."""
    library, _, name = path.partition(".")
    if found := fractional_extent(path, arguments):
        return found
    if path in CONVERTING and (found := _ragged(path, arguments)):
        return found
    if library == "numpy":
        return _numpy(path, name, arguments)
    if library == "tensorflow" and not name.startswith("compat."):
        return _tensorflow(name, arguments)
    if path.startswith("keras.ops."):
        return _axis(library, path, arguments)
    if path == "torch.from_numpy":
        return _of_arrays_only(arguments["data"])
    return _torch(name, arguments) if library == "torch" else None


def _torch(name: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    if name in TORCH_LISTS and isinstance(arguments.get("tensors"), Tensor):
        return _told(f"torch.{name} is given a tensor, {arguments['tensors']}, not a list of tensors", "tensors",
                     f"torch.{name}([...])", f"TypeError \"{name}(): argument 'tensors' (position 1) must be tuple of "
                     "Tensors, not Tensor\"") if _is_single(arguments["tensors"]) else None
    return refused(name, arguments)


def _of_arrays_only(data: Any) -> Mismatch | None:
    kind = "Tensor" if isinstance(data, Tensor) and data.kind == "torch" and isinstance(data.shape, tuple) else \
        type(data).__name__ if isinstance(data, list | tuple | int | float) else ""
    return _told(f"torch.from_numpy is given {'an' if kind == 'int' else 'a'} {kind}, not an array", "data",
                 "torch.as_tensor", f'TypeError "expected np.ndarray (got {kind})"') if kind else None


def _is_single(tensor: Tensor) -> bool:
    """A tensor of PyTorch of which some extent is known, so that it certainly is none that stands for a list."""
    return tensor.kind == "torch" and isinstance(tensor.shape, tuple)


def _numpy(path: str, name: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    if name in MADE or name in LISTED:
        dtype = arguments.get("dtype")
        if isinstance(dtype, int | float | Tensor) and not isinstance(dtype, bool):
            error = "Cannot construct a dtype from an array" if isinstance(dtype, Tensor) else \
                f"Cannot interpret '{dtype}' as a data type"
            return _told(f"np.{name} is given {_shown(dtype)} for its dtype", "dtype",
                         "the shape is one tuple" if name in MADE else "the elements are one list",
                         f'TypeError "{error}"')
    if path in SPREAD and isinstance(first := arguments.get("d0"), list | tuple):
        return _told(f"np.{name} is given {show(first)[:40]}, its extents are arguments of their own", "d0",
                     f"np.{name}(*shape), or np.random.random(shape)" if name == "random.rand" else
                     f"np.{name}(*shape), or np.random.standard_normal(shape)",
                     f"TypeError \"'{type(first).__name__}' object cannot be interpreted as an integer\"")
    if name == "reshape" and isinstance(order := arguments.get("order"), int):
        return _told(f"np.reshape is given {order} for its order: the shape is one tuple", "order",
                     f"np.reshape(x, ({show(arguments.get('shape'))}, {order}, ...))",
                     f'TypeError "order must be str, not {type(order).__name__}"')
    if path == "numpy.random.randint":
        return _of_no_integer(arguments["low"], arguments["high"])
    return _misspelt(arguments) or _axis("numpy", path, arguments)


def _of_no_integer(low: Any, high: Any) -> Mismatch | None:
    """`np.random.randint(8, 0)`, which draws from [low, high), or from [0, low) with one argument."""
    least, end = (0, low) if high is None else (low, high)
    if type(least) is not int or type(end) is not int or least < end:
        return None
    return _told(f"np.random.randint draws from {least} up to {end}, which is left out: from nothing", "high",
                 f"np.random.randint({end}, {least})" if end < least else "",
                 'ValueError "low >= high"' if high is not None else 'ValueError "high <= 0"')


def _tensorflow(name: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    argument = VECTORS.get(name, "")
    value = arguments.get(argument)
    if isinstance(value, int) and not isinstance(value, bool):
        return _told(f"tf.{name} is given {value} for its {argument}, which is a list", argument, f"[{value}, ...]",
                     f"InvalidArgumentError {VECTOR.get(name, VECTOR_SHAPE)} or in a graph ValueError \"Shape must be "
                     'rank 1 but is rank 0"')
    if name == "concat" and type(arguments["values"]) is int and isinstance(arguments["axis"], list | tuple):
        return _told(f"tf.concat is given {arguments['values']} for its values and a list for its axis", "axis",
                     f"tf.concat(values, {arguments['values']}), the other way round",
                     'ValueError "must have rank 0" or TypeError "Expected int32, got list containing Tensors"')
    dtype = arguments.get("dtype")
    if isinstance(dtype, str) and dtype not in TAKEN_BY_NAME and not dtype.endswith("_ref"):
        meant = ALIASES.get(dtype, "") or _close(dtype)
        advice = f'did you mean "{meant}"?' if meant else ""
        return _told(f'tf.{name}: "{dtype}" is no dtype of TensorFlow', "dtype", advice,
                     f"TypeError \"Cannot convert the argument `type_value`: '{dtype}' to a TensorFlow DType\"")
    return _axis("tensorflow", f"tf.{name}", arguments)


def _misspelt(arguments: Mapping[str, Any]) -> Mismatch | None:
    """NumPy takes many texts for dtypes: only those that are nearly a name and none are told."""
    dtype = arguments.get("dtype")
    if not isinstance(dtype, str) or dtype in KNOWN or dtype in ALIASES or not (meant := _close(dtype)):
        return None
    return _told(f'"{dtype}" is not the name of a dtype', "dtype", f'did you mean "{meant}"?',
                 f"TypeError \"data type '{dtype}' not understood\"")


def _close(dtype: str) -> str:
    """A name of the same letters, the last digits too.

    >>> _close("flaot32"), _close("float23"), _close("float128"), _close("<f4")
    ('float32', 'float32', '', '')
    """
    return next((name for name in sorted(KNOWN) if sorted(name) == sorted(dtype)), "")


def _axis(library: str, path: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    """Several axes in a vector of integers are taken by np.flip, np.median and all of TensorFlow's."""
    axis = arguments.get("axis")
    if isinstance(axis, str) and type(next(iter(arguments.values()))) is Unknown and library == "tensorflow":
        return None  # a type of the program's own may take it: tf.experimental.dispatch_for_api
    if isinstance(axis, str) and path not in TAKING_TEXTS and not path.startswith("numpy.linalg."):  # takes int(axis)
        return _told(f"{path.replace('numpy.', 'np.', 1)} is given the text {axis!r} for its axis", "axis",
                     "an axis is an integer", OF_TEXT[library])
    if isinstance(axis, float) and path.removeprefix("tf.") not in TAKING_FLOATS:
        return _told(f"{path.replace('numpy.', 'np.', 1)} is given {axis} for its axis", "axis",
                     "an axis is an integer: // where / divides", OF_FLOAT[library])
    if not isinstance(axis, Tensor) or not isinstance(axis.shape, tuple) or not axis.shape or axis.shape == (1,):
        return None
    if is_floating(axis.dtype) is not True and (library == "tensorflow" or len(axis.shape) == 1):
        return None
    shown = path.replace("numpy.", "np.", 1)
    return _told(f"{shown} is given {axis} for its axis", "axis",
                 f"{shown}([a, b]) takes a list" if shown.rpartition(".")[2] in JOINING else "an axis is an integer",
                 AXIS[library])


TAKING_TEXTS = frozenset(f"keras.ops.{room}{name}" for room in ("", "numpy.") for name in ("sort", "argsort"))
"""Those of keras.ops that take "1" for an axis on TensorFlow: all others with an axis were run and refuse it."""
TAKING_FLOATS = TAKING_TEXTS | frozenset({
    "numpy.linspace", "numpy.logspace", "numpy.geomspace", "numpy.linalg.norm", "stack", "sort", "argsort",
    "one_hot", "squeeze", "math.bincount", "signal.dct", "signal.idct",
    *(f"keras.ops.{name}" for name in ("one_hot", "nn.one_hot", "stack", "numpy.stack", "multi_hot",
                                          "nn.multi_hot", "linspace", "numpy.linspace", "logspace", "numpy.logspace",
                                          "geomspace", "numpy.geomspace"))})
"""Those that take 1.0 for an axis, of keras.ops on some backend: all others with an axis were run and refuse it."""
JOINING = frozenset({"concatenate", "concat", "stack"})


def _shown(value: Any) -> str:
    return f"a tensor, {value}," if isinstance(value, Tensor) else str(value)


def _told(message: str, argument: str, help: str, error: str) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, message, help=help, error=error, argument=argument)

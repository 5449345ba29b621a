"""New tensors of a given shape: zeros, ones, full, eye, their _like forms, one_hot."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import as_dim
from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import extents, find_axis, new_shape, number, size_of, sizes
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, as_dtype
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Tensor, Unknown, is_floating
from cudnnlint.values.unknown import ClassCount

FLOATX = "float32"
DEFAULT: dict[Library, str] = {"tf": "float32", "numpy": "float64", "keras": FLOATX}


def new(shape: Any, dtype: Any, library: Library, name: str, default: DType | None = None) -> Outcome:
    """A tensor of `shape` whose elements are not kept: numpy arrays and variables are written to.

    >>> print(new([2, 3], None, "numpy", "np.zeros"))
    float64[2, 3]
    """
    found = new_shape(shape, name)
    if isinstance(found, Mismatch):
        return found
    return Tensor(found, as_dtype(dtype, DEFAULT[library] if default is None else default, library))


def full(shape: Any, value: Any, dtype: Any, library: Library, name: str, default: DType | None = None) -> Outcome:
    """tf.fill and np.full: the value's dtype unless given; tf's elements are kept when few."""
    item = as_tensor(value, library)
    own = item.dtype if isinstance(item, Tensor) else Unknown("fill value")
    made = new(shape, dtype, library, name, own if default is None else default)
    if library != "tf" or not isinstance(made, Tensor) or not isinstance(item, Tensor) or item.content is None:
        return made
    if not isinstance(made.shape, tuple) or isinstance(item.content, tuple):
        return made
    known = tuple(dim for dim in made.shape if isinstance(dim, int))
    if len(known) != len(made.shape):
        return made
    return made.with_(content=contents.cast(contents.folded(item.content, known), made.dtype))


def like(value: Any, dtype: Any, library: Library, shape: Any = None) -> Outcome:
    x = as_tensor(value, library)
    if isinstance(x, Unknown):
        return Tensor(x if shape is None else sizes(shape), as_dtype(dtype, x, library))
    found = x.shape if shape is None else sizes(shape)
    return x.with_(shape=found, dtype=as_dtype(dtype, x.dtype, library))


@function("tensorflow.zeros")
def tf_zeros(shape: Any, dtype: Any = "float32", name: Any = None, layout: Any = None) -> Outcome:
    return _constant(shape, 0, dtype, "tf.zeros")


@function("tensorflow.ones")
def tf_ones(shape: Any, dtype: Any = "float32", name: Any = None, layout: Any = None) -> Outcome:
    return _constant(shape, 1, dtype, "tf.ones")


def _constant(shape: Any, value: int, dtype: Any, name: str) -> Outcome:
    """The elements of integers are kept, which may be joined to a shape: `tf.concat([tf.shape(x)[:1], tf.ones(2,
    tf.int32)], 0)`.
    """
    made = new(shape, dtype, "tf", name)
    return full(shape, value, dtype, "tf", name) if isinstance(made, Tensor) and made.dtype in contents.INTEGER_BITS \
        else made


@function("numpy.zeros", "numpy.ones", "numpy.empty")
def np_zeros(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Outcome:
    return new(shape, dtype, "numpy", "np.zeros")


@function(*paths.ops("zeros"), *paths.ops("ones"), *paths.ops("empty"))
def keras_zeros(shape: Any, dtype: Any = None) -> Outcome:
    return new(shape, dtype, "keras", "keras.ops.zeros")


@function("keras.backend.zeros", "keras.backend.ones")
def backend_zeros(shape: Any, dtype: Any = None, name: Any = None) -> Outcome:
    return new(shape, dtype, "keras", "keras.backend.zeros")


@function("tensorflow.fill")
def tf_fill(dims: Any, value: Any, name: Any = None, layout: Any = None) -> Outcome:
    return full(dims, value, None, "tf", "tf.fill")


@function("numpy.full")
def np_full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None,
            like: Any = None) -> Outcome:
    return full(shape, fill_value, dtype, "numpy", "np.full")


@function(*paths.ops("full"))
def keras_full(shape: Any, fill_value: Any, dtype: Any = None) -> Outcome:
    return full(shape, fill_value, dtype, "keras", "keras.ops.full", FLOATX)


@function("tensorflow.zeros_like", "tensorflow.ones_like")
def tf_zeros_like(input: Any, dtype: Any = None, name: Any = None, layout: Any = None) -> Outcome:
    return like(input, dtype, "tf")


@function("numpy.zeros_like", "numpy.ones_like")
def np_zeros_like(a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *,
                  device: Any = None) -> Outcome:
    return like(a, dtype, "numpy", shape)


@function("numpy.empty_like")
def np_empty_like(prototype: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *,
                  device: Any = None) -> Outcome:
    return like(prototype, dtype, "numpy", shape)


@function("numpy.full_like")
def np_full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *,
                 device: Any = None) -> Outcome:
    return like(a, dtype, "numpy", shape)


@function(*paths.ops("zeros_like"), *paths.ops("ones_like"), *paths.ops("empty_like"))
def keras_zeros_like(x: Any, dtype: Any = None) -> Outcome:
    return like(x, dtype, "keras")


@function(*paths.ops("full_like"))
def keras_full_like(x: Any, fill_value: Any, dtype: Any = None) -> Outcome:
    return like(x, dtype, "keras")


@function("keras.backend.zeros_like", "keras.backend.ones_like")
def backend_zeros_like(x: Any, dtype: Any = None, name: Any = None) -> Outcome:
    return like(x, dtype, "keras")


def eye(rows: Any, columns: Any, dtype: Any, library: Library, name: str, batch: Any = ()) -> Outcome:
    second = rows if columns is None else columns
    lead = () if batch is None else extents(batch)
    if isinstance(lead, Unknown):
        return Tensor(lead, as_dtype(dtype, DEFAULT[library], library))
    return new((*lead, as_dim(rows), as_dim(second)), dtype, library, name)


@function("tensorflow.eye", "tensorflow.linalg.eye")
def tf_eye(num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = "float32",
           name: Any = None) -> Outcome:
    return eye(num_rows, num_columns, dtype, "tf", "tf.eye", batch_shape)


@function("numpy.eye")
def np_eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: Any = "C", *,
           device: Any = None, like: Any = None) -> Outcome:
    return eye(N, M, dtype, "numpy", "np.eye")


@function("numpy.tri")
def np_tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, *, like: Any = None) -> Outcome:
    return eye(N, M, dtype, "numpy", "np.tri")


@function("numpy.identity")
def np_identity(n: Any, dtype: Any = None, *, like: Any = None) -> Outcome:
    return eye(n, None, dtype, "numpy", "np.identity")


@function(*paths.ops("eye"), *paths.ops("tri"))
def keras_eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Outcome:
    return eye(N, M, dtype, "keras", "keras.ops.eye")


@function(*paths.ops("identity"))
def keras_identity(n: Any, dtype: Any = None) -> Outcome:
    return eye(n, None, dtype, "keras", "keras.ops.identity")


@function("keras.backend.eye")
def backend_eye(size: Any, dtype: Any = None, name: Any = None) -> Outcome:
    return eye(size, None, dtype, "keras", "keras.backend.eye")


def one_hot(indices: Any, depth: Any, axis: Any, dtype: DType, library: Library, name: str) -> Outcome:
    """A new axis of `depth`, last unless `axis` says where.

    >>> print(one_hot(Tensor((32,), "int32"), 10, -1, "float32", "tf", "tf.one_hot"))
    float32[32, 10]
    """
    x = as_tensor(indices, library)
    if isinstance(x, Unknown):
        return Tensor(x, dtype)
    if library == "tf" and is_floating(x.dtype) and x.kind != "numpy":  # NumPy floats are converted
        return Mismatch(Problem.DTYPE, f"{name} needs integer indices, got {x}", help="tf.cast them to int32",
                        error='InvalidArgumentError "is not in the list of allowed values" or in a graph TypeError '
                              f'"has DataType {x.dtype} not in list of allowed values"',
                        argument="indices", facts=(("dtype", x.dtype),))
    if isinstance(x.shape, Unknown):
        return x.with_(dtype=dtype)
    place = find_axis(-1 if axis is None else axis, len(x.shape) + 1, name, x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=place, dtype=dtype)
    count = number(depth)
    if library == "tf" and isinstance(count, int) and count < 0:
        return Mismatch(Problem.NON_POSITIVE, f"depth is {count}", argument="depth",
                        help="depth is the number of classes",
                        error='InvalidArgumentError "depth must be non-negative" or ValueError "must be non-negative"')
    size: Dim = count if isinstance(count, int) and count >= 0 else ClassCount("depth")
    return x.with_(shape=(*x.shape[:place], size, *x.shape[place:]), dtype=dtype)


@function("tensorflow.one_hot")
def tf_one_hot(indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None,
               dtype: Any = None, name: Any = None) -> Outcome:
    given = on_value if on_value is not None else off_value
    value = as_tensor(given, "tf") if given is not None else None
    default: DType = "float32" if value is None else value.dtype if isinstance(value, Tensor) else value
    return one_hot(indices, depth, axis, as_dtype(dtype, default), "tf", "tf.one_hot")


@function(*paths.ops("one_hot", "nn"), versions={"sparse": ">=3.2"})
def keras_one_hot(x: Any, num_classes: Any, axis: Any = -1, dtype: Any = None, sparse: Any = False) -> Outcome:
    return one_hot(x, num_classes, axis, as_dtype(dtype, FLOATX), "keras", "keras.ops.one_hot")


@function("keras.backend.one_hot")
def backend_one_hot(indices: Any, num_classes: Any) -> Outcome:
    return one_hot(indices, num_classes, -1, FLOATX, "keras", "keras.backend.one_hot")


@function("tensorflow.sequence_mask")
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = "bool", name: Any = None) -> Outcome:
    x = as_tensor(lengths, "tf")
    found = as_dtype(dtype, "bool")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return Tensor(Unknown("lengths"), found)
    longest = size_of(maxlen) if maxlen is not None else Unknown("the longest length")
    if maxlen is None and isinstance(x.content, tuple) and all(isinstance(item, int) for item in x.content):
        longest = max(x.content, default=0)
    return x.with_(shape=(*x.shape, longest), dtype=found)

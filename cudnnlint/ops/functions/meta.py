"""What a tensor is rather than what is in it: shape, size, rank, cast, identity."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal, meet, product
from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import find_axis, shown, sizes
from cudnnlint.ops.functions.constants import converted
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.creation import FLOATX
from cudnnlint.ops.functions.dtypes import NUMERIC, Library, as_dtype
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import FREE, Mismatch, Problem, Symbol, Tensor, Unknown


def shape_tensor(value: Any, dtype: Any) -> Outcome:
    """tf.shape: a vector whose elements are the extents.

    >>> shape_tensor(Tensor((2, 3), "float32"), None).content
    (2, 3)
    """
    x = as_tensor(value, "tf")
    if isinstance(x, Unknown):
        return x
    found = as_dtype(dtype, "int32")
    if isinstance(x.shape, Unknown):
        return x.with_(shape=(Unknown("rank"),), dtype=found)
    return x.with_(shape=(len(x.shape),), dtype=found, content=contents.small(x.shape))


@function("tensorflow.shape")
def tf_shape(input: Any, out_type: Any = None, name: Any = None) -> Outcome:
    return shape_tensor(input, out_type)


@function("keras.backend.shape")
def backend_shape(x: Any) -> Outcome:
    return shape_tensor(x, None)


def plain_shape(value: Any, library: Library) -> Outcome:
    """The shape as a Python tuple: numbers and free extents."""
    x = as_tensor(value, library)
    return x if isinstance(x, Unknown) else x.shape


@function("numpy.shape")
def np_shape(a: Any) -> Outcome:
    return plain_shape(a, "numpy")


@function("keras.ops.shape")
def keras_shape(x: Any) -> Outcome:
    return plain_shape(x, "keras")


@function("keras.backend.int_shape")
def int_shape(x: Any) -> Outcome:
    """A free extent is None."""
    found = plain_shape(x, "keras")
    return tuple(None if isinstance(dim, Symbol) else dim for dim in found) if isinstance(found, tuple) else found


def size_tensor(value: Any, dtype: Any) -> Outcome:
    x = as_tensor(value, "tf")
    if isinstance(x, Unknown):
        return x
    total = Unknown("rank") if isinstance(x.shape, Unknown) else product(x.shape)
    return x.with_(shape=(), dtype=as_dtype(dtype, "int32"), content=None if isinstance(total, Unknown) else total)


@function("tensorflow.size")
def tf_size(input: Any, out_type: Any = None, name: Any = None) -> Outcome:
    return size_tensor(input, out_type)


@function("numpy.size")
def np_size(a: Any, axis: Any = None) -> Outcome:
    """A Python int."""
    x = as_tensor(a, "numpy")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return Unknown("size")
    if axis is None:
        return product(x.shape)
    place = find_axis(axis, len(x.shape), "np.size", x)
    return x.shape[place] if isinstance(place, int) else place


@function(*paths.ops("size"))
def keras_size(x: Any) -> Outcome:
    return size_tensor(x, "int32")


@function("keras.backend.count_params")
def count_params(x: Any) -> Outcome:
    return np_size(x)


@function("tensorflow.rank")
def tf_rank(input: Any, name: Any = None) -> Outcome:
    x = as_tensor(input, "tf")
    return x if isinstance(x, Unknown) else x.with_(shape=(), dtype="int32", content=x.rank)


def plain_rank(value: Any, library: Library) -> Outcome:
    x = as_tensor(value, library)
    return Unknown("rank") if isinstance(x, Unknown) or x.rank is None else x.rank


@function("numpy.ndim")
def np_ndim(a: Any) -> Outcome:
    return plain_rank(a, "numpy")


@function("numpy.isscalar")
def np_isscalar(element: Any) -> Outcome:
    """Whether it is a number or a text of Python's; what indexing an array gives may be a number of NumPy's."""
    if isinstance(element, Unknown) or (isinstance(element, Tensor) and element.rank in (0, None)):
        return Unknown("isscalar")
    return isinstance(element, bool | int | float | complex | str | bytes)


@function(*paths.ops("ndim"), "keras.backend.ndim")
def keras_ndim(x: Any) -> Outcome:
    return plain_rank(x, "keras")


@function("keras.backend.dtype")
def backend_dtype(x: Any) -> Outcome:
    """Of numbers there is none: the attribute is missing (tf_keras/src/backend.py: dtype)."""
    return x.dtype if isinstance(x, Tensor) else Unknown("dtype of what is no tensor")


@function("keras.ops.dtype")
def dtype_of(x: Any) -> Outcome:
    tensor = as_tensor(x, "keras")
    return tensor if isinstance(tensor, Unknown) else tensor.dtype


@function("tensorflow.cast", "tensorflow.dtypes.cast")
def tf_cast(x: Any, dtype: Any, name: Any = None) -> Outcome:
    """Texts are no numbers (tensorflow/core/kernels/cast_op.cc: CastOpBase::Unimplemented)."""
    given, wanted = as_tensor(x, "tf"), as_dtype(dtype, Unknown(), "tf")
    if not isinstance(given, Tensor):
        return converted(x, dtype, "tf")
    found = given.dtype
    if not (found == "string" and wanted in NUMERIC) and not (found in NUMERIC and wanted == "string"):
        return converted(x, dtype, "tf")
    advice = f"tf.strings.to_number(..., tf.{wanted})" if found == "string" else "tf.strings.as_string(...)"
    return Mismatch(Problem.DTYPE, f"tf.cast of {given} to {wanted}", help=advice,
                    error=f'UnimplementedError "Cast {found} to {wanted} is not supported"',
                    otherwise=given.with_(dtype=wanted, content=None))


@function("tensorflow.saturate_cast", "tensorflow.dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: Any = None) -> Outcome:
    return converted(value, dtype, "tf")


@function("keras.ops.cast", "keras.ops.saturate_cast", "keras.backend.cast")
def keras_cast(x: Any, dtype: Any) -> Outcome:
    return converted(x, dtype, "keras")


@function("keras.backend.cast_to_floatx")
def cast_to_floatx(x: Any) -> Outcome:
    return converted(x, FLOATX, "keras")


@function("tensorflow.identity", "tensorflow.stop_gradient", "tensorflow.guarantee_const")
def tf_identity(input: Any, name: Any = None) -> Outcome:
    return as_tensor(input, "tf")


@function("keras.ops.stop_gradient")
def keras_stop_gradient(variable: Any) -> Outcome:
    return as_tensor(variable, "keras")


@function("keras.backend.stop_gradient")
def backend_stop_gradient(variables: Any) -> Outcome:
    return variables if isinstance(variables, (list, tuple)) else as_tensor(variables, "keras")


@function("keras.backend.print_tensor")
def print_tensor(x: Any, message: Any = "", summarize: Any = 3) -> Outcome:
    return as_tensor(x, "keras")


@function("tensorflow.ensure_shape")
def ensure_shape(x: Any, shape: Any, name: Any = None) -> Outcome:
    """The tensor with what `shape` adds; None says nothing.

    >>> print(ensure_shape(Tensor((FREE, 28), "float32"), (None, 28)))
    float32[None, 28]
    """
    tensor, wanted = as_tensor(x, "tf"), sizes(shape)
    if isinstance(tensor, Unknown):
        return Tensor(wanted, tensor)
    if isinstance(wanted, Unknown) or isinstance(tensor.shape, Unknown):
        return tensor.with_(shape=tensor.shape if isinstance(wanted, Unknown) else wanted)
    if len(wanted) != len(tensor.shape) or not all(map(may_equal, tensor.shape, wanted)):
        return Mismatch(Problem.RESHAPE, f"tf.ensure_shape: {tensor} is not {shown(wanted)}",
                        error='InvalidArgumentError "Shape of tensor is not compatible with expected shape"',
                        argument="shape", facts=(("actual", tensor.shape), ("expected", wanted)))
    return tensor.with_(shape=tuple(have if want == FREE else meet(have, want)
                                    for have, want in zip(tensor.shape, wanted, strict=True)), content=tensor.content)


@function("tensorflow.broadcast_static_shape", "tensorflow.broadcast_dynamic_shape")
def broadcast_shapes(shape_x: Any, shape_y: Any) -> Outcome:
    found = broadcast(sizes(shape_x), sizes(shape_y))
    return Unknown("shapes that do not broadcast") if found is None else found


@function("tensorflow.compat.dimension_value", "tensorflow.dimension_value")
def dimension_value(dimension: Any) -> Outcome:
    """A Dimension of TensorFlow 1 as the number that it is (tensorflow/python/framework/tensor_shape.py)."""
    return dimension if isinstance(dimension, int) or dimension is None else Unknown("an extent")


@function("tensorflow.is_tensor", "keras.ops.is_tensor")
def is_tensor(x: Any) -> Outcome:
    if isinstance(x, Tensor):
        return True if x.kind != "numpy" else Unknown("an array or a tensor")
    return Unknown("is_tensor") if isinstance(x, Unknown) else False

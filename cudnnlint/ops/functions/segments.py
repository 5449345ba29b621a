"""tf.*: rows counted, cut into segments and put together again; bits and complex numbers."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions._core import known_size, number, numbers
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.elementwise import binary
from cudnnlint.ops.functions.index import getitem
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Tensor, Unknown

WIDTHS = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "uint32": 4,
          "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16}


@function("tensorflow.math.confusion_matrix")
def confusion_matrix(labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None,
                     dtype: Any = "int32", name: Any = None) -> Outcome:
    """
    >>> print(confusion_matrix([0, 1], [1, 1], 3))
    int32[3, 3]
    """
    count = Unknown("the largest class") if num_classes is None else known_size(number(num_classes))
    return Tensor((count, count), as_dtype(dtype, "int32"))


@function("tensorflow.compat.v1.math.confusion_matrix", "tensorflow.compat.v1.confusion_matrix")
def v1_confusion_matrix(labels: Any, predictions: Any, num_classes: Any = None, dtype: Any = "int32",
                        name: Any = None, weights: Any = None) -> Outcome:
    return confusion_matrix(labels, predictions, num_classes, weights, dtype)


@function("tensorflow.math.bincount")
def bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = "int32",
             name: Any = None, axis: Any = None, binary_output: Any = False) -> Outcome:
    if axis is not None or weights is not None:
        return Unknown("tf.math.bincount")
    x, least, most = as_tensor(arr, "tf"), number(minlength), number(maxlength)
    items = contents.flat(x.content) if isinstance(x, Tensor) else None
    size: Dim = Unknown("the largest value")
    if items and all(type(item) is int and item >= 0 for item in items):
        found = max(items) + 1
        found = max(found, least) if isinstance(least, int) else found
        size = min(found, most) if isinstance(most, int) else found
    elif isinstance(least, int) and least == most:
        size = least
    return Tensor((size,), as_dtype(dtype, "int32"))


@function("tensorflow.searchsorted")
def searchsorted(sorted_sequence: Any, values: Any, side: Any = "left", out_type: Any = "int32",
                 name: Any = None) -> Outcome:
    """A place for each value."""
    x, dtype = as_tensor(values, "tf"), as_dtype(out_type, "int32")
    return x.with_(dtype=dtype) if isinstance(x, Tensor) else Tensor(x, dtype)


@function("tensorflow.histogram_fixed_width")
def histogram_fixed_width(values: Any, value_range: Any, nbins: Any = 100, dtype: Any = "int32",
                          name: Any = None) -> Outcome:
    return Tensor((known_size(number(nbins)),), as_dtype(dtype, "int32"))


@function("tensorflow.dynamic_partition")
def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: Any = None) -> Outcome:
    """A list of as many parts, each of rows that nobody counts."""
    count, places = number(num_partitions), as_tensor(partitions, "tf")
    x = as_tensor(data, "tf")
    if not isinstance(count, int) or not 0 < count <= 1024 or not isinstance(x, Tensor) \
            or not isinstance(places, Tensor) or places.rank is None or not isinstance(x.shape, tuple):
        return Unknown("tf.dynamic_partition")
    rest = x.shape[places.rank:]
    return [x.with_(shape=(Unknown("rows of a part"), *rest)) for _ in range(count)]


@function("tensorflow.dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: Any = None) -> Outcome:
    """As many rows as the largest index says."""
    if not isinstance(indices, list | tuple) or not isinstance(data, list | tuple) or not data:
        return Unknown("tf.dynamic_stitch")
    x, first = as_tensor(data[0], "tf"), as_tensor(indices[0], "tf")
    if not isinstance(x, Tensor) or not isinstance(first, Tensor) or first.rank is None \
            or not isinstance(x.shape, tuple):
        return Unknown("tf.dynamic_stitch")
    places = [as_tensor(one, "tf") for one in indices]
    found = [contents.flat(one.content) if isinstance(one, Tensor) else None for one in places]
    flat = [item for items in found for item in items or (None,)]
    count: Dim = max(flat) + 1 if all(type(item) is int for item in flat) else Unknown("the largest index")
    return x.with_(shape=(count, *x.shape[first.rank:]))


@function("tensorflow.strided_slice")
def strided_slice(input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: Any = 0, end_mask: Any = 0,
                  ellipsis_mask: Any = 0, new_axis_mask: Any = 0, shrink_axis_mask: Any = 0, var: Any = None,
                  name: Any = None) -> Outcome:
    """`input_[begin:end:strides]`, axis by axis."""
    x, starts, stops = as_tensor(input_, "tf"), numbers(begin), numbers(end)
    if not isinstance(x, Tensor) or isinstance(starts, Unknown) or isinstance(stops, Unknown):
        return Unknown("tf.strided_slice")
    steps = numbers(strides) if strides is not None else (1,) * len(starts)
    plain = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask) == (0,) * 5
    if not plain or isinstance(steps, Unknown) or not len(starts) == len(stops) == len(steps):
        return Unknown("tf.strided_slice")
    return getitem(x, tuple(slice(*part) for part in zip(starts, stops, steps, strict=True)))


@function("tensorflow.bitcast")
def bitcast(input: Any, type: Any, name: Any = None) -> Outcome:
    """The same bits: the same shape where both are as wide."""
    x, dtype = as_tensor(input, "tf"), as_dtype(type, Unknown("dtype"))
    if not isinstance(x, Tensor) or isinstance(dtype, Unknown) or isinstance(x.dtype, Unknown):
        return Unknown("tf.bitcast")
    wide = WIDTHS.get(x.dtype), WIDTHS.get(dtype)
    return x.with_(shape=x.shape if wide[0] is not None and wide[0] == wide[1] else Unknown("bits"), dtype=dtype)


def _bits(op: str) -> Any:
    def build(x: Any, y: Any, name: Any = None) -> Outcome:
        return binary(op, x, y, "tf", "tf.bitwise")

    return build


for _name, _op in {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<",
                   "right_shift": ">>"}.items():
    function(f"tensorflow.bitwise.{_name}")(_bits(_op))


@function("tensorflow.complex", "tensorflow.dtypes.complex")
def complex_(real: Any, imag: Any, name: Any = None) -> Outcome:
    """
    >>> print(complex_(Tensor((3,), "float64"), Tensor((3,), "float64")))
    complex128[3]
    """
    made = binary("+", real, imag, "tf", "tf.complex")
    if not isinstance(made, Tensor):
        return made
    dtype: DType = {"float32": "complex64", "float64": "complex128"}.get(str(made.dtype), Unknown("dtype"))
    return made.with_(dtype=dtype)


@function("tensorflow.quantization.fake_quant_with_min_max_args")
def fake_quant_args(inputs: Any, min: Any = -6, max: Any = 6, num_bits: Any = 8, narrow_range: Any = False,
                    name: Any = None) -> Outcome:
    x = as_tensor(inputs, "tf")
    return x.with_() if isinstance(x, Tensor) else x


@function("tensorflow.quantization.fake_quant_with_min_max_vars")
def fake_quant_vars(inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False,
                    name: Any = None) -> Outcome:
    x = as_tensor(inputs, "tf")
    return x.with_() if isinstance(x, Tensor) else x

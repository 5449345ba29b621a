"""tf.strings: what becomes of the shape of tensors of text; ragged results are not followed."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.reduce import reduced, same
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import FREE, DType, Tensor, Unknown


def _each(value: Any, dtype: DType = "string") -> Outcome:
    """One result for each element."""
    x = as_tensor(value, "tf")
    return x if isinstance(x, Unknown) else x.with_(dtype=dtype)


@function("tensorflow.strings.as_string", "tensorflow.as_string")
def as_string(input: Any, precision: Any = -1, scientific: Any = False, shortest: Any = False, width: Any = -1,
              fill: Any = "", name: Any = None) -> Outcome:
    return _each(input)


@function("tensorflow.strings.length")
def length(input: Any, unit: Any = "BYTE", name: Any = None) -> Outcome:
    """
    >>> print(length(Tensor((5,), "string")))
    int32[5]
    """
    return _each(input, "int32")


@function("tensorflow.strings.to_number")
def to_number(input: Any, out_type: Any = "float32", name: Any = None) -> Outcome:
    return _each(input, as_dtype(out_type, "float32"))


@function("tensorflow.strings.lower", "tensorflow.strings.upper")
def lower(input: Any, encoding: Any = "", name: Any = None) -> Outcome:
    return _each(input)


@function("tensorflow.strings.strip")
def strip(input: Any, name: Any = None) -> Outcome:
    return _each(input)


@function("tensorflow.strings.regex_replace")
def regex_replace(input: Any, pattern: Any, rewrite: Any, replace_global: Any = True, name: Any = None) -> Outcome:
    return _each(input)


@function("tensorflow.strings.regex_full_match")
def regex_full_match(input: Any, pattern: Any, name: Any = None) -> Outcome:
    return _each(input, "bool")


@function("tensorflow.strings.to_hash_bucket", "tensorflow.strings.to_hash_bucket_fast")
def to_hash_bucket(input: Any, num_buckets: Any, name: Any = None) -> Outcome:
    return _each(input, "int64")


@function("tensorflow.strings.reduce_join")
def reduce_join(inputs: Any, axis: Any = None, keepdims: Any = False, separator: Any = "", name: Any = None) -> Outcome:
    return reduced(inputs, axis, keepdims, same, "tf", "tf.strings.reduce_join")


@function("tensorflow.strings.join")
def join(inputs: Any, separator: Any = "", name: Any = None) -> Outcome:
    """All broadcast together (tensorflow/core/kernels/string_join_op.cc: scalars go with any shape)."""
    if not isinstance(inputs, list | tuple):
        return Tensor(Unknown("texts"), "string")
    shape: Any = ()
    for one in inputs:
        held = as_tensor(one, "tf")
        if not isinstance(held, Tensor) or not isinstance(held.shape, tuple) \
                or (shape and held.shape not in ((), shape)):
            return Tensor(Unknown("texts"), "string")
        shape = held.shape or shape
    return Tensor(shape, "string")


@function("tensorflow.strings.substr")
def substr(input: Any, pos: Any, len: Any, unit: Any = "BYTE", name: Any = None) -> Outcome:
    x, place = as_tensor(input, "tf"), as_tensor(pos, "tf")
    known = isinstance(x, Tensor) and isinstance(place, Tensor) and place.shape == ()
    return x.with_() if known and isinstance(x, Tensor) else Tensor(Unknown("texts"), "string")


@function("tensorflow.compat.v1.strings.substr", "tensorflow.compat.v1.substr")
def v1_substr(input: Any, pos: Any, len: Any, name: Any = None, unit: Any = "BYTE") -> Outcome:
    return substr(input, pos, len, unit)


@function("tensorflow.strings.format")
def formatted(template: Any, inputs: Any, placeholder: Any = "{}", summarize: Any = 3, name: Any = None) -> Outcome:
    return Tensor((), "string")


@function("tensorflow.strings.bytes_split")
def bytes_split(input: Any, name: Any = None) -> Outcome:
    return _pieces(input)


@function("tensorflow.strings.split")
def split(input: Any, sep: Any = None, maxsplit: Any = -1, name: Any = None) -> Outcome:
    """Of one text a tensor of its words, of several a ragged one (tensorflow/python/ops/ragged/ragged_string_ops.py).

    >>> print(split(Tensor((), "string")))
    string[None]
    """
    return _pieces(input)


@function("tensorflow.strings.unicode_split")
def unicode_split(input: Any, input_encoding: Any, errors: Any = "replace", replacement_char: Any = 65533,
                  name: Any = None) -> Outcome:
    return _pieces(input)


def _pieces(value: Any) -> Outcome:
    x = as_tensor(value, "tf")
    if isinstance(x, Unknown):
        return x
    return Tensor((FREE,), "string") if x.shape == () else Unknown("a ragged tensor")


def _one(old: Any, new: Any) -> Any:
    return new if old is None else old


@function("tensorflow.compat.v1.strings.length")
def v1_length(input: Any, name: Any = None, unit: Any = "BYTE") -> Outcome:
    return _each(input, "int32")


@function("tensorflow.compat.v1.strings.to_number")
def v1_to_number(string_tensor: Any = None, out_type: Any = "float32", name: Any = None, input: Any = None) -> Outcome:
    return _each(_one(string_tensor, input), as_dtype(out_type, "float32"))


@function("tensorflow.compat.v1.strings.to_hash_bucket")
def v1_to_hash_bucket(string_tensor: Any = None, num_buckets: Any = None, name: Any = None,
                      input: Any = None) -> Outcome:
    return _each(_one(string_tensor, input), "int64")


@function("tensorflow.compat.v1.strings.reduce_join")
def v1_reduce_join(inputs: Any, axis: Any = None, keep_dims: Any = None, separator: Any = "", name: Any = None,
                   reduction_indices: Any = None, keepdims: Any = None) -> Outcome:
    return reduced(inputs, _one(axis, reduction_indices), _one(_one(keepdims, keep_dims), False), same, "tf",
                   "tf.strings.reduce_join")


@function("tensorflow.compat.v1.strings.split")
def v1_split(input: Any = None, sep: Any = None, maxsplit: Any = -1, result_type: Any = "SparseTensor",
             name: Any = None, source: Any = None) -> Outcome:
    return Unknown("a sparse tensor")

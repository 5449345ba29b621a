"""TensorFlow 1 spellings whose parameters differ from TensorFlow 2's, and names that it has only at the top level."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import sizes
from cudnnlint.ops.functions.activations import along
from cudnnlint.ops.functions.constants import constant, convert_to_tensor, converted
from cudnnlint.ops.functions.creation import like
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.elementwise import binary, unary
from cudnnlint.ops.functions.extend import tf_pad
from cudnnlint.ops.functions.gather import tf_gather
from cudnnlint.ops.functions.meta import shape_tensor, size_tensor
from cudnnlint.ops.functions.norms import moments, tf_norm
from cudnnlint.ops.functions.permute import transpose
from cudnnlint.ops.functions.randoms import tf_poisson
from cudnnlint.ops.functions.reduce import Rule, boolean, index, one_axis, reduced, same
from cudnnlint.ops.functions.reductions import TENSORFLOW
from cudnnlint.ops.functions.select import masked
from cudnnlint.ops.functions.single_axes import expand_dims, squeeze
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Tensor, Unknown

V1 = "tensorflow.compat.v1"
TOP_LEVEL = ("ceil", "conj", "digamma", "erf", "erfc", "expm1", "lgamma", "log", "log1p", "log_sigmoid", "reciprocal",
             "rint", "rsqrt", "is_finite", "is_inf", "is_nan")
"""What TensorFlow 2 has in tf.math only."""


def first_given(*values: Any) -> Any:
    """The first of a parameter's old and new names that was given."""
    return next((value for value in values if value is not None), None)


def both(name: str) -> tuple[str, str]:
    return f"{V1}.{name}", f"{V1}.math.{name}"


def _reduction(called: str, rule: Rule, fold: str) -> paths.Builder:
    def build(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: Any = None,
              reduction_indices: Any = None, keep_dims: Any = None) -> Outcome:
        return reduced(input_tensor, first_given(axis, reduction_indices), first_given(keepdims, keep_dims), rule, "tf",
                       f"tf.reduce_{called}", fold)

    return build


def _argmax(input: Any, axis: Any = None, name: Any = None, dimension: Any = None,
            output_type: Any = "int64") -> Outcome:
    place = first_given(axis, dimension, 0)
    return reduced(input, one_axis(place), False, index, "tf", "tf.argmax", dtype=as_dtype(output_type, "int64"))


def _softmax(logits: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Outcome:
    return along(logits, first_given(axis, dim), "tf", "tf.nn.softmax")


def _math(called: str, rule: Rule) -> paths.Builder:
    def build(x: Any, name: Any = None) -> Outcome:
        return unary(called, x, "tf", "bool" if rule is boolean else None)

    return build


def _register() -> None:
    for name, fold in TENSORFLOW.items():
        paths.spell(_reduction(name, same, fold), *both(f"reduce_{name}"))
    for name in ("any", "all"):
        paths.spell(_reduction(name, boolean, ""), *both(f"reduce_{name}"))
    for name in ("argmax", "argmin"):
        paths.spell(_argmax, *both(name))
    for module in ("nn", "math"):
        for name in ("softmax", "log_softmax"):
            paths.spell(_softmax, f"{V1}.{module}.{name}")
    for name in TOP_LEVEL:
        paths.spell(_math(name, boolean if name.startswith("is_") else same), f"tensorflow.{name}")
    for name, dtype in (("to_float", "float32"), ("to_double", "float64"), ("to_int32", "int32"),
                        ("to_int64", "int64"), ("to_bfloat16", "bfloat16")):
        paths.spell(_cast(dtype), f"tensorflow.{name}")


def _cast(dtype: str) -> paths.Builder:
    def build(x: Any, name: Any = None) -> Outcome:
        return converted(x, dtype, "tf")

    return build


_register()


@function("tensorflow.div", "tensorflow.floor_div", "tensorflow.floordiv")
def div(x: Any, y: Any, name: Any = None) -> Outcome:
    """Whole numbers for integers, true division for floats."""
    made = binary("//", x, y, "tf", "tf.div")
    return made.with_() if isinstance(made, Tensor) else made


@function("tensorflow.mod", "tensorflow.floormod")
def mod(x: Any, y: Any, name: Any = None) -> Outcome:
    return binary("%", x, y, "tf", "tf.mod")


@function("tensorflow.squared_difference")
def squared_difference(x: Any, y: Any, name: Any = None) -> Outcome:
    return binary("squared_difference", x, y, "tf", "tf.squared_difference")


@function(f"{V1}.expand_dims")
def v1_expand_dims(input: Any, axis: Any = None, name: Any = None, dim: Any = None) -> Outcome:
    return expand_dims(input, first_given(axis, dim), "tf", "tf.expand_dims")


@function(f"{V1}.squeeze")
def v1_squeeze(input: Any, axis: Any = None, name: Any = None, squeeze_dims: Any = None) -> Outcome:
    return squeeze(input, first_given(axis, squeeze_dims), "tf", "tf.squeeze")


@function(f"{V1}.transpose")
def v1_transpose(a: Any, perm: Any = None, name: Any = "transpose", conjugate: Any = False) -> Outcome:
    return transpose(a, perm, "tf", "tf.transpose")


@function(f"{V1}.zeros_like", f"{V1}.ones_like")
def v1_zeros_like(tensor: Any, dtype: Any = None, name: Any = None, optimize: Any = True) -> Outcome:
    return like(tensor, dtype, "tf")


@function(f"{V1}.shape")
def v1_shape(input: Any, name: Any = None, out_type: Any = None) -> Outcome:
    return shape_tensor(input, out_type)


@function(f"{V1}.size")
def v1_size(input: Any, name: Any = None, out_type: Any = None) -> Outcome:
    return size_tensor(input, out_type)


@function(f"{V1}.pad")
def v1_pad(tensor: Any, paddings: Any, mode: Any = "CONSTANT", name: Any = None, constant_values: Any = 0) -> Outcome:
    return tf_pad(tensor, paddings)


@function(f"{V1}.gather")
def v1_gather(params: Any, indices: Any, validate_indices: Any = None, name: Any = None, axis: Any = None,
              batch_dims: Any = 0) -> Outcome:
    return tf_gather(params, indices, axis=axis, batch_dims=batch_dims)


@function(f"{V1}.boolean_mask")
def v1_boolean_mask(tensor: Any, mask: Any, name: Any = "boolean_mask", axis: Any = None) -> Outcome:
    return masked(tensor, mask, axis, "tf", "tf.boolean_mask")


@function(f"{V1}.constant")
def v1_constant(value: Any, dtype: Any = None, shape: Any = None, name: Any = "Const",
                verify_shape: Any = False) -> Outcome:
    return constant(value, dtype, shape)


@function(f"{V1}.convert_to_tensor")
def v1_convert_to_tensor(value: Any, dtype: Any = None, name: Any = None, preferred_dtype: Any = None,
                         dtype_hint: Any = None) -> Outcome:
    return convert_to_tensor(value, dtype)


@function(f"{V1}.norm", f"{V1}.linalg.norm")
def v1_norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: Any = None,
            keep_dims: Any = None) -> Outcome:
    return tf_norm(tensor, ord, axis, first_given(keepdims, keep_dims))


@function(f"{V1}.nn.moments")
def v1_moments(x: Any, axes: Any, shift: Any = None, name: Any = None, keep_dims: Any = None,
               keepdims: Any = None) -> Outcome:
    return moments(x, axes, first_given(keepdims, keep_dims), "tf", "tf.nn.moments")


@function(f"{V1}.math.count_nonzero", "tensorflow.count_nonzero")
def v1_count_nonzero(input_tensor: Any = None, axis: Any = None, keepdims: Any = None, dtype: Any = "int64",
                     name: Any = None, reduction_indices: Any = None, keep_dims: Any = None,
                     input: Any = None) -> Outcome:
    return reduced(first_given(input, input_tensor), first_given(axis, reduction_indices),
                   first_given(keepdims, keep_dims), index, "tf", "tf.math.count_nonzero",
                   dtype=as_dtype(dtype, "int64"))


@function(f"{V1}.random.poisson", "tensorflow.random_poisson")
def v1_poisson(lam: Any, shape: Any, dtype: Any = "float32", seed: Any = None, name: Any = None) -> Outcome:
    return tf_poisson(shape, lam, dtype)


@function("tensorflow.placeholder")
def placeholder(dtype: Any, shape: Any = None, name: Any = None) -> Outcome:
    return Tensor(Unknown("placeholder without a shape") if shape is None else sizes(shape),
                  as_dtype(dtype, Unknown("dtype")))


@function("tensorflow.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: Any = None) -> Outcome:
    made = converted(input, None, "tf")
    return made.with_(shape=sizes(shape)) if isinstance(made, Tensor) else made


@function("tensorflow.get_variable")
def get_variable(name: Any, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
                 trainable: Any = None, collections: Any = None, caching_device: Any = None, partitioner: Any = None,
                 validate_shape: Any = True, use_resource: Any = None, custom_getter: Any = None,
                 constraint: Any = None, synchronization: Any = None, aggregation: Any = None) -> Outcome:
    """Without a shape, the initializer's."""
    if shape is None:
        made = converted(initializer, dtype, "tf")
        return made.with_() if isinstance(made, Tensor) else Unknown("variable without a shape")
    return Tensor(sizes(shape), as_dtype(dtype, "float32"))

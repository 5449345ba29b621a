"""Tensors made from values: constant, convert_to_tensor, array, Variable, and numpy's scalar types."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import product
from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import dtype_problem, number, shown, sizes
from cudnnlint.ops.functions.convert import RAGGED, as_tensor
from cudnnlint.ops.functions.creation import FLOATX
from cudnnlint.ops.functions.dtypes import NUMERIC, Library, as_dtype
from cudnnlint.ops.functions.elementwise import with_otherwise
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import DType, Mismatch, Problem, Tensor, Unknown

MOST_AXES = 64
"""numpy.h: NPY_MAXDIMS"""


def converted(value: Any, dtype: Any, library: Library) -> Outcome:
    """`value` as a tensor, cast to `dtype` if given.

    >>> converted([1, 2], "float32", "numpy").content
    (1.0, 2.0)
    """
    wanted = None if dtype is None else as_dtype(dtype, "", library)
    x = as_tensor(value, library, wanted if not isinstance(wanted, Unknown) else None)
    if isinstance(x, Unknown):
        return x if wanted is None else Tensor(x, wanted)
    if wanted is None or wanted == x.dtype:
        return x
    return x.with_(dtype=wanted, content=contents.small(contents.cast(x.content, wanted)))


def shaped(x: Outcome, shape: Any, name: str) -> Outcome:
    """tf.constant's `shape=`: a scalar is repeated, anything else must have as many elements."""
    if shape is None or not isinstance(x, Tensor):
        return x
    wanted = sizes(shape)
    if isinstance(x.shape, Unknown) or isinstance(wanted, Unknown):
        return x.with_(shape=wanted)
    have, want = product(x.shape), product(wanted)
    if isinstance(have, int) and isinstance(want, int) and have not in (want, 1):
        return Mismatch(Problem.RESHAPE, f"{name}: cannot make shape {shown(wanted)} of {have} elements",
                        error='TypeError "Eager execution of tf.constant with unsupported shape"', argument="shape",
                        facts=(("actual", have), ("expected", want)))
    items = contents.flat(x.content)
    known = tuple(dim for dim in wanted if isinstance(dim, int))
    if items is None or len(known) != len(wanted) or not isinstance(want, int) or want > contents.LIMIT:
        return x.with_(shape=wanted)
    if len(items) == 1:
        items = items * want
    return x.with_(shape=wanted, content=contents.nest(items, known))


@function("tensorflow.constant")
def constant(value: Any, dtype: Any = None, shape: Any = None, name: Any = "Const") -> Outcome:
    return shaped(converted(value, dtype, "tf"), shape, "tf.constant")


@function("keras.backend.constant")
def backend_constant(value: Any, dtype: Any = None, shape: Any = None, name: Any = None) -> Outcome:
    return shaped(converted(value, FLOATX if dtype is None else dtype, "keras"), shape, "keras.backend.constant")


@function("tensorflow.convert_to_tensor")
def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: Any = None) -> Outcome:
    """A tensor of another dtype is refused, not cast (tensorflow/python/framework/tensor_conversion_registry.py)."""
    made = converted(value, dtype, "tf")
    if dtype is None and dtype_hint is not None and isinstance(made, Tensor) and not isinstance(value, Tensor) \
            and (made.dtype == "int32" or value == ()):
        return converted(value, dtype_hint, "tf")  # which other numbers may not go into
    wanted = as_dtype(dtype, Unknown(), "tf")
    if isinstance(value, Tensor) and value.kind == "tf" and wanted in NUMERIC and value.dtype in NUMERIC \
            and wanted != value.dtype:
        problem = dtype_problem(value.dtype, wanted, "tf.convert_to_tensor")
        return with_otherwise(problem, made)
    return made


@function("keras.ops.convert_to_tensor", versions={"ragged": ">=3.9"})
def keras_convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Outcome:
    return converted(x, dtype, "keras")


@function(*paths.ops("array"))
def keras_array(x: Any, dtype: Any = None) -> Outcome:
    return converted(x, dtype, "keras")


@function("keras.ops.convert_to_numpy", "keras.backend.get_value", "keras.backend.eval")
def to_numpy(x: Any) -> Outcome:
    return converted(x, None, "keras")


@function("keras.backend.to_dense")
def to_dense(tensor: Any) -> Outcome:
    return converted(tensor, None, "keras")


@function("numpy.array")
def np_array(object: Any, dtype: Any = None, copy: Any = True, order: Any = "K", subok: Any = False, ndmin: Any = 0,
             *, ndmax: Any = 0, like: Any = None) -> Outcome:
    x = _of_records(converted(object, dtype, "numpy"), object, dtype)
    least = number(ndmin)
    if not isinstance(x, Tensor) or least == 0:
        return x
    if isinstance(least, Unknown) or isinstance(x.shape, Unknown) or least > MOST_AXES:
        return x.with_(shape=Unknown("ndmin"))
    missing = max(least - len(x.shape), 0)
    content = x.content
    for _ in range(missing if content is not None else 0):
        content = (content,)
    return x.with_(shape=(1,) * missing + x.shape, content=content)


@function("numpy.asarray", "numpy.asanyarray")
def np_asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None,
               like: Any = None) -> Outcome:
    return _of_records(converted(a, dtype, "numpy"), a, dtype)


def _of_records(made: Outcome, value: Any, dtype: Any) -> Outcome:
    """Tuples in lists are records, not an axis, under a dtype with fields, which one that is not known may be; lists of
    different lengths are objects."""
    if isinstance(made, Tensor) and made.dtype == "object" and getattr(value, "ragged", False):
        return made.with_(shape=Unknown(RAGGED))
    while isinstance(value, list) and value and isinstance(value[0], list):
        value = value[0]
    if isinstance(made, Tensor) and isinstance(as_dtype(dtype, "float64", "numpy"), Unknown) \
            and isinstance(value, list) and any(isinstance(item, tuple) for item in value):
        return made.with_(shape=Unknown("an array of records"), content=None)
    return made


@function("numpy.ascontiguousarray", "numpy.asfortranarray")
def np_contiguous(a: Any, dtype: Any = None, *, like: Any = None) -> Outcome:
    """At least one axis."""
    x = converted(a, dtype, "numpy")
    return x.with_(shape=(1,)) if isinstance(x, Tensor) and x.shape == () else x


@function("numpy.copy")
def np_copy(a: Any, order: Any = "K", subok: Any = False) -> Outcome:
    return converted(a, None, "numpy")


@function("numpy.astype")
def np_astype(x: Any, dtype: Any, *, copy: Any = True, device: Any = None) -> Outcome:
    return converted(x, dtype, "numpy")


def variable(value: Any, dtype: Any, shape: Any, library: Library, default: DType | None = None) -> Outcome:
    """A variable: its elements change, so none are kept. It is one whatever is known of its initial value."""
    if value is not None and not isinstance(value, (Tensor, Unknown, bool, int, float, list, tuple)):
        if shape is None:
            return Tensor(Unknown("a variable's initial value"), as_dtype(dtype, Unknown("dtype"), library))
        return Tensor(sizes(shape), as_dtype(dtype, default or "float32", library))
    x = converted(value, dtype if dtype is not None else default, library)
    if not isinstance(x, Tensor):
        told = x if shape is None else sizes(shape)
        return x if isinstance(x, Mismatch) else Tensor(told, as_dtype(dtype, Unknown("dtype"), library))
    return x.with_(shape=x.shape if shape is None else sizes(shape))


@function("tensorflow.Variable")
def tf_variable(initial_value: Any = None, trainable: Any = None, validate_shape: Any = True,
                caching_device: Any = None, name: Any = None, variable_def: Any = None, dtype: Any = None,
                import_scope: Any = None, constraint: Any = None, synchronization: Any = None,
                aggregation: Any = None, shape: Any = None,
                experimental_enable_variable_lifting: Any = True) -> Outcome:
    return variable(initial_value, dtype, shape, "tf")


@function("keras.Variable")
def keras_variable(initializer: Any, shape: Any = None, dtype: Any = None, trainable: Any = True, autocast: Any = True,
                   aggregation: Any = "none", synchronization: Any = "auto", name: Any = None,
                   **kwargs: Any) -> Outcome:
    if isinstance(initializer, str):
        return Tensor(Unknown("shape") if shape is None else sizes(shape), as_dtype(dtype, FLOATX, "keras"))
    return variable(initializer, dtype, shape, "keras", FLOATX)


@function("keras.backend.variable")
def backend_variable(value: Any, dtype: Any = None, name: Any = None, constraint: Any = None) -> Outcome:
    return variable(value, dtype, None, "keras", FLOATX)


def _scalar_type(dtype: str) -> paths.Builder:
    def build(value: Any = 0) -> Outcome:
        return converted(value, dtype, "numpy")

    return build


def _register() -> None:
    for dtype in (*NUMERIC, "bool"):
        if dtype != "bfloat16":
            paths.spell(_scalar_type(dtype), f"numpy.{dtype}")
    for alias in ("half", "single", "double", "float_", "int_", "bool_", "byte", "ubyte", "short", "intc", "long"):
        paths.spell(_scalar_type(str(as_dtype(alias, "", "numpy"))), f"numpy.{alias}")


_register()


def _at_least(least: int) -> paths.Builder:
    def build(a: Any, b: Any = None, c: Any = None) -> Outcome:
        x = as_tensor(a, "numpy") if b is None else Unknown("several arrays")
        if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
            return x
        missing = max(least - len(x.shape), 0)
        return x.with_(shape=(1,) * missing + x.shape) if missing else x

    return build


paths.spell(_at_least(1), "numpy.atleast_1d")
paths.spell(_at_least(2), "numpy.atleast_2d")

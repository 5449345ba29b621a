"""Dtypes: how users spell them, and how each library promotes them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from cudnnlint.values import DType, Tensor, Unknown, is_floating

Library = Literal["tf", "numpy", "keras", "torch"]

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("bfloat16", "float16", "float32", "float64")
NUMERIC = (*SIGNED, *UNSIGNED, *FLOATS, "complex64", "complex128")
KNOWN = frozenset({*NUMERIC, "bool", "string", "float8_e4m3fn", "float8_e5m2", "qint8", "quint8", "qint32",
                   "resource", "variant", "object"})
ALIASES = {
    "half": "float16", "single": "float32", "double": "float64", "float": "float64", "float_": "float64",
    "int": "int64", "int_": "int64", "long": "int64", "intp": "int64", "uint": "uint64", "byte": "int8",
    "ubyte": "uint8", "short": "int16", "ushort": "uint16", "intc": "int32", "longlong": "int64",
    "bool_": "bool", "str": "string", "str_": "string", "bytes": "string", "object_": "object",
    "complex": "complex128", "cfloat": "complex128", "csingle": "complex64",
    "f": "float32", "f2": "float16", "f4": "float32", "f8": "float64", "d": "float64", "i": "int32", "i4": "int32",
    "i8": "int64", "u1": "uint8", "b": "int8", "B": "uint8", "?": "bool",
}
TF_FLOAT = {"float": "float32"}
"""tf.as_dtype(float) is float32, where numpy's is float64 (tensorflow/python/framework/dtypes.py: as_dtype)."""


NUMBERED = dict(zip((*range(1, 11), 14, *range(17, 20), 22, 23), (
    "float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64", "int64", "bool", "bfloat16",
    "uint16", "complex128", "float16", "uint32", "uint64"), strict=True))
"""What TensorFlow takes for the dtype in `tf.zeros(1, 1)` (tensorflow/core/framework/types.proto: DataType)."""


def as_dtype(value: Any, default: DType, library: Library = "tf") -> DType:
    """The dtype a user means by a name, a Python type, a library object, or None for `default`.

    >>> as_dtype("float", "int32", "numpy"), as_dtype("float", "int32", "tf"), as_dtype(None, "int32")
    ('float64', 'float32', 'int32')
    """
    if value is None:
        return default
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Tensor):
        return Unknown("dtype from a tensor")
    if type(value) is int and library == "tf":
        return NUMBERED.get(value, Unknown("dtype"))
    name = _name(value)
    if name is None:
        return Unknown("dtype")
    name = name.removesuffix("_ref").lstrip("<>=|")
    if library != "numpy":
        name = TF_FLOAT.get(name, name)
    name = ALIASES.get(name, name)
    return name if name in KNOWN else Unknown(f"dtype {name}")


def _name(value: Any) -> str | None:
    if value in (float, int, bool, str, complex, bytes):
        return str(value.__name__)
    if isinstance(value, str):
        return value.rpartition(".")[2]
    for attribute in ("path", "name"):
        text = getattr(value, attribute, None)
        if isinstance(text, str):
            return text.rpartition(".")[2]
    return None


NUMPY_HIGHER: Mapping[str, tuple[str, ...]] = {
    "bool": ("uint8", "int8"),
    "uint8": ("int16", "uint16", "float16"), "uint16": ("int32", "uint32", "float32"),
    "uint32": ("int64", "uint64", "float64"), "uint64": ("float64",),
    "int8": ("int16", "float16"), "int16": ("int32", "float32"), "int32": ("int64", "float64"), "int64": ("float64",),
    "float16": ("float32",), "float32": ("float64", "complex64"), "float64": ("complex128",),
    "complex64": ("complex128",), "complex128": (),
}
"""dtype -> next higher ones; the result is the first common one in this order (numpy.org/doc: NEP 50 promotion)."""

KERAS_HIGHER: Mapping[str, tuple[str, ...]] = {
    "bool": ("int",), "int": ("uint8", "int8", "complex64"),
    "uint8": ("int16", "uint16"), "uint16": ("int32", "uint32"), "uint32": ("int64", "uint64"), "uint64": ("float",),
    "int8": ("int16",), "int16": ("int32",), "int32": ("int64",), "int64": ("float",),
    "float": ("bfloat16", "float16"), "bfloat16": ("float32",), "float16": ("float32",),
    "float32": ("float64", "complex64"), "float64": ("complex128",), "complex64": ("complex128",), "complex128": (),
}
"""As JAX promotes; "int" and "float" are Python's (keras/src/backend/common/dtypes.py: _type_promotion_lattice)."""


@cache
def _above(name: str, keras: bool) -> frozenset[str]:
    table = KERAS_HIGHER if keras else NUMPY_HIGHER
    found = {name}
    for higher in table[name]:
        found |= _above(higher, keras)
    return frozenset(found)


@cache
def _least(names: frozenset[str], keras: bool) -> str | None:
    table = KERAS_HIGHER if keras else NUMPY_HIGHER
    if not names <= table.keys():
        return None
    common = frozenset.intersection(*(_above(name, keras) for name in names))
    return next((name for name in table if name in common), None)


def promote_numpy(*dtypes: DType) -> DType:
    """numpy's result_type for arrays.

    >>> promote_numpy("int32", "float32"), promote_numpy("uint8", "int8"), promote_numpy("uint64", "int8")
    ('float64', 'int16', 'float64')
    """
    return _promote(dtypes, keras=False)


def beside_scalar(a: Any, b: Any, promoted: DType) -> DType:
    """What NumPy makes of an array and one of its scalars, `x * np.deg2rad(90)`: a scalar of the same kind widens the
    array from NumPy 2 on (NEP 50) and not before.
    """
    array, scalar = (a, b) if b.rank == 0 else (b, a)
    kinds = {"float" if is_floating(one.dtype) else "int" for one in (array, scalar)}
    if array.rank != 0 and scalar.rank == 0 and promoted != array.dtype and len(kinds) == 1 and array.dtype != "bool":
        return Unknown("a dtype that depends on the version of NumPy")
    return promoted


def promote_keras(*dtypes: DType, floatx: str = "float32") -> DType:
    """keras.backend.result_type; "int" and "float" stand for Python numbers.

    >>> promote_keras("int64", "float16"), promote_keras("int32", "float"), promote_keras("uint8", "int")
    ('float16', 'float32', 'uint8')
    """
    found = _promote(dtypes, keras=True)
    if isinstance(found, Unknown):
        return found
    return {"int": "int32", "float": floatx, "uint64": "uint32", "complex128": "complex64"}.get(found, found)


def _promote(dtypes: tuple[DType, ...], *, keras: bool) -> DType:
    names = []
    for dtype in dtypes:
        if isinstance(dtype, Unknown):
            return dtype
        names.append(dtype)
    if not names:
        return Unknown("no dtypes")
    if len(set(names)) == 1:
        return names[0]
    return _least(frozenset(names), keras) or Unknown("dtypes that do not promote")


TORCH_ORDER = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
               "complex64", "complex128")


def promote_torch(*dtypes: DType) -> DType:
    """torch.promote_types (c10/core/ScalarType.cpp): the wider of one kind; a float of any width beats integers.

    >>> promote_torch("int64", "float16"), promote_torch("uint8", "int8"), promote_torch("float16", "bfloat16")
    ('float16', 'int16', 'float32')
    """
    names: list[str] = []
    for dtype in dtypes:
        if isinstance(dtype, Unknown) or dtype not in TORCH_ORDER:
            return dtype if isinstance(dtype, Unknown) else Unknown("dtypes that do not promote")
        names.append(dtype)
    if not names:
        return Unknown("no dtypes")
    found = set(names)
    if found == {"uint8", "int8"}:
        return "int16"
    if {"float16", "bfloat16"} <= found and not found & {"float32", "float64", "complex64", "complex128"}:
        return "float32"
    if "complex64" in found and "float64" in found:
        return "complex128"
    return max(names, key=TORCH_ORDER.index)


NUMPY_FLOAT = {"bool": "float16", "int8": "float16", "uint8": "float16", "int16": "float32", "uint16": "float32"}


def floated(dtype: DType, library: Library) -> DType:
    """The dtype of sqrt, sin, exp ... of a tensor.

    >>> floated("uint8", "numpy"), floated("int64", "numpy"), floated("int64", "keras"), floated("float16", "keras")
    ('float16', 'float64', 'float32', 'float16')
    """
    if isinstance(dtype, Unknown) or dtype in FLOATS or dtype.startswith("complex") or library == "tf":
        return dtype
    if library == "keras":
        return promote_keras(dtype, "float")
    if library == "torch":
        return "float32"
    return NUMPY_FLOAT.get(dtype, "float64") if dtype in NUMPY_HIGHER else Unknown("dtype")


def divided(dtype: DType, library: Library) -> DType:
    """The dtype of `/` on two tensors of `dtype` (tensorflow/python/ops/math_ops.py: _TRUEDIV_TABLE).

    >>> divided("int32", "tf"), divided("uint8", "tf"), divided("uint8", "numpy"), divided("int64", "keras")
    ('float64', 'float32', 'float64', 'float32')
    """
    if isinstance(dtype, Unknown):
        return dtype
    if library == "tf":
        if dtype in ("int8", "uint8", "int16", "uint16"):
            return "float32"
        return "float64" if dtype in SIGNED or dtype in UNSIGNED else dtype
    if library in ("keras", "torch"):
        return floated(dtype, library)
    return "float64" if dtype in (*SIGNED, *UNSIGNED, "bool") else dtype


def real_part(dtype: DType) -> DType:
    """complex64 -> float32, complex128 -> float64, others unchanged."""
    return {"complex64": "float32", "complex128": "float64"}.get(str(dtype), dtype)

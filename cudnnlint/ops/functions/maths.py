"""One-argument functions that keep the shape: tf.sqrt, np.floor, keras.ops.abs, tf.math.is_nan ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import filled
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, floated, real_part
from cudnnlint.ops.functions.elementwise import unary, with_otherwise
from cudnnlint.ops.functions.operators import numpy_library, typed
from cudnnlint.ops.functions.refused_dtypes import of_tensorflow
from cudnnlint.ops.protocol import Outcome
from cudnnlint.values import DType, Tensor, Unknown

Rule = Callable[[DType, Library], DType]


def same(dtype: DType, library: Library) -> DType:
    return dtype


def boolean(dtype: DType, library: Library) -> DType:
    return "bool"


def real(dtype: DType, library: Library) -> DType:
    return real_part(dtype)


def real_float(dtype: DType, library: Library) -> DType:
    return real_part(floated(dtype, library))


def whole(dtype: DType, library: Library) -> DType:
    """np.floor and np.ceil keep integers since numpy 2.1 and made them float64 before (numpy 2.1 release notes)."""
    return dtype if str(dtype).startswith("float") else Unknown("depends on the numpy version")


def no_bool(dtype: DType, library: Library) -> DType:
    """square and reciprocal of bools are small integers."""
    return {"numpy": "int8", "keras": "int32"}.get(library, dtype) if dtype == "bool" else dtype


TENSORFLOW: dict[Rule, str] = {
    same: "acos acosh asin asinh atan atanh cos cosh exp floor negative round sigmoid sign sin sinh sqrt square tan "
          "tanh",
    real: "abs",
    boolean: "logical_not",
}
TENSORFLOW_MATH: dict[Rule, str] = {
    same: "ceil conj digamma erf erfc erfcinv erfinv expm1 lgamma log log1p log_sigmoid ndtri reciprocal "
          "reciprocal_no_nan rint rsqrt bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
    boolean: "is_finite is_inf is_nan",
}
NUMPY_UFUNCS: dict[Rule, str] = {
    floated: "acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh exp exp2 expm1 "
             "log log10 log1p log2 rint sin sinh sqrt tan tanh cbrt deg2rad degrees fabs rad2deg radians",
    same: "negative positive sign invert bitwise_not",
    no_bool: "square reciprocal conj conjugate",
    real: "abs absolute",
    boolean: "isfinite isinf isnan logical_not signbit",
    whole: "floor ceil trunc",
}
KERAS_OPS: dict[Rule, str] = {
    floated: "arccos arccosh arcsin arcsinh arctan arctanh cos cosh exp exp2 expm1 log log10 log1p log2 sin sinc sinh "
             "sqrt tan tanh ceil floor fabs",
    same: "conj conjugate sign negative nan_to_num trunc reciprocal copy bitwise_not bitwise_invert",
    no_bool: "square",
    real: "abs absolute real imag",
    real_float: "angle",
    boolean: "isfinite isinf isnan isneginf isposinf isreal logical_not signbit",
}
KERAS_MATH = "erf erfinv rsqrt"
KERAS_BACKEND: dict[Rule, str] = {same: "abs cos exp log round sigmoid sign sin sqrt square tanh"}

FOLDS = {"negative": "neg", "abs": "abs", "absolute": "abs", "floor": "floor", "ceil": "ceil", "rint": "rint",
         "round": "rint", "sqrt": "sqrt", "square": "square", "sign": "sign", "trunc": "trunc", "log2": "log2",
         "positive": "pos", "invert": "invert", "logical_not": "logical_not"}


def mapped(name: str, value: Any, rule: Rule, library: Library) -> Outcome:
    x = as_tensor(value, library)
    if isinstance(x, Unknown):
        return x
    made = unary(FOLDS.get(name, name), x, library, rule(x.dtype, library))
    refused = of_tensorflow(name, x) if library == "tf" else None
    return made if refused is None else with_otherwise(refused, made)


def _x_name(called: str, rule: Rule) -> paths.Builder:
    def build(x: Any, name: Any = None) -> Outcome:
        return mapped(called, x, rule, "tf")

    return build


def _input_name(called: str, rule: Rule) -> paths.Builder:
    def build(input: Any, name: Any = None) -> Outcome:
        return mapped(called, input, rule, "tf")

    return build


def _ufunc(called: str, rule: Rule) -> paths.Builder:
    def build(x: Any, out: Any = None, *, where: Any = True, casting: Any = "same_kind", order: Any = "K",
              dtype: Any = None, subok: Any = True, signature: Any = None) -> Outcome:
        return typed(filled(out, mapped(called, x, rule, numpy_library(x))), dtype)

    return build


def _x(called: str, rule: Rule) -> paths.Builder:
    def build(x: Any) -> Outcome:
        return mapped(called, x, rule, "keras")

    return build


def rounded(dtype: DType, library: Library) -> DType:
    return "float16" if dtype == "bool" else dtype


def _numpy_round(a: Any, decimals: Any = 0, out: Any = None) -> Outcome:
    made = mapped("round" if decimals == 0 else "round to decimals", a, rounded, numpy_library(a))
    if isinstance(made, Tensor) and made.dtype == "float64" and type(decimals) is int and 0 < decimals < 16:
        x = as_tensor(a, "numpy")
        if isinstance(x, Tensor) and x.content is not None:
            made = made.with_(content=contents.each(x.content, lambda one: _to_decimals(one, decimals)))
    return filled(out, made)


def _to_decimals(value: Any, decimals: int) -> Any:
    """numpy/_core/src/multiarray/calculation.c: PyArray_Round multiplies, rounds half to even and divides."""
    known = type(value) is float and abs(value) < 1e15
    return float(round(value * 10.0 ** decimals)) / 10.0 ** decimals if known else Unknown("rounded")


def _keras_round(x: Any, decimals: Any = 0) -> Outcome:
    return mapped("round" if decimals == 0 else "round to decimals", x, same, "keras")


def _numpy_nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Outcome:
    return mapped("nan_to_num", x, same, numpy_library(x))


def _keras_nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Outcome:
    return mapped("nan_to_num", x, same, "keras")


def _numpy_part(val: Any) -> Outcome:
    return mapped("part", val, real, "numpy")


def _fix(x: Any, out: Any = None) -> Outcome:
    return filled(out, mapped("trunc", x, whole, "numpy"))


def _register() -> None:
    for rule, names in TENSORFLOW.items():
        for name in names.split():
            paths.spell(_x_name(name, rule), *paths.math(name))
    paths.spell(_x_name("sigmoid", same), "tensorflow.nn.sigmoid")
    paths.spell(_x_name("tanh", same), "tensorflow.nn.tanh")
    for rule, names in TENSORFLOW_MATH.items():
        for name in names.split():
            paths.spell(_x_name(name, rule), f"tensorflow.math.{name}")
    for name, rule in (("real", real), ("imag", real), ("angle", real)):
        paths.spell(_input_name(name, rule), f"tensorflow.math.{name}")
    for rule, names in NUMPY_UFUNCS.items():
        for name in names.split():
            paths.spell(_ufunc(name, rule), f"numpy.{name}")
    for rule, names in KERAS_OPS.items():
        for name in names.split():
            if name != "nan_to_num":
                paths.spell(_x(name, rule), *paths.ops(name))
    for name in KERAS_MATH.split():
        paths.spell(_x(name, same), f"keras.ops.{name}")
    for rule, names in KERAS_BACKEND.items():
        for name in names.split():
            paths.spell(_x(name, rule), f"keras.backend.{name}")
    paths.spell(_numpy_round, "numpy.round", "numpy.around", "numpy.round_")
    paths.spell(_keras_round, *paths.ops("round"))
    paths.spell(_numpy_nan_to_num, "numpy.nan_to_num")
    paths.spell(_keras_nan_to_num, *paths.ops("nan_to_num"),
                versions=dict.fromkeys(("nan", "posinf", "neginf"), ">=3.3"))
    paths.spell(_numpy_part, "numpy.real", "numpy.imag")
    paths.spell(_fix, "numpy.fix")


_register()

"""Two-argument functions: Python's operators, tf.add, np.maximum, keras.ops.less and their kin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import filled
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.elementwise import binary, library_of, unary, with_otherwise
from cudnnlint.ops.functions.matmul import matmul
from cudnnlint.ops.functions.refused_dtypes import of_difference
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

SYMBOLS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=")

TENSORFLOW = {
    "+": ("add",), "-": ("subtract",), "*": ("multiply",), "/": ("divide", "truediv"), "**": ("pow",),
    "maximum": ("maximum",), "minimum": ("minimum",), "==": ("equal",), "!=": ("not_equal",), "<": ("less",),
    "<=": ("less_equal",), ">": ("greater",), ">=": ("greater_equal",), "logical_and": ("logical_and",),
    "logical_or": ("logical_or",),
}
TENSORFLOW_MATH = {
    "//": ("floordiv",), "%": ("floormod", "mod"), "/": ("divide_no_nan",), "*": ("multiply_no_nan",),
    "squared_difference": ("squared_difference",), "xlogy": ("xlogy", "xlog1py"),
    "xdivy": ("xdivy",),
}
NUMPY = {
    "+": ("add",), "-": ("subtract",), "*": ("multiply",), "/": ("divide", "true_divide"), "//": ("floor_divide",),
    "%": ("mod", "remainder", "fmod"), "**": ("power", "pow"), "maximum": ("maximum", "fmax"),
    "minimum": ("minimum", "fmin"), "==": ("equal",), "!=": ("not_equal",), "<": ("less",), "<=": ("less_equal",),
    ">": ("greater",), ">=": ("greater_equal",), "logical_and": ("logical_and",), "logical_or": ("logical_or",),
    "logical_xor": ("logical_xor",), "&": ("bitwise_and",), "|": ("bitwise_or",), "^": ("bitwise_xor",),
    "<<": ("left_shift", "bitwise_left_shift"), ">>": ("right_shift", "bitwise_right_shift"),
    "atan2": ("arctan2", "atan2"), "logaddexp": ("logaddexp", "logaddexp2"), "hypot": ("hypot",),
    "copysign": ("copysign",), "nextafter": ("nextafter",), "gcd": ("gcd", "lcm"),
}
KERAS_OPS = {
    "+": ("add",), "-": ("subtract",), "*": ("multiply",), "/": ("divide", "true_divide", "divide_no_nan"),
    "//": ("floor_divide",), "%": ("mod",), "**": ("power",), "maximum": ("maximum", "fmax"),
    "minimum": ("minimum", "fmin"), "==": ("equal",), "!=": ("not_equal",), "<": ("less",), "<=": ("less_equal",),
    ">": ("greater",), ">=": ("greater_equal",), "logical_and": ("logical_and",), "logical_or": ("logical_or",),
    "logical_xor": ("logical_xor",), "atan2": ("arctan2",), "logaddexp": ("logaddexp",), "hypot": ("hypot",),
}
KERAS_BITS = {"&": ("bitwise_and",), "|": ("bitwise_or",), "^": ("bitwise_xor",),
              "<<": ("left_shift", "bitwise_left_shift"), ">>": ("right_shift", "bitwise_right_shift")}
KERAS_BACKEND = {"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater",
                 ">=": "greater_equal", "maximum": "maximum", "minimum": "minimum"}


def _operator(op: str) -> paths.Builder:
    def build(a: Any, b: Any) -> Outcome:
        return binary(op, a, b)

    return build


def _tensorflow(op: str, called: str) -> paths.Builder:
    label = f"tf.{called}"

    def build(x: Any, y: Any, name: Any = None) -> Outcome:
        return binary(op, x, y, "tf", label)

    return build


def _numpy(op: str, name: str) -> paths.Builder:
    label = f"np.{name}"

    def build(x1: Any, x2: Any, out: Any = None, *, where: Any = True, casting: Any = "same_kind", order: Any = "K",
              dtype: Any = None, subok: Any = True, signature: Any = None) -> Outcome:
        return typed(filled(out, binary(op, x1, x2, numpy_library(x1, x2), label)), dtype)

    return build


def _keras(op: str, name: str) -> paths.Builder:
    label = f"keras.ops.{name}"

    def build(x1: Any, x2: Any) -> Outcome:
        return binary(op, x1, x2, "keras", label)

    return build


def _keras_xy(op: str, name: str) -> paths.Builder:
    label = f"keras.{name}"

    def build(x: Any, y: Any) -> Outcome:
        return binary(op, x, y, "keras", label)

    return build


def numpy_library(*values: Any) -> Any:
    """numpy functions take any tensor as an array; symbolic ones keep Keras' rules."""
    symbolic = any(isinstance(value, Tensor) and value.kind == "keras" for value in values)
    return "keras" if symbolic else "numpy"


def typed(result: Any, dtype: Any) -> Any:
    """numpy's `dtype=`."""
    if dtype is None or not isinstance(result, Tensor):
        return result
    return result.with_(dtype=as_dtype(dtype, result.dtype, "numpy"))


def _register() -> None:
    for symbol in SYMBOLS:
        paths.spell(_operator(symbol), f"operator.{symbol}")
    for op, names in TENSORFLOW.items():
        for name in names:
            paths.spell(_tensorflow(op, name), *paths.math(name))
    for op, names in TENSORFLOW_MATH.items():
        for name in names:
            paths.spell(_tensorflow(op, f"math.{name}"), f"tensorflow.math.{name}")
    for op, names in NUMPY.items():
        for name in names:
            paths.spell(_numpy(op, name), f"numpy.{name}")
    for op, names in KERAS_OPS.items():
        for name in names:
            paths.spell(_keras(op, name), *paths.ops(name))
    for op, names in KERAS_BITS.items():
        for name in names:
            paths.spell(_keras_xy(op, f"ops.{name}"), *paths.ops(name))
    for op, name in KERAS_BACKEND.items():
        paths.spell(_keras_xy(op, f"backend.{name}"), f"keras.backend.{name}")


_register()


@function("operator.@")
def matrix_product(a: Any, b: Any) -> Outcome:
    if library_of(a, b) == "torch":
        from cudnnlint.ops.torch.products import matmul as torch_matmul

        return torch_matmul(a, b)
    return matmul(a, b, name="@")


@function("operator.neg")
def negative(a: Any) -> Outcome:
    made = unary("neg", a)
    refused = of_difference(0, a, a, a, library_of(a), "-") if isinstance(a, Tensor) else None
    return made if refused is None else with_otherwise(refused, made)


@function("operator.pos")
def positive(a: Any) -> Outcome:
    return unary("pos", a)


@function("operator.invert")
def invert(a: Any) -> Outcome:
    return unary("invert", a)


@function("tensorflow.realdiv")
def realdiv(x: Any, y: Any, name: Any = None) -> Outcome:
    return binary("/", x, y, "tf", "tf.realdiv")


@function(*paths.math("atan2"))
def atan2(y: Any, x: Any, name: Any = None) -> Outcome:
    return binary("atan2", y, x, "tf", "tf.atan2")


@function("tensorflow.math.logical_xor")
def logical_xor(x: Any, y: Any, name: Any = "LogicalXor") -> Outcome:
    return binary("logical_xor", x, y, "tf", "tf.math.logical_xor")


@function("keras.backend.pow")
def backend_pow(x: Any, a: Any) -> Outcome:
    return binary("**", x, a, "keras", "keras.backend.pow")


@function(*paths.math("scalar_mul"))
def scalar_mul(scalar: Any, x: Any, name: Any = None) -> Outcome:
    return binary("*", scalar, x, "tf", "tf.scalar_mul")


@function(*paths.math("add_n"))
def add_n(inputs: Any, name: Any = None) -> Outcome:
    """All inputs have one shape."""
    if isinstance(inputs, Tensor) and isinstance(inputs.shape, tuple) and inputs.shape:
        return inputs.with_(shape=inputs.shape[1:])
    if not isinstance(inputs, (list, tuple)) or not inputs:
        return Unknown("add_n")
    total: Outcome = as_tensor(inputs[0], "tf")
    for other in inputs[1:]:
        total = binary("+", total, other, "tf", "tf.add_n")
        if isinstance(total, Mismatch) and total.problem is Problem.BROADCAST:
            return replace(total, error='InvalidArgumentError "must have the same size and shape" or in a graph '
                                        'ValueError "in both shapes must be equal"')
        if not isinstance(total, Tensor):
            return total
    return total


@function("numpy.isclose")
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Outcome:
    return binary("isclose", a, b, "numpy", "np.isclose")


@function(*paths.ops("isclose"), versions=dict.fromkeys(("rtol", "atol", "equal_nan"), ">=3.4"))
def keras_isclose(x1: Any, x2: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Outcome:
    return binary("isclose", x1, x2, "keras", "keras.ops.isclose")

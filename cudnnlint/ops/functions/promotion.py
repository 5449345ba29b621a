"""The dtype that the operands of a function are brought to, as NumPy, Keras, TensorFlow and PyTorch do it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from cudnnlint.ops.functions._core import dtype_problem
from cudnnlint.ops.functions.convert import python_dtype
from cudnnlint.ops.functions.dtypes import Library, beside_scalar, promote_keras, promote_numpy, promote_torch
from cudnnlint.values import DType, Mismatch, Problem, Tensor, Unknown, is_floating
from cudnnlint.values.numpy_int import NUMBERS, NumpyFloat, NumpyInt

INTEGERS = re.compile(r"u?int(8|16|32|64)")
LOGICAL = frozenset({"logical_and", "logical_or", "logical_xor"})


def common_dtype(op: str, a: Any, b: Any, x: Tensor, y: Tensor, library: Library, name: str) -> DType | Mismatch:
    """The dtype both operands are brought to, or the Mismatch of two TensorFlow tensors whose dtypes differ."""
    if library == "tf":
        return _tf_dtype(op, a, b, x, y, name)
    found = promoted((a, b), (x, y), library, op)
    return beside_scalar(a, b, found) if library == "numpy" and tensors_of(a, b, 2) else found


def _tf_dtype(op: str, a: Any, b: Any, x: Tensor, y: Tensor, name: str) -> DType | Mismatch:
    """TensorFlow converts numpy arrays and Python numbers to the tensor's dtype, and never tensors."""
    tensors = [value for value in (a, b) if isinstance(value, Tensor) and value.kind == "tf"]
    if len(tensors) == 2:
        left, right = x.dtype, y.dtype
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return right if isinstance(left, Unknown) else left
        if left == right:
            return left
        if "bool" in (left, right) and op in REFUSING and name not in ("*", "-"):
            return _with_bool(op, left, right, name)
        if "bool" in (left, right) or op in LOGICAL:
            return "bool" if name == "*" else Unknown("bool with another dtype")
        return dtype_problem(left, right, name)
    if not tensors and isinstance(b, Tensor) and not isinstance(a, Tensor):
        return Unknown("an array that becomes what the number before it is")
    strong = tensors or [value for value in (a, b) if isinstance(value, Tensor)]
    if strong:
        other = y if strong[0] is x else x
        if name == "*" and tensors and strong[0].dtype == "bool" and not tensors_of(a, b, 2):
            return "bool"  # tensorflow/python/ops/tensor_math_operator_overrides.py: bools are combined by logical_and
        if is_floating(strong[0].dtype) is False and not tensors_of(a, b, 2) and is_floating(other.dtype):
            number = next((value for value in (a, b) if type(value) is float), None)
            if tensors and number is not None and op not in ("==", "!=") and INTEGERS.fullmatch(str(strong[0].dtype)):
                return _fraction(strong[0].dtype, number, name, op == "/" and strong[0] is x)
            return Unknown("an integer tensor with a float")
        return strong[0].dtype
    return x.dtype if x.dtype == y.dtype else "float32" if {x.dtype, y.dtype} == {"int32", "float32"} \
        else Unknown("mixed dtypes")


REFUSING = frozenset({"+", "*", "/", "//", "%", "**", "maximum", "minimum"})
"""Functions that take no bool beside a number, eagerly or in a graph (run with TensorFlow 2.21)."""


def _with_bool(op: str, left: DType, right: DType, name: str) -> Mismatch:
    return replace(dtype_problem(left, right, name), help="tf.cast(mask, tf.float32)", error=
                   'TypeError "`x` and `y` must have the same dtype"' if op == "/" else
                   'InvalidArgumentError "but is a bool tensor" or "Value for attr \'T\' of bool is not in the list of '
                   'allowed values", in a graph TypeError "has type bool" or "has DataType bool"')


def _fraction(dtype: DType, number: float, name: str, divides: bool) -> Mismatch:
    """An integer tensor with a float of Python's, which is to become one of its dtype (run with TensorFlow 2.21;
    tensorflow/python/ops/math_ops.py: _truediv_python3, tensorflow/python/framework/constant_op.py)."""
    said = f"TypeError \"`x` and `y` must have the same dtype, got tf.{dtype} != tf.float32\"" if divides else \
        f'TypeError "Cannot convert {number} to EagerTensor of dtype {dtype}" or InvalidArgumentError, in a graph ' \
        f'TypeError "Expected {dtype}, but got {number} of type \'float\'"'
    return Mismatch(Problem.DTYPE, f"{name}: {dtype} and the float {number} do not go together", error=said,
                    help="tf.cast(x, tf.float32) first", facts=(("dtypes", (str(dtype), "float32")),))


def tensors_of(a: Any, b: Any, count: int) -> bool:
    return sum(isinstance(value, Tensor) for value in (a, b)) == count


STRONG = frozenset({"%", "&", "|", "^", "outer", "dot"})
"""Functions of Keras that make a tensor of a Python number first (keras/src/backend/tensorflow/numpy.py: mod)."""


def promoted(values: tuple[Any, ...], items: tuple[Tensor, ...], library: Library, op: str = "") -> DType:
    """numpy's or Keras' promotion, in which a plain Python number hardly counts."""
    if library == "torch":
        return torch_dtype(values, items)
    if op in STRONG and (library == "keras" or op in ("outer", "dot")):
        dtypes = [item.dtype for item in items]
        return promote_keras(*dtypes) if library == "keras" else promote_numpy(*dtypes)
    if library == "keras" and op in ("<<", ">>") and any(isinstance(value, int) for value in values):
        return Unknown("shift with a Python number")
    if any(isinstance(value, NUMBERS) for value in values):
        return beside_numbers(values, items, library, op)
    weak = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    strong = [item.dtype for value, item in zip(values, items, strict=True)
              if not isinstance(value, (int, float)) or isinstance(value, bool)]
    if library == "keras":
        return promote_keras(*strong, *("float" if isinstance(value, float) else "int" for value in weak))
    if not strong:
        return promote_numpy(*(python_dtype(value, library) for value in weak))
    found = promote_numpy(*strong)
    if any(isinstance(value, float) for value in weak):
        return found if is_floating(found) else found if isinstance(found, Unknown) else "float64"
    return "int64" if weak and found == "bool" else found


def beside_numbers(values: tuple[Any, ...], items: tuple[Tensor, ...], library: Library, op: str) -> DType:
    """Beside NumPy's own numbers: their dtype counts from NumPy 2 (NEP 50) and Keras 3 on, and did not before."""
    plain = tuple({NumpyInt: int, NumpyFloat: float}.get(type(value), lambda one: one)(value) for value in values)
    typed = tuple(Tensor((), "float64" if isinstance(value, float) else "int64", "numpy")
                  if isinstance(value, NUMBERS) else value for value in values)
    own = tuple(one if isinstance(one, Tensor) else item for one, item in zip(typed, items, strict=True))
    before, after = promoted(plain, items, library, op), promoted(typed, own, library, op)
    eager = library == "keras" and not any(isinstance(one, Tensor) and one.kind == "keras" for one in values)
    return after if eager or before == after or not any(isinstance(one, Tensor) for one in values) \
        else Unknown("a dtype that depends on the version of NumPy")


def torch_dtype(values: tuple[Any, ...], items: tuple[Tensor, ...]) -> DType:
    """torch.result_type: Python numbers and scalars count only where their kind is higher than that of the rest."""
    ranked: dict[int, list[DType]] = {0: [], 1: [], 2: []}
    for value, item in zip(values, items, strict=True):
        number = isinstance(value, (bool, int, float, complex))
        ranked[0 if number else 1 if item.rank == 0 else 2].append(item.dtype)
        if item.rank is None and len(items) > 1:
            return Unknown("dtype beside an unknown rank") if len({one.dtype for one in items}) > 1 else item.dtype
    found: DType | None = None
    for level in (2, 1, 0):
        if not ranked[level]:
            continue
        here = promote_torch(*ranked[level])
        if found is None or isinstance(here, Unknown) or isinstance(found, Unknown):
            found = here if found is None else found if isinstance(found, Unknown) else here
        elif _kind(here) > _kind(found):
            found = promote_torch(found, "float32" if level == 0 and here == "float32" else here)
    return Unknown("no dtypes") if found is None else found


def _kind(dtype: str) -> int:
    return 0 if dtype == "bool" else 3 if dtype.startswith("complex") else 2 if dtype.startswith(("f", "bf")) else 1

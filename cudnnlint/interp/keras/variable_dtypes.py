"""Arithmetic whose dtypes Keras decides: of the variables of Keras 3, and of the symbolic tensors of Keras 2."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.keras.layers import FROZEN, WEIGHT
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.ops.functions.dtypes import promote_keras
from cudnnlint.values import Tensor, Unknown, is_floating

OF_THE_LEFT = frozenset({"+", "-", "*", "/", "//", "%", "**", "@"})
"""Operators of a variable (keras/src/backend/common/variables.py: Variable.__add__ and the like)."""
OF_THE_RIGHT = frozenset({"-", "*", "/", "**"})
"""Those that TensorFlow leaves to a variable on the right; the others convert it first. Run with TensorFlow 2.21 and
Keras 3.15."""


def promoted(m: Machine, symbol: str, left: Any, right: Any) -> tuple[Any, Any]:
    """Both sides in the dtype that the operator of a variable brings them to (keras/src/backend/common/dtypes.py)."""
    a, b = plain(left), plain(right)
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return left, right
    if m.stack.keras < (3,):
        return _converted(left, a, b), _converted(right, b, a)
    if not isinstance(a.dtype, str) or not isinstance(b.dtype, str) or a.dtype == b.dtype or {a.kind, b.kind} != {"tf"}:
        return left, right
    if not ((_is_variable(a) and symbol in OF_THE_LEFT) or (_is_variable(b) and symbol in OF_THE_RIGHT)):
        return left, right
    dtype = promote_keras(a.dtype, b.dtype)
    return a.with_(dtype=dtype), b.with_(dtype=dtype)


def _converted(value: Any, own: Tensor, other: Tensor) -> Any:
    """An array beside a symbolic tensor of Keras 2 becomes one of its dtype: the operator is TensorFlow's
    (tensorflow/python/framework/override_binary_operator.py). Run with TensorFlow 2.21 and tf_keras 2.21."""
    if own.kind != "numpy" or other.kind != "keras" or own.dtype == other.dtype:
        return value
    whole = is_floating(own.dtype) and not is_floating(other.dtype)
    return own.with_(dtype=Unknown("an integer tensor with an array of floats") if whole else other.dtype)


def _is_variable(tensor: Tensor) -> bool:
    return tensor.step is not None and tensor.step.maker in (WEIGHT, FROZEN)


def is_kept_by_keras(tensor: Tensor) -> bool:
    """A weight of a layer, one of its `weights`, or a variable that the program made with Keras 3."""
    maker = None if tensor.step is None else tensor.step.maker
    return isinstance(maker, str) and maker in (WEIGHT, FROZEN, "keras.Variable", "variable")

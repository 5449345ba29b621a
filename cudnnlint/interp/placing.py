"""Tensors placed in the program: of what kind they are, and which step made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor
from cudnnlint.values.assumption import NONE, Assumptions


def place(maker: Any, outcome: Any, parents: tuple[Tensor, ...], arguments: Any, span: Span,
          assumptions: Assumptions = NONE, body: Any = None) -> Any:
    """Set kind, step and assumptions of the tensors that `maker` (a path, a layer) made.

    arguments  (args, kwargs) as it received them; body the outcome, where it was made by following the program
    """
    if isinstance(outcome, Tensor):
        return _placed(outcome, kind_of(maker, parents), Step(span, parents, maker, arguments, (), body), assumptions)
    if not tensors(outcome):
        return outcome
    return _place_nested(outcome, kind_of(maker, parents), Step(span, parents, maker, arguments, (), body), assumptions)


def _placed(tensor: Tensor, kind: str, step: Step, assumptions: Assumptions) -> Tensor:
    return Tensor(tensor.shape, tensor.dtype, kind, tensor.content, step, tensor.assumptions | assumptions)


def _place_nested(value: Any, kind: str, step: Step, assumptions: Assumptions) -> Any:
    def inside(item: Any, key: Any) -> Any:
        return _place_nested(item, kind, replace(step, index=(*step.index, key)), assumptions)

    if isinstance(value, Tensor):
        return _placed(value, kind, step, assumptions)
    if isinstance(value, (list, tuple)):
        return type(value)(inside(item, i) for i, item in enumerate(value))
    if isinstance(value, dict):
        return {key: inside(item, key) for key, item in value.items()}
    return value


OF_ARRAYS = ("keras.utils.", "keras.preprocessing.", "keras.applications.")
"""Functions that make arrays, of tensors tensors."""
TO_ARRAYS = frozenset({"keras.ops.convert_to_numpy", "keras.backend.get_value", "keras.backend.eval",
                       "tensorflow.get_static_value"})
"""Functions that make arrays of tensors."""


OF_TORCH = frozenset({
    "abs", "absolute", "add", "arccos", "arcsin", "arctan", "arctan2", "argmax", "argmin", "argsort", "around", "cbrt",
    "ceil", "clip", "compress", "copysign", "cos", "cosh", "cumprod", "cumsum", "deg2rad", "degrees", "delete",
    "divide", "equal", "exp", "exp2", "expm1", "fabs", "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod",
    "greater", "greater_equal", "hypot", "insert", "invert", "isfinite", "isinf", "isnan", "less", "less_equal", "log",
    "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul",
    "maximum", "minimum", "mod", "multiply", "negative", "not_equal", "positive", "power", "rad2deg", "radians",
    "reciprocal", "remainder", "repeat", "reshape", "rint", "round", "sign", "sin", "sinh", "sqrt", "square", "squeeze",
    "subtract", "swapaxes", "take", "tan", "tanh", "transpose", "true_divide", "trunc"})
"""Functions of NumPy that give tensors of PyTorch for such: they ask it for its own method, or it wraps what they
calculate (torch/_tensor.py: Tensor.__array_wrap__; each run with NumPy 2.4 and PyTorch 2.14)."""


def kind_of(maker: Any, parents: Sequence[Tensor]) -> str:
    """Symbolic inputs give symbolic results."""
    kinds = {parent.kind for parent in parents}
    if "keras" in kinds:
        return "keras"
    path = maker if isinstance(maker, str) else getattr(maker, "path", "")
    if "torch" in kinds and path.startswith("numpy.") and path[6:] in OF_TORCH:
        return "torch"
    if path.startswith(("numpy.", "scipy.")) or path in TO_ARRAYS or (path.startswith(OF_ARRAYS) and "tf" not in kinds):
        return "numpy"
    if path == "operator.getitem" and parents and parents[0].kind == "numpy":
        return "numpy"  # a mask of TensorFlow is made an array
    if path.startswith(("operator.", "einops.")):
        return next((kind for kind in ("tf", "torch", "numpy") if kind in kinds), "tf")
    return "torch" if path.startswith(("torch.", "torchvision.")) else "tf"

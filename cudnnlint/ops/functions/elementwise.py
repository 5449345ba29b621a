"""Element by element: binary operators with broadcasting and promotion, and unary ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.functions import contents, near_floats
from cudnnlint.ops.functions._core import shown
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, divided, floated, real_part
from cudnnlint.ops.functions.promotion import common_dtype
from cudnnlint.ops.functions.refused_dtypes import of_difference
from cudnnlint.ops.merging import differing, strided
from cudnnlint.ops.protocol import Outcome
from cudnnlint.values import DType, Mismatch, Problem, Shape, Tensor, Unknown, is_floating
from cudnnlint.values.near_float import Near

BOOLEAN = frozenset({"==", "!=", "<", "<=", ">", ">=", "logical_and", "logical_or", "logical_xor", "isclose"})
FLOATING = frozenset({"atan2", "logaddexp", "hypot", "xlogy", "xdivy", "nextafter", "copysign"})


def library_of(*values: Any) -> Library:
    """Whose rules an expression follows: Keras if a symbolic tensor takes part, else TensorFlow, else numpy."""
    kinds = {value.kind for value in values if isinstance(value, Tensor)}
    return "keras" if "keras" in kinds else "tf" if "tf" in kinds else "torch" if "torch" in kinds else "numpy"


def binary(op: str, a: Any, b: Any, library: Library | None = None, name: str = "") -> Outcome:
    """`a op b` for Python's operators and for named functions; `name` is what messages call it.

    >>> print(binary("*", Tensor((4, 1), "float32"), Tensor((3,), "float32")))
    float32[4, 3]
    >>> binary("+", Tensor((4,), "float32"), Tensor((3,), "float32")).message
    '+: shapes (4,) and (3,) cannot be broadcast'
    """
    if library is None and (alone := _beside_number(a, b)) is not None:
        return alone
    library = library_of(a, b) if library is None else library
    name = name or op
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return _half_known(op, a, b, library)
    x, y = as_tensor(a, library), as_tensor(b, library)
    if isinstance(x, Unknown) or isinstance(y, Unknown):
        return _half_known(op, a if isinstance(a, Tensor) else x, b if isinstance(b, Tensor) else y, library)
    shape = broadcast(x.shape, y.shape)
    common = common_dtype(op, a, b, x, y, library, name)
    if shape is None:
        if name in ("==", "!=") and not _both_of_torch(a, b):
            return Unknown("tensors of different shapes compared")  # tf: a scalar False; older numpy too
        return broadcast_problem(x, y, name)
    if op == "-" and "bool" in (x.dtype, y.dtype) and (refused := of_difference(a, b, x, y, library, name)) is not None:
        common = refused
    if isinstance(common, Mismatch):
        dtype: DType = "bool" if op in BOOLEAN else Unknown("mixed dtypes")
        return with_otherwise(common, _made(x, y, shape, dtype, None, library))
    dtype = result_dtype(op, common, library)
    return _made(x, y, shape, dtype, _content(op, x, y, shape, common, dtype), library)


def _both_of_torch(a: Any, b: Any) -> bool:
    """torch/_tensor.py: __eq__, which is torch.eq()"""
    return isinstance(a, Tensor) and isinstance(b, Tensor) and a.kind == b.kind == "torch"


def _made(x: Tensor, y: Tensor, shape: Shape | Unknown, dtype: DType, content: Any, library: Library) -> Tensor:
    kind = "keras" if "keras" in (x.kind, y.kind) else library if library in ("numpy", "torch") else "tf"
    return Tensor(shape, dtype, kind, content, assumptions=x.assumptions | y.assumptions)


def with_otherwise(mismatch: Mismatch, result: Any) -> Mismatch:
    return Mismatch(mismatch.problem, mismatch.message, mismatch.help, mismatch.error, mismatch.where, result,
                    mismatch.argument, mismatch.facts)


def _beside_number(a: Any, b: Any) -> Unknown | None:
    """What is not known beside a number of NumPy: the operator gives an array of NumPy, a tensor, or what it may be.

    >>> binary("/", Unknown("a parameter"), Tensor((), "float64", "numpy"))
    Unknown(why='a parameter')
    """
    unknown, number = (a, b) if isinstance(a, Unknown) else (b, a)
    if not isinstance(unknown, Unknown) or unknown.number or not isinstance(number, Tensor):
        return None
    return Unknown(unknown.why) if number.kind == "numpy" and number.shape == () else None


def _half_known(op: str, a: Any, b: Any, library: Library) -> Outcome:
    """One operand unknown: TensorFlow's result still has the other's dtype."""
    known = a if isinstance(a, Tensor) else b if isinstance(b, Tensor) else None
    why = next((value for value in (a, b) if isinstance(value, Unknown)), Unknown("operand"))
    if known is None:
        return why
    if op in BOOLEAN:
        return known.with_(shape=why, dtype="bool")
    dtype: DType = Unknown("dtype of an unknown operand")
    if library == "tf" and known.kind == "tf" and is_floating(known.dtype):
        dtype = known.dtype
    return known.with_(shape=why, dtype=dtype)


def broadcast_problem(x: Tensor, y: Tensor, name: str) -> Mismatch:
    if "torch" in (x.kind, y.kind):
        return _torch_broadcast_problem(x, y, name)
    return Mismatch(Problem.BROADCAST, f"{name}: shapes {shown(x.shape)} and {shown(y.shape)} cannot be broadcast",
                    help=_to_broadcast(x, y), error=_unbroadcast(x, y),
                    facts=(("shapes", (x.shape, y.shape)),))


def _to_broadcast(x: Tensor, y: Tensor) -> str:
    if x.rank == y.rank and x.rank in (4, 5) and "numpy" not in (x.kind, y.kind) \
            and isinstance(x.shape, tuple) and isinstance(y.shape, tuple) \
            and (told := strided([axes for axes in differing(x.shape, y.shape) if 1 not in axes[1:]], x.rank)):
        return told
    return "equal extents, or 1, axis by axis from the last one"


def _unbroadcast(x: Tensor, y: Tensor) -> str:
    """keras/src/ops/operation_utils.py: broadcast_shapes; tensorflow/core/framework/common_shape_fns.cc;
    tensorflow/core/util/bcast.h; NumPy's own."""
    if "keras" in (x.kind, y.kind):
        return 'ValueError "Cannot broadcast shape" or with Keras 2 ValueError "Dimensions must be equal"'
    if x.kind == y.kind == "numpy":
        return 'ValueError "operands could not be broadcast together"'
    return 'InvalidArgumentError "Incompatible shapes" or in a graph ValueError "Dimensions must be equal"'


def _torch_broadcast_problem(x: Tensor, y: Tensor, name: str) -> Mismatch:
    """aten/src/ATen/ExpandUtils.cpp: infer_size_impl; axes count from the left of the longer shape."""
    assert isinstance(x.shape, tuple) and isinstance(y.shape, tuple)
    axis, a, b = next((-at, x.shape[-at], y.shape[-at]) for at in range(1, 1 + min(len(x.shape), len(y.shape)))
                      if broadcast((x.shape[-at],), (y.shape[-at],)) is None)
    return Mismatch(Problem.BROADCAST, f"{name}: shapes {shown(x.shape)} and {shown(y.shape)} cannot be broadcast",
                    help="equal extents, or 1, axis by axis from the last one",
                    error=f'RuntimeError "The size of tensor a ({a}) must match the size of tensor b ({b}) at '
                          f'non-singleton dimension {axis + max(len(x.shape), len(y.shape))}"',
                    facts=(("shapes", (x.shape, y.shape)),))


def result_dtype(op: str, common: DType, library: Library) -> DType:
    if op in BOOLEAN:
        return "bool"
    if op == "/":
        return divided(common, library)
    if op in FLOATING:
        return Unknown("hypot") if op == "hypot" and library == "keras" else floated(common, library)
    if library in ("numpy", "keras") and common == "bool" and op in ("//", "%", "**", "<<", ">>"):
        return "int8" if library == "numpy" else "int32"
    return common


WHOLE = frozenset({"+", "-", "*", "//", "%"})
"""What gives the same for whole numbers, of whatever dtype they are."""


def _content(op: str, x: Tensor, y: Tensor, shape: Shape | Unknown, common: DType, dtype: DType) -> Any:
    if x.content is None or y.content is None or isinstance(shape, Unknown):
        return None
    if x.rank != y.rank and x.rank and y.rank:
        return None
    if isinstance(common, Unknown) and type(x.content) is int and type(y.content) is int:
        made = contents.pair(op, x.content, y.content) if op in WHOLE or op in contents.COMPARISONS else None
        return made if isinstance(made, int) and abs(made) < 1 << 31 else None
    left, right = contents.cast(x.content, common), contents.cast(y.content, common)
    return contents.small(contents.combine(op, left, right, dtype))


UNARY: Mapping[str, Callable[[Any], Any]] = {
    "neg": lambda v: -v, "pos": lambda v: v, "abs": abs, "square": lambda v: v * v,
    "floor": math.floor, "ceil": math.ceil, "rint": round, "trunc": math.trunc, "sqrt": math.sqrt,
    "sign": lambda v: (v > 0) - (v < 0), "invert": lambda v: not v if isinstance(v, bool) else ~v,
    "logical_not": lambda v: not v,
    "log2": lambda v: math.log2(v) if math.frexp(v)[0] == 0.5 else near_floats.mapped("log2", v),
}
"""Functions whose result every library rounds alike, so that known elements may be computed."""


def unary(op: str, a: Any, library: Library | None = None, dtype: DType | None = None) -> Outcome:
    """One-argument functions that keep the shape; `dtype` None keeps that too.

    >>> unary("neg", Tensor((2,), "int32", content=(1, 2))).content
    (-1, -2)
    """
    library = library_of(a) if library is None else library
    x = as_tensor(a, library)
    if isinstance(x, Unknown):
        return x
    found = x.dtype if dtype is None else dtype
    return x.with_(dtype=found, content=_mapped(op, x.content, found))


def _mapped(op: str, content: Any, dtype: DType) -> Any:
    compute = UNARY.get(op) or (partial(near_floats.mapped, op) if op in near_floats.RISING else None)
    if compute is None or content is None:
        return None

    def one(value: Any) -> Any:
        if isinstance(value, Near):
            return contents.fit(near_floats.mapped(op, value), dtype)
        if not isinstance(value, (bool, int, float)):
            return value if op == "pos" else Unknown("element")
        try:
            made = compute(value)
            return made if isinstance(dtype, Unknown) and type(made) is int else contents.fit(made, dtype)
        except (ArithmeticError, ValueError, TypeError):
            return Unknown(f"{op} fails")

    return contents.small(contents.each(content, one))


def magnitude(a: Any, library: Library | None = None) -> Outcome:
    """abs: a complex tensor's is real."""
    x = as_tensor(a, library_of(a) if library is None else library)
    return x if isinstance(x, Unknown) else unary("abs", x, library, real_part(x.dtype))

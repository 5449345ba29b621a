"""Elementwise functions and reductions of PyTorch, also as methods of tensors."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions._core import flag, number
from cudnnlint.ops.functions.dtypes import floated, real_part
from cudnnlint.ops.functions.elementwise import binary, with_otherwise
from cudnnlint.ops.functions.refused_dtypes import of_mask
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch._core import dtype_of
from cudnnlint.ops.torch.shapes import axes_of
from cudnnlint.values import DType, Mismatch, Problem, Tensor, Unknown, is_floating

FLOATING = ("exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "rsqrt", "sigmoid", "tanh", "sin", "cos", "tan",
            "asin", "acos", "atan", "sinh", "cosh", "erf", "erfc", "lgamma", "digamma", "logit", "reciprocal")
SAME = ("neg", "negative", "floor", "ceil", "round", "trunc", "sign", "square", "clone", "detach", "frac",
        "positive", "contiguous", "cpu", "cuda", "requires_grad_", "nan_to_num", "bitwise_not",
        "pin_memory", "relu", "to_sparse", "to_dense", "coalesce")
METHODS = frozenset({"contiguous", "cpu", "cuda", "requires_grad_", "relu", "pin_memory", "to_sparse", "to_dense",
                     "coalesce"})
"""Those of them that tensors have and `torch` has not, or has as something else."""
BOOLEAN = ("isnan", "isinf", "isfinite", "logical_not")
BINARY = {"add": "+", "sub": "-", "subtract": "-", "mul": "*", "multiply": "*", "div": "/", "divide": "/",
          "true_divide": "/", "floor_divide": "//", "remainder": "%", "fmod": "%", "pow": "**", "maximum": "maximum",
          "minimum": "minimum", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
          "logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "logical_xor", "atan2": "atan2",
          "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
OVER_AXES = ("sum", "mean", "std", "var", "prod", "all", "any", "amax", "amin", "logsumexp", "nansum", "nanmean")


def _tensor(value: Any) -> Tensor | Unknown:
    return value if isinstance(value, (Tensor, Unknown)) else Unknown("not a tensor")


def _unary(dtype: str) -> Any:
    def apply(input: Any, out: Any = None) -> Outcome:
        x = _tensor(input)
        if isinstance(x, Unknown):
            return x
        return x.with_(dtype="bool" if dtype == "bool" else floated(x.dtype, "torch") if dtype == "float" else x.dtype)

    return apply


@function("torch.abs", "torch.absolute")
def magnitude(input: Any, out: Any = None) -> Outcome:
    """Real, of complex numbers too."""
    x = _tensor(input)
    return x if isinstance(x, Unknown) else x.with_(dtype=real_part(x.dtype), content=x.content)


def _kept() -> Any:
    def apply(input: Any, memory_format: Any = None, non_blocking: Any = False, device: Any = None,
              requires_grad: Any = True, decimals: Any = 0) -> Outcome:
        x = _tensor(input)
        return x if isinstance(x, Unknown) else x.with_(content=x.content)

    return apply


def _binary(op: str, name: str) -> Any:
    def apply(input: Any, other: Any, alpha: Any = 1, rounding_mode: Any = None, out: Any = None) -> Outcome:
        if not isinstance(input, Tensor) and not isinstance(other, Tensor):
            return Unknown("operands")
        if rounding_mode is not None and op == "/":
            made = binary("//", input, other, "torch", name)
        else:
            made = binary(op, input, other, "torch", name)
        return made

    return apply


def reduced(x: Any, dim: Any, keepdim: Any, dtype: DType) -> Outcome:
    """The axes `dim` go, or become 1 (aten/src/ATen/native/ReduceOpsUtils.h)."""
    kept = flag(keepdim)
    if isinstance(x, Unknown):
        return Tensor((), dtype, "torch") if dim is None and kept is False else x
    if dim is None or dim in ([], ()):
        if kept is not False:
            return x.with_(shape=Unknown("keepdim"), dtype=dtype)
        return x.with_(shape=(), dtype=dtype)
    if isinstance(x.shape, Unknown):
        return x.with_(dtype=dtype)
    if kept is None:
        return x.with_(shape=Unknown("keepdim"), dtype=dtype)
    axes = axes_of(dim, x)
    if isinstance(axes, Mismatch):
        return axes
    if isinstance(axes, Unknown):
        shape: Any = (axes,) * len(x.shape) if kept else axes
        return x.with_(shape=shape, dtype=dtype)
    shape = tuple(1 if at in axes else extent for at, extent in enumerate(x.shape) if kept or at not in axes)
    return x.with_(shape=shape, dtype=dtype)


def _folded(name: str) -> Any:
    def apply(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, axis: Any = None,
              keepdims: Any = None, unbiased: Any = True, correction: Any = 1, out: Any = None) -> Outcome:
        x = _tensor(input)
        if isinstance(dim, bool):  # x.std(False): unbiased
            return Unknown(f"{name} without dim")
        dim, keepdim = (axis if dim is None else dim), (keepdim if keepdims is None else keepdims)
        if isinstance(x, Tensor) and name in ("mean", "std", "var") and dtype is None and _whole(x.dtype):
            return _no_floats(x, name)
        found: DType = x.dtype if isinstance(x, Tensor) else Unknown("dtype")
        if name in ("sum", "prod", "nansum"):
            found = "int64" if _whole(found) else found
        elif name in ("all", "any"):
            found = "uint8" if found == "uint8" else "bool"
        elif name in ("std", "var"):
            found = real_part(found)
        elif name == "logsumexp":
            found = floated(found, "torch")
        made = reduced(x, dim, keepdim, dtype_of(dtype, found))
        if name in ("all", "any") and dim is None and isinstance(made, Tensor) and _is_empty(x):
            return made.with_(content=name == "all")
        return made

    return apply


def _is_empty(x: Any) -> bool:
    return isinstance(x, Tensor) and isinstance(x.shape, tuple) and any(type(extent) is int and extent == 0
                                                                         for extent in x.shape)


def _whole(dtype: DType) -> bool:
    return isinstance(dtype, str) and is_floating(dtype) is False


def _no_floats(x: Tensor, name: str) -> Mismatch:
    return Mismatch(Problem.DTYPE, f"{name}() of {x}: the mean of integers is no integer",
                    help="x.float() before it",
                    error=f'RuntimeError "{name}(): could not infer output dtype. Input dtype must be either a '
                          'floating point or complex dtype."', facts=(("dtype", x.dtype),))


def _both() -> Any:
    """max, min, median: one value of all, values and their places along an axis, or the larger of two tensors."""

    def apply(input: Any, dim: Any = None, keepdim: Any = False, *, other: Any = None, axis: Any = None,
              out: Any = None) -> Outcome:
        x = _tensor(input)
        dim = axis if dim is None else dim
        if isinstance(dim, Tensor):
            dim, other = None, dim
        if other is not None:
            return binary("maximum", x, other, "torch", "max")
        found: DType = x.dtype if isinstance(x, Tensor) else Unknown("dtype")
        made = reduced(x, dim, keepdim, found)
        return (made, made.with_(dtype="int64")) if dim is not None and isinstance(made, Tensor) else made

    return apply


@function("torch.argmax", "torch.argmin")
def argmax(input: Any, dim: Any = None, keepdim: Any = False, axis: Any = None) -> Outcome:
    return reduced(_tensor(input), axis if dim is None else dim, keepdim, "int64")


@function("torch.norm", "torch.linalg.norm", "torch.linalg.vector_norm")
def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: Any = False, out: Any = None,
         dtype: Any = None) -> Outcome:
    x = _tensor(input)
    return reduced(x, dim, keepdim, real_part(x.dtype) if isinstance(x, Tensor) else Unknown("dtype"))


@function("torch.cumsum", "torch.cumprod", "torch.logcumsumexp")
def cumsum(input: Any, dim: Any, *, dtype: Any = None, out: Any = None) -> Outcome:
    x = _tensor(input)
    if isinstance(x, Unknown):
        return x
    return x.with_(dtype=dtype_of(dtype, "int64" if _whole(x.dtype) else x.dtype))


@function("torch.clamp", "torch.clip")
def clamp(input: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Outcome:
    x = _tensor(input)
    plain = isinstance(x, Tensor) and all(bound is None or isinstance(bound, int) for bound in (min, max))
    if isinstance(x, Unknown):
        return x
    return x.with_() if plain or is_floating(x.dtype) else x.with_(dtype=Unknown("dtype of a bound"))


@function("torch.where")
def where(condition: Any, input: Any = None, other: Any = None) -> Outcome:
    if input is None:
        return Unknown("where() with one argument")
    known = [one for one in (condition, input, other) if isinstance(one, Tensor)]
    if not known or any(isinstance(one, Unknown) for one in (condition, input, other)):
        return Unknown("where() of unknown values")
    chosen = binary("+", input, other, "torch", "where") if any(isinstance(one, Tensor) for one in (input, other)) \
        else Unknown("where() of numbers")
    if not isinstance(chosen, Tensor) or not isinstance(condition, Tensor):
        return chosen if isinstance(chosen, Unknown | Mismatch) else Unknown("condition")
    shaped = binary("==", chosen, condition, "torch", "where")
    if not isinstance(shaped, Tensor):
        return Unknown("condition of another shape")
    made, refused = chosen.with_(shape=shaped.shape), of_mask("torch.where", condition)
    return made if refused is None else with_otherwise(refused, made)


@function("torch.Tensor.where")
def where_of(self: Any, condition: Any, other: Any) -> Outcome:
    """As a method, of what is taken where the mask is true (torch/_tensor_docs.py: where)."""
    return where(condition, self, other)


@function("torch.topk", "torch.Tensor.topk")
def topk(input: Any, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Outcome:
    x, count = _tensor(input), number(k)
    axes = axes_of(dim, x) if isinstance(x, Tensor) and isinstance(x.shape, tuple) and x.shape else Unknown("rank")
    if not axes or not isinstance(axes, tuple) or not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return axes if isinstance(axes, Mismatch) else Unknown("topk()")
    held = x.shape[axes[0]]
    if isinstance(count, int) and isinstance(held, int) and count > held:
        return Mismatch(Problem.INDEX, f"topk: {count} of the {held} along axis {axes[0]} of {x}",
                        help=f"k is at most {held}", error='RuntimeError "selected index k out of range"',
                        facts=(("size", held), ("index", count)))
    extent = count if not isinstance(count, int) or count >= 0 else Unknown("k")
    made = x.with_(shape=(*x.shape[:axes[0]], extent, *x.shape[axes[0] + 1:]))
    return (made, made.with_(dtype="int64"))


@function("torch.sort")
def sort(input: Any, dim: Any = -1, descending: Any = False, stable: Any = False) -> Outcome:
    x = _tensor(input)
    return (x.with_(), x.with_(dtype="int64")) if isinstance(x, Tensor) else x


@function("torch.argsort")
def argsort(input: Any, dim: Any = -1, descending: Any = False, stable: Any = False) -> Outcome:
    x = _tensor(input)
    return x.with_(dtype="int64") if isinstance(x, Tensor) else x


@function("torch.flip", "torch.roll", "torch.tril", "torch.triu", "torch.bernoulli")
def kept_shape(input: Any, dims: Any = None, shifts: Any = None, diagonal: Any = 0, p: Any = None) -> Outcome:
    x = _tensor(input)
    return x.with_() if isinstance(x, Tensor) else x


@function("torch.masked_fill", "torch.Tensor.masked_fill")
def masked_fill(input: Any, mask: Any, value: Any = None) -> Outcome:
    """Both are broadcast, which may enlarge it (aten/src/ATen/native/TensorAdvancedIndexing.cpp: masked_fill)."""
    x = _tensor(input)
    if not isinstance(x, Tensor) or not isinstance(mask, Tensor):
        return x.with_() if isinstance(x, Tensor) else x
    met = binary("==", x, mask.with_(dtype=x.dtype), "torch", "masked_fill")
    if not isinstance(met, Tensor):
        return met
    made, refused = x.with_(shape=met.shape), of_mask("masked_fill", mask)
    return made if refused is None else with_otherwise(refused, made)


def _register() -> None:
    for name in FLOATING:
        function(f"torch.{name}", *((f"torch.nn.functional.{name}",) if name in ("sigmoid", "tanh") else ()))(
            _unary("float"))
    for name in SAME:
        function(f"torch.Tensor.{name}" if name in METHODS else f"torch.{name}")(_kept())
    for name in BOOLEAN:
        function(f"torch.{name}")(_unary("bool"))
    for name, op in BINARY.items():
        function(f"torch.{name}")(_binary(op, name))
    for name in OVER_AXES:
        function(f"torch.{name}")(_folded(name))
    for name in ("max", "min", "median"):
        function(f"torch.{name}")(_both())


_register()

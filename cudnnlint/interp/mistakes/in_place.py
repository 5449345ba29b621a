"""Augmented assignments to arrays of NumPy and PyTorch, which keep dtype and shape: what does not fit is refused."""

from __future__ import annotations

import ast

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.mistakes.grown_in_place import tell_of_grown
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.torch.leaves import as_leaf, is_leaf, note_changed, tell_of_leaf
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

UFUNCS = {ast.Add: ("+", "add"), ast.Sub: ("-", "subtract"), ast.Mult: ("*", "multiply"), ast.Div: ("/", "divide"),
          ast.FloorDiv: ("//", "floor_divide"), ast.Mod: ("%", "remainder"), ast.Pow: ("**", "power")}
KINDS = {"bool": 0, "u": 1, "i": 2, "f": 3, "c": 4}
"""numpy.can_cast(..., casting="same_kind"): to a kind of the same place or a later one."""

OF_TORCH = (0, 1, 1, 2, 3)
"""The same for PyTorch, to which integers are of one kind."""


def in_place(m: Machine, node: ast.AugAssign, array: Tensor, result: Tensor) -> Tensor:
    """What the name holds then. `images /= 255` of uint8 fails, as the quotient is float64 and is not cast back. Of one
    axis it may be a pandas Series, and of none a number, which both get another dtype."""
    if array.kind == result.kind and type(node.op) in UFUNCS and (array.kind == "torch" or array.rank) \
            and tell_of_grown(m, m.span(node), f"{UFUNCS[type(node.op)][0]}=", array, result):
        return array.with_(step=result.step)
    if array.kind == result.kind == "torch":
        made = _in_place_of_torch(m, node, array, result)
        return as_leaf(array, m.span(node)) if is_leaf(array) else made
    if array.kind != "numpy" or result.kind != "numpy" or array.shape == ():
        return result
    before, after = _kind(array.dtype), _kind(result.dtype)
    if type(node.op) not in UFUNCS or before is None or after is None:
        return result
    if not isinstance(array.shape, tuple) or (len(array.shape) < 2 and not _is_array(array)):
        either = after <= before and result.dtype != array.dtype
        return result.with_(dtype=Unknown("of an array, or of a number or a Series")) if either else result
    if after <= before:
        return result if result.dtype == array.dtype else result.with_(dtype=array.dtype)
    symbol, ufunc = UFUNCS[type(node.op)]
    refuse(m, m.span(node), Mismatch(
        Problem.DTYPE, f"{symbol}= leaves {array} as {array.dtype}, but the result is {result.dtype}",
        help=f'make it floating first, with astype("float32"), or write x = x {symbol} y' if after == KINDS["f"] else
        f"write x = x {symbol} ..., which makes a new array",
        error=f"UFuncTypeError \"Cannot cast ufunc '{ufunc}' output from dtype('{result.dtype}') to "
              f"dtype('{array.dtype}') with casting rule 'same_kind'\""),
        about=(array,), what=f"{symbol}=", inputs=array)
    return result


MAKES_ARRAYS = frozenset(f"numpy.{name}" for name in (
    "arange", "array", "asarray", "concatenate", "empty", "full", "hstack", "linspace", "ones", "tile",
    "where", "zeros"))
"""Functions that give an array whatever they are given, never a Series."""
KEEP = ("operator.", "numpy.")
"""Where what is made of arrays, as of Series, is one too."""


def _is_array(tensor: Tensor, depth: int = 0) -> bool:
    """Whether it was computed of arrays that NumPy itself made: no Series of pandas is among them."""
    maker = tensor.step.maker if tensor.step is not None and depth < 20 else None
    if not isinstance(maker, str) or not tensor.shape:
        return False
    if maker in MAKES_ARRAYS or maker.startswith("numpy.random."):
        return True
    parents = tensor.step.parents if tensor.step is not None else ()
    return maker.startswith(KEEP) and bool(parents) and all(_is_array(parent, depth + 1) for parent in parents)


def _in_place_of_torch(m: Machine, node: ast.AugAssign, tensor: Tensor, result: Tensor) -> Tensor:
    """c10/core/ScalarType.h: canCast, which asks for bool, integer, floating or complex."""
    told = f"{UFUNCS[type(node.op)][0]}=" if type(node.op) in UFUNCS else "an assignment"
    part = isinstance(node.target, ast.Subscript)
    if not part and not tell_of_leaf(m, tensor, m.span(node), told):
        note_changed(m, tensor, m.span(node), told)
    before, after = _kind(tensor.dtype), _kind(result.dtype)
    if type(node.op) not in UFUNCS or before is None or after is None:
        return result
    if OF_TORCH[after] <= OF_TORCH[before]:
        return result if result.dtype == tensor.dtype else result.with_(dtype=tensor.dtype)
    symbol = UFUNCS[type(node.op)][0]
    refuse(m, m.span(node), Mismatch(
        Problem.DTYPE, f"{symbol}= leaves {tensor} as {tensor.dtype}, but the result is {result.dtype}",
        help=f"write x = x {symbol} ..., which makes a new tensor",
        error="RuntimeError \"result type can't be cast to the desired output type\""),
        about=(tensor,), what=f"{symbol}=", inputs=tensor)
    return result


def _kind(dtype: object) -> int | None:
    """
    >>> [_kind(name) for name in ("bool", "uint8", "int64", "float32", "complex64", "string")]
    [0, 1, 2, 3, 4, None]
    """
    if not isinstance(dtype, str) or dtype == "string":
        return None
    return KINDS["bool"] if dtype == "bool" else KINDS.get(dtype[0])

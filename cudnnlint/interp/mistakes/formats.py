"""What is no number, and is written as one: `f"{losses:.2f}"` of an array, `"%.3f" % model.evaluate(x, y)` of a list;
and numbers that are added to a text."""

from __future__ import annotations

import ast
import re
from string import Formatter
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.objects import BoundV, BuiltinV, MethodV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.uncalled.left_open import FOR_EMPTY
from cudnnlint.values import Mismatch, Problem, Tensor
from cudnnlint.values.tensor import show

AS_NUMBER = re.compile(r"[eEfFgGdn%]$")
"""Ends of the format of a number."""
PERCENT = re.compile(r"%(?:\((\w+)\))?[-+ #0]*\d*(?:\.\d+)?(.)")
KINDS = {"numpy": "numpy.ndarray", "tf": "numpy.ndarray", "torch": "Tensor"}
"""Whose __format__ says no: an eager tensor of TensorFlow asks its array."""
OF_PERCENT = ('TypeError "must be real number, not list", "%d format: a real number is required", "only length-1 '
              'arrays can be converted to Python scalars" or "only 0-dimensional arrays", or ValueError "only one '
              'element tensors can be converted to Python scalars"')
METHODS = frozenset({BoundV, BuiltinV, MethodV})
OF_ITEMS = "one of its items, or text of it without a format"


def tell_of_formatted(m: Machine, value: Any, spec: Any, node: ast.expr) -> None:
    """f"{x:.3f}" """
    if isinstance(spec, str) and AS_NUMBER.search(spec) and (found := _kind(value)) is not None:
        _tell(m, node, value, found, f"TypeError \"unsupported format string passed to {found[1]}.__format__\"")


def tell_of_format(m: Machine, text: str, args: list[Any], nodes: list[ast.expr]) -> None:
    """"{:.3f}".format(x)"""
    try:
        fields = [(name, spec or "") for _, name, spec, _ in Formatter().parse(text) if name is not None]
    except ValueError:
        return
    for place, (name, spec) in enumerate(fields):
        index = int(name) if name.isdecimal() else place if not name else len(args)
        if index < min(len(args), len(nodes)):
            tell_of_formatted(m, args[index], spec, nodes[index])


def tell_of_percent(m: Machine, text: str, given: Any, node: ast.expr) -> None:
    """"%.3f" % x, of a tuple one by one."""
    forms = [sign for name, sign in PERCENT.findall(text.replace("%%", "")) if not name]
    held = plain(given)
    values = held if type(held) is tuple else (given,)
    nodes = node.elts if type(held) is tuple and isinstance(node, ast.Tuple) else [node] * len(values)
    if len(forms) != len(values) or len(nodes) != len(values):
        return
    for sign, value, written in zip(forms, values, nodes, strict=True):
        found = _kind(value) if sign in "eEfFgGdi" else None
        if found is not None and found[2]:  # NumPy before 2.4 and PyTorch make a number of an only item
            _tell(m, written, value, found, OF_PERCENT)


def _kind(value: Any) -> tuple[str, str, bool] | None:
    """How it is spoken of, the name of its class, and whether it is certainly of other than one item, as are a list and
    a method."""
    held = plain(value)
    if type(held) is ListV:
        return None if held.unknown is not None and held.unknown.why == FOR_EMPTY else ("a list", "list", True)
    if type(held) in METHODS:
        return "a method that is not called", "method", True
    if type(held) is Tensor and held.kind in KINDS and isinstance(held.shape, tuple) and held.shape:
        several = any(type(extent) is int and extent != 1 for extent in held.shape)
        return f"an array of shape {show(held.shape)}", KINDS[held.kind], several
    return None


def _tell(m: Machine, node: ast.expr, value: Any, found: tuple[str, str, bool], error: str) -> None:
    if is_meant(m) and not m.uncalled:
        held = plain(value)
        refuse(m, m.span(node), Mismatch(
            Problem.UNEXPECTED, f"{ast.unparse(node)[:40]} is {found[0]}, and is written as a number",
            help=f"{ast.unparse(node)[:40]}()" if type(held) in METHODS else OF_ITEMS, error=error,
            facts=(("moment", "when it is written"),)), what="a number",
            about=(held,) if isinstance(held, Tensor) else (), assumptions=assumptions_of(value))


def tell_of_text(m: Machine, left: Any, right: Any, node: ast.AST) -> None:
    """"loss: " + loss"""
    text, other = (left, right) if type(left) is str else (right, left)
    if type(text) is not str or type(other) is not Tensor or not _is_number(other) or not is_meant(m) or m.uncalled:
        return
    refuse(m, m.span(node), Mismatch(
        Problem.UNEXPECTED, f"a {'tensor' if other.kind != 'numpy' else 'number'} is added to the text {text[:20]!r}",
        help="str(...) or an f-string makes a text of it", error='TypeError "can only concatenate str", "unsupported '
        'operand type(s) for +" or "Cannot convert", numpy.exceptions "ufunc \'add\' did not contain a loop"',
        facts=(("moment", "when it is added"),)), what="a text", about=(other,))


def _is_number(value: Tensor) -> bool:
    """TensorFlow and NumPy have arrays of texts, which may be added to one."""
    return value.kind == "torch" or (value.kind in ("tf", "numpy") and isinstance(value.dtype, str)
                                     and value.dtype.startswith(("float", "int", "uint", "bfloat")))

"""Methods that are not called: `x.cpu.numpy()`, `for weight in model.parameters`, `sum(w.numel for w in ...)`."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.quoting import quoted
from cudnnlint.interp.objects import MethodV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.values import Mismatch, Problem

OF_EACH = frozenset({"cpu", "cuda", "detach", "clone", "numpy", "item", "tolist", "float", "long", "int", "double",
                     "half", "contiguous", "squeeze", "mean", "sum", "argmax", "softmax", "sigmoid"})
"""Methods of tensors that are called one after the other."""


OF_RESULTS = OF_EACH | {"shape", "ndim", "T"}
"""What their results have, and no method."""


def tell_of_method(m: Machine, name: str, node: ast.Attribute) -> None:
    """`node` reads an attribute of the method `name`."""
    if name not in OF_EACH or node.attr not in OF_RESULTS or type(node.value) not in (ast.Attribute, ast.Name) \
            or m.uncalled or not is_meant(m):
        return
    called = quoted(node.value)
    said = f"the method {called}" if type(node.value) is ast.Attribute else f"{called}, the method {name} of a tensor,"
    refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"{said} has no attribute {node.attr}", help=f"{called}().{node.attr}",
        error=f"AttributeError \"'builtin_function_or_method' object has no attribute '{node.attr}'\"",
        facts=(("moment", "when it is read"),)), what=node.attr)


OF_MANY = frozenset({"parameters", "named_parameters", "children", "named_children", "modules", "named_modules",
                     "buffers", "named_buffers", "state_dict", "items", "keys", "values", "as_numpy_iterator"})
"""Methods whose results are gone through."""
NUMBERS = frozenset({"numel", "item", "sum", "mean", "size", "dim", "norm"})
"""Methods of tensors whose results are added."""


def tell_of_turns(m: Machine, value: Any, node: ast.expr) -> None:
    """`for weight in model.parameters`"""
    held = plain(value)
    if type(held) is MethodV and held.name.rpartition(".")[2] in OF_MANY and not m.uncalled and is_meant(m):
        _tell(m, node, "is gone through", "TypeError \"'method' object is not iterable\", of a dict "
              "\"'builtin_function_or_method' object is not iterable\"")


def tell_of_sum(m: Machine, value: Any, node: ast.AST) -> None:
    """`sum(weight.numel for weight in model.parameters())`"""
    held = plain(value)
    if type(held) is MethodV and held.name.rpartition(".")[2] in NUMBERS and not m.uncalled and is_meant(m) \
            and isinstance(node, ast.Call) and node.args:
        written = node.args[0].elt if isinstance(node.args[0], ast.GeneratorExp | ast.ListComp) else node.args[0]
        _tell(m, written, "is added", "TypeError \"unsupported operand type(s) for +: 'int' and "
              "'builtin_function_or_method'\"")


def _tell(m: Machine, node: ast.expr, how: str, error: str) -> None:
    called = quoted(node)
    refuse(m, m.span(node), Mismatch(
        Problem.UNEXPECTED, f"the method {called} {how}, and is not called", help=f"{called}()", error=error,
        facts=(("moment", "when it runs"),)), what="a method")

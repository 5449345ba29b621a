"""Methods of tensors that are asked for what their results have: `x.cpu.numpy()`."""

from __future__ import annotations

import ast

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.values import Mismatch, Problem

OF_EACH = frozenset({"cpu", "cuda", "detach", "clone", "numpy", "item", "tolist", "float", "long", "int", "double",
                     "half", "contiguous", "squeeze", "mean", "sum", "argmax", "softmax", "sigmoid"})
"""Methods of tensors that are called one after the other."""


OF_RESULTS = OF_EACH | {"shape", "ndim", "T"}
"""What their results have, and no method."""


def tell_of_method(m: Machine, name: str, node: ast.Attribute) -> None:
    """`node` reads an attribute of the method `name`."""
    if name not in OF_EACH or node.attr not in OF_RESULTS or type(node.value) is not ast.Attribute or m.uncalled \
            or not is_meant(m):
        return
    called = ast.unparse(node.value)[:40]
    refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"the method {called} has no attribute {node.attr}", help=f"{called}().{node.attr}",
        error=f"AttributeError \"'builtin_function_or_method' object has no attribute '{node.attr}'\"",
        facts=(("moment", "when it is read"),)), what=node.attr)

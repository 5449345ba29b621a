"""Notebooks that ran on Python 2: which they are, and their cells as Python 3 reads them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from cudnnlint.source.walk import walk

_PRINT = r"(?m)^([ \t]*)print(?:[ \t]+(?!\()|[ \t]*>>|[ \t]*$)[^\n]*$"
_RAISE = r"(?m)^([ \t]*)except[ \t]+([\w.]+|\([\w., \t]+\))[ \t]*,[ \t]*(\w+)[ \t]*:"


class WholeDiv(ast.Div):
    """`/` of Python 2, which of two integers gives an integer."""


WholeDiv.__name__ = "Div"  # by which ast.unparse() knows it


def is_old(metadata: Any) -> bool:
    """Whether the notebook's metadata name Python 2, as what ran it last or else as its kernel."""
    tables = metadata if isinstance(metadata, dict) else {}
    told, kernel = tables.get("language_info"), tables.get("kernelspec")
    version = told.get("version") if isinstance(told, dict) else None
    if isinstance(version, str) and version:
        return version.startswith("2.")
    return isinstance(kernel, dict) and kernel.get("name") == "python2"


def without_prints(code: str) -> str:
    """Print statements and old handlers replaced, lines in place.

    >>> without_prints('if x:\\n    print "x is", x\\nprint(y)')
    'if x:\\n    pass\\nprint(y)'
    """
    return re.sub(_RAISE, r"\1except \2 as \3:", re.sub(_PRINT, r"\1pass", code))


def divided_whole(body: Iterable[ast.stmt]) -> None:
    """Division as Python 2 has it, unless the module asks for that of Python 3."""
    statements = list(body)
    if any(isinstance(each, ast.ImportFrom) and each.module == "__future__" and
           any(alias.name == "division" for alias in each.names) for each in statements):
        return
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) is ast.Div:
                node.op = WholeDiv()

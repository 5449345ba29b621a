"""What a cell that is no Python leaves behind: what it would have set is not known after it."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator

from cudnnlint.source.error import SourceError
from cudnnlint.source.magics import PLACEHOLDER
from cudnnlint.source.parse import parse

_NAME = r"[^\W\d]\w*"
_TARGET = rf"\*?{_NAME}(?:\.\w+|\[[^\]\n]*\])*"
_TARGETS = rf"[(\[]?[ \t]*{_TARGET}(?:[ \t]*,[ \t]*[(]?{_TARGET}[)]?)*[ \t]*,?[ \t]*[)\]]?"
_IMPORT = re.compile(r"[ \t]*(?:import|from)[ \t].*", re.ASCII)
_SETS = (re.compile(rf"^[ \t]*({_TARGETS})[ \t]*(?::[^=\n]*)?(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)", re.MULTILINE),
         re.compile(rf"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+({_NAME})", re.MULTILINE),
         re.compile(rf"^[ \t]*for[ \t]+({_TARGETS})[ \t]+in\b", re.MULTILINE),
         re.compile(rf"\bas[ \t]+({_NAME})"))
_CHANGES = re.compile(rf"^[ \t]*({_NAME})\.[\w.]*\(", re.MULTILINE)
"""`model.add(` at the start of a line."""
_NO_NAMES = frozenset({*keyword.kwlist, "print"})


def left_by(path: str, code: str, start: int, kept: frozenset[str]) -> list[ast.stmt]:
    """Its imports, and assignments of nothing that is known to the other names that it sets or changes.

    kept  names that stand for modules: `tf.config.run(...)` changes none of them
    """
    lines = code.split("\n")
    imports = [tree for at, line in enumerate(lines) if (tree := _import(path, line, start + at)) is not None]
    own = kept | {alias.asname or alias.name.partition(".")[0] for each in imports for alias in each.names}
    names = sorted({*_set(code), *_changed(code)} - own - _NO_NAMES)
    text = "".join(f"{name} = " for name in names)
    return [*imports, *(parse(path, "\n" * (start - 1) + text + PLACEHOLDER).body if names else ())]


def imported(body: list[ast.stmt]) -> frozenset[str]:
    """The names that imports at the top of a module bind."""
    return frozenset(alias.asname or alias.name.partition(".")[0] for each in body
                     if isinstance(each, ast.Import | ast.ImportFrom) for alias in each.names)


def _import(path: str, line: str, number: int) -> ast.Import | ast.ImportFrom | None:
    if _IMPORT.fullmatch(line) is None or line.startswith((" ", "\t")):
        return None
    try:
        first = parse(path, "\n" * (number - 1) + line).body[0]
    except (SourceError, IndexError):
        return None
    return first if isinstance(first, ast.Import | ast.ImportFrom) else None


def _set(code: str) -> Iterator[str]:
    for pattern in _SETS:
        for found in pattern.finditer(code):
            bare = re.sub(r"\[[^\]]*\]|\.\w+", "", found[1])
            yield from re.findall(_NAME, bare)


def _changed(code: str) -> Iterator[str]:
    return (found[1] for found in _CHANGES.finditer(code))

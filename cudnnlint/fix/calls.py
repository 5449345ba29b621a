"""The calls of a file and where their arguments stand in its text, by the positions of `ast` nodes."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cudnnlint.finding import Argument
from cudnnlint.source import Source, Span
from cudnnlint.source.walk import walk

SPACE = " \t\f\\"


Piece = tuple[int, int, str]
"""Offsets of what is replaced, and by what."""
ATOMS = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set)
MODULES = {"tf": "tensorflow", "keras": "keras"}
"""Names that templates use -> what a file has to import by them."""


class Written(NamedTuple):
    """An argument as it is written: offsets into the text, half-open, brackets around the value included in `end`.

    keyword  its name, None by position
    start    of the name, or of the value by position, brackets around it included
    comma    after the comma that follows it; None where none does
    """

    keyword: str | None
    value: ast.expr
    start: int
    end: int
    comma: int | None


class Text:
    """A source's text with its lines joined by single line ends, as edits are made in it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = "\n".join(source.lines)
        self._starts = [0]
        for line in source.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._calls: dict[Span, ast.Call] | None = None
        self._within: set[int] = set()

    def span(self, start: int, end: int) -> Span:
        return Span(self.source.path, *self._place(start), *self._place(end))

    def region(self, node: ast.AST) -> tuple[int, int]:
        """Offsets of a node; brackets around it are not part of it."""
        _, line, column, end_line, end_column = self.source.span(node)
        return self._starts[line - 1] + column, self._starts[end_line - 1] + end_column

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        found = self.text.find("\n", offset)
        return len(self.text) if found < 0 else found

    def call(self, span: Span) -> ast.Call | None:
        """The call that stands exactly there."""
        if self._calls is None:
            nodes = list(walk(self.source.tree()))
            self._calls = {self.source.span(node): node for node in nodes if isinstance(node, ast.Call)}
            self._within = {id(inner) for node in nodes if isinstance(node, ast.JoinedStr) for inner in walk(node)}
        found = self._calls.get(span)
        return None if found is None or (id(found) in self._within and not self._reads(found)) else found

    def imports(self, module: str, name: str) -> bool:
        """Whether the file imports a module by this name at its top, or that of TensorFlow in its place."""
        names = {module, f"tensorflow.{module}"}
        return any((alias.asname or alias.name) == name and f"{package}{alias.name}" in names
                   for node in self.source.tree().body if isinstance(node, ast.Import | ast.ImportFrom)
                   for package in [f"{node.module}." if isinstance(node, ast.ImportFrom) else ""]
                   for alias in node.names)

    def _reads(self, node: ast.expr) -> bool:
        """Whether the text there is that node: before Python 3.12, positions within an f-string are not so."""
        start, end = self.region(node)
        try:
            there = ast.parse(f"({self.text[start:end]}\n)", mode="eval").body
        except SyntaxError:
            return False
        return ast.dump(there) == ast.dump(node)

    def arguments(self, call: ast.Call) -> list[Written] | None:
        """In the order of the text; None where they cannot be told apart."""
        nodes: list[ast.expr | ast.keyword] = sorted([*call.args, *call.keywords], key=self.region)
        _, closing = self.region(call)
        if len(nodes) == 1 and isinstance(nodes[0], ast.GeneratorExp):
            return None  # its brackets may be those of the call
        starts = [self.region(node)[0] for node in nodes]
        found = []
        before = self.region(call.func)[1]
        for node, limit in zip(nodes, [*starts, closing - 1][1:], strict=True):
            written = self._written(node, before, limit)
            if written is None:
                return None
            before = written.end
            found.append(written)
        return found

    def entries(self, table: ast.Dict, pairs: Sequence[tuple[str, int, ast.expr]]) -> list[Written] | None:
        """The same of a dict, from where each key stands and what it stands for."""
        _, closing = self.region(table)
        starts = [start for _, start, _ in pairs]
        found = [self._ended(key, value, start, self.region(value)[1], limit) for (key, start, value), limit
                 in zip(pairs, [*starts, closing - 1][1:], strict=True)]
        written = [each for each in found if each is not None]
        return written if len(written) == len(found) else None

    def _written(self, node: ast.expr | ast.keyword, before: int, limit: int) -> Written | None:
        start, end = self.region(node)
        if isinstance(node, ast.keyword):
            return self._ended(node.arg, node.value, start, end, limit)
        return self._ended(None, node, _opened(self.text, before, start), end, limit)

    def _ended(self, keyword: str | None, value: ast.expr, start: int, end: int, limit: int) -> Written | None:
        """With the brackets and the comma that follow it."""
        comma = None
        for at, sign in _signs(self.text, end, limit):
            if sign == ")" and comma is None:
                end = at + 1
            elif sign == "," and comma is None:
                comma = at + 1
            elif sign != "(" or comma is None:
                return None
        return Written(keyword, value, start, end, comma)

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset, hi=len(self._starts) - 1)
        return line, offset - self._starts[line - 1]


def find(argument: Argument, call: ast.Call, written: Sequence[Written]) -> Written | None:
    """The argument of that name, or at that position; None if the call does not write it."""
    for each in written:
        if each.keyword == argument.name:
            return each
    if argument.position is None or argument.position >= len(call.args):
        return None
    if any(isinstance(value, ast.Starred) for value in call.args[: argument.position + 1]):
        return None
    return next(each for each in written if each.value is call.args[argument.position])


def around(template: str, text: Text, value: ast.expr) -> list[Piece]:
    """In brackets where the template does not bring them and the value may bind less tightly."""
    before, _, after = template.partition("{}")
    if not (before.endswith("(") and after.startswith((")", ","))) and not isinstance(value, ATOMS):
        before, after = before + "(", ")" + after
    start, end = text.region(value)
    pieces = [(start, start, before), (end, end, after)]
    return [piece for piece in pieces if piece[2]]


def unpacks(call: ast.Call) -> bool:
    """Whether the call may have arguments that are not written out."""
    return any(isinstance(value, ast.Starred) for value in call.args) or any(
        keyword.arg is None for keyword in call.keywords)


def _signs(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """What is neither space nor comment between two arguments."""
    at = start
    while at < end:
        if text[at] == "#":
            stop = text.find("\n", at)
            at = end if stop < 0 else stop
        elif text[at] not in SPACE and text[at] != "\n":
            yield at, text[at]
        at += 1


def _opened(text: str, before: int, start: int) -> int:
    """Where brackets around a positional value begin: after the comma or the call's own bracket."""
    signs = [(at, sign) for at, sign in _signs(text, before, start) if sign in ("(", ",")]
    own = next((i for i, (_, sign) in enumerate(signs) if sign == ","), 0)
    return signs[own + 1][0] if len(signs) > own + 1 else start

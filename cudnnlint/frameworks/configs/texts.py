"""Texts that programs read line by line from files of the project: the names of the classes, the sizes of anchors."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.facts.data_files import read_file
from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.heap import ListV, TableV
from cudnnlint.interp.machine import Machine, assume
from cudnnlint.interp.objects import MISSING, BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.values import Assumption, Unknown
from cudnnlint.values.assumption import NONE, Assumptions

TAKEN = "taken"


@record(frozen=True, slots=True)
class FileV:
    """An open file, or its whole text: which one, or why that is not known; `rests` is what its path rests on."""

    file: str | Unknown
    rests: Assumptions = NONE
    read: bool = False
    text: Any = MISSING
    """What the program itself has written into it."""
    taken: TableV | None = None
    """Of a text: whether something was read of it already. The lines of a file of bytes are not told."""
    always_true = True

    def attribute(self, m: Machine, name: str) -> Any:
        if self.read:
            text = self.whole(m)
            return MISSING if isinstance(text, Unknown) else get_attribute(m, text, name, ast.Constant(value=None))
        if name in ("read", "close", "__enter__"):
            whole = FileV(self.file, self.rests, read=True, taken=self.taken) if self.text is MISSING else self.text
            return BuiltinV(f"file.{name}", lambda c: self._told(c, whole if name == "read" else self, name == "read"))
        if name in ("readlines", "readline") and self.text is MISSING:
            return BuiltinV(f"file.{name}", self._lines if name == "readlines" else lambda c: self.following(c.machine))
        return MISSING

    def iterated(self, m: Machine) -> Any:
        """The lines with what ends them."""
        if self.read or self.text is not MISSING:
            return Unknown("characters of a text" if self.read else "lines of a file that the program writes")
        text = self.whole(m) if self._first(m) else Unknown("the rest of a file")
        if isinstance(text, Unknown):
            return text
        lines = _lines(text.value)
        return [assume(line, text.assumptions) for line in lines] if len(lines) <= m.limits.items else \
            Unknown(f"one of {len(lines):,} lines")

    def _told(self, c: Call, value: Any, takes: bool) -> Any:
        if c.args or (takes and self.taken is not None and not self._first(c.machine)):
            return Unknown("part of a file")
        return value

    def _lines(self, c: Call) -> Any:
        found = Unknown("part of a file") if c.args else self.iterated(c.machine)
        return found if isinstance(found, Unknown) else ListV(found)

    def following(self, m: Machine) -> Any:
        """What next() gives: the rest is not followed."""
        found = self.iterated(m)
        return found if isinstance(found, Unknown) else found[0] if found else Unknown("the end of a file")

    def _first(self, m: Machine) -> bool:
        """Whether nothing was read before; from now on something was."""
        if self.taken is None:
            return False
        fresh = TAKEN not in self.taken.items and self.taken.unknown is None
        m.heap.touch(self.taken)
        self.taken.items[TAKEN] = True
        return fresh

    def whole(self, m: Machine) -> Any:
        """The text, Assumed, on the file; Unknown with the reason."""
        if isinstance(self.file, Unknown) or self.taken is None:
            return self.file if isinstance(self.file, Unknown) else Unknown("bytes of a file")
        text = read_file(self.file, "text")
        if isinstance(text, Unknown):
            return text
        count = len(_lines(text))
        told = f"{count} line{'' if count == 1 else 's'} ({m.project.shown(self.file)})"
        return assume(text, self.rests | {Assumption(told)})


def _lines(text: str) -> list[str]:
    """As a file gives them: only line feeds end a line."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]

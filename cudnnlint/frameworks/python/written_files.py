"""Texts that a program writes into a file and reads back: `f.write(model.to_json())`."""

from __future__ import annotations

import posixpath
from typing import Any

from cudnnlint.frameworks.python.paths import text_of
from cudnnlint.interp.heap import TableV
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import MISSING, BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

TEXTS = "texts written"


class WrittenV:
    """A file that is open for writing, anew (`fresh`) or behind what it has; `name` is None where that is not known."""

    always_true = True

    def __init__(self, m: Machine, path: Any, *, fresh: bool) -> None:
        known = text_of(path)
        self.name = None if known is None else posixpath.normpath(known[0])
        self.fresh = fresh
        _keep(m, self.name, Unknown("an open file"))

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "__enter__":
            return BuiltinV("file.__enter__", lambda c: self)
        return BuiltinV("file.write", self._write) if name == "write" else MISSING

    def _write(self, c: Call) -> Any:
        """All of the text, if it is the first that is written and the program certainly comes here."""
        whole = self.fresh and not c.machine.uncertain and not c.machine.uncalled and len(c.args) == 1
        _keep(c.machine, self.name, c.args[0] if whole else Unknown("a text written in parts"))
        self.fresh = False
        return Unknown("number of characters")


def _keep(m: Machine, name: str | None, text: Any) -> None:
    """Under a name that is not known it may be any of those that were written."""
    texts = _texts(m)
    m.heap.touch(texts)
    if name is None:
        texts.items = dict.fromkeys(texts.items, Unknown("another text may have been written over it"))
    else:
        texts.items[name] = text


def _texts(m: Machine) -> TableV:
    """By path; as old as the program, so that what one path writes another does not read."""
    texts = m.state.get(TEXTS)
    if texts is None:
        texts = m.state[TEXTS] = TableV()
        texts.born = 0
    return texts


def text_written(m: Machine, path: Any) -> Any:
    """What the program has written into that file, or MISSING."""
    known = text_of(path)
    if known is None or m.uncalled:
        return MISSING
    return _texts(m).items.get(posixpath.normpath(known[0]), MISSING)

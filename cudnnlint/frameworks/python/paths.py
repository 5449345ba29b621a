"""Paths as programs write them: os.path and pathlib over known text, enough to find modules and files of the project.

The working directory of a run is not known; a path made absolute by it stays relative here (`anchored`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.registry import Call
from cudnnlint.source import disk
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.unknown import Ending

LONGEST = 4096
"""Characters of a path that is still followed: PATH_MAX of Linux."""


class PathV:
    """A pathlib.Path, or a text that os.path made of the working directory (`anchored`: relative to it)."""

    path = "pathlib.Path"
    always_true = True
    __slots__ = ("anchored", "assumptions", "text")

    def __init__(self, text: str, assumptions: Assumptions = NONE, *, anchored: bool = False) -> None:
        self.text, self.assumptions = text, assumptions
        self.anchored = anchored and not os.path.isabs(text)

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, PathV) and (other.text, other.anchored) == (self.text, self.anchored)
        return self.made(self.text, other.assumptions) if same else Unknown("differs between paths")

    def made(self, text: str, more: Assumptions = NONE) -> PathV:
        """Another path of the same kind."""
        return PathV(text, self.assumptions | more, anchored=self.anchored)

    def combined(self, m: Machine, symbol: str, other: Any) -> Any:
        """`path / other`."""
        return joined([self, other]) if symbol == "/" else Unknown(f"{symbol} of a path")

    def as_text(self) -> Any:
        """str(path); of one that begins in the working directory the path itself, which os.path takes as well."""
        return self if self.anchored else assume(self.text, self.assumptions)

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "parent":
            return self.parent()
        if name == "parents":
            return self.parents()
        if name in ("name", "stem", "suffix"):
            found = getattr(PurePath(self.text), name)
            return assume(found, self.assumptions) if found or not self.anchored else Unknown("the working directory")
        return MISSING

    def parent(self) -> PathV:
        if self.anchored:
            return self.made(os.path.normpath(os.path.join(self.text, os.pardir)))
        return self.made(str(PurePath(self.text).parent))

    def parents(self) -> tuple[PathV, ...]:
        found = [self.parent()]
        while len(found) < 64 and found[-1].text != (up := found[-1].parent()).text:
            found.append(up)
        return tuple(found)


def text_of(value: Any) -> tuple[str, Assumptions] | None:
    """A path's text and what it rests on, of text or a PathV."""
    held = plain(value)
    if isinstance(held, PathV):
        return held.text, held.assumptions
    if isinstance(held, str) and len(held) <= LONGEST and "\0" not in held:
        return held, assumptions_of(value)
    return None


def lost(values: Any) -> Unknown:
    """Why a path is not known."""
    return next((held for value in values if isinstance(held := plain(value), Unknown)), Unknown("a path"))


def joined(values: Any) -> Any:
    """A PathV of the parts joined; Unknown unless all are known."""
    parts = [text_of(value) for value in values]
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        last = parts[-1] if parts else None
        return Ending(lost(values).why, end=last[0]) if last is not None and last[0] else lost(values)
    text = os.path.join(*(part for part, _ in known))
    taken = NONE.union(*(rests for _, rests in known))
    return PathV(text, taken, anchored=any(getattr(plain(value), "anchored", False) for value in values)) \
        if len(text) <= LONGEST else Unknown("a long path")


@FRAMEWORK.on("os.path.join", "posixpath.join", "tensorflow.io.gfile.join")
def join(c: Call) -> Any:
    found = joined(c.args)
    return found.as_text() if isinstance(found, PathV) else found


def _of_one(compute: Callable[[PathV], Any]) -> Callable[[Call], Any]:
    """A function of os.path over one path: text of text, a PathV of a PathV that has no text."""

    def run(c: Call) -> Any:
        value = plain(c.get(0, "path", c.get(0, "p", c.kwargs.get("filename"))))
        found = value if isinstance(value, PathV) else joined([c.args[0] if c.args else value])
        found = compute(found) if isinstance(found, PathV) else found
        return found.as_text() if isinstance(found, PathV) else found

    return run


def _dirname(path: PathV) -> PathV:
    return path.parent() if path.anchored else path.made(os.path.dirname(path.text))


def _absolute(path: PathV) -> PathV:
    return PathV(os.path.normpath(path.text), path.assumptions, anchored=True)


def _resolved(path: PathV) -> PathV:
    return path.made(disk.real_path(path.text)) if os.path.isabs(path.text) else _absolute(path)


def _basename(path: PathV) -> Any:
    name = os.path.basename(path.text)
    return assume(name, path.assumptions) if not path.anchored or name not in ("", ".", "..") else \
        Unknown("the working directory")


def _same(path: PathV) -> PathV:
    return path


def _expanded(path: PathV) -> Any:
    return Unknown("a home directory") if path.text.startswith("~") else path


for _name, _compute in {"dirname": _dirname, "abspath": _absolute, "realpath": _resolved, "basename": _basename,
                        "expanduser": _expanded,
                        "normpath": lambda path: path.made(os.path.normpath(path.text))}.items():
    FRAMEWORK.on(f"os.path.{_name}")(_of_one(_compute))
FRAMEWORK.on("os.fspath")(_of_one(_same))
FRAMEWORK.constant("os.pardir", "..")
FRAMEWORK.constant("os.path.pardir", "..")
FRAMEWORK.constant("os.curdir", ".")


@FRAMEWORK.on("os.path.split", "os.path.splitext")
def split(c: Call) -> Any:
    found = joined(c.args[:1]) if c.args else Unknown("a path")
    if not isinstance(found, PathV):
        return (found, found)
    if plain(c.callee).path.endswith("splitext"):
        root, extension = os.path.splitext(found.text)
        return (found.made(root).as_text(), assume(extension, found.assumptions))
    return (_dirname(found).as_text(), _basename(found))


@FRAMEWORK.on("os.getcwd", "pathlib.Path.cwd")
def cwd(c: Call) -> Any:
    return PathV(".", anchored=True)


@FRAMEWORK.on("pathlib.Path.home")
def home(c: Call) -> Any:
    return Unknown("a home directory")


@FRAMEWORK.on("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath")
def path(c: Call) -> Any:
    return joined(c.args or ["."])


@FRAMEWORK.on("pathlib.Path.joinpath")
def joinpath(c: Call) -> Any:
    return joined(_receiver_and(c))


def _receiver_and(c: Call) -> list[Any]:
    """The path that a method is of and the arguments: `path.resolve()` is `Path.resolve(path)`."""
    values = [*(c.args if c.receiver is None else (c.receiver, *c.args))] or [Unknown("a path")]
    return [plain(values[0]), *values[1:]]


def _name_of(c: Call) -> str:
    callee = plain(c.callee)
    return str(getattr(callee, "name", "") or getattr(callee, "path", "")).rpartition(".")[2]


@FRAMEWORK.on("pathlib.Path.resolve", "pathlib.Path.absolute", "pathlib.Path.expanduser", "pathlib.Path.as_posix",
              "pathlib.Path.with_suffix", "pathlib.Path.with_name")
def derived(c: Call) -> Any:
    (held, *given), name = _receiver_and(c), _name_of(c)
    if not isinstance(held, PathV):
        return Unknown("a path")
    if name in ("with_suffix", "with_name"):
        text = plain(given[0]) if given else None
        try:
            return held.made(str(getattr(PurePath(held.text), name)(text)), assumptions_of(given[0]))
        except (TypeError, ValueError, LookupError, AttributeError):
            return Unknown(f"{name}() of a path")
    if name == "as_posix":
        return held.as_text()
    return {"resolve": _resolved, "absolute": _absolute, "expanduser": _expanded}[name](held)

"""Takes IPython's own syntax out of a cell without moving anything else: lines and columns stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

PLACEHOLDER = "get_ipython()"
"""Stands for the result of `y = !ls`: a call of something unknown."""

BODY_IS_PYTHON = frozenset({"capture", "debug", "lprun", "memit", "mprun", "prun", "pyinstrument", "scalene",
                            "snakeviz", "time", "timeit", "wandb"})
"""Cell magics that run the rest of the cell as Python in the notebook's own namespace."""
RUNS_STATEMENT = frozenset({"time", "timeit", "prun"})
"""Line magics whose argument is a Python statement."""

AUTOMATIC = frozenset({
    "alias", "bookmark", "cat", "cd", "conda", "cp", "dhist", "dirs", "edit", "env", "hist", "history",
    "ldir", "less", "lf", "lk", "ll", "load", "load_ext", "ls", "lsmagic", "lx", "man", "matplotlib", "mkdir", "more",
    "mv", "pip", "popd", "precision", "pushd", "pwd", "pylab", "reload_ext", "rm", "rmdir", "run", "save", "store",
    "sx", "system", "tensorflow_version", "time", "timeit", "unalias", "who", "whos", "writefile", "xmode"})
"""Magics and commands that need no sign where they are the cell's only line (IPython/core/prefilter.py:
AutoMagicChecker; IPython/core/alias.py: default_aliases)."""

_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_SUSPECT = re.compile(r"^[ \t]*[%!?,;/]|\?[ \t]*$|=[ \t]*[!%]", re.MULTILINE)
_COMMAND = re.compile(r"(?P<indent>[ \t]*)[%!?,;/]")
_LINE_MAGIC = re.compile(r"([ \t]*)%(\w+)[ \t]+(?:(?:-[nrp][ \t]*\d+|-[slTD][ \t]*\S+|-[a-zA-Z]+)[ \t]+)*(?=[^\s-])")
_COMPOUND = re.compile(r"(?:for|while|with|if|try|async|def|class)\b")
"""Statements that stand alone on a line."""
_TARGET = r"\*?[\w.]+(?:\[[^\]=]*\])?"
_ASSIGNED = re.compile(rf"(?P<target>[ \t]*{_TARGET}(?:[ \t]*,[ \t]*{_TARGET})*[ \t]*,?[ \t]*=[ \t]*)(?:!|%\w)")
_HELP = re.compile(r"(?P<indent>[ \t]*)%{0,2}[^\W\d][\w.*\[\]]*\?\??[ \t]*$")
_LEXEME = re.compile(r"""(?P<comment>\#.*)|(?P<triple>\"{3}|'{3})|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
                     r"""|(?P<open>[(\[{])|(?P<close>[)\]}])""")
_LONG_ENDS = {quotes: re.compile(rf"(?s:\\.|[^\\])*?{quotes}") for quotes in ('"""', "'''")}


def python_of(text: str) -> str | None:
    """A cell with its magics replaced; None if the cell as a whole is another language (`%%bash`)."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), None)
    if first is None:
        return text
    if magic := _CELL_MAGIC.match(lines[first]):
        if magic[1] not in BODY_IS_PYTHON:
            return None
        lines[first] = ""
    return "\n".join(_replace(lines)) if _SUSPECT.search(text) else "\n".join(lines)


def is_automatic(code: str) -> bool:
    """Whether a cell that is no Python is a command without its sign: `pip install keras`.

    >>> is_automatic("# how large\\nls -l model.h5"), is_automatic("ls = ")
    (True, False)
    """
    lines = [line.strip() for line in code.split("\n")]
    lines = [line for line in lines if line and not line.startswith("#")]
    first, _, rest = lines[0].partition(" ") if len(lines) == 1 else ("", "", "")
    return first in AUTOMATIC and not rest.lstrip().startswith("=")


class _Line(NamedTuple):
    """A line after replacement; what was a command has no brackets or strings to follow."""

    text: str
    is_python: bool


def _replace(lines: list[str]) -> Iterator[str]:
    """Magics stand only where a statement starts: never within brackets, strings or a continued line."""
    scanner = _Scanner()
    continued = False
    for line in lines:
        if continued:  # a command goes on after a backslash
            yield ""
            continued = line.endswith("\\")
            continue
        text, is_python = _replaced(line) if scanner.at_statement else _Line(line, True)
        yield text
        if is_python:
            scanner.feed(text)
        continued = not is_python and line.endswith("\\")


def _replaced(line: str) -> _Line:
    magic = _LINE_MAGIC.match(line)
    if magic and magic[2] in RUNS_STATEMENT and not _COMPOUND.match(line, magic.end()):
        # "%time f(x)" becomes "0;    f(x)": the columns of f(x) stay
        return _Line(magic[1] + "0;".ljust(magic.end() - magic.end(1)) + line[magic.end():], True)
    if command := _COMMAND.match(line) or _HELP.match(line):
        return _Line(command["indent"] + "pass", False)
    if assigned := _ASSIGNED.match(line):
        return _Line(assigned["target"] + PLACEHOLDER, False)
    return _Line(line, True)


class _Scanner:
    """Follows brackets and long strings from line to line."""

    def __init__(self) -> None:
        self._depth = 0
        self._quotes = ""
        self._continued = False

    @property
    def at_statement(self) -> bool:
        return not (self._depth or self._quotes or self._continued)

    def feed(self, line: str) -> None:
        at = 0
        while at < len(line):
            if self._quotes:
                end = _LONG_ENDS[self._quotes].match(line, at)
                if end is None:
                    return
                at, self._quotes = end.end(), ""
                continue
            found = _LEXEME.search(line, at)
            if found is None:
                break
            at = self._take(found)
        self._continued = not self._quotes and line.endswith("\\")

    def _take(self, found: re.Match[str]) -> int:
        if found["triple"]:
            self._quotes = found["triple"]
        elif found["open"]:
            self._depth += 1
        elif found["close"]:
            self._depth = max(self._depth - 1, 0)
        return found.end()

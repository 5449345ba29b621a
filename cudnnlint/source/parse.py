"""Text to a syntax tree, with every way in which Python refuses a text turned into one error."""

from __future__ import annotations

import ast
import re
import warnings

from cudnnlint.source.decode import split_lines
from cudnnlint.source.error import SourceError


def parse(path: str, text: str) -> ast.Module:
    """The tree of a module; SourceError where it is not Python, or nested too deeply to be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid escape sequence" is for the user's interpreter to say
            return ast.parse(text, path)
    except SyntaxError as error:
        if error.lineno is None and "\0" in text:
            raise _unwritable(path, text) from None
        line, column = max(error.lineno or 1, 1), max((error.offset or 1) - 1, 0)
        raise SourceError(path, line, column, _first_line(error.msg)) from None
    except (RecursionError, MemoryError):
        raise SourceError(path, 1, 0, "too deeply nested to parse") from None
    except ValueError:  # of a notebook, whose JSON may hold them
        raise _unwritable(path, text) from None


def _unwritable(path: str, text: str) -> SourceError:
    """NUL characters and lone surrogates, of which Python tells no place."""
    found = re.search("[\0\ud800-\udfff]", text)
    at = 0 if found is None else found.start()
    lines = split_lines(text[:at])
    return SourceError(path, len(lines), len(lines[-1]), f"no text of Python holds the character U+{ord(text[at]):04X}")


def _first_line(message: str) -> str:
    return message.splitlines()[0] if message else "invalid syntax"

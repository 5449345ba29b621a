"""Text to a syntax tree, with every way in which Python refuses a text turned into one error."""

from __future__ import annotations

import ast
import warnings

from cudnnlint.source.error import SourceError


def parse(path: str, text: str) -> ast.Module:
    """The tree of a module; SourceError where it is not Python, or nested too deeply to be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid escape sequence" is for the user's interpreter to say
            return ast.parse(text, path)
    except SyntaxError as error:
        line, column = max(error.lineno or 1, 1), max((error.offset or 1) - 1, 0)
        raise SourceError(path, line, column, _first_line(error.msg)) from None
    except (RecursionError, MemoryError):
        raise SourceError(path, 1, 0, "too deeply nested to parse") from None
    except ValueError as error:  # NUL bytes and lone surrogates
        raise SourceError(path, 1, 0, _first_line(str(error))) from None


def _first_line(message: str) -> str:
    return message.splitlines()[0] if message else "invalid syntax"

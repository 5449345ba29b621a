"""Bytes to text as Python itself would: BOM, PEP 263 declarations, UTF-8 otherwise."""

from __future__ import annotations

import io
import re
import tokenize

from cudnnlint.source.error import SourceError

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(r"\r\n?")
_END_OF_LINE = re.compile(rb"\r\n?|\n")


def decode(path: str, data: bytes) -> str:
    """The text of a Python file, without its BOM; SourceError where Python would refuse it."""
    if (nul := data.find(b"\0")) >= 0:
        raise SourceError(path, *_position(data, nul), "binary file: it contains NUL bytes")
    encoding = _encoding(path, data).removesuffix("-sig")
    data = data.removeprefix(_BOM)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        message = f"not {encoding} text: {error.reason} 0x{data[error.start]:02x}"
        raise SourceError(path, *_position(data, error.start), message) from None
    except Exception as error:  # a codec that is not a text encoding ("hex", "rot13") raises what it likes
        raise SourceError(path, 1, 0, f"cannot decode as {encoding}: {error}".splitlines()[0]) from None


def split_lines(text: str) -> list[str]:
    """Lines as Python's tokenizer counts them, without their ends: form feeds and U+2028 end no line.

    >>> split_lines("a\\r\\nb\\x0cc\\rd")
    ['a', 'b\\x0cc', 'd']
    """
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    return text.split("\n")


def _encoding(path: str, data: bytes) -> str:
    first, _, rest = data.partition(b"\n")
    if b"coding" not in first and b"coding" not in rest.partition(b"\n")[0]:
        return "utf-8"
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        raise SourceError(path, 1, 0, str(error.msg)) from None


def _position(data: bytes, offset: int) -> tuple[int, int]:
    """Line from 1 and column from 0 of a byte; what precedes it on its line is read as UTF-8 as far as it goes."""
    lines = _END_OF_LINE.split(data[:offset])
    return len(lines), len(lines[-1].decode("utf-8", "replace"))

"""Where things stand in a JSON document: members, elements, and each character of a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*")
_CHARACTER = re.compile(r'\\u([0-9a-fA-F]{4})|\\(.)|[^"\\]', re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_DECODER = json.JSONDecoder()
_NEWLINE = re.compile(r"\r\n|\r|\n")


class Text(NamedTuple):
    """A string, or the strings of a list as one text; each of its line ends counts as one character.

    places  of each character, where it is written
    parts   of each string, where its content starts and ends
    between  what stands between two strings of a list, quotes included; None for a string alone
    newline  a line end as it is written there
    """

    text: str
    places: tuple[tuple[int, int], ...]
    parts: tuple[tuple[int, int], ...]
    between: str | None
    newline: str

    def spliced(self, start: int, end: int, new: str, ascii_only: bool) -> tuple[int, int, str]:
        """What is to be written for `new` in place of text[start:end], and where. The text is not empty.

        In a list, lines stay strings of their own: what ends one starts another.
        """
        first = self.places[start][0] if start < len(self.places) else self.places[-1][1]
        last = self.places[end - 1][1] if end > start else first
        lines = [json.dumps(line, ensure_ascii=ascii_only)[1:-1] for line in _NEWLINE.split(new)]
        after = next((begin for begin, _ in self.parts if begin > last), None)
        if end > start and after is not None and any(stop == last for _, stop in self.parts):
            if not lines[-1] and new:
                return first, last, self._joined(lines[:-1]) + self.newline
            last = after  # the rest of the line is in the next one
        return first, last, self._joined(lines)

    def _joined(self, lines: list[str]) -> str:
        return (self.newline + (self.between or "")).join(lines)


def members(raw: str, at: int) -> dict[str, int]:
    """Where the values of an object start; of a key that is there twice, the last counts, as `json.loads` has it."""
    found: dict[str, int] = {}
    at = _skip(raw, _skip(raw, at) + 1)
    while raw[at] != "}":
        key, at = _DECODER.raw_decode(raw, at)
        found[key] = at = _skip(raw, _skip(raw, at) + 1)
        at = _next(raw, at)
    return found


def elements(raw: str, at: int) -> Iterator[int]:
    """Where the elements of a list start; none of what is no list."""
    if raw[at] != "[":
        return
    at = _skip(raw, at + 1)
    while raw[at] != "]":
        yield at
        at = _next(raw, at)


def text_at(raw: str, at: int) -> Text | None:
    """The text that starts there; None for what is neither a string nor a list of such."""
    is_list = raw[at] == "["
    starts = list(elements(raw, at)) if is_list else [at]
    if any(raw[start] != '"' for start in starts):
        return None
    read: list[tuple[str, int, int]] = []
    parts: list[tuple[int, int]] = []
    for start in starts:
        end = _DECODER.raw_decode(raw, start)[1]
        parts.append((start + 1, end - 1))
        read += _characters(raw, start + 1, end - 1)
    read = _merged(read)
    written = next((raw[start:end] for char, start, end in read if char == "\n"), "\\n")
    return Text("".join(char for char, _, _ in read), tuple((start, end) for _, start, end in read), tuple(parts),
                _between(raw, at, parts) if is_list else None, written)


def _between(raw: str, at: int, parts: list[tuple[int, int]]) -> str:
    """As the list has it; of a single string, what stands before it."""
    if len(parts) > 1:
        return raw[parts[0][1]:parts[1][0]]
    return f'",{raw[at + 1:parts[0][0]]}' if parts else ""


def _characters(raw: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for found in _CHARACTER.finditer(raw, start, end):
        code, letter = found[1], found[2]
        char = chr(int(code, 16)) if code else _ESCAPED.get(letter, letter) if letter else found[0]
        yield char, found.start(), found.end()


def _merged(read: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """The two halves of a character as one, and each line end."""
    merged: list[tuple[str, int, int]] = []
    for char, start, end in read:
        before = merged[-1][0] if merged else ""
        if "\ud800" <= before <= "\udbff" and "\udc00" <= char <= "\udfff":
            whole = (before + char).encode("utf-16", "surrogatepass").decode("utf-16")
            merged[-1] = whole, merged[-1][1], end
        elif before == "\r" and char == "\n":
            merged[-1] = "\n", merged[-1][1], end
        else:
            merged.append((char, start, end))
    return [("\n" if char == "\r" else char, start, end) for char, start, end in merged]


def _next(raw: str, at: int) -> int:
    """Where the next member or element starts, or what closes them."""
    at = _skip(raw, _DECODER.raw_decode(raw, at)[1])
    return _skip(raw, at + 1) if raw[at] == "," else at


def _skip(raw: str, at: int) -> int:
    found = _SPACE.match(raw, at)
    return found.end() if found is not None else at

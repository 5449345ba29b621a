"""Versions that a program notes for its readers: `# pip install tensorflow==2.10`, "Requires: keras==2.3.1", "Tested
with TensorFlow 1.14", or the dependencies of a script (PEP 723)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnnlint.engine.requirements.dependencies import Pin, parse_pin

ORIGIN = "a comment"
LONGEST = 200
"""Characters before a requirement that are looked at."""
# Text, not compiled: most files need none of them.
_MARKS = (rb"tensorflow(?:-gpu)? ?(?:[=~]=|<)", rb"keras ?(?:[=~]=|<)", rb"torch ?(?:[=~]=|<)")
"""Letters first, which re looks for at once; most files have none of them."""
_BOUND = rb"(?:[=~]=|<=?)[ \t]*[0-9][\w.*]*"
_LIBRARY = rb"(?:tensorflow(?:-gpu|-cpu)?|keras|torch|tf[-_]keras)(?![\w-])"
_LINE = rb"(?m)^([^\n]*?)(?<![\w./-])(" + _LIBRARY + rb"[ \t]*" + _BOUND + rb")([^\n]*)$"
_NOTED = (rb"(?i)(?:[\s#\"'`>$!%*,;:=\[\]()-]|[a-z][\w.-]*[ \t]*[=~<>]=?[ \t]*[\d.*]+(?:,[<>!~=]=?[\d.]+)*"
          rb"|\b(?:pip3?|conda|uv|install|add|python[23]?(?:[ \t]*\d[\d.]*)?|requires?|required|requirements?|needs?"
          rb"|needed|dependenc(?:y|ies)|environment|versions?|tested|developed|written|works?|runs?|run|made|with|on"
          rb"|for|under|using|and|is|are|the|quiet|upgrade)\b|-[qUmI]\b)*")
"""What may stand before it where it is asked for; in code, or in a sentence that speaks of it, other words do."""
_OTHERWISE = rb"(?i)\b(?:not|fail\w*|br[eo]a?k\w*|bugs?|errors?|crash\w*|or (?:later|newer|above|higher))\b|n't\b|\+"
_TESTED = (rb"(?im)^[ \t#\"'*-]*(?:[\w.,;()-]+[ \t]+){0,4}?tested[ \t]+(?:with|on|under|using|in)[ \t:]+"
           rb"(?:[\w.,-]+[ \t]+){0,6}?(tensorflow|tf)(?:-gpu)?[ \t]*(?:version|v\.?|==?)?[ \t]*([12]\.\d+)(?![\w.]*\+)")
_SCRIPT = rb"(?m)^# /// script\s*$([\s\S]*?)^# ///\s*$"
_QUOTED = rb"[\"']((?:tensorflow|keras|torch|tf[-_]keras)[^\"']*)[\"']"


def noted(data: bytes) -> Iterator[Pin]:
    """The requirements that comments and docstrings of a module or notebook state."""
    if b"/// script" in data and (block := re.search(_SCRIPT, data)):
        yield from _pins(re.findall(_QUOTED, block[1]), "script metadata")
        data = data[: block.start()] + data[block.end():]
    if any(re.search(mark, data) for mark in _MARKS):
        for before, first, after in re.findall(_LINE, data):
            if len(before) < LONGEST and re.fullmatch(_NOTED, before) and not re.search(_OTHERWISE, after):
                yield from _pins([first, *re.findall(_LIBRARY + rb"[ \t]*" + _BOUND, after)], ORIGIN)
    for word in (b"ested ", b"ESTED "):
        if found := next(filter(None, (re.search(_TESTED, line) for line in _lines_with(word, data))), None):
            yield from _pins([b"tensorflow==%s.*" % found[2]], ORIGIN)
            return


def _lines_with(word: bytes, data: bytes) -> Iterator[bytes]:
    """The lines that hold a word: cheaper than a pattern that is tried at each line.

    >>> [*_lines_with(b"b", b"ab\\nc\\nbb")]
    [b'ab', b'bb']
    """
    at = data.find(word)
    while at >= 0:
        end = data.find(b"\n", at) % (len(data) + 1)
        yield data[data.rfind(b"\n", 0, at) + 1:end]
        at = data.find(word, end)


def _pins(texts: list[bytes], origin: str) -> Iterator[Pin]:
    for text in texts:
        if (pin := parse_pin(text.decode("ascii", "replace"), origin)) is not None:
            yield pin

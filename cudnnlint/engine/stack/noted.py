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
_OTHERWISE = (rb"(?i)\b(?:not|fail\w*|br[eo]a?k\w*|bugs?|errors?|crash\w*|or (?:later|newer|above|higher)|should|if"
              rb"|when|only|windows|mac(?:os)?|optional|instead|old)\b|n't\b|\+")
"""What behind it says that it is no requirement, or one of some machines."""
_ASKED = (rb"(?i)[\s#\"'*>$!%-]*(?:(?:python[23]?[ \t]+-m[ \t]+)?(?:pip3?|conda|uv)|install|requires?|requirements?"
          rb"|needs?|dependenc(?:y|ies))\b")
"""How a line begins that asks for a library: `# keras < 2.13` alone labels what is there for older ones."""
_FOR_ONE = rb"(?i)\b(?:needed|required)[ \t]+(?:for|by|with|on|in|under)\b"
"""What is there for the sake of one version."""
_NEVER = rb"(?i)\b(?:not|never|no|be|to|needs?|should|todo|without)\b|n't\b"
_TESTED = (rb"(?im)^[ \t#\"'*-]*((?:[\w.,;()-]+[ \t]+){0,4}?)tested[ \t]+(?:with|on|under|using|in)[ \t:]+"
           rb"(?:[\w.,-]+[ \t]+){0,6}?(?:tensorflow|tf)(?:-gpu)?[ \t]*(?:version|v\.?|==?)?[ \t]*([12]\.\d+)"
           rb"([^\n]*)$")
_ANOTHER = (rb"(?i)^[\w.-]*\+|\b(?:to|and|or)[ \t]+(?:(?:tensorflow|tf)[ \t]+)?[12]\.[\dx]|[,/&][ \t]*[12]\.[\dx]"
            rb"|&[ \t]*(?:tensorflow|tf)\b|\b(?:later|newer|above)\b")
"""More versions behind the first, or whatever comes after it."""
_SCRIPT = rb"(?m)^# /// script\s*$([\s\S]*?)^# ///\s*$"
_QUOTED = rb"[\"']((?:tensorflow|keras|torch|tf[-_]keras)[^\"']*)[\"']"


def noted(data: bytes) -> Iterator[Pin]:
    """The requirements that comments and docstrings of a module or notebook state."""
    if b"/// script" in data and (block := re.search(_SCRIPT, data)):
        yield from _pins(re.findall(_QUOTED, block[1]), "script metadata")
        data = data[: block.start()] + data[block.end():]
    stated: list[Pin] = []
    if any(re.search(mark, data) for mark in _MARKS):
        for before, first, after in re.findall(_LINE, data):
            texts = [first, *re.findall(_LIBRARY + rb"[ \t]*" + _BOUND, after)]
            if len(before) < LONGEST and re.fullmatch(_NOTED, before) and not re.search(_OTHERWISE, after) \
                    and not re.search(_FOR_ONE, before) and (b"<" not in first or re.match(_ASKED, before)):
                stated += _pins(texts, ORIGIN)
    yield from _agreeing(stated)
    for word in (b"ested ", b"ESTED "):
        for found in filter(None, (re.search(_TESTED, line) for line in _lines_with(word, data))):
            if not re.search(_NEVER, found[1]) and not re.search(_OTHERWISE, found[3]) \
                    and not re.search(_ANOTHER, found[3]):
                yield from _pins([b"tensorflow==%s.*" % found[2]], ORIGIN)
            return


def _agreeing(pins: list[Pin]) -> Iterator[Pin]:
    """Those of libraries of which one requirement is stated: of several, each is that of some other case."""
    texts: dict[str, set[str]] = {}
    for pin in pins:
        texts.setdefault(pin.library, set()).add(str(pin.allowed))
    yield from (pin for pin in pins if len(texts[pin.library]) == 1)


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

"""Finds rules by the error that someone got: the text as it is in a log, with its numbers, paths and prefixes."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cudnnlint.engine.registry import rules
from cudnnlint.finding import Level
from cudnnlint.records import record
from cudnnlint.rules.protocol import Rule

ERRORS = Path(__file__).parents[1] / "rules" / "errors.txt"
"""What the code says that the libraries raise (devtools/docs_errors.py)."""
BLOCK = re.compile(r"```.*?```", re.DOTALL)
CODE = re.compile(r'`[^`\n]*"[^`\n]*`')
QUOTED = re.compile(r'"([^"]{6,})"')
ABOUT = re.compile(r"'([\w.]+)'( from '[\w.]+')?\W*$")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]+")
ABSENT = re.compile(r"No module named '?\w+'?$")
"""A whole package is not installed, which no program shows; of `tensorflow.contrib` a part is gone."""
NOISE = re.compile(
    r"\x1b\[[0-9;]*m"                    # colours
    r"|\[\[.*?\]\]|\{\{.*?\}\}"          # [[{{node model/conv2d/Conv2D}}]]
    r"|\[(?:[^][]|\[[^][]*\])*=(?:[^][]|\[[^][]*\])*\]"  # MaxPool[T=DT_FLOAT, ksize=[1, 2, 2, 1]]
    r'|File "[^"\n]*", line \d+(, in \S+)?'
    r"|\b0x[0-9a-fA-F]+"
    r"|(?<![\w`'])[\w.~-]*(/[\w.+-]+){2,}(:\d+)?\]?"  # paths, tensorflow/stream_executor/cuda/cuda_dnn.cc:328]
    r"|\d{4}-\d\d-\d\d[ T][\d:.,]+:?")


def singular(word: str) -> str:
    """
    >>> singular("shapes"), singular("loss")
    ('shape', 'loss')
    """
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


_COMMON = """
an and are as at be but by call called can cannot could for from function get given has have if in input into is it its
line may must not of on or python than that the this to type value was when which while with you your error errors
traceback most recent last run during following exception self args kwargs model layer layers keras tensorflow tf
"""
COMMON = frozenset(map(singular, _COMMON.split()))
"""Words that tell nothing of an error."""
LEAST = 4.0
"""Below it a resemblance is chance."""
WITHIN = 0.35
"""Of the best: what is less like the text than this is not offered."""
HALF = 0.5
"""Of a text that is no more than a name, `CUDNN_STATUS_BAD_PARAM`."""
NAME, PROSE = 0.8, 0.08
"""What a name of the library that a page speaks of counts for, and any of its words, beside the text of an error."""

OF_ANOTHER = 0.4
"""What an error counts for that is about another name."""
RAISES = {Level.WARNING: 0.995, Level.INFO: 0.95}
"""Who pastes an error had one: of pages that tell of the same, those come first whose rule is about what fails."""
TOGETHER = 3
"""Errors of one rule that a text may hold: one leads to another, and a log has them all."""

Terms = frozenset[str]


class Error(NamedTuple):
    """The terms of an error text, and the name that it is about: `Session` of "has no attribute 'Session'"."""

    terms: Terms
    about: Terms


@record(frozen=True, slots=True)
class Entry:
    """A rule as it is searched: its error texts, the names that its page holds, and its words."""

    rule: Rule
    errors: tuple[Error, ...]
    names: Terms
    words: Terms

    def all_terms(self) -> Terms:
        return self.words.union(self.names, *(error.terms for error in self.errors))


def search(text: str, limit: int = 5) -> list[Rule]:
    """The rules whose errors are most like the text, the likest first; none if nothing is."""
    if ABSENT.search(text.rstrip()):
        return []
    asked = terms(text)
    ranked = sorted(((_likeness(asked, entry), entry) for entry in _entries()),
                    key=lambda pair: (-pair[0], -_mentions(asked, pair[1]), pair[1].rule.code))
    best = ranked[0][0] if ranked else 0.0
    return [entry.rule for score, entry in ranked[:limit]
            if score >= WITHIN * best and (score >= LEAST or _covers(entry, asked))]


def terms(text: str) -> Terms:
    """Words and pairs of neighbouring words, without numbers.

    >>> sorted(terms("2021-03-01 10:00:00.1: E a/b/c.cc:3] OOM when allocating [32,7]"))
    ['allocating', 'oom', 'oom when', 'when allocating']
    """
    words = list(_words(NOISE.sub(" ", text)))
    pairs = (f"{a} {b}" for a, b in itertools.pairwise(words) if not {a, b} <= COMMON)
    return frozenset([*(word for word in words if word not in COMMON), *pairs])


def _words(text: str) -> Iterator[str]:
    for found in WORD.findall(text):
        yield singular(re.sub(r"(_\d+)+$", "", found).lower())


@cache
def _entries() -> tuple[Entry, ...]:
    told: dict[str, list[str]] = {}
    for line in ERRORS.read_text(encoding="utf-8").splitlines():
        name, _, text = line.partition(" ")
        told.setdefault(name, []).append(text)
    return tuple(_entry(rule, told.get(rule.name, ())) for rule in rules().values())


def _entry(rule: Rule, told: Sequence[str]) -> Entry:
    prose = CODE.sub(" ", BLOCK.sub(" ", rule.page))
    errors = [*told, *(text for part in prose.split("\n\n") for text in QUOTED.findall(part))]
    names = frozenset(word.lower() for word in WORD.findall(prose) if _is_name(word))
    return Entry(rule, tuple({_error(text): None for text in errors}), names, terms(f"{rule.name} {prose}"))


def _error(text: str) -> Error:
    found = ABOUT.search(text)
    return Error(terms(text), frozenset(_words(found[1])) - COMMON if found else frozenset())


def _mentions(asked: Terms, entry: Entry) -> int:
    """How often a page speaks of the names that are asked for: what tells pages apart that hold no other word of it."""
    page = entry.rule.page.lower()
    return sum(page.count(name) for name in entry.names & asked)


def _covers(entry: Entry, asked: Terms) -> bool:
    """Whether names of the library are asked for, and little that the page does not have."""
    unheard = math.log(len(_entries()) + 1)
    weights = _weights()
    held = sum(weights[term] for term in asked & entry.names)
    return held > 0 and held >= HALF * sum(weights.get(term, unheard) for term in asked)


def _is_name(word: str) -> bool:
    """`CUDNN_STATUS_BAD_PARAM`, `cudnnSetRNNDataDescriptor`: no word of English, nor an exception that many raise."""
    return not word.endswith("Error") and ("_" in word.strip("_") or any(letter.isupper() for letter in word[1:]))


@cache
def _weights() -> dict[str, float]:
    """How much a term tells: the rarer among rules, the more."""
    entries = _entries()
    count = Counter(term for entry in entries for term in entry.all_terms())
    return {term: math.log((len(entries) + 1) / seen) for term, seen in count.items()}


def _weight(found: Iterable[str]) -> float:
    weights = _weights()
    return sum(weights[term] for term in found)


def _held(error: Error, asked: Terms) -> float:
    """How much of an error is there, by how wholly it is."""
    there = error.terms & asked
    held = _weight(there) if there else 0.0
    likeness = held * held / _weight(error.terms) if held else 0.0
    return likeness if error.about <= asked else likeness * OF_ANOTHER


def _likeness(asked: Terms, entry: Entry) -> float:
    """The error texts that are most wholly there, and what else the page has of it."""
    told, left = 0.0, asked
    for _ in range(TOGETHER):
        held, best = max(((_held(error, left), at) for at, error in enumerate(entry.errors)), default=(0.0, 0))
        if not held:
            break
        told, left = told + held, left - entry.errors[best].terms
    likeness = told + NAME * _weight(entry.names & asked) + PROSE * _weight(entry.words & asked)
    return likeness * RAISES.get(entry.rule.level, 1.0)

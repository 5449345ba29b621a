"""Outcomes as JSON and back: findings whole, with their fixes and claims.

What is read back may be anything that someone wrote there: every part is checked, and ValueError raised for what we
would not have written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cudnnlint.engine.outcome import Outcome
from cudnnlint.finding import Applicability, Claim, Edit, Finding, Label, Level, Recipe
from cudnnlint.rules.listing import listed
from cudnnlint.source import Span
from cudnnlint.values.stack import Stack, Version

T = TypeVar("T")


def encoded(outcome: Outcome) -> list[Any]:
    """As `json.dumps` takes it; TypeError for what is no plain data."""
    stack = outcome.stack
    return [[_from_finding(finding) for finding in outcome.findings], list(outcome.notes),
            None if stack is None else [stack.keras, stack.tensorflow, stack.cudnn, stack.torch, stack.source,
                                        stack.without_gpu, stack.implied], outcome.counts, outcome.given]


def decoded(told: Any) -> Outcome:
    """What was encoded, but for the older versions that a stack may be as well, which rules alone ask for."""
    findings, notes, stack, counts, given = _row(told, 5)
    return Outcome(_many(_finding, findings), _many(_text, notes), None if stack is None else _stack(stack),
                   bool(counts), given=_many(_given, given))


def _from_finding(finding: Finding) -> list[Any]:
    if finding.verification is not None or (finding.fix is not None and finding.fix.changes):
        raise TypeError("a finding that is not as the analysis leaves it")
    fix, claim = finding.fix, finding.claim
    return [finding.span, finding.message, finding.fails, finding.help, finding.trace, finding.calls,
            finding.assumptions, None if fix is None else [fix.title, fix.edits, fix.applicability.value],
            None if claim is None else [claim.kind, [[name, _from_plain(fact)] for name, fact in claim.facts]],
            finding.rule, finding.code, finding.level.value, finding.also]


def _finding(told: Any) -> Finding:
    span, message, fails, help_, trace, calls, assumptions, fix, claim, rule, code, level, also = _row(told, 13)
    if rule not in listed():
        raise ValueError("no rule of ours")
    return Finding(_span(span), _text(message), _text(fails), _text(help_), _many(_label, trace), _many(_span, calls),
                   _many(_text, assumptions), None if fix is None else _fix(fix),
                   None if claim is None else _claim(claim), _text(rule), _text(code), Level(level),
                   also=_many(_span, also))


def _given(told: Any) -> tuple[str, int, tuple[str, ...]]:
    path, line, names = _row(told, 3)
    return _text(path), _number(line), _many(_text, names)


def _span(told: Any) -> Span:
    path, *places = _row(told, 5)
    return Span(_text(path), *map(_number, places))


def _label(told: Any) -> Label:
    span, text = _row(told, 2)
    return Label(_span(span), _text(text))


def _edit(told: Any) -> Edit:
    span, text = _row(told, 2)
    return Edit(_span(span), _text(text))


def _fix(told: Any) -> Recipe:
    title, edits, applicability = _row(told, 3)
    return Recipe(_text(title), _many(_edit, edits), Applicability(applicability))


def _claim(told: Any) -> Claim:
    kind, facts = _row(told, 2)
    return Claim(_text(kind), _many(_fact, facts))


def _fact(told: Any) -> tuple[str, Any]:
    name, value = _row(told, 2)
    return _text(name), _plain(value)


def _stack(told: Any) -> Stack:
    keras, tensorflow, cudnn, torch, source, without_gpu, implied = _row(told, 7)
    return Stack(_version(keras), _version(tensorflow), _version(cudnn), _version(torch), _text(source),
                 _text(without_gpu), bool(implied))


def _version(told: Any) -> Version:
    return _many(_number, told)


def _from_plain(value: Any) -> Any:
    """JSON has no tuples, and no keys but texts: both are marked."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if type(value) is tuple:
        return {"tuple": [*map(_from_plain, value)]}
    if type(value) is list:
        return [*map(_from_plain, value)]
    if type(value) is dict:
        return {"dict": [[_from_plain(key), _from_plain(each)] for key, each in value.items()]}
    raise TypeError(f"{type(value).__name__} is no plain data")


def _plain(told: Any) -> Any:
    if isinstance(told, list):
        return [*map(_plain, told)]
    if not isinstance(told, dict):
        return told
    if "tuple" in told:
        return tuple(map(_plain, _rows(told["tuple"])))
    return {_plain(key): _plain(each) for key, each in _rows(told["dict"])}


def _rows(told: Any) -> list[Any]:
    if not isinstance(told, list):
        raise ValueError("no list")
    return told


def _row(told: Any, length: int) -> list[Any]:
    if len(_rows(told)) != length:
        raise ValueError("a list of another length")
    return _rows(told)


def _many(each: Callable[[Any], T], told: Any) -> tuple[T, ...]:
    return tuple(map(each, _rows(told)))


def _text(told: Any) -> str:
    if not isinstance(told, str):
        raise ValueError("no text")
    return told


def _number(told: Any) -> int:
    if type(told) is not int:
        raise ValueError("no number")
    return told

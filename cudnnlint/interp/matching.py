"""match statements: whether a value fits a pattern, and what its parts are called then."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.builtin.kinds import is_instance
from cudnnlint.interp.comparison import compare
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import is_named_tuple
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.objects import BuiltinV, ClassV, FunctionV, InstanceV
from cudnnlint.source.walk import walk
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.unknown import Unset

WHOLE = frozenset({"bool", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"})
"""Classes whose one pattern by position is for the value itself (docs.python.org: class patterns)."""
PART = Unknown("a matched part")


class Match:
    """One case: `names` are what its pattern calls parts of the value, `assumed` what the verdict rests on."""

    def __init__(self, m: Machine, pattern: ast.pattern, subject: Any) -> None:
        self.m = m
        self.names: dict[str, Any] = {}
        self.assumed: Assumptions = NONE
        self.verdict = self.fits(pattern, subject)

    def fits(self, pattern: ast.pattern, subject: Any) -> bool | None:
        """True, False, or None where it is not known."""
        self.assumed |= assumptions_of(subject)
        held = plain(subject)
        match pattern:
            case ast.MatchAs(inner, name):
                verdict = True if inner is None else self.fits(inner, subject)
                if name is not None:
                    self.names[name] = subject
                return verdict
            case ast.MatchValue(value):
                return self._told(compare(self.m, ast.Eq(), subject, self.m.eval(value), value))
            case ast.MatchSingleton(value):
                return self._told(compare(self.m, ast.Is(), subject, value, pattern))
            case ast.MatchOr(patterns):
                return self._any(patterns, subject)
            case _ if isinstance(held, Unknown):
                return self._open(pattern)
            case ast.MatchSequence(patterns):
                return self._sequence(patterns, held)
            case ast.MatchMapping(keys, patterns, rest):
                return self._mapping(keys, patterns, rest, held)
            case ast.MatchClass():
                return self._class(pattern, held, subject)
        return self._open(pattern)

    def _told(self, outcome: Any) -> bool | None:
        self.assumed |= assumptions_of(outcome)
        held = plain(outcome)
        return held if isinstance(held, bool) else None

    def _open(self, *patterns: ast.AST) -> bool | None:
        """Nothing is known of the parts that these call by a name."""
        for inner in (each for pattern in patterns for each in walk(pattern)):
            name = inner.name if isinstance(inner, ast.MatchAs | ast.MatchStar) else \
                inner.rest if isinstance(inner, ast.MatchMapping) else None
            if name is not None:
                self.names.setdefault(name, PART)
        return None

    def _any(self, patterns: list[ast.pattern], subject: Any) -> bool | None:
        unsure = False
        for pattern in patterns:
            verdict = self.fits(pattern, subject)
            if verdict and not unsure:
                return True
            unsure = unsure or verdict is not False
        return None if unsure else False

    def _all(self, pairs: Iterable[tuple[ast.pattern, Any]]) -> bool | None:
        found: bool | None = True
        for pattern, part in pairs:
            verdict = self.fits(pattern, part)
            if verdict is False:
                return False
            found = found if verdict else None
        return found

    def _sequence(self, patterns: list[ast.pattern], held: Any) -> bool | None:
        if not isinstance(held, ListV | tuple) or (isinstance(held, ListV) and held.unknown):
            return False if isinstance(held, DictV) or _is_no_container(held) else self._open(*patterns)
        items = list(held.items) if isinstance(held, ListV) else list(held)
        star = next((i for i, each in enumerate(patterns) if isinstance(each, ast.MatchStar)), None)
        if star is None:
            return self._all(zip(patterns, items, strict=True)) if len(items) == len(patterns) else False
        behind = len(patterns) - star - 1
        if len(items) < len(patterns) - 1:
            return False
        if (name := getattr(patterns[star], "name", None)) is not None:
            self.names[name] = ListV(items[star:len(items) - behind])
        tail = items[len(items) - behind:]
        return self._all([*zip(patterns[:star], items, strict=False), *zip(patterns[star + 1:], tail, strict=True)])

    def _mapping(self, keys: list[ast.expr], patterns: list[ast.pattern], rest: str | None, held: Any) -> bool | None:
        if not isinstance(held, DictV) or held.is_set:
            other = isinstance(held, tuple | ListV) or _is_no_container(held)
            return False if other else self._open(*patterns)
        asked = [key_of(self.m.eval(key)) for key in keys]
        if rest is not None:
            self.names[rest] = DictV({key: value for key, value in held.items.items() if key not in asked},
                                     held.unknown)
        found: bool | None = True
        for key, pattern in zip(asked, patterns, strict=True):
            value = held.items.get(key, held.unknown)
            if value is None and key not in held.items:
                return False
            if held.unknown or type(value) is Unset or isinstance(key, Unknown):
                found = self._open(pattern)
            elif (verdict := self.fits(pattern, value)) is False:
                return False
            else:
                found = found if verdict else None
        return found

    def _class(self, pattern: ast.MatchClass, held: Any, subject: Any) -> bool | None:
        cls = plain(self.m.eval(pattern.cls))
        verdict = is_instance(held, cls)
        if verdict is False:
            return False
        parts = list(self._parts(pattern, cls, held, subject))
        return self._all(parts) if verdict and len(parts) == len(pattern.patterns) + len(pattern.kwd_patterns) \
            else self._open(pattern)

    def _parts(self, pattern: ast.MatchClass, cls: Any, held: Any, subject: Any) -> Iterator[tuple[ast.pattern, Any]]:
        """Patterns with what they are for."""
        if isinstance(cls, BuiltinV) and cls.name in WHOLE and len(pattern.patterns) == 1:
            yield pattern.patterns[0], subject
        elif isinstance(cls, ClassV):
            named = plain(cls.lookup("__match_args__"))
            names = named if isinstance(named, tuple) else tuple(cls.fields or ())
            for inner, name in zip(pattern.patterns, map(plain, names), strict=False):
                if isinstance(name, str):
                    yield inner, get_attribute(self.m, held, name, pattern)
        for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            if isinstance(held, InstanceV):
                yield inner, get_attribute(self.m, held, name, pattern)


def _is_no_container(held: Any) -> bool:
    """Whether it is neither a sequence nor a mapping to a pattern; a text is none."""
    if isinstance(held, InstanceV):
        return held.cls.sealed and held.cls.external_base() is None and not is_named_tuple(held.cls)
    return held is None or isinstance(held, int | float | str | bytes | FunctionV)

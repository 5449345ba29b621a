"""Matching arguments to parameters: of the user's functions and of library spellings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from cudnnlint.ops.protocol import Spelling
from cudnnlint.ops.whole import INPUTS
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Unknown
from cudnnlint.values.stack import Version, version_holds
from cudnnlint.values.unknown import Unset

STAR = "**"
"""Key in a call's kwargs when some arguments are not known: names and number of the rest are open."""


@record(frozen=True, slots=True)
class Bound:
    """Arguments by parameter name with defaults filled in, the names given, and what does not fit."""

    arguments: dict[str, Any]
    given: frozenset[str]
    problems: tuple[Mismatch, ...]
    base: dict[str, Any]


@cache
def signature(builder: Any) -> tuple[list[str], list[str], dict[str, Any], bool, bool]:
    """(positional names, keyword-only names, defaults, *args?, **kwargs?) without importing inspect."""
    code = builder.__code__
    positional = list(code.co_varnames[: code.co_argcount])
    keyword = list(code.co_varnames[code.co_argcount: code.co_argcount + code.co_kwonlyargcount])
    defaults = dict(zip(positional[len(positional) - len(builder.__defaults__ or ()):],
                        builder.__defaults__ or (), strict=True))
    defaults.update(builder.__kwdefaults__ or {})
    return positional, keyword, defaults, bool(code.co_flags & 0x04), bool(code.co_flags & 0x08)


def bind_spelling(spelling: Spelling, args: Sequence[Any], kwargs: Mapping[str, Any], stack: Stack,
                  base_arguments: Mapping[str, str] | None = None) -> Bound | Unknown:
    """Bind a library call; `base_arguments` are keyword arguments that every layer takes, with version clauses."""
    positional, keyword, defaults, star_args, star_kwargs = signature(spelling.builder)
    versions, keras = spelling.versions, stack.keras
    names = _by_position(spelling.builder, tuple(versions.items()), keras) if versions else positional
    arguments: dict[str, Any] = {}
    base: dict[str, Any] = {}
    problems: list[Mismatch] = []
    if STAR in kwargs:
        return Unknown("arguments that are not known")
    for name, value in zip(names, args, strict=False):
        arguments[name] = value
    if len(args) > len(names) and not star_args:
        problems.append(_too_many(spelling, len(names), len(args)))
    rest: dict[str, Any] = {}
    for name, value in kwargs.items():
        known = name in names or name in keyword or f"{name}=" in versions
        if known and name not in arguments and (name not in versions or version_holds(versions[name], keras)):
            arguments[name] = value
        elif base_arguments is not None and name in base_arguments and version_holds(base_arguments[name], keras):
            base[name] = value
        elif star_kwargs:
            rest[name] = value
        elif type(value) is not Unset:
            since = versions.get(name) or (base_arguments or {}).get(name, "") or _laid_out(spelling, name)
            if since and name.endswith(LAYOUT) and version_holds(since, keras):
                base[name] = value
                continue
            if since and name in INPUTS:  # what follows was written for it
                base[name] = value
            problems.append(_unknown_argument(spelling, name, name in arguments, since, (
                *names, *(word for word in keyword if version_holds(versions.get(word, ""), keras)))))
    given = frozenset(arguments) | frozenset(base)
    arguments.update(rest)
    missing: list[str] = []
    for name in (*positional, *keyword):
        if name not in arguments:
            if name not in defaults:
                if name in names or name in keyword:
                    missing.append(name)
                arguments[name] = Unknown(f"missing argument {name}")
            else:
                arguments[name] = defaults[name]
    if missing:
        lacks = lacking(_short(spelling), missing, keyword)
        problems = [*(_told_first(each, lacks) for each in problems), lacks]
    return Bound(arguments, given, tuple(problems), base)


def _told_first(problem: Mismatch, lacks: Mismatch) -> Mismatch:
    """What takes `**kwargs`, as all layers of Keras do, is told of what it lacks before it looks into them."""
    if problem.problem is not Problem.UNKNOWN_ARGUMENT:
        return problem
    return replace(problem, facts=(*problem.facts, ("lacking", lacks.fact("lacking"))))


LAYOUT = "_layout"
LAID_OUT = frozenset({
    "BatchNormalization", "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose",
    "Dense", "Embedding", "LayerNormalization"})
"""Layers of Keras 2 that take a layout for DTensor beside each initializer (keras 2.9 dtensor/utils.py:
allow_initializer_layout)."""


def _laid_out(spelling: Spelling, name: str) -> str:
    """Where a layer takes `kernel_layout`, since it has a `kernel_initializer`."""
    initializer = f"{name.removesuffix(LAYOUT)}_initializer"
    return ">=2.9,<3" if name.endswith(LAYOUT) and _short(spelling) in LAID_OUT \
        and initializer in spelling.builder.__code__.co_varnames else ""


@lru_cache(maxsize=2048)
def _by_position(builder: Any, clauses: tuple[tuple[str, str], ...], keras: Version) -> list[str]:
    """The parameters that a callable takes by position on that version."""
    versions = dict(clauses)
    return [name for name in signature(builder)[0] if version_holds(versions.get(name, ""), keras)
            and (f"{name}=" not in versions or not version_holds(versions[f"{name}="], keras))]


def _short(spelling: Spelling) -> str:
    return spelling.path.rpartition(".")[2]


def _unknown_argument(spelling: Spelling, name: str, twice: bool, versions: str,
                      parameters: tuple[str, ...]) -> Mismatch:
    """`versions` is where the callable does take it, "" if nowhere; `parameters` what it takes on this stack."""
    text = f"{_short(spelling)} got {name} twice" if twice else f"{_short(spelling)} has no argument {name}"
    return Mismatch(Problem.UNKNOWN_ARGUMENT, text, argument=name,
                    facts=(("name", name), ("versions", versions), ("twice", twice),
                           ("parameters", parameters)))


def _too_many(spelling: Spelling, most: int, count: int) -> Mismatch:
    arguments = f"argument{'s' * (most != 1)}"
    return Mismatch(Problem.UNKNOWN_ARGUMENT, f"{_short(spelling)} takes {most} positional {arguments}, {count} given",
                    facts=(("positional", count),))


def lacking(what: str, names: Sequence[str], by_keyword: Collection[str] = ()) -> Mismatch:
    """Arguments that a call does not give, in the order of the parameters. Python tells of those that go by keyword
    only where no other is missing (Python/ceval.c: initialize_locals).

    >>> [lacking("f", names, ["c"]).fact("lacking") for names in (["a", "c"], ["c"])]
    [('a',), ('c',)]
    """
    positional = tuple(name for name in names if name not in by_keyword)
    told = positional or tuple(names)
    return Mismatch(Problem.MISSING_ARGUMENT, f"{what} misses its argument {told[0]}", argument=told[0],
                    facts=(("lacking", told), ("by_keyword", not positional)))

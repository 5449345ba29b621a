"""Which rules speak: names, codes, prefixes of codes and ALL, the most specific selector winning as in Ruff."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cudnnlint.engine.errors import nearest
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.patterns import Patterns
from cudnnlint.rules.listing import Listed

ALL = "ALL"
TOOL = "CUD9"
"""Rules about the tool itself: a selection of others does not silence them, only ignoring them does."""
EXACT = 100
"""Specificity of a full code or a name; that of a prefix is its length, that of ALL 0."""


def specificity(selector: str, rule: Listed) -> int | None:
    """How specific a selector is if it means `rule`, else None."""
    if selector.upper() == ALL:
        return 0
    if selector.lower() == rule.name or selector.upper() == rule.code:
        return EXACT
    return len(selector) if selector and rule.code.startswith(selector.upper()) else None


def unknown(selector: str, rules: Iterable[Listed]) -> str | None:
    """None for a selector that means some rule, else a tip for the message, maybe empty."""
    rules = list(rules)
    if any(specificity(selector, rule) is not None for rule in rules):
        return None
    return nearest(selector, [*(rule.name for rule in rules), *(rule.code for rule in rules)])


def selected(settings: Settings, rules: Iterable[Listed]) -> tuple[Listed, ...]:
    """The rules to run. Among equally specific selectors, ignoring wins."""
    if settings.select is None and not (settings.ignore or settings.extend_select or settings.extend_ignore):
        return tuple(rule for rule in rules if rule.default)
    return tuple(rule for rule in rules if _is_selected(settings, rule))


def asked_for(settings: Settings, rules: Iterable[Listed]) -> frozenset[str]:
    """Names of the rules to run that a selector means, which is not how they are on by default."""
    selectors = [*(settings.select or ()), *settings.extend_select]
    if not selectors:
        return frozenset()
    return frozenset(rule.name for rule in selected(settings, rules) if _best(selectors, rule) is not None)


def ignored_in(settings: Settings, path: str, rules: Iterable[Listed]) -> frozenset[str]:
    """Names of the rules that per-file-ignores leaves out of the file at `path`."""
    selectors = [selector for pattern, listed in settings.per_file_ignores.items()
                 if _means(pattern, path, settings.root) for selector in listed]
    if not selectors:
        return frozenset()
    return frozenset(rule.name for rule in rules if _best(selectors, rule) is not None)


def _means(pattern: str, path: str, root: Path) -> bool:
    """A leading `!` is every file but those."""
    return Patterns([pattern.removeprefix("!")], root).covers(path) is not pattern.startswith("!")


def _is_selected(settings: Settings, rule: Listed) -> bool:
    wanted = _best(_wanted(settings, rule), rule)
    unwanted = _best([*settings.ignore, *settings.extend_ignore], rule)
    if wanted is None:
        return False
    return unwanted is None or wanted > unwanted


def _wanted(settings: Settings, rule: Listed) -> list[str]:
    is_on = rule.default and (settings.select is None or rule.code.startswith(TOOL))
    return [*([ALL] if is_on else []), *(settings.select or ()), *settings.extend_select]


def _best(selectors: Iterable[str], rule: Listed) -> int | None:
    return max((found for selector in selectors if (found := specificity(selector, rule)) is not None), default=None)

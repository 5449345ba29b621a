"""Version specifiers as intervals: whether two can be met by one version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudnnlint.records import record

if TYPE_CHECKING:
    from packaging.specifiers import Specifier, SpecifierSet
    from packaging.version import Version


@record(frozen=True, slots=True)
class Range:
    """From `low` to `high`; None is unbounded. What `!=` takes out is still in it."""

    low: Version | None = None
    high: Version | None = None
    has_low: bool = True
    has_high: bool = True

    def meets(self, other: Range) -> bool:
        """Whether they have a version in common."""
        return not (_below(self, other) or _below(other, self))


def exact(specifier: SpecifierSet) -> Version | None:
    """The one version that `==` or `===` names."""
    from packaging.version import InvalidVersion, Version

    clauses = list(specifier)
    if len(clauses) != 1 or clauses[0].operator not in ("==", "===") or clauses[0].version.endswith("*"):
        return None
    try:
        return Version(clauses[0].version)
    except InvalidVersion:
        return None


def disjoint(one: SpecifierSet, other: SpecifierSet) -> bool:
    """Whether certainly no version meets both; False where that is not known.

    >>> from packaging.specifiers import SpecifierSet as S
    >>> disjoint(S("==9.1.0.70"), S("==8.9.7.29")), disjoint(S("<3"), S(">=3.0.0")), disjoint(S(">=2"), S("<3"))
    (True, True, False)
    """
    for pinned, wanted in ((one, other), (other, one)):
        if (version := exact(pinned)) is not None:
            return not wanted.contains(version, prereleases=True)
    return not span_of(one).meets(span_of(other))


def span_of(specifier: SpecifierSet) -> Range:
    """The smallest interval around what a specifier allows."""
    found = Range()
    for clause in specifier:
        found = _cut(found, _range(clause))
    return found


def _range(clause: Specifier) -> Range:
    from packaging.version import InvalidVersion, Version

    text, operator = clause.version.removesuffix(".*"), clause.operator
    try:
        version = Version(text)
    except InvalidVersion:
        return Range()
    if operator == "~=":
        return Range(version, _next(version.release[:-1]), True, False)
    if operator == "==" and clause.version.endswith(".*"):
        return Range(version, _next(version.release), True, False)
    return {
        "==": Range(version, version), "===": Range(version, version),
        ">=": Range(low=version), ">": Range(low=version, has_low=False),
        "<=": Range(high=version), "<": Range(high=version, has_high=False),
    }.get(operator, Range())


def _next(release: tuple[int, ...]) -> Version:
    """
    >>> str(_next((2, 15)))
    '2.16'
    """
    from packaging.version import Version

    return Version(".".join(map(str, [*release[:-1], release[-1] + 1])))


def _cut(one: Range, other: Range) -> Range:
    low, has_low = one.low, one.has_low
    if other.low is not None and (low is None or (other.low, not other.has_low) > (low, not has_low)):
        low, has_low = other.low, other.has_low
    high, has_high = one.high, one.has_high
    if other.high is not None and (high is None or (other.high, other.has_high) < (high, has_high)):
        high, has_high = other.high, other.has_high
    return Range(low, high, has_low, has_high)


def _below(one: Range, other: Range) -> bool:
    """Whether all of `one` is below all of `other`."""
    if one.high is None or other.low is None:
        return False
    return one.high < other.low or (one.high == other.low and not (one.has_high and other.has_low))

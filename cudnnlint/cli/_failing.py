"""Whether findings fail a run: those of a level that counts, and advice that was asked for."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from cudnnlint.finding import Finding, Level

if TYPE_CHECKING:
    from cudnnlint.engine.settings.declared import Settings

LEVELS = (Level.ERROR.value, Level.WARNING.value, Level.INFO.value)
"""From the gravest down."""


def fails(findings: Collection[Finding], settings: Settings) -> bool:
    """Whether any finding is of the level that `fail-on` names or a graver one.

    Where it names none, errors and warnings count, and those of level info whose rule a selector means: what is only
    worth knowing fails no one's build unasked.
    """
    return any(_counts(finding, settings.at(finding.span.path)) for finding in findings)


def _counts(finding: Finding, settings: Settings) -> bool:
    least = settings.fail_on or Level.WARNING.value
    if LEVELS.index(finding.level.value) <= LEVELS.index(least):
        return True
    return settings.fail_on is None and _is_asked_for(finding, settings)


def _is_asked_for(finding: Finding, settings: Settings) -> bool:
    from cudnnlint.engine.registry import listed
    from cudnnlint.engine.settings.select import asked_for

    row = listed().get(finding.rule)
    refuted = finding.verification is not None and finding.verification.verdict == "refuted"
    return row is not None and not refuted and bool(asked_for(settings, [row]))

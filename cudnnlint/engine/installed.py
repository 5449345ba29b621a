"""Findings in installed packages, told where the user can act: at the call that leads there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from cudnnlint.engine.stack.handed_on import fits
from cudnnlint.facts.libraries import Libraries
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.values import Stack


def at_callers(findings: Iterable[Finding], libraries: Libraries, stack: Stack) -> Iterator[Finding]:
    """Each at the user's innermost call, with the rest of the way as labels; advice to its author is dropped.

    What fails however the package is used, before the user calls anything of it, is not the user's; nor what fails with
    this Keras in a module that has another (`import tf_keras`).
    """
    for finding in findings:
        if not libraries.holds(finding.span.path):
            yield finding
        elif finding.level is Level.ERROR and (own := _own_calls(finding, libraries)) \
                and fits(finding.span.path, stack):
            yield _moved(finding, own, libraries)


def _own_calls(finding: Finding, libraries: Libraries) -> int:
    """How many calls of the path, from the outermost on, are needed to get to the user's last one; 0 without any."""
    return next((count for count in range(len(finding.calls), 0, -1)
                 if not libraries.holds(finding.calls[count - 1].path)), 0)


def _moved(finding: Finding, own: int, libraries: Libraries) -> Finding:
    span = finding.calls[own - 1]
    inside = [Label(call, "called here") for call in finding.calls[own:]]
    place = f"{libraries.shown(finding.span.path)}, line {finding.span.line}"
    return replace(finding, span=span, message=f"{finding.message} (in {place})", calls=finding.calls[: own - 1],
                   trace=(*finding.trace, *inside, Label(finding.span, "fails here")), fix=None)

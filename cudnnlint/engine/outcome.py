"""What the analysis of one file came to."""

from __future__ import annotations

from typing import NamedTuple

from cudnnlint.finding import Finding
from cudnnlint.values.stack import Stack


class Outcome(NamedTuple):
    """What is told of one file.

    stack    the versions that its findings are about; None for what is no program
    counts   whether it is looked at at all: a list of requirements that lists no framework is not
    lasting  whether another run would come to the same, as long as nothing changes
    given    parameters that it gives to functions of other files: (path, line, names)
    """

    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    stack: Stack | None = None
    counts: bool = True
    lasting: bool = True
    given: tuple[tuple[str, int, tuple[str, ...]], ...] = ()

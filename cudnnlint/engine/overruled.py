"""Findings under defaults that no caller leaves as they are: a file by itself is followed with the defaults of what
nothing in it calls, though another file of the run calls it with other values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from cudnnlint.finding import Finding

TAKEN = re.compile(r"(\w+) = .* \(default of \w+, (?:\S+ )?line (\d+)\)")
"""An assumption about a parameter (values/assumption.py: Assumption.of_default)."""

OF_NAMES = frozenset({"ignored-argument", "removed-api", "removed-argument", "unknown-attribute", "unknown-layer",
                      "unknown-layer-argument", "unknown-name", "unpinned-old-api"})
"""Rules that ask what a call names, whatever the values."""

Given = Mapping[tuple[str, int], Iterable[frozenset[str]]]
"""Which parameters the calls from other files give, by the file and the line of a function."""


def told(findings: Iterable[Finding], given: Given, name: Callable[[str], str]) -> list[Finding]:
    """Without what rests on a default that every call from another file gives a value for: what comes of those is found
    where they are. `name` is how a path is shown."""
    calls: dict[tuple[str, int], list[frozenset[str]]] = {}
    for (path, line), names in given.items():
        calls.setdefault((name(path), line), []).extend(names)
    return [finding for finding in findings if not (calls and _is_overruled(finding, calls))]


def _is_overruled(finding: Finding, calls: Mapping[tuple[str, int], list[frozenset[str]]]) -> bool:
    """The first of its calls is then that of a function or class by us, which nothing in its file calls."""
    taken: dict[int, set[str]] = {}
    for text in finding.assumptions if finding.calls and finding.rule not in OF_NAMES else ():
        if (found := TAKEN.fullmatch(text)) is not None:
            taken.setdefault(int(found[2]), set()).add(found[1])
    return any((known := calls.get((finding.calls[0].path, line))) is not None and all(names & one for one in known)
               for line, names in taken.items())

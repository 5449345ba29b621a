"""Versions as programs compare them: packaging.version, distutils' LooseVersion, pkg_resources.parse_version."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import NONE, Assumptions

FRAMEWORK = Framework("versions", roots=("packaging", "distutils", "pkg_resources", "looseversion"))
RELEASE = re.compile(r"v?(\d+(?:\.\d+){0,5})", re.ASCII)
"""A release and nothing else: before it come the others of the same numbers (packaging/version.py: VERSION_PATTERN)."""
PARTS = ("major", "minor", "micro")


class VersionV:
    """A release that is known."""

    path = "packaging.version.Version"
    always_true = True
    __slots__ = ("assumptions", "loose", "release")

    def __init__(self, release: tuple[int, ...], assumptions: Assumptions = NONE, *, loose: bool = False) -> None:
        self.release, self.assumptions, self.loose = release, assumptions, loose

    @property
    def comparable(self) -> tuple[int, ...]:
        """Trailing zeros count only for distutils (packaging/version.py: _cmpkey)."""
        kept = self.release
        while not self.loose and kept and kept[-1] == 0:
            kept = kept[:-1]
        return kept

    def like(self, text: str) -> tuple[int, ...] | None:
        """A text beside it in a comparison: distutils reads it as a version."""
        found = RELEASE.fullmatch(text) if self.loose else None
        return tuple(map(int, found[1].split("."))) if found is not None else None

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, VersionV) and (other.release, other.loose) == (self.release, self.loose)
        return VersionV(self.release, self.assumptions | other.assumptions, loose=self.loose) if same else \
            Unknown("differs between paths")

    def as_text(self) -> Any:
        return assume(".".join(map(str, self.release)), self.assumptions)

    def attribute(self, m: Machine, name: str) -> Any:
        if name in PARTS and not self.loose:
            return assume((*self.release, 0, 0)[PARTS.index(name)], self.assumptions)
        if name == "release" and not self.loose:
            return assume(self.release, self.assumptions)
        if name == "version" and self.loose:
            return assume(ListV(list(self.release)), self.assumptions)
        return self.as_text() if name in ("base_version", "public", "vstring") else MISSING


def _made(c: Call, *, loose: bool) -> Any:
    given = c.args[0] if c.args else next(iter(c.kwargs.values()), None)
    held = plain(given)
    if isinstance(held, VersionV):
        return held
    found = RELEASE.fullmatch(held.strip()) if isinstance(held, str) and len(held) < 64 else None
    if found is None:
        return held if isinstance(held, Unknown) else Unknown("a version")
    return VersionV(tuple(map(int, found[1].split("."))), assumptions_of(given), loose=loose)


@FRAMEWORK.on("packaging.version.parse", "packaging.version.Version", "pkg_resources.parse_version",
              "pkg_resources.extern.packaging.version.parse", "distutils.version.StrictVersion")
def parse(c: Call) -> Any:
    return _made(c, loose=False)


@FRAMEWORK.on("distutils.version.LooseVersion", "looseversion.LooseVersion", "packaging.version.LegacyVersion")
def loose(c: Call) -> Any:
    return _made(c, loose=True)

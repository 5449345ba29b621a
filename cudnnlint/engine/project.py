"""Where a file stands in its project: what its imports resolve against, and how paths are shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import dropwhile, takewhile

from cudnnlint.finding import Finding, Recipe
from cudnnlint.source import Span, disk
from cudnnlint.source.asked import remembered

_MARKS = (".git", ".hg", "pyproject.toml", "setup.cfg", "setup.py", "cudnnlint.toml", ".cudnnlint.toml")
_LEFT = ("requirements.txt", "LICENSE", "LICENSE.txt", "LICENSE.md", "README.md", "README.rst", "environment.yml",
         "Pipfile", "Dockerfile")
"""What lies at the top of a project that was unpacked, without its version control."""


def import_roots(path: str) -> tuple[str, ...]:
    """Directories that absolute imports of a file are looked up in, the most likely first.

    That of a script itself, the one above its outermost package, the project's root and its `src`. Where nothing marks
    a root, the directories around it that hold what projects lay at their top.
    """
    return _roots_from(os.path.dirname(os.path.abspath(path)))


def project_root(path: str) -> str:
    """The outermost of them: what lies there are files of one project."""
    return min(import_roots(path), key=len, default=os.path.dirname(os.path.abspath(path)))


@remembered
def _roots_from(directory: str) -> tuple[str, ...]:
    package = directory
    while disk.is_file(os.path.join(package, "__init__.py")) and os.path.dirname(package) != package:
        package = os.path.dirname(package)
    around = [package]
    while not holds_any(around[-1], _MARKS):
        if os.path.dirname(around[-1]) == around[-1]:
            tops = list(_left(around))
            break
        around.append(os.path.dirname(around[-1]))
    else:
        tops = around[-1:]
    found = [directory, package, *(root for top in tops for root in (top, os.path.join(top, "src")))]
    return tuple(root for root in dict.fromkeys(found) if disk.is_directory(root))


def _left(around: list[str]) -> Iterator[str]:
    """The first of them, from the inside, that look like the top of a project."""
    looks = dropwhile(lambda directory: not holds_any(directory, _LEFT), around)
    return takewhile(lambda directory: holds_any(directory, _LEFT), looks)


@remembered
def holds_any(directory: str, names: tuple[str, ...]) -> bool:
    """Whether a directory holds one of these: asked of those that are above many, once."""
    return any(disk.exists(os.path.join(directory, name)) for name in names)


class Display:
    """One display path for each file, however the interpreter came upon it."""

    def __init__(self) -> None:
        self._by_file: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._added: list[str] = []

    def add(self, path: str) -> None:
        """`path` is how the file is shown."""
        self._names[path] = path
        self._added.append(path)

    def name(self, path: str) -> str:
        """How any spelling of a path is shown: as it was added, else relative to the working directory if under it."""
        known = self._names.get(path)
        if known is None:
            for added in self._added:  # which file each is takes asking the file system, and few findings need it
                self._by_file[disk.real_path(added)] = added
            self._added.clear()
            known = self._names[path] = self._by_file.get(disk.real_path(path)) or _relative(path)
        return known

    def finding(self, finding: Finding) -> Finding:
        """With all its paths as they are shown."""
        if self._is_shown(finding):
            return finding
        return replace(
            finding,
            span=self._span(finding.span),
            trace=tuple(label._replace(span=self._span(label.span)) for label in finding.trace),
            calls=tuple(map(self._span, finding.calls)),
            also=tuple(map(self._span, finding.also)),
            fix=None if finding.fix is None else self._fix(finding.fix),
        )

    def _is_shown(self, finding: Finding) -> bool:
        return all(self.name(path) == path for path in paths_of(finding))

    def _span(self, span: Span) -> Span:
        return span._replace(path=self.name(span.path))

    def _fix(self, fix: Recipe) -> Recipe:
        return replace(fix, edits=tuple(edit._replace(span=self._span(edit.span)) for edit in fix.edits))


def paths_of(finding: Finding) -> set[str]:
    """Every file that a finding points into."""
    spans = [finding.span, *(label.span for label in finding.trace), *finding.calls, *finding.also]
    return {span.path for span in spans} | {edit.span.path for edit in (finding.fix.edits if finding.fix else ())}


def _relative(path: str) -> str:
    absolute, here = os.path.abspath(path), os.getcwd().rstrip(os.sep) + os.sep
    return absolute[len(here):] if absolute.startswith(here) else path

"""Path patterns of the configuration: exclude, extend-exclude, per-file-ignores."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from fnmatch import translate
from pathlib import Path

_WILD = re.compile(r"[*?\[]")


class Patterns:
    """Patterns relative to `root`.

    Without a slash a pattern is compared with the last part of a path, else with the path relative to `root`
    or the absolute one. `*` matches slashes too, and `**/` nothing as well.
    """

    def __init__(self, patterns: Iterable[str], root: Path) -> None:
        self._root = os.path.abspath(root).replace(os.sep, "/").rstrip("/") + "/"
        cleaned = [pattern.replace("\\", "/").removeprefix("./").rstrip("/") for pattern in patterns]
        self._names = frozenset(each for each in cleaned if "/" not in each and not _WILD.search(each))
        self._wild_names = _union(each for each in cleaned if "/" not in each and _WILD.search(each))
        self._paths = _union(form for each in cleaned if "/" in each for form in (each, each.replace("**/", "")))

    def match(self, path: str) -> bool:
        """Whether the file or directory itself is meant."""
        absolute = os.path.abspath(path).replace(os.sep, "/")
        return self._match(absolute)

    def covers(self, path: str) -> bool:
        """Whether it, or a directory under `root` that holds it, is meant."""
        absolute = os.path.abspath(path).replace(os.sep, "/")
        while True:
            if self._match(absolute):
                return True
            absolute = absolute.rpartition("/")[0]
            if len(absolute) < len(self._root):
                return False

    def _match(self, absolute: str) -> bool:
        name = absolute.rpartition("/")[2]
        if name in self._names or (self._wild_names is not None and self._wild_names.match(name)):
            return True
        if self._paths is None:
            return False
        return bool(self._paths.match(absolute.removeprefix(self._root)) or self._paths.match(absolute))


def _union(patterns: Iterable[str]) -> re.Pattern[str] | None:
    forms = [translate(pattern) for pattern in dict.fromkeys(patterns)]
    return re.compile("|".join(forms)) if forms else None

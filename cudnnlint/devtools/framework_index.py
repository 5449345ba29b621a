"""What the modules of `frameworks` register, found by importing each of them in a fresh process.

    python -m cudnnlint.devtools.framework_index
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from cudnnlint.frameworks import listing
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.registry import PARENTS, PREFIXES, ROOTS

ROOT = Path(__file__).parents[2]
PACKAGE = "cudnnlint.frameworks."


def index() -> str:
    """What the index should hold. In this process, the one that there is may have been read already."""
    return subprocess.run([sys.executable, "-m", __name__], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}).stdout


def _homes(modules: Sequence[str]) -> dict[tuple[str, str], str]:
    """(kind, path) -> the module that registers it, found by looking after each import."""
    homes: dict[tuple[str, str], str] = {}
    importlib.import_module("cudnnlint.interp.run")  # which registers builtins, too
    execute, builtins = SourceFileLoader.exec_module, dict(BUILTINS)

    def watched(loader: Any, module: ModuleType) -> None:
        execute(loader, module)  # in it what this module imports is executed, and watched, before the rest of it
        changed = [name for name, value in BUILTINS.items() if builtins.get(name) is not value]
        tables: dict[str, Iterable[str]] = {**listing.TABLES, "at-once": changed}
        for kind, paths in tables.items():
            for path in paths if module.__name__.startswith(PACKAGE) else ():
                homes.setdefault((kind, path), module.__name__.removeprefix(PACKAGE))

    SourceFileLoader.exec_module = watched  # type: ignore[method-assign, assignment]
    for module in modules:
        importlib.import_module(PACKAGE + module)
    return homes


def _paragraphs() -> list[str]:
    modules = sorted(listing.modules())
    homes = _homes(modules)
    rows: dict[tuple[str, str], list[str]] = {}
    for (kind, path), module in homes.items():
        if kind != "at-once":
            rows.setdefault((kind, module), []).append(path)
    rows["roots", "-"] = list(ROOTS)
    rows["prefixes", "-"] = [f"{path}>{target}" for path, target in PREFIXES.items()]
    rows["parents", "-"] = [f"{path}>{parent}" for path, parent in PARENTS.items()]
    rows["at-once", "-"] = list({module for (kind, _), module in homes.items() if kind == "at-once"})
    rows["others", "-"] = [module for module in modules if module not in homes.values()]
    return ["\n".join((f"{kind} {module}", *sorted(words))) for (kind, module), words in sorted(rows.items())]


if __name__ == "__main__":
    print("\n\n".join(_paragraphs()))

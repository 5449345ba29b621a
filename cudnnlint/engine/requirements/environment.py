"""Where an environment keeps its packages: found by the layout of its directories, nothing of it is run."""

from __future__ import annotations

import os
from collections.abc import Iterator

from cudnnlint.engine.settings.declared import Settings

LAYOUTS = ("lib/python3*/site-packages", "lib64/python3*/site-packages", "Lib/site-packages",
           "lib/python3*/dist-packages", "lib/python3/dist-packages", "local/lib/python3*/dist-packages")


def site_packages(path: str) -> tuple[str, ...]:
    """Directories of packages of an interpreter or an environment's directory; none if it has none."""
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(path):
        named = os.path.basename(path) in ("site-packages", "dist-packages")
        return (path,) if named else _of_environment(path)
    if not os.path.isfile(path):
        return ()
    for interpreter in dict.fromkeys((path, os.path.realpath(path))):  # a venv's interpreter is a link
        home = os.path.dirname(interpreter)
        for prefix in (os.path.dirname(home), home):  # bin/python; on Windows python.exe stands at the top
            if found := _of_environment(prefix):
                return found
    return ()


def _of_environment(prefix: str, *, alone: bool = False) -> tuple[str, ...]:
    from glob import glob

    found = [directory for layout in LAYOUTS for directory in sorted(glob(layout, root_dir=prefix))]
    found = [os.path.join(prefix, directory) for directory in found]
    settings = dict(_settings(os.path.join(prefix, "pyvenv.cfg")))
    if settings.get("include-system-site-packages") == "true" and settings.get("home") and not alone:
        found += _of_environment(os.path.dirname(settings["home"].rstrip("/\\")), alone=True)
    seen: dict[str, str] = {}
    for directory in found:
        if os.path.isdir(directory):
            seen.setdefault(os.path.realpath(directory), directory)
    return tuple(seen.values())


def _settings(file: str) -> Iterator[tuple[str, str]]:
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            text = lines.read(65_536)
    except OSError:
        return
    for line in text.splitlines():
        key, _, value = line.partition("=")
        yield key.strip().lower(), value.strip() if key.strip().lower() == "home" else value.strip().lower()


def packages_for(settings: Settings, notes: list[str] | None = None) -> tuple[str, ...]:
    """Those of the settings' `python`, relative to where that is written; else of the active environment."""
    if settings.python:
        path = os.path.join(settings.root, os.path.expanduser(settings.python))
        found = site_packages(path)
        if not found and notes is not None:
            notes.append(f"python: no packages found in {settings.python}: what is installed is not read")
        return found
    active = os.environ.get("VIRTUAL_ENV", "")
    return site_packages(active) if active else ()

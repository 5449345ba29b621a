"""Paths as the services of a CI want them: relative to the repository's root, with forward slashes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import quote

ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Where a runner says that it has checked the repository out (GitHub Actions, GitLab CI)."""


def in_repository(path: str, environment: Mapping[str, str] | None = None) -> str:
    """`src/train.py`; a file outside of the repository keeps its absolute path.

    The root is the runner's checkout if we work in it, else the working directory.
    """
    here = os.getcwd()
    given = os.environ if environment is None else environment
    roots = [given[name] for name in ROOTS if given.get(name)]
    root = next((root for root in roots if _inside(here, root)), here)
    absolute = os.path.abspath(path)
    found = os.path.relpath(os.path.realpath(absolute), os.path.realpath(root)) if _inside(absolute, root) else absolute
    return found.replace(os.sep, "/")


def uri(path: str) -> str:
    """A relative or absolute path with forward slashes as a URI reference (RFC 3986).

    >>> uri("src/my train.py"), uri("/tmp/a#b.py")
    ('src/my%20train.py', 'file:///tmp/a%23b.py')
    """
    if path.startswith("/"):
        return "file://" + quote(path)
    if path[1:2] == ":":
        return "file:///" + quote(path, safe="/:")
    return quote(path)


def _inside(path: str, root: str) -> bool:
    path, root = os.path.realpath(path), os.path.realpath(root)
    try:
        return os.path.commonpath([path, root]) == root
    except ValueError:  # different drives
        return False

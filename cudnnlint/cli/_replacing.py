"""Files that a command writes beside what it prints: replaced as a whole, and never a program."""

from __future__ import annotations

import os
import stat

from cudnnlint import replacing
from cudnnlint.engine.errors import UsageError

PROGRAMS = (".py", ".pyi", ".pyw", ".ipynb")


def check_targets(*paths: str | None) -> None:
    """UsageError for one that must not be written over, before anything is done."""
    named = [path for path in paths if path is not None]
    for path in named:
        if os.path.realpath(path).lower().endswith(PROGRAMS) or path.lower().endswith(PROGRAMS):
            raise UsageError(f"{path}: is a program, and would be written over")
        if os.path.isdir(path) or not path:
            raise UsageError(f"{path or 'an empty name'}: is not a file to write")
    if len({os.path.realpath(path) for path in named}) < len(named):
        raise UsageError(f"{named[0]}: is named twice")


def replace(path: str, text: str) -> None:
    """Written beside it and moved there, through links, with its mode kept; UsageError where that is not possible."""
    data = text.encode("utf-8", "replace")
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):  # a device or a pipe
            with open(target, "wb") as stream:
                stream.write(data)
            return
        if os.path.exists(target) and not os.access(target, os.W_OK):
            raise PermissionError(13, "not writable")
        replacing.replace(target, data, _mode(target))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _mode(target: str) -> int:
    """That of the file, or what a new one gets."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask

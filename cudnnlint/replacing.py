"""Files that are written whole or not at all, whoever else reads or writes them."""

from __future__ import annotations

import contextlib
import os


def replace(path: str, data: bytes, mode: int | None = None) -> None:
    """Put `data` in place of the file, or make it; `mode` are its permissions, by default those of a new one.

    Raises OSError, and leaves what was there.
    """
    beside = os.path.join(os.path.dirname(path), f".cudnnlint-{os.urandom(8).hex()}")
    try:
        with open(beside, "xb", opener=None if mode is None else _for_owner) as stream:
            stream.write(data)
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _for_owner(path: str, flags: int) -> int:
    """Until it has its own permissions nobody else reads it."""
    return os.open(path, flags, 0o600)

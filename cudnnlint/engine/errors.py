"""What the user can put right; each is one line for standard error."""

from __future__ import annotations


class UsageError(Exception):
    """A wrong argument: a path that does not exist, an unknown rule."""


class ConfigError(UsageError):
    """A wrong configuration; the text names the file and the key."""


def nearest(word: str, known: list[str]) -> str:
    """A tip to end a message with, or nothing.

    >>> nearest("empty-feature-mpa", ["empty-batch", "empty-feature-map"])
    ', did you mean "empty-feature-map"?'
    """
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f', did you mean "{near[0]}"?' if near else ""

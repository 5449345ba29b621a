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
    >>> nearest("CUD3O1", ["CUD631", "CUD301"])
    ', did you mean "CUD301"?'
    """
    import difflib

    def alike(other: str) -> tuple[float, int]:
        same = sum(one == two for one, two in zip(word, other, strict=False))
        return difflib.SequenceMatcher(None, other, word).ratio(), same

    near = difflib.get_close_matches(word, known, n=len(known) or 1)
    return f', did you mean "{max(near, key=alike)}"?' if near else ""

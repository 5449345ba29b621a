"""What texts are split into, and which words of data a look-up learns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

STRIPPED = re.compile(rb"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']")
"""keras/src/layers/preprocessing/text_vectorization.py: _preprocess, as is the rest."""


def split(text: str, standardize: Any, how: Any, ngrams: Any) -> tuple[str, ...] | None:
    """The words of a text; None where that is not known.

    >>> split("The cat, the  dog", "lower_and_strip_punctuation", "whitespace", None)
    ('the', 'cat', 'the', 'dog')
    >>> split("to be or", None, "whitespace", 2)
    ('to', 'be', 'or', 'to be', 'be or')
    """
    if standardize not in (None, "lower", "strip_punctuation", "lower_and_strip_punctuation"):
        return None
    data, asked = text.encode("utf-8", "replace"), standardize or ""
    if "lower" in asked:
        data = data.lower()  # of ASCII alone, as tf.strings.lower
    if "strip" in asked:
        data = STRIPPED.sub(b"", data)
    if how == "whitespace":
        words: Sequence[str] = [word.decode() for word in data.split()]
    elif how == "character":
        words = [*data.decode()]
    else:
        return None
    widths = _widths(ngrams)
    return None if widths is None else tuple(
        " ".join(words[at:at + width]) for width in widths for at in range(len(words) - width + 1))


def _widths(ngrams: Any) -> Sequence[int] | None:
    if ngrams is None:
        return (1,)
    if isinstance(ngrams, int) and not isinstance(ngrams, bool) and ngrams > 0:
        return range(1, ngrams + 1)
    known = isinstance(ngrams, tuple) and all(isinstance(each, int) and each > 0 for each in ngrams)
    return ngrams if known else None


def learned(words: Iterable[Any], special: Sequence[Any], most: int | None) -> tuple[Any, ...]:
    """The words that adapt() keeps, in their order: frequent ones first, then by themselves backwards
    (keras/src/layers/preprocessing/index_lookup.py: finalize_state).

    >>> learned(["a", "b", "b", "c", ""], ("", "[UNK]"), None)
    ('b', 'c', 'a')
    """
    counts = Counter(words)
    found = sorted((word for word in counts if word not in special), key=lambda word: (
        counts[word], word.encode("utf-8", "replace") if isinstance(word, str) else word), reverse=True)
    return tuple(found if most is None else found[:max(most, 0)])

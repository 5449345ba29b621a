"""Whether Keras compares labels with an output: what each loss refuses, by the sources of Keras 2 and 3."""

from __future__ import annotations

import math

Extents = tuple[int | None, ...]
"""A shape with its batch axis; None for what is open."""
SPARSE, ONE_HOT, BINARY = "sparse_categorical_crossentropy", "categorical_crossentropy", "binary_crossentropy"
STRICT = {True: (ONE_HOT, BINARY, "binary_focal_crossentropy"), False: (ONE_HOT, "categorical_focal_crossentropy")}
"""Losses that take labels of the output's shape only, in Keras 3 (True) and in Keras 2."""
KNOWN = frozenset({
    "mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_logarithmic_error",
    "huber", "log_cosh", "poisson", "kl_divergence", "cosine_similarity", "hinge", "squared_hinge",
    "categorical_hinge", "categorical_focal_crossentropy", "binary_focal_crossentropy", SPARSE, ONE_HOT, BINARY})


SQUEEZING = frozenset({"mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error",
                       "mean_squared_logarithmic_error", "huber", "log_cosh", "cosine_similarity"})
"""Losses that bring labels and output to one rank themselves in Keras 3 (keras/src/losses/losses.py)."""
COMPILED = ("fit", "batches")


def fits(loss: str, t: Extents, o: Extents, *, keras_3: bool, probabilities: bool = False,
         form: str = "fit", logits: bool = False) -> bool:
    """False only where labels `t` and output `o` certainly fail under a KNOWN loss.

    probabilities  the output comes straight from a sigmoid or softmax, which Keras 2 undoes for a crossentropy, unless
                   an axis of 1 was taken from it; or the loss takes logits
    logits         the loss takes logits
    form           "fit", where compile() was given the loss; "batches", where a generator or Sequence gives the labels,
                   whose extents Keras 2 does not look at (tf_keras/src/engine/data_adapter.py: _get_dynamic_shape);
                   "object" or "function" for one that is called

    >>> fits(SPARSE, (8,), (8, 10), keras_3=True), fits(SPARSE, (8, 10), (8, 10), keras_3=True)
    (True, False)
    >>> [fits(BINARY, (8, 1), (8, 2), keras_3=False, probabilities=each) for each in (True, False)]
    [False, True]
    >>> [fits(BINARY, (8, 1), (8, 4, 1), keras_3=False, probabilities=True, logits=each) for each in (True, False)]
    [False, True]
    >>> [fits(BINARY, (8, 2), (8, 1), keras_3=each, form="batches") for each in (True, False)]
    [False, True]
    >>> fits(ONE_HOT, (8,), (8, 6), keras_3=False, form="batches")
    False
    >>> [fits(SPARSE, (8,), o, keras_3=True) for o in ((8, None), (8, 7, 7, None))]
    [True, False]
    """
    given, rank = t, len(o)
    if form != "function" or (keras_3 and loss in SQUEEZING):
        t, o = _same_rank_3(t, o) if keras_3 else _same_rank_2(t, o, form in COMPILED)
    if not t or not o:
        return True
    longer, shorter = (t, o) if len(t) > len(o) else (o, t)
    if len(longer) == len(shorter) + 1 and longer[-1] is None:
        return True  # an axis of 1 would be taken away
    if loss == SPARSE:
        return _fits_sparse(t, o, keras_3)
    strict = loss in STRICT[keras_3] or (loss in STRICT[True] and (
        logits or (probabilities and len(o) == rank)))
    if strict and form == "batches" and not keras_3:  # but for the axis of 1 that it adds itself
        seen = tuple(1 if place and len(given) < len(t) else None for place in range(len(t)))
        return _equal(seen, o) and _broadcast(t, o)
    return _equal(t, o) if strict else _broadcast(t, o)


def stretches(loss: str, t: Extents, o: Extents, *, keras_3: bool, form: str = "fit") -> bool:
    """Whether labels `t` and output `o` differ in an axis that one of them has only 1 of.

    >>> [stretches("mean_squared_error", t, (8, 4), keras_3=True) for t in ((8, 1), (8, 4))]
    [True, False]
    >>> [stretches("mean_squared_error", (8,), o, keras_3=True) for o in ((8, 5, 1), (8, 1))]
    [True, False]
    """
    if loss == SPARSE:
        return False
    if form != "function" or (keras_3 and loss in SQUEEZING):
        t, o = _same_rank_3(t, o) if keras_3 else _same_rank_2(t, o, form in COMPILED)
    return crosses(t, o) or (len(t) == len(o) and any(
        a is not None and b is not None and a != b and 1 in (a, b) for a, b in zip(t[1:], o[1:], strict=True)))


def crosses(t: Extents, o: Extents) -> bool:
    """Whether the batch of the labels meets the last axis of the output, which is 1: a table of all against all."""
    return len(t) == 1 and len(o) > 2 and o[-1] == 1 != t[0]


def _same_rank_3(t: Extents, o: Extents) -> tuple[Extents, Extents]:
    """keras/src/losses/loss.py: squeeze_or_expand_to_same_rank"""
    if len(t) == len(o) + 1 and t[-1] == 1:
        return (t, (*o, 1)) if len(o) == 1 else (t[:-1], o)
    if len(o) == len(t) + 1 and o[-1] == 1:
        return ((*t, 1), o) if len(t) == 1 else (t, o[:-1])
    return t, o


def _same_rank_2(t: Extents, o: Extents, compiled: bool) -> tuple[Extents, Extents]:
    """compile_utils.py: match_dtype_and_rank, then losses_utils.py: squeeze_or_expand_dimensions (tf_keras)"""
    if compiled and len(t) == 1 and len(o) == 2:
        t = (*t, 1)
    if len(o) == len(t) + 1 and o[-1] == 1:
        return t, o[:-1]
    return (t[:-1], o) if len(t) == len(o) + 1 and t[-1] == 1 else (t, o)


def _fits_sparse(t: Extents, o: Extents, keras_3: bool) -> bool:
    """Keras 2 flattens both where the ranks differ (tf_keras/src/backend.py: sparse_categorical_crossentropy)."""
    if keras_3:
        if len(t) == len(o) and t[-1] is None:
            return True
        t = t[:-1] if len(t) == len(o) and t[-1] == 1 else t
    elif len(t) != len(o) - 1:
        return None in t[1:] or None in o[1:-1] or _count(t[1:]) == _count(o[1:-1])
    return _equal(t, o[:-1])


def _count(extents: Extents) -> int:
    return math.prod(dim for dim in extents if dim is not None)


def _equal(t: Extents, o: Extents) -> bool:
    return len(t) == len(o) and all(a is None or b is None or a == b for a, b in zip(t, o, strict=True))


def _broadcast(t: Extents, o: Extents) -> bool:
    pairs = zip(reversed(t), reversed(o), strict=False)
    return all(a is None or b is None or a == b or 1 in (a, b) for a, b in pairs)

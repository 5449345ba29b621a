"""The shape of attention scores, and which axes of query and key must agree for them."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import is_known, meet
from cudnnlint.values import Shape, Unknown
from cudnnlint.values.dim import Dim


def attended(axes: Any, rank: int) -> tuple[int, ...] | Unknown:
    """attention_axes as non-negative axes; by default all between batch and features.

    >>> attended(None, 4), attended(-2, 3)
    ((1, 2), (1,))
    """
    if axes is None:
        return tuple(range(1, rank - 1))
    chosen = (axes,) if is_known(axes) else tuple(axes) if isinstance(axes, (list, tuple)) else None
    if chosen is None or not all(is_known(axis) and -rank <= axis < rank for axis in chosen):
        return Unknown("attention_axes")
    return tuple(axis % rank for axis in chosen)


def scores(q: Shape, k: Shape, heads: Dim, axes: Any) -> Shape | Unknown:
    """(B, N, *Tq, *Tk): the axes not attended to, the heads, then the attended ones of query and of key.

    keras/src/layers/attention/multi_head_attention.py: _build_attention_equation

    >>> scores((2, 5, 8), (2, 7, 8), 4, None)
    (2, 4, 5, 7)
    """
    at = attended(axes, len(q))
    if len(q) != len(k):
        return Unknown("rank of the operands")
    if isinstance(at, Unknown):
        return at
    rest = tuple(q[axis] for axis in range(len(q) - 1) if axis not in at)
    return (*rest, heads, *(q[axis] for axis in at), *(k[axis] for axis in at))


def scores_built(q: Shape, k: Shape, heads: Dim, grouped: bool) -> Shape | Unknown:
    """What Keras 3 claims when it builds (compute_output_spec): four axes, and but for grouped queries Tq twice.

    >>> scores_built((2, 5, 8), (2, 7, 8), 4, grouped=False)
    (2, 4, 5, 5)
    """
    if len(q) < 2 or len(k) < 2:
        return Unknown("rank of the operands")
    return (q[0], heads, q[1], k[1] if grouped else q[1])


def agreed(q: Shape, k: Shape, axes: Any) -> Shape:
    """`q` with what the key knows better of the axes that both share; one of extent 1 is as long as the other's.

    >>> from cudnnlint.values import FREE
    >>> agreed((FREE, 5, 8), (2, 7, 8), 1), agreed((1, 5, 8), (4, 7, 8), 1)
    ((2, 5, 8), (4, 5, 8))
    """
    at = attended(axes, len(q))
    if isinstance(at, Unknown) or len(q) != len(k):
        return q
    shared = tuple(a if axis in at or b == 1 else b if a == 1 else meet(a, b)
                   for axis, (a, b) in enumerate(zip(q[:-1], k[:-1], strict=True)))
    return (*shared, *q[-1:])


def unlike_axis(q: Shape, k: Shape, axes: Any) -> int | None:
    """An axis that is not attended to and certainly differs between query and key.

    >>> unlike_axis((2, 5, 8), (3, 7, 8), None)
    0
    """
    at = attended(axes, len(q))
    if isinstance(at, Unknown) or len(q) != len(k):
        return None
    for axis, (a, b) in enumerate(zip(q[:-1], k[:-1], strict=True)):
        if axis not in at and isinstance(a, int) and isinstance(b, int) and a != b and 1 not in (a, b):
            return axis
    return None

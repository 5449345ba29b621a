"""einops: axes that a pattern names, moved, joined, taken apart, repeated and reduced."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.ops.functions._core import number
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import FREE, Dim, Shape, Tensor, Unknown, is_floating
from cudnnlint.values.dim import product

REST = "..."
Groups = list[list[str]]
"""Axes of a side of a pattern, each with the names that it is made of; none for an axis of 1."""
Sizes = dict[str, Any]


def groups(side: str) -> Groups | None:
    """
    >>> groups("b (h d) 1 ..."), groups("(a b")
    ([['b'], ['h', 'd'], [], ['...']], None)
    >>> groups("b (...)")
    [['b'], ['(...)']]
    """
    found: Groups = []
    for inner, single in re.findall(r"\(([^()]*)\)|([^\s()]+)", side):
        names = [single] if single else ["(...)"] if REST in inner else inner.split()
        found.append([name for name in names if name != "1"])
    return found if side.count("(") == side.count(")") and not re.search(r"\([^)]*\(", side) else None


def rearranged(tensor: Any, pattern: Any, axes: dict[str, Any]) -> Shape | Unknown:
    """The shape that the pattern gives; Unknown where it does not fit, too.

    >>> rearranged(Tensor((2, 8, 6, 3), "float32"), "b (h p) w c -> b h (p w c)", {"p": 4})
    (2, 2, 72)
    """
    if not isinstance(tensor, Tensor) or not isinstance(pattern, str) or pattern.count("->") != 1:
        return Unknown("einops")
    left, right = (groups(side) for side in pattern.split("->"))
    if left is None or right is None:
        return Unknown("einops: the pattern")
    if ["(...)"] in left or ["(...)"] in right:
        return Unknown("einops: axes joined as (...)")
    axes = {**axes, **{name: int(name) for names in (*left, *right) for name in names if name.isdigit()}}
    if isinstance(tensor.shape, Unknown):
        return Unknown("einops of an unknown rank") if [REST] in right else \
            tuple(product(_given(axes, name) for name in names) for names in right)
    sizes = _sizes(left, tensor.shape, axes)
    if isinstance(sizes, Unknown):
        return sizes
    shape: list[Dim] = []
    for names in right:
        if names == [REST]:
            shape += sizes.get(REST, ())
        else:
            parts: list[Dim] = [sizes[name] if name in sizes else _given(axes, name) for name in names]
            shape.append(parts[0] if len(parts) == 1 else product(parts))
    return tuple(shape)


def _given(axes: dict[str, Any], name: str) -> Dim:
    found = number(axes.get(name))
    return found if isinstance(found, int) else Unknown(f"einops: axis {name}")


def _sizes(left: Groups, shape: Shape, axes: dict[str, Any]) -> Sizes | Unknown:
    """How long each named axis is."""
    more = len(shape) - len(left) + 1
    spread: Groups = [part for names in left for part in ([[REST]] * more if names == [REST] else [names])]
    if len(spread) != len(shape):
        return Unknown("einops: the pattern is for another rank")
    sizes: Sizes = {REST: tuple(dim for names, dim in zip(spread, shape, strict=True) if names == [REST])}
    for names, dim in zip(spread, shape, strict=True):
        if names == [REST]:
            continue
        open_ = [name for name in names if name not in axes]
        sizes.update({name: _given(axes, name) for name in names if name in axes})
        if len(names) == 1 and open_:
            sizes[names[0]] = dim
        elif open_:
            sizes.update(_solved(open_, dim, product(sizes[name] for name in names if name in axes)))
    return sizes


def _solved(names: list[str], dim: Dim, known: Dim) -> Sizes:
    """One axis that is left of several is worked out."""
    if len(names) == 1 and isinstance(dim, int) and isinstance(known, int) and known and dim % known == 0:
        return {names[0]: dim // known}
    return {name: FREE if not isinstance(dim, int | Unknown) else Unknown(f"einops: axis {name}") for name in names}


def stacked(tensor: Any) -> Any:
    """A list of tensors of one shape is one with an axis before the others (einops/einops.py: reduce)."""
    held = tensor if isinstance(tensor, list | tuple) else ()
    tensors = [one for one in held if isinstance(one, Tensor)]
    alike = len(tensors) == len(held) and len({(one.shape, one.dtype) for one in tensors}) == 1
    if not alike or not isinstance(tensors[0].shape, tuple):
        return tensor
    return tensors[0].with_(shape=(len(tensors), *tensors[0].shape))


@function("einops.rearrange")
def rearrange(tensor: Any, pattern: Any, **axes_lengths: Any) -> Outcome:
    tensor = stacked(tensor)
    shape = rearranged(tensor, pattern, axes_lengths)
    return tensor.with_(shape=shape) if isinstance(tensor, Tensor) else Unknown("einops.rearrange()")


@function("einops.repeat")
def repeat(tensor: Any, pattern: Any, **axes_lengths: Any) -> Outcome:
    tensor = stacked(tensor)
    shape = rearranged(tensor, pattern, axes_lengths)
    return tensor.with_(shape=shape) if isinstance(tensor, Tensor) else Unknown("einops.repeat()")


@function("einops.reduce")
def reduce(tensor: Any, pattern: Any, reduction: Any, **axes_lengths: Any) -> Outcome:
    tensor = stacked(tensor)
    if not isinstance(tensor, Tensor):
        return Unknown("einops.reduce()")
    made = tensor.with_(shape=rearranged(tensor, pattern, axes_lengths))
    return made if is_floating(tensor.dtype) or reduction in ("min", "max") else made.with_(dtype=Unknown("reduction"))

"""einops: axes that a pattern names, moved, joined, taken apart, repeated and reduced."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.ops.functions._core import number
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import FREE, Dim, Mismatch, Problem, Shape, Tensor, Unknown, is_floating
from cudnnlint.values.dim import PROXY, product

REST = "..."
JOINED = "(...)"
"""The same within parentheses, where its axes become one."""
Groups = list[list[str]]
"""Axes of a side of a pattern, each with the names that it is made of; none for an axis of 1."""
Sizes = dict[str, Any]


def groups(side: str) -> Groups | None:
    """
    >>> groups("b (h d) 1 ..."), groups("(a b")
    ([['b'], ['h', 'd'], [], ['...']], None)
    >>> groups("b (h ...)")
    [['b'], ['h', '(...)']]
    """
    found: Groups = []
    for inner, single in re.findall(r"\(([^()]*)\)|([^\s()]+)", side):
        names = [single] if single else [JOINED if name == REST else name for name in inner.split()]
        found.append([name for name in names if name != "1"])
    return found if side.count("(") == side.count(")") and not re.search(r"\([^)]*\(", side) else None


def rearranged(tensor: Any, pattern: Any, axes: dict[str, Any]) -> Shape | Unknown | Mismatch:
    """The shape that the pattern gives, or that it does not fit.

    >>> rearranged(Tensor((2, 8, 6, 3), "float32"), "b (h p) w c -> b h (p w c)", {"p": 4})
    (2, 2, 72)
    >>> rearranged(Tensor((2, 8, 6, 3), "float32"), "b ... c -> c (b ...)", {})
    (3, 96)
    >>> rearranged(Tensor((2, 8, 6, 3), "float32"), "b (h p) w c -> b h (p w c)", {"p": 3}).message
    'axis 1 of float32[2, 8, 6, 3] is 8, which (h p) cannot take in parts of 3'
    """
    if not isinstance(tensor, Tensor) or not isinstance(pattern, str) or pattern.count("->") != 1:
        return Unknown("einops")
    left, right = (groups(side) for side in pattern.split("->"))
    if left is None or right is None:
        return Unknown("einops: the pattern")
    if any(JOINED in names for names in left):
        return Unknown("einops: axes joined as (...)")
    axes = {**axes, **{name: int(name) for names in (*left, *right) for name in names if name.isdigit()}}
    if isinstance(tensor.shape, Unknown):
        return Unknown("einops of an unknown rank") if [REST] in right else \
            tuple(product(_given(axes, name) for name in names) for names in right)
    if (wrong := _wrong_rank(left, tensor, pattern)) is not None:
        return wrong
    spread = _spread(left, tensor.shape)
    if (wrong := _wrong_extent(spread, tensor, axes)) is not None:
        return wrong
    sizes = _sizes(spread, tensor.shape, axes)
    shape: list[Dim] = []
    for names in right:
        if names == [REST]:
            shape += sizes.get(REST, ())
        else:
            parts: list[Dim] = [dim for name in names for dim in (
                sizes.get(REST, ()) if name == JOINED else (sizes[name] if name in sizes else _given(axes, name),))]
            shape.append(parts[0] if len(parts) == 1 else product(parts))
    return tuple(shape)


def _given(axes: dict[str, Any], name: str) -> Dim:
    found = number(axes.get(name))
    return found if isinstance(found, int) else Unknown(f"einops: axis {name}")


def _wrong_rank(left: Groups, tensor: Tensor, pattern: str) -> Mismatch | None:
    """A pattern has a name for each axis, or `...` for those that are left (einops/einops.py:
    _prepare_transformation_recipe)."""
    assert isinstance(tensor.shape, tuple)
    open_, named, rank = [REST] in left, sum(names != [REST] for names in left), len(tensor.shape)
    if rank == named or (open_ and rank > named):
        return None
    least, count = "at least " if open_ else "", f"{named} ax{'i' if named == 1 else 'e'}s"
    return Mismatch(
        Problem.RANK, f'"{pattern.partition("->")[0].strip()}" is {least}{count}, {tensor} has {rank}',
        help="an axis of 1 is written 1, and ... stands for any that are left",
        error=f'EinopsError "Wrong shape: expected {">=" if open_ else ""}{named} dims. Received {rank}-dim tensor."',
        facts=(("expected", named), ("actual", rank)))


def _spread(left: Groups, shape: Shape) -> Groups:
    """The names of each axis; of those that `...` stands for, each is that."""
    more = len(shape) - len(left) + 1
    return [part for names in left for part in ([[REST]] * more if names == [REST] else [names])]


def _wrong_extent(spread: Groups, tensor: Tensor, axes: dict[str, Any]) -> Mismatch | None:
    """An axis that is not what its parts make, or no multiple of those that are given (einops/einops.py:
    _reconstruct_from_shape_uncached)."""
    assert isinstance(tensor.shape, tuple)
    for place, (names, dim) in enumerate(zip(spread, tensor.shape, strict=True)):
        known = product(_given(axes, name) for name in names if name in axes)
        if names == [REST] or not isinstance(dim, int) or not isinstance(known, int) or known < 1 or dim % PROXY == 0:
            continue
        written = f"({' '.join(names)})" if len(names) > 1 else names[0] if names else "1"
        left_open = sum(name not in axes for name in names)
        if not left_open and dim != known:
            return Mismatch(
                Problem.RESHAPE, f"axis {place} of {tensor} is {dim}, the pattern's {written} is {known}",
                error=f'EinopsError "Shape mismatch, {dim} != {known}"')
        if left_open == 1 and dim % known:
            return Mismatch(
                Problem.RESHAPE, f"axis {place} of {tensor} is {dim}, which {written} cannot take in parts of {known}",
                help=f"make it {dim // known * known or known} or {(dim // known + 1) * known}",
                error=f'EinopsError "Shape mismatch, can\'t divide axis of length {dim} in chunks of {known}"')
    return None


def _sizes(spread: Groups, shape: Shape, axes: dict[str, Any]) -> Sizes:
    """How long each named axis is."""
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


def moved(tensor: Any, pattern: Any, axes: dict[str, Any]) -> Outcome:
    """The tensor with the axes that the pattern gives it."""
    tensor = stacked(tensor)
    if not isinstance(tensor, Tensor):
        return Unknown("einops of what is no tensor")
    shape = rearranged(tensor, pattern, axes)
    return shape if isinstance(shape, Mismatch) else tensor.with_(shape=shape)


@function("einops.rearrange")
def rearrange(tensor: Any, pattern: Any, **axes_lengths: Any) -> Outcome:
    return moved(tensor, pattern, axes_lengths)


@function("einops.repeat")
def repeat(tensor: Any, pattern: Any, **axes_lengths: Any) -> Outcome:
    return moved(tensor, pattern, axes_lengths)


@function("einops.reduce")
def reduce(tensor: Any, pattern: Any, reduction: Any, **axes_lengths: Any) -> Outcome:
    return reduced(moved(tensor, pattern, axes_lengths), reduction)


def reduced(made: Outcome, reduction: Any) -> Outcome:
    """A mean of integers is refused or of another dtype, by library."""
    known = not isinstance(made, Tensor) or is_floating(made.dtype) or reduction in ("min", "max")
    return made if known else made.with_(dtype=Unknown("reduction"))

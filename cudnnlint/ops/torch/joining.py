"""Tensors of PyTorch joined and taken apart: cat, stack, hstack, vstack, split, chunk, unbind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.functions._core import number, numbers
from cudnnlint.ops.functions.join import concat
from cudnnlint.ops.functions.join import stack as any_stack
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch.shapes import axis_of, axis_problem
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown

MOST = 64
"""Parts that are followed one by one."""


@function("torch.cat", "torch.concat", "torch.concatenate")
def cat(tensors: Any, dim: Any = 0, *, out: Any = None) -> Outcome:
    """Extents add up along `dim`; 1-D tensors without elements are passed over (aten TensorShape.cpp: cat)."""
    if not isinstance(tensors, (list, tuple)) or not tensors or not all(isinstance(t, Tensor) for t in tensors):
        return tensors if isinstance(tensors, Unknown) else _partly(tensors)
    kept = [t for t in tensors if t.shape != (0,)] or list(tensors)
    return _told(concat(kept, dim, "torch", "cat"), kept)


def _partly(tensors: Any) -> Outcome:
    """Some part is not known: neither is the extent."""
    known = [t for t in tensors if isinstance(t, Tensor)] if isinstance(tensors, (list, tuple)) else []
    return known[0].with_(shape=Unknown("a part of cat()"), dtype=Unknown("a part of cat()")) if known \
        else Unknown("parts of cat()")


def _told(made: Outcome, parts: Any) -> Outcome:
    if not isinstance(made, Mismatch):
        return made
    if made.problem is Problem.AXIS:
        return axis_problem(made.fact("axis"), made.fact("rank"))
    extents = made.fact("extents")
    if extents is None:
        ranks = [t.rank for t in parts if t.rank is not None]
        other = next(rank for rank in ranks if rank != ranks[0])
        return replace(made, error=f'RuntimeError "Tensors must have same number of dimensions: got {ranks[0]} and '
                                   f'{other}"')
    return replace(made, error=f'RuntimeError "Sizes of tensors must match except in dimension ... Expected size '
                               f'{extents[0]} but got size {extents[1]} for tensor number ... in the list."')


@function("torch.stack")
def stack(tensors: Any, dim: Any = 0, *, out: Any = None) -> Outcome:
    if not isinstance(tensors, (list, tuple)) or not tensors or not all(isinstance(t, Tensor) for t in tensors):
        return tensors if isinstance(tensors, Unknown) else _partly(tensors)
    made = any_stack(list(tensors), dim, "torch", "stack")
    if isinstance(made, Mismatch) and made.problem is Problem.MERGE:
        return replace(made, error='RuntimeError "stack expects each tensor to be equal size"')
    return made


@function("torch.hstack")
def hstack(tensors: Any, *, out: Any = None) -> Outcome:
    """cat() along axis 1, of vectors along their only one."""
    known = _all_ranked(tensors)
    if not known or (any(t.rank < 2 for t in known) and any(t.rank != known[0].rank for t in known)):
        return Unknown("hstack()")
    return cat(known, 1 if known[0].rank > 1 else 0) if known[0].rank else Unknown("hstack() of scalars")


@function("torch.vstack", "torch.row_stack")
def vstack(tensors: Any, *, out: Any = None) -> Outcome:
    """cat() along axis 0 of tensors with two axes or more: vectors become rows (torch.atleast_2d)."""
    known = _all_ranked(tensors)
    return cat([t.with_(shape=((1, 1, *t.shape)[-2:] if t.rank < 2 else t.shape)) for t in known], 0) if known \
        else Unknown("vstack()")


def _all_ranked(tensors: Any) -> list[Any]:
    """Tensors all of which have a known rank, none where one has not."""
    known = isinstance(tensors, (list, tuple)) and all(isinstance(t, Tensor) and t.rank is not None for t in tensors)
    return list(tensors) if known else []


@function("torch.split", "torch.Tensor.split")
def split(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> Outcome:
    """Parts of one size, the last one shorter, or of given sizes (aten/src/ATen/native/TensorShape.cpp: split)."""
    place = _place(tensor, dim)
    if not isinstance(place, int):
        return place
    extent = tensor.shape[place]
    sizes = numbers(split_size_or_sections) if isinstance(split_size_or_sections, (list, tuple)) else None
    if isinstance(sizes, tuple):
        if all(isinstance(one, int) for one in (*sizes, extent)) and sum(sizes) != extent:
            return Mismatch(Problem.RESHAPE, f"split into {list(sizes)} of axis {place}, which is {extent}: {tensor}",
                            error='RuntimeError "split_with_sizes expects split_sizes to sum exactly to '
                                  f'{extent} (input tensor\'s size at dimension {place}), but got '
                                  f'split_sizes={list(sizes)}"',
                            facts=(("actual", sum(sizes)), ("expected", extent)))
        return _parts(tensor, place, sizes)
    each = number(split_size_or_sections)
    if not isinstance(each, int) or not isinstance(extent, int) or each <= 0 or extent > each * MOST:
        return Unknown("parts of split()")
    return _parts(tensor, place, _even(extent, each))


def _even(extent: int, each: int) -> tuple[int, ...]:
    whole, rest = divmod(extent, each)
    return (each,) * whole + ((rest,) if rest or not whole else ())


@function("torch.chunk")
def chunk(input: Any, chunks: Any, dim: Any = 0) -> Outcome:
    """At most `chunks` parts of ceil(extent / chunks)."""
    place = _place(input, dim)
    if not isinstance(place, int):
        return place
    extent, count = input.shape[place], number(chunks)
    if not isinstance(count, int) or not 0 < count <= MOST:
        return Unknown("parts of chunk()")
    if not isinstance(extent, int):
        return Unknown("chunks of an open extent")
    return _parts(input, place, _even(extent, max(-(-extent // count), 1)))


@function("torch.unbind")
def unbind(input: Any, dim: Any = 0) -> Outcome:
    place = _place(input, dim)
    if not isinstance(place, int):
        return place
    count = input.shape[place]
    if not isinstance(count, int) or count > MOST:
        return Unknown("parts of unbind()")
    return (input.with_(shape=(*input.shape[:place], *input.shape[place + 1:])),) * count


def _place(x: Any, dim: Any) -> int | Unknown | Mismatch:
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown) or not x.shape:
        return Unknown("parts of an unknown tensor")
    return axis_of(dim, len(x.shape), x)


def _parts(x: Tensor, place: int, sizes: tuple[Dim, ...]) -> Outcome:
    assert isinstance(x.shape, tuple)
    before, after = x.shape[:place], x.shape[place + 1:]
    return tuple(x.with_(shape=(*before, Unknown("a size") if isinstance(one, int) and one < 0 else one, *after))
                 for one in sizes)

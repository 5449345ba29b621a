"""Library functions of lists whose length is not known: what they give for any number of elements that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import join_two
from cudnnlint.interp.lists import BoundedV
from cudnnlint.interp.machine import plain
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.values import Assumed, Tensor, Unknown
from cudnnlint.values.tensor import tensors

COUNTS = (7, 11)
"""Lengths that are tried: what depends on the length is not the same for both."""
JOINING = frozenset({"concatenate", "concat", "vstack", "row_stack", "hstack", "dstack", "column_stack",
                     "pad_sequences"})
"""Functions whose parts may differ along an axis."""
TAKING = JOINING | frozenset({
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfarray", "stack", "constant", "convert_to_tensor", "cast",
    "to_categorical", "normalize", "expand_dims", "squeeze", "mean", "sum", "max", "min", "amax",
    "amin", "std", "var", "median", "argmax", "argmin", "add_n", "prod", "reduce_mean", "reduce_sum", "reduce_max",
    "reduce_min", "log", "sqrt", "exp", "abs", "round", "reshape", "transpose", "cumsum", "diff", "vectorized_map",
    "argsort", "isnan", "nanmean", "moveaxis", "swapaxes", "one_hot", "zeros_like", "ones_like", "astype"})
"""Functions that make one array of a list."""
HOLDING = frozenset({ListV, BoundedV, Assumed})
"""What a list may be, or be in."""
LENGTH = "a list of unknown length"
DIFFERING = ("differs between paths", LENGTH)
"""Extents of elements that are not one extent."""


def open_lists(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a list of unknown length, of which the elements are known, is among the arguments."""
    held = [arg for arg in (*args, *kwargs.values()) if type(arg) in HOLDING]  # of most calls nothing
    return bool(held) and any(is_open(plain(arg)) for arg in held)


def is_open(value: Any) -> bool:
    """Whether it is a list whose length is not known and whose elements are."""
    return type(value) in (ListV, BoundedV) and value.unknown is not None and value.kept is not None


def element_of(value: ListV, *, joining: bool = False) -> Any:
    """A typical element as ops take it; Unknown where elements differ in shape, or are layers' symbolic tensors."""
    raw = plainly(value.typical())
    found = tensors(raw)
    if isinstance(raw, Unknown) or any(tensor.kind not in ("tf", "numpy") for tensor in found):
        return Unknown("elements of a list")
    if any(_differs(tensor, joining) for tensor in found):
        return Unknown("elements of a list that differ")
    return raw


def plainly(value: Any) -> Any:
    """An element as ops take it: a number that is not known is a scalar of an unknown dtype, an open list an array."""
    held = plain(value)
    if isinstance(held, Unknown):
        return Tensor((), Unknown("numbers that are not known"), "numpy") if held.number else held
    if is_open(held):
        return as_one(held)
    if isinstance(held, tuple):
        return tuple(map(plainly, held))
    return list(map(plainly, held.items)) if type(held) is ListV and not held.unknown else strip(value)


def _differs(tensor: Tensor, joining: bool) -> bool:
    if not isinstance(tensor.shape, tuple):
        return False  # nothing is known of it, nor of what is made of it
    return not joining and any(isinstance(dim, Unknown) and dim.why in DIFFERING for dim in tensor.shape)


def of_length(value: Any, count: int, found: set[Any], *, joining: bool = False) -> Any:
    """An argument with its open lists `count` elements long."""
    held = plain(value)
    if is_open(held):
        one = element_of(held, joining=joining)
        return one if isinstance(one, Unknown) else [one] * count
    return strip(value, found)


def agreed(outcomes: list[Any]) -> Any:
    """What holds whatever the length: one tensor, with what depends on it left open."""
    if not all(isinstance(outcome, Tensor) for outcome in outcomes):
        return Unknown(LENGTH)
    first, other = outcomes
    if isinstance(first.shape, tuple) and isinstance(other.shape, tuple) and len(first.shape) != len(other.shape):
        return Unknown(LENGTH)
    made = join_two(first, other)
    if not isinstance(made.shape, tuple):
        return made
    shape = tuple(a if a == b else Unknown(LENGTH) for a, b in zip(first.shape, other.shape, strict=True))
    return made.with_(shape=shape, content=made.content)


def structure_of(value: Any, library: Library = "numpy") -> Any:
    """A structure of lists, dicts and tuples in which each open list has become one array: what is sliced into a
    dataset."""
    held = plain(value)
    if is_open(held):
        return as_one(held, library)
    if isinstance(held, tuple):
        return tuple(structure_of(item, library) for item in held)
    if isinstance(held, DictV) and not held.unknown and not held.is_set:
        return DictV({key: structure_of(item, library) for key, item in held.items.items()})
    return value


def as_one(value: ListV, library: Library = "numpy") -> Any:
    """np.array(value), or what another library makes of it."""

    one = element_of(value)
    if isinstance(one, Unknown):
        return one
    return agreed([as_tensor([one] * count, library) for count in COUNTS])


__all__ = ["COUNTS", "JOINING", "TAKING", "agreed", "as_one", "element_of", "of_length", "open_lists", "structure_of"]

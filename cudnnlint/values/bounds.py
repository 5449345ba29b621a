"""The least and the greatest element of a tensor, where the steps that made it tell them: labels and indices."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cudnnlint.values.columns import column
from cudnnlint.values.constants import (
    CHOOSING,
    LONG,
    STACKED,
    chosen,
    constant,
    padded_rows,
    padded_together,
    reordered,
    rows_of,
    together,
)
from cudnnlint.values.origins import CLASSES, SAMPLES, SOURCES, Bounds, drawn, getter, of_content, plain, stored, whole
from cudnnlint.values.tensor import Tensor
from cudnnlint.values.unknown import RowIndex

SPLIT = "sklearn.model_selection.train_test_split"
DEPTH = 40
SPREAD = 8
"""A part of random rows is taken to hold the least and the greatest where it has this many rows for each value."""


def bounds(tensor: Any) -> Bounds | None:
    """None where they are not known; a step that may drop or change elements makes them unknown.

    >>> bounds(Tensor((3,), "int64", content=(1, 5, 2)))
    Bounds(low=1, high=5, random=False)
    """
    return _bounds(tensor, 0, {})


def _bounds(tensor: Any, depth: int, found: dict[int, Bounds | None]) -> Bounds | None:
    """`found`: of the tensors that were asked before, by identity: what is summed in a loop has one twice a turn."""
    if not isinstance(tensor, Tensor) or depth > DEPTH:
        return None
    if id(tensor) not in found:
        found[id(tensor)] = _made(tensor, depth, found)
    return found[id(tensor)]


def _made(tensor: Tensor, depth: int, found: dict[int, Bounds | None]) -> Bounds | None:
    if tensor.content is not None:
        return of_content(tensor.content)
    step = tensor.step
    if step is None:
        return None
    if step.maker is None:
        return _bounds(step.parents[0], depth + 1, found) if len(step.parents) == 1 else None
    if not isinstance(step.maker, str):
        words = getattr(getattr(step.maker, "op", None), "indices", None)  # of a look-up (ops/lookup.py)
        return Bounds(words[0], words[1], random=True) if isinstance(words, tuple) else None
    args, kwargs = step.arguments or ((), {})
    given = [plain(arg) for arg in args]
    named = {key: plain(arg) for key, arg in kwargs.items()}
    if step.maker in CLASSES:
        get = getter(given, named)
        return stored(step.maker, step.index[-1:] == (1,), get(1, "num_words"), get(0, "label_mode"))
    if step.maker in SAMPLES:
        return Bounds(0, SAMPLES[step.maker] - 1, every=True, often=True) if step.index[-1:] == (1,) else None
    if step.maker == WRITTEN:
        return _written(tensor, given)
    if step.maker in LISTED and not step.parents:
        return _of_list(tensor, given[0]) if given else None
    if step.maker in CHOOSING:
        return chosen(tensor)
    if step.maker in PADDING and not step.parents:
        return padded_rows(given, named)
    if step.maker in REPEATING and not step.parents:
        return _repeated(tensor, given)
    if (source := DRAWN.get(step.maker)) is not None:
        return source(given, named)
    if (rows := reordered(step)) is not None:
        return _bounds(rows, depth + 1, found)
    if step.maker == "operator.getitem" and len(given) == 2 and (part := column(given[0], given[1])) is not None:
        return _bounds(part, depth + 1, found)
    known: list[Bounds] = []
    parents = step.parents[:_data(args, kwargs)] if step.maker in KEEPING or step.maker == STACKED else step.parents
    for parent in parents:
        if (one := _bounds(parent, depth + 1, found) or constant(parent, step.span)) is None:
            return None
        known.append(one)
    if not known:
        return constant(tensor)
    if step.maker in KEEPING:
        return together(known, parents)
    if step.maker == STACKED:
        return padded_together(known, parents, getter(given, named)(2, "padding_value"))
    derive = DERIVED.get(step.maker)
    return derive(tensor, known[0], given) if derive is not None and len(known) == 1 else None


def _data(args: Any, kwargs: Any) -> int | None:
    """How many of a step's parents are what is handed on, not extents or counts: those of the first argument.

    0 where it holds plain numbers; None for all, where the first argument is an object.
    """
    first = plain(args[0] if args else next(iter(kwargs.values()), None))
    if first is None or isinstance(first, Tensor):
        return None if first is None else 1
    items = getattr(first, "items", first)
    if not isinstance(items, list | tuple):
        return 0 if isinstance(first, int | float) else None
    return len(items) if all(isinstance(plain(item), Tensor) for item in items) else 0


LISTED = frozenset({"numpy.array", "numpy.asarray", "tensorflow.constant", "tensorflow.convert_to_tensor"})
"""Makers of arrays from lists, which keep the elements of short ones."""


def _of_list(tensor: Tensor, value: Any) -> Bounds | None:
    """Of a list of numbers that is as long as it was then."""
    rows = rows_of(value) if tensor.rank == 2 else None
    if rows is not None and tensor.shape == (len(rows), max(map(len, rows), default=0)):
        return of_content(tuple(item for row in rows for item in row))
    items = getattr(value, "items", value)
    if not isinstance(items, list | tuple) or getattr(value, "unknown", None) or not 0 < len(items) <= LONG \
            or not isinstance(tensor.shape, tuple) or tensor.shape != (len(items),):
        return None
    held = tuple(map(plain, items))
    found = of_content(held)
    if found is None:
        return None
    rarest = min(held.count(found.low), held.count(found.high))
    return replace(found, often=2 * rarest * (found.high - found.low + 1) >= len(held))


PADDING = frozenset({"keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences"})
REPEATING = frozenset({"numpy.tile", "numpy.repeat"})


def _repeated(tensor: Tensor, given: list[Any]) -> Bounds | None:
    """`np.tile([1, 2, 3], 30)`: each of a list as often."""
    items = getattr(given[0], "items", given[0]) if len(given) == 2 else None
    if not isinstance(items, list | tuple) or getattr(given[0], "unknown", None) or not whole(given[1]) \
            or given[1] < 1 or tensor.shape != (len(items) * given[1],):
        return None
    found = of_content(tuple(map(plain, items)))
    return replace(found, often=True) if found is not None else None


WRITTEN = "item assignment"


def _written(tensor: Tensor, given: list[Any]) -> Bounds | None:
    """`x[:, 0] = 5`, `x[:, :4] = 5`: of places that are there only the number that was written is sure to be found."""
    both: list[Any] = given if len(given) == 2 else [None, None]
    key, value = both
    parts = [plain(part) for part in (key if isinstance(key, tuple) else (key,))]
    kept = isinstance(tensor.shape, tuple) and 0 not in tensor.shape
    extents = tensor.shape if isinstance(tensor.shape, tuple) and len(parts) <= len(tensor.shape) else ()
    there = all(whole(part) or _meets(part, extents[axis] if axis < len(extents) else None)
                for axis, part in enumerate(parts))
    if not (there and kept and whole(value) and tensor.dtype in LIMITS):
        return None
    return Bounds(value, value, rows=len(parts) > 1 and parts[0] == slice(None))


def _meets(part: Any, extent: Any) -> bool:
    """Whether a slice takes one place of an axis at least, which has one."""
    if not isinstance(part, slice):
        return False
    numbers = [plain(end) for end in (part.start, part.stop, part.step)]
    if not all(end is None or whole(end) for end in numbers) or numbers[2] == 0:
        return False
    start, stop, step = numbers
    if not whole(extent):
        return start in (None, 0) and (stop is None or stop > 0) and (step is None or step > 0)
    return len(range(*slice(start, stop, step).indices(extent))) > 0


KEEPING = frozenset({
    "torch.utils.data.DataLoader", "torch.Tensor.to", "torch.no_grad", "torch.Tensor.view", "torch.Tensor.contiguous",
    "torch.Tensor.cpu", "torch.Tensor.cuda", "torch.reshape", *(f"torch.{name}" for name in (
        "tensor", "as_tensor", "from_numpy", "flatten", "ravel", "squeeze", "unsqueeze", "permute", "transpose", "t",
        "cat", "concat", "stack", "clone", "detach", "Tensor.repeat", "Tensor.expand", "repeat_interleave")),
    *(f"numpy.{name}" for name in (
        "array", "asarray", "asanyarray", "ascontiguousarray", "copy", "astype", "ravel", "flatten", "reshape",
        "expand_dims", "squeeze", "transpose", "stack", "concatenate", "hstack", "vstack", "column_stack", "tile",
        "repeat", "random.permutation", "sort", "flip", "roll", "atleast_1d", "atleast_2d")),
    *(f"tensorflow.{name}" for name in (
        "cast", "constant", "convert_to_tensor", "identity", "reshape", "expand_dims", "squeeze", "transpose", "stack",
        "concat", "tile", "repeat", "reverse", "random.shuffle", "sort")),
    *(f"keras.ops.{name}" for name in (
        "cast", "convert_to_tensor", "convert_to_numpy", "reshape", "expand_dims", "squeeze", "ravel", "stack",
        "concatenate", "tile", "repeat")),
})
"""Functions that lose and change no element of integers."""
LIMITS = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767),
          "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1), "int32": (-2**31, 2**31 - 1),
          "int64": (-2**63, 2**63 - 1), "float32": (-2**24, 2**24), "float64": (-2**53, 2**53)}


def _holds(dtype: Any, low: int, high: int) -> bool:
    """Whether elements of this dtype hold both exactly: NumPy's integers wrap around."""
    least, most = LIMITS.get(dtype, (1, 0)) if isinstance(dtype, str) else (1, 0)
    return least <= low and high <= most


def _choice(args: list[Any], kwargs: dict[str, Any]) -> Bounds | None:
    pool, get = (args[0] if args else kwargs.get("a")), getter(args, kwargs)
    if get(3, "p") is not None:
        return None
    if isinstance(pool, Tensor):  # of a scalar, range() of it
        found = bounds(pool) if pool.rank else None
        return replace(found, random=True) if found is not None else None
    items = getattr(pool, "items", pool)
    if isinstance(items, list | tuple):
        found = of_content(tuple(plain(item) for item in items))
        return replace(found, random=True) if found is not None else None
    return drawn(pool, None)


DRAWN: dict[str, Callable[[list[Any], dict[str, Any]], Bounds | None]] = {**SOURCES, "numpy.random.choice": _choice}


def _padded(tensor: Tensor, inner: Bounds, given: list[Any]) -> Bounds | None:
    return Bounds(min(inner.low, 0), inner.high, random=True) if inner.random else None


def _shifted(sign: int) -> Callable[[Tensor, Bounds, list[Any]], Bounds | None]:
    """`y + 1`, `y - 1`: with a number, and where unsigned integers do not wrap."""

    def derive(tensor: Tensor, inner: Bounds, given: list[Any]) -> Bounds | None:
        amount: Any = given[1] if len(given) == 2 and isinstance(given[0], Tensor) else None
        if amount is None and sign > 0 and len(given) == 2:
            amount = given[0]
        if not isinstance(amount, int):
            return None
        low, high = inner.low + sign * amount, inner.high + sign * amount
        return Bounds(low, high, inner.random, inner.every) if _holds(tensor.dtype, low, high) else None

    return derive


def _remainder(tensor: Tensor, inner: Bounds, given: list[Any]) -> Bounds | None:
    """`np.arange(150) % 5`: all remainders, of as many numbers in a row."""
    count: Any = given[1] if len(given) == 2 and isinstance(given[0], Tensor) else None
    met = whole(count) and count > 0 and inner.every and not inner.random and inner.high - inner.low + 1 >= count
    return Bounds(0, count - 1, every=True, often=True) if met else None


def _quotient(tensor: Tensor, inner: Bounds, given: list[Any]) -> Bounds | None:
    """`np.arange(150) // 50`: numbers in a row give all quotients between the first and the last."""
    count: Any = given[1] if len(given) == 2 and isinstance(given[0], Tensor) else None
    return Bounds(inner.low // count, inner.high // count, inner.random, inner.every) \
        if whole(count) and count > 0 else None


def _part(tensor: Tensor, inner: Bounds, given: list[Any]) -> Bounds | None:
    """Slices of rows in no order that are long enough; a mask picks what nobody knows."""
    key = given[1] if len(given) == 2 else None
    keys = key if isinstance(key, tuple) else (key,)
    if isinstance(plain(keys[0]), RowIndex):
        return _of_rows(tensor, inner, [plain(part) for part in keys])
    if inner.rows and len(keys) == 1 and isinstance(plain(keys[0]), slice):
        return inner if isinstance(tensor.shape, tuple) and tensor.shape[:1] != (0,) else None
    slices = all(isinstance(part, slice) or part is None or part is Ellipsis for part in map(plain, keys))
    return _drawn_part(tensor, inner, given) if slices else None


def _of_rows(tensor: Tensor, inner: Bounds, keys: list[Any]) -> Bounds | None:
    """A row by an index that runs over all of them: together they hold what the whole does."""
    parents = tensor.step.parents if tensor.step is not None else ()
    whole = parents[0].shape if parents else ()
    if not isinstance(whole, tuple) or not isinstance(tensor.shape, tuple) or whole[:1] != (keys[0].rows,):
        return None
    if len(keys) == 1:
        return inner
    slices = all(isinstance(part, slice) for part in keys[1:])
    return _drawn_part(tensor.with_(shape=(whole[0], *tensor.shape)), inner, [None]) if slices else None


def _drawn_part(tensor: Tensor, inner: Bounds, given: list[Any]) -> Bounds | None:
    """Some rows, in no order."""
    by_chance = inner.often and tensor.step is not None and tensor.step.maker == SPLIT
    if not (inner.random or by_chance) or not isinstance(tensor.shape, tuple) \
            or not all(isinstance(dim, int) for dim in tensor.shape):
        return None
    count = math.prod(dim for dim in tensor.shape if isinstance(dim, int))
    return replace(inner, random=True) if count >= SPREAD * (inner.high - inner.low + 1) else None


def _digitized(tensor: Tensor, inner: Bounds, given: list[Any]) -> Bounds | None:
    """`np.digitize(ages, [0, 18, 60])` of numbers drawn at random: 1, 2 and 3, if enough are before the first edge that
    is passed and from the last one on."""
    edges = getattr(given[1], "items", given[1]) if len(given) == 2 and isinstance(given[0], Tensor) else None
    named = tensor.step.arguments[1] if tensor.step is not None and tensor.step.arguments is not None else {}
    if not isinstance(edges, list | tuple) or getattr(given[1], "unknown", None) or named or not inner.random \
            or not isinstance(tensor.shape, tuple) or not all(isinstance(dim, int) for dim in tensor.shape):
        return None
    held = [plain(edge) for edge in edges]
    if not all(map(whole, held)) or held != sorted(set(held)):
        return None
    low, high = bisect(held, inner.low), bisect(held, inner.high)
    if low == high:
        return Bounds(low, high, random=True)
    rarest = min(held[low] - inner.low, inner.high - held[high - 1] + 1) / (inner.high - inner.low + 1)
    count = math.prod(dim for dim in tensor.shape if isinstance(dim, int))
    return Bounds(low, high, random=True) if count * rarest >= SPREAD else None


DERIVED: dict[str, Callable[[Tensor, Bounds, list[Any]], Bounds | None]] = {
    "operator.%": _remainder, "numpy.mod": _remainder, "operator.//": _quotient, "numpy.floor_divide": _quotient,
    "operator.+": _shifted(1), "operator.-": _shifted(-1), "operator.getitem": _part, SPLIT: _drawn_part,
    **dict.fromkeys(PADDING, _padded),
    "numpy.digitize": _digitized,
    "numpy.add": _shifted(1), "numpy.subtract": _shifted(-1), "tensorflow.add": _shifted(1),
    "tensorflow.subtract": _shifted(-1), "tensorflow.math.add": _shifted(1), "tensorflow.math.subtract": _shifted(-1),
}

__all__ = ["Bounds", "bounds"]

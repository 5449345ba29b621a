"""Indexing and iterating tensors: ints, slices, Ellipsis, None, boolean masks and integer arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal, taken
from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import shown
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.gather import take
from cudnnlint.ops.functions.select import COUNT
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.records import record
from cudnnlint.values import FREE, Assumed, Dim, Mismatch, Problem, Shape, Symbol, Tensor, Unknown
from cudnnlint.values.occurring import extremes
from cudnnlint.values.origins import plain
from cudnnlint.values.tensor import is_floating
from cudnnlint.values.unknown import Drawn, Lines, OpenExtent, between, window

MOST = 1024
"""Tensors with more rows are not iterated row by row."""


@record(frozen=True, slots=True)
class Mask:
    """A boolean array: its axes become one, of unknown extent."""

    shape: Shape


@record(frozen=True, slots=True)
class Array:
    """An integer array, or an int beside one: all of a key's are broadcast together."""

    shape: Shape


def getitem(x: Tensor, key: Any) -> Outcome:
    """`x[key]`.

    >>> print(getitem(Tensor((8, 28, 28), "uint8"), (slice(0, 4), ..., None)))
    uint8[4, 28, 28, 1]
    >>> getitem(Tensor((3,), "int32", content=(2, 5, 7)), slice(1, None)).content
    (5, 7)
    >>> print(getitem(Tensor((8, 28), "uint8"), Unknown("a loop variable", number=True)))
    uint8[28]
    >>> print(getitem(Tensor((5, 3), "float32"), Tensor((32,), Unknown("bools or numbers"))))
    float32[?, 3]
    >>> print(getitem(Tensor((8, 8), "float32", "torch"), Tensor((8, 8), "uint8", "torch")))
    float32[?]
    >>> from cudnnlint.values.unknown import lines
    >>> print(getitem(Tensor(lines("a file"), "float64"), (slice(None), slice(0, 7))))
    float64[?, ?]
    """
    parts = [_part(item) for item in key] if isinstance(key, tuple) else [_rows(key) or _part(key)]
    if (refused := _of_floats(x, key if isinstance(key, tuple) else (key,))) is not None:
        return refused
    unknown = next((part for part in parts if isinstance(part, Unknown)), None)
    if type(x.shape) is Lines and isinstance(key, tuple) and len(parts) == 2:
        x = x.with_(shape=(x.shape.rows, x.shape.columns))
    if unknown is not None or isinstance(x.shape, Unknown):
        return x.with_(shape=unknown if unknown is not None else x.shape)
    if x.shape[:1] == (0,) and isinstance(parts[0], Array) and not parts[0].shape:
        return Unknown("an element of none")  # what takes one element after the other takes none
    if (used := sum(map(_axes, parts))) > len(x.shape):
        if x.kind == "numpy" and not (isinstance(x.dtype, str) and x.dtype != "object"):
            return Unknown("an element of an array of objects")
        return _too_many(x, used)
    full = _expanded(parts, len(x.shape))
    if isinstance(full, Unknown):
        return full
    if any(isinstance(part, Array) for part in full):
        one = len(parts) == 1 and not isinstance(key, (tuple, Unknown))
        if one:
            return _beyond(x, key) or take(x, key, 0, "numpy", "indexing")
        return (_beyond_axis(x, key) if isinstance(key, tuple) else None) or _advanced(x, full)
    shape = _basic(x, full)
    if not isinstance(shape, tuple):
        return shape
    return x.with_(shape=shape, content=contents.small(_picked(x.content, full)))


def _of_floats(x: Tensor, key: tuple[Any, ...]) -> Mismatch | None:
    """A number or a tensor of floats among the indices (aten/src/ATen/native/IndexingUtils.h: checkIndexTensorTypes;
    numpy/_core/src/multiarray/mapping.c: prepare_index; Python's own slices)."""
    for item in key:
        held = plain(item)
        if isinstance(held, Tensor) and held.kind == x.kind == "torch" and is_floating(held.dtype):
            return Mismatch(Problem.DTYPE, f"{x} indexed by {held}, which are no whole numbers",
                            help="index.long()", error='IndexError "tensors used as indices must be long, int, byte or '
                            'bool tensors"', facts=(("dtype", held.dtype),))
        ends = (held.start, held.stop, held.step) if isinstance(held, slice) else (held,)
        part = next((end for end in map(plain, ends) if type(end) is float), None)
        if part is not None and x.kind in OF_FLOATS and isinstance(x.shape, tuple):
            return Mismatch(Problem.DTYPE, f"{x} indexed by {part}, which is no whole number", help="int(...) of it",
                            error='TypeError "slice indices must be integers or None or have an __index__ method"'
                            if isinstance(held, slice) and x.kind != "tf" else OF_FLOATS[x.kind],
                            facts=(("dtype", "float"),))
    return None


OF_FLOATS = {"numpy": 'IndexError "only integers, slices (`:`), ellipsis"',
             "torch": 'IndexError "only integers, slices"', "tf": 'TypeError "Only integers, slices"'}
"""What is said of a float in brackets."""


def _part(item: Any) -> Any:
    """One element of a key: int, slice of known parts, None, Ellipsis, Mask, Array or Unknown."""
    if isinstance(item, Assumed):
        item = item.value
    if isinstance(item, (bool, str, float, dict)):
        return Unknown("index")
    if isinstance(item, slice):
        return slice(*(_bound(bound) for bound in (item.start, item.stop, item.step)))
    if isinstance(item, Symbol) or (isinstance(item, Unknown) and item.number):
        return Array(())
    if item is None or item is Ellipsis or isinstance(item, (int, Unknown)):
        return item
    index = as_tensor(item, "numpy") if isinstance(item, (list, tuple, Tensor)) else Unknown("index")
    if isinstance(index, Unknown) or isinstance(index.shape, Unknown):
        return Unknown("index")
    if index.dtype == "bool" or (index.dtype == "uint8" and index.kind == "torch"):  # IndexingUtils.h: expandTensors
        return Mask(index.shape) if index.shape else Unknown("a scalar mask")
    if index.shape == () and isinstance(index.content, int):
        return index.content
    return Unknown("index") if isinstance(index.dtype, Unknown) and index.shape else Array(index.shape)


def _rows(key: Any) -> Mask | None:
    """A list of bools or of numbers, it is not known which: either picks rows."""
    held = key.value if isinstance(key, Assumed) else key
    open_dtype = isinstance(held, Tensor) and isinstance(held.dtype, Unknown) and held.rank == 1
    return Mask((Unknown("bools or numbers"),)) if open_dtype else None


def _bound(value: Any) -> Any:
    if isinstance(value, Assumed):
        value = value.value
    if isinstance(value, Tensor):
        value = value.content
        return value if isinstance(value, (int, Symbol)) else Unknown("slice bound")
    if type(value) is OpenExtent:  # to Python None, that is all, while a model is built from symbolic tensors
        return None
    if value is None or isinstance(value, (int, Symbol, Unknown)):
        return value
    return Unknown("slice bound")


def _axes(part: Any) -> int:
    return len(part.shape) if isinstance(part, Mask) else 0 if part is None or part is Ellipsis else 1


def _expanded(parts: Sequence[Any], rank: int) -> list[Any] | Unknown:
    """Ellipsis, and the axes a key leaves out, as full slices."""
    if sum(part is Ellipsis for part in parts) > 1:
        return Unknown("two ellipses")
    rest = [slice(None)] * (rank - sum(map(_axes, parts)))
    full: list[Any] = []
    for part in parts:
        if part is Ellipsis:
            full.extend(rest)
        else:
            full.append(part)
    return full if any(part is Ellipsis for part in parts) else full + rest


def _too_many(x: Tensor, used: int) -> Mismatch:
    indices, axes = "index" if used == 1 else "indices", "axis" if x.rank == 1 else "axes"
    return Mismatch(Problem.RANK, f"{used} {indices} into {x}, which has {x.rank} {axes}",
                    help="leave indices out, or give the tensor the axes that are missing" if x.rank else
                    "a scalar has no elements" + (": its number is x.item()" if x.kind == "torch" else ""),
                    error='IndexError "too many indices for array"' if x.kind == "numpy" else
                    'ValueError or InvalidArgumentError "Index out of range using input dim"' if x.kind != "torch" else
                    'IndexError "too many indices for tensor"' if x.rank else
                    'IndexError "invalid index of a 0-dim tensor"',
                    facts=(("expected", used), ("actual", x.rank), ("number of", "" if x.rank else x.kind)))


def _basic(x: Tensor, parts: Sequence[Any]) -> Shape | Unknown | Mismatch:
    """Ints drop their axis, slices cut it, None adds one, a mask merges its own."""
    assert isinstance(x.shape, tuple)
    dims: list[Dim] = []
    axis = 0
    for part in parts:
        if part is None:
            dims.append(1)
        elif isinstance(part, slice):
            dims.append(sliced(x.shape[axis], part))
        elif isinstance(part, Mask):
            covered = x.shape[axis:axis + len(part.shape)]
            if not all(map(may_equal, covered, part.shape)):
                return _mask_problem(x, covered, part.shape)
            dims.append(Unknown(COUNT))
        elif isinstance(part, int) and isinstance(size := x.shape[axis], int) and not -size <= part < size:
            return _outside(x, part, axis, size)
        axis += _axes(part)
    return tuple(dims)


def _beyond(x: Tensor, key: Any, axis: int = 0) -> Mismatch | None:
    """`np.eye(9)[labels]` of labels that run from 0 to 9, as is known of them."""
    size = x.shape[axis] if isinstance(x.shape, tuple) and x.kind in ("numpy", "torch") else None
    held = plain(key)
    listed = isinstance(held, list) and bool(held) and all(type(item) is int for item in held)
    low, high = (min(held), max(held)) if listed else \
        (found.low, found.high) if isinstance(size, int) and (found := extremes(held)) is not None else (0, 0)
    if not isinstance(size, int) or -size <= low <= high < size or not size:
        return None
    if x.kind == "numpy" and isinstance(x.shape, tuple) and 0 in x.shape:
        return None  # NumPy of old takes any index where nothing is picked (numpy/core/src/multiarray/mapping.c)
    told = _outside(x, high if high >= size else low, axis, size)
    return told if axis else replace(told, otherwise=take(x, key, 0, "numpy", "indexing"))


def _beyond_axis(x: Tensor, key: tuple[Any, ...]) -> Mismatch | None:
    """`x[:, [0, 8]]` of 8 columns, where each index before it is one axis'."""
    for axis, item in enumerate(map(plain, key)):
        if not isinstance(item, slice | int | list):
            return None
        if isinstance(item, list) and (found := _beyond(x, item, axis)) is not None:
            return found
    return None


def _outside(x: Tensor, index: int, axis: int, size: int) -> Mismatch:
    """tensorflow/core/util/strided_slice_op.cc: ValidateStridedSliceOp; keras/src/ops/numpy.py: GetItem"""
    error = {"numpy": f'IndexError "index {index} is out of bounds for axis {axis} with size {size}"',
             "torch": f'IndexError "index {index} is out of bounds for dimension {axis} with size {size}"',
             "keras": f'ValueError "out-of-bounds index" or "slice index {index} of dimension {axis} out of bounds"'}
    either = f'InvalidArgumentError or ValueError "slice index {index} of dimension {axis} out of bounds"'
    return Mismatch(Problem.INDEX, f"index {index} along axis {axis} of {x}, whose extent there is {size}",
                    error=error.get(x.kind, either), facts=(("axis", axis), ("size", size), ("index", index)))


def _mask_problem(x: Tensor, covered: Shape, mask: Shape) -> Mismatch:
    return Mismatch(Problem.BROADCAST, f"boolean index {shown(mask)} does not fit {shown(covered)} of {x}",
                    error='IndexError "boolean index did not match indexed array" or ValueError',
                    facts=(("shapes", (covered, mask)),))


def sliced(size: Dim, part: slice) -> Dim:
    """Extent of a slice of an axis.

    >>> sliced(10, slice(2, None, 3)), sliced(FREE, slice(None, -1)), sliced(FREE, slice(None, None, -1))
    (3, Symbol(name='None'), Symbol(name='None'))
    """
    start, stop, step = part.start, part.stop, part.step
    if step == 0:
        return Unknown("slice step 0")
    if start in (None, 0) and stop is None and step in (None, 1, -1) and not (start == 0 and step == -1):
        return size
    if step in (None, 1) and (count := between(start, stop, size)) is not None:
        return count
    unknown = next((value for value in (size, start, stop, step) if isinstance(value, Unknown)), None)
    if type(unknown) is Drawn and start in (None, 0) and step in (None, 1) and isinstance(size, int):
        return unknown
    if unknown is not None:
        if unknown is size and step in (None, 1) and (part_of := window(start, stop, size)) is not None:
            return part_of
        return Unknown(unknown.why)  # another one: `x[:n]` and `x[n:]` are not as long as each other
    if any(isinstance(value, Symbol) for value in (size, start, stop, step)):
        return _free_slice(size, start, stop, step)
    return taken(part, size) if isinstance(size, int) else FREE


def _free_slice(size: Dim, start: Any, stop: Any, step: Any) -> Dim:
    """x[:0] is empty whatever the size; a slice of a free extent, or up to one, stays free."""
    if stop == 0 and (step is None or step == 1):
        return 0
    if start in (None, 0) and step in (None, 1) and isinstance(stop, Symbol) and stop == size:
        return size
    return FREE


def _advanced(x: Tensor, parts: Sequence[Any]) -> Outcome:
    """Integer arrays, with ints as scalars: broadcast together, in place if they are neighbours, else first."""
    assert isinstance(x.shape, tuple)
    if any(isinstance(part, Mask) for part in parts):
        return x.with_(shape=Unknown("a mask beside an index array"))
    joined: Shape | Unknown | None = ()
    places = [i for i, part in enumerate(parts) if isinstance(part, (int, Array))]
    for i in places:
        joined = None if joined is None else broadcast(joined, getattr(parts[i], "shape", ()))
    if joined is None or isinstance(joined, Unknown):
        return x.with_(shape=Unknown("index arrays"))
    dims: list[Dim] = []
    axis = before = 0
    for i, part in enumerate(parts):
        if i == places[0]:
            before = len(dims)
        if part is None:
            dims.append(1)
        elif isinstance(part, slice):
            dims.append(sliced(x.shape[axis], part))
        axis += _axes(part)
    if places != list(range(places[0], places[-1] + 1)):
        before = 0
    return x.with_(shape=(*dims[:before], *joined, *dims[before:]))


def _picked(content: Any, parts: Sequence[Any]) -> Any:
    """The known elements that a key of ints, known slices and None leaves, or None."""
    if content is None or not parts:
        return content
    part, rest = parts[0], parts[1:]
    if part is None:
        inner = _picked(content, rest)
        return None if inner is None else (inner,)
    if not isinstance(content, tuple) or isinstance(part, Mask):
        return None
    if isinstance(part, int):
        return _picked(content[part], rest) if -len(content) <= part < len(content) else None
    if not all(value is None or isinstance(value, int) for value in (part.start, part.stop, part.step)):
        return None
    items = tuple(_picked(item, rest) for item in content[part])
    return None if any(item is None for item in items) else items


def element(x: Tensor) -> Tensor:
    """Any one of `x`'s rows."""
    shape = x.shape[1:] if isinstance(x.shape, tuple) and x.shape else Unknown("row of an unknown tensor")
    return x.with_(shape=shape)


def iterate(x: Tensor) -> tuple[Tensor, ...] | Unknown:
    """The rows of `x`, if their number is known and not large.

    >>> [row.content for row in iterate(Tensor((2,), "int32", content=(3, 4)))]
    [3, 4]
    """
    if isinstance(x.shape, Unknown) or not x.shape:
        return Unknown("iteration over a tensor of unknown rank" if x.rank is None else "iteration over a scalar")
    count = x.shape[0]
    if not isinstance(count, int) or not 0 <= count <= MOST:
        return Unknown("iteration over many rows" if isinstance(count, int) else "an unknown number of rows")
    items = x.content if isinstance(x.content, tuple) and len(x.content) == count else (None,) * count
    return tuple(x.with_(shape=x.shape[1:], content=None if isinstance(item, Unknown) else item) for item in items)


@function("operator.getitem")
def operator_getitem(a: Any, b: Any) -> Outcome:
    if isinstance(a, Tensor) and a.kind == "numpy" and a.dtype == "string" and a.shape == ():
        return Unknown("a part of a text")  # numpy.str_ is a str
    return getitem(a, b) if isinstance(a, Tensor) else Unknown("indexing")


@function(*paths.ops("get_item"))
def keras_get_item(x: Any, key: Any) -> Outcome:
    tensor = as_tensor(x, "keras")
    return getitem(tensor, key) if isinstance(tensor, Tensor) else tensor

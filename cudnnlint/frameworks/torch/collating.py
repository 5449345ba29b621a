"""What a DataLoader asks of its dataset: a length, and rows of one size to stack where no collate_fn does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import DatasetBatched, Differing
from cudnnlint.frameworks.data.images import ImageV
from cudnnlint.frameworks.data.one_size import told_of_one_size
from cudnnlint.frameworks.torch.data import photos_of
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.incomplete import is_followed
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import MISSING, BoundV, FunctionV, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.bounds import bounds
from cudnnlint.values.dim import is_known
from cudnnlint.values.origins import TORCH_ROWS

BASE = "torch.utils.data.Dataset"
SEEN = 16
"""Rows whose numbers are looked at, besides the last one."""
TRIED = 8
"""Rows that are compared, where their sizes differ or are not known."""


def tell_of_no_length(c: Call, dataset: Any) -> bool:
    """torch/utils/data/sampler.py: RandomSampler.num_samples, SequentialSampler.__iter__"""
    if not isinstance(dataset, InstanceV) or dataset.cls.external_base() != BASE or c.machine.trying \
            or not is_followed(dataset, BASE) or method_of(dataset, "__len__") is not MISSING \
            or method_of(dataset, "__iter__") is not MISSING or method_of(dataset, "__getattr__") is not MISSING:
        return False
    name = dataset.cls.name
    return refuse(c.machine, c.span, Mismatch(
        Problem.INCOMPLETE, f"{name} has no method __len__(), which a DataLoader asks for",
        help="def __len__(self): ... says how many rows there are",
        error=f"TypeError \"object of type '{name}' has no len()\""), what="DataLoader")


def tell_of_unequal(c: Call, dataset: Any, size: Any, rows: Any, drops: Any) -> bool:
    """torch/utils/data/_utils/collate.py: default_collate, which stacks the rows of a batch."""
    m = c.machine
    several = is_known(size) and size > 1 and is_known(rows) and rows > 1
    if not several or not isinstance(dataset, InstanceV | ListV) or m.trying or m.handlers or m.uncalled:
        return False
    first: Any = None
    for place in range(min(rows, TRIED)):
        shapes = _shapes(_row(c, dataset, place))
        if shapes is None:
            return False
        if first is not None and (clash := _clash(first, shapes)) is not None:
            together = "in one batch" if place < size else "in batches of them"
            return refuse(m, c.span, Mismatch(
                Problem.MERGE, f"rows 0 and {place} have the sizes {list(clash[0])} and {list(clash[1])}, {together}",
                help="a collate_fn that pads them, with torch.nn.utils.rnn.pad_sequence()" if len(clash[0]) < 3 else
                "bring them to one size, with transforms.Resize((height, width)), or a collate_fn that pads them",
                error='RuntimeError "stack expects each tensor to be equal size"'), what="DataLoader")
        first = first or shapes
    return drops is False and _tell_of_end(c, dataset, size, rows)


def _tell_of_end(c: Call, dataset: Any, size: int, rows: int) -> bool:
    """`return self.series[i:i + self.window]` where `__len__()` gives len(self.series): slices at the end are short."""
    shuffled = plain(c.get(2, "shuffle", False))
    before = (rows - 1) // size * size  # the first of the last batch
    if not isinstance(shuffled, bool) or not isinstance(dataset, InstanceV) or not (shuffled or before < rows - 1):
        return False
    before = 0 if shuffled else before
    row = _row(c, dataset, rows - 1)
    if any(isinstance(part, Unknown) for part in _parts(row)):
        return False  # it may be one that the dataset cannot give at all, which is told instead
    first, last = _shapes(_row(c, dataset, before)), _shapes(row)
    clash = _clash(first, last) if first is not None and last is not None else None
    return clash is not None and refuse(c.machine, c.span, Mismatch(
        Problem.MERGE, f"rows {before} and {rows - 1} have the sizes {list(clash[0])} and {list(clash[1])}, in "
        f"{'batches of them' if shuffled else 'the last batch'}",
        help="a __len__() that counts the rows which are whole",
        error='RuntimeError "stack expects each tensor to be equal size"'), what="DataLoader")


def collate_first(c: Call, dataset: Any, collate: Any, size: Any, rows: Any) -> None:
    """The program's own collate_fn is followed for the first batch, where that is short and its rows are known."""
    m, found = c.machine, plain(collate)
    count = min(size, rows) if is_known(size) and is_known(rows) and size > 0 else 0
    if not isinstance(found, FunctionV | BoundV) or not 1 < count <= TRIED or m.trying or m.handlers or m.uncalled \
            or not isinstance(dataset, InstanceV | ListV):
        return
    batch = [_row(c, dataset, place) for place in range(count)]
    if all(_shapes(row) is not None or _is_plain(row) for row in batch):
        m.call(found, [ListV([wrap(row) for row in batch])], {}, c.node)


def _is_plain(row: Any) -> bool:
    """Whether it is made of numbers and texts, all of them known: `([4, 8, 1], "yes")`."""
    if isinstance(row, dict):
        return all(map(_is_plain, row.values()))
    return all(map(_is_plain, row)) if isinstance(row, list | tuple) else isinstance(row, int | float | str)


def with_numbers(c: Call, dataset: Any, row: Any, rows: Any) -> Any:
    """The row of a dataset whose numbers or texts hang on its index: what the first and the last rows hold is seen."""
    m = c.machine
    open_ = [key for key, part in _items(row) if _is_open(part)]
    if not open_ or not isinstance(dataset, InstanceV) or not is_known(rows) or rows < 1 or m.trying or m.handlers:
        return row
    first = dict(_items(_row(c, dataset, 0)))
    if not any(isinstance(first.get(key), str) or _number(c, [first.get(key)]) for key in open_):
        return row
    others = [dict(_items(_row(c, dataset, place))) for place in sorted({*range(1, min(rows, SEEN)), rows - 1})]
    found = {key: [one.get(key) for one in (first, *others)] for key in open_}
    made = {key: held[0] if all(isinstance(one, str) for one in held) else _number(c, held)
            for key, held in found.items()}
    changed = {key: made.get(key) or part for key, part in _items(row)}
    return changed if isinstance(row, dict) else type(row)(changed.values())


def _is_number(part: Tensor) -> bool:
    return part.shape == () and part.dtype == "int64" and part.kind == "torch"


def _is_open(part: Any) -> bool:
    return isinstance(part, Unknown) or (
        isinstance(part, Tensor) and (isinstance(part.shape, Unknown) or _is_number(part)) and bounds(part) is None)


def _items(row: Any) -> list[tuple[Any, Any]]:
    return list(row.items()) if isinstance(row, dict) else list(enumerate(row)) if isinstance(row, tuple | list) else []


def _number(c: Call, found: list[Any]) -> Tensor | None:
    """A whole number (torch/utils/data/_utils/collate.py: collate_int_fn)."""
    found = [one.content if isinstance(one, Tensor) and _is_number(one) else one for one in found]
    if not all(type(one) is int for one in found):
        return None
    return Tensor((), "int64", "torch", None, Step(c.span, (), TORCH_ROWS, ((min(found), max(found)), {})))


def tell_of_uncollatable(c: Call, element: Any) -> bool:
    """A picture in a row, or None beside something: a method that is yet to be written gives None alone
    (torch/utils/data/_utils/collate.py: default_collate_err_msg_format)."""
    m = c.machine
    parts = element.values() if isinstance(element, dict) else element if isinstance(element, tuple | list) \
        else (element,)
    pictures = any(isinstance(part, ImageV) for part in parts)
    lacking = element is not None and any(part is None for part in parts)
    if m.trying or m.handlers or m.uncalled or not (pictures or lacking):
        return False
    shown = "pictures" if pictures else "None"
    return refuse(m, c.span, Mismatch(
        Problem.UNEXPECTED, f"the rows of the dataset hold {shown}, of which no batch is made",
        help="transforms.ToTensor() as a step of the dataset's transform, or a collate_fn" if pictures else
        "a number or tensor in its place, or a collate_fn",
        error='TypeError "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found '
              f"<class '{'PIL.Image.Image' if pictures else 'NoneType'}'>\""), what="DataLoader")


def tell_of_photos(c: Call, dataset: Any, size: Any, rows: Any, drops: Any) -> bool:
    """Files of two sizes give rows of two sizes, which nothing stacks."""
    home = dataset.cls.module if isinstance(dataset, InstanceV) else None
    photos = photos_of(c, dataset)
    if photos is None or not is_known(size) or size < 2 or c.machine.trying or c.machine.handlers \
            or told_of_one_size(c.machine, home):
        return False
    shapes = [_shapes(row) for row in photos]
    clash = _clash(shapes[0], shapes[1]) if shapes[0] is not None and shapes[1] is not None else None
    if clash is None:
        return False
    c.machine.say(DatasetBatched, c.span, batch_size=size, rows=rows, drop_remainder=drops, library="torch",
                  differing=Differing(clash, "images as large as their files have them", c.span, seen=False))
    return True


def _row(c: Call, dataset: Any, place: int) -> Any:
    if isinstance(dataset, ListV):
        return strip(dataset.items[place])
    get = method_of(dataset, "__getitem__")
    m = c.machine
    expecting, m.expecting = m.expecting, m.expecting + 1
    try:
        return strip(m.call(get, [place], {}, c.node)) if get is not MISSING else Unknown("a row")
    finally:
        m.expecting = expecting


def _shapes(row: Any) -> tuple[Any, ...] | None:
    """The shapes of the tensors in a row, those that are known."""
    parts = list(_parts(row))
    if isinstance(row, Unknown) or not any(isinstance(part, Tensor) for part in parts):
        return None
    return tuple(part.shape if isinstance(part, Tensor) and isinstance(part.shape, tuple) else None for part in parts)


def _parts(row: Any) -> Iterator[Any]:
    """What is collated by itself: dicts and tuples are gone into, as default_collate does."""
    held = row.values() if isinstance(row, dict) else row if isinstance(row, tuple) else None
    if held is None:
        yield row
    else:
        for part in held:
            yield from _parts(part)


def _clash(first: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, Any] | None:
    for one, two in zip(first, other, strict=True) if len(first) == len(other) else ():
        if one is not None and two is not None and all(map(is_known, (*one, *two))) and one != two:
            return one, two
    return None


__all__ = ["collate_first", "tell_of_no_length", "tell_of_photos", "tell_of_uncollatable", "tell_of_unequal",
           "with_numbers"]

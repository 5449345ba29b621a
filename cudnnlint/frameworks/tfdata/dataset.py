"""The value of a tf.data pipeline: what one element looks like, how many there are, and whether they are batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, ClassVar

from cudnnlint.events import INFINITE, Data, tensors
from cudnnlint.frameworks.tfdata.refused import fractional
from cudnnlint.frameworks.training.feeding import split_element
from cudnnlint.frameworks.training.structure import over, resting
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.iterate import is_named_tuple
from cudnnlint.interp.join import join_tensors
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import MISSING, InstanceV, Record, record_type
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import BATCH, FREE, Step, Symbol, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.dim import Dim, is_known

NO_ELEMENT = Unknown("elements of a dataset")
UNKNOWN_COUNT = Unknown("number of elements")
SAME, ROWS_OPEN, VAGUE = "same", "rows open", "vague"
LISTED = 4
"""Datasets of at most this many elements are iterated one by one, longer ones by a typical element."""


LEFT_BEHIND = Unknown("an attribute of the dataset before")
"""In the place of what another object has."""


@record(frozen=True, slots=True)
class DatasetV:
    """A tf.data.Dataset; each transformation makes a new one.

    element      structure of Tensors (tuple, dict, Tensor; DatasetV for windows), or Unknown
    cardinality  number of elements: int, INFINITE or Unknown
    rows         number of samples in them: int, INFINITE or Unknown
    batched      True once batch() was called, False if it never was, Unknown where it cannot be told
    declared     whether TensorFlow itself knows the cardinality (`cardinality()` gives -2 otherwise), or Unknown
    extra        further attributes, e.g. class_names
    padded       where rows of different lengths were padded to the longest of their batch
    rest         (batches, rows in each but the last, rows in the last) as batch() made them, if the last has fewer
    batching     the call of batch() that made those
    """

    element: Any = NO_ELEMENT
    cardinality: Any = UNKNOWN_COUNT
    rows: Any = UNKNOWN_COUNT
    batched: Any = False
    batch_size: Dim | None = None
    declared: Any = True
    span: Span | None = field(default=None, compare=False)
    assumptions: Assumptions = NONE
    extra: tuple[tuple[str, Any], ...] = field(default=(), compare=False)
    padded: Span | None = field(default=None, compare=False)
    batching: Span | None = field(default=None, compare=False)
    rest: tuple[int, int, int] | None = None
    shuffled: Any = Unknown("the order of a dataset")
    """False for arrays that were never shuffled, True after shuffle()."""
    iterator: bool = False
    """Whether it is what iter() made of it."""
    spec: str = SAME
    """What `element_spec` has of the extents of `element`: all, all but the rows, or nobody knows which."""
    unranked: bool = False
    """Whether it has not even the number of axes: what from_generator() yields that is told dtypes alone."""

    path: ClassVar[str] = "tensorflow.data.Dataset"
    always_true: ClassVar[bool] = True

    def with_(self, **changes: Any) -> DatasetV:
        return replace(self, **changes)

    def sample(self, m: Machine) -> Any:
        """One element, as the program gets it."""
        return wrap(resting(self.element, self.assumptions))

    def kinds(self, m: Machine) -> list[Any]:
        """One element of each kind: of the full batches, and the last one if it has fewer rows."""
        if self.rest is None or not self.uneven:
            return [self.sample(m)]
        return [wrap(resting(full_batches(self.element, size), self.assumptions)) for size in self.rest[1:]]

    @property
    def uneven(self) -> bool:
        """Whether the batches are still those that batch() made, full ones and then one with fewer rows."""
        return self.rest is not None and self.rest[0] > 1 and (self.cardinality, self.batch_size) == self.rest[:2]

    def iterated(self, m: Machine) -> Any:
        if isinstance(self.cardinality, int) and self.cardinality <= LISTED and not self.assumptions:
            full, last = (*self.kinds(m), self.sample(m))[:2]
            return [full] * (self.cardinality - 1) + [last] if self.uneven else [full] * self.cardinality
        return Unknown("elements of a dataset")

    def as_iterator(self) -> DatasetV:
        return self.with_(iterator=True)

    def length(self, m: Machine) -> Any:
        """`len(dataset)`: raises where TensorFlow does not know the number, or where there is no end."""
        if not isinstance(self.cardinality, int) or self.declared is not True:
            return Unknown("length of a dataset")
        return assume(self.cardinality, self.assumptions)

    @property
    def unsized(self) -> str:
        """Why `len()` raises a TypeError; "" where it may give a number."""
        if self.declared is False:
            return "The dataset length is unknown."
        return "The dataset is infinite." if self.cardinality == INFINITE else ""

    def attribute(self, m: Machine, name: str) -> Any:
        found = dict(self.extra).get(name, MISSING)
        return MISSING if found is LEFT_BEHIND else found

    def without_extra(self) -> DatasetV:
        """What a method makes of it, which is another object."""
        return self.with_(extra=tuple((name, LEFT_BEHIND) for name, _ in self.extra)) if self.extra else self

    @property
    def left_behind(self) -> frozenset[str]:
        """Attributes that only the dataset had which this one was made of."""
        return frozenset(name for name, value in self.extra if value is LEFT_BEHIND)

    def fed(self, m: Machine) -> Data:
        """What fit() makes of it: each element is one batch."""
        element = resting(self.element, self.assumptions)
        last = self.rest[2] if self.rest is not None and self.uneven else Unknown("rows of the last batch")
        return split_element(element, kind="dataset", batches=self.cardinality, batched=self.batched, span=self.span,
                             shuffled=self.shuffled, padded=self.padded, full=self.first_batch, last=last,
                             batching=self.batching)

    @property
    def first_batch(self) -> Dim:
        """Rows of the first batch, as far as batch() says them."""
        size = Unknown("batch size") if self.batch_size is None else self.batch_size
        return min(size, self.rows) if is_known(size) and is_known(self.rows) else size

    @property
    def spec_inside(self) -> str:
        """How much TensorFlow knows of what is computed from an element: rows that batch() left open are open in it."""
        if self.spec != ROWS_OPEN:
            return self.spec
        first = [item.shape[0] for item in tensors(self.element) if isinstance(item.shape, tuple) and item.shape]
        return SAME if first and all(isinstance(dim, Symbol) for dim in first) else VAGUE

    def join_with(self, other: Any) -> Any:
        """What holds whichever of the two it is."""
        if not isinstance(other, DatasetV):
            return Unknown("differs between paths")
        return DatasetV(
            joined(self.element, other.element), _same(self.cardinality, other.cardinality),
            _same(self.rows, other.rows), _same(self.batched, other.batched), _same(self.batch_size, other.batch_size),
            _same(self.declared, other.declared), self.span, self.assumptions | other.assumptions,
            self.extra if self.extra == other.extra else (), shuffled=_same(self.shuffled, other.shuffled),
            iterator=self.iterator or other.iterator,
            spec=self.spec if self.spec == other.spec else VAGUE)


def _same(a: Any, b: Any) -> Any:
    return a if type(a) is type(b) and a == b else Unknown("differs between paths")


def joined(a: Any, b: Any, tensor: Callable[[Tensor, Tensor], Any] = join_tensors) -> Any:
    """Two structures as one: `tensor` combines their leaves; Unknown where they differ in kind."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return tensor(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        both = (joined(x, y, tensor) for x, y in zip(a, b, strict=True))
        return type(a)(both) if isinstance(a, Record) and type(a) is type(b) else tuple(both)
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return {key: joined(a[key], b[key], tensor) for key in a}
    if isinstance(a, DatasetV):
        return a.join_with(b)
    return None if a is None and b is None else Unknown("differs between paths")


def as_element(value: Any, span: Span, *, top: bool = True) -> Any:
    """What a program hands to tf.data as tensors: numbers and lists converted, NumPy arrays become tf tensors.

    A list is stacked into one tensor; returned by a function (`top`), it counts as a tuple
    (tensorflow/python/data/ops/structured_function.py: _should_pack).
    """
    if isinstance(value, Tensor):
        return value if value.kind == "tf" else Tensor(value.shape, value.dtype, "tf", value.content, value.step,
                                                       value.assumptions)
    if isinstance(value, InstanceV) and value.cls.fields is not None and is_named_tuple(value.cls):
        value = record_type(value.cls)(strip(value.items.get(name, Unknown(name))) for name in value.cls.fields)
    if isinstance(value, Record):
        return type(value)(as_element(item, span, top=False) for item in value)
    if isinstance(value, tuple) or (top and isinstance(value, list)):
        return tuple(as_element(item, span, top=False) for item in value)
    if isinstance(value, dict):
        return {key: as_element(item, span, top=False) for key, item in value.items()}
    if isinstance(value, list | bool | int | float | str | bytes):
        made = as_tensor(value, "tf")
        if isinstance(made, Unknown):
            return made
        return Tensor(made.shape, made.dtype, "tf", made.content, Step(span, tensors(value)), made.assumptions)
    if isinstance(array := getattr(value, "as_array", None), Tensor):  # a table or column of pandas
        return as_element(array, span)
    return value if value is None or isinstance(value, Unknown | DatasetV) else Unknown("an element that is no tensor")


def opened(value: Any) -> Any:
    """The structure with its batch axes as free as any other: `(B, 28) -> (None, 28)`."""

    def leaf(item: Any) -> Any:
        if isinstance(item, Tensor) and isinstance(item.shape, tuple):
            return item.with_(shape=tuple(FREE if isinstance(dim, Symbol) else dim for dim in item.shape))
        return item

    return over(value, leaf)


def stacked(value: Any, extent: Dim, span: Span) -> Any:
    """The structure with a new first axis: `(28, 28) -> (extent, 28, 28)`; an inner batch axis is just free."""

    def leaf(item: Any) -> Any:
        if isinstance(item, Tensor) and isinstance(item.shape, tuple):
            return item.with_(shape=(extent, *opened(item).shape), kind="tf", step=Step(span, (item,)))
        return Unknown("batches of datasets") if isinstance(item, DatasetV) else item

    return over(value, leaf)


def rows_off(value: Any, span: Span) -> Any:
    """The structure without its first axis: `(60000, 28, 28) -> (28, 28)`."""

    def leaf(item: Any) -> Any:
        if isinstance(item, Tensor):
            if not isinstance(item.shape, tuple):
                return item.with_(kind="tf")
            if not item.shape:
                return Unknown("a scalar has no rows")
            return item.with_(shape=item.shape[1:], kind="tf", step=Step(span, (item,)))
        return item

    return over(value, leaf)


def full_batches(value: Any, size: Dim) -> Any:
    """The structure where every batch is known to be full: the open batch axis becomes `size`."""

    def leaf(item: Any) -> Any:
        if isinstance(item, Tensor) and isinstance(item.shape, tuple) and item.shape and item.shape[0] == BATCH:
            return item.with_(shape=(size, *item.shape[1:]))
        return item

    return over(value, leaf)


def called_as(c: Call) -> str:
    """The path under which the callee was found, of a function or a method."""
    callee = plain(c.callee)
    path = getattr(callee, "path", None) or getattr(callee, "name", "")
    return path if isinstance(path, str) else ""


class Given:
    """The arguments of one call as plain values, and the assumptions that they rest on.

    The receiver comes first when a method is called on its class: `tf.data.Dataset.batch(ds, 32)`.
    """

    def __init__(self, c: Call, *, method: bool = True) -> None:
        self.call = c
        self.found: set[Any] = set()
        args = list(c.args)
        receiver = c.receiver
        if method and receiver is None and args:
            receiver = args.pop(0)
        self.receiver = plain(receiver)
        self.args, self.kwargs = args, c.kwargs

    @property
    def dataset(self) -> DatasetV | Unknown:
        value = self.receiver
        return value if isinstance(value, DatasetV | Unknown) else Unknown("not a dataset")

    def get(self, position: int, name: str, default: Any = None) -> Any:
        """One argument, without its assumptions, which are kept."""
        if position < len(self.args):
            value = self.args[position]
        else:
            open_ended = Unknown(f"argument {name}") if "**" in self.kwargs else default
            value = self.kwargs.get(name, open_ended)
        return strip(value, self.found)

    def number(self, position: int, name: str, default: Any = None) -> Any:
        """An int, None, or Unknown."""
        value = self.get(position, name, default)
        if isinstance(value, Tensor):
            value = value.content
        if isinstance(value, float | str):
            fractional(self.call, name, value, self.taken)
            value = int(value) if isinstance(value, float) and value.is_integer() else value
        return value if value is None or isinstance(value, bool) or is_known(value) else Unknown(f"argument {name}")

    @property
    def taken(self) -> Assumptions:
        return frozenset(self.found)


__all__ = ["ROWS_OPEN", "SAME", "VAGUE", "DatasetV", "Given", "as_element", "called_as", "full_batches", "joined",
           "opened", "rows_off", "stacked"]

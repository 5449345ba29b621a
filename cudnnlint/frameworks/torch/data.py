"""torch.utils.data: TensorDataset, DataLoader, random_split, and the batches that a loop over a loader meets."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.frameworks.torch.collating import collate_first, tell_of_no_length, tell_of_unequal
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.sampling import tell_of_exclusive
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.join import is_number
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.histories import LOADER
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Dim, Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.dim import is_known, meet
from cudnnlint.values.unknown import RowIndex

LISTED = 8
"""Batches that a loop meets one by one."""


@record(frozen=True, slots=True)
class TensorsV:
    """A dataset of rows: `element` is one of them (a structure of Tensors, or Unknown)."""

    element: Any
    rows: Any
    span: Span
    path: str = "torch.utils.data.TensorDataset"

    always_true = True

    def length(self, m: Machine) -> Any:
        return self.rows

    def item(self, m: Machine, key: Any, node: ast.AST) -> Any:
        return wrap(self.element)

    def iterated(self, m: Machine) -> Any:
        return Unknown("rows of a dataset")

    def sample(self, m: Machine) -> Any:
        return wrap(self.element)


def rows_of(tensor: Any) -> Any:
    return tensor.shape[0] if isinstance(tensor, Tensor) and isinstance(tensor.shape, tuple) and tensor.shape \
        else Unknown("rows")


def row_of(tensor: Any, span: Span) -> Any:
    if not isinstance(tensor, Tensor):
        return Unknown("a row")
    shape = tensor.shape[1:] if isinstance(tensor.shape, tuple) else tensor.shape
    return Tensor(shape, tensor.dtype, "torch", None, Step(span, (tensor,)) if tensor.step else None,
                  tensor.assumptions)


@FRAMEWORK.on("torch.utils.data.TensorDataset")
def tensor_dataset(c: Call) -> Any:
    """Rows of several tensors, which have equally many."""
    parts = [strip(arg) for arg in c.args]
    rows: Any = Unknown("rows")
    for part in parts:
        here = rows_of(part)
        if is_known(here) and is_known(rows) and here != rows:
            refuse(c.machine, c.span, Mismatch(
                Problem.MERGE, f"TensorDataset of tensors with {rows} and {here} rows",
                help="give every tensor the same number of rows",
                error='AssertionError "Size mismatch between tensors"'), what="TensorDataset",
                about=[each for each in parts if isinstance(each, Tensor)])
            return Unknown("tensors of different lengths")
        rows = meet(rows, here) if is_known(here) or is_known(rows) else here
    return TensorsV(tuple(row_of(part, c.span) for part in parts), rows, c.span)


@record(frozen=True, slots=True)
class LoaderV:
    """A DataLoader: batches of `size` rows of `element`, the last one of what is left unless `drops`."""

    element: Any
    rows: Any
    size: Any
    drops: Any
    span: Span
    dataset: Any = None
    assumptions: Assumptions = NONE
    path: str = "torch.utils.data.DataLoader"

    always_true = True

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "dataset":
            return self.dataset
        return self.size if name == "batch_size" else MISSING

    def batches(self) -> Any:
        if not is_known(self.rows) or not is_known(self.size) or self.size <= 0 or not isinstance(self.drops, bool):
            return Unknown("number of batches")
        return self.rows // self.size if self.drops else -(-self.rows // self.size)

    @property
    def cardinality(self) -> Any:
        return self.batches()

    def length(self, m: Machine) -> Any:
        return assume(self.batches(), self.assumptions)

    def remainder(self) -> Any:
        """Rows of a last batch that is smaller; 0 if there is none."""
        if self.drops is True:
            return 0
        known = is_known(self.rows) and is_known(self.size) and self.size > 0 and self.drops is False
        return self.rows % self.size if known else Unknown("rows left over")

    def batch(self, rows: Dim) -> Any:
        def stacked(value: Any) -> Any:
            if isinstance(value, Tensor):
                shape = (rows, *value.shape) if isinstance(value.shape, tuple) else value.shape
                parents = (value,) if value.step is not None else ()
                return Tensor(shape, value.dtype, "torch", None, Step(self.span, parents, LOADER),
                              value.assumptions | self.assumptions)
            if isinstance(value, tuple):
                return [stacked(item) for item in value]
            if isinstance(value, list):
                return [stacked(item) for item in value]
            if isinstance(value, dict):
                return {key: stacked(item) for key, item in value.items()}
            if isinstance(value, bool) or not is_number(value):
                return value if isinstance(value, Unknown) else Unknown("an element of a batch")
            dtype = {int: "int64", float: "float64"}.get(type(value), Unknown("dtype of a number"))
            return Tensor((rows,), dtype, "torch", None, Step(self.span, (), LOADER), self.assumptions)

        return wrap(stacked(self.element))

    def kinds(self, m: Machine) -> list[Any]:
        """The full batches, and the last one if it has fewer rows."""
        if not is_known(self.size) or self.size <= 0:
            return [self.batch(Unknown("batch_size") if isinstance(self.size, Unknown) else BATCH)]
        left = self.remainder()
        if isinstance(left, Unknown):
            return [self.batch(BATCH)]
        full = is_known(self.rows) and self.rows < self.size
        kinds = [] if full else [self.batch(self.size)]
        return [*kinds, self.batch(left)] if left else kinds or [self.batch(BATCH)]

    def sample(self, m: Machine) -> Any:
        kinds = self.kinds(m)
        return kinds[0] if len(kinds) == 1 else self.batch(BATCH)

    def iterated(self, m: Machine) -> Sequence[Any] | Unknown:
        count = self.batches()
        if not is_known(count) or count > LISTED or self.assumptions:
            return Unknown("batches of a loader")
        left = self.remainder()
        whole = count - 1 if left else count
        return [self.batch(self.size) for _ in range(whole)] + ([self.batch(left)] if left else [])


@FRAMEWORK.on("torch.utils.data.DataLoader")
def data_loader(c: Call) -> Any:
    found: set[Any] = set()
    size = strip(c.get(1, "batch_size", 1), found)
    dataset = plain(c.get(0, "dataset"))
    tell_of_exclusive(c)
    picked = any(plain(c.kwargs.get(name)) is not None for name in ("sampler", "batch_sampler"))
    drops = strip(c.kwargs.get("drop_last", c.args[8] if len(c.args) > 8 else False), found)
    element, rows = described(c, dataset, picked)
    collated = "**" in c.kwargs or len(c.args) > 5 or any(
        plain(c.kwargs.get(name)) is not None for name in ("collate_fn", "batch_sampler"))
    if not picked and not tell_of_no_length(c, dataset) and not collated and _varies(element):
        tell_of_unequal(c, dataset, size, rows)
    if not picked and "**" not in c.kwargs:
        collate_first(c, dataset, c.get(6, "collate_fn"), size, rows)
    if any(plain(c.kwargs.get(name)) is not None for name in ("collate_fn", "batch_sampler")) or size is None:
        element = Unknown("batches that a function makes")
    if picked or "**" in c.kwargs or "*" in c.kwargs:
        rows = Unknown("rows that a sampler picks")
        drops = Unknown("drop_last") if "**" in c.kwargs else drops
    if "**" in c.kwargs:
        size = size if "batch_size" in c.kwargs or len(c.args) > 1 else Unknown("batch_size")
        element = Unknown("batches of a loader")
    taken = frozenset(found) | c.machine.frame.control
    return LoaderV(element, rows, size, drops if isinstance(drops, bool) else Unknown("drop_last"), c.span,
                   c.get(0, "dataset"), taken)


def _varies(element: Any) -> bool:
    """Whether something of a row is not known that may be its size."""
    parts = list(element.values()) if isinstance(element, dict) else element if isinstance(element, tuple) \
        else [element]
    return isinstance(element, Unknown) or any(
        isinstance(part, Unknown) or (isinstance(part, Tensor) and not (
            isinstance(part.shape, tuple) and all(map(is_known, part.shape)))) for part in parts)


def described(c: Call, dataset: Any, picked: bool = False) -> tuple[Any, Any]:
    """(one row, how many) of a dataset; of one of the user's classes by its methods.

    picked  a sampler of the user's gives the indices, which are numbers otherwise
    """
    if isinstance(dataset, TensorsV):
        return dataset.element, dataset.rows
    if isinstance(dataset, Tensor):
        return row_of(dataset, c.span), rows_of(dataset)
    if isinstance(dataset, InstanceV):
        return _own(c, dataset, picked)
    if isinstance(dataset, ListV):
        found = elements(c.machine, dataset)
        if not isinstance(found, Unknown) and found:
            return strip(found[0]) if len(found) == 1 else Unknown("rows of a list"), len(found)
    return Unknown("rows of a dataset that is not known"), Unknown("rows")


def _own(c: Call, dataset: InstanceV, picked: bool) -> tuple[Any, Any]:
    m = c.machine
    get, count = method_of(dataset, "__getitem__"), method_of(dataset, "__len__")
    expecting, m.expecting = m.expecting, m.expecting + 1  # nothing is told of an index that nobody gave
    try:
        rows = plain(m.call(count, [], {}, c.node)) if count is not MISSING else Unknown("rows")
        index = Unknown("index") if picked else RowIndex("index", number=True, rows=rows)
        row = strip(m.call(get, [index], {}, c.node)) if get is not MISSING else Unknown("a row")
    finally:
        m.expecting = expecting
    return _as_torch(row), rows if is_known(rows) else Unknown("rows")


def _as_torch(row: Any) -> Any:
    """default_collate makes tensors of arrays."""
    if isinstance(row, Tensor):
        return row.with_(kind="torch", step=row.step)
    if isinstance(row, tuple):
        return tuple(map(_as_torch, row))
    if isinstance(row, list):
        return [_as_torch(item) for item in row]
    if isinstance(row, dict):
        return {key: _as_torch(item) for key, item in row.items()}
    return row


@FRAMEWORK.on("torch.utils.data.random_split")
def random_split(c: Call) -> Any:
    """Parts of a dataset: of given lengths, or by fractions."""
    dataset, lengths = plain(c.get(0, "dataset")), elements(c.machine, c.get(1, "lengths"))
    element, rows = described(c, dataset)
    if isinstance(lengths, Unknown):
        return lengths
    sizes = [plain(one) for one in lengths]
    if is_known(rows) and sizes and all(type(one) is int for one in sizes) and sum(sizes) != rows:
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"lengths {sizes} add up to {sum(sizes)}, the dataset has {rows} rows",
            help=f"the last length is what is left, {rows - sum(sizes[:-1])}", argument="lengths",
            error='ValueError "Sum of input lengths does not equal the length of the input dataset!"'),
            what="random_split")
    if not all(is_known(one) for one in sizes):
        sizes = _shares(sizes, rows)
    return ListV([TensorsV(element, one, c.span, "torch.utils.data.Subset") for one in sizes])


def _shares(shares: list[Any], rows: Any) -> list[Any]:
    """floor(rows * share), what is left goes round robin to the first ones (torch/utils/data/dataset.py)."""
    if not is_known(rows) or not all(isinstance(one, float) for one in shares) or abs(sum(shares) - 1) > 1e-6:
        return [Unknown("rows of a part")] * len(shares)
    sizes = [int(rows * one) for one in shares]
    for place in range(rows - sum(sizes)):
        sizes[place % len(sizes)] += 1
    return sizes


@FRAMEWORK.on("torch.utils.data.Subset")
def subset(c: Call) -> Any:
    element, _ = described(c, plain(c.get(0, "dataset")))
    chosen = elements(c.machine, c.get(1, "indices"))
    return TensorsV(element, Unknown("rows") if isinstance(chosen, Unknown) else len(chosen), c.span,
                    "torch.utils.data.Subset")

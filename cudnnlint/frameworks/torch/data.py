"""torch.utils.data: TensorDataset, random_split, Subset, and what a row of a dataset is."""

from __future__ import annotations

import ast
from dataclasses import field
from typing import Any

from cudnnlint.frameworks.data.pictures import PRETENDED
from cudnnlint.frameworks.tfdata.differing import SIZES
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import ListV, Raised
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.lists import join_given
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.lengths import tell_of_fraction
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.several import read_of
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known, meet
from cudnnlint.values.unknown import RowIndex

SUBSET, TENSORS = "torch.utils.data.Subset", "torch.utils.data.TensorDataset"
CONCATENATED, MOST = "torch.utils.data.ConcatDataset", 64
REPLACED = "transforms replaced"
"""Among the notes of a machine: the datasets that were given another transform since they were made."""
RELABELLED = "rows replaced"
"""The same: those that were given other rows or labels."""


@record(frozen=True, slots=True)
class TensorsV:
    """A dataset of rows: `element` is one of them (a structure of Tensors, or Unknown).

    photos  the element for files of two sizes, where it is made of files
    told    what comes to light as a row is made, which is told once one is asked for
    whole   of a part of another dataset, that one; of several, one after the other, a tuple of these
    """

    element: Any
    rows: Any
    span: Span
    path: str = TENSORS
    photos: tuple[Any, Any] | None = None
    told: tuple[Any, ...] = field(default=(), compare=False)
    whole: Any = field(default=None, compare=False, repr=False)

    always_true = True

    def attribute(self, m: Machine, name: str) -> Any:
        if isinstance(self.whole, tuple):
            return ListV(list(self.whole)) if name == "datasets" else MISSING
        if name != "dataset" or self.whole is None:
            return MISSING
        if isinstance(self.whole, InstanceV):  # whose rows were made before what is set there
            m.notes.setdefault(REPLACED, {})[self.span] = True
        return self.whole

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        """`data.transform = ...`: its rows are made by another one from now on, and so are those of its parts;
        `data.targets = ...`: they have other labels, and may be fewer.
        """
        if name in ("transform", "transforms"):
            m.notes.setdefault(REPLACED, {})[self.span] = True
        elif name in ("data", "targets", "labels"):
            m.notes.setdefault(RELABELLED, {})[self.span] = True

    def replaced(self, m: Machine, what: str = REPLACED) -> bool:
        whole = self
        while isinstance(whole.whole, TensorsV):
            whole = whole.whole
        parts = whole.whole if isinstance(whole.whole, tuple) else ()
        return whole.span in m.notes.get(what, ()) or any(
            isinstance(part, TensorsV) and part.replaced(m, what) for part in parts)

    def length(self, m: Machine) -> Any:
        return Unknown("rows of a dataset that were replaced") if self.replaced(m, RELABELLED) else self.rows

    def item(self, m: Machine, key: Any, node: ast.AST) -> Any:
        """By a number one row; a part of tensors is tensors of as many rows, one of objects is what these say."""
        row, index = self.asked(m), strip(key)
        if isinstance(index, int) or (isinstance(index, Unknown) and index.number):
            return wrap(row)
        innermost: Any = self
        while isinstance(innermost, TensorsV) and innermost.whole is not None:
            innermost = innermost.whole
        if not isinstance(index, slice) or getattr(innermost, "path", "") != TENSORS or not isinstance(row, tuple):
            return Unknown("rows of a dataset") if isinstance(index, slice | list) else wrap(row)
        return wrap(tuple(one.with_(shape=(Unknown("rows of a part"), *one.shape)) if isinstance(one, Tensor)
                          and isinstance(one.shape, tuple) else Unknown("rows of a part") for one in row))

    def iterated(self, m: Machine) -> Any:
        return Unknown("rows of a dataset")

    def sample(self, m: Machine) -> Any:
        return wrap(self.asked(m))

    def asked(self, m: Machine) -> Any:
        """The element, as a row is made of it: its transform is run, which tells what it refuses."""
        if self.replaced(m):
            return Unknown("a row of a dataset whose transform was replaced")
        asked: dict[Span, bool] = m.notes.setdefault("rows made", {})
        if self.told and not asked.setdefault(self.span, False):
            asked[self.span] = True
            for event in self.told:
                m.emit(event)
        return _relabelled(self.element, self.span) if self.replaced(m, RELABELLED) else self.element


def _relabelled(element: Any, span: Span) -> Any:
    """A picture and its label, of which nothing is known but that it is one."""
    if not isinstance(element, tuple) or len(element) != 2 or not isinstance(element[1], Tensor):
        return Unknown("a row of a dataset whose labels were replaced")
    return element[0], element[1].with_(step=Step(span))


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
    array = next((part for part in parts if isinstance(part, Tensor) and part.kind == "numpy"), None)
    if array is not None and is_meant(c.machine) and not c.machine.uncalled:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"TensorDataset is given the array {array} of NumPy, not a tensor",
            help="torch.from_numpy(x) makes a tensor of it", error='TypeError "\'int\' object is not callable"',
            facts=(("moment", "when it is made"),)), what="TensorDataset", about=(array,))
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


def described(c: Call, dataset: Any, picked: bool = False) -> tuple[Any, Any]:
    """(one row, how many) of a dataset; of one of the user's classes by its methods.

    picked  a sampler of the user's gives the indices, which are numbers otherwise
    """
    if isinstance(dataset, TensorsV):
        return dataset.asked(c.machine), dataset.rows
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
    rows = plain(m.call(count, [], {}, c.node)) if count is not MISSING else Unknown("rows")
    if not is_known(rows):
        tell_of_fraction(m, dataset, rows, c.span)
    expecting, m.expecting = m.expecting, m.expecting + (picked or not rows)  # of an index that nobody gives
    try:
        index = Unknown("index") if picked else RowIndex("index", number=True, rows=rows)
        row = strip(read_of(m.call(get, [index], {}, c.node))) if get is not MISSING else Unknown("a row")
    finally:
        m.expecting = expecting
    return row, rows if is_known(rows) else Unknown("rows")


SHARED = 1e-6
"""By how much shares of a dataset may miss 1."""


@FRAMEWORK.on("torch.utils.data.random_split")
def random_split(c: Call) -> Any:
    """Parts of a dataset: of given lengths, or by fractions."""
    dataset, given = plain(c.get(0, "dataset")), plain(c.get(1, "lengths"))
    if type(given) in (int, float) and is_meant(c.machine) and not c.machine.uncalled:
        rest = f"{1 - given:g}" if isinstance(given, float) else f"len(dataset) - {given}"
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"random_split is given {given}, not the lengths of the parts",
            argument="lengths", help=f"[{given}, {rest}]",
            error=f"TypeError \"'{type(given).__name__}' object is not iterable\""), what="random_split")
    lengths = elements(c.machine, c.get(1, "lengths"))
    element, rows = described(c, dataset)
    if isinstance(lengths, Unknown):
        return lengths
    sizes = [plain(one) for one in lengths]
    if sizes and all(type(one) in (int, float) for one in sizes) and abs(sum(sizes) - 1) > SHARED \
            and (sum(sizes) < 1 or all(one < 1 for one in sizes)) and is_meant(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"shares {sizes} add up to {sum(sizes):g}, not to 1", argument="lengths",
            help="the last share is what the others leave of 1",
            error='ValueError "Sum of input lengths does not equal the length of the input dataset!"'),
            what="random_split")
    elif is_known(rows) and sizes and all(type(one) is int for one in sizes) and sum(sizes) != rows:
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"lengths {sizes} add up to {sum(sizes)}, the dataset has {rows} rows",
            help=f"the last length is what is left, {rows - sum(sizes[:-1])}", argument="lengths",
            error='ValueError "Sum of input lengths does not equal the length of the input dataset!"'),
            what="random_split")
    if not all(is_known(one) for one in sizes):
        sizes = _shares(sizes, rows)
    return ListV([TensorsV(element, one, c.span, SUBSET, photos_of(c, dataset), whole=dataset) for one in sizes])


def _shares(shares: list[Any], rows: Any) -> list[Any]:
    """floor(rows * share), what is left goes round robin to the first ones (torch/utils/data/dataset.py)."""
    if not is_known(rows) or not all(isinstance(one, float) for one in shares) or abs(sum(shares) - 1) > SHARED:
        return [Unknown("rows of a part")] * len(shares)
    sizes = [int(rows * one) for one in shares]
    for place in range(rows - sum(sizes)):
        sizes[place % len(sizes)] += 1
    return sizes


@FRAMEWORK.on("torch.utils.data.ConcatDataset")
def concatenated(c: Call) -> Any:
    """The rows of one dataset after those of another: what their rows have in common is known of each
    (torch/utils/data/dataset.py: ConcatDataset)."""
    given = elements(c.machine, c.get(0, "datasets"))
    parts = () if isinstance(given, Unknown) else tuple(map(plain, given))
    if not 0 < len(parts) <= MOST or not all(isinstance(one, TensorsV | InstanceV) for one in parts):
        return Unknown("datasets one after the other")
    found = [described(c, one) for one in parts]
    rows: Any = sum(count for _, count in found) if all(is_known(count) for _, count in found) else Unknown("rows")
    row = strip(join_given([wrap(one) for one, _ in found]))
    return TensorsV(row, rows, c.span, CONCATENATED, whole=parts)


@FRAMEWORK.on("torch.utils.data.Subset")
def subset(c: Call) -> Any:
    dataset = plain(c.get(0, "dataset"))
    element, _ = described(c, dataset)
    chosen = elements(c.machine, c.get(1, "indices"))
    _tell_of_beyond(c, dataset, chosen)
    return TensorsV(element, Unknown("rows") if isinstance(chosen, Unknown) else len(chosen), c.span, SUBSET,
                    photos_of(c, dataset), whole=dataset)


def _tell_of_beyond(c: Call, dataset: Any, chosen: Any) -> None:
    """`Subset(data, range(80, 120))` of 100 rows: nobody looks before a row is read (torch/utils/data/dataset.py:
    Subset.__getitem__)."""
    rows = dataset.rows if isinstance(dataset, TensorsV) and not dataset.replaced(c.machine) \
        and not dataset.replaced(c.machine, RELABELLED) else None
    if not isinstance(rows, int) or isinstance(chosen, Unknown) or not is_certain(c.machine):
        return
    beyond = next((index for index in map(strip, chosen) if type(index) is int and not -rows <= index < rows), None)
    if beyond is not None:
        refuse(c.machine, c.span, Mismatch(
            Problem.INDEX, f"index {beyond} of a dataset of {rows} rows",
            error='IndexError "index ... is out of bounds" or "list index out of range"',
            facts=(("size", rows), ("index", beyond), ("moment", "when that row is read"))), what="Subset",
            stage="call")


def photos_of(c: Call, dataset: Any) -> tuple[Any, Any] | None:
    """A row for files of two sizes; None of what reads no pictures."""
    if isinstance(dataset, TensorsV):
        return None if dataset.replaced(c.machine) else dataset.photos
    if not isinstance(dataset, InstanceV):
        return None
    m, made = c.machine, list[Any]()
    emit, before, m.emit = m.emit, m.state.get(PRETENDED), lambda event: None
    try:
        for size in SIZES:
            m.state[PRETENDED] = size
            made.append(_own(c, dataset, picked=True)[0])
    except Raised:
        return None
    finally:
        m.emit, m.state[PRETENDED] = emit, before
    return made[0], made[1]

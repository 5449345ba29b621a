"""torch.utils.data.DataLoader, and the batches that a loop over it meets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.events import DatasetBatched
from cudnnlint.frameworks.torch.collated import Collated, collated
from cudnnlint.frameworks.torch.collating import (
    collate_first,
    tell_of_no_length,
    tell_of_photos,
    tell_of_uncollatable,
    tell_of_unequal,
    with_numbers,
)
from cudnnlint.frameworks.torch.data import described
from cudnnlint.frameworks.torch.last_rows import tell_of_last
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.sampling import tell_of_exclusive, tell_of_no_rows, tell_of_size
from cudnnlint.frameworks.torch.worker_processes import note_gpu_in_workers
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.join import is_number
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.histories import LOADER
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Dim, Step, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.dim import is_known
from cudnnlint.values.origins import OF_TEXTS

LISTED = 8
"""Batches that a loop meets one by one."""
TEXTS = 1024
"""Rows of a batch of texts, which is a tuple of them."""


@record(frozen=True, slots=True)
class LoaderV:
    """A DataLoader: batches of `size` rows of `element`, the last one of what is left unless `drops`.

    collated  what the program's own collate_fn makes of rows, where it has one
    iterator  whether it is the one that iter() makes
    """

    element: Any
    rows: Any
    size: Any
    drops: Any
    span: Span
    dataset: Any = None
    assumptions: Assumptions = NONE
    collated: Collated | None = None
    path: str = "torch.utils.data.DataLoader"
    iterator: bool = False

    always_true = True

    def as_iterator(self) -> LoaderV:
        return replace(self, iterator=True)

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
            if isinstance(value, str) and isinstance(rows, int) and rows <= TEXTS:
                return (Unknown(OF_TEXTS),) * rows  # torch/utils/data/_utils/collate.py: collate_str_fn
            if isinstance(value, bool) or not is_number(value):
                return Unknown(value.why if isinstance(value, Unknown) else "an element of a batch")
            dtype = {int: "int64", float: "float64"}.get(type(value), Unknown("dtype of a number"))
            return Tensor((rows,), dtype, "torch", None, Step(self.span, (), LOADER), self.assumptions)

        return wrap(stacked(self.element) if self.collated is None else self.collated.batch(
            rows, Step(self.span, (), LOADER), self.assumptions))

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
    tell_of_size(c, size)
    if isinstance(size, int) and size <= 0:
        c.machine.say(DatasetBatched, c.span, assumptions=frozenset(found), batch_size=size, rows=Unknown("rows"),
                      drop_remainder=Unknown("drop_last"), library="torch")
        return Unknown("a loader of no rows")
    open_ = "**" in c.kwargs or "*" in c.kwargs
    own_batches = "**" in c.kwargs or _is_given(c, 4, "batch_sampler")
    picked = _is_given(c, 3, "sampler") or own_batches
    drops = strip(c.get(8, "drop_last", False), found)
    drops = drops if isinstance(drops, bool) and "**" not in c.kwargs else Unknown("drop_last")
    element, rows = described(c, dataset, picked)
    element = element if picked else with_numbers(c, dataset, element, rows)
    collate = c.get(6, "collate_fn")
    own = _is_given(c, 6, "collate_fn")
    if not picked and not tell_of_no_length(c, dataset) and not own and not open_ and size is not None:
        _ = tell_of_uncollatable(c, element) or (_varies(element) and (
            tell_of_unequal(c, dataset, size, rows, drops)
            or tell_of_photos(c, dataset, size, rows, drops)))
    if not picked and not open_:
        tell_of_no_rows(c, rows)
        collate_first(c, dataset, collate, size, rows)
        if drops is False:
            tell_of_last(c, dataset, rows)
    made = collated(c, collate, element) if own and not open_ and size is not None else None
    note_gpu_in_workers(c, element, made)
    if "**" in c.kwargs:
        size = size if "batch_size" in c.kwargs or len(c.args) > 1 else Unknown("batch_size")
    if size is None or own_batches or (own and made is None):
        element, made = Unknown("batches that a function makes"), None
    if picked or open_:
        rows = Unknown("rows that a sampler picks")
    taken = frozenset(found) | c.machine.frame.control
    return LoaderV(element, rows, size, drops, c.span, c.get(0, "dataset"), taken, made)


def _is_given(c: Call, place: int, name: str) -> bool:
    return plain(c.get(place, name)) is not None


def _varies(element: Any) -> bool:
    """Whether something of a row is not known that may be its size."""
    if isinstance(element, dict | tuple):
        return any(map(_varies, element.values() if isinstance(element, dict) else element))
    return isinstance(element, Unknown) or (isinstance(element, Tensor) and not (
        isinstance(element.shape, tuple) and all(map(is_known, element.shape))))

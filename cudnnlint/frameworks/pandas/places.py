"""Parts of a table of pandas by their places: `table.iloc[i:i + 10]`, `table.iloc[:, 2:5].values`."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.ops.functions.index import sliced
from cudnnlint.records import record
from cudnnlint.values import Dim, Step, Tensor, Unknown

ROW = "a row of a table"


@record(frozen=True, slots=True)
class PlacesV:
    """`iloc` of a table or of one of its columns (`alone`)."""

    table: Any
    alone: bool = False
    always_true: ClassVar[bool] = True

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        held = plain(key)
        rows, columns = held if isinstance(held, tuple) and len(held) == 2 else (held, slice(None))
        rows, columns = plain(rows), plain(columns)
        if isinstance(held, tuple) and (self.alone or len(held) != 2):
            return Unknown(ROW)
        listed = isinstance(rows, Tensor) and isinstance(rows.shape, tuple) and len(rows.shape) == 1
        if not isinstance(rows, slice) and not listed:
            return self._row(rows, columns)
        part = self.table.part(_places(rows) if listed else _extent(self.table.rows, rows))
        return part if self.alone else self._columns(part, columns)

    def _row(self, place: Any, columns: Any) -> Any:
        number = isinstance(place, int) or (isinstance(place, Unknown) and place.number)
        if number and (self.alone or isinstance(columns, int)):
            return Tensor((), self.table.dtype, "numpy", None, Step(self.table.span))
        return Unknown(ROW)

    def _columns(self, part: Any, columns: Any) -> Any:
        names = part.columns
        wanted = strip(columns)
        if isinstance(columns, slice):
            if columns == slice(None):
                return part
            bounds = [strip(bound) for bound in (columns.start, columns.stop, columns.step)]
            if names is None:
                return part.with_(None).as_wide_as(sliced(part.width, slice(*bounds)))
            known = all(bound is None or isinstance(bound, int) for bound in bounds)
            return part.with_(names[slice(*bounds)] if known else None)
        if isinstance(wanted, int) and not isinstance(wanted, bool):
            inside = names is not None and -len(names) <= wanted < len(names)
            return part.column(names[wanted] if inside else None)
        if isinstance(wanted, list) and names is not None and all(isinstance(one, int) for one in wanted) \
                and all(-len(names) <= one < len(names) for one in wanted):
            return part.with_(tuple(names[one] for one in wanted))
        return part.with_(None) if isinstance(wanted, list) else Unknown("columns of a table")

    def join_with(self, other: Any) -> Any:
        return Unknown("differs between paths")


def _places(rows: Tensor) -> Dim:
    """How many rows an array of their numbers takes; of truth values, it is not known."""
    if isinstance(rows.dtype, str) and "int" in rows.dtype and isinstance(rows.shape, tuple):
        return rows.shape[0]
    return Unknown("rows that are chosen")


def _extent(rows: Dim, part: slice) -> Dim:
    bounds = [strip(bound) for bound in (part.start, part.stop, part.step)]
    return sliced(rows, slice(*bounds))


def places(rows: Dim, part: slice) -> Dim | None:
    """`table[100:200]`: slices by whole numbers are of places (pandas/core/indexes/base.py: _convert_slice_indexer);
    None for others, which are of labels."""
    bounds = [strip(bound) for bound in (part.start, part.stop, part.step)]
    whole = all(bound is None or type(bound) is int or (isinstance(bound, Unknown) and bound.number)
                for bound in bounds)
    return sliced(rows, slice(*bounds)) if whole else None

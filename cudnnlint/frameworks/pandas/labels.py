"""Parts of a table of pandas by their labels: `table.loc[:, ["a", "b"]]`, `table.loc[table["a"] > 0, "b"]`."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.records import record
from cudnnlint.values import Tensor, Unknown

ALL = slice(None)
PART = "a part of a table"


@record(frozen=True, slots=True)
class LocV:
    """`loc` of a table."""

    table: Any
    always_true: ClassVar[bool] = True

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        rows, columns = _parts(key)
        if not _is_several(rows):
            return Unknown(PART)
        part = self.table if rows == ALL else self.table.part(self.table.why)
        names = _names(part.columns, columns)
        return part.column(names) if isinstance(names, str) else part.with_(names)

    def set_item(self, m: Machine, key: Any, value: Any) -> None:
        """Values of a column change, which may be a new one; a label that is new makes a row."""
        rows, columns = _parts(key)
        m.heap.touch(self.table)
        self.table.set_item(m, columns if isinstance(strip(columns), str) else Unknown(PART), Unknown(PART))
        if not _is_several(rows):
            self.table.rows = self.table.why

    def join_with(self, other: Any) -> Any:
        return Unknown("differs between paths")


def _parts(key: Any) -> tuple[Any, Any]:
    held = plain(key)
    rows, columns = held if isinstance(held, tuple) and len(held) == 2 else (held, ALL)
    return plain(rows), plain(columns)


def _is_several(rows: Any) -> bool:
    """A slice, truth values or an array of labels, not one of them."""
    return isinstance(rows, slice) or hasattr(rows, "as_array") or (isinstance(rows, Tensor) and rows.rank == 1)


def _names(known: tuple[str, ...] | None, columns: Any) -> tuple[str, ...] | str | None:
    """Those that are asked for; a slice of labels holds both ends."""
    wanted = strip(columns)
    if isinstance(columns, slice):
        if columns == ALL or known is None:
            return known
        start, stop = strip(columns.start), strip(columns.stop)
        if columns.step is not None or any(end is not None and end not in known for end in (start, stop)):
            return None
        return known[0 if start is None else known.index(start):len(known) if stop is None else known.index(stop) + 1]
    if isinstance(wanted, str):
        return wanted
    if isinstance(wanted, list) and wanted and all(isinstance(name, str) for name in wanted):
        return tuple(wanted)
    return None

"""pandas: the rows of a table one after the other, `iterrows()` and `itertuples()`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cudnnlint.frameworks.pandas.columns import Columns, ColumnV
from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import Dim, Step, Tensor, Unknown

if TYPE_CHECKING:
    from cudnnlint.frameworks.pandas.frames import TableOfV

LISTED = 16_384
"""Rows that are gone through one by one."""


class RowV(ColumnV):
    """A row as a Series: a value for each column, by its name."""

    __slots__ = ("names",)

    def __init__(self, why: Unknown, span: Span, names: Columns, dtype: Any) -> None:
        super().__init__(why, span, why if names is None else len(names), dtype)
        self.names = names

    def with_(self, names: Columns) -> RowV:
        return RowV(self.why, self.span, names, self.dtype)

    @property
    def cell(self) -> Any:
        return _cell(self.dtype, self.why, self.span)

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        wanted = strip(key)
        if isinstance(wanted, str):
            return self.cell
        if isinstance(wanted, list) and wanted and all(isinstance(name, str) for name in wanted):
            return self.with_(tuple(wanted))
        if isinstance(plain(key), slice):
            bounds = [strip(bound) for bound in (plain(key).start, plain(key).stop, plain(key).step)]
            known = self.names is not None and all(bound is None or type(bound) is int for bound in bounds)
            return self.with_(self.names[slice(*bounds)] if known and self.names is not None else None)
        return Unknown(self.why.why)

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "drop":
            return BuiltinV(name, self._without)
        if self.names is not None and name in self.names and getattr(ColumnV, name, None) is None:
            return self.cell
        return super().attribute(m, name)

    def _without(self, c: Call) -> Any:
        labels = strip(c.get(0, "labels"))
        gone = [labels] if isinstance(labels, str) else labels
        known = self.names is not None and isinstance(gone, list | tuple) and not c.kwargs.keys() - {"labels"} \
            and len(c.args) < 2 and all(name in self.names for name in gone)
        return self.with_(tuple(name for name in self.names or () if name not in gone) if known else None)


class NamedV:
    """A row of itertuples(): a named tuple of its index and a value for each column."""

    always_true = True

    def __init__(self, table: TableOfV) -> None:
        self.names, self.cell = table.columns, _cell(table.dtype, table.why, table.span)

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "Index":
            return Unknown("the index of a row")
        return MISSING if name.startswith("__") else self.cell

    def join_with(self, other: Any) -> Any:
        return Unknown("differs between paths")


class RowsV:
    """What goes through the rows: `each` is one of them, `rows` how many there are."""

    def __init__(self, each: Any, rows: Dim) -> None:
        self.each, self.rows = each, rows

    def iterated(self, m: Machine) -> Sequence[Any] | Unknown:
        known = isinstance(self.rows, int) and self.rows <= LISTED
        return [self.each] * self.rows if known else Unknown("rows of a table")  # type: ignore[operator]

    def sample(self, m: Machine) -> Any:
        return self.each

    def join_with(self, other: Any) -> Any:
        return Unknown("differs between paths")


def iterrows(table: TableOfV, c: Call) -> Any:
    """Pairs of the index and the row."""
    row = RowV(table.why, table.span, table.columns, table.dtype)
    return RowsV((Unknown("the index of a row"), row), table.rows)


def itertuples(table: TableOfV, c: Call) -> Any:
    return Unknown(table.why.why) if c.args or c.kwargs else RowsV(NamedV(table), table.rows)


def _cell(dtype: Any, why: Unknown, span: Span) -> Any:
    return Tensor((), dtype, "numpy", None, Step(span)) if isinstance(dtype, str) else Unknown(why.why)


__all__ = ["iterrows", "itertuples"]

"""pandas: tables of which the columns may be known where the program names them; the rows only the file knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cudnnlint.frameworks.pandas.columns import (
    NUMBERS,
    UNLIKE,
    Columns,
    ColumnV,
    Shuffled,
    SummaryV,
    cast,
    column_of,
    dtype_given,
    is_unlike,
    keeps,
)
from cudnnlint.frameworks.pandas.labels import LocV
from cudnnlint.frameworks.pandas.places import PlacesV, places
from cudnnlint.frameworks.pandas.rows import iterrows, itertuples
from cudnnlint.frameworks.tfdata.dataset import Given
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import DictV, ListV, clock
from cudnnlint.interp.lists import LabelsV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.dtypes import NUMERIC
from cudnnlint.source import Span
from cudnnlint.values import Dim, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known
from cudnnlint.values.unknown import length_of

NOTHING: Mapping[str, Any] = {}
SAME = frozenset({"fillna", "ffill", "bfill", "interpolate", "round", "abs", "clip", "sort_values",
                  "sort_index", "replace", "shift", "diff"})
"""Methods that leave rows and columns as many as they were."""
FEWER = frozenset({"dropna", "sample", "head", "tail", "query", "drop_duplicates", "nlargest", "nsmallest"})
"""Methods that leave some of the rows."""
READING = frozenset({"values", "shape", "columns", "size", "dtypes", "head", "describe", "info", "isnull",
                     "isna", "corr", "plot", "hist", "to_csv", "groupby", "nunique",
                     "any", "all", "quantile", "ndim", "at", "iat", "T", "memory_usage", "count", "to_dict", "apply",
                     "merge", "join", "empty", "select_dtypes", "value_counts", "isin", "notna", "notnull", "rolling",
                     "cumsum", "cov", "mode", "skew", "idxmax", "idxmin", "agg", "transform", "melt", "pivot_table",
                     "boxplot", "to_json", "to_excel", "to_pickle", "to_parquet", "to_string"})
"""What is read of a table and leaves it as it is."""


class TableOfV:
    """A DataFrame; its columns change in place."""

    __slots__ = ("born", "columns", "dtype", "held", "rows", "span", "unlike", "why", "width")
    path = "pandas.DataFrame"

    def __init__(self, why: Unknown, span: Span, columns: Columns = None, rows: Dim | None = None,
                 dtype: Any = None, held: Mapping[str, Any] = NOTHING, unlike: frozenset[str] | None = None) -> None:
        """`held`: columns as the program wrote them, in any order of their rows; `unlike`: those of texts that are no
        numbers, or of dates; `width`: how many there are at most of those that are not known."""
        self.born = next(clock)
        self.width: Dim = why
        self.held = held
        self.unlike = frozenset(filter(lambda name: is_unlike(held[name]), held)) if unlike is None else unlike
        self.why, self.span, self.columns = why, span, columns
        self.rows: Dim = why if rows is None else rows
        self.dtype = why if dtype is None else dtype

    def snapshot(self) -> Any:
        return self.columns, self.rows, self.dtype, self.held, self.width, self.unlike

    def restore(self, state: Any) -> None:
        self.columns, self.rows, self.dtype, self.held, self.width, self.unlike = state

    def merge(self, states: Sequence[Any]) -> None:
        for state in states:
            self.columns = self.columns if self.columns == state[0] else None
            self.rows = self.rows if self.rows == state[1] else self.why
            self.dtype = self.dtype if self.dtype == state[2] else self.why
            self.held = self.held if self.held is state[3] else NOTHING
            self.width = self.width if self.width is state[4] else self.why
            self.unlike &= state[5]

    def with_(self, columns: Columns, rows: Dim | None = None) -> TableOfV:
        """With other columns, or with some of the rows."""
        held = self.held if rows is None else NOTHING
        return TableOfV(self.why, self.span, columns, self.rows if rows is None else rows, self.dtype, held,
                        self.unlike)

    @property
    def as_array(self) -> Tensor:
        width: Dim = self.width if self.columns is None else len(self.columns)
        if isinstance(self.dtype, Unknown) and self.unlike.intersection(self.columns or ()):
            return Tensor((self.rows, width), "object", "numpy", None, Step(self.span, (), UNLIKE))
        return Tensor((self.rows, width), self.dtype, "numpy", None, Step(self.span))

    def part(self, rows: Dim) -> TableOfV:
        return self.with_(self.columns, rows).as_wide_as(self.width)

    def as_wide_as(self, width: Dim) -> TableOfV:
        """Of a table just made."""
        self.width = width
        return self

    def column(self, name: Any = None) -> ColumnV:
        named = name if isinstance(name, str) else None
        held = None if named is None else self.held.get(named)
        return ColumnV(self.why, self.span, self.rows, self.dtype, held, named)

    def entries(self) -> DictV:
        """What dict() makes of it: the columns by their names."""
        return DictV({name: self.column(name) for name in self.columns or ()},
                     Unknown(self.why.why) if self.columns is None else None)

    def length(self, m: Machine) -> Any:
        return self.rows if is_known(self.rows) else length_of(self.rows, self.why.why)

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        wanted = strip(key)
        if isinstance(wanted, str):
            return self.column(wanted)
        if isinstance(wanted, list) and wanted and all(isinstance(name, str) for name in wanted):
            return self.with_(tuple(wanted))
        if isinstance(plain(key), slice) and (rows := places(self.rows, plain(key))) is not None:
            return self.part(rows)
        if isinstance(plain(key), slice | ColumnV | Tensor):
            return self.with_(self.columns, self.why)
        return Unknown(self.why.why)

    def set_item(self, m: Machine, key: Any, value: Any) -> None:
        name = strip(key)
        m.heap.touch(self)
        known = self.columns is not None and isinstance(name, str)
        self.width = self.why
        self.columns = tuple(dict.fromkeys((*(self.columns or ()), name))) if known else None
        self.dtype = self.why
        held = column_of(strip(value)) if known else None
        self.unlike = self.unlike - {name} | {name for one in (held, plain(value)) if is_unlike(one)} if known \
            else frozenset()
        self.held = {**{key: value for key, value in self.held.items() if key != name},
                     **({} if held is None else {name: held})} if known else NOTHING

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        """`table.columns = ["a", "b"]`, `table.a = x`."""
        if name == "columns":
            m.heap.touch(self)
            names = strip(value)
            known = isinstance(names, list) and all(isinstance(one, str) for one in names)
            self.columns, self.held, self.unlike = tuple(names) if known else None, NOTHING, frozenset()
        elif name in (self.columns or ()):
            self.set_item(m, name, value)

    def attribute(self, m: Machine, name: str) -> Any:
        if name.startswith("__"):
            return MISSING
        if name == "values":
            return self.as_array
        if name == "iloc":
            return PlacesV(self)
        if name == "loc":
            return LocV(self)
        if name == "shape":
            return self.as_array.shape
        if name == "index":
            return ColumnV(self.why, self.span, self.rows, self.why)
        if name == "columns":
            return LabelsV([], Unknown(self.why.why)) if self.columns is None else LabelsV(self.columns)
        if name in METHODS:
            return BuiltinV(name, lambda c: METHODS[name](self, c))
        if name in SAME or name in FEWER:
            return BuiltinV(name, lambda c: _whole(self, c, self.rows if name in SAME else self.why, name))
        if name not in READING and (name in self.held or name in (self.columns or ())):
            return self.column(name)
        if name in READING:
            return Unknown(self.why.why)
        return BuiltinV(name, lambda c: _changed(self, c))

    def combined(self, m: Machine, symbol: str, other: Any) -> Any:
        """Rows and columns stay with a number, and with numbers for the same columns."""
        alike = isinstance(other, SummaryV) and other.names == self.columns
        whole = keeps(symbol, 0 if alike else other)
        return TableOfV(self.why, self.span, self.columns, self.rows) if whole else Unknown(self.why.why)

    def join_with(self, other: Any) -> Any:
        return Unknown("differs between paths")


def _whole(table: TableOfV, c: Call, rows: Dim, method: str = "") -> Any:
    """A copy with the same columns; with inplace=True the table itself."""
    if "inplace" in c.kwargs or "axis" in c.kwargs or "**" in c.kwargs:
        return _changed(table, c) or table.with_(None, table.why)
    made = table.with_(table.columns, rows)
    made.unlike = frozenset() if method == "replace" else table.unlike
    return made


def _changed(table: TableOfV, c: Call) -> Any:
    """A method that may change anything."""
    c.machine.heap.touch(table)
    table.columns, table.rows, table.dtype, table.held, table.width = None, table.why, table.why, NOTHING, table.why
    table.unlike = frozenset()
    return None if "inplace" in c.kwargs else Unknown(table.why.why)


def _summary(table: TableOfV, c: Call) -> Any:
    """`mean()` and its kin: a number for each column, or with axis=1 for each row."""
    axis = Given(c, method=False).get(0, "axis", 0)
    if c.kwargs.keys() - {"axis", "skipna", "ddof"} or axis not in (0, 1, "index", "columns"):
        return Unknown(table.why.why)
    if axis in (0, "index"):
        return SummaryV(table.why, table.span, table.columns)
    return ColumnV(table.why, table.span, table.rows, table.why)


def _drop(table: TableOfV, c: Call) -> Any:
    """Columns are dropped by name, rows by the values of the index."""
    given = Given(c, method=False)
    names, labels, axis = given.get(3, "columns"), given.get(0, "labels"), given.get(1, "axis", 0)
    if given.get(5, "inplace", False) is not False:
        return _changed(table, c)
    if names is None and axis in (1, "columns"):
        names = labels
    if names is None:
        return table.with_(table.columns, table.why)
    gone = [names] if isinstance(names, str) else names
    known = isinstance(gone, list | tuple) and all(isinstance(name, str) for name in gone)
    if table.columns is None or not known or not all(name in table.columns for name in gone):
        return table.with_(None)
    return table.with_(tuple(name for name in table.columns if name not in gone))


def _pop(table: TableOfV, c: Call) -> Any:
    name = strip(c.get(0, "item"))
    made = table.column(name)
    c.machine.heap.touch(table)
    known = table.columns is not None and isinstance(name, str)
    table.columns = tuple(one for one in table.columns or () if one != name) if known else None
    return made


def _astype(table: TableOfV, c: Call) -> Any:
    """To one dtype, or the columns that a dict names to one each."""
    given = strip(c.get(0, "dtype"))
    if isinstance(given, dict):
        left = {name: value for name, value in table.held.items() if name not in given}
        return TableOfV(table.why, table.span, table.columns, table.rows, table.why, left,
                        table.unlike.difference(map(str, given)))
    dtype = dtype_given(table, given)
    held = table.held if isinstance(dtype, str) and dtype in NUMERIC else NOTHING
    return TableOfV(table.why, table.span, table.columns, table.rows, dtype, held, frozenset())


def _sample(table: TableOfV, c: Call) -> Any:
    """All rows in another order with frac=1, else some of them."""
    if plain(c.get(1, "frac")) == 1 and not c.kwargs.keys() & {"n", "replace", "axis", "**"}:
        made = table.with_(table.columns)
        made.held = {name: Shuffled(value) if isinstance(value, tuple) else value for name, value in table.held.items()}
        return made
    return _whole(table, c, table.why)


def _rename(table: TableOfV, c: Call) -> Any:
    """Columns get other names; rows may too."""
    given = Given(c, method=False)
    names = given.get(3, "columns")
    if given.get(5, "inplace", False) is not False or given.get(0, "mapper") is not None or "**" in c.kwargs:
        return _changed(table, c) or table.with_(None)
    if names is None or table.columns is None:
        return table.with_(table.columns)
    known = isinstance(names, dict) and all(isinstance(name, str) for pair in names.items() for name in pair)
    made = table.with_(tuple(names.get(name, name) for name in table.columns) if known else None)
    made.held = {names.get(name, name): held for name, held in table.held.items()} if known else NOTHING
    made.unlike = frozenset(names.get(name, name) for name in table.unlike) if known else frozenset()
    return made


def _set_index(table: TableOfV, c: Call) -> Any:
    """Columns become the names of the rows."""
    keys = strip(c.get(0, "keys"))
    gone = [keys] if isinstance(keys, str) else keys
    if c.kwargs.keys() - {"keys"} or len(c.args) > 1 or not isinstance(gone, list):
        return _changed(table, c) or table.with_(None)
    return table.with_(None if table.columns is None else tuple(name for name in table.columns if name not in gone))


def _reset_index(table: TableOfV, c: Call) -> Any:
    """With drop=True the numbers of the rows are new, else the old ones become a column."""
    if "inplace" in c.kwargs:
        return _changed(table, c)
    return table.with_(table.columns if plain(c.get(1, "drop", False)) is True else None)


def _assign(table: TableOfV, c: Call) -> Any:
    """A copy with the columns that the call names, new ones last."""
    if c.args or "**" in c.kwargs or table.columns is None:
        return table.with_(None)
    made = table.with_(tuple(dict.fromkeys((*table.columns, *c.kwargs))))
    made.held = {name: held for name, held in table.held.items() if name not in c.kwargs}
    made.unlike = table.unlike.difference(c.kwargs)
    made.dtype = table.why
    return made


def _items(table: TableOfV, c: Call) -> Any:
    """Names and columns, in pairs."""
    held = table.entries()
    return ListV(list(held.items.items()), held.unknown)


METHODS: dict[str, Callable[[TableOfV, Call], Any]] = {
    "copy": lambda table, c: table.with_(table.columns), "items": _items,
    "keys": lambda table, c: table.attribute(c.machine, "columns"),
    "rename": _rename, "set_index": _set_index, "drop": _drop, "pop": _pop, "astype": _astype, "sample": _sample,
    "reset_index": _reset_index, "assign": _assign, "iterrows": iterrows, "itertuples": itertuples,
    "to_numpy": lambda table, c: cast(table.as_array, c.get(0, "dtype")),
    "as_matrix": lambda table, c: table.as_array, **dict.fromkeys(NUMBERS, _summary),
}



"""pandas: where tables come from, files, arrays, dicts, and tables spread over the values of a column."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.data.stored import from_file
from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.frameworks.pandas.columns import DATES, ColumnV, column_of, is_unlike
from cudnnlint.frameworks.pandas.frames import TableOfV
from cudnnlint.frameworks.tfdata.dataset import Given
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known
from cudnnlint.values.unknown import ClassCount

PLAIN = frozenset({"usecols", "names", "sep", "delimiter", "header", "skiprows", "na_values", "encoding", "nrows",
                   "engine", "comment", "skipinitialspace", "low_memory", "dtype"})
"""Arguments that neither add columns nor take some away."""


@FRAMEWORK.on("pandas.read_csv", "pandas.read_table", "pandas.read_parquet", "pandas.read_feather")
def read(c: Call) -> Any:
    """Columns are known where the call lists them all, and all that it says is known."""
    name = getattr(plain(c.callee), "path", "pandas.read_csv").rpartition(".")[2]
    why, given = from_file(f"pd.{name}"), Given(c, method=False)
    header = given.get(99, "header")
    if set(c.kwargs) & {"chunksize", "iterator", "squeeze", "**"} or isinstance(header, list | Unknown):
        return why
    listed = given.get(99, "usecols")
    listed = given.get(99, "names") if listed is None else listed
    known = not set(c.kwargs) - PLAIN and isinstance(listed, list) and all(isinstance(one, str) for one in listed)
    return TableOfV(why, c.span, tuple(dict.fromkeys(listed)) if known else None)


@FRAMEWORK.on("pandas.DataFrame")
def table(c: Call) -> Any:
    given, why = Given(c, method=False), Unknown("a DataFrame")
    data, names = given.get(0, "data"), given.get(2, "columns")
    if isinstance(data, TableOfV | ColumnV) and c.kwargs.keys() <= {"data"} and len(c.args) < 2:
        return data.with_(data.columns) if isinstance(data, TableOfV) else _of_column(data)
    columns = tuple(names) if isinstance(names, list) and all(isinstance(one, str) for one in names) else None
    if isinstance(data, Tensor) and isinstance(data.shape, tuple) and len(data.shape) == 2:
        width = data.shape[1]
        if columns is None and is_known(width) and width <= 4096:  # type: ignore[operator]
            columns = tuple(map(str, range(width)))  # type: ignore[arg-type]
        return TableOfV(why, c.span, columns, data.shape[0], data.dtype)
    if isinstance(data, dict) and names is None and all(isinstance(one, str) for one in data):
        held = {name: column for name, value in data.items() if (column := column_of(value)) is not None}
        rows = {_length(column) for column in held.values()}
        unlike = frozenset(name for name in data if is_unlike(held.get(name)) or is_unlike(plain(data[name])))
        return TableOfV(why, c.span, tuple(data), rows.pop() if len(rows) == 1 else None, held=held, unlike=unlike)
    return TableOfV(why, c.span)


@FRAMEWORK.on("pandas.Series")
def series(c: Call) -> Any:
    """Of a list of plain values, or an array of one axis; by an index of its own it may be in another order."""
    given, why = Given(c, method=False), Unknown("a Series")
    held, name = column_of(given.get(0, "data")), given.get(3, "name")
    if held is None or len(c.args) > 1 or c.kwargs.keys() - {"data", "name"}:
        return why
    return ColumnV(why, c.span, _length(held), why, held, name if isinstance(name, str) else None)


def _of_column(column: ColumnV) -> TableOfV:
    name = column.name
    held = {name: column.held} if name is not None and column.held is not None else {}
    return TableOfV(column.why, column.span, None if name is None else (name,), column.rows, column.dtype, held)


def _length(column: Any) -> Any:
    return len(column) if isinstance(column, tuple) else column.shape[0]


@FRAMEWORK.on("pandas.date_range")
def dates(c: Call) -> Any:
    """Dates, `periods` of them."""
    why, given = from_file("pd.date_range"), Given(c, method=False)
    rows = given.get(2, "periods")
    return ColumnV(why, c.span, rows if is_known(rows) else why, why, DATES)


@FRAMEWORK.on("pandas.to_datetime")
def to_dates(c: Call) -> Any:
    """A column of dates, or one date."""
    column = plain(c.get(0, "arg"))
    if not isinstance(column, ColumnV):
        return Unknown("pd.to_datetime")
    return ColumnV(column.why, column.span, column.rows, column.why, DATES)


@FRAMEWORK.on("pandas.factorize")
def factorized(c: Call) -> Any:
    """Whole numbers for the values, and the values."""
    data = plain(c.get(0, "values"))
    rows = data.rows if isinstance(data, ColumnV) else data.shape[0] \
        if isinstance(data, Tensor) and isinstance(data.shape, tuple) and len(data.shape) == 1 else None
    why = Unknown("pd.factorize")
    return why if rows is None else (Tensor((rows,), "int64", "numpy", None, Step(c.span)), why)


@FRAMEWORK.on("pandas.get_dummies")
def dummies(c: Call) -> Any:
    """A column for each value that there is; of a table, beside its numbers."""
    why, data = from_file("pd.get_dummies"), plain(c.get(0, "data"))
    if isinstance(data, TableOfV) and (made := _spread(data, c)) is not None:
        return made
    array = data.as_array if isinstance(data, ColumnV) else strip(data)
    if len(c.args) > 1 or c.kwargs.keys() - {"data", "prefix", "dtype"} or \
            not isinstance(array, Tensor) or not isinstance(array.shape, tuple) or len(array.shape) != 1:
        return TableOfV(why, c.span)
    return TableOfV(ClassCount(why.why), c.span, None, array.shape[0], why)


def _spread(data: TableOfV, c: Call) -> TableOfV | None:
    """With `columns=`, these become a column for each of their values, after the others."""
    names = strip(c.kwargs.get("columns"))
    if data.columns is None or not isinstance(names, list) or len(c.args) > 1 \
            or c.kwargs.keys() - {"data", "columns", "dtype", "drop_first"}:
        return None
    first = plain(c.kwargs.get("drop_first", False))
    made = [name for name in data.columns if name not in names]
    for name in names:
        held = data.held.get(name)
        if not isinstance(held, tuple) or first not in (True, False):
            return None
        made += [f"{name}_{value}" for value in sorted(set(held), key=str)][int(first):]
    table = data.with_(tuple(made))
    table.held = {name: value for name, value in data.held.items() if name not in names}
    table.unlike = data.unlike.difference(names)
    return table


@FRAMEWORK.on("pandas.concat")
def concatenated(c: Call) -> Any:
    """Of tables side by side the columns are known; of those below each other those that all have, in one order
    (pandas/core/reshape/concat.py: concat)."""
    why, m = from_file("pd.concat"), c.machine
    first, axis = plain(c.get(0, "objs")), plain(c.get(1, "axis", 0))
    if isinstance(first, TableOfV | ColumnV) and is_certain(m):
        kind = "Series" if isinstance(first, ColumnV) else "DataFrame"
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, f"pd.concat() is given a {kind}, and takes a list of them", help="pd.concat([a, b])",
            error='TypeError "concat() takes 1 positional argument" or "first argument must be an iterable of pandas '
                  f'objects, you passed an object of type \"{kind}\""'), what="pd.concat")
        return why
    parts = [plain(each) for each in first.items] if isinstance(first, ListV) and not first.unknown else []
    if not parts or not all(isinstance(each, TableOfV | ColumnV) for each in parts) \
            or c.kwargs.keys() - {"objs", "axis", "ignore_index", "sort"} or len(c.args) > 2:
        return why
    columns = [_columns_of(each) for each in parts]
    if axis in (1, "columns") and plain(c.kwargs.get("ignore_index", False)) is False and None not in columns:
        return TableOfV(why, c.span, tuple(name for each in columns for name in each or ()))
    tables = axis in (0, "index", "rows") and all(isinstance(each, TableOfV) for each in parts)
    return TableOfV(why, c.span, columns[0]) if tables and columns[0] and len(set(columns)) == 1 else why


def _columns_of(part: TableOfV | ColumnV) -> tuple[str, ...] | None:
    if isinstance(part, TableOfV):
        return part.columns if isinstance(part.columns, tuple) else None
    return None if part.name is None else (part.name,)


@FRAMEWORK.on("pandas.read_excel", "pandas.read_json", "pandas.read_hdf", "pandas.read_sql", "pandas.merge")
def anything(c: Call) -> Any:
    """A table, a column or several tables."""
    return from_file(f"pd.{getattr(plain(c.callee), 'path', '').rpartition('.')[2]}")

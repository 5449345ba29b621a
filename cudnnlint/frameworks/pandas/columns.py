"""pandas: one column of a table, and the numbers told of each: `(column - 3) / 2`, `table.mean()`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.frameworks.pandas.places import PlacesV
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import MISSING, BuiltinV, NamespaceV
from cudnnlint.ops.functions.dtypes import NUMERIC, as_dtype
from cudnnlint.source import Span
from cudnnlint.values import Dim, DType, Step, Tensor, Unknown
from cudnnlint.values.bounds import SPLIT
from cudnnlint.values.dim import is_known
from cudnnlint.values.occurring import occurring
from cudnnlint.values.unknown import Elements, length_of

Columns = tuple[str, ...] | None
ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**"})


class Shuffled(tuple[Any, ...]):
    """The values of a column in an order that is not known."""


DATES = object()
"""What a column of dates holds."""


def is_unlike(held: Any) -> bool:
    """Whether a column holds texts that are no numbers, or dates."""
    if isinstance(held, ColumnV):
        return isinstance(held.dtype, Unknown) and is_unlike(held.held)
    return held is DATES or (isinstance(held, tuple) and any(isinstance(one, str) and not _is_number(one)
                                                             for one in held))


UNLIKE = "texts or dates beside numbers"
"""Maker of the array that is made of a table of which some columns are no numbers."""


def is_mixed(given: Tensor) -> bool:
    """Whether such a table is what a tensor is made of."""
    step = given.step
    while step is not None and step.maker is None and len(step.parents) == 1:
        step = step.parents[0].step
    return step is not None and step.maker == UNLIKE


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class ColumnV:
    """A Series; `name` is that of the column of a table that it is, if that is known."""

    __slots__ = ("dtype", "held", "name", "rows", "span", "why")
    path = "pandas.Series"

    def __init__(self, why: Unknown, span: Span, rows: Dim, dtype: Any, held: Any = None,
                 name: str | None = None) -> None:
        self.why, self.span, self.rows, self.dtype, self.held, self.name = why, span, rows, dtype, held, name

    @property
    def as_array(self) -> Tensor:
        if isinstance(self.held, Tensor):
            dtype = self.held.dtype if isinstance(self.dtype, Unknown) else self.dtype
            return Tensor((self.rows,), dtype, "numpy", None, Step(self.span, (self.held,)))
        if isinstance(self.held, tuple):
            dtype = _dtype_of(self.held, self.dtype) if isinstance(self.dtype, Unknown) else self.dtype
            step = Step(self.span, (), "numpy.array", ((tuple(self.held),), {}))
            made = Tensor((self.rows,), dtype, "numpy", None, step)
            return made.with_(step=Step(self.span, (made,), SPLIT)) if isinstance(self.held, Shuffled) else made
        return Tensor((self.rows,), self.dtype, "numpy", None, Step(self.span))

    @property
    def distinct(self) -> Sequence[Any] | None:
        """What it is sure to hold, each once."""
        if isinstance(self.held, tuple):
            return tuple(dict.fromkeys(self.held))
        return occurring(self.held) if isinstance(self.held, Tensor) else None

    @property
    def as_fed(self) -> Tensor:
        """As training takes it (keras/src/trainers/data_adapters/array_slicing.py: PandasSeriesSliceable;
        tf_keras/src/engine/data_adapter.py: _process_tensorlike): with an axis more."""
        array = self.as_array
        return array.with_(shape=(self.rows, 1), step=array.step)

    def part(self, rows: Dim) -> ColumnV:
        return ColumnV(self.why, self.span, rows, self.dtype)

    def cast(self, dtype: Any) -> ColumnV:
        return ColumnV(self.why, self.span, self.rows, dtype, None if self.held is DATES else self.held)

    def length(self, m: Machine) -> Any:
        return self.rows if is_known(self.rows) else length_of(self.rows, self.why.why)

    def attribute(self, m: Machine, name: str) -> Any:
        if name in ("values", "array"):
            return self.as_array
        if name == "iloc":
            return PlacesV(self, alone=True)
        if name == "shape":
            return (self.rows,)
        if name in ("to_numpy", "ravel"):
            return BuiltinV(name, lambda c: cast(self.as_array, c.get(0, "dtype")))
        if name == "astype":
            return BuiltinV(name, lambda c: self.cast(dtype_given(self, c.get(0, "dtype"))))
        if name in ("max", "min") and self.as_array.dtype == "int64":  # one of NumPy's numbers
            return BuiltinV(name, lambda c: Unknown(self.why.why, number=True) if c.args or c.kwargs else
                            apply_function(c.machine, f"numpy.{name}", [self.as_array], {}, c.node))
        if name in NUMBERS:
            return BuiltinV(name, lambda c: Unknown(self.why.why, number=not c.args and not c.kwargs))
        if name in ("unique", "nunique") and (distinct := self.distinct) is not None:
            return BuiltinV(name, lambda c: len(distinct) if name == "nunique" else _array_of(distinct, self.span))
        if name in ("fillna", "copy", "map", "apply", "replace"):
            return BuiltinV(name, lambda c: self.other)
        if name in ("tolist", "to_list"):
            of = "numbers" if self.as_array.dtype in NUMERIC else ""
            return BuiltinV(name, lambda c: Elements(self.why.why, of=of))
        if name == "cat":
            return NamespaceV({"codes": self.other}, Unknown(self.why.why))
        return MISSING if name.startswith("__") else Unknown(self.why.why)

    @property
    def other(self) -> ColumnV:
        """As long, of other values."""
        return ColumnV(self.why, self.span, self.rows, self.why)

    def compared(self, other: Any) -> ColumnV | None:
        """A truth value for each, of a comparison with one value; None where it is not known whether it is one."""
        return self.other.cast("bool") if isinstance(other, str | bool | int | float) else None

    def combined(self, m: Machine, symbol: str, other: Any) -> Any:
        """As long as it was with a number; truth values with others."""
        whole = keeps(symbol, other) or (symbol in ("&", "|") and isinstance(other, ColumnV))
        return ColumnV(self.why, self.span, self.rows, self.why) if whole else Unknown(self.why.why)

    def join_with(self, other: Any) -> Any:
        return Unknown("differs between paths")


class SummaryV(ColumnV):
    """A Series of a number for each column of a table, by their names."""

    __slots__ = ("names",)

    def __init__(self, why: Unknown, span: Span, names: Columns) -> None:
        super().__init__(why, span, why if names is None else len(names), why)
        self.names = names

    def combined(self, m: Machine, symbol: str, other: Any) -> Any:
        return SummaryV(self.why, self.span, self.names) if keeps(symbol, other) else Unknown(self.why.why)


NUMBERS = frozenset({"mean", "std", "var", "min", "max", "sum", "median"})
"""Methods that give a number of a column, and one for each column of a table."""


def keeps(symbol: str, other: Any) -> bool:
    """Whether arithmetic with it gives a number for each that there is."""
    scalar = isinstance(other, bool | int | float) or (isinstance(other, Tensor) and other.shape == ())
    return symbol in ARITHMETIC and (scalar or (isinstance(other, Unknown) and other.number))


def _dtype_of(values: tuple[Any, ...], otherwise: Unknown) -> DType:
    """Of a column of whole numbers, of numbers, or of texts."""
    kinds = {type(value) for value in values}
    if kinds == {str}:
        return "string"
    return "int64" if kinds == {int} else "float64" if kinds and kinds <= {int, float} else otherwise


def _array_of(values: Sequence[Any], span: Span) -> Tensor:
    dtype = _dtype_of(tuple(values), Unknown("the values of a column"))
    return Tensor((len(values),), dtype, "numpy", None, Step(span))


def column_of(value: Any) -> Any:
    """A list of plain values, or an array of one axis; None for what no column is made of."""
    if isinstance(value, list) and all(isinstance(item, int | float | str) for item in value):
        return tuple(value)
    one = isinstance(value, Tensor) and isinstance(value.shape, tuple) and len(value.shape) == 1
    return value if one and is_known(value.shape[0]) else None


def cast(made: Tensor, dtype: Any) -> Tensor:
    return made.with_(dtype=as_dtype(strip(dtype), made.dtype, "numpy"), step=made.step)


def dtype_given(table: Any, dtype: Any) -> Any:
    return as_dtype(strip(dtype), table.why, "numpy")

"""Between the machine's values and the plain ones that ops and rules take."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.lists import SMALL, TOO_LARGE, BoundedV, LabelsV, is_one, is_too_large
from cudnnlint.interp.members import as_number
from cudnnlint.interp.objects import MISSING, InstanceV, OpenRangeV, RangeV, Record
from cudnnlint.values import Assumed, Tensor, Unknown
from cudnnlint.values.unknown import LONG_RANGE, OPEN_RANGE, Counted, loose

DTYPES = frozenset({
    "float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "bool", "complex64", "complex128", "string", "half", "double", "float", "int", "float8_e4m3fn",
    "float8_e5m2", "bool_", "str_", "int_", "float_", "byte", "single", "qint8", "quint8", "resource", "variant",
})
ALIASES = {"half": "float16", "double": "float64", "single": "float32", "bool_": "bool", "str_": "string",
           "int_": "int64", "float_": "float64", "byte": "int8"}
FLOATING = ("float", "bfloat", "half", "double")
KINDS = {"is_floating": FLOATING, "is_floating_point": FLOATING, "is_integer": ("int", "uint"), "is_bool": ("bool",),
         "is_complex": ("complex",)}
"""What dtypes say of themselves, and how the names of those begin of which it is so."""


LISTS = frozenset({ListV, BoundedV, LabelsV})


def strip(value: Any, found: set[Any] | None = None) -> Any:
    """`value` as ops take it: Assumed removed, ListV as list, DictV as dict, recursively.

    Containers whose contents are no longer known become Unknown. Assumptions met are added to `found`.
    """
    kind = type(value)
    if kind is int or kind is str or value is None or kind is float or kind is bool:
        return value
    if kind is Assumed:
        if found is not None:
            found.update(value.assumptions)
        return strip(value.value, found)
    if kind is tuple:
        return tuple(strip(item, found) for item in value)
    if kind in LISTS:
        if value.unknown is None and len(value.items) > SMALL and is_too_large(value.items):
            return TOO_LARGE
        if is_one(value.items):
            return value.unknown or [strip(value.items[0], found)] * len(value.items)
        return value.unknown or [strip(item, found) for item in value.items]
    if kind is DictV:
        if value.unknown:
            return value.unknown
        if value.is_set:
            return value.open or list(value.items)
        items = {key: strip(item, found) for key, item in value.items.items()}
        return OrderedDict(items) if value.ordered else items
    if kind is RangeV:
        return list(value.range) if len(value.range) <= 4096 else LONG_RANGE
    if kind is OpenRangeV:
        return OPEN_RANGE
    if kind is Tensor and found is not None:
        found.update(value.assumptions)
    return as_number(value) if kind is InstanceV else value


def wrap(value: Any) -> Any:
    """What an op returned, as the machine keeps it: list as ListV, dict as DictV."""
    if type(value) is list:
        return ListV([wrap(item) for item in value])
    if type(value) is dict or type(value) is OrderedDict:
        return DictV({key: wrap(item) for key, item in value.items()}, ordered=type(value) is OrderedDict)
    if type(value) is tuple:
        return tuple(wrap(item) for item in value)
    if isinstance(value, Record):
        made = InstanceV(value.cls)
        made.items.update(zip(value.cls.fields or (), map(wrap, value), strict=False))
        return made
    return loose(value) if type(value) is Counted else value


def as_given(args: Iterable[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments as they are now, for who reads them later: `features.append(y)` changes a list that a layer was given
    before."""
    return tuple(map(_as_now, args)), {name: _as_now(value) for name, value in kwargs.items()}


def _as_now(value: Any) -> Any:
    kind = type(value)
    if kind in LISTS:
        if len(value.items) > SMALL and is_too_large(value.items):
            return TOO_LARGE
        if is_one(value.items):
            return value.copy([_as_now(value.items[0])] * len(value.items))
        return value.copy([_as_now(item) for item in value.items])
    if kind is DictV:
        return value.copy({key: _as_now(item) for key, item in value.items.items()})
    if kind is tuple and value:
        return tuple(map(_as_now, value))
    return value


def key_of(value: Any) -> Any:
    """A hashable key for dict lookups, or Unknown."""
    if isinstance(value, Assumed):
        value = value.value
    if isinstance(value, Unknown):
        return value
    if type(value) is Tensor and value.kind == "numpy":
        number = value.shape == () and isinstance(value.content, int | float | str)
        return value.content if number else Unknown("an array for a key")
    if type(value) is InstanceV:
        if value.cls.members is not None:
            return as_number(value)
        if value.cls.fields is not None or value.cls.lookup("__eq__") is not MISSING:
            return Unknown("a key that equals others")
    if isinstance(value, tuple):
        parts = tuple(key_of(item) for item in value)
        unknown = next((part for part in parts if isinstance(part, Unknown)), None)
        return unknown or parts
    try:
        hash(value)
    except TypeError:
        return Unknown("unhashable key")
    return value

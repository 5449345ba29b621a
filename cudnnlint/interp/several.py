"""What may be read of one of several lists or dicts, whichever it is: what all of them hold there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import join
from cudnnlint.interp.machine import plain
from cudnnlint.values import Unknown
from cudnnlint.values.unknown import OneOf


def item_of(value: OneOf, key: Any) -> Any:
    """`pair[0]`, `row["label"]`: of lists and dicts that all have it."""
    index = plain(key)
    if not value.whole or not all(_has(held, index) for held in value.held):
        return value
    return join([held.items[index] for held in value.held])


def _has(held: ListV | DictV, index: Any) -> bool:
    if held.unknown:
        return False
    if isinstance(held, DictV):
        return isinstance(index, str) and index in held.items
    return type(index) is int and -len(held.items) <= index < len(held.items)


def elements_of(value: OneOf) -> Sequence[Any] | Unknown:
    """`for part in pair`, `image, label = pair`: of lists that are equally long."""
    rows = [held.items for held in value.held if isinstance(held, ListV) and not held.unknown] if value.whole else []
    if not rows or len(rows) < len(value.held) or len({len(row) for row in rows}) > 1:
        return value
    return [join(column) for column in zip(*rows, strict=True)]


def read_of(value: Any) -> Any:
    """One that holds what all of them hold, where they have the same keys or are equally long: for who only reads."""
    if type(value) is not OneOf or not value.whole or any(held.unknown for held in value.held):
        return value
    if all(isinstance(held, ListV) for held in value.held):
        found = elements_of(value)
        return value if isinstance(found, Unknown) else ListV(found)
    dicts = [held for held in value.held if isinstance(held, DictV) and not held.is_set]
    if len(dicts) < len(value.held) or any(held.items.keys() != dicts[0].items.keys() for held in dicts):
        return value
    return DictV({key: join([held.items[key] for held in dicts]) for key in dicts[0].items})


__all__ = ["elements_of", "item_of", "read_of"]

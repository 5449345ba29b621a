"""One of several lists or dicts, whichever it is: what all of them hold may be read, any of them may be changed."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import join
from cudnnlint.interp.loops.turns import VARIABLE
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.meeting import loosen
from cudnnlint.values import Unknown
from cudnnlint.values.unknown import OneOf, put_together


def item_of(value: OneOf, key: Any) -> Any:
    """`pair[0]`, `row["label"]`: of lists and dicts that all have it."""
    index = plain(key)
    if isinstance(index, slice) and isinstance(whole := read_of(value), ListV) and all(
            part is None or type(part) is int for part in (index.start, index.stop, index.step)) and index.step != 0:
        return ListV(whole.items[index])
    if not value.whole or not all(_has(held, index) for held in value.held):
        return parts_of(value)
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


def of_a_set(pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any] | None:
    """What `{name: i for i, name in enumerate(set(names))}` holds: the keys are those of the set, each value stands
    under one of them; None where the keys are no such."""
    keys = [key for key, _ in pairs]
    every = put_together(keys)
    if every is keys or any(isinstance(key_of(key), Unknown) for key in every):
        return None
    return dict.fromkeys(map(key_of, every), join([value for _, value in pairs]))


def parts_of(value: OneOf) -> OneOf:
    """Something made of what it holds, which nobody knows: a slice, an item. Who changes it may change what is held."""
    return replace(value, whole=False) if value.whole else value


def one_of_many(m: Machine, node: ast.expr, base: Any) -> Any:
    """What `base` is, which `rows[i + 1][0]` gave, to who changes it: of rows whose number is not known one stands for
    all, and others stay as they were. Under the variable of a loop all of them are changed in turn."""
    held = plain(base)
    if not isinstance(held, ListV | DictV):
        return base
    variables = {loop.facts.get(VARIABLE) for loop in m.loops}
    while isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute | ast.Subscript):
        rows = plain(m.eval(node.value))
        if isinstance(rows, ListV) and rows.unknown \
                and not (isinstance(node.slice, ast.Name) and node.slice.id in variables):
            return OneOf("an element of an unknown list", held=(held,), whole=True)
        node = node.value
    return base


def set_in_one(m: Machine, value: OneOf, key: Any, item: Any) -> None:
    """`pair[0] = x` of one of several: each may have it there from now on."""
    index = plain(key)
    for held in value.held:
        m.heap.touch(held)
        if value.whole and _has(held, index):
            held.items[index] = join([held.items[index], item])
        else:
            loosen(held)


__all__ = ["elements_of", "item_of", "of_a_set", "one_of_many", "parts_of", "read_of", "set_in_one"]

"""Structures taken apart and put together: tf.nest, keras.tree and dm-tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import is_named_tuple
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor, Unknown

ROOTS = ("tensorflow.nest", "keras.tree", "tree")


def _everywhere(name: str) -> tuple[str, ...]:
    return tuple(f"{root}.{name}" for root in ROOTS)


def leaves(value: Any) -> Iterator[Any]:
    """Leaves in order: sequences as they are, mappings by key (tensorflow/python/util/nest.py: flatten)."""
    held = plain(value)
    if isinstance(held, tuple) or (isinstance(held, ListV) and not held.unknown):
        for item in held if isinstance(held, tuple) else held.items:
            yield from leaves(item)
    elif isinstance(held, DictV) and not held.unknown and not held.is_set:
        for key in sorted(held.items, key=str):
            yield from leaves(held.items[key])
    elif _is_record(held):
        for name in held.cls.fields:
            yield from leaves(held.items.get(name, Unknown(name)))
    elif isinstance(held, ListV | DictV) or (isinstance(held, InstanceV) and held.cls.fields is not None):
        yield Unknown("a structure that is not known")  # of attrs each field is a leaf, of a dataclass it is one itself
    else:
        yield value


def _is_record(value: Any) -> bool:
    return isinstance(value, InstanceV) and value.cls.fields is not None and is_named_tuple(value.cls)


def filled(structure: Any, given: Iterator[Any]) -> Any:
    """The structure with other leaves."""
    held = plain(structure)
    if isinstance(held, tuple):
        return tuple(filled(item, given) for item in held)
    if isinstance(held, ListV) and not held.unknown:
        return ListV([filled(item, given) for item in held.items])
    if isinstance(held, DictV) and not held.unknown and not held.is_set:
        made = {key: filled(held.items[key], given) for key in sorted(held.items, key=str)}
        return DictV({key: made[key] for key in held.items})
    if _is_record(held):
        record = InstanceV(held.cls, held.span)
        record.items = {name: filled(held.items.get(name, Unknown(name)), given) for name in held.cls.fields}
        return record
    return next(given, Unknown("a leaf"))


def _whole(found: list[Any]) -> bool:
    return not any(isinstance(plain(item), Unknown) for item in found)


@FRAMEWORK.on(*_everywhere("flatten"))
def flatten(c: Call) -> Any:
    found = list(leaves(c.get(0, "structure")))
    return ListV(found) if _whole(found) else ListV([], Unknown("a structure that is not known"))


@FRAMEWORK.on(*_everywhere("is_nested"))
def is_nested(c: Call) -> Any:
    """Whether it is something to take apart (keras/src/tree/optree_impl.py: is_nested)."""
    held = plain(c.get(0, "structure"))
    if isinstance(held, tuple | ListV) or (isinstance(held, DictV) and not held.is_set) or _is_record(held):
        return True
    return False if held is None or isinstance(held, Tensor | bool | int | float | str) else \
        Unknown("a structure that is not known")


@FRAMEWORK.on(*_everywhere("map_structure"))
def map_structure(c: Call) -> Any:
    function, structures = c.get(0, "func"), list(c.args[1:])
    columns = [list(leaves(structure)) for structure in structures]
    if not columns or not all(map(_whole, columns)) or len({len(column) for column in columns}) > 1:
        return Unknown("a structure that is not known")
    made = [c.machine.call(function, list(row), {}, c.node) for row in zip(*columns, strict=True)]
    return filled(structures[0], iter(made))


@FRAMEWORK.on(*_everywhere("pack_sequence_as"))
def pack_sequence_as(c: Call) -> Any:
    flat = plain(c.get(1, "flat_sequence"))
    items = list(flat) if isinstance(flat, tuple) else flat.items if isinstance(flat, ListV) and not flat.unknown \
        else None
    return Unknown("a structure that is not known") if items is None else filled(c.get(0, "structure"), iter(items))

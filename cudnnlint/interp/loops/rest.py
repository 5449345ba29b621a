"""What a loop over a known sequence meets once its turns are not followed one by one any more."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import kinds
from cudnnlint.interp.join import is_number, join
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.source.walk import walk
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.unknown import Counted

KINDS, ROWS = 2, 64
"""Kinds of elements that are told apart, as of batches a full one and a last one; elements that are compared."""


def rest(m: Machine, node: ast.For | ast.AsyncFor, iterable: Any, found: Sequence[Any], done: int) -> list[Any]:
    """One element of each kind among those that are left after `done` turns, or what is known of all of them."""
    left = found[done:] if not isinstance(found, range) and len(found) <= ROWS else ()
    if left and callable(getattr(plain(iterable), "kinds", None)):
        return [assume(kind, assumptions_of(iterable)) for kind in kinds(m, iterable)]
    groups: dict[Any, list[Any]] = {}
    for element in left:
        groups.setdefault(_look(element), []).append(element)
    if not groups or len(groups) > KINDS or not all(map(_tells, groups)):
        return [_any_of(m, node, found)]
    return [assume(join(group), assumptions_of(iterable)) for group in groups.values()]


def lose(m: Machine, node: ast.For | ast.AsyncFor, left: Sequence[Any]) -> None:
    """What the body sets of the object at hand is not known of those that are `left`."""
    from cudnnlint.interp.attribute_setting import set_attribute

    targets = {name.id for name in walk(node.target) if isinstance(name, ast.Name)}
    names = {inner.attr for statement in node.body for inner in walk(statement)
             if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
             and isinstance(inner.value, ast.Name) and inner.value.id in targets}
    for element in left if names else ():
        for part in parts_of(element):
            for name in names:
                set_attribute(m, part, name, Unknown("a loop that is not followed to its end"))


def parts_of(element: Any) -> tuple[Any, ...]:
    """What the variables of a loop are bound to: an object, or those in a pair that enumerate() or zip() gives."""
    held = plain(element)
    return held if isinstance(held, tuple) else (held,)


def _look(element: Any) -> Any:
    """What elements of one kind have in common: the shapes and dtypes of the tensors in them."""
    held = plain(element)
    if isinstance(held, Tensor):
        return Tensor, held.shape, held.dtype
    if isinstance(held, ListV) and not held.unknown:
        return ListV, *map(_look, held.items)
    if isinstance(held, tuple):
        return tuple, *map(_look, held)
    return "number" if is_number(held) else None


def _tells(look: Any) -> bool:
    """Whether elements of that look hold tensors, and nothing but these and numbers."""
    if not isinstance(look, tuple):
        return False
    parts = look[1:] if look[0] is not Tensor else ()
    return look[0] is Tensor or (any(map(_tells, parts)) and all(part == "number" or _tells(part) for part in parts))


def _any_of(m: Machine, node: ast.For | ast.AsyncFor, found: Sequence[Any]) -> Unknown:
    """What a loop binds its variable to where its elements are not told apart."""
    if isinstance(found, range) and found:
        return Counted("loop variable", number=True, loop=m.loops[-1] if m.loops else None, base=object(),
                       low=min(found[0], found[-1]), high=max(found[0], found[-1]) + 1)
    number = isinstance(node.target, ast.Name) and is_number(plain(m.frame.scope.items.get(node.target.id)))
    return Unknown("loop variable", number=number, loop=m.loops[-1] if number and m.loops else None)

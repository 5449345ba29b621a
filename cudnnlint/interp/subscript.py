"""Indexing and slicing, read and write."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.builtin.counters import COUNTING
from cudnnlint.interp.builtin.kinds import is_class
from cudnnlint.interp.convert import key_of, strip
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.guarding import guarded
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import elements, is_named_tuple, sample
from cudnnlint.interp.join import is_number, join
from cudnnlint.interp.loops.kept import dropped, kept_by_key
from cudnnlint.interp.loops.turns import VARIABLE, collected
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.meeting import loosen
from cudnnlint.interp.mistakes.indices import tell_of_float, tell_of_index
from cudnnlint.interp.namespaces import bound, written
from cudnnlint.interp.objects import MISSING, ClassV, External, InstanceV, NamespaceV, RangeV
from cudnnlint.interp.raising import would_raise
from cudnnlint.interp.registry import CALLS, Call
from cudnnlint.interp.several import item_of, set_in_one
from cudnnlint.interp.unpacking import tell_of_loss
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.unknown import OneOf, Window

JOINED = 32
"""Elements that are joined for an index that is not known; of longer sequences nothing is said."""


UNIONS: dict[str, tuple[None, ...]] = {"typing.Union": (), "typing.Optional": (None,)}
"""Classes that stand for one of several, and what is among them besides."""


def _index(key: Any) -> Any:
    """A concrete int or slice of ints, or None when some part is not known."""
    key = plain(key)
    if isinstance(key, bool):
        return int(key)
    if isinstance(key, int):
        return key
    if isinstance(key, Tensor) and isinstance(key.content, int):
        return key.content
    if isinstance(key, slice):
        parts = [plain(part) for part in (key.start, key.stop, key.step)]
        if all(part is None or isinstance(part, int) for part in parts) and parts[2] != 0:
            return slice(*parts)
    return None


def _key_assumptions(key: Any) -> Any:
    if isinstance(key, slice):
        return frozenset().union(*(assumptions_of(part) for part in (key.start, key.stop, key.step)))
    return assumptions_of(key)


MUTATORS = frozenset({"add", "append", "appendleft", "clear", "extend", "insert", "pop", "remove", "setdefault",
                      "update"})
"""Methods that change a list, set, dictionary or deque."""


def lose_items(m: Machine, node: ast.expr) -> None:
    """`table[key].append(x)`, `table[key][0] = x` under a key that is unknown or not there: any of the containers in
    `table` may be the one that changes."""
    while isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name | ast.Attribute):
        return
    held = plain(m.eval(node.value))
    if not isinstance(held, ListV | DictV):
        return
    for item in list(held.items.values() if isinstance(held, DictV) else held.items):
        inner = plain(item)
        if isinstance(inner, ListV | DictV):
            m.heap.touch(inner)
            inner.unknown = Unknown("changed under an unknown key")


def lose_any(m: Machine, value: OneOf) -> None:
    """One of the lists and dicts that it may be is changed."""
    for held in value.held:
        m.heap.touch(held)
        loosen(held)


def get_item(m: Machine, base: Any, key: Any, node: ast.AST) -> Any:
    value = plain(base)
    if isinstance(value, Unknown):
        return item_of(value, key) if type(value) is OneOf else value
    if isinstance(value, Tensor):
        if value.shape == () and tell_of_loss(m, value, key, node):
            return Unknown("an index of a number")
        if type(plain(key)) is tuple and _may_be_list(m, node):
            return Unknown("rows of a list, or one place along several axes")
        found = apply_function(m, "operator.getitem", [base, key], {}, node)
        return _of_this_turn(m, found, node) if m.loops else found
    found = _lookup(m, value, key, node)
    return assume(found, assumptions_of(base) | _key_assumptions(key))


def _may_be_list(m: Machine, node: ast.AST) -> bool:
    """Whether it is a tuple that was put into a configuration, of which easydict made a list up to 1.10 and a tuple
    since (easydict/__init__.py: EasyDict.__setattr__): rows that are chosen by it, or one place."""
    key = getattr(node, "slice", None)
    return isinstance(key, ast.Attribute) and isinstance(plain(m.eval(key.value)), AttrDictV)


def _of_this_turn(m: Machine, found: Any, node: ast.AST) -> Any:
    """Of a window that moves with the variable of the loop, that it does."""
    if not isinstance(found, Tensor) or not isinstance(found.shape, tuple) \
            or not any(type(dim) is Window for dim in found.shape):
        return found
    name = m.loops[-1].facts.get(VARIABLE)
    if not any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(getattr(node, "slice", node))):
        return found
    return found.with_(shape=tuple(dim.moving if type(dim) is Window else dim for dim in found.shape),
                       content=found.content)


MODULE_DICT = "torch.nn.ModuleDict"
"""A user's class that derives from it has its modules as attributes."""


def _lookup(m: Machine, value: Any, key: Any, node: ast.AST) -> Any:
    if isinstance(value, DictV):
        return _from_dict(m, value, key)
    if isinstance(value, (tuple, ListV, str, RangeV)):
        return _from_sequence(m, value, key, node)
    if isinstance(value, InstanceV):
        from cudnnlint.interp.attributes import method_of

        method = method_of(value, "__getitem__")
        if method is not MISSING:
            return m.call(method, [key], {}, node)
        if value.cls.fields is not None and is_named_tuple(value.cls):
            fields = tuple(value.items.get(name, Unknown(name)) for name in value.cls.fields)
            return _from_sequence(m, fields, key, node)
        if value.cls.external_base() == MODULE_DICT and isinstance(name := plain(key), str):
            return value.items.get(name, value.unknown or Unknown("a module of that name"))
        return value.chain.item(m, key, node) if value.chain is not None else Unknown("item of an object")
    if isinstance(value, NamespaceV):
        name = plain(key)
        return value.items.get(name, value.unknown or Unknown("item")) if isinstance(name, str) else Unknown("item")
    if isinstance(value, ClassV):
        if value.members is not None and isinstance(plain(key), str):
            found = [member for member in value.members if member.items.get("name") == plain(key)]
            return found[0] if found else Unknown(f"a member of {value.name}")
        return value  # a generic alias: Foo[int]
    if isinstance(value, External):
        if (path := f"{value.path}.__getitem__") in CALLS:
            return guarded(m, path, Call(m, value, [key], {}, node, value))
        if value.path in UNIONS and is_class(plain(key)):
            return (*(key if type(key) is tuple else (key,)), *UNIONS[value.path])
        name = f"{plain(key)!r} " if isinstance(plain(key), str) else ""
        return value if value.path.rpartition(".")[2][:1].isupper() else Unknown(f"{name}from {value.path}")
    own = getattr(value, "item", None)
    return own(m, key, node) if own is not None else Unknown("item of an unknown value")


def _from_dict(m: Machine, value: DictV, key: Any) -> Any:
    key = key_of(key)
    if value.unknown:
        return value.unknown
    if isinstance(key, Unknown):
        if value.default is not None:  # a key may come to be
            m.heap.touch(value)
            value.unknown = Unknown("an unknown key")
            return value.unknown
        m.doubts += 1
        return join(list(value.items.values())) if 0 < len(value.items) <= JOINED else Unknown("an unknown key")
    if key in value.items:
        return value.items[key]
    if value.default is COUNTING:
        return 0
    if value.default is not None:
        made = m.call(value.default, [], {}, ast.Constant(value=None, lineno=1, col_offset=0))
        m.set_item(value, key, made)
        return made
    would_raise(m, KeyError)
    return Unknown(f"key {key!r} is not there")


def _from_sequence(m: Machine, value: Any, key: Any, node: ast.AST) -> Any:
    if isinstance(value, ListV) and value.unknown:
        return value.copy() if isinstance(plain(key), slice) else value.typical()
    index = _index(key)
    items = value.items if isinstance(value, ListV) else value.range if isinstance(value, RangeV) else value
    if index is None:
        tell_of_float(m, value, key, _key_assumptions(key), node)
        if isinstance(plain(key), slice):
            return Unknown("an unknown slice")
        m.doubts += 1
        if isinstance(plain(key), str):
            return Unknown(f"key {plain(key)!r} of a sequence")
        if not items or isinstance(items, str) or len(items) > JOINED:
            return Unknown("an unknown index", number=bool(items) and all(map(is_number, items)))
        return join(list(items))
    try:
        found = items[index]
    except (IndexError, ValueError):
        would_raise(m, IndexError)
        if isinstance(index, int) and isinstance(value, tuple | ListV):
            tell_of_index(m, value, index, assumptions_of(key), node)
        return Unknown("index out of range")
    if isinstance(index, slice):
        if isinstance(value, ListV):
            return value.sliced(found)
        return RangeV(found) if isinstance(value, RangeV) else found
    return found


def set_item(m: Machine, base: Any, key: Any, value: Any, node: ast.AST) -> None:
    target = plain(base)
    if type(target) is OneOf:
        set_in_one(m, target, key, value)
    elif isinstance(target, DictV):
        name = key_of(key)
        if m.loops:
            collected(m, plain(value))
            kept_by_key(m, target, name, value, node)
        m.heap.touch(target)
        if isinstance(name, Unknown):
            target.unknown = Unknown("an unknown key was set")
        else:
            target.items[name] = value
        written(m, target)
        bound(m, target, name, value)
    elif isinstance(target, ListV):
        _set_in_list(m, target, key, value)
    elif isinstance(target, NamespaceV):
        name = strip(key)
        if isinstance(name, str):
            m.set_item(target, name, value)
    elif isinstance(target, InstanceV):
        from cudnnlint.interp.attributes import method_of

        method = method_of(target, "__setitem__")
        if method is not MISSING:
            m.call(method, [key, value], {}, target.cls.node or ast.Constant(value=None, lineno=1, col_offset=0))
        elif target.cls.external_base() == MODULE_DICT:
            if isinstance(name := plain(key), str):
                m.set_item(target, name, value)
            else:
                m.heap.touch(target)
                target.unknown = Unknown("a module under a name that is not known")
    elif (hook := getattr(target, "set_item", None)) is not None:
        if (check := getattr(target, "check_key", None)) is not None:
            check(m, key, m.span(node))
        hook(m, key, value)
    elif isinstance(target, External) and (path := f"{target.path}.__setitem__") in CALLS:
        guarded(m, path, Call(m, target, [key, value], {}, node, target))


def _set_in_list(m: Machine, target: ListV, key: Any, value: Any) -> None:
    m.heap.touch(target)
    if isinstance(plain(key), slice):
        dropped(m, target)
    index = _index(key)
    if isinstance(index, int) and not target.unknown and -len(target.items) <= index < len(target.items):
        target.items[index] = value
    elif index is None and not isinstance(plain(key), slice) and not target.unknown and len(target.items) <= JOINED:
        target.items = [join([item, value]) for item in target.items]
    elif isinstance(index, slice) and not target.unknown and _takes(target, index, plain(value)):
        other = plain(value)
        target.items[index] = other.items if isinstance(other, ListV) else other
    else:
        more = elements(m, value) if isinstance(plain(key), slice) else [value]
        target.loosen(Unknown("an unknown item was set"), [sample(m, value)] if isinstance(more, Unknown) else more)


def _takes(target: ListV, index: slice, value: Any) -> bool:
    """Whether a slice can be set to what is a known number of elements: one with steps takes as many as it has."""
    if not isinstance(value, tuple | ListV) or (isinstance(value, ListV) and value.unknown):
        return False
    count = len(value.items if isinstance(value, ListV) else value)
    return index.step in (None, 1) or len(range(*index.indices(len(target.items)))) == count


def delete_item(m: Machine, base: Any, key: Any) -> None:
    target = plain(base)
    if type(target) is OneOf:
        lose_any(m, target)
    elif isinstance(target, DictV):
        m.heap.touch(target)
        name = key_of(key)
        if isinstance(name, Unknown):
            target.unknown = Unknown("an unknown key was deleted")
        else:
            target.remove(name)
    elif isinstance(target, ListV):
        m.heap.touch(target)
        dropped(m, target)
        index = _index(key)
        try:
            if not target.unknown:
                del target.items[index]
        except (IndexError, TypeError, ValueError):
            target.loosen(Unknown("an unknown item was deleted"))
    elif isinstance(target, InstanceV):
        from cudnnlint.interp.attributes import method_of

        if (method := method_of(target, "__delitem__")) is not MISSING:
            m.call(method, [key], {}, target.cls.node or ast.Constant(value=None, lineno=1, col_offset=0))

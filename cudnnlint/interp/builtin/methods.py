"""Methods of Python's own containers and text over abstract values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.builtin.texts import call_text_method
from cudnnlint.interp.convert import key_of, strip
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.lists import BoundedV
from cudnnlint.interp.loops.kept import changed
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.namespaces import updated, written
from cudnnlint.interp.objects import GeneratorV, RangeV
from cudnnlint.interp.raising import would_raise
from cudnnlint.values import Symbol, Tensor, Unknown
from cudnnlint.values.dim import product
from cudnnlint.values.unknown import Grown

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine
    from cudnnlint.interp.registry import Call

Method = Callable[["Machine", Any, "Call"], Any]
LIST: dict[str, Method] = {}
DICT: dict[str, Method] = {}
TUPLE: dict[str, Method] = {}


def method(table: dict[str, Method], *names: str) -> Callable[[Method], Method]:
    def decorate(function: Method) -> Method:
        table.update(dict.fromkeys(names, function))
        return function

    return decorate


FEWEST = {"append": 1, "extend": 1, "insert": 2, "appendleft": 1, "extendleft": 1}


def call_python_method(m: Machine, receiver: Any, value: Any, name: str, c: Call) -> Any:
    table = LIST if isinstance(value, ListV) else DICT if isinstance(value, DictV) else \
        TUPLE if isinstance(value, tuple) else {}
    if table is LIST and ("**" in c.kwargs or len(c.args) < FEWEST.get(name, 0)):
        m.heap.touch(value)
        value.loosen(Unknown("arguments that are not known"), ())
        return Unknown(f"{name}()")
    if m.loops and table is LIST and type(value) is not BoundedV:
        changed(m, value, name, c.args, c.span)
    if name in table:
        result = table[name](m, value, c)
        if type(value) is BoundedV:
            value.bound(name)
        return result
    if isinstance(value, (str, int, float, bytes)):
        return call_text_method(m, receiver, value, name, c)
    if isinstance(value, GeneratorV) and name == "__next__":
        from cudnnlint.interp.builtin.functions import BUILTINS

        return m.call(BUILTINS["next"], [value], {}, c.node)
    if isinstance(value, (ListV, DictV)):
        m.heap.touch(value)
        value.unknown = Unknown(f"changed by {name}()")
    if isinstance(value, (RangeV, tuple)) and name in ("index", "count"):
        return Unknown(name, number=True)
    return Unknown(f"{name}()")


@method(LIST, "append")
def append(m: Machine, value: ListV, c: Call) -> Any:
    m.heap.touch(value)
    if len(value.items) < m.limits.items:
        value.items.append(c.args[0] if c.args else None)
    else:
        value.loosen(Unknown("a long list"), c.args)


@method(LIST, "extend")
def extend(m: Machine, value: ListV, c: Call) -> Any:
    from cudnnlint.interp.iterate import extended

    extended(m, value, c.args[0])


@method(LIST, "insert")
def insert(m: Machine, value: ListV, c: Call) -> Any:
    m.heap.touch(value)
    index = plain(c.args[0])
    if isinstance(index, int):
        value.items.insert(max(-len(value.items), min(index, len(value.items))), c.args[1])
    else:
        value.loosen(Unknown("inserted at an unknown place"), c.args[1:])


@method(LIST, "pop")
def pop(m: Machine, value: ListV, c: Call) -> Any:
    index = plain(c.args[0]) if c.args else -1
    if not value.unknown and isinstance(index, int) and not -len(value.items) <= index < len(value.items):
        would_raise(m, IndexError)
    m.heap.touch(value)
    if value.unknown or not isinstance(index, int) or not -len(value.items) <= index < len(value.items):
        value.loosen(value.unknown or Unknown("popped at an unknown place"))
        return value.typical()
    return value.items.pop(index)


@method(LIST, "remove")
def remove(m: Machine, value: ListV, c: Call) -> None:
    from cudnnlint.interp.equality import equal

    if not c.args:
        would_raise(m, TypeError)
        return
    m.heap.touch(value)
    for i, item in enumerate(() if value.unknown else value.items):
        verdict = True if item is c.args[0] else equal(item, c.args[0])
        if verdict:
            del value.items[i]
            return
        if verdict is None:
            break
    else:
        if not value.unknown:
            would_raise(m, ValueError)
    value.loosen(Unknown("removed an unknown element"))


@method(LIST, "clear")
def clear(m: Machine, value: ListV, c: Call) -> Any:
    m.heap.touch(value)
    value.items, value.unknown = [], None


@method(LIST, "reverse")
def reverse(m: Machine, value: ListV, c: Call) -> Any:
    m.heap.touch(value)
    value.items.reverse()


@method(LIST, "sort")
def sort(m: Machine, value: ListV, c: Call) -> Any:
    from cudnnlint.interp.builtin.ordering import arranged

    order = arranged(c, list(value.items)) if value.unknown is None and not c.args else None
    m.heap.touch(value)
    if order is not None:
        value.items = order
    else:
        value.loosen(Unknown("an order that is not known"))


@method(LIST, "copy", "tolist", "to_list")
def copy(m: Machine, value: ListV, c: Call) -> Any:
    return value.copy()


@method(LIST, "index", "count")
@method(TUPLE, "index", "count")
def index(m: Machine, value: Any, c: Call) -> Any:
    items = value.items if isinstance(value, ListV) else value
    raw = [plain(item) for item in items]
    wanted = plain(c.args[0]) if c.args else None
    if ((isinstance(value, ListV) and value.unknown)
            or not all(isinstance(item, (int, str, float)) for item in (*raw, wanted))):
        return Unknown("index of an unknown value", number=True)
    name = getattr(c.callee, "name", "index")
    if name == "count":
        return raw.count(wanted)
    if wanted not in raw:
        would_raise(m, ValueError)
        return Unknown("not in the list", number=True)
    return raw.index(wanted)


@method(TUPLE, "as_list")
def as_list(m: Machine, value: tuple[Any, ...], c: Call) -> Any:
    return ListV(list(value))


@method(TUPLE, "num_elements")
def num_elements(m: Machine, value: tuple[Any, ...], c: Call) -> Any:
    total = product(strip(value))
    return None if isinstance(total, Symbol) else total


@method(TUPLE, "is_fully_defined")
def is_fully_defined(m: Machine, value: tuple[Any, ...], c: Call) -> Any:
    return Unknown("a shape") if any(isinstance(plain(dim), Unknown) for dim in value) else None not in value


@method(TUPLE, "concatenate")
def concatenate(m: Machine, value: tuple[Any, ...], c: Call) -> Any:
    found = elements(m, c.first)
    return found if isinstance(found, Unknown) else value + tuple(found)


@method(TUPLE, "numpy")
def numpy(m: Machine, value: tuple[Any, ...], c: Call) -> Any:
    return value


@method(DICT, "get")
def get(m: Machine, value: DictV, c: Call) -> Any:
    default = c.args[1] if len(c.args) > 1 else c.kwargs.get("default")
    key = key_of(c.args[0]) if c.args else Unknown()
    if value.lost or isinstance(key, Unknown):
        return value.unknown or Unknown("an unknown key", number=_holds_numbers(value, default))
    if key not in value.items and value.absent and isinstance(default, Tensor) and default.shape == (0,):
        return Unknown("what is given in place of nothing")
    return value.items[key] if key in value.items else assume(default, value.absent)


def _holds_numbers(value: DictV, default: Any) -> bool:
    """Whether every value is a number, and what stands for none."""
    return not value.open and all(isinstance(plain(one), int | float) for one in (*value.items.values(), default))


@method(DICT, "items")
def items(m: Machine, value: DictV, c: Call) -> Any:
    return ListV([(key, item) for key, item in value.items.items()], value.open)


@method(DICT, "keys")
def keys(m: Machine, value: DictV, c: Call) -> Any:
    return ListV(list(value.items), value.open)


@method(DICT, "values")
def values(m: Machine, value: DictV, c: Call) -> Any:
    return ListV(list(value.items.values()), value.open)


@method(DICT, "copy")
def copy_dict(m: Machine, value: DictV, c: Call) -> Any:
    return DictV(dict(value.items), value.unknown, is_set=value.is_set, default=value.default, absent=value.absent)


@method(DICT, "update")
def update(m: Machine, value: DictV, c: Call) -> Any:
    m.heap.touch(value)
    for arg in c.args:
        other = plain(arg)
        found = elements(m, other) if value.is_set or not isinstance(other, DictV) else None
        if isinstance(other, DictV) and not value.is_set:
            value.items.update(other.items)
            value.unknown = value.unknown or other.unknown
        elif value.is_set and found is not None and not isinstance(found, Unknown):
            value.items.update(dict.fromkeys(found))
        else:
            value.unknown = value.unknown or Grown("updated with an unknown mapping")
    named = dict(c.kwargs)
    if "**" in named:
        value.unknown = plain(named.pop("**"))
    value.items.update(named)
    written(m, value)
    updated(m, value)


@method(DICT, "setdefault")
def setdefault(m: Machine, value: DictV, c: Call) -> Any:
    key = key_of(c.first)
    if value.lost or isinstance(key, Unknown):
        m.heap.touch(value)
        value.unknown = value.unknown or Unknown("set under an unknown key")
        return Unknown("setdefault of an unknown key")
    if key not in value.items:
        m.set_item(value, key, assume(c.args[1] if len(c.args) > 1 else None, value.absent))
    return value.items[key]


@method(DICT, "pop")
def pop_dict(m: Machine, value: DictV, c: Call) -> Any:
    m.heap.touch(value)
    key = key_of(c.args[0]) if c.args else Unknown()
    if value.lost or isinstance(key, Unknown):
        value.unknown = Unknown("popped an unknown key")
        return value.unknown
    if key in value.items:
        return value.remove(key)
    if len(c.args) > 1:
        return assume(c.args[1], value.absent)
    would_raise(m, KeyError)
    return Unknown(f"key {key!r} is not there")


@method(DICT, "add")
def add(m: Machine, value: DictV, c: Call) -> Any:
    m.heap.touch(value)
    key = key_of(c.first)
    if isinstance(key, Unknown):
        value.unknown = key
    else:
        value.items[key] = None

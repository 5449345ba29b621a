"""Attributes that are set later: what a method finds that nothing calls, once others have run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

from cudnnlint.interp.attribute_setting import shared
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import ClassV, FunctionV, InstanceV, ModuleV
from cudnnlint.interp.subscript import MUTATORS
from cudnnlint.source.walk import walk
from cudnnlint.values import Tensor, Unknown

INITIAL = frozenset({"__init__", "__new__", "__post_init__", "build", "setUp", "reset"})
"""Methods that give attributes their first values."""
CHANGED = "attributes that methods change"
"""Note: (class, how) -> their names."""


def open_attributes(m: Machine, instance: InstanceV) -> None:
    """Placeholders that other methods replace or fill, `None`, an empty list or tensor, a counter, are not known, nor
    are arrays that they lengthen.

    Models, layers and data keep what they are: the order of methods in a class is mostly that in which they run. Not
    so of models that methods make in place of each other, `build_small()` or `build_large()`.
    """
    _open(m, instance, {id(instance)})
    for name, value in list(instance.items.items()):
        if isinstance(plain(value), ModelV) and name in _alternatives(m, instance.cls):
            m.set_item(instance, name, Unknown(f"attribute {name}, which several methods make"))


MOST_MODULES = 24
"""Modules whose settings are looked at."""


def open_settings(m: Machine, module: ModuleV) -> None:
    """What settings that a module made have not got yet, `None`, an empty text or list, is not known if a method of
    theirs sets attributes by names that it is given: `setattr(self, key, value)` of what a file says. So it is in the
    modules that functions come from."""
    modules = [module]
    for each in modules:
        values = [plain(value) for value in each.scope.items.values()]
        _open_settings(m, values)
        found = (value if isinstance(value, ModuleV) else getattr(value, "module", None) for value in values)
        modules += dict.fromkeys(one for one in found if isinstance(one, ModuleV) and one not in modules) \
            if len(modules) < MOST_MODULES else ()


def _open_settings(m: Machine, values: list[Any]) -> None:
    for held in [*filter(_is_own, values)][:MOST_WITHIN]:
        if any(_sets_any(method.node) for cls in held.cls.mro if isinstance(cls, ClassV) for method in
               cls.items.values() if isinstance(method, FunctionV) and method.name not in INITIAL):
            for name, value in {**shared(held), **held.items}.items():
                if is_placeholder(plain(value)) and not isinstance(plain(value), bool | int | float):
                    m.set_item(held, name, Unknown(f"attribute {name}, which may be set by its name"))


def _sets_any(node: Any) -> bool:
    """Whether a method sets attributes of its object under names that are not written; kept on the node."""
    known: bool | None = getattr(node, "cudnnlint_sets_any", None)
    if known is None:
        own = [arg.arg for arg in node.args.args[:1]]
        known = node.cudnnlint_sets_any = any(
            isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "setattr"
            and len(each.args) > 1 and isinstance(each.args[0], ast.Name) and [each.args[0].id] == own
            and not isinstance(each.args[1], ast.Constant) for each in walk(node))
    return known


MOST_WITHIN = 60
"""Objects of an object that are looked at."""


def _open(m: Machine, instance: InstanceV, seen: set[int]) -> None:
    """Also what the objects hold that it has: `self.vocabulary.size`, which a method of the vocabulary sets."""
    for inner in _objects(list(instance.items.values())):
        if id(inner) not in seen and len(seen) < MOST_WITHIN:
            seen.add(id(inner))
            _open(m, inner, seen)
    held = [name for name, value in instance.items.items() if is_placeholder(plain(value))]
    arrays = [name for name, value in instance.items.items() if getattr(plain(value), "kind", "") == "numpy"]
    changed = _all(m, instance.cls, _of) if held else frozenset[str]()
    grown = _all(m, instance.cls, _grown) if arrays else frozenset[str]()
    for name in (*held, *arrays):
        if name in (changed if name in held else grown):
            m.set_item(instance, name, Unknown(f"attribute {name}, which other methods set"))


def _objects(values: list[Any]) -> Iterator[InstanceV]:
    """Objects of the program's own classes among values and in lists and dicts of them; layers and models are not."""
    for value in map(plain, values):
        if isinstance(value, DictV | ListV):
            inside = list(value.items.values()) if isinstance(value, DictV) else value.items
            yield from (each for each in map(plain, inside[:MOST_WITHIN]) if _is_own(each))
        elif _is_own(value):
            yield value


def _is_own(value: Any) -> TypeGuard[InstanceV]:
    return isinstance(value, InstanceV) and value.extra is None \
        and not (value.cls.external_base() or "").startswith(("keras.", "tensorflow.", "torch."))


def hollow_models(instance: InstanceV) -> dict[str, tuple[Any, Any]]:
    """Sequential models without layers, which methods fill, by attribute; with the state that they are in."""
    held = ((name, plain(value)) for name, value in instance.items.items())
    return {name: (value, value.snapshot()) for name, value in held
            if getattr(value, "kind", "") == "sequential" and not value.layers.items and not value.layers.unknown}


def emptied(m: Machine, hollow: dict[str, tuple[Any, Any]], method: FunctionV) -> None:
    """Of methods that fill the same model each is for itself: `vgg16()` or `vgg19()`."""
    filled = _of(method.node) if hollow and isinstance(method.node, ast.FunctionDef) else frozenset()
    for name, (model, state) in hollow.items():
        if name in filled and model.layers.items:
            m.heap.touch(model)
            model.restore(state)


def is_placeholder(value: Any) -> bool:
    """Whether it is what people write before there is anything: None, a number or flag, something empty."""
    if value is None or isinstance(value, bool | int | float | str):
        return True
    if isinstance(value, ListV | DictV | tuple):
        return not (value if isinstance(value, tuple) else value.items)
    return isinstance(value, Tensor) and isinstance(value.shape, tuple) and 0 in value.shape


def _all(m: Machine, cls: ClassV, names: Callable[[Any], frozenset[str]]) -> frozenset[str]:
    """Attributes that methods of the class change so, other than those that make it what it is; found once."""
    known: dict[Any, frozenset[str]] = m.notes.setdefault(CHANGED, {})
    if (cls, names) not in known:
        known[cls, names] = frozenset(_names_of_all(cls, names))
    return known[cls, names]


def _alternatives(m: Machine, cls: ClassV) -> frozenset[str]:
    """Attributes that several methods make, each for itself; found once."""
    known: dict[Any, frozenset[str]] = m.notes.setdefault(CHANGED, {})
    if (cls, _makes) not in known:
        counted = Counter(_names_of_all(cls, _makes))
        known[cls, _makes] = frozenset(name for name, times in counted.items() if times > 1)
    return known[cls, _makes]


def _makes(node: Any) -> frozenset[str]:
    """Attributes to which a method gives what a call makes, out of other things and not of a file."""
    return frozenset(
        target.attr for each in walk(node) if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
        and not LOADING.match(ast.unparse(each.value.func)) for target in each.targets
        if isinstance(target, ast.Attribute) and not _mentions(each.value, target.attr))


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == name for part in walk(node))


def _names_of_all(cls: ClassV, names: Callable[[Any], frozenset[str]]) -> Iterator[str]:
    methods = (method for one in cls.mro if isinstance(one, ClassV) for held in one.items.values()
               if isinstance(held, FunctionV) and held.name not in INITIAL for method in (held, held.setter) if method)
    for method in methods:
        if isinstance(method.node, ast.FunctionDef):
            yield from names(method.node)


LOADING = re.compile(r"(?:.*[._])?(?:load|restore|from_json|from_config|clone)", re.IGNORECASE)
LENGTHENING = frozenset({"append", "concatenate", "concat", "vstack", "hstack", "stack", "insert", "delete", "pad",
                         "resize"})


def _grown(node: Any) -> frozenset[str]:
    """Attributes that a method makes longer or shorter: `self.rows = np.append(self.rows, row)`."""
    known: frozenset[str] | None = getattr(node, "cudnnlint_grown", None)
    if known is None:
        known = node.cudnnlint_grown = frozenset(
            target.attr for each in walk(node) if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
            and isinstance(each.value.func, ast.Attribute) and each.value.func.attr in LENGTHENING
            for target in each.targets if isinstance(target, ast.Attribute)
            and _mentions(each.value, target.attr))
    return known


def _of(node: Any) -> frozenset[str]:
    """The same of one method; kept on the node."""
    known: frozenset[str] | None = getattr(node, "cudnnlint_sets", None)
    if known is None:
        arguments = (*node.args.posonlyargs, *node.args.args)
        known = node.cudnnlint_sets = frozenset(_names(node, arguments[0].arg) if arguments else ())
    return known


def _names(node: ast.FunctionDef, receiver: str) -> Iterator[str]:
    inner: Any
    for inner in (each for statement in node.body for each in walk(statement)):
        kind = type(inner)
        if kind is ast.Attribute:
            if type(inner.ctx) is not ast.Load:
                yield from _own(inner, receiver)
        elif kind is ast.Subscript:
            if type(inner.ctx) is not ast.Load:
                yield from _own(inner.value, receiver)
        elif kind is ast.Call and isinstance(inner.func, ast.Attribute) and inner.func.attr in MUTATORS:
            yield from _own(inner.func.value, receiver)


def _own(node: ast.expr, receiver: str) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver:
        yield node.attr

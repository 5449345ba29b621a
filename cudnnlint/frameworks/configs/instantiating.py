"""hydra's instantiate(): objects that a configuration names by `_target_`, made of the values beside it.

Which keys mean what: hydra/_internal/instantiate/_instantiate2.py.
"""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.attribute_dicts import LinkedDictV
from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import plain
from cudnnlint.interp.modules import load_module
from cudnnlint.interp.objects import ModuleV, PartialV
from cudnnlint.interp.registry import ROOTS, Call
from cudnnlint.values import Unknown

TARGET, PARTIAL, ARGS, RECURSIVE = "_target_", "_partial_", "_args_", "_recursive_"
KEYS = frozenset({TARGET, PARTIAL, ARGS, RECURSIVE, "_convert_"})
DEEPEST = 32


@FRAMEWORK.on("hydra.utils.instantiate", "hydra.utils.call")
def instantiate(c: Call) -> Any:
    """The object, with what the call itself gives in place of what the configuration says."""
    config, *args = c.args or [c.kwargs.get("config")]
    given = {name: value for name, value in c.kwargs.items() if name != "config"}
    held = plain(config)
    if held is None:
        return None
    if isinstance(held, DictV):
        return _made(c, LinkedDictV({**held.items, **given}, held.unknown), args, 0)
    return _within(c, config, 0) if isinstance(held, ListV) else Unknown("what a configuration names")


def _made(c: Call, table: DictV, args: list[Any], depth: int) -> Any:
    """What a table with a target names; another one, with its parts made."""
    recursive = plain(table.items.get(RECURSIVE, True))
    target, partial = plain(table.items.get(TARGET)), plain(table.items.get(PARTIAL, False))
    if table.unknown or depth > DEEPEST or not isinstance(recursive, bool) or not isinstance(partial, bool):
        return table.unknown or Unknown("what a configuration names")
    values = {key: _within(c, value, depth + 1) if recursive else value
              for key, value in table.items.items() if key not in KEYS}
    if TARGET not in table.items:
        return LinkedDictV(values)
    callee = located(c, target) if isinstance(target, str) else plain(target)
    if not args and ARGS in table.items:
        found = elements(c.machine, plain(table.items[ARGS]))
        if isinstance(found, Unknown):
            return found
        args = [_within(c, value, depth + 1) if recursive else value for value in found]
    if isinstance(callee, Unknown) or not all(isinstance(key, str) for key in values):
        return callee if isinstance(callee, Unknown) else Unknown("what a configuration names")
    return PartialV(callee, tuple(args), values) if partial else c.machine.call(callee, args, values, c.node)


def _within(c: Call, value: Any, depth: int) -> Any:
    """A value with the tables in it that have targets made."""
    held = plain(value)
    if isinstance(held, DictV) and not held.is_set:
        return _made(c, held, [], depth)
    if isinstance(held, ListV):
        return ListV([_within(c, item, depth + 1) for item in held.items], held.unknown)
    return value


@FRAMEWORK.on("hydra.utils.get_class", "hydra.utils.get_method", "hydra.utils.get_object")
def named(c: Call) -> Any:
    path = plain(c.get(0, "path"))
    return located(c, path) if isinstance(path, str) else Unknown("what a path of hydra names")


def located(c: Call, dotted: str) -> Any:
    """What stands behind `package.module.Class.method`: the longest name of a module counts."""
    m, parts = c.machine, dotted.split(".")
    for count in range(len(parts) - 1, 0, -1):
        value = load_module(m, ".".join(parts[:count]))
        if isinstance(value, ModuleV) or parts[0] in ROOTS:
            for name in parts[count:]:
                value = get_attribute(m, value, name, c.node)
            return value
    return Unknown(f"{dotted}, which is not read")

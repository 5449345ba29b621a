"""OmegaConf: configurations whose values may name others, `${model.units}`."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.frameworks.configs.files import loaded
from cudnnlint.frameworks.configs.options import started
from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.attribute_dicts import AttrDictV, LinkedDictV, opened
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import ClassV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import NONE, Assumptions

NAMED = re.compile(r"\$\{([^${}]*)\}")
"""What a value names (omegaconf/grammar/OmegaConfGrammarParser.g4); within each other they are not followed."""
MISSING = "???"
DEEPEST = 16


@FRAMEWORK.on("omegaconf.OmegaConf.load")
def load(c: Call) -> Any:
    return linked(loaded(c.machine, c.get(0, "file_"), "YAML 1.2", by_path=True))


@FRAMEWORK.on("omegaconf.OmegaConf.create", "omegaconf.DictConfig", "omegaconf.OmegaConf.structured")
def create(c: Call) -> Any:
    held = plain(c.get(0, "obj", c.kwargs.get("content")))
    if isinstance(held, str):
        return linked(loaded(c.machine, held, "YAML 1.2"))
    if held is None and not c.args:
        return LinkedDictV()
    if isinstance(held, ClassV | InstanceV):
        return linked(structured(c, held))
    return linked(held) if isinstance(held, DictV | ListV) else Unknown("a configuration made of what is not known")


def structured(c: Call, value: Any) -> Any:
    """A configuration of the fields of a dataclass, or of an object of one (omegaconf/_utils.py: get_dataclass_data);
    Unknown of anything else."""
    held = plain(value)
    if isinstance(held, ClassV) and held.fields is not None:
        held = plain(started(c, held))
    if not isinstance(held, InstanceV) or not held.cls.fields:
        return Unknown("a configuration made of what is not known")
    return DictV({name: structured(c, item) if isinstance(plain(item), InstanceV) else item
                  for name, item in held.items.items() if name in held.cls.fields})


@FRAMEWORK.on("omegaconf.OmegaConf.merge", "omegaconf.OmegaConf.unsafe_merge")
def merge(c: Call) -> Any:
    """From left to right; what is named is looked up in the result."""
    total: Any = LinkedDictV()
    for arg in c.args:
        held = plain(arg)
        if not isinstance(held, DictV) or held.unknown:
            return Unknown("merged with what is not known")
        add(total, unresolved(held))
    return linked(total)


def add(into: DictV, other: DictV) -> None:
    """Key by key into a tree that nobody else has."""
    for key, value in other.items.items():
        inner, held = plain(into.items.get(key)), plain(value)
        if isinstance(inner, DictV) and isinstance(held, DictV) and not held.unknown:
            add(inner, held)
        else:
            into.items[key] = value


def unresolved(tree: Any) -> Any:
    """A copy with the texts that name other values, as they were written."""
    held = plain(tree)
    if isinstance(held, DictV):
        written = getattr(held, "written", {})
        items = {key: written.get(key, item) for key, item in held.items.items()}
        return LinkedDictV({key: unresolved(item) for key, item in items.items()}, held.unknown)
    return opened(tree, LinkedDictV) if isinstance(held, ListV) else tree


def linked(value: Any) -> Any:
    """A configuration in which what is named stands where it is named."""
    held = plain(value)
    if not isinstance(held, DictV):
        return opened(value, LinkedDictV)
    root = unresolved(held)
    _link(root, root, ())
    return root


def _link(root: LinkedDictV, table: LinkedDictV, place: tuple[Any, ...]) -> None:
    for key, value in list(table.items.items()):
        held = plain(value)
        if isinstance(held, LinkedDictV):
            held.derived = root.derived
            _link(root, held, (*place, key))
        elif isinstance(held, ListV):
            held.items[:] = [resolved(root, item, place, 0) for item in held.items]
        elif isinstance(held, str) and ("${" in held or held == MISSING):
            table.written[key] = value
            table.items[key] = resolved(root, value, place, 0)
            root.derived.append((table, key))


def resolved(root: DictV, value: Any, place: tuple[Any, ...], depth: int) -> Any:
    """What a text stands for: one value, or a text with values in it."""
    text, rests = plain(value), assumptions_of(value)
    if text == MISSING:
        return Unknown("a value that is missing in the configuration")
    if not isinstance(text, str) or "${" not in text:
        return value
    if depth > DEEPEST:
        return Unknown("values that name each other")
    whole = NAMED.fullmatch(text)
    if whole is not None:
        return assume(_named(root, whole[1], place, depth), rests)
    parts: list[str] = []
    last = 0
    for found in NAMED.finditer(text):
        one = _named(root, found[1], place, depth)
        if not isinstance(plain(one), str | int | float):
            return Unknown(f"{found[0]} in a text")
        rests |= assumptions_of(one)
        parts += [text[last:found.start()], str(plain(one))]
        last = found.end()
    made = "".join(parts) + text[last:]
    return Unknown("a text that names a value") if "${" in made else assume(made, rests)


def _named(root: DictV, path: str, place: tuple[Any, ...], depth: int) -> Any:
    """The value at a path from the root, or with dots before it from where it is named."""
    if ":" in path:
        return Unknown(f"${{{path}}}")
    dots = len(path) - len(path.lstrip("."))
    at: list[Any] = list(place[:len(place) - dots + 1]) if dots else []
    at += [part for part in re.split(r"[.\[\]]+", path.lstrip(".")) if part]
    found: Any = root
    rests: Assumptions = NONE
    for part in at:
        held = plain(found)
        rests |= assumptions_of(found)
        if isinstance(held, DictV) and not held.unknown and part in held.items:
            found = getattr(held, "written", {}).get(part, held.items[part])
        elif isinstance(held, ListV) and not held.unknown and part.isdigit() and int(part) < len(held.items):
            found = held.items[int(part)]
        else:
            return Unknown(f"${{{path}}}, which is not there")
    if isinstance(plain(found), DictV | ListV):
        return Unknown(f"${{{path}}}, which is more than a value")
    return assume(resolved(root, found, tuple(at[:-1]), depth + 1), rests)


@FRAMEWORK.on("omegaconf.OmegaConf.update")
def update(c: Call) -> Any:
    """`OmegaConf.update(cfg, "model.units", 5)`"""
    held, key = plain(c.get(0, "cfg")), plain(c.get(1, "key"))
    if isinstance(held, AttrDictV) and isinstance(key, str):
        *before, last = key.split(".")
        for part in before:
            held = plain(held.items.get(part)) if isinstance(held, AttrDictV) else None
        if isinstance(held, AttrDictV):
            put(c.machine, held, last, c.get(2, "value"))


def put(m: Machine, table: AttrDictV, key: str, value: Any) -> None:
    m.set_item(table, key, value)
    table.changed(m)


@FRAMEWORK.on(*(f"omegaconf.OmegaConf.{name}" for name in ("set_struct", "set_readonly", "register_new_resolver",
                                                           "register_resolver", "save", "resolve")))
def nothing(c: Call) -> Any:
    """What only guards against changes, or writes."""
    return


@FRAMEWORK.on("omegaconf.OmegaConf.select")
def select(c: Call) -> Any:
    held, key = plain(c.get(0, "cfg")), plain(c.get(1, "key"))
    if not isinstance(held, DictV) or not isinstance(key, str):
        return Unknown("select()")
    for part in key.split("."):
        if not isinstance(held, DictV) or held.unknown or part not in held.items:
            return Unknown(f"key {key!r}")
        found = held.items[part]
        held = plain(found)
    return found

"""configparser: what INI files of the project say, as texts and as the numbers that are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.configs.files import loaded
from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

NAMES = ("ConfigParser", "SafeConfigParser", "RawConfigParser")
STATES = {"1": True, "yes": True, "true": True, "on": True, "0": False, "no": False, "false": False, "off": False}
"""configparser.RawConfigParser.BOOLEAN_STATES"""
DEFAULT = "DEFAULT"


def _boolean(text: str) -> bool:
    return STATES[text.lower()]


READ: dict[str, Callable[[str], Any]] = {"get": str, "getint": int, "getfloat": float, "getboolean": _boolean}


class SectionV:
    """One section: `config["model"]`, whose values are texts."""

    always_true = True

    def __init__(self, name: str, values: DictV, unknown: Unknown | None) -> None:
        self.name, self.values, self.unknown = name, values, unknown

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return self.value(key, "get", None, given=False)

    def value(self, key: Any, how: str, fallback: Any, *, given: bool) -> Any:
        name = plain(key)
        if not isinstance(name, str) or self.unknown or self.values.unknown:
            return self.unknown or self.values.unknown or Unknown("an option")
        if name.lower() not in self.values.items:
            return fallback if given else Unknown(f"option {name} of section {self.name}, which is not there")
        held = self.values.items[name.lower()]
        text = plain(held)
        try:
            return assume(READ[how](text), assumptions_of(held)) if isinstance(text, str) else held
        except (ValueError, KeyError):
            return Unknown(f"option {name}, which is {text!r}")

    def attribute(self, m: Machine, name: str) -> Any:
        if name in READ:
            return BuiltinV(f"section.{name}", lambda c: self.value(
                c.get(0, "option"), name, c.get(1, "fallback"), given=len(c.args) > 1 or "fallback" in c.kwargs))
        return Unknown(f"attribute {name} of a section")

    def iterated(self, m: Machine) -> Any:
        return self.unknown or self.values.unknown or list(self.values.items)


class IniV:
    """A ConfigParser: its sections by name; how its files are read, or why that is not known."""

    always_true = True
    path = "configparser.ConfigParser"

    def __init__(self, kind: str | Unknown) -> None:
        self.kind = kind
        self.sections = DictV({}, kind if isinstance(kind, Unknown) else None)

    def section(self, name: Any) -> SectionV | Unknown:
        held = plain(name)
        if self.sections.unknown or not isinstance(held, str):
            return self.sections.unknown or Unknown("a section")
        found = plain(self.sections.items.get(held))
        if not isinstance(found, DictV):
            return Unknown(f"section {held}, which is not there")
        common = plain(self.sections.items.get(DEFAULT))
        values = DictV({**common.items, **found.items}, found.unknown) if isinstance(common, DictV) else found
        return SectionV(held, values, None)

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return self.section(key)

    def add(self, m: Machine, data: Any) -> None:
        """What was read comes on top of what was there."""
        held = plain(data)
        m.heap.touch(self.sections)
        if isinstance(held, Unknown) or not isinstance(held, DictV) or held.unknown:
            self.sections.unknown = held if isinstance(held, Unknown) else Unknown("a file that is not known")
            return
        for name, section in held.items.items():
            there, more = plain(self.sections.items.get(name)), plain(section)
            if isinstance(there, DictV) and isinstance(more, DictV):
                m.heap.touch(there)
                there.items.update(more.items)
            else:
                self.sections.items[name] = section


@FRAMEWORK.on(*(f"{room}.{name}" for room in ("configparser", "ConfigParser", "six.moves.configparser")
                for name in NAMES))
def parser(c: Call) -> Any:
    raw = plain(c.callee).path.endswith("RawConfigParser")
    if c.args or c.kwargs.keys() - {"interpolation", "allow_no_value"}:
        return IniV(Unknown("a parser of its own kind"))
    if "interpolation" in c.kwargs:
        if plain(c.kwargs["interpolation"]) is not None:
            return IniV(Unknown("an interpolation of its own"))
        raw = True
    return IniV("RAW INI" if raw else "INI")


def _parser(c: Call) -> IniV | None:
    held = plain(c.receiver)
    return held if isinstance(held, IniV) else None


@FRAMEWORK.on("configparser.ConfigParser.read")
def read(c: Call) -> Any:
    """One file or several; what is missing is passed over, so nothing is known where one is not found."""
    held, names = _parser(c), c.get(0, "filenames")
    if held is not None and isinstance(held.kind, str):
        several = elements(c.machine, names) if isinstance(plain(names), ListV | tuple) else [names]
        for one in [several] if isinstance(several, Unknown) else several:
            held.add(c.machine, loaded(c.machine, one, held.kind, by_path=True))
    return ListV([], Unknown("the files that were read"))


@FRAMEWORK.on("configparser.ConfigParser.read_file", "configparser.ConfigParser.readfp",
              "configparser.ConfigParser.read_string")
def read_text(c: Call) -> Any:
    held = _parser(c)
    if held is not None and isinstance(held.kind, str):
        held.add(c.machine, loaded(c.machine, c.get(0, "f", c.kwargs.get("string")), held.kind))


@FRAMEWORK.on("configparser.ConfigParser.read_dict")
def read_dict(c: Call) -> Any:
    held = _parser(c)
    if held is not None:
        m = c.machine
        m.heap.touch(held.sections)
        held.sections.unknown = Unknown("read_dict()")


def _reads(how: str) -> Any:
    def get(c: Call) -> Any:
        held = _parser(c)
        section = held.section(c.get(0, "section")) if held is not None else Unknown("a parser")
        given = "fallback" in c.kwargs
        if isinstance(section, Unknown):
            there = held is not None and held.sections.unknown is None and isinstance(plain(c.get(0, "section")), str)
            return c.kwargs["fallback"] if given and there else section
        return section.value(c.get(1, "option"), how, c.kwargs.get("fallback"), given=given)

    return get


for _how in READ:
    FRAMEWORK.on(f"configparser.ConfigParser.{_how}")(_reads(_how))


@FRAMEWORK.on("configparser.ConfigParser.sections")
def sections(c: Call) -> Any:
    held = _parser(c)
    if held is None or held.sections.unknown:
        return Unknown("the sections")
    return ListV([name for name in held.sections.items if name != DEFAULT])


@FRAMEWORK.on("configparser.ConfigParser.has_section")
def has_section(c: Call) -> Any:
    held, name = _parser(c), plain(c.get(0, "section"))
    if held is None or held.sections.unknown or not isinstance(name, str):
        return Unknown("whether there is a section")
    return name in held.sections.items and name != DEFAULT


@FRAMEWORK.on("configparser.ConfigParser.has_option")
def has_option(c: Call) -> Any:
    held, name = _parser(c), plain(c.get(1, "option"))
    section = held.section(c.get(0, "section")) if held is not None else Unknown("a parser")
    if isinstance(section, Unknown) or section.values.unknown or not isinstance(name, str):
        return Unknown("whether there is an option")
    return name.lower() in section.values.items


@FRAMEWORK.on("configparser.ConfigParser.items")
def items(c: Call) -> Any:
    held = _parser(c)
    section = held.section(c.get(0, "section")) if held is not None and c.args else Unknown("items()")
    if isinstance(section, Unknown) or section.values.unknown:
        return ListV([], Unknown("the options of a section"))
    return ListV(list(section.values.items.items()))


@FRAMEWORK.on("configparser.ConfigParser.set", "configparser.ConfigParser.add_section",
              "configparser.ConfigParser.remove_section", "configparser.ConfigParser.remove_option")
def changed(c: Call) -> Any:
    """What the program changes itself is set under its key where that is certain."""
    held = _parser(c)
    if held is None:
        return
    m, where = c.machine, plain(c.get(0, "section"))
    found = plain(held.sections.items.get(where)) if isinstance(where, str) else None
    name = plain(c.get(1, "option"))
    path = getattr(c.callee, "name", "") or ""
    if path.endswith(".set") and isinstance(found, DictV) and isinstance(name, str):
        m.set_item(found, name.lower(), c.get(2, "value"))
    elif path.endswith(".add_section") and isinstance(where, str):
        m.set_item(held.sections, where, DictV())
    else:
        m.heap.touch(held.sections)
        held.sections.unknown = Unknown("a section or an option that was removed")

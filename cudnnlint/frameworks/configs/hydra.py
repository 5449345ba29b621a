"""hydra: the configuration that `@hydra.main` gives a program which is started without options."""

from __future__ import annotations

import os
import re
from typing import Any

from cudnnlint.facts.data_files import locate, read_file
from cudnnlint.frameworks.configs.files import Values
from cudnnlint.frameworks.configs.omega import add, linked, structured
from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.attribute_dicts import LinkedDictV
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BuiltinV, FunctionV
from cudnnlint.interp.registry import Call
from cudnnlint.source import disk
from cudnnlint.values import Unknown

STORED = "configurations that hydra stores"
"""Where in the state: name -> the class, object or dict that it was given."""
MOST = 64
"""Files of one configuration."""
SELF, OPTIONAL = "_self_", "optional "
PACKAGE = re.compile(r"^\s*#\s*@package\s+(\S+)", re.MULTILINE)


@FRAMEWORK.on("hydra.main")
def main(c: Call) -> Any:
    """A decorator: called without arguments, the function gets the configuration."""
    folder, name = plain(c.get(0, "config_path")), plain(c.get(1, "config_name"))
    own = plain(c.args[0]) if c.args else None

    def decorated(inner: Call) -> Any:
        function = plain(inner.args[0]) if inner.args else None
        if not isinstance(function, FunctionV):
            return Unknown("decorator")

        def run(call: Call) -> Any:
            given = call.args or [composed(call, function.module.path, folder, name)]
            return call.machine.call(function, given, call.kwargs, call.node)

        return BuiltinV(function.name, run)

    return decorated(c) if isinstance(own, FunctionV) else BuiltinV("hydra.main", decorated)


def composed(c: Call, script: str, folder: Any, name: Any) -> Any:
    """The configuration of that name that the program stored, or in a folder beside the script; Unknown with the
    reason."""
    m = c.machine
    if folder is None and name in (stored := m.state.get(STORED, {})):
        return linked(structured(c, stored[name]))
    if not isinstance(name, str) or not isinstance(folder, str | None) or m.project is None:
        return Unknown("a configuration of hydra")
    top = os.path.join(os.path.dirname(os.path.abspath(script)), folder or "")
    made: Any = LinkedDictV()
    wrong = _Files(m, top).add(made, name, ())
    return linked(made) if wrong is None else wrong


class StoreV:
    """hydra's ConfigStore, of which there is one."""

    always_true = True
    path = "hydra.core.config_store.ConfigStore"


@FRAMEWORK.on("hydra.core.config_store.ConfigStore.instance")
def store(c: Call) -> Any:
    return StoreV()


@FRAMEWORK.on("hydra.core.config_store.ConfigStore.store")
def stored(c: Call) -> Any:
    """A whole configuration, or an option of a group, which lists of defaults name and are not followed to."""
    name, node = plain(c.get(0, "name")), c.get(1, "node")
    if isinstance(name, str):
        known = c.machine.state.get(STORED, {})
        held = plain(node)
        fields = getattr(getattr(held, "cls", held), "fields", None) or ()
        alone = len(c.args) < 3 and c.kwargs.keys() <= {"name", "node"} and "defaults" not in fields
        c.machine.state[STORED] = {**known, name: node if alone else Unknown("a configuration of several parts")}


class _Files:
    """The files of one configuration, in the order in which they are merged (hydra/_internal/defaults_list.py)."""

    def __init__(self, m: Machine, top: str) -> None:
        self.m, self.top, self.left = m, top, MOST

    def add(self, into: DictV, name: str, package: tuple[str, ...]) -> Unknown | None:
        """Merge a file and what it names as its defaults; why that cannot be done."""
        self.left -= 1
        file = self._found(name)
        if isinstance(file, Unknown) or self.left < 0:
            return file if isinstance(file, Unknown) else Unknown("many files of a configuration")
        held = Values(self.m, self.m.project.shown(file)).of(read_file(file, "YAML 1.2"), "")
        if isinstance(held, Unknown) or not isinstance(plain(held), DictV):
            return held if isinstance(held, Unknown) else Unknown(f"{name} is no table")
        table = plain(held)
        package = _package(file, package)
        for one in self._defaults(table):
            if isinstance(one, Unknown):
                return one
            if one == (SELF, ()):
                add(_within(into, package), LinkedDictV(dict(table.items)))
            elif (wrong := self._add_entry(into, name, one, package)) is not None:
                return wrong
        return None

    def _add_entry(self, into: DictV, name: str, entry: tuple[str, tuple[str, ...]],
                   package: tuple[str, ...]) -> Unknown | None:
        """Merge what a file names as one of its defaults; what is optional may be missing."""
        other = self._beside(name, entry[0].removeprefix(OPTIONAL))
        if entry[0].startswith(OPTIONAL) and not disk.is_file(self._path(other)):
            return None
        return self.add(into, other, (*package, *entry[1]))

    def _path(self, name: str) -> str:
        return os.path.abspath(os.path.join(self.top, name if name.endswith((".yaml", ".yml")) else f"{name}.yaml"))

    def _found(self, name: str) -> str | Unknown:
        return locate(self._path(name), self.m.project.bases(), self.m.project.within)

    @staticmethod
    def _beside(name: str, other: str) -> str:
        return other[1:] if other.startswith("/") else os.path.join(os.path.dirname(name), other)

    def _defaults(self, table: DictV) -> list[Any]:
        """(file, package) of each entry of the list of defaults, the file itself among them; last unless it says."""
        listed = plain(table.items.pop("defaults", None))
        table.items.pop("hydra", None)
        if listed is None:
            return [(SELF, ())]
        if not isinstance(listed, ListV) or listed.unknown:
            return [Unknown("a list of defaults")]
        found = [one for item in listed.items for one in _entry(plain(item))]
        return found if (SELF, ()) in found else [*found, (SELF, ())]


def _entry(item: Any) -> list[Any]:
    """`- file`, or `- group: option`, whose keys come under the group's name."""
    if isinstance(item, str):
        return [(item, ())] if "@" not in item and "$" not in item else [Unknown("an entry of the list of defaults")]
    if not isinstance(item, DictV) or len(item.items) != 1:
        return [Unknown("an entry of the list of defaults")]
    ((group, value),) = item.items.items()
    option = plain(value)
    if not isinstance(group, str) or "@" in group or (isinstance(option, str) and "$" in option):
        return [Unknown("an entry of the list of defaults")]
    if group.split()[-1].lstrip("/").startswith("hydra") or option is None:
        return []
    name = group.removeprefix(OPTIONAL)
    if name.startswith("override ") or not isinstance(option, str):
        return [Unknown("an entry of the list of defaults")]
    return [(f"{group}/{option}", tuple(name.lstrip("/").split("/")))]


def _package(file: str, package: tuple[str, ...]) -> tuple[str, ...]:
    """Where the keys of a file go, if its first lines say so: `# @package _global_`."""
    try:
        said = PACKAGE.search(disk.read(file).decode("utf-8-sig")[:1000])
    except (OSError, UnicodeDecodeError):
        return package
    if said is None or said[1] == "_group_":
        return package
    return () if said[1] == "_global_" else tuple(said[1].split("."))


def _within(root: DictV, package: tuple[str, ...]) -> DictV:
    for name in package:
        inner = plain(root.items.get(name))
        if not isinstance(inner, DictV):
            inner = root.items[name] = LinkedDictV()
        root = inner
    return root

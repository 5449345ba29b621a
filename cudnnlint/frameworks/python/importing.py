"""What steers imports while the program runs: sys.path, importlib."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.paths import text_of
from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.modules import load_module
from cudnnlint.interp.objects import MISSING, BuiltinV, ModuleV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


class SearchPathV:
    """sys.path: what the program adds to it is looked into from then on."""

    path = "sys.path"
    always_true = True

    def combined(self, m: Machine, symbol: str, other: Any) -> Any:
        """`sys.path += [...]`, `sys.path + [...]`."""
        if symbol == "+":
            self._take(m, other)
        return self

    def _take(self, m: Machine, directories: Any) -> None:
        found = elements(m, directories)
        for one in () if isinstance(found, Unknown) else found:
            add(m, one)

    def attribute(self, m: Machine, name: str) -> Any:
        return BuiltinV(f"sys.path.{name}", self.changed) if name in ("append", "insert", "extend") else MISSING

    def changed(self, c: Call) -> Any:
        name = plain(c.callee).name
        if c.args and name.endswith("extend"):
            self._take(c.machine, c.args[0])
        elif c.args:
            add(c.machine, c.args[-1], first=name.endswith("insert"))

    def set_item(self, m: Machine, key: Any, value: Any) -> None:
        """`sys.path[:0] = [...]`."""
        self._take(m, value)


FRAMEWORK.constant("sys.path", SearchPathV())


def add(m: Machine, directory: Any, *, first: bool = False) -> None:
    """Look into a directory too, if its path is known and it lies in the project."""
    found = text_of(directory)
    if found is not None and m.project is not None:
        m.project.look_into(found[0], first=first)


@FRAMEWORK.on("importlib.import_module")
def import_module(c: Call) -> Any:
    name, package = plain(c.get(0, "name")), plain(c.get(1, "package"))
    if not isinstance(name, str):
        return Unknown("a module whose name is not known")
    if name.startswith("."):
        level = len(name) - len(name.lstrip("."))
        owner = package.split(".") if isinstance(package, str) else []
        if level > len(owner):
            return Unknown("a relative import outside a package")
        name = ".".join([*owner[: len(owner) - level + 1], *filter(None, [name[level:]])])
    return load_module(c.machine, name)


def _import(c: Call) -> Any:
    """__import__("a.b") gives a, with a fromlist a.b."""
    name = plain(c.get(0, "name"))
    if not isinstance(name, str) or plain(c.get(4, "level", 0)):
        return Unknown("a module whose name is not known")
    found = load_module(c.machine, name)
    listed = c.get(3, "fromlist")
    whole = "." not in name or (listed is not None and elements(c.machine, listed))
    return found if whole else load_module(c.machine, name.partition(".")[0])


BUILTINS["__import__"] = BuiltinV("__import__", _import)


@FRAMEWORK.on("sys.modules.__getitem__", "sys.modules.get")
def imported(c: Call) -> Any:
    """`sys.modules[name]`: a module that has been imported, or is under way, of the project's own."""
    m, name = c.machine, plain(c.args[0]) if c.args else None
    under_way = next((frame.module for frame in m.frames if frame.module.name == name), None)
    if under_way is not None:
        return under_way
    return (m.project.modules.get(name) if m.project is not None else None) or Unknown("from sys.modules")


@FRAMEWORK.on("importlib.reload")
def reload(c: Call) -> Any:
    module = plain(c.args[0]) if c.args else Unknown("a module")
    if isinstance(module, ModuleV):
        c.machine.project.renew(c.machine, module.path)
    return module

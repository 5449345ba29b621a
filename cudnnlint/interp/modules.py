"""Imports: of the modelled libraries as paths, of the project's own modules by analysing them."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from typing import Any

from cudnnlint.facts.libraries import Libraries
from cudnnlint.facts.project import LARGEST, boundaries, find_module, is_inside, package_root, search_roots
from cudnnlint.interp.changes import check_import
from cudnnlint.interp.heap import NEXT, Raised
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Frame, Machine, executes
from cudnnlint.interp.names import external, target_scope
from cudnnlint.interp.objects import External, ModuleV, Scope
from cudnnlint.interp.registry import LAZY, ROOTS, bring
from cudnnlint.interp.shared import Shared
from cudnnlint.source import SourceError, names_framework, read_bytes
from cudnnlint.values import Unknown


class Project:
    """The project's modules by dotted name; each is analysed once, when first imported."""

    def __init__(self, path: str, roots: Sequence[str] = (), shared: Shared | None = None,
                 libraries: Libraries | None = None) -> None:
        self.libraries = libraries or Libraries()
        self.directory = os.path.dirname(os.path.abspath(path))
        self.roots = list(search_roots(path, roots))
        self.within = boundaries(path, roots)
        """Nothing is read outside of these directories."""
        self.added: list[tuple[str, bool]] = []
        """What the program adds to sys.path, and whether before the rest."""
        self.modules: dict[str, ModuleV] = {}
        self.brought = 0
        """Bytes of the modules that were read for this file."""
        self.aside = 0
        """Of these, bytes of those that name no framework."""
        self.shared = shared or Shared()

    def load(self, m: Machine, dotted: str) -> ModuleV | None:
        """The module, analysed; None if it is not in the project."""
        if dotted in self.modules:
            return self.modules[dotted]
        found = find_module(self.roots, dotted) or self.libraries.find(dotted)
        if found is None:
            return None
        parent, _, name = dotted.rpartition(".")
        holder = self.load(m, parent) if parent and parent.partition(".")[0] not in ROOTS else None
        if dotted in self.modules:  # the package imports it itself
            return self.modules[dotted]
        path, is_package = found
        key = (path, dotted, m.stack)
        if path and (known := self.shared.modules.get(key)) is not None:
            self.modules[dotted] = known
            m.state.update(known.state)
            m.overrides.update(known.overrides)
            for directory, first in known.search_path:
                self.look_into(directory, first=first)
            return known
        module = ModuleV(dotted, path, Scope(None, "module"), None, is_package)
        self.modules[dotted] = module
        if holder is not None and name not in holder.scope.items:
            holder.scope.items[name] = module
        if path and self._may_read(m, module, path):
            self._isolated(m, module, path)
            self.shared.modules[key] = module
        module.done = True
        return module

    def _may_read(self, m: Machine, module: ModuleV, path: str) -> bool:
        """Whether this is not more than one file may bring of a large project that no other file has brought before."""
        size = os.path.getsize(path) if os.path.isfile(path) else 0
        self.brought += size
        if self.brought > m.limits.imported:
            module.scope.unknown = m.give_up(f"more than {m.limits.imported >> 20} MiB of imported modules")
            return False
        self.aside += 0 if size > LARGEST or _names_framework(path) else size
        if self.aside > m.limits.aside:
            module.scope.unknown = m.give_up(f"more than {m.limits.aside >> 10} KiB of modules that name no framework")
            return False
        return True

    def bases(self) -> list[str]:
        """What relative paths may be relative to: the script's directory, the roots, the working directory."""
        return list(dict.fromkeys([self.directory, *self.roots, os.getcwd()]))

    def shown(self, file: str) -> str:
        """A file of the project as messages name it: relative to the outermost directory that it lies in."""
        return os.path.relpath(file, min((top for top in self.within if is_inside(file, [top])), key=len))

    def look_into(self, directory: str, *, first: bool = False) -> None:
        """A directory of the project on sys.path; a relative one from where the program may be started."""
        self.added.append((directory, first))
        for base in self.bases():
            found = os.path.normpath(os.path.join(base, directory))
            if found not in self.roots and os.path.isdir(found) and is_inside(found, self.within):
                self.roots.insert(0 if first else len(self.roots), found)

    def _isolated(self, m: Machine, module: ModuleV, path: str) -> None:
        """Analyse outside the importer's journals and steps: what an import leaves stays, whoever imports it."""
        journals, m.heap.journals = m.heap.journals, []
        state, overrides = dict(m.state), dict(m.overrides)
        added = len(self.added)
        begun, limit = m.steps, m.step_limit
        m.step_limit = begun + m.limits.steps
        try:
            self._analyse(m, module, path)
        except OutOfBounds as error:
            module.scope.unknown = m.give_up(f"{error} in {module.name}")
        finally:
            m.heap.journals = journals
            m.step_limit = limit + m.steps - begun
        module.state = {key: value for key, value in m.state.items() if state.get(key) is not value}
        module.overrides = {key: value for key, value in m.overrides.items() if overrides.get(key) is not value}
        module.search_path = self.added[added:]

    def _analyse(self, m: Machine, module: ModuleV, path: str) -> None:
        try:
            if os.path.getsize(path) > LARGEST or not self.libraries.read(path):
                module.scope.unknown = Unknown(f"{path} is too large")
                return
            shown = os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else path
            module.source = self.shared.source(shown)
        except (SourceError, OSError, ValueError) as error:
            module.scope.unknown = Unknown(f"{module.name} cannot be read: {error}")
            return
        run_module(m, module, module.source.tree())

    def submodule(self, m: Machine, package: ModuleV, name: str) -> ModuleV | None:
        return self.load(m, f"{package.name}.{name}") if package.is_package else None


def _names_framework(path: str) -> bool:
    try:
        return names_framework(read_bytes(path))
    except SourceError:  # told when it is read
        return False


def run_module(m: Machine, module: ModuleV, tree: ast.Module) -> None:
    """Execute a module's body; a statement that certainly raises ends only itself."""
    frame = Frame(module.scope, module, None, frozenset())
    module.scope.items.setdefault("__name__", module.name)
    module.scope.items.setdefault("__file__", os.path.abspath(module.path))
    m.frames.append(frame)
    calls, m.calls = m.calls, []
    reached = -1
    try:
        for statement in tree.body:
            reached += 1
            try:
                m.run_block([statement])
            except Raised:
                continue
            except RecursionError:
                m.give_up("nesting too deep", module.source.span(statement))
    except OutOfBounds:
        _forget_rest(module, tree.body[reached:])
        raise
    finally:
        m.calls = calls
        m.frames.pop()


def _forget_rest(module: ModuleV, statements: Sequence[ast.stmt]) -> None:
    """What the statements that were not reached might bind is not known."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in module.scope.items:
                module.scope.items[node.id] = Unknown("not followed to the end of the module")


@executes(ast.Import)
def import_(m: Machine, node: ast.Import) -> int:
    m.doubts += 1
    for alias in node.names:
        check_import(m, alias.name, node)
        value = load_module(m, alias.name)
        if alias.asname:
            m.set_item(target_scope(m, alias.asname), alias.asname, value)
            continue
        top = alias.name.partition(".")[0]
        m.set_item(target_scope(m, top), top, value if top == alias.name else load_module(m, top))
    return NEXT


def load_module(m: Machine, dotted: str) -> Any:
    """A module value: the project's own, a library's path, or Unknown."""
    top = dotted.partition(".")[0]
    if top in ROOTS and not _shadowed(m, dotted):
        if top in LAZY:
            bring(top)
        return external(dotted)
    if m.project is not None and (found := m.project.load(m, dotted)) is not None:
        return found
    return External(dotted)


def _shadowed(m: Machine, dotted: str) -> bool:
    """A file of the linted library itself: `keras.src.x` read from the project when linting Keras' own tree."""
    if m.project is None:
        return False
    return dotted.partition(".")[0] == real_name(m.frame.module).partition(".")[0] and _is_helper(dotted)


def real_name(module: ModuleV) -> str:
    """The dotted name under which the project imports a module, also of the one that runs as __main__."""
    return package_root(module.path)[1] if module.name == "__main__" and module.path else module.name


HELPERS = (".applications.",)


def _is_helper(dotted: str) -> bool:
    """Modules of a modelled library that are read like the project's own: their functions are not modelled."""
    return any(piece in dotted for piece in HELPERS)


@executes(ast.ImportFrom)
def import_from(m: Machine, node: ast.ImportFrom) -> int:
    m.doubts += 1
    base = absolute_name(m, node)
    if base is None:
        for alias in node.names:
            m.set_item(target_scope(m, alias.asname or alias.name), alias.asname or alias.name,
                       Unknown("a relative import outside a package"))
        return NEXT
    for alias in node.names:
        check_import(m, f"{base}.{alias.name}", node)
        if alias.name == "*":
            _import_star(m, base)
            continue
        m.set_item(target_scope(m, alias.asname or alias.name), alias.asname or alias.name,
                   member(m, base, alias.name))
    return NEXT


def absolute_name(m: Machine, node: ast.ImportFrom) -> str | None:
    """The dotted name that a from-import names, relative ones resolved."""
    if not node.level:
        return node.module or ""
    module = m.frame.module
    is_package = module.is_package or os.path.basename(module.path) == "__init__.py"
    parts = real_name(module).split(".")
    drop = node.level - (1 if is_package else 0)
    if drop > len(parts):
        return None
    kept = parts[: len(parts) - drop]
    if not kept and not node.module:
        return None
    return ".".join([*kept, *([node.module] if node.module else [])])


def member(m: Machine, base: str, name: str) -> Any:
    """`from base import name`."""
    top = base.partition(".")[0]
    if top in ROOTS and not _shadowed(m, f"{base}.{name}."):
        if top in LAZY:
            bring(top)
        found = external(base)
        if isinstance(found, External):
            from cudnnlint.interp.attributes import external_attribute

            return external_attribute(m, found, name)
        return found
    module = load_module(m, base) if not _shadowed(m, f"{base}.{name}.") else m.project.load(m, base)
    if isinstance(module, ModuleV):
        from cudnnlint.interp.attributes import module_attribute

        return module_attribute(m, module, name)
    if isinstance(module, External):
        from cudnnlint.interp.attributes import external_attribute

        return external_attribute(m, module, name)
    return Unknown(f"{base}.{name}")


def _import_star(m: Machine, base: str) -> None:
    """Bind every public name; of a library, the modelled names below the path."""
    module = load_module(m, base)
    scope = m.frame.scope
    m.heap.touch(scope)
    if isinstance(module, ModuleV):
        from cudnnlint.interp.iterate import elements

        exported = module.scope.items.get("__all__")
        names = elements(m, exported) if exported is not None else Unknown("no __all__")
        if isinstance(names, Unknown):
            names = [name for name in module.scope.items if not name.startswith("_")]
        for name in names:
            if isinstance(name, str) and name in module.scope.items:
                scope.items[name] = module.scope.items[name]
        scope.unknown = scope.unknown or module.scope.unknown
        return
    if isinstance(module, External):
        for name, path in public_names(module.path).items():
            scope.items[name] = External(path)
        if module.path.partition(".")[0] not in ROOTS:
            scope.unknown = Unknown(f"star import from {module.path}")


def public_names(package: str) -> dict[str, str]:
    """What `from package import *` of a modelled library binds: each name that is modelled, and its path."""
    from cudnnlint.interp.registry import CALLS, PREFIXES, canonical
    from cudnnlint.ops import table

    prefix = package + "."
    found: dict[str, str] = {}
    for paths in (table.modules(), CALLS, PREFIXES):
        for path in paths:
            if path.startswith(prefix) and "." not in (name := path[len(prefix):]) \
                    and not (paths is PREFIXES and name.islower()):
                found[name] = canonical(path)
    if package == "keras.layers":
        found["Layer"] = "keras.layers.Layer"
    return found

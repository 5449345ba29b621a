"""The modules of the project that is linted, each analysed once, when it is first imported."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence

from cudnnlint.facts.libraries import Libraries
from cudnnlint.facts.project import LARGEST, boundaries, find_module, is_inside, search_roots
from cudnnlint.facts.written import WrittenFiles
from cudnnlint.interp.effects import Noted, joined, left_since, noted, went_on, written_in
from cudnnlint.interp.frames import Frame
from cudnnlint.interp.heap import Raised
from cudnnlint.interp.keras.own_names import note_names
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.listed import list_imports
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import ModuleV, Scope
from cudnnlint.interp.registry import ROOTS
from cudnnlint.interp.shared import Shared
from cudnnlint.source import SourceError, disk, names_framework, read_bytes
from cudnnlint.source.asked import asking, rely
from cudnnlint.source.walk import walk
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
        self.written = WrittenFiles(self.directory)
        self.running = [path]
        """Files that a notebook runs, one within the other."""
        self.ran: set[str] = set()
        """All that it ran."""

    def load(self, m: Machine, dotted: str) -> ModuleV | None:
        """The module, analysed; None if it is not in the project."""
        if dotted in self.modules:
            rely(self.modules[dotted].asked)
            note_names(m, self.modules[dotted])
            noted(m.state, self.modules[dotted].state)
            noted(m.overrides, self.modules[dotted].overrides)
            return self.modules[dotted]
        found = self.written.find([*self.roots, *(directory for directory, _ in self.added)], dotted) \
            or find_module(self.roots, dotted) or self.libraries.find(dotted)
        parent, _, name = dotted.rpartition(".")
        if found is None:
            return self._bound_in(m, parent, name) if parent and self.libraries.find(parent) else None
        holder = self.load(m, parent) if parent and parent.partition(".")[0] not in ROOTS else None
        if dotted in self.modules:  # the package imports it itself
            return self.modules[dotted]
        path, is_package = found
        key = (path, dotted, m.stack)
        if path and not self.written and (known := self.shared.modules.get(key)) is not None:
            self.modules[dotted] = known
            rely(known.asked)
            m.state.update(joined({key: m.state[key] for key in known.state if key in m.state}, known.state))
            m.overrides.update(known.overrides)
            noted(m.state, known.state)
            noted(m.overrides, known.overrides)
            for directory, first in known.search_path:
                self.look_into(directory, first=first)
            return known
        module = ModuleV(dotted, path, Scope(None, "module"), None, is_package)
        self.modules[dotted] = module
        if holder is not None and name not in holder.scope.items:
            holder.scope.items[name] = module
        with asking(module.asked):
            if path and self._may_read(m, module, path):
                self._isolated(m, module, path)
                if not self.written:  # what is imported by others may mean what this notebook wrote
                    self.shared.modules[key] = module
        module.done = True
        return module

    def _bound_in(self, m: Machine, parent: str, name: str) -> ModuleV | None:
        """A module that an installed package holds under another name than its file's: `__path__.append(...)`."""
        package = self.load(m, parent)
        found = package.scope.items.get(name) if package is not None and package.is_package else None
        return found if isinstance(found, ModuleV) else None

    def renew(self, m: Machine, path: str) -> None:
        """A file that the notebook wrote anew is read again by whoever imported it."""
        before = next((module for module in self.modules.values() if module.path == path), None)
        if before is None or path not in self.written:
            return
        del self.modules[before.name]
        if (again := self.load(m, before.name)) is not None:
            m.heap.touch(before.scope)
            before.scope.items.update(again.scope.items)
            before.source, before.scope.unknown = again.source, again.scope.unknown

    def _may_read(self, m: Machine, module: ModuleV, path: str) -> bool:
        """Whether this is not more than one file may bring of a large project that no other file has brought before."""
        if path in self.written:
            return True
        size = disk.size(path) if disk.is_file(path) else 0
        self.brought += size
        if self.brought > m.limits.imported:
            module.scope.unknown = m.give_up(f"more than {m.limits.imported >> 20} MiB of imported modules", cut=True)
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
            if found not in self.roots and disk.is_directory(found) and is_inside(found, self.within):
                self.roots.insert(0 if first else len(self.roots), found)

    def _isolated(self, m: Machine, module: ModuleV, path: str) -> None:
        """Analyse outside the importer's journals and steps: what an import leaves stays, whoever imports it."""
        journals, m.heap.journals = m.heap.journals, []
        own, m.own = m.own, []
        state, overrides, tables = m.state, m.overrides, written_in(m.state)
        m.state, m.overrides = Noted(state), Noted(overrides)
        added = len(self.added)
        begun, limit = m.steps, m.step_limit
        m.step_limit = begun + m.limits.steps
        try:
            self._analyse(m, module, path)
        except OutOfBounds as error:
            module.scope.unknown = m.give_up(f"{error} in {module.name}", cut=True)
        finally:
            m.heap.journals, m.own = journals, own
            m.heap.grown_older()
            m.step_limit = limit + m.steps - begun
            module.state = left_since(m.state, state, tables)
            module.overrides = left_since(m.overrides, overrides)
            m.state, m.overrides = went_on(state, m.state), went_on(overrides, m.overrides)
        module.search_path = self.added[added:]

    def _analyse(self, m: Machine, module: ModuleV, path: str) -> None:
        try:
            if path in self.written:
                module.source = self.written.read(path)
                if module.source is None:
                    module.scope.unknown = Unknown(f"{module.name} is more than what the notebook writes")
                    return
                run_module(m, module, module.source.tree())
                return
            if disk.size(path) > LARGEST or not self.libraries.read(path):
                module.scope.unknown = Unknown(f"{path} is too large")
                return
            shown = os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else path
            module.source = self.shared.source(shown)
            tree = module.source.tree()
            if module.is_package and self.libraries.holds(path):
                tree = list_imports(module, tree)
        except (SourceError, OSError, ValueError) as error:
            module.scope.unknown = Unknown(f"{module.name} cannot be read: {error}")
            return
        run_module(m, module, tree)

    def submodule(self, m: Machine, package: ModuleV, name: str) -> ModuleV | None:
        return self.load(m, f"{package.name}.{name}") if package.is_package else None


def _names_framework(path: str) -> bool:
    try:
        return names_framework(read_bytes(path))
    except SourceError:  # told when it is read
        return False


def run_module(m: Machine, module: ModuleV, tree: ast.Module) -> None:
    """Execute a module's body; a statement that certainly raises ends only itself, unless it is written as `raise`."""
    frame = Frame(module.scope, module, None, frozenset())
    module.scope.items.setdefault("__name__", module.name)
    module.scope.items.setdefault("__file__", os.path.abspath(module.path))
    note_names(m, module)
    m.frames.append(frame)
    calls, m.calls = m.calls, []
    reached = -1
    try:
        for statement in tree.body:
            reached += 1
            try:
                m.run_block([statement])
            except Raised:
                if isinstance(statement, ast.Raise) and not module.source.cells:  # nobody comes to what follows
                    break
            except RecursionError:
                m.give_up("nesting too deep", module.source.span(statement), cut=True)
    except OutOfBounds:
        _forget_rest(module, tree.body[reached:])
        raise
    finally:
        m.calls = calls
        m.frames.pop()


def _forget_rest(module: ModuleV, statements: Sequence[ast.stmt]) -> None:
    """What the statements that were not reached might bind is not known."""
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in module.scope.items:
                module.scope.items[node.id] = Unknown("not followed to the end of the module")

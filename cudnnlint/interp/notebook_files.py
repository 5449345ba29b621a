"""What a notebook does with files of programs: cells that write one, `%run`, and what was written run as a script."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from cudnnlint.facts.data_files import locate
from cudnnlint.facts.project import LARGEST, is_inside, package_root
from cudnnlint.facts.written import Part
from cudnnlint.interp.builtin.functions import builtin
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import ModuleV, Scope
from cudnnlint.interp.project import Project, run_module
from cudnnlint.interp.registry import Call
from cudnnlint.source import Source, SourceError, disk
from cudnnlint.source.commands import RUN, WRITE
from cudnnlint.values import Unknown

LARGEST_NOTEBOOK = 16 << 20
"""Bytes of a notebook that is run by another one: its pictures count."""
DEEPEST = 8
"""Files that run each other."""

_NAME = r"\{(\w+)\}|\$(\w+)"
_ELSEWHERE = (r"(?im)framework_version|runtime[-_]version|entry_(?:point|script)\b|ScriptRunConfig|"
              r"(?:container|image)[-_]uri|docker build|^FROM \S")
"""What tells that scripts of a notebook are run in a container, with versions of its own."""
_WORD = r'"([^"]*)"|\'([^\']*)\'|(\S+)'


@builtin(WRITE)
def write(c: Call) -> None:
    """IPython/core/magics/osm.py: writefile."""
    words = _words(c.machine, c.args[0])
    files = [word for word in words if word not in ("-a", "--append")]
    source = c.machine.frame.module.source
    if len(files) != 1 or not files[0].endswith(".py") or not source.cells:
        return
    assert isinstance(c.node, ast.Call)
    part = Part(source, c.node.args[1].lineno, c.args[1])
    project: Project = c.machine.project
    project.written.write(files[0], part, append=len(words) > 1)
    if "%autoreload 2" in source.text:
        project.renew(c.machine, project.written.place(files[0]))


@builtin(RUN)
def run(c: Call) -> None:
    """`%run [-i] file`: a notebook runs in the names of this one, a script gives it its own at its end
    (IPython/core/magics/execution.py: run)."""
    m, words = c.machine, _words(c.machine, c.args[0])
    inside = "-i" in words
    files = [word for word in words if word != "-i"]
    if len(files) != 1 or files[0].startswith("-"):  # with arguments it does what its defaults do not tell
        return
    place, source = _found(m, files[0])
    running = m.project.running
    if source is None or len(running) >= DEEPEST or place in running or place == disk.real_path(running[0]):
        return
    shares = inside or bool(source.cells)
    scope = m.frame.module.scope if shares else Scope(None, "module")
    module = ModuleV("__main__", place, scope, source)
    m.project.ran.add(place)
    running.append(place)
    try:
        _bounded(m, module)
    finally:
        running.pop()
    for name, value in () if shares else [*scope.items.items()]:
        if not name.startswith("__"):
            m.set_item(m.frame.module.scope, name, value)


def _words(m: Machine, line: str) -> list[str]:
    """The words of a magic's line, with variables put in; none if one of those is not known."""
    known = True

    def value(found: re.Match[str]) -> str:
        nonlocal known
        held = plain(m.frame.module.scope.items.get(found[1] or found[2]))
        known &= isinstance(held, str)
        return held if isinstance(held, str) else ""

    text = re.sub(_NAME, value, line)
    words = [next(filter(None, found.groups()), "") for found in re.finditer(_WORD, text)]
    comment = words.index("#") if "#" in words else len(words)
    return words[:comment] if known else []


def _found(m: Machine, file: str) -> tuple[str, Source | None]:
    """The program that a word of `%run` names, if it is one of the project that can be read: its place and text."""
    project: Project = m.project
    for name in (file, file + ".py", file + ".ipynb"):
        if (place := project.written.place(name)) in project.written:
            return place, _readable(project.written.read, place)
        found = locate(name, [project.directory], project.within)
        if isinstance(found, Unknown):
            found = locate(name, project.bases(), project.within)
        if isinstance(found, str) and found.endswith((".py", ".ipynb")):
            limit = LARGEST_NOTEBOOK if found.endswith(".ipynb") else LARGEST
            shown = os.path.relpath(found) if found.startswith(os.getcwd() + os.sep) else found
            return found, _readable(project.shared.source, shown) if disk.size(found) <= limit else None
    return "", None


def _readable(read: Callable[[str], Source | None], path: str) -> Source | None:
    with suppress(SourceError):
        return read(path)
    return None


def _bounded(m: Machine, module: ModuleV) -> None:
    """Run a file under its own step budget; where that ends, the notebook goes on with what is known."""
    project: Project = m.project
    project.brought += len(module.source.text)
    if project.brought > m.limits.imported:
        m.give_up(f"more than {m.limits.imported >> 20} MiB of imported modules", cut=True)
        return
    begun, limit, depth = m.steps, m.step_limit, len(m.heap.journals)
    m.step_limit = begun + m.limits.steps
    try:
        run_module(m, module, module.source.tree())
    except OutOfBounds as error:
        while len(m.heap.journals) > depth:
            m.heap.close()
        module.scope.unknown = m.give_up(f"{error} in {os.path.basename(module.path)}", cut=True)
    finally:
        m.step_limit = limit + m.steps - begun
    module.done = True


def scripts(m: Machine) -> Iterator[ModuleV]:
    """The programs that the notebook wrote, each run as a script unless the notebook imported or ran it."""
    project: Project = m.project
    for path in [*project.written.programs()]:
        if (loaded := next((each for each in project.modules.values() if each.path == path), None)) is not None:
            if loaded.source is not None:
                yield loaded
        elif path not in project.ran and (source := _readable(project.written.read, path)) is not None \
                and _runs_here(source.text, path):
            module = ModuleV(_dotted(project, path), path, Scope(None, "module"), source)
            module.scope.items["__name__"] = "__main__"
            state, m.state = m.state, {}
            roots, own = project.roots, os.path.dirname(path)
            near = [each for each in (own, os.path.dirname(own)) if is_inside(each, project.within)]
            project.roots = [*near, *roots]  # `python task.py` and `python -m trainer.task`
            _bounded(m, module)
            yield module
            m.state, project.roots = state, roots


def _runs_here(notebook: str, path: str) -> bool:
    """Whether the notebook starts a script, `!python -m trainer.task`, or at least names no other place for it."""
    stem = re.escape(os.path.splitext(os.path.basename(path))[0])
    return not re.search(_ELSEWHERE, notebook) or re.search(rf"\bpython3?[ \t][^\n]*\b{stem}\b", notebook) is not None


def _dotted(project: Project, path: str) -> str:
    """The name that a written module has where the notebook is started; packages may have no __init__.py."""
    inside = os.path.relpath(path, project.directory)
    if inside.startswith(os.pardir):
        return package_root(path)[1]
    return os.path.splitext(inside)[0].replace(os.sep, ".").removesuffix(".__init__")

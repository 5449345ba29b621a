"""One analysis: the module's body, then what nothing called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from cudnnlint.events import Event, ModuleFinished
from cudnnlint.facts.libraries import Libraries
from cudnnlint.interp import (  # noqa: F401 - they fill the dispatch tables
    call_expressions,
    comprehensions,
    contexts,
    definitions,
    expressions,
    flow,
    modules,
    notebook_files,
)
from cudnnlint.interp.builtin import code, ends, objects, ordering, sequences, sets  # noqa: F401
from cudnnlint.interp.keras.layer_policy import policy_of
from cudnnlint.interp.limits import Limits, OutOfBounds
from cudnnlint.interp.loops import statements  # noqa: F401
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import ModuleV, Scope
from cudnnlint.interp.project import Project, run_module
from cudnnlint.interp.shared import Shared
from cudnnlint.interp.uncalled.cut_off import of_module
from cudnnlint.interp.uncalled.following import attempt, run_uncalled, unwind
from cudnnlint.interp.wanted import Wanted, answer, feed, noting_models, tell_unused
from cudnnlint.source import Source, Span
from cudnnlint.values import Stack


def analyse(source: Source, *, stack: Stack, emit: Callable[[Event], object], roots: Sequence[str], uncalled: bool,
            limits: Limits | None, shared: Shared | None, watch: Callable[[Span, Any], None] | None = None,
            wanted: Wanted | None = None, libraries: Libraries | None = None) -> None:
    tree = source.tree()
    m = Machine(stack=stack, emit=emit, limits=limits, linted=source.path)
    m.watch, m.wanted = watch, wanted
    made: list[Any] = []
    if wanted is not None:
        m.emit = noting_models(emit, made)
        m.state.update({"policy": policy_of(m, wanted.policy)} if wanted.policy else {})
    m.project = Project(source.path, roots, shared, libraries)
    m.heap.open()  # undone at the end: what this file does to modules that it shares with others
    module = ModuleV("__main__", source.path, Scope(None, "module"), source)
    whole = Span(source.path, 1, 0, 1, 0)
    try:
        run_module(m, module, tree)
    except OutOfBounds as error:
        unwind(m)
        m.give_up(str(error), whole, cut=True)
        m.cut_off = of_module(tree) if wanted is not None else m.cut_off
    module.done = True
    answered = wanted is not None and answer(m, module, wanted, partial(attempt, m, module))
    if wanted is not None and (wanted.inputs or not m.cut_off):
        feed(m, made, partial(attempt, m, module))
    if uncalled and not answered:
        run_uncalled(m, module)
        for script in notebook_files.scripts(m):
            run_uncalled(m, script)
        if wanted is not None and (wanted.inputs or not m.cut_off):  # and the models that those functions made
            feed(m, made, partial(attempt, m, module))
    tell_unused(m)
    for end in m.endings.values():
        end()
    m.heap.undo()
    emit(ModuleFinished(span=whole, stack=stack, path=source.path, steps=m.steps))
    if watch is None and wanted is None:
        _let_go(m, module)
    for cls in m.instantiated:
        cls.instances.clear()


def _let_go(m: Machine, module: ModuleV) -> None:
    """Open the circles among what a file left behind, so that it goes at once and no collector has to look for it."""
    for thing in m.own:
        thing.let_go()
    for mould in m.moulds.values():
        mould.let_go()
    for cls in m.classes.values():
        if cls.module is module:
            cls.items.clear()
            cls.mro = cls.bases = ()
    for function in m.functions.values():
        if function.module is module:
            function.let_go()
    module.scope.items.clear()
    for table in (m.functions, m.classes, m.moulds, m.moulded, m.origins, m.active, m.state, m.notes, m.endings):
        table.clear()

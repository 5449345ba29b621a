"""What nothing calls is followed all the same: functions and classes with what is not known for their parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.classes import BASES
from cudnnlint.interp.frames import Frame
from cudnnlint.interp.heap import PLAIN, Delta, Raised
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.managers import ContextV
from cudnnlint.interp.objects import ClassV, FunctionV, InstanceV, ModuleV
from cudnnlint.interp.telling import CALLERS_FORMAT
from cudnnlint.interp.testing import runs_as_written
from cudnnlint.interp.uncalled.cut_off import of_function
from cudnnlint.interp.uncalled.given import always_given
from cudnnlint.interp.uncalled.later import emptied, hollow_models, open_attributes, open_settings
from cudnnlint.interp.uncalled.opened import from_keras, open_rest, open_value
from cudnnlint.interp.uncalled.outdated import outdated
from cudnnlint.interp.wanted import inputs_for
from cudnnlint.source import Source, Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Unknown

MEANT = "meant for"
"""Note of the models that build() was given an input for, which Keras 3 does not follow: model -> (input, the call)."""
CHANNELS_FIRST = re.compile(r"data_format\s*=\s*\w{0,2}['\"]channels_first")
CUT_SHORT = 6
"""How much more than its steps a root counts that met nothing new and was not followed to its end: its like, variants
of one big model, would end the same way."""
LEAST_STEPS = 200
"""What every function that nothing calls is followed for."""


def _has_channels_first(source: Source) -> bool:
    """Whether a layer is told so in the code; others of the module may be told nothing."""
    return CHANNELS_FIRST.search(source.text) is not None and any(
        isinstance(node, ast.keyword) and node.arg == "data_format" and isinstance(node.value, ast.Constant)
        and node.value.value == "channels_first" for node in walk(source.tree()))


def run_uncalled(m: Machine, module: ModuleV) -> None:
    """Call every function and class of the module that nothing called, parameters unknown, defaults assumed.

    Those that the text mentions elsewhere come last: most are reached through their callers.
    """
    m.uncalled = True
    source = module.source
    if _has_channels_first(source):  # whoever calls it has set the others to the same, as nothing here does
        m.state.setdefault("image_data_format", Unknown(CALLERS_FORMAT))
    open_settings(m, module)
    tried = outdated(source)
    while found := _definitions(m, module, tried):
        tried.update(id(one.node) for one in found)
        for one in sorted([one for one in found if _waits(m, one)],
                          key=lambda one: (source.repeats(one.name), one.node.lineno, one.node.col_offset)):
            if not _waits(m, one):
                continue
            if not isinstance(one, ClassV):
                attempt(m, module, partial(call_open, m, one, []), one.name)
            elif not _is_base(m, one):
                attempt(m, module, partial(_try_class, m, module, one), one.name)
    for model, (inputs, node) in m.notes.get(MEANT, {}).items():
        if isinstance(call := model.cls.lookup("call"), FunctionV) and id(call.node) not in m.called:
            attempt(m, module, partial(m.call, model, [inputs], {}, node))
    for cls in list(m.classes.values()):
        if cls.module is module and cls.name not in m.cut_off:
            attempt(m, module, partial(_try_methods, m, cls), cls.name)
    m.uncalled = False


def _definitions(m: Machine, module: ModuleV, tried: set[int]) -> list[Any]:
    """The module's functions and classes that have come to be and were not tried yet."""
    return [one for table in (m.functions, m.classes) for one in table.values()
            if one.module is module and one.node is not None and id(one.node) not in tried]


def _waits(m: Machine, one: Any) -> bool:
    """Whether a class has no instance yet, or a function that is no method was not called, as far as that is known."""
    if one.name in m.cut_off:
        return False
    if isinstance(one, ClassV):
        return not one.instances
    return id(one.node) not in m.called and one.owner is None


def _is_base(m: Machine, cls: ClassV) -> bool:
    """Whether a class is used through a subclass: what it does by itself is no one's concern."""
    return id(cls) in m.notes.get(BASES, {})


def unwind(m: Machine) -> None:
    """After a bound was hit in the middle: drop open activations and journals."""
    m.frames.clear()
    m.active.clear()
    while len(m.heap.journals) > 1:
        m.heap.close()
    m.calls.clear()
    m.applying.clear()
    m.conditions.clear()
    m.cut_at = None
    m.loops.clear()
    m.bodies.clear()
    m.tracing = 0
    m.uncertain = 0


def attempt(m: Machine, module: ModuleV, run: Callable[[], Any], name: str = "") -> None:
    """One root under its own step budget."""
    m.guarded = m.guards.get(name, frozenset())
    begun, m.met_new, cut = m.steps, False, False
    least = LEAST_STEPS if m.roots_left > -m.limits.roots_total else 0
    m.step_limit = begun + max(min(m.limits.again_steps, m.again_left, m.roots_left), least)
    m.novel_limit = begun + max(min(m.limits.root_steps, m.roots_left), least)
    phase, training, state = m.phase, m.training, dict(m.state)
    m.frames.append(Frame(module.scope, module, None, frozenset()))
    m.heap.open()
    try:
        with suppress(Raised):
            run()
    except (OutOfBounds, RecursionError) as error:
        cut = True
        unwind(m)
        what = "nesting too deep" if isinstance(error, RecursionError) else str(error)
        m.give_up(f"{what} in {name}" if name else what, Span(m.linted, 1, 0, 1, 0), cut=True)
        if name and m.wanted is not None:
            m.cut_off |= of_function(module.source.tree(), name)
    else:
        _not_certain(m.heap.close())
        m.frames.pop()
    m.phase, m.training, m.state = phase, training, state
    m.roots_left -= m.steps - begun
    if not m.met_new:
        m.again_left -= (m.steps - begun) * (CUT_SHORT if cut else 1)


def _not_certain(changed: Delta) -> None:
    """A list or dict that was there before may hold what a root left in it, or what it held: who knows which roots are
    called, and how often? So a default that its function changes is not twice as large for the next root."""
    for held, before in changed.values():
        if type(held) in PLAIN:
            held.merge([before, held.snapshot()])


def call_open(m: Machine, function: FunctionV, args: list[Any]) -> Any:
    """Call with every parameter open: defaults assumed, the rest unknown."""
    if not runs_as_written(function):
        return Unknown("a test that does not run as it is written")
    arguments = function.node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
    defaults = dict(zip(names[len(names) - len(function.defaults):], function.defaults, strict=True))
    defaults.update(function.kw_defaults)
    _without_given(m, function, f"self.{function.name}" if args else function.name, defaults)
    given: list[Any] = list(args)
    for name in names[len(args):]:
        given.append(open_value(m, function, name, defaults))
    named = {arg.arg: open_value(m, function, arg.arg, defaults) for arg in arguments.kwonlyargs}
    made = m.call(function, given, {**named, **open_rest(function)}, function.node)
    if isinstance(made, ContextV):  # a block of nothing
        made.entered(m)
        made.left(m)
    return made


def _without_given(m: Machine, function: FunctionV, called: str, defaults: dict[str, Any]) -> None:
    """Leave out the defaults in whose place the calls of the file that were not come to give something."""
    if defaults and m.wanted is None and function.module.path == m.linted:
        for name in always_given(function.module.source, function, called) & defaults.keys():
            del defaults[name]


def _try_class(m: Machine, module: ModuleV, cls: ClassV) -> None:
    """Instantiate with open arguments; a layer or model is also called."""
    init = cls.lookup("__init__")
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    if isinstance(init, FunctionV):
        arguments = init.node.args
        names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)][1:]
        defaults = dict(zip(names[len(names) - len(init.defaults):], init.defaults, strict=True)) \
            if len(init.defaults) <= len(names) else {}
        defaults.update(init.kw_defaults)
        _without_given(m, init, cls.name, defaults)
        args = [open_value(m, init, name, defaults) for name in names]
        kwargs = {arg.arg: open_value(m, init, arg.arg, defaults) for arg in arguments.kwonlyargs}
        kwargs.update(open_rest(init))
    else:
        kwargs = {STAR: Unknown("arguments of a class that nothing makes")}
    made = m.call(cls, args, kwargs, cls.node or init.node)
    if isinstance(made, InstanceV):
        base = cls.external_base()
        if base is not None and base.startswith("keras.") and isinstance(cls.lookup("call"), FunctionV):
            call = cls.lookup("call")
            if id(call.node) not in m.called:
                given = inputs_for(m, made) or [Unknown("input")] * (2 if base.startswith("keras.losses.") else 1)
                m.call(made, given, {}, cls.node or call.node)


def _try_methods(m: Machine, cls: ClassV) -> None:
    """Methods that nothing called, on the last instance known."""
    if not cls.instances:
        return
    instance = cls.instances[-1]
    hollow = hollow_models(instance)
    for name, value in list(cls.items.items()):
        hidden = name.startswith("__") and name != "__call__"
        if isinstance(value, FunctionV) and id(value.node) not in m.called and not hidden:
            open_attributes(m, instance)
            emptied(m, hollow, value)
            m.guarded = m.guards.get(cls.name, frozenset()) | m.guards.get(name, frozenset())
            try:
                _set_up(m, cls, instance, name)
                if value.kind == "static":
                    call_open(m, value, [])
                else:
                    call_open(m, value, [cls if value.kind == "class" else instance, *from_keras(cls, value)])
            except Raised:
                continue



def _set_up(m: Machine, cls: ClassV, instance: InstanceV, method: str) -> None:
    """Before each of its tests, unittest and pytest run what makes its fixtures anew."""
    if not method.startswith("test"):
        return
    for name in ("setUp", "setup_method"):
        function = cls.lookup(name)
        if isinstance(function, FunctionV) and function.kind not in ("static", "class"):
            call_open(m, function, [instance])

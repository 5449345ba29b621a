"""Layers of one's own made again: what a constructor made of the same arguments before is copied.

Networks are built of blocks that are made alike many times. A constructor is followed once and what it made is kept as
a mould, if it read nothing that may change, changed nothing but its object, and told nothing but that layers came to
be. The name that Keras gives a layer, which differs from block to block, does not count where it is only handed on.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cudnnlint.events import Event, LayerCreated
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.copies import NUMBERS, Copy, NotPlain
from cudnnlint.interp.heap import ListV, TableV
from cudnnlint.interp.layers import LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import MISSING, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.registry import Call, ancestry
from cudnnlint.values import Assumed

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

MOST = 4_096
"""How many moulds are kept at a time."""
STEPS = 2
"""What a copied object costs, in evaluated expressions."""


class Mould:
    """What a constructor made, and under which circumstances it makes the same again.

    reads    names and attributes that it looked up, with what they were: (table, name, value)
    names    the automatic names that it took, with their bases, in order
    sites    where its layers were made
    """

    __slots__ = ("created", "doubts", "instance", "names", "reads", "sites", "size", "state")

    def __init__(self, instance: InstanceV, record: Recording, state: Any) -> None:
        self.reads = list(record.reads.values())
        self.names, self.state = record.names, state
        self.created, self.doubts = record.created, record.doubts
        copy = Copy(record.began)
        self.instance: InstanceV = copy(instance)
        self.size = len(copy.made)
        self.sites = {one.span for one in copy.made.values() if isinstance(one, LayerV) and one.user is None}

    def fits(self, m: Machine) -> bool:
        """Whether all that the constructor looked up is as it was."""
        return all(table.items.get(name, MISSING) is value for table, name, value in self.reads) \
            and _standing(m) == self.state

    def cast(self, m: Machine, c: Call) -> InstanceV:
        """One more of the same."""
        m.tick(STEPS * self.size)
        if not self.sites <= m.sites:
            m.sites |= self.sites
            m.novel(layer=True)
        m.created += self.created
        m.doubts += self.doubts
        if m.recording is not None:
            m.recording.take(self)
        copy = Copy(0, {old: m.unique_name(base) for base, old in self.names})
        made: InstanceV = copy(self.instance)
        for one in copy.made.values():
            if isinstance(one, InstanceV):
                _register(m, one)
        _renamed(made, c)
        return made


class Recording:
    """What a constructor under way reads and does; `refused` once it is seen not to be repeatable."""

    __slots__ = ("began", "created", "doubts", "names", "origins", "outer", "reads", "refused", "tell")

    def __init__(self, m: Machine) -> None:
        self.outer: Recording | None = m.recording
        self.tell: Callable[[Event], object] = m.emit
        self.refused = False
        self.reads: dict[tuple[int, Any], tuple[Any, Any, Any]] = {}
        self.names: list[tuple[str, str]] = []
        self.created, self.doubts, self.origins = m.created, m.doubts, len(m.origins)
        self.began = 0

    def read(self, table: TableV, name: Any, value: Any) -> None:
        """A name of a module, a class or an enclosing function is looked up."""
        if hasattr(value, "born") and not isinstance(value, ClassV):
            self.refused = True  # its contents may change unseen
        self.reads[id(table), name] = (table, name, value)

    def read_of(self, cls: ClassV, name: str, value: Any) -> None:
        """An attribute of a class is looked up."""
        holder = next((base for base in cls.mro if isinstance(base, ClassV) and name in base.items), None)
        if holder is not None:
            self.read(holder, name, value)

    def emit(self, event: Event) -> object:
        """An event comes: nothing but layers that came to be, of which nothing is to be said."""
        told = self.tell(event)
        if told or type(event) is not LayerCreated:
            self.refused = True
        return told

    def take(self, mould: Mould) -> None:
        """A part is made by a mould: what that rests on, this rests on."""
        for entry in mould.reads:
            self.reads[id(entry[0]), entry[1]] = entry

    def close(self, m: Machine) -> None:
        """The constructor has ended, however it did; what encloses it did and read all the same."""
        m.recording, m.emit = self.outer, self.tell
        self.created, self.doubts = m.created - self.created, m.doubts - self.doubts
        self.refused = self.refused or len(m.origins) != self.origins
        if self.outer is not None:
            self.outer.reads.update(self.reads)
            self.outer.names += self.names
            self.outer.refused = self.outer.refused or self.refused


def made(m: Machine, cls: ClassV, c: Call, make: Callable[[], Any]) -> Any:
    """An instance of `cls`: by a mould if there is one that fits, else by following its constructor with `make`."""
    if m.phase == "call" or m.bodies or m.tracing or not _of_layers(cls):
        return make()
    try:
        key = cls, *_circumstances(m), *_arguments(cls, c)
    except NotPlain:
        return make()
    own = m.project is None or _is_own(m, [cls, *c.args, *c.kwargs.values()])
    moulds = m.moulds if own else m.project.shared.moulds
    mould = moulds.get(key)
    if mould is not None and mould.fits(m):
        return mould.cast(m, c)
    instance, mould = _followed(m, cls, make)
    if mould is not None:
        if len(moulds) >= MOST:
            moulds.clear()
        moulds[key] = mould
    return instance


def _followed(m: Machine, cls: ClassV, make: Callable[[], Any]) -> tuple[Any, Mould | None]:
    """What the constructor makes, and the mould of it if it would make the same again."""
    state = _standing(m)
    record = m.recording = Recording(m)
    m.emit = record.emit
    m.heap.open()
    record.began = m.heap.journals[-1].opened
    for base in cls.mro:
        if isinstance(base, ClassV) and "__init__" in base.items:
            record.read(base, "__init__", base.items["__init__"])
    try:
        instance = make()
    except BaseException:
        record.refused = True
        raise
    finally:
        record.refused = bool(m.heap.close()) or record.refused
        record.close(m)
    if record.refused or not isinstance(instance, InstanceV) or _standing(m) != state:
        return instance, None
    try:
        return instance, Mould(instance, record, state)
    except NotPlain:
        return instance, None


def _of_layers(cls: ClassV) -> bool:
    """A layer of Keras with a constructor of its own, and no model, of which more is told."""
    base = cls.external_base()
    return base is not None and base.startswith("keras.layers.") and cls.sealed is False and cls.fields is None \
        and isinstance(cls.lookup("__init__"), FunctionV) and cls.lookup("__new__") is MISSING \
        and "keras.Model" not in ancestry(base)


def _is_own(m: Machine, values: list[Any]) -> bool:
    """Whether a class or function of the file itself is among them, of which no other file knows."""
    return any(isinstance(value, ClassV | FunctionV) and value.module.path == m.linted for value in values)


def _standing(m: Machine) -> Any:
    """The libraries' global state; what can be changed in place with its contents."""
    return {key: value.snapshot() if isinstance(value, ListV | TableV) else value for key, value in m.state.items()}


def _circumstances(m: Machine) -> tuple[Any, ...]:
    """What else a constructor may hang on: where the program stands."""
    return (m.stack, m.frames[-1].control, m.phase, m.symbolic, m.training, m.expecting, bool(m.conditions),
            tuple(m.caught), tuple(map(id, m.handlers)), len(m.overrides))


def _arguments(cls: ClassV, c: Call) -> tuple[Any, ...]:
    """The arguments by their values; a name that is only handed on to Keras by whether there is one."""
    if STAR in c.kwargs:
        raise NotPlain
    named = "name" in c.kwargs and _hands_on(cls, "name")
    return (len(c.args), *map(_by_value, c.args), named and type(c.kwargs["name"]),
            *((name, _by_value(value)) for name, value in sorted(c.kwargs.items()) if not (named and name == "name")))


def _by_value(value: Any) -> Any:
    kind = type(value)
    if kind in NUMBERS:  # 1, True and 1.0 are equal
        return kind, repr(value)
    if kind is tuple:
        return kind, *map(_by_value, value)
    if kind is ListV and value.unknown is None:
        return kind, *map(_by_value, value.items)
    if kind is Assumed:
        return kind, value.assumptions, _by_value(value.value)
    if value is None or kind in (str, bytes, External, ClassV, FunctionV):
        return value
    raise NotPlain


def _hands_on(cls: ClassV, name: str) -> bool:
    """Whether the constructors of a class and its bases do nothing with an argument but hand it on to the next."""
    return all(_only_handed_on(init.node, name) for base in cls.mro
               if isinstance(base, ClassV) and isinstance(init := base.items.get("__init__"), FunctionV))


def _only_handed_on(node: Any, name: str) -> bool:
    known: dict[str, bool] | None = getattr(node, "cudnnlint_handed_on", None)
    if known is None:
        known = node.cudnnlint_handed_on = {}
    if name not in known:
        arguments = node.args
        own = any(arg.arg == name for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
        holder = name if own else arguments.kwarg.arg if arguments.kwarg is not None else ""
        nodes = [one for one in ast.walk(node) if isinstance(one, ast.Call | ast.Name)]
        handed = [keyword.value for call in nodes if isinstance(call, ast.Call) and _is_super_init(call.func)
                  for keyword in call.keywords if keyword.arg == (name if own else None)]
        uses = [one for one in nodes if isinstance(one, ast.Name) and one.id == holder]
        known[name] = bool(holder) and len(uses) == 1 and any(one is uses[0] for one in handed)
    return known[name]


def _is_super_init(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "__init__" \
        and isinstance(function.value, ast.Call) \
        and isinstance(function.value.func, ast.Name) and function.value.func.id == "super"


def _register(m: Machine, instance: InstanceV) -> None:
    cls = instance.cls
    if not cls.instances:
        m.instantiated.append(cls)
    cls.instances.append(instance)


def _renamed(instance: InstanceV, c: Call) -> None:
    """The place and the name of the outermost are those of its own call."""
    instance.span = c.span
    layer = instance.extra
    if isinstance(layer, LayerV):
        layer.span, layer._told = c.span, None
        if isinstance(name := plain(c.kwargs.get("name")), str):
            layer.name = name
            layer.base = {**layer.base, "name": name} if "name" in layer.base else layer.base

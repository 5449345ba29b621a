"""Layers of one's own made again: what a constructor made of the same arguments before is copied.

Networks are built of blocks that are made alike many times. A constructor is followed once and what it made is kept as
a mould, if it read nothing that may change, changed nothing but its object, and told nothing but that layers came to
be. The name that Keras gives a layer, which differs from block to block, does not count where it is only handed on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.devices import DEVICES, hidden
from cudnnlint.interp.handed_on import hands_on
from cudnnlint.interp.heap import ListV, TableV
from cudnnlint.interp.keras.copies import NUMBERS, Copy, NotPlain
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import MISSING, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.recording import Recording
from cudnnlint.interp.registry import Call, ancestry
from cudnnlint.source.asked import rely
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
    sites    where it makes layers
    called   ids of the def nodes that it enters
    inner    moulds of parts that it makes
    parts    the instance, and those within
    steps    what it took to follow the constructor
    asked    of the file system, meanwhile
    """

    __slots__ = ("asked", "called", "created", "doubts", "inner", "instance", "names", "parts", "reads", "sites",
                 "size", "state", "steps")

    def __init__(self, instance: InstanceV, record: Recording, state: dict[str, Any], steps: int) -> None:
        self.steps = steps
        self.asked = record.asked
        self.reads = list(record.reads.values())
        self.names, self.state = record.names, state
        self.created, self.doubts = record.created, record.doubts
        copy = Copy(record.began)
        self.instance: InstanceV = copy(instance)
        self.size = len(copy.made)
        self.parts = [one for one in copy.made.values() if isinstance(one, InstanceV)]
        self.sites, self.called, self.inner = record.sites, record.called, record.moulds

    def fits(self, m: Machine) -> bool:
        """Whether all that the constructor looked up is as it was."""
        for table, name, value in self.reads:
            if table.items.get(name, MISSING) is not value:
                return False
        return _asked(m) == self.state

    def cast(self, m: Machine, c: Call) -> InstanceV:
        """One more of the same."""
        rely(self.asked)
        if self in m.moulded:
            m.tick(STEPS * self.size)
        else:  # as if no other file had been looked at before
            m.moulded |= self.inner
            m.moulded.add(self)
            m.tick(self.steps)
        if not self.called <= m.called:
            m.called |= self.called
            m.novel(layer=False)
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

    def let_go(self) -> None:
        """Open the circles of what nobody will ask for again."""
        for part in self.parts:
            part.extra = None


def made(m: Machine, cls: ClassV, c: Call, make: Callable[[], Any]) -> Any:
    """An instance of `cls`: by a mould if there is one that fits, else by following its constructor with `make`."""
    if m.phase == "call" or m.bodies or m.tracing or not _of_layers(cls):
        return make()
    try:
        key = cls, *circumstances(m), *_arguments(cls, c)
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
    asked, state, begun = _asked(m), _standing(m), m.steps
    record = Recording(m)
    for base in cls.mro:
        if isinstance(base, ClassV) and "__init__" in base.items:
            record.read(base, "__init__", base.items["__init__"])
    instance = record.follow(m, make)
    if record.refused or not isinstance(instance, InstanceV) or _standing(m) != state:
        return instance, None
    try:
        mould = Mould(instance, record, asked, m.steps - begun)
    except NotPlain:
        return instance, None
    m.moulded.add(mould)
    if m.recording is not None:
        m.recording.moulds |= {mould, *mould.inner}
    return instance, mould


def _of_layers(cls: ClassV) -> bool:
    """A layer of Keras with a constructor of its own, and no model, of which more is told."""
    base = cls.external_base()
    return base is not None and base.startswith("keras.layers.") and cls.sealed is False and cls.fields is None \
        and isinstance(cls.lookup("__init__"), FunctionV) and cls.lookup("__new__") is MISSING \
        and "keras.Model" not in ancestry(base)


def _is_own(m: Machine, values: list[Any]) -> bool:
    """Whether a class or function of the file itself is among them, of which no other file knows."""
    return any(isinstance(value, ClassV | FunctionV) and value.module.path == m.linted for value in values)


def _standing(m: Machine) -> dict[str, Any]:
    """The libraries' global state; what can be changed in place with its contents."""
    return {key: value.snapshot() if isinstance(value, ListV | TableV) else value for key, value in m.state.items()}


def _asked(m: Machine) -> dict[str, Any]:
    """What of it a constructor asks for: not when TensorFlow took hold of the devices."""
    return {**_standing(m), DEVICES: hidden(m)}


def circumstances(m: Machine) -> tuple[Any, ...]:
    """What else a constructor may hang on: where the program stands."""
    return (m.stack, m.frames[-1].control, m.phase, m.symbolic, m.training, m.expecting, bool(m.conditions),
            tuple(m.caught), tuple(map(id, m.handlers)), len(m.overrides))


def _arguments(cls: ClassV, c: Call) -> tuple[Any, ...]:
    """The arguments by their values; a name that is only handed on to Keras by whether there is one."""
    if STAR in c.kwargs:
        raise NotPlain
    named = "name" in c.kwargs and hands_on(cls, "name")
    return (len(c.args), *map(by_value, c.args), named and type(c.kwargs["name"]),
            *((name, by_value(value)) for name, value in sorted(c.kwargs.items()) if not (named and name == "name")))


def by_value(value: Any) -> Any:
    kind = type(value)
    if kind in NUMBERS:  # 1, True and 1.0 are equal
        return kind, repr(value)
    if kind is tuple:
        return kind, *map(by_value, value)
    if kind is ListV and value.unknown is None:
        return kind, *map(by_value, value.items)
    if kind is Assumed:
        return kind, value.assumptions, by_value(value.value)
    if value is None or kind in (str, bytes, External, ClassV, FunctionV):
        return value
    raise NotPlain


def _register(m: Machine, instance: InstanceV) -> None:
    cls = instance.cls
    if not cls.instances:
        m.instantiated.append(cls)
    cls.instances.append(instance)
    m.keep(instance)


def _renamed(instance: InstanceV, c: Call) -> None:
    """The place and the name of the outermost are those of its own call."""
    instance.span = c.span
    layer = instance.extra
    if isinstance(layer, LayerV):
        layer.span, layer._told = c.span, None
        if isinstance(name := plain(c.kwargs.get("name")), str):
            layer.name = name
            layer.base = {**layer.base, "name": name} if "name" in layer.base else layer.base

"""User classes: definition, method resolution order, instantiation."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.allocating import allocated
from cudnnlint.interp.attribute_dicts import AttrDictV, is_attribute_dict, made
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.decorators import is_noted, leaves_alone
from cudnnlint.interp.equality import equal
from cudnnlint.interp.fields import RECORD_BASES, RECORDS, fields_of, init_fields, initialiser, is_record
from cudnnlint.interp.frames import Frame
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import is_named_tuple
from cudnnlint.interp.keras.incomplete import MODULE, tell_of_no_module
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.misfits import tell_of_constructor
from cudnnlint.interp.objects import BoundV, BuiltinV, ClassScope, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.registry import CALLS, Call, ancestry
from cudnnlint.interp.supers import super_init
from cudnnlint.values import Unknown
from cudnnlint.values.unknown import OfPython

PLAIN_BASES = frozenset({"abc.ABC", "object", "typing.Generic", "typing.Protocol", "enum.Enum", "enum.IntEnum",
                         "enum.StrEnum", "typing.NamedTuple", "typing.TypedDict"})
BASES = "what classes derive from"
"""In the notes of a machine: the bases of its classes, by id."""
TRANSPARENT = ("keras.saving.", "keras.utils.", "tensorflow.", "typing.", "functools.total_ordering", "abc.", "enum.",
               "gin.", "namex.",
               "keras.")


def define_class(m: Machine, node: ast.ClassDef) -> Any:
    """Run a class body and make its class object."""
    bases = tuple(plain(m.eval(base)) for base in node.bases)
    bases = tuple(base for base in bases if not _is_builtin(base, "object"))
    cls = ClassV(node.name, bases, m.frame.module, node)
    cls.mro, cls.sealed = linearise(cls)
    if cls.module.name == "__main__" or getattr(m.classes.get(id(node)), "module", cls.module) is cls.module:
        m.classes[id(node)] = cls  # not that of a file which imports itself, under another name
        m.notes.setdefault(BASES, {}).update((id(base), base) for base in cls.mro[1:])
    run_class_body(m, node, cls)
    records = any(is_record(m, decorator) for decorator in node.decorator_list)
    if records or any(isinstance(base, External) and base.path in RECORD_BASES for base in bases):
        cls.fields = fields_of(cls, node)
    elif inherited := next((base.fields for base in cls.mro[1:] if isinstance(base, ClassV) and base.fields), None):
        cls.fields = inherited
    if any(isinstance(base, External) and base.path.startswith("enum.") for base in bases):
        _make_enum(m, cls)
    for word in node.keywords:
        if word.arg == "metaclass" and isinstance(made_by := plain(m.eval(word.value)), ClassV):
            _lose_register(m, made_by)
    if isinstance(hook := next((base.items["__init_subclass__"] for base in cls.mro[1:] if isinstance(base, ClassV)
                                and "__init_subclass__" in base.items), None), FunctionV):
        m.call(BoundV(hook, cls), [], {word.arg: m.eval(word.value) for word in node.keywords if word.arg}, node)
    result: Any = cls
    for decorator in reversed(node.decorator_list):
        result = _decorate(m, decorator, result)
    return result


def _lose_register(m: Machine, metaclass: ClassV) -> None:
    """What a metaclass of the program's own does with a class is not followed: it may note it in what it holds."""
    for held in metaclass.items.values():
        if isinstance(held, ListV | DictV):
            m.heap.touch(held)
            held.unknown = held.unknown or Unknown("classes that a metaclass may have noted")


def _is_builtin(value: Any, name: str) -> bool:
    return getattr(value, "name", None) == name and not isinstance(value, (ClassV, FunctionV))


def run_class_body(m: Machine, node: ast.ClassDef, cls: ClassV) -> None:
    outer = m.frame
    scope = ClassScope(outer.scope, cls)
    frame = Frame(scope, outer.module, None, outer.control)
    m.frames.append(frame)
    m.heap.open()
    try:
        m.run_block(node.body)
    finally:
        m.heap.close()
        m.frames.pop()
    cls.items = scope.items
    for value in cls.items.values():
        if isinstance(value, FunctionV) and value.owner is None:
            value.owner = cls
            if isinstance(value.setter, FunctionV):
                value.setter.owner = cls


def linearise(cls: ClassV) -> tuple[tuple[Any, ...], bool]:
    """C3 over the bases; an unknown base stays in the order as Unknown and unseals the class."""
    sequences = [list(base.mro) if isinstance(base, ClassV) else [base] for base in cls.bases]
    sequences.append(list(cls.bases))
    order: list[Any] = [cls]
    while any(sequences):
        sequences = [sequence for sequence in sequences if sequence]
        for sequence in sequences:
            head = sequence[0]
            if not any(any(head is other or head == other for other in rest[1:]) for rest in sequences):
                break
        else:
            return (*order, Unknown("inconsistent bases")), False
        order.append(head)
        sequences = [[item for item in sequence if item is not head and item != head] for sequence in sequences]
    sealed = True
    for base in order[1:]:
        if isinstance(base, ClassV):
            sealed = sealed and base.sealed
        elif not (isinstance(base, External) and base.path in PLAIN_BASES):
            sealed = False
    known = [base if isinstance(base, (ClassV, External)) else
             OfPython("a class of Python", name=base.name) if isinstance(base, BuiltinV) else
             base if type(base) is OfPython else Unknown("an unknown base class") for base in order]
    known = [base for base in known if not (isinstance(base, External) and base.path in PLAIN_BASES)]
    return _derived_first(known), sealed


def _derived_first(order: list[Any]) -> tuple[Any, ...]:
    """Without the classes of libraries that another one of them derives from: it comes first, and has what they have.

    A mixin that is a keras.layers.Layer, beside keras.layers.Conv2D, calls the convolution by super().
    """
    paths = [base.path for base in order if isinstance(base, External)]
    if len(paths) < 2:
        return tuple(order)
    inherited = {parent for path in paths for parent in ancestry(path)[1:]}
    return tuple(base for base in order if not (isinstance(base, External) and base.path in inherited))


def _make_enum(m: Machine, cls: ClassV) -> None:
    """`auto()` is one more than the value before (enum.Enum._generate_next_value_)."""
    before: Any = 0
    cls.members = []
    for name, value in list(cls.items.items()):
        if not name.startswith("_") and not isinstance(value, FunctionV):
            counted = isinstance(value, Unknown) and value.why == "enum.auto()" and type(before) is int
            before = given = before + 1 if counted else plain(value)
            member = InstanceV(cls)
            cls.members.append(member)
            member.items.update(value=given if counted else value, name=name)
            cls.items[name] = member


def _decorate(m: Machine, decorator: ast.expr, value: Any) -> Any:
    callee = plain(m.eval(decorator.func if isinstance(decorator, ast.Call) else decorator))
    if isinstance(callee, External):
        if callee.path.startswith("gin.") and callee.path in CALLS:
            return m.call(m.eval(decorator), [value], {}, decorator)
        if callee.path in RECORDS or callee.path.startswith(TRANSPARENT) or leaves_alone(callee.path):
            return value
        return Unknown(f"decorated with {callee.path}")
    if isinstance(callee, Unknown):
        return value if is_noted(decorator, of_class=True) else Unknown("decorated with something unknown")
    made = m.eval(decorator)
    return m.call(made, [value], {}, decorator)


def instantiate(m: Machine, cls: ClassV, c: Call) -> Any:
    """Make an instance and run its initialiser."""
    if cls.node is not None and is_attribute_dict(cls):
        return made(c, lambda items, unknown: AttrDictV(items, unknown, maker=cls))
    if any(type(base) is External and base.path == "typing.TypedDict" for one in cls.mro if type(one) is ClassV
           for base in one.bases):  # a class for type checkers, which makes a dict
        from cudnnlint.interp.builtin.functions import BUILTINS

        return m.call(BUILTINS["dict"], c.args, c.kwargs, c.node)
    if cls.members:
        return _member(cls, plain(c.args[0])) if len(c.args) == 1 and not c.kwargs else Unknown("an enum's member")
    new = cls.lookup("__new__")
    if isinstance(new, FunctionV):
        instance = m.call(new, [cls, *c.args], c.kwargs, c.node)
        if not isinstance(instance, Unknown):
            ours = isinstance(instance, InstanceV) and cls in instance.cls.mro
            return _started(m, instance, instance.cls, c) if ours and not is_named_tuple(cls) else instance
        _started(m, allocated(m, cls, c.span), cls, c)
        return instance
    return _started(m, allocated(m, cls, c.span), cls, c)


def _member(cls: ClassV, value: Any) -> Any:
    """`Size(64)`: the member of that value."""
    if isinstance(value, InstanceV) and value.cls is cls:
        return value
    verdicts = [(equal(member.items.get("value"), value), member) for member in cls.members or ()]
    sure = [member for verdict, member in verdicts if verdict]
    return sure[0] if sure and all(verdict is not None for verdict, _ in verdicts) else Unknown(f"a {cls.name}")


def _started(m: Machine, instance: InstanceV, cls: ClassV, c: Call) -> Any:
    """The instance once its initialiser has run."""
    init = initialiser(cls)
    if isinstance(init, Unknown):
        return init
    if isinstance(init, FunctionV):
        if cls.external_base() is not None:
            tell_of_constructor(c, cls)
        _initialised(m, instance, init, c)
        if instance.extra is None and cls.external_base() == MODULE:
            tell_of_no_module(m, instance, c.span)
    elif cls.fields is not None:
        init_fields(m, instance, cls, c)
    elif cls.items.get("value") is None and any(isinstance(v, InstanceV) and v.cls is cls for v in cls.items.values()):
        return _enum_member(cls, c)
    else:
        super_init(m, instance, cls.mro, 0, c)
    return instance


def _initialised(m: Machine, instance: InstanceV, init: FunctionV, c: Call) -> None:
    """An instance whose initialiser is not followed to its end is none to call other methods on."""
    try:
        m.call(BoundV(init, instance), c.args, c.kwargs, c.node)
    except OutOfBounds:
        if instance in instance.cls.instances:
            instance.cls.instances.remove(instance)
        raise


def _enum_member(cls: ClassV, c: Call) -> Any:
    wanted = key_of(c.get(0, "value"))
    for member in cls.items.values():
        if isinstance(member, InstanceV) and member.items.get("value") == wanted:
            return member
    return Unknown(f"a member of {cls.name}")

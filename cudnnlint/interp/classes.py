"""User classes: definition, method resolution order, instantiation, super()."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.attribute_dicts import AttrDictV, is_attribute_dict, made
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Frame, Machine, plain
from cudnnlint.interp.objects import (
    MISSING,
    REQUIRED,
    BoundV,
    ClassV,
    External,
    FunctionV,
    InstanceV,
    Scope,
)
from cudnnlint.interp.registry import CALLS, Call, find_method
from cudnnlint.values import Unknown

PLAIN_BASES = frozenset({"abc.ABC", "object", "typing.Generic", "typing.Protocol", "enum.Enum", "enum.IntEnum",
                         "enum.StrEnum", "typing.NamedTuple", "typing.TypedDict"})
FIELDS = ("dataclasses.field", "attr.ib", "attrs.field", "attr.field", "pydantic.Field")
RECORDS = frozenset({"dataclasses.dataclass", "attr.s", "attrs.define", "attr.define", "attrs.frozen", "attr.dataclass",
                     "attr.attrs", "pydantic.dataclasses.dataclass", "flax.struct.dataclass"})
TRANSPARENT = ("keras.saving.", "keras.utils.", "tensorflow.", "typing.", "functools.total_ordering", "abc.", "enum.",
               "gin.", "namex.",
               "keras.")


def define_class(m: Machine, node: ast.ClassDef) -> Any:
    """Run a class body and make its class object."""
    bases = tuple(plain(m.eval(base)) for base in node.bases)
    bases = tuple(base for base in bases if not _is_builtin(base, "object"))
    cls = ClassV(node.name, bases, m.frame.module, node)
    m.classes[id(node)] = cls
    cls.mro, cls.sealed = linearise(cls)
    run_class_body(m, node, cls)
    records = any(_is_record(m, decorator) for decorator in node.decorator_list)
    if records or any(isinstance(base, External) and base.path in ("typing.NamedTuple", "pydantic.BaseModel")
                      for base in bases):
        cls.fields = _fields(cls, node)
    elif inherited := next((base.fields for base in cls.mro[1:] if isinstance(base, ClassV) and base.fields), None):
        cls.fields = inherited
    if any(isinstance(base, External) and base.path.startswith("enum.") for base in bases):
        _make_enum(m, cls)
    result: Any = cls
    for decorator in reversed(node.decorator_list):
        result = _decorate(m, decorator, result)
    return result


def _is_builtin(value: Any, name: str) -> bool:
    return getattr(value, "name", None) == name and not isinstance(value, (ClassV, FunctionV))


def run_class_body(m: Machine, node: ast.ClassDef, cls: ClassV) -> None:
    outer = m.frame
    scope = Scope(outer.scope, "class")
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
    known = [base if isinstance(base, (ClassV, External)) else Unknown("an unknown base class") for base in order]
    return tuple(base for base in known if not (isinstance(base, External) and base.path in PLAIN_BASES)), sealed


def _is_record(m: Machine, decorator: ast.expr) -> bool:
    value = plain(m.eval(decorator.func if isinstance(decorator, ast.Call) else decorator))
    return isinstance(value, External) and value.path in RECORDS


def _fields(cls: ClassV, node: ast.ClassDef) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for base in reversed(cls.mro[1:]):
        if isinstance(base, ClassV) and base.fields:
            fields.update(base.fields)
    for name, value in cls.items.items():  # attr.s without annotations
        if getattr(value, "path", "") == "attr.ib" and not name.startswith("__"):
            fields[name] = value
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if "ClassVar" in ast.dump(statement.annotation):
                continue
            name = statement.target.id
            fields[name] = default = cls.items.get(name, REQUIRED)
            if getattr(default, "path", "") in FIELDS:
                cls.items[name] = default.kwargs.get("default", Unknown(f"field {name}"))
    return fields


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
        if callee.path in RECORDS or callee.path.startswith(TRANSPARENT):
            return value
        return Unknown(f"decorated with {callee.path}")
    if isinstance(callee, Unknown):
        return Unknown("decorated with something unknown")
    made = m.eval(decorator)
    return m.call(made, [value], {}, decorator)


def instantiate(m: Machine, cls: ClassV, c: Call) -> Any:
    """Make an instance and run its initialiser."""
    if cls.node is not None and is_attribute_dict(cls):
        return made(c, lambda items, unknown: AttrDictV(items, unknown, maker=cls))
    new = cls.lookup("__new__")
    instance = InstanceV(cls, c.span)
    if not cls.instances:
        m.instantiated.append(cls)
    cls.instances.append(instance)
    init = cls.lookup("__init__")
    if isinstance(init, FunctionV):
        if cls.external_base() is not None:
            from cudnnlint.interp.misfits import tell_of_constructor

            tell_of_constructor(c, cls)
        _initialised(m, instance, init, c)
    elif cls.fields is not None:
        _init_fields(m, instance, cls, c)
    elif cls.items.get("value") is None and any(isinstance(v, InstanceV) and v.cls is cls for v in cls.items.values()):
        return _enum_member(cls, c)
    else:
        super_init(m, instance, cls.mro, 0, c)
    if isinstance(new, FunctionV):
        return Unknown(f"{cls.name}.__new__")
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


def _init_fields(m: Machine, instance: InstanceV, cls: ClassV, c: Call) -> None:
    assert cls.fields is not None
    given = dict(zip(cls.fields, c.args, strict=False)) | c.kwargs
    for name, default in cls.fields.items():
        value = given.get(name, MISSING)
        if value is MISSING:
            value = Unknown(f"field {name}") if default is REQUIRED else _default_of(m, default, c)
        instance.items[name] = value
    post = cls.lookup("__post_init__")
    if isinstance(post, FunctionV):
        m.call(BoundV(post, instance), [], {}, c.node)


def _default_of(m: Machine, default: Any, c: Call) -> Any:
    """dataclasses.field(default=..., default_factory=...) or a plain default."""
    if getattr(default, "path", "") in FIELDS:
        if (factory := default.kwargs.get("default_factory", default.kwargs.get("factory"))) is not None:
            return m.call(factory, [], {}, c.node)
        if "default" in default.kwargs:
            return default.kwargs["default"]
        return default.args[0] if default.args else Unknown("a field without default")
    return default


def super_init(m: Machine, instance: InstanceV, mro: tuple[Any, ...], after: int, c: Call) -> Any:
    """The next `__init__` in the mro after position `after`."""
    for base in mro[after + 1:]:
        if isinstance(base, ClassV):
            if base.fields is not None and "__init__" not in base.items:
                return _init_fields(m, instance, base, c)
            if "__init__" in base.items:
                return m.call(BoundV(base.items["__init__"], instance), c.args, c.kwargs, c.node)
        elif isinstance(base, External):
            return external_init(m, instance, base, c)
        elif isinstance(base, Unknown):
            instance.unknown = base
            return None
    return None


def external_init(m: Machine, instance: InstanceV, base: External, c: Call) -> Any:
    """Initialise the library part of a user's object (keras.layers.Layer, keras.Model ...)."""
    if (path := find_method(base.path, "__init__")) is not None:
        c.receiver = instance
        return CALLS[path](c)
    if base.path.startswith("keras."):
        from cudnnlint.interp.subclass import init_keras_instance

        return init_keras_instance(m, instance, base.path, c)
    if base.path == "pydantic.BaseModel":
        for key, value in c.kwargs.items():
            m.set_item(instance, key, value)
    return None


class SuperV:
    """super(): attribute lookup starts after `cls` in the mro of the instance's class."""

    __slots__ = ("cls", "instance")

    def __init__(self, cls: ClassV, instance: Any) -> None:
        self.cls, self.instance = cls, instance

    def attribute(self, m: Machine, name: str) -> Any:
        holder = self.instance.cls if isinstance(self.instance, InstanceV) else self.instance
        mro = holder.mro if isinstance(holder, ClassV) else ()
        start = next((i for i, cls in enumerate(mro) if cls is self.cls), 0)
        if name == "__init__":
            return BoundInit(self.instance, mro, start)
        for base in mro[start + 1:]:
            if isinstance(base, ClassV):
                if name in base.items:
                    found = base.items[name]
                    if m.recording is not None:
                        m.recording.read(base, name, found)
                    if isinstance(found, FunctionV) and found.kind == "property":
                        return m.call(found, [self.instance], {}, found.node)
                    return BoundV(found, self.instance) if isinstance(found, FunctionV) and found.kind != "static" \
                        else found
            elif isinstance(base, External):
                return self._external(m, base, name)
            else:
                return base
        return Unknown(f"super().{name}")

    def _external(self, m: Machine, base: External, name: str) -> Any:
        from cudnnlint.interp.objects import BuiltinV, MethodV
        from cudnnlint.interp.registry import find_attribute

        if base.path.startswith("keras.") and name in ("call", "__call__", "build", "compute_output_shape"):
            from cudnnlint.interp.subclass import super_method

            return BuiltinV(f"super().{name}", lambda c: super_method(m, self.instance, name, c))
        if (handler := find_attribute(base.path, name)) is not None:
            return handler(m, self.instance)
        if (path := find_method(base.path, name)) is not None:
            return MethodV(self.instance, path)
        if name == "get_config":
            return BuiltinV("super().get_config", lambda c: DictV({}, Unknown("base config")))
        return Unknown(f"super().{name}")


class BoundInit:
    """super().__init__, bound."""

    __slots__ = ("instance", "mro", "start")
    always_true = True

    def __init__(self, instance: Any, mro: tuple[Any, ...], start: int) -> None:
        self.instance, self.mro, self.start = instance, mro, start

    def called(self, c: Call) -> Any:
        if isinstance(self.instance, InstanceV):
            super_init(c.machine, self.instance, self.mro, self.start, c)
        return None

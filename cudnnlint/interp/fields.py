"""Classes whose constructor is made of their fields: dataclasses, attrs, pydantic, NamedTuple."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import (
    MISSING,
    REQUIRED,
    BoundV,
    ClassV,
    External,
    FunctionV,
    InstanceV,
)
from cudnnlint.interp.registry import Call, ancestry
from cudnnlint.interp.validated import is_validated, validated
from cudnnlint.values import Unknown

FIELDS = ("dataclasses.field", "attr.ib", "attrs.field", "attr.field", "pydantic.Field")
LAYERS = frozenset({"keras.layers.Layer", "keras.Model"})
OF_ATTRS = frozenset({"attr.ib", "attrs.field", "attr.field"})
OPTIONAL = frozenset({"attr.converters.optional", "attrs.converters.optional"})
"""Converters that leave None as it is."""

RECORDS = frozenset({"dataclasses.dataclass", "attr.s", "attrs.define", "attr.define", "attrs.frozen", "attr.dataclass",
                     "attr.attrs", "pydantic.dataclasses.dataclass", "flax.struct.dataclass"})
RECORD_BASES = frozenset({"typing.NamedTuple", "pydantic.BaseModel", "pydantic_settings.BaseSettings",
                          "pydantic.BaseSettings", "tap.Tap"})
"""Classes whose own have a constructor made of their fields."""


def is_record(m: Machine, decorator: ast.expr) -> bool:
    value = plain(m.eval(decorator.func if isinstance(decorator, ast.Call) else decorator))
    return isinstance(value, External) and value.path in RECORDS


def fields_of(cls: ClassV, node: ast.ClassDef) -> dict[str, Any]:
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


def initialiser(cls: ClassV) -> Any:
    """The `__init__` that is written nearest; MISSING where that of a class with fields, which is made, is nearer, or
    that of a layer, which calls no other (keras/src/layers/layer.py: Layer.__init__)."""
    classes = [base for base in cls.mro if isinstance(base, ClassV)]
    i = 0
    for base in cls.mro:
        if type(base) is External and not LAYERS.isdisjoint(ancestry(base.path)):
            return MISSING
        if not isinstance(base, ClassV):
            continue
        if "__init__" in base.items:
            return base.items["__init__"]
        i += 1
        if base.fields is not None and not any(later.fields is base.fields for later in classes[i:]):
            return MISSING
    return cls.lookup("__init__")


def init_fields(m: Machine, instance: InstanceV, cls: ClassV, c: Call) -> None:
    fill_fields(m, instance, cls, c.args, c)
    post = cls.lookup("__post_init__")
    if isinstance(post, FunctionV):
        asked = {argument.arg for argument in post.node.args.args} if isinstance(post.node, ast.FunctionDef) else set()
        given = {name: instance.items[name] for name in cls.fields or () if name in asked}  # those that are an InitVar
        m.call(BoundV(post, instance), [], given, c.node)


def fill_fields(m: Machine, instance: InstanceV, cls: ClassV, args: Sequence[Any], c: Call) -> None:
    """Each field as `args` and the keywords of `c` give it, or its default."""
    assert cls.fields is not None
    given, checked = dict(zip(cls.fields, args, strict=False)) | c.kwargs, is_validated(cls)
    for name, default in cls.fields.items():
        value = given.get(name, MISSING)
        if value is MISSING:
            lacks = default is REQUIRED or (checked and not given.keys() <= cls.fields.keys())  # it may have an alias
            value = Unknown(f"field {name}") if lacks else _default_of(m, default, c)
        elif checked:
            value = validated(m, cls, name, value, c.node)
        instance.items[name] = _converted(m, value, default, c)


def _converted(m: Machine, value: Any, field: Any, c: Call) -> Any:
    """As a field of attrs with a converter keeps it, given or default (attr/_make.py: _attrs_to_init_script)."""
    converter = plain(field.kwargs.get("converter")) if getattr(field, "path", "") in OF_ATTRS else None
    if getattr(converter, "path", "") in OPTIONAL and (others := getattr(converter, "args", ())):
        if plain(value) is None:
            return value
        converter = others[0]
    return value if converter is None else m.call(converter, [value], {}, c.node)


def _default_of(m: Machine, default: Any, c: Call) -> Any:
    """dataclasses.field(default=..., default_factory=...) or a plain default."""
    if getattr(default, "path", "") in FIELDS:
        if (factory := default.kwargs.get("default_factory", default.kwargs.get("factory"))) is not None:
            return m.call(factory, [], {}, c.node)
        if "default" in default.kwargs:
            return default.kwargs["default"]
        return default.args[0] if default.args else Unknown("a field without default")
    return default

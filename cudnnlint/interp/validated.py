"""What pydantic makes of the values that a model is given, by the annotations of its fields."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import ClassV, External
from cudnnlint.values import Unknown

NUMBERS = {"int": int, "float": float}
CONVERTED = Unknown("a value that pydantic converts")
ANYTHING = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "Any", "object"})


def is_validated(cls: ClassV) -> bool:
    """Whether its constructor is pydantic's: of a model, or of a dataclass of its kind."""
    return any(_is_of_pydantic(base) if not isinstance(base, ClassV) else any(
        _is_of_pydantic(base.module.scope.items.get(_class_named(decorator)))
        for decorator in (base.node.decorator_list if base.node is not None else ())) for base in cls.mro)


def _is_of_pydantic(value: Any) -> bool:
    return type(value) is External and value.path.startswith("pydantic")


def validated(m: Machine, cls: ClassV, name: str, value: Any, node: ast.AST) -> Any:
    """What a field holds of what it is given: a model of a dict, a number of a text
    (https://docs.pydantic.dev/latest/concepts/models/#data-conversion)."""
    held = plain(value)
    if not isinstance(held, DictV | ListV | str):
        return value
    annotation, owner = _annotation(cls, name)
    if isinstance(held, str):
        return _number(held, value, annotation)
    named = _class_named(annotation)
    if named in ANYTHING or annotation is None:
        return value
    if isinstance(held, ListV):
        return CONVERTED if any(isinstance(plain(item), DictV) for item in held.items) else value
    made = owner.module.scope.items.get(named) if owner is not None else None
    known = isinstance(made, ClassV) and not held.unknown and all(isinstance(key, str) for key in held.items)
    return m.call(made, [], dict(held.items), node) if known else CONVERTED


def _number(held: str, value: Any, annotation: ast.expr | None) -> Any:
    kind = NUMBERS.get(_class_named(annotation))
    try:
        return value if kind is None else assume(kind(held), assumptions_of(value))
    except ValueError:
        return CONVERTED


def _annotation(cls: ClassV, name: str) -> tuple[ast.expr | None, ClassV | None]:
    """That of a field, and the class in which it stands."""
    for base in cls.mro:
        for statement in base.node.body if isinstance(base, ClassV) and base.node is not None else ():
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) \
                    and statement.target.id == name:
                return statement.annotation, base
    return None, None


def _class_named(annotation: ast.expr | None) -> str:
    """The one class that an annotation names, or a decorator: `Data`, `Data | None`, `Optional[Data]`,
    `dict[str, int]`; "" for others.

    >>> [_class_named(ast.parse(text, mode="eval").body) for text in ("A", "A | None", "Optional[A]", "dict[str, A]")]
    ['A', 'A', 'A', 'dict']
    """
    match annotation:
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, right=ast.Constant(value=None)):
            return _class_named(left)
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return _class_named(inner)
        case ast.Subscript(value=outer) | ast.Call(func=outer):
            return _class_named(outer)
    return ""

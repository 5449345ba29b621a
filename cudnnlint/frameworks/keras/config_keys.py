"""What get_config() of a class of the program's own tells, as it is written, of what its constructor needs."""

from __future__ import annotations

import ast

from cudnnlint.interp.objects import MISSING, ClassV, FunctionV

OF_LAYER = ("trainable", "dtype")
"""What Keras 3 saves of every layer without get_config() of its own, beside the arguments that it was made with
(keras/src/layers/layer.py: Layer.get_config)."""


def not_told(cls: ClassV) -> list[str]:
    """Arguments without a default of which no get_config() has a word: where each is plain enough to be read so."""
    init = cls.lookup("__init__")
    told = [each.items["get_config"] for each in cls.mro if isinstance(each, ClassV) and "get_config" in each.items]
    if not isinstance(init, FunctionV) or not told or cls.lookup("from_config") is not MISSING or init.node.args.vararg:
        return []
    keys: set[str] = {"name", *OF_LAYER}
    for each in told:
        written = _keys(each.node.body) if isinstance(each, FunctionV) and isinstance(each.node, ast.FunctionDef) \
            else None
        if written is None:
            return []
        keys |= written
    arguments = init.node.args
    positional = arguments.args[1:len(arguments.args) - len(arguments.defaults)]
    named = [one for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default is None]
    return [one.arg for one in (*positional, *named) if one.arg not in keys]


def _keys(body: list[ast.stmt]) -> set[str] | None:
    """
    >>> def keys(text): return _keys(ast.parse(text).body)
    >>> sorted(keys("config = super().get_config(); config.update(a=1, **{'b': 2}); config['c'] = 3"))
    ['a', 'b', 'c']
    >>> keys("config = vars(self)"), keys("config = super().get_config(); del config['a']")
    (None, None)
    """
    found: set[str] = set()
    for statement in body:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
            key = statement.targets[0].slice
            told = {key.value} if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
        elif isinstance(statement, ast.Expr) and isinstance(value, ast.Constant):  # its docstring
            continue
        elif isinstance(statement, ast.Expr):
            told = _added(value) if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) \
                and value.func.attr == "update" else None
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return | ast.AugAssign) and value is not None:
            told = _of(value)
        else:
            told = None
        if told is None:
            return None
        found |= told
    assigned = {f"{NAME}{target.id}" for statement in body if isinstance(statement, ast.Assign)
                for target in statement.targets if isinstance(target, ast.Name)}
    names = {key for key in found if key.startswith(NAME)}
    return found - names if names <= assigned else None


NAME = "*"
"""Begins what stands for a dict by its name, which the same function has to make."""


def _of(value: ast.expr) -> set[str] | None:
    """Keys of a dict that is written out, with that of the base, which is told by itself, and names of others."""
    if isinstance(value, ast.Name):
        return {f"{NAME}{value.id}"}
    if isinstance(value, ast.Call) and _is_base(value.func):
        return set()
    if isinstance(value, ast.BinOp):
        left, right = _of(value.left), _of(value.right)
        return None if left is None or right is None else left | right
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("dict", "list"):
        return _added(value)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("items", "copy"):
        return _of(value.func.value)
    if not isinstance(value, ast.Dict):
        return None
    found: set[str] = set()
    for key, held in zip(value.keys, value.values, strict=True):
        inner = _of(held) if key is None else {key.value} \
            if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
        if inner is None:
            return None
        found |= inner
    return found


def _is_base(function: ast.expr) -> bool:
    """`super().get_config`, `super(Patches, self).get_config`, `Layer.get_config`."""
    written = ast.unparse(function)
    return (written.startswith("super(") and written.endswith(").get_config")) or written.endswith("Layer.get_config")


def _added(call: ast.Call) -> set[str] | None:
    """`config.update({"units": 3}, rate=0.1)`, `dict(base, units=3)`."""
    found = {word.arg for word in call.keywords if word.arg is not None}
    for each in (*call.args, *(word.value for word in call.keywords if word.arg is None)):
        inner = _of(each)
        if inner is None:
            return None
        found |= inner
    return found


__all__ = ["OF_LAYER", "not_told"]

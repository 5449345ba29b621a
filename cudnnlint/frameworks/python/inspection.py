"""The standard library's `inspect`: what kind of thing a value is, and the parameters of a user's function."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BoundV, BuiltinV, ClassV, External, FunctionV, NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.values import Unknown

PARAMETER = "inspect.Parameter"
MAYBE = (Unknown, External)
"""Values that may be anything: what a library's path stands for is known for layers alone."""


def _kind(c: Call, kinds: tuple[type, ...]) -> Any:
    value = plain(c.args[0]) if c.args else Unknown()
    if isinstance(value, kinds):
        return True
    return Unknown("what a value is") if isinstance(value, MAYBE) or hasattr(value, "options") else False


@FRAMEWORK.on("inspect.isfunction", "inspect.isroutine")
def isfunction(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else None
    return False if _is_layer(value) else _kind(c, (FunctionV,))


@FRAMEWORK.on("inspect.ismethod")
def ismethod(c: Call) -> Any:
    return _kind(c, (BoundV,))


@FRAMEWORK.on("inspect.isclass")
def isclass(c: Call) -> Any:
    return True if _is_layer(plain(c.args[0]) if c.args else None) else _kind(c, (ClassV,))


@FRAMEWORK.on("inspect.isbuiltin")
def isbuiltin(c: Call) -> Any:
    return _kind(c, (BuiltinV,))


def _is_layer(value: Any) -> bool:
    return isinstance(value, External) and value.path in LAYERS


@FRAMEWORK.on("inspect.signature")
def signature(c: Call) -> Any:
    """`parameters` holds the names in order, each with its kind; the rest of what it says is not modelled."""
    kinds = parameters(c.args[0] if c.args else None)
    if isinstance(kinds, Unknown):
        return kinds
    made = {name: NamespaceV({"name": name, "kind": External(f"{PARAMETER}.{kind}")}, Unknown("of a parameter"))
            for name, kind in kinds.items()}
    return NamespaceV({"parameters": DictV(made)}, Unknown("of a signature"))


@FRAMEWORK.on("inspect.getfullargspec", "inspect.getargspec")
def getfullargspec(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else None
    function = value.function if isinstance(value, BoundV) else value
    if not isinstance(function, FunctionV):
        return Unknown("the parameters of a function that is not followed")
    arguments = function.node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
    return NamespaceV({"args": ListV(names), "kwonlyargs": ListV([arg.arg for arg in arguments.kwonlyargs])},
                      Unknown("of an argument specification"))


def parameters(value: Any) -> dict[str, str] | Unknown:
    """The names of a user's function's parameters and their kinds, without the one that is bound."""
    value = plain(value)
    function = value.function if isinstance(value, BoundV) else value
    if not isinstance(function, FunctionV):
        return Unknown("the parameters of a function that is not followed")
    arguments = function.node.args
    placed = [(arg, "POSITIONAL_ONLY") for arg in arguments.posonlyargs]
    placed += [(arg, "POSITIONAL_OR_KEYWORD") for arg in arguments.args]
    rest = [(arguments.vararg, "VAR_POSITIONAL"), *((arg, "KEYWORD_ONLY") for arg in arguments.kwonlyargs),
            (arguments.kwarg, "VAR_KEYWORD")]
    return {arg.arg: kind for arg, kind in [*placed[1 if isinstance(value, BoundV) else 0:], *rest] if arg is not None}

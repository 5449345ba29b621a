"""gin: what `@gin.configurable` makes of defaults, which a file of bindings may replace."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.objects import BuiltinV, ClassV, FunctionV
from cudnnlint.interp.parameters import parameters
from cudnnlint.interp.registry import Call
from cudnnlint.values import Assumption, Unknown

BOUND = Unknown("what gin binds")
PLAIN = (bool, int, float, str, tuple, type(None))


def resting(function: FunctionV, name: str) -> None:
    """Its defaults rest on what the program says, and a parameter without one may be bound in a file."""
    def one(parameter: str, value: Any) -> Any:
        held = plain(value)
        if not isinstance(held, PLAIN):
            return value
        source = f"{name}, which gin configures"
        path = getattr(function.module.source, "path", "")
        return assume(value, frozenset({Assumption.of_default(parameter, held, source, path, function.node.lineno)}))

    positional, named = parameters(function.node)
    last = positional[len(positional) - len(function.defaults):]
    bound = [BOUND] * (len(positional) - len(last))
    function.defaults = (*bound, *(one(*pair) for pair in zip(last, function.defaults, strict=True)))
    function.kw_defaults = {**dict.fromkeys(named, BOUND),
                            **{key: one(key, value) for key, value in function.kw_defaults.items()}}


def _configurable(value: Any) -> Any:
    held = plain(value)
    if isinstance(held, FunctionV):
        resting(held, held.name)
    elif isinstance(held, ClassV) and isinstance(init := held.items.get("__init__"), FunctionV):
        resting(init, held.name)
    return value


@FRAMEWORK.on("gin.configurable", "gin.config.configurable", "gin.register", "gin.external_configurable",
              "gin.config.external_configurable")
def configurable(c: Call) -> Any:
    """With or without arguments; the function or class stays what it is."""
    if c.args and isinstance(plain(c.args[0]), FunctionV | ClassV):
        return _configurable(c.args[0])
    return BuiltinV("gin.configurable", lambda inner: _configurable(inner.args[0]) if inner.args
                    else Unknown("decorator"))

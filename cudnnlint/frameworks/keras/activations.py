"""keras.activations.get: the function that a name stands for."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.objects import BoundV, BuiltinV, External, FunctionV, PartialV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import Unknown

ROOM = "keras.activations"


@FRAMEWORK.on(f"{ROOM}.get", f"{ROOM}.deserialize")
def get(c: Call) -> Any:
    """None is the linear one, and what can be called is itself (keras/src/activations/__init__.py: get)."""
    given = c.get(0, "identifier", c.kwargs.get("config", c.kwargs.get("name")))
    held = plain(given)
    if held is None:
        return External(f"{ROOM}.linear")
    if isinstance(held, str):
        path = f"{ROOM}.{held}"
        return assume(External(path), assumptions_of(given)) if path in FUNCTIONS else Unknown(f"activation {held!r}")
    if isinstance(held, FunctionV | BuiltinV | BoundV | PartialV | External):
        return held
    return held if isinstance(held, Unknown) else Unknown("an activation")

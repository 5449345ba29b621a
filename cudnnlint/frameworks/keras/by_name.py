"""Initializers, regularizers, constraints and the rest that Keras keeps by name: made, and got, under any of them."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.frameworks.gradients.optimizers import NAMES as OPTIMIZERS
from cudnnlint.frameworks.keras.initializers import NAMES as INITIALIZERS
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.training.loss_names import FUNCTIONS as LOSSES
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.objects import BoundV, BuiltinV, ClassV, External, FunctionV, InstanceV, PartialV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


def lowered(name: str) -> str:
    """
    >>> lowered("GlorotUniform"), lowered("L1L2"), lowered("STFT"), lowered("MaxNorm")
    ('glorot_uniform', 'l1_l2', 'stft', 'max_norm')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


ROOMS: dict[str, dict[str, str]] = {
    "initializers": {lowered(name): name for name in (*INITIALIZERS, "STFT")}
    | {"uniform": "RandomUniform", "normal": "RandomNormal", "one": "Ones", "zero": "Zeros"},
    "regularizers": {lowered(name): name for name in ("L1", "L2", "L1L2", "OrthogonalRegularizer")}
    | {"l1l2": "L1L2"},
    "constraints": {lowered(name): name for name in ("MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm",
                                                     "RadialConstraint")} | {"maxnorm": "MaxNorm", "nonneg": "NonNeg",
                                                                             "unitnorm": "UnitNorm"},
}
"""Room -> the names in lower case, which are functions or the same class -> the class
(keras/src/initializers/__init__.py, regularizers/__init__.py, constraints/__init__.py: ALL_OBJECTS_DICT)."""


def _makes(path: str) -> Any:
    def make(c: Call) -> Any:
        return ObjectV(path, tuple(c.args), dict(c.kwargs), c.span)

    return make


for _room, _names in ROOMS.items():
    for _name, _class in _names.items():
        FRAMEWORK.on(f"keras.{_room}.{_name}")(_makes(f"keras.{_room}.{_class}"))


def _got(c: Call, room: str, named: Any) -> Any:
    """None stays None, a name is what it names, a class an object of it, and what can be called is itself."""
    given = c.get(0, "identifier", c.kwargs.get("config", c.kwargs.get("name")))
    held = plain(given)
    if isinstance(held, str):
        return assume(named(held), assumptions_of(given))
    if isinstance(held, External | ClassV) and (isinstance(held, ClassV) or held.path.rpartition(".")[2][:1].isupper()):
        return c.machine.call(held, [], {}, c.node)
    if held is None or isinstance(held, ObjectV | InstanceV | FunctionV | BuiltinV | BoundV | PartialV | External):
        return given
    if isinstance(held, DictV):
        return Unknown(f"made of a configuration: {room}")
    return held if isinstance(held, Unknown) else Unknown(f"none of the {room}")


def _gets(room: str, names: dict[str, str]) -> Any:
    classes = {name: name for name in names.values()} | names

    def get(c: Call) -> Any:
        def named(name: str) -> Any:
            found = classes.get(name)
            return Unknown(f"{room}: {name!r}") if found is None else ObjectV(f"keras.{room}.{found}", (), {}, c.span)

        return _got(c, room, named)

    return get


for _room, _names in ROOMS.items():
    FRAMEWORK.on(f"keras.{_room}.get", f"keras.{_room}.deserialize")(_gets(_room, _names))
FRAMEWORK.on("keras.optimizers.get")(_gets("optimizers", {name.lower(): name for name in OPTIMIZERS}))


@FRAMEWORK.on("keras.losses.get")
def loss(c: Call) -> Any:
    def named(name: str) -> Any:
        found = LOSSES.get(name)
        return Unknown(f"losses: {name!r}") if found is None else External(f"keras.losses.{found}")

    return _got(c, "losses", named)

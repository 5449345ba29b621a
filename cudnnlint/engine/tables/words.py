"""What the rows of a table call things: layers, the attributes that hold them, axes, the batch of real tensors."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from cudnnlint.events import LayerApplied
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import ChoiceV
from cudnnlint.interp.keras.layers import LayerV, ObjectV, snake
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.values import BATCH, Symbol, Tensor
from cudnnlint.values.tensor import tensors

AXES = {2: ("batch", "features"), 3: ("batch", "steps", "features"), 4: ("batch", "height", "width", "channels"),
        5: ("batch", "depth", "height", "width", "channels")}


def axis_names(rank: int, event: LayerApplied | None) -> tuple[str, ...]:
    """What the axes mean to most layers."""
    names = AXES.get(rank) or ("batch", *(f"axis {axis}" for axis in range(1, rank)))
    torch = event is not None and any(tensor.kind == "torch" for tensor in tensors(event.inputs))
    if torch and rank == 3:
        return tuple(f"axis {axis}" for axis in range(rank))  # (batch, channels, length), (steps, batch, features) ...
    first = event is not None and event.layer.arguments.get("data_format") == "channels_first"
    if (first or torch) and rank > 2:
        names = (names[0], "channels", *names[1:-1])
    return names


def label(layer: Any, attribute: str) -> str:
    """`Conv2D`, `stem (Conv2D)`: with the attribute that holds it or the name that the user gave it."""
    kind = _kind(layer)
    own = layer.extra if isinstance(layer, InstanceV) else layer
    name = getattr(own, "name", "")
    shown = attribute or (name if name and not is_automatic(layer, name) else "")
    return f"{shown} ({kind})" if shown else kind


def _kind(layer: Any) -> str:
    if isinstance(layer, InstanceV):
        return layer.cls.name
    wrapped = getattr(getattr(layer, "op", None), "layer", None)
    if isinstance(layer, ChoiceV):
        return "one of " + ", ".join(dict.fromkeys(map(_kind, layer.options)))
    if isinstance(layer, ObjectV):
        return layer.path.rpartition(".")[2]
    kind = str(getattr(layer, "display", type(layer).__name__))
    return f"{kind}({_kind(wrapped)})" if isinstance(wrapped, LayerV | ModelV | InstanceV) else kind


def is_automatic(layer: Any, name: str) -> bool:
    """Whether a name is one that Keras counts up (conv2d_3)."""
    path = getattr(layer, "path", "")
    kind = layer.cls.name if isinstance(layer, InstanceV) else path.rpartition(".")[2]
    bases = {snake(kind), "input_layer", "functional", "sequential", "model"}
    return re.sub(r"_\d+$", "", name) in bases


GENERIC = frozenset({"model", "m", "net", "network", "layer", "x", "out", "output"})


def best_name(names: list[str]) -> str:
    """The first name of a variable that says more than that it is a model."""
    shown = [name.removeprefix("self.") for name in names]
    return next((name for name in shown if name not in GENERIC), shown[0] if shown else "")


def attribute_names(holder: InstanceV) -> dict[int, str]:
    """id of a layer -> where a user's object holds it: `conv1`, `blocks[0]`, `heads['a']`."""
    found: dict[int, str] = {}

    def note(value: Any, name: str) -> None:
        held = plain(value)
        if isinstance(held, LayerV | ModelV | InstanceV):
            found.setdefault(id(held), name)
        elif isinstance(held, tuple | ListV):
            for index, item in enumerate(held if isinstance(held, tuple) else held.items):
                note(item, f"{name}[{index}]")
        elif isinstance(held, DictV):
            for key, item in held.items.items():
                note(item, f"{name}[{key!r}]")

    for name, value in holder.items.items():
        note(value, str(name))
    return found


def open_batch(event: LayerApplied, value: Any) -> Any:
    """Real tensors come in batches of any size: the extent that all share is shown as the batch."""
    given = tensors(event.inputs)
    if given and given[0].kind == "torch":
        return value  # whose first axis may as well be the steps, the channels of one sample, or a vector's features
    if not event.eager or not given or not isinstance(given[0].shape, tuple) or not given[0].shape:
        return value
    rows = given[0].shape[0]
    return value if isinstance(rows, Symbol) else _opened(value, rows)


def _opened(value: Any, rows: Any) -> Any:
    if isinstance(value, Tensor):
        if isinstance(value.shape, tuple) and value.shape and (value.shape[0] is rows or value.shape[0] == rows):
            return replace(value, shape=(BATCH, *value.shape[1:]))
        return value
    if isinstance(value, list | tuple):
        return type(value)(_opened(item, rows) for item in value)
    if isinstance(value, dict):
        return {key: _opened(item, rows) for key, item in value.items()}
    return value

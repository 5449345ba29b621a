"""In which order Keras lists the variables that are trained: the updates of a step are numbered by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import WEIGHT, LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import children
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.memory.operands import key
from cudnnlint.memory.record import Recorder
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.tensor import tensors


def in_order(recorder: Recorder, owners: Iterable[Any]) -> dict[int, int]:
    """Place of each variable of the owners, by its index; those that are not found among them are not there."""
    found: dict[int, int] = {}
    seen = set[int]()
    for owner in owners:
        for index in _indexes(recorder, plain(owner), seen):
            found.setdefault(index, len(found))
    return found


def _indexes(recorder: Recorder, held: Any, seen: set[int]) -> Iterator[int]:
    """A layer's own variables come before those of the layers that it holds (keras/src/layers/layer.py: variables)."""
    if id(held) in seen:
        return
    seen.add(id(held))
    layer = held.extra if isinstance(held, InstanceV) else held
    if isinstance(layer, LayerV):
        yield from (value.index for _, value in recorder.owned.get(id(layer), ()))
        yield from _indexes(recorder, plain(layer.arguments.get("layer")), seen)
    if isinstance(held, InstanceV):
        made = [key(one) for item in held.items.values() for one in _own(plain(item))]
        yield from (recorder.known[one].index for one in made if one in recorder.known)
    if isinstance(held, ModelV) and held.kind == "functional":
        parts: Any = by_depth(held)
    elif isinstance(held, ModelV | InstanceV):
        parts = children(held)
    else:
        return
    for part in parts if not isinstance(parts, Unknown) else ():
        yield from _indexes(recorder, plain(part), seen)


def _own(item: Any) -> Iterator[Tensor]:
    for one in item.items if isinstance(item, ListV) else [item]:
        held = plain(one)
        if isinstance(held, Tensor) and held.step is not None and held.step.maker == WEIGHT:
            yield held


def by_depth(model: ModelV) -> list[Any]:
    """The layers of a functional model, those farthest from its outputs first, others as a walk from the outputs meets
    them (keras/src/ops/function.py: map_graph)."""
    met: dict[int, tuple[int, Any]] = {}
    calls = _calls(model, met)
    far: dict[int, int] = {}
    depths: dict[int, int] = {}
    for call, maker, before in reversed(calls):
        depth = max(far.get(call, 0), depths.get(maker, 0))
        depths[maker] = depth
        for one in before:
            far[one] = max(far.get(one, 0), depth + 1)
    return [maker for name, (_, maker) in sorted(met.items(), key=lambda one: (-depths[one[0]], one[1][0]))
            if not isinstance(maker, str)]


def _calls(model: ModelV, met: dict[int, tuple[int, Any]]) -> list[tuple[int, int, list[int]]]:
    """(call, maker, calls before it) of a graph, what others need first; `met` receives the makers as they are met."""
    found: list[tuple[int, int, list[int]]] = []
    entered, ends = set[int](), {key(one) for one in tensors(model.inputs)}
    todo = [(one, False) for one in reversed(tensors(model.outputs))]
    while todo:
        tensor, done = todo.pop()
        step = tensor.step
        if step is None or step.maker is None:
            continue
        before = [] if key(tensor) in ends else [one for one in step.parents if one.step is not None]
        name = id(step) if isinstance(step.maker, str) else id(step.maker)
        if done:
            found.append((_call(tensor), name, [_call(one) for one in before]))
        elif _call(tensor) not in entered:
            entered.add(_call(tensor))
            met.setdefault(name, (len(met), step.maker))
            todo.append((tensor, True))
            todo += [(one, False) for one in reversed(before)]
    return found


def _call(tensor: Tensor) -> int:
    """Several tensors that one call gave are one."""
    step = tensor.step
    return id(step.arguments) if step is not None and step.arguments is not None else id(step)

"""Modules with weights that forward() makes itself: drawn anew at each call, and none of the parameters."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import LayerMadeInside
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.tensor import tensors

FARTHEST = 200
"""Steps looked back at."""


def tell_of_made(m: Machine, instance: InstanceV, method: FunctionV, result: Any, began: int) -> None:
    """Those born since `began` that the result came through, and that no attribute keeps.

    What a method does with weights itself (`conv.weight.data = sobel`) is taken for a filter that is meant to be fixed.
    """
    if m.trying or m.uncertain or m.uncalled or _speaks_of_weights(method):
        return
    kept = {id(part) for part in within(instance)} | {id(plain(part)) for value in instance.items.values()
                                                       for part in _items(plain(value))}
    for layer in _makers(result, began):
        if id(layer) not in kept:
            m.say(LayerMadeInside, layer.span, layer=layer.info(), owner=instance.cls.name, method=method.name)


def _items(held: Any) -> list[Any]:
    return list(held.items.values()) if isinstance(held, DictV) else held.items if isinstance(held, ListV) else [held]


def _speaks_of_weights(method: FunctionV) -> bool:
    node = method.node
    lines = method.module.source.text.splitlines()[node.lineno - 1:node.end_lineno or node.lineno]
    return any(word in line for line in lines for word in (".weight", "init.", "load_state_dict", "requires_grad"))


def _makers(result: Any, began: int) -> list[LayerV]:
    todo: list[Tensor] = list(tensors(result))
    seen, found = set[int](), list[LayerV]()
    while todo and len(seen) < FARTHEST:
        step = todo.pop().step
        if step is None or id(step) in seen:
            continue
        seen.add(id(step))
        maker = step.maker
        if isinstance(maker, LayerV) and maker.user is None and maker.born > began and maker not in found \
                and maker.path.startswith("torch.nn.") and maker.weights and not isinstance(maker.weights, Unknown):
            found.append(maker)
        todo += [step.body] if isinstance(step.body, Tensor) else step.parents
    return found


__all__ = ["tell_of_made"]

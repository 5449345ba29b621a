"""Variables that a user's layer holds beside what add_weight() made: those that Keras finds in its attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.ops.protocol import Weight
from cudnnlint.values import Tensor


def tracked_by(m: Machine) -> tuple[str, ...]:
    """What makes variables that a layer tracks: for Keras 2 `tf.Variable` (tf_keras/src/engine/base_layer.py:
    Layer.__setattr__), for Keras 3 only its own (keras/src/layers/layer.py: Layer._initialize_tracker)."""
    return ("tensorflow.Variable", "keras.backend.variable") if m.stack.keras < (3,) else ("keras.Variable",)


def own_variables(instance: InstanceV, seen: set[int]) -> Iterator[Weight]:
    """In attributes or in lists and dicts of them, each once."""
    layer = instance.extra
    if not isinstance(layer, LayerV) or not layer.tracked:
        return
    todo = list(instance.items.values())
    while todo:
        held = plain(todo.pop(0))
        if isinstance(held, Tensor):
            if held.step is not None and held.step.maker in layer.tracked and id(held.step) not in seen:
                seen.add(id(held.step))
                yield _weight(held)
        elif isinstance(held, ListV | DictV | tuple) and id(held) not in seen:
            seen.add(id(held))
            todo += held.items if isinstance(held, ListV) else held.items.values() if isinstance(held, DictV) else held


def _weight(variable: Tensor) -> Weight:
    name, shape = _given(variable, "name"), variable.shape
    return Weight(name if isinstance(name, str) else "Variable", shape if isinstance(shape, tuple) else (shape,),
                  _given(variable, "trainable", 1) is not False,
                  variable.dtype if isinstance(variable.dtype, str) else "")


def _given(variable: Tensor, name: str, index: int | None = None) -> Any:
    """An argument of the call that made it; tf.Variable takes `trainable` second."""
    step = variable.step
    if step is None or step.arguments is None:
        return None
    args, kwargs = step.arguments
    if index is not None and index < len(args) and step.maker == "tensorflow.Variable":
        return plain(args[index])
    return plain(kwargs.get(name))

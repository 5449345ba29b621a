"""Variables that a user's layer holds beside what add_weight() made: those that Keras finds in its attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import WEIGHT, LayerV, ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.registry import ancestry
from cudnnlint.ops.protocol import Weight
from cudnnlint.values import Step, Tensor, Unknown

MEANS = frozenset({
    "Mean", "MeanMetricWrapper", "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError",
    "MeanSquaredLogarithmicError", "RootMeanSquaredError", "Accuracy", "BinaryAccuracy", "CategoricalAccuracy",
    "SparseCategoricalAccuracy", "TopKCategoricalAccuracy", "SparseTopKCategoricalAccuracy", "CosineSimilarity",
    "BinaryCrossentropy", "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "KLDivergence", "Poisson",
    "Hinge", "SquaredHinge", "CategoricalHinge", "LogCoshError"})
"""Metrics with two numbers, a total and a count (tf_keras/src/metrics/base_metric.py: Reduce.__init__)."""


def tracked_by(m: Machine) -> tuple[str, ...]:
    """What makes variables that a layer tracks: for Keras 2 `tf.Variable` (tf_keras/src/engine/base_layer.py:
    Layer.__setattr__), for Keras 3 only its own (keras/src/layers/layer.py: Layer._initialize_tracker)."""
    return ("tensorflow.Variable", "keras.backend.variable") if m.stack.keras < (3,) else ("keras.Variable",)


def own_variables(instance: InstanceV, seen: set[int]) -> Iterator[Weight]:
    """Those that add_weight() made, and those in attributes or in lists and dicts of them, each once; also the variable
    of another layer is tracked by a layer that holds it (tf_keras/src/engine/base_layer.py: Layer._track_variables;
    keras/src/layers/layer.py: Layer._initialize_tracker)."""
    layer = instance.extra
    if not isinstance(layer, LayerV):
        return
    yield from not_lent(layer.added, {}, seen)
    seen.update(id(step) for step in layer.read.values())
    todo = list(instance.items.values()) if layer.tracked else []
    while todo:
        held = plain(todo.pop(0))
        if isinstance(held, Tensor):
            step = held.step
            if step is not None and (step.maker in layer.tracked or step.maker == WEIGHT) and id(step) not in seen:
                seen.update((id(step), -id(step)))
                yield _weight(held)
        elif isinstance(held, ListV | DictV | tuple) and id(held) not in seen:
            seen.add(id(held))
            todo += held.items if isinstance(held, ListV) else held.items.values() if isinstance(held, DictV) else held


def drop_replaced(m: Machine, instance: InstanceV, name: str, value: Any) -> None:
    """Keras 2 forgets a variable when the last attribute that held it is given another value
    (tf_keras/src/engine/base_layer.py: Layer.__delattr__); Keras 3 keeps it."""
    before, layer = plain(instance.items.get(name)), instance.extra
    step = before.step if isinstance(before, Tensor) else None
    if step is None or not isinstance(layer, LayerV) or getattr(plain(value), "step", None) is step:
        return
    held = [plain(item) for other, item in instance.items.items() if other != name]
    if any(getattr(plain(part), "step", None) is step for item in held for part in _parts(item)):
        return
    kept = [weight for weight in layer.added if weight.step is not step]
    if len(kept) < len(layer.added):
        m.heap.touch(layer)
        layer.added = kept


def _parts(value: Any) -> Iterable[Any]:
    return value.items if isinstance(value, ListV) else value.items.values() if isinstance(value, DictV) else \
        value if isinstance(value, tuple) else (value,)


def not_lent(weights: Iterable[Weight], read: dict[str, Step], seen: set[int]) -> Iterator[Weight]:
    """Variables of a layer without those that were counted where another layer holds them (`-id` of the step)."""
    for weight in weights:
        step = weight.step or read.get(weight.name)
        if -id(step) in seen:
            seen.discard(-id(step))
            continue
        if step is not None:
            seen.add(id(step))
        yield weight


def own_metrics(instance: InstanceV) -> tuple[Weight, ...] | Unknown:
    """Of metrics that a model of Keras 2 holds as attributes (tf_keras/src/engine/training.py: Model.weights)."""
    layer = instance.extra
    if not isinstance(layer, LayerV) or "tensorflow.Variable" not in layer.tracked:
        return ()
    if not layer.path.startswith("keras.metrics.") and "keras.Model" not in ancestry(layer.path):
        return ()
    found: list[Weight] = []
    for value in instance.items.values():
        held = plain(value)
        parts = held.items if isinstance(held, ListV) else held.items.values() if isinstance(held, DictV) else ()
        if any(_is_metric(plain(part)) for part in parts):
            return Unknown("variables of metrics")
        if isinstance(held, ObjectV) and _is_metric(held):
            if held.path.removeprefix("keras.metrics.") not in MEANS:
                return Unknown(f"variables of {held.path}")
            found += [Weight("total", (), False), Weight("count", (), False)]
    return tuple(found)


def library_weights(layer: LayerV) -> tuple[Weight, ...] | Unknown | None:
    """Those of the library layer that a user's class derives from; one that it makes in the place of another is counted
    beside that by Keras 3 and instead of it by Keras 2."""
    replaced = isinstance(layer.weights, tuple) and layer.user is not None and any(
        weight.name in layer.user.items for weight in layer.weights)
    return Unknown("variables in the place of the library's") if replaced else layer.weights


def _is_metric(held: Any) -> bool:
    return isinstance(held, ObjectV) and held.path.startswith("keras.metrics.")


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

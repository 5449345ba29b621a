"""What models and layers tell of themselves: layers, inputs, outputs, shapes, parameters."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras import FRAMEWORK, RECORDED_LAYERS, model_of
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.models import ModelV
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.parts import children, params_of
from cudnnlint.interp.registry import Call
from cudnnlint.interp.tensors import shape_value
from cudnnlint.values import Tensor, Unknown


@FRAMEWORK.attribute("keras.Model.layers", "keras.Model.submodules")
def layers(m: Machine, value: Any) -> Any:
    held = plain(value)
    if isinstance(held, ModelV) and (recorded := held.extra.get(RECORDED_LAYERS)) is not None:
        return ListV([], recorded) if isinstance(recorded, Unknown) else ListV(list(recorded))
    found = children(value)
    if isinstance(found, Unknown):
        return ListV([], found)
    model = model_of(value)
    if model is not None and model.kind == "functional":
        found = _by_depth(model, found)
    return ListV(found)


def _by_depth(model: ModelV, found: list[Any]) -> list[Any]:
    """Keras' order: by distance from the outputs, farthest first (keras/src/ops/function.py: map_graph)."""
    from cudnnlint.events import tensors

    depth: dict[int, int] = {}
    order = {id(layer): i for i, layer in enumerate(found)}
    levels: dict[int, int] = {id(tensor): 0 for tensor in tensors(model.outputs)}
    stack = list(tensors(model.outputs))
    topological: list[Tensor] = []
    seen: set[int] = set()
    todo: list[tuple[Tensor, bool]] = [(tensor, False) for tensor in stack]
    while todo:
        tensor, done = todo.pop()
        if done:
            topological.append(tensor)
            continue
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        todo.append((tensor, True))
        if tensor.step is not None:
            todo.extend((parent, False) for parent in tensor.step.parents)
    for tensor in reversed(topological):
        level = levels.get(id(tensor), 0)
        if tensor.step is None:
            continue
        if id(tensor.step.maker) in order:
            depth[id(tensor.step.maker)] = max(level, depth.get(id(tensor.step.maker), 0))
        for parent in tensor.step.parents:
            levels[id(parent)] = max(levels.get(id(parent), 0), level + 1)
    deepest = max(depth.values(), default=0)
    inputs = {id(t.step.maker) for t in tensors(model.inputs) if t.step is not None}
    for key in inputs & set(depth):
        depth[key] = deepest
    return sorted(found, key=lambda layer: (-depth.get(id(layer), 0), order[id(layer)]))


@FRAMEWORK.on("keras.Model.get_layer")
def get_layer(c: Call) -> Any:
    found = plain(layers(c.machine, plain(c.receiver)))
    name, index = plain(c.get(0, "name")), plain(c.get(1, "index"))
    if isinstance(found, ListV) and not found.unknown:
        if isinstance(index, int) and -len(found.items) <= index < len(found.items):
            return found.items[index]
        for layer in found.items:
            own = layer.name if isinstance(layer, LayerV | ModelV) else \
                layer.extra.name if isinstance(layer, InstanceV) and isinstance(layer.extra, LayerV) else None
            if own == name and isinstance(name, str):
                return layer
    return Unknown("a layer that is not found")


def _io(value: Any, which: int) -> Any:
    from cudnnlint.interp.convert import wrap

    model = model_of(value)
    if model is not None:
        found = model.outputs if which else model.inputs
        return Unknown("a model that is not built") if found is None else wrap(found)
    layer = value.extra if isinstance(value, InstanceV) else value
    if isinstance(layer, LayerV):
        if layer.path == "keras.layers.InputLayer" and "tensor" in layer.extra:
            return layer.extra["tensor"]
        if layer.calls:
            return wrap(layer.calls[-1][which])
    return Unknown("a layer that was not called")


@FRAMEWORK.attribute("keras.layers.Layer.output")
def output(m: Machine, value: Any) -> Any:
    return _io(value, 1)


@FRAMEWORK.attribute("keras.layers.Layer.input")
def input_(m: Machine, value: Any) -> Any:
    return _io(value, 0)


@FRAMEWORK.attribute("keras.Model.inputs")
def inputs(m: Machine, value: Any) -> Any:
    return _listed(_io(value, 0))


@FRAMEWORK.attribute("keras.Model.outputs")
def outputs(m: Machine, value: Any) -> Any:
    return _listed(_io(value, 1))


def _listed(value: Any) -> Any:
    return ListV([value]) if isinstance(value, Tensor) else value


@FRAMEWORK.attribute("keras.layers.Layer.output_shape")
def output_shape(m: Machine, value: Any) -> Any:
    found = _io(value, 1)
    return shape_value(found) if isinstance(found, Tensor) else Unknown("output shape")


@FRAMEWORK.attribute("keras.layers.Layer.input_shape")
def input_shape(m: Machine, value: Any) -> Any:
    found = _io(value, 0)
    return shape_value(found) if isinstance(found, Tensor) else Unknown("input shape")


@FRAMEWORK.on("keras.layers.Layer.count_params")
def count_params(c: Call) -> Any:
    return params_of(c.receiver)


@FRAMEWORK.attribute("keras.layers.Layer.dtype", "keras.layers.Layer.compute_dtype",
                     "keras.layers.Layer.variable_dtype")
def layer_dtype(m: Machine, value: Any) -> Any:
    layer = value.extra if isinstance(value, InstanceV) else value
    return layer.policy.compute if isinstance(layer, LayerV) else Unknown("dtype")

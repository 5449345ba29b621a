"""Reads the graph of a model of keras.applications, as Keras 2 or Keras 3 built it, into plain rows."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.binding import signature
from cudnnlint.ops.protocol import LAYERS

Graph = list[dict[str, Any]]
"""One dict a layer: kind, class, name, arguments, inputs."""
DROPPED = ("_initializer", "_regularizer", "_constraint")
PAIRS = ("kernel_size", "strides", "dilation_rate", "pool_size")
OWN = {"CustomScaleLayer": ("scale",), "LayerScale": ("projection_dim",), "StochasticDepth": ("drop_path_rate",)}
"""Layers of keras.applications itself -> what shapes and parameters depend on."""


def graph(model: Any) -> Graph:
    """One dict a layer, in Keras' own order: class, name, arguments, and how far before it its inputs stand."""
    steps = list(getattr(model, "operations", None) or model.layers)
    place = {id(step): at for at, step in enumerate(steps)}
    return [{"kind": kind_of(step), "class": type(step).__name__, "name": step.name, "arguments": arguments_of(step),
             "inputs": [at - place[id(source)] for source in sources(step)]} for at, step in enumerate(steps)]


def sources(step: Any) -> list[Any]:
    """The layers or operations that made the inputs of the only call of a layer, in order."""
    node = step._inbound_nodes[0]
    if hasattr(node, "keras_inputs"):  # Keras 2
        return [tensor._keras_history.layer for tensor in node.keras_inputs]
    return [tensor._keras_history.operation for tensor in node.input_tensors]


def kind_of(step: Any) -> str:
    name = type(step).__name__
    if type(step).__module__.startswith("keras.src.ops"):
        return {"Add": "+", "Multiply": "*"}[name]
    return name


def arguments_of(step: Any) -> dict[str, Any]:
    """What the constructor was given beyond the defaults, as far as shapes and parameters go."""
    kind = kind_of(step)
    if kind in ("+", "*"):
        numbers = [arg for arg in step._inbound_nodes[0].arguments.args if isinstance(arg, float | int)]
        return {"value": numbers[0]} if numbers else {}
    if kind == "Sequential":
        inner = [layer for layer in step.layers if type(layer).__name__ != "InputLayer"]
        return {"layers": [[kind_of(layer), layer.name, arguments_of(layer)] for layer in inner]}
    if kind == "InputLayer":
        return {}
    config = step.get_config()
    if kind == "TFOpLambda":
        return {"function": config["function"]}
    if kind in OWN:
        return {key: config[key] for key in OWN[kind]}
    positional, keyword, defaults, _, _ = signature(LAYERS[f"keras.layers.{kind}"].builder)
    given = {key: plain(key, value) for key, value in config.items()
             if key in (*positional, *keyword) and not key.endswith(DROPPED) and key not in ("seed", "data_format")}
    return {key: value for key, value in given.items() if key not in defaults or (
        value != plain(key, defaults[key]) and (key, value) != ("activation", "linear"))}


def plain(key: str, value: Any) -> Any:
    """JSON's types; pairs of equal numbers as one."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        value = [plain("", item) for item in value]
        if key in PAIRS and len(set(map(str, value))) == 1:
            return value[0]
        if key == "axis" and len(value) == 1:  # BatchNormalization of Keras 2 makes a list of it
            return value[0]
    return value

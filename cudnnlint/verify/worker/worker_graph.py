"""A model built again from its layers and functions, in the order in which they run."""

from __future__ import annotations

from typing import Any


def model_of_graph(build: Any, told: dict[str, Any]) -> Any:
    """A functional model; a function becomes a layer that calls it."""
    graph = told["graph"]
    layers = [model_of_graph(build, each["model"]) if "model" in each else build.layer(each)
              for each in graph["layers"]]
    inputs = [build.symbolic(one) for one in told["inputs"]]
    build.made.clear()
    build.given = []
    for node in graph["nodes"]:
        build.given.append(inputs[node["input"]] if "input" in node else _called(build, node, layers))
    outputs = [build.value(each) for each in graph["outputs"]]
    return build.keras.Model(inputs[0] if len(inputs) == 1 else inputs, outputs[0] if len(outputs) == 1 else outputs)


def _called(build: Any, node: dict[str, Any], layers: list[Any]) -> Any:
    if "use" in node:
        return layers[node["use"]](*[build.value(value) for value in node["args"]], **build.named(node["kwargs"]))
    parts = list(_parts([node["args"], node["kwargs"]]))
    return _layer(build, node, parts)([build.value(part) for part in parts])


def _parts(told: Any) -> Any:
    """The references to other nodes."""
    if isinstance(told, dict) and "node" in told:
        yield told
    elif isinstance(told, (dict, list)):
        for each in told.values() if isinstance(told, dict) else told:
            yield from _parts(each)


def _layer(build: Any, node: dict[str, Any], parts: list[Any]) -> Any:
    called = build.function(node["function"])

    class Function(build.keras.layers.Layer):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            build.inside = list(zip(parts, inputs))  # noqa: B905 - Python 3.9 may run this
            try:
                return called(*[build.value(value) for value in node["args"]], **build.named(node["kwargs"]))
            finally:
                build.inside = []

    return Function()

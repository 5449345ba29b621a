"""The order of the layers of a functional model (keras/src/ops/function.py: map_graph; Keras 2 has the same)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.keras.graph_walk import unknowns_in
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.objects import InstanceV
from cudnnlint.values import Step, Tensor, Unknown

INPUT = "keras.layers.InputLayer"
Key = Any
"""Of a node, one application of something; or of what is applied."""


class Graph:
    """The nodes that lead to some outputs.

    applied  what each node applies: a layer, or a function that is in no list
    before   the nodes whose tensors it takes
    met      what is applied, in the order in which it is met from the outputs on
    ending   the nodes, each after those before it
    open     whether something that is not known may come from further layers
    """

    def __init__(self, model: ModelV, found: list[Any]) -> None:
        self.layers = {id(layer): layer for layer in found}
        self.new = iter([layer for layer in found if _is_input(layer) and "tensor" not in layer.extra])
        self.inner = {id(tensor) for tensor in tensors(model.inputs) if tensor.step is not None and tensor.step.parents}
        self.applied: dict[Key, Key] = {}
        self.before: dict[Key, list[Key]] = {}
        self.met: dict[Key, int] = {}
        self.ending: list[Key] = []
        self.open = bool(unknowns_in(model.outputs))
        for output in tensors(model.outputs):
            self._visit(output)

    def _visit(self, output: Tensor) -> None:
        todo: list[tuple[Tensor, bool]] = [(output, False)]
        while todo:
            tensor, done = todo.pop()
            node = self._node(tensor)
            if done:
                self.ending.append(node)
            elif node not in self.applied:
                parents = () if id(tensor) in self.inner or tensor.step is None else tensor.step.parents
                self.open = self.open or bool((parents or self._applies(tensor)) and _open(tensor.step))
                self.applied[node] = applied = self._applied(tensor, node)
                self.met.setdefault(applied, len(self.met))
                self.before[node] = [self._node(parent) for parent in parents]
                todo.append((tensor, True))
                todo += [(parent, False) for parent in reversed(parents)]

    def _applies(self, tensor: Tensor) -> bool:
        """Whether a layer gave it that takes something, of which nothing need be known."""
        maker = None if id(tensor) in self.inner or tensor.step is None else tensor.step.maker
        return isinstance(maker, LayerV | InstanceV) and not _is_input(maker)

    def _node(self, tensor: Tensor) -> Key:
        step = tensor.step
        if step is None or id(tensor) in self.inner:
            return id(tensor)
        return id(step.maker) if not isinstance(step.maker, str) else step.maker, *map(id, step.parents)

    def _applied(self, tensor: Tensor, node: Key) -> Key:
        if id(tensor) in self.inner:  # an input of its own stands for it
            layer = next(self.new, None)
            return id(layer) if layer is not None else node
        maker = None if tensor.step is None else tensor.step.maker
        return id(maker) if id(maker) in self.layers else node

    def functions(self) -> list[Key]:
        """The nodes that apply functions."""
        return [node for node, applied in self.applied.items()
                if applied is node and isinstance(node, tuple) and isinstance(node[0], str)]

    def depths(self) -> dict[Key, int]:
        """How far what is applied is from the outputs, at most: what is shared is as far as its farthest use."""
        far: dict[Key, int] = {}
        nodes: dict[Key, int] = {}
        for node in reversed(self.ending):
            applied = self.applied[node]
            far[applied] = depth = max(nodes.get(node, 0), far.get(applied, 0))
            for parent in self.before[node]:
                nodes[parent] = max(depth + 1, nodes.get(parent, 0))
        return far


OF_A_FUNCTION = Unknown("a layer that Keras makes of a function")
"""Called `tf.concat`, or `tf_op_layer_concat` (tf_keras/src/layers/core/tf_op_layer.py: TFOpLambda.__init__)."""


def _open(step: Step | None) -> bool:
    given = step.arguments[0] if step is not None and step.arguments is not None else ()
    return bool(unknowns_in(given[:1]))


def in_order(model: ModelV, found: list[Any], keras_2: bool = False) -> list[Any] | None:
    """The layers that `found` holds, farthest from the outputs first, and inputs that lead nowhere; None where there
    may be more; found once for what does not change. Keras 2 makes a layer of each function, of which nothing is known
    (tf_keras/src/layers/core/tf_op_layer.py: TFOpLambda)."""
    kept = model.ordered
    if kept is None or kept[0] is not found or kept[1] is not model.inputs:
        model.ordered = kept = found, model.inputs, _in_order(model, found, keras_2)
    return kept[2]


def _in_order(model: ModelV, found: list[Any], keras_2: bool) -> list[Any] | None:
    graph = Graph(model, found)
    if graph.open:
        return None
    depths = graph.depths()
    loose = loose_inputs(model, found)
    keys = [*map(id, [*loose, *found]), *(graph.functions() if keras_2 else ())]
    made = {id(layer): layer for layer in [*loose, *found]}
    return [made.get(key, OF_A_FUNCTION) for key in sorted(
        keys, key=lambda key: (-depths.get(key, 0), graph.met.get(key, -1)))]


def loose_inputs(model: ModelV, found: list[Any]) -> list[Any]:
    """The layers of inputs that lead to none of those that are found."""
    known = set(map(id, found))
    return [layer for layer in _inputs(model) if id(layer) not in known]


def _inputs(model: ModelV) -> Iterator[Any]:
    return (tensor.step.maker for tensor in tensors(model.inputs)
            if tensor.step is not None and not tensor.step.parents and _is_input(tensor.step.maker))


def _is_input(layer: Any) -> bool:
    return isinstance(layer, LayerV) and layer.path == INPUT


__all__ = ["OF_A_FUNCTION", "in_order"]

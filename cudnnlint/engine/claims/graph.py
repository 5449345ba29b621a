"""A model as plain data: the layers and functions that led from its inputs to its outputs, to be built again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.engine.claims.values import Encoder, NotVerifiableError
from cudnnlint.events import tensors
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.values import Step, Tensor, Unknown

FUNCTIONS = ("tensorflow.", "keras.ops.", "operator.")
LARGEST = 2000
"""Nodes of a model; a larger one is not tried."""
INPUT = "keras.layers.InputLayer"
TAKEN_APART = "layers of the program's own are taken apart"


class GraphEncoder(Encoder):
    """Nodes in the order in which they run, each {"input": n}, {"use": layer, "args", "kwargs"} or {"function": path,
    "args", "kwargs"}; in arguments {"node": n, "index": [...]} stands for a part of what a node gives.
    """

    def __init__(self, inputs: Iterable[Tensor]) -> None:
        super().__init__(symbolic=False)
        self.nodes: list[dict[str, Any]] = []
        self.layers: list[dict[str, Any]] = []
        self._told: dict[int, Any] = {}
        self._calls: dict[tuple[int, int], int] = {}
        self._layers: dict[int, int] = {}
        self._kept: list[Any] = []
        inputs = list(inputs)
        self._shapes = [each.shape for each in inputs]
        self._inputs = {id(each.step): place for place, each in enumerate(inputs) if each.step is not None}

    def tensor(self, tensor: Tensor) -> Any:
        """The node that makes it, after all that it is made of; data for what no input leads to."""
        todo = [tensor]
        while todo:
            made = todo[-1]
            pending = [each for each in self._sources(made) if each.step and id(each.step) not in self._told]
            if pending:
                if len(todo) > LARGEST:
                    raise NotVerifiableError("the model is too large to try")
                todo += pending
                continue
            todo.pop()
            if made.step is not None and id(made.step) not in self._told:
                self._told[id(made.step)] = self._node(made, made.step)
                self._kept.append(made.step)  # its id stays its own
        return super().tensor(tensor) if tensor.step is None else self._told[id(tensor.step)]

    def _sources(self, tensor: Tensor) -> tuple[Tensor, ...]:
        """What must be told before it."""
        step = tensor.step
        if step is None or id(step) in self._inputs or _is_data(tensor):
            return ()
        return (_picked(step),) if _is_followed(step) else step.parents

    def _node(self, tensor: Tensor, step: Step) -> dict[str, Any]:
        maker = step.maker
        if (place := self._inputs.get(id(step))) is not None:
            return self._added({"input": place}, step)
        if _is_data(tensor):
            return dict(super().tensor(tensor))
        if _is_followed(step):
            self.notes.setdefault(TAKEN_APART)
            return dict(self.tensor(_picked(step)))
        if isinstance(maker, LayerV) and maker.user is None and maker.path != INPUT:
            return self._added({"use": self._layer(maker), **self._called(step)}, step)
        if isinstance(maker, str) and maker.startswith(FUNCTIONS):
            return self._added({"function": maker, **self._called(step)}, step)
        if maker is None and len(step.parents) == 1 and id(step.parents[0].step) in self._inputs:
            return dict(self.tensor(step.parents[0]))  # the data, as a tensor
        if isinstance(maker, ModelV) and maker.inputs is not None and maker.outputs is not None:
            return self._added({"use": self._model(maker), **self._called(step)}, step)
        if self._shapes == [tensor.shape]:  # what the data is made of, where it is not known how
            return self._added({"input": 0}, step)
        raise NotVerifiableError("a part of the model is not followed")

    def _added(self, node: dict[str, Any], step: Step) -> dict[str, Any]:
        """One node for all parts of what a call gives."""
        key = (id(step.maker), id(step.arguments[0] if step.arguments is not None else step))
        if key not in self._calls:
            if len(self.nodes) >= LARGEST:
                raise NotVerifiableError("the model is too large to try")
            self.nodes.append(node)
            self._calls[key] = len(self.nodes) - 1
        index = {"index": list(step.index)} if step.index else {}
        return {"node": self._calls[key], **index}

    def _layer(self, maker: LayerV) -> int:
        if id(maker) not in self._layers:
            self.layers.append(self.layer(maker.path, maker.arguments, maker.given, maker.base))
            self._layers[id(maker)] = len(self.layers) - 1
            self._kept.append(maker)
        return self._layers[id(maker)]

    def _model(self, maker: ModelV) -> int:
        """A model that is called as one layer, whose graph is its own."""
        if id(maker) not in self._layers:
            inputs = tensors(maker.inputs)
            built, notes = graph(tensors(maker.outputs), inputs)
            self.notes.update(dict.fromkeys(notes))
            self.layers.append({"model": {"graph": built, "inputs": [declared(each) for each in inputs]}})
            self._layers[id(maker)] = len(self.layers) - 1
            self._kept.append(maker)
        return self._layers[id(maker)]

    def _called(self, step: Step) -> dict[str, Any]:
        args, kwargs = step.arguments if step.arguments is not None else (step.parents, {})
        return {"args": [self.value(strip(value), "an argument") for value in args],
                "kwargs": {name: self.value(value, name) for name, value in strip(dict(kwargs)).items()
                           if not (name == "training" and isinstance(value, Unknown))}}


def _is_data(tensor: Tensor) -> bool:
    """Whether it is known without what the model is given."""
    step = tensor.step
    return step is None or (not step.parents and not (isinstance(step.maker, LayerV) and step.maker.path == INPUT))


def _is_followed(step: Step) -> bool:
    """Whether what happened inside stands for what was applied: models, layers of the program's own, Lambda."""
    maker = step.maker
    library = isinstance(maker, LayerV) and maker.user is None and maker.path != "keras.layers.Lambda"
    return step.body is not None and not library


def _picked(step: Step) -> Tensor:
    """The tensor of a body at the step's index."""
    found = step.body
    for key in step.index:
        found = found[key] if isinstance(found, (list, tuple, dict)) else strip(found)
    if isinstance(found, Tensor):
        return found
    if len(told := tensors(strip(found))) == 1:
        return told[0]
    raise NotVerifiableError("a layer of the program's own gives several results")


def declared(tensor: Tensor) -> dict[str, Any]:
    """An input as it was declared."""
    if isinstance(tensor.shape, Unknown):
        raise NotVerifiableError("the rank of an input is not known")
    return {"shape": [dim if isinstance(dim, int) else None for dim in tensor.shape],
            "dtype": "float32" if isinstance(tensor.dtype, Unknown) else tensor.dtype}


def graph(outputs: tuple[Tensor, ...], inputs: tuple[Tensor, ...]) -> tuple[dict[str, Any], list[str]]:
    """The model as data, and what stands in for what is not known; NotVerifiableError if a part is not known."""
    encoder = GraphEncoder(inputs)
    found = [encoder.tensor(each) for each in outputs]
    if not all("node" in each for each in found):
        raise NotVerifiableError("the model's outputs are not made of its inputs")
    return {"layers": encoder.layers, "nodes": encoder.nodes,
            "outputs": found}, list(encoder.notes)

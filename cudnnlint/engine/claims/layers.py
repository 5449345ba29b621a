"""Claims about layers: refused, applied to what they do not bear, or made as they cannot run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.engine.claims.values import SIDE, Encoder, NotVerifiableError, policy_name
from cudnnlint.events import LayerApplied, LayerCreated, LayerInfo, Rejected, tensors
from cudnnlint.values import Problem, Tensor, Where
from cudnnlint.values.bounds import bounds

INDICES = "embedding-index-out-of-range"
OF_SIZE = frozenset({"whole-set-in-one-call", "oversized-dense-after-flatten", "attention-memory-explodes"})
RECURRENT = frozenset({"LSTM", "GRU", "SimpleRNN", "CuDNNLSTM", "CuDNNGRU"})
GONE = ("CuDNN", [2])
"""Layers that Keras 2 alone has."""
ROWS, STEPS, FEATURES = 2, 4, 8
"""Of the input of a layer of which only the constructor is known."""


def rejected_layer(event: Rejected, layer: LayerInfo) -> dict[str, Any]:
    """A layer that is refused as it is made or called."""
    encoder = encoder_for(event.inputs, event.args, event.kwargs)
    facts = encoder.layer(layer.path, layer.arguments, layer.given, layer.base)
    if event.mismatch.problem is Problem.UNKNOWN_ARGUMENT:
        facts |= _refused_argument(event, layer, encoder, facts["arguments"])
    if event.stage == "constructor":
        return {**facts, "stage": "constructor", "notes": list(encoder.notes), **_policy(layer)}
    if event.before is not None and event.mismatch.fact("built") is not None:
        facts["before"] = encoder.value(event.before, "inputs")
    return {**facts, **_called(encoder, event.inputs, event.args, event.kwargs), **_policy(layer)}


def applied(event: LayerApplied, rule: str, inputs: Any = None) -> tuple[str, dict[str, Any]]:
    """A layer that the analysis lets pass, and the library does not; on other inputs where they are given."""
    if rule in OF_SIZE:
        raise NotVerifiableError("it is about the size of a tensor, which no small run shows")
    layer, held = event.layer, bounds(event.inputs)
    inputs = emptied(event.inputs) if rule == "possibly-empty-batch" else event.inputs if inputs is None else inputs
    encoder = encoder_for(inputs) if rule != INDICES else Encoder(symbolic=False)
    facts = encoder.layer(layer.path, layer.arguments, layer.given, layer.base)
    if rule == INDICES and held is not None and isinstance(event.inputs, Tensor):
        told = encoder.tensor(event.inputs.with_())["tensor"]
        return "layer", {**facts, **_called(encoder, None, (), {}), "inputs": {"tensor": {**told, "fill": held.high}}}
    traced = {"graph": True} if event.fed is not None else {}  # fit() traces what it runs
    return "layer", {**facts, **_called(encoder, inputs, (), {}), **_policy(layer), **traced}


def emptied(inputs: Any) -> Tensor:
    """Such a batch as is feared."""
    if not isinstance(inputs, Tensor) or not isinstance(inputs.shape, tuple) or not inputs.shape:
        raise NotVerifiableError("the batch is not one tensor")
    return inputs.with_(shape=(0, *inputs.shape[1:]), kind="tf")


def created(event: LayerCreated, rule: str, shape: tuple[int, ...] = ()) -> tuple[str, dict[str, Any]]:
    """A layer of which the constructor alone is known, called on an input of its rank."""
    layer = event.layer
    encoder = Encoder(symbolic=False)
    facts = encoder.layer(layer.path, layer.arguments, layer.given, layer.base)
    shape = shape or input_of(layer)
    encoder.notes[f"an input of {list(shape)}"] = None
    about = {"about": GONE[1]} if layer.name.startswith(GONE[0]) else {}
    return "layer", {**facts, **_called(encoder, Tensor(shape), (), {}), **_policy(layer), **about, "graph": True}


def input_of(layer: LayerInfo) -> tuple[int, ...]:
    """A shape that the layer takes."""
    channels = layer.arguments.get("num_features")
    if layer.name in RECURRENT:
        return ROWS, STEPS, FEATURES
    if layer.name.startswith("BatchNorm") and layer.path.startswith("torch.") and isinstance(channels, int):
        return (ROWS, channels, *[STEPS] * (int(layer.name[-2]) - (layer.name[-2] == "1")))
    if layer.name.endswith("BatchNormalization"):
        return ROWS, STEPS, STEPS, FEATURES
    if layer.name in ("Conv2D", "Convolution2D"):
        return ROWS, SIDE, SIDE, FEATURES
    raise NotVerifiableError("what it is applied to is not known")


def encoder_for(*given: Any) -> Encoder:
    return Encoder(symbolic=any(tensor.kind == "keras" for tensor in tensors(given)
                                + tensors([list(each.values()) for each in given if isinstance(each, Mapping)])))


def clauses(where: Where) -> dict[str, str]:
    """Versions, as data."""
    told = (("keras", where.keras), ("tensorflow", where.tensorflow), ("torch", where.torch))
    return {name: text for name, text in told if text}


def _called(encoder: Encoder, inputs: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """A call on these inputs."""
    return {"inputs": encoder.value(inputs, "inputs"),
            "args": [encoder.value(value, "an argument of the call") for value in args],
            "kwargs": {name: encoder.value(value, name) for name, value in kwargs.items()},
            "stage": "call", "notes": list(encoder.notes)}


def _policy(layer: LayerInfo) -> dict[str, str]:
    policy = policy_name(layer.compute, layer.variable)
    return {"policy": policy} if policy != "float32" else {}


def _refused_argument(event: Rejected, layer: LayerInfo, encoder: Encoder, told: dict[str, Any]) -> dict[str, Any]:
    """The argument that the layer does not have (whatever its value), or those by position that are too many."""
    fact: Callable[[str], Any] = event.mismatch.fact
    if (count := fact("positional")) is not None:
        named = list(layer.arguments.items())
        values: list[Any] = [encoder.value(value, name) for name, value in named[:count]]
        return {"positional": values + [1] * (count - len(values)), "arguments": {}}
    name: str = fact("name")
    if not fact("twice"):
        return {"arguments": {**told, name: 1}}
    first = list(layer.arguments)[:layer.positional]
    values = [told.get(each) for each in first]
    rest: Mapping[str, Any] = {key: value for key, value in told.items() if key not in first}
    return {"positional": values, "arguments": {**rest, name: 1}}

"""How models come to be: of inputs and outputs, or by layers one after the other."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import LayerApplied, ModelBuilt, tensors
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.keras.connected import begins_sequential, tell_of_ends
from cudnnlint.interp.keras.incomplete import tell_of_no_base
from cudnnlint.interp.keras.layer_names import refuse_namesake, refuse_namesakes
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import children, told_params
from cudnnlint.interp.keras.replay import apply_any, several
from cudnnlint.interp.loops.turns import came_to_be
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.nothing_used import tell_of_chain
from cudnnlint.interp.mistakes.unexpected import tell_of_added, tell_of_late_input
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_dim, as_shape
from cudnnlint.source import Span
from cudnnlint.values import BATCH, FREE, Step, Symbol, Tensor, Unknown
from cudnnlint.values.dim import is_known


def init_model(m: Machine, base: str, c: Call, layer: LayerV) -> ModelV | None:
    """The model part of a user's class that calls super().__init__(inputs, outputs) or is a Sequential."""
    from cudnnlint.interp.registry import ancestry

    if "keras.Sequential" in ancestry(base):
        model = ModelV("sequential", base, layer.name, layer.span)
        layers = c.get(0, "layers")
        if layers is not None:
            add_all(m, model, layers)
        return model
    inputs, outputs = c.get(0, "inputs"), c.get(1, "outputs")
    if inputs is None or outputs is None:
        return None
    return functional(m, inputs, outputs, base, layer.name, layer.span)


def functional(m: Machine, inputs: Any, outputs: Any, path: str, name: str, span: Span) -> ModelV:
    model = ModelV("functional", path, name, span)
    model.inputs, model.outputs = strip(inputs), strip(outputs)
    if m.stack.keras < (3,):
        model.inputs, model.outputs = _alone(model.inputs), _alone(model.outputs)
    tell_of_ends(m, model.inputs, model.outputs, span)
    tell_built(m, model)
    came_to_be(m, model, span)
    m.keep(model)
    if isinstance(layers := children(model), list):
        refuse_namesakes(m, layers, model)
    return model


def _alone(structure: Any) -> Any:
    """The tensor of a list of one: as which models tell of their input and output (keras/src/models/functional.py:
    Functional.input_shape), and as which those of Keras 2 take and give it (tf_keras/src/engine/functional.py:
    Functional._init_graph_network)."""
    alone = isinstance(structure, list) and len(structure) == 1 and isinstance(structure[0], Tensor | Unknown)
    return structure[0] if alone else structure


def tell_built(m: Machine, model: ModelV) -> None:
    """The model has inputs and outputs of its own, before it is called."""
    applied = LayerApplied(span=model.span, stack=m.stack, layer=model.info(), inputs=_alone(model.inputs),
                           output=_alone(model.outputs), params=told_params(m, model), maker=model)
    m.say(ModelBuilt, model.span, about=tensors(model.outputs), applied=applied)


def add_all(m: Machine, model: ModelV, layers: Any) -> None:
    """What a Sequential is made with; Keras 2 takes a layer for a list of it (tf_keras/src/engine/sequential.py)."""
    from cudnnlint.interp.iterate import elements

    held = plain(layers)
    alone = isinstance(held, LayerV | ModelV) or (isinstance(held, InstanceV) and isinstance(held.extra, LayerV))
    found = [layers] if alone and m.stack.keras < (3,) else elements(m, layers)
    if isinstance(found, Unknown):
        model.layers.unknown = found
        return
    for layer in found:
        add_layer(m, model, layer)


def add_layer(m: Machine, model: ModelV, layer: Any, span: Span | None = None) -> None:
    """Sequential.add: the chain is built as soon as its input is known."""
    m.heap.touch(model)
    held = plain(layer)
    if tell_of_added(m, held, span or model.span):
        held = Unknown("no layer")
    if isinstance(held, Unknown):
        model.outputs = held
        model.layers.items.append(held)
        return
    if model.inputs is not None or model.layers.items:
        tell_of_late_input(m, held, model, span or model.span)
    if isinstance(held, Tensor) and model.inputs is None:  # keras.Input(...) as the first element
        model.inputs = model.outputs = held
        begins_sequential(held)
        return
    if isinstance(held, LayerV) and held.path == "keras.layers.InputLayer":
        model.inputs = model.outputs = held.extra.get("tensor", Unknown("input"))
        return
    if model.outputs is None and (2, 4) <= m.stack.keras < (3,) and any(one is held for one in model.layers.items):
        return  # until its input is known, it runs each of its layers once: tf_keras/src/engine/sequential.py: layers
    refuse_namesake(m, model.layers.items, held, model)
    model.layers.items.append(held)
    if model.inputs is None and len(model.layers.items) == 1:
        model.inputs = model.outputs = declared_input(m, held)
    if model.outputs is None and model.inputs is not None and len(model.layers.items) > 1:
        tell_of_chain(m, model.layers.items[-2], held, span)
        model.outputs = Unknown("the output of a layer, which is None")
    elif model.outputs is not None:
        if isinstance(held, InstanceV) and not isinstance(held.extra, LayerV):
            tell_of_no_base(m, held, span or model.span)
        model.outputs = strip(apply_any(m, held, wrap(model.outputs), span if isinstance(held, ModelV) else None))
        if several(m, held, model.outputs):
            model.outputs = Unknown("several tensors in a Sequential")


RECURRENT = frozenset(f"keras.layers.{name}" for name in ("RNN", "SimpleRNN", "LSTM", "GRU", "CuDNNLSTM", "CuDNNGRU"))


def declared_input(m: Machine, layer: Any) -> Any:
    """The input that the first layer declares by input_shape= and the like, or a model's own input; else None."""
    base: dict[str, Any] = {}
    if isinstance(layer, LayerV):
        base = {**layer.base, **{k: v for k, v in layer.arguments.items() if k == "input_length" and v is not None}}
    elif isinstance(layer, InstanceV) and isinstance(layer.extra, LayerV):
        base = layer.extra.base
        if layer.extra.model is not None and isinstance(given := _alone(layer.extra.model.inputs), Tensor):
            return given
    elif isinstance(layer, ModelV):
        return given if isinstance(given := _alone(layer.inputs), Tensor) else None
    shape: Any = None
    if base.get("batch_input_shape") is not None:
        shape = as_shape(base["batch_input_shape"])
        if isinstance(shape, tuple) and shape and isinstance(shape[0], Symbol):
            shape = (BATCH, *shape[1:])
    elif (given := base.get("input_shape")) is not None:
        rest = as_shape(given)
        shape = (base["batch_size"] if is_known(base.get("batch_size")) else BATCH, *rest) \
            if isinstance(rest, tuple) else rest
    elif getattr(layer, "path", "") == "keras.layers.Embedding" and m.stack.keras < (3,):
        # tf_keras/src/layers/core/embedding.py: __init__ sets input_shape from input_length
        length = base.get("input_length")
        rest = as_shape(length) if isinstance(length, (list, tuple)) else (as_dim(length),)
        shape = (BATCH, *rest) if isinstance(rest, tuple) else rest
    elif (width := base.get("input_dim")) is not None and getattr(layer, "path", "") != "keras.layers.Embedding":
        length = base.get("input_length")
        # tf_keras/src/layers/rnn/base_rnn.py: RNN.__init__ makes (input_length, input_dim) of them
        steps = (FREE,) if m.stack.keras < (3,) and getattr(layer, "path", "") in RECURRENT else ()
        shape = (BATCH, length, width) if is_known(length) else (BATCH, *steps, width)
    if shape is None:
        return None
    dtype = "float32" if not isinstance(layer, LayerV) else layer.policy.variable
    span = layer.span or Span(m.linted, 1, 0, 1, 0)
    return Tensor(shape, dtype, "keras", None, Step(span), getattr(layer, "assumptions", frozenset()))

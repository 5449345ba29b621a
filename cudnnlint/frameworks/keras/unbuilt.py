"""Models that are asked for their summary before anything told them the shape of their input."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.attributes import count_params as params_of
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.training.model_views import USED
from cudnnlint.interp.keras.incomplete import GRAPH_GIVEN, is_followed
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Unknown, Where

WRAPPERS = ("Bidirectional", "TimeDistributed", "RNN", "Wrapper", "Lambda", "InputLayer", "DenseFeatures", "Embedding")
"""First layers that may bring the shape of their input along."""


@FRAMEWORK.on("keras.Model.summary")
def summary(c: Call) -> Any:
    """tf_keras/src/engine/training.py: Model.summary; Keras 3 prints what it has."""
    model = plain(c.receiver)
    open_ = c.machine.stack.keras < (3,) and is_open(model)  # Embedding and others declare a shape in Keras 2 only
    if is_certain(c.machine) and (open_ or _is_unused(model)):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNBUILT, "summary() of a model that does not know the shape of its input", where=Where(keras="<3"),
            help="input_shape=... of the first layer, or model.build((None, ...)) first",
            error='ValueError "This model has not yet been built. Build the model first by calling `build()`"'),
            what="Model.summary", stage="summary")
    return None


@FRAMEWORK.on("keras.Model.count_params")
def count_params(c: Call) -> Any:
    """keras/src/layers/layer.py: Layer.count_params; tf_keras/src/engine/base_layer.py"""
    model = plain(c.receiver)
    if is_certain(c.machine) and (is_open(model) or _is_unused(model)):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNBUILT, "count_params() of a model that does not know the shape of its input",
            help="keras.Input(...) as the first of its layers, or model.build((None, ...)) first",
            error='ValueError "You tried to call `count_params` on layer"'), what="Model.count_params", stage="called")
        return Unknown("weights that are not there yet")
    return params_of(c)


def is_open(model: Any) -> bool:
    """A sequential model whose first layer is one of Keras' without a shape, that was not called, built or fitted."""
    if not isinstance(model, ModelV) or model.kind != "sequential" or model.inputs is not None \
            or model.outputs is not None or model.ran or model.asked or model.layers.unknown:
        return False
    layers = [plain(layer) for layer in model.layers.items]
    first = layers[0] if layers else None
    return isinstance(first, LayerV) and first.path.startswith("keras.layers.") and first.user is None \
        and first.path.rpartition(".")[2] not in WRAPPERS and not any(
            word in first.base for word in ("weights", "**")) \
        and all(isinstance(layer, LayerV) and not layer.built and not layer.calls for layer in layers)


def is_unbuilt(model: Any) -> bool:
    """Whether it certainly has no weights yet."""
    held = plain(model)
    return is_open(held) or _is_unused(held)


def _is_unused(model: Any) -> bool:
    """A model of a class of the program's that was not called, built or fitted."""
    held = model.extra if isinstance(model, InstanceV) else None
    return isinstance(held, LayerV) and held.model is None and is_followed(model, "keras.Model") \
        and not (held.built or held.calls or held.extra.get(USED) or GRAPH_GIVEN in held.extra) \
        and "built" not in model.items

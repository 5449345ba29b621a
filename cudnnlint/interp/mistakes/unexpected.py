"""Objects that are handed to Keras where another kind is taken: a layer for a tensor, a class for a layer of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor, Where

if TYPE_CHECKING:
    from cudnnlint.interp.keras.models import ModelV

TAKING = frozenset({"keras.layers.Lambda", "keras.layers.Layer", "keras.layers.InputLayer"})
"""Layers of which more than tensors is taken, or not known what."""
PREPARING = ("Lookup", "Vectorization", "Hashing", "Crossing", "Random", "Normalization", "Rescaling", "Resizing",
             "Crop", "CategoryEncoding", "Discretization", "Spectrogram", "Mix", "Augment", "Pipeline", "Contrast",
             "Boxes", "DenseFeatures")
"""Parts of the names of layers that prepare data, which take what NumPy takes (keras/src/layers/preprocessing)."""


def described(value: Any) -> str:
    """What a value is that is certainly no tensor: `the layer Dense`; "" of all else."""
    held = plain(value)
    if isinstance(held, LayerV):
        return f"the layer {held.display}"
    if isinstance(held, InstanceV):
        base = held.cls.external_base() or ""
        return f"the {'model' if base.startswith('keras.Model') else 'layer'} {held.cls.name}" \
            if base.startswith(("keras.layers.", "keras.Model")) else ""
    if isinstance(held, External):
        name = held.path.rpartition(".")[2]
        return f"the class {name}" if held.path in LAYERS else f"the function {name}" if held.path in FUNCTIONS else ""
    if isinstance(held, ClassV):
        return f"the class {held.name}"
    if isinstance(held, FunctionV | BoundV):
        function = held if isinstance(held, FunctionV) else held.function
        return f"the function {getattr(function, 'name', '') or 'lambda'}"
    if _is_model(held):
        return f"a {held.display} model"
    return repr(held) if isinstance(held, str) else ""


def _is_model(held: Any) -> bool:
    from cudnnlint.interp.keras.models import ModelV

    return isinstance(held, ModelV)


def within(value: Any) -> str:
    """The same of the first such part of a list, tuple or dict."""
    held = plain(value)
    if isinstance(held, Tensor):
        return ""
    parts = held if isinstance(held, list | tuple) else held.values() if isinstance(held, dict) else None
    return described(held) if parts is None else next(filter(None, map(within, parts)), "")


def tell_of_input(m: Machine, layer: LayerV, inputs: Any, span: Span) -> bool:
    """`Dense(3)(Dense(4))`: a layer that is called on no tensor (keras/src/layers/layer.py: Layer.__call__;
    tf_keras/src/engine/input_spec.py: assert_input_compatibility)."""
    if not layer.path.startswith("keras.layers.") or layer.path in TAKING or any(
            part in layer.path for part in PREPARING) or not (what := within(inputs)):
        return False
    return refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{layer.display} is called on {what}, not on a tensor",
        help="its attribute output is what it gives, of a model that was built" if _is_model(plain(inputs)) else
        "call it on what that gives, an Input to begin with; layers in a row are a Sequential",
        error='ValueError "Only input tensors may be passed as positional arguments" or "was called with an input that '
              'isn\'t a symbolic tensor" or TypeError "Inputs to a layer should be tensors"'),
        what=layer.display, layer=layer.info())


def tell_of_added(m: Machine, layer: Any, span: Span) -> bool:
    """`model.add(Dense)`: what a Sequential is given is no layer (keras/src/models/sequential.py: Sequential.add)."""
    held = plain(layer)
    if isinstance(held, Tensor):
        maker = held.step.maker if held.step is not None else None
        made = isinstance(maker, LayerV) and not maker.path.endswith(("Input", "InputLayer")) and held.kind == "keras"
        what = f"the output of {maker.display}" if made and isinstance(maker, LayerV) else ""
    elif isinstance(held, int | float):
        what = repr(held)
    elif isinstance(held, ListV):
        what = "a list"
    else:
        what = "" if isinstance(held, LayerV | InstanceV) or _is_model(held) else described(held)
    if not what:
        return False
    advice = f"{what.removeprefix('the class ')}(...), an object of the class" if what.startswith("the class") else \
        "layers.Activation or layers.Lambda makes a layer of it" if what.startswith("the function") else \
        "the layer itself, which is not called" if what.startswith("the output") else \
        "keras.Sequential([...]) takes a list, add() one layer at a time" if what == "a list" else ""
    return refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{what} is given to a Sequential, not a layer", help=advice,
        error='ValueError "Only instances of `keras.Layer` can be added to a Sequential model" or TypeError "The added '
              'layer must be an instance of class Layer"', facts=(("moment", "when it is added"),)), what="Sequential")


def tell_of_late_input(m: Machine, layer: Any, model: ModelV, span: Span) -> None:
    """An Input after what a Sequential of Keras 3 begins with (keras/src/models/sequential.py: add, build)."""
    maker = layer.step.maker if isinstance(layer, Tensor) and layer.step is not None else layer
    if isinstance(maker, LayerV) and maker.path.endswith(("Input", "InputLayer")) and not model.layers.unknown:
        refuse(m, span, Mismatch(
            Problem.UNEXPECTED, "an Input comes after other layers of a Sequential", where=Where(keras=">=3"),
            help="it is the first, or left out", facts=(("moment", "when the model is built"),),
            error='ValueError "should have a single positional argument, the input tensor. Layer InputLayer has no '
                  'positional arguments" or "has already been configured to use input shape"'), what="Sequential")


__all__ = ["described", "tell_of_added", "tell_of_input", "tell_of_late_input", "within"]

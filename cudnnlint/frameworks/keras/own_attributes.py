"""Attributes of library layers, as classes derived from such layers read them: variables, windows, activations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import wrap
from cudnnlint.interp.keras.layers import WEIGHT, LayerV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING, External, InstanceV
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.tensor import is_floating

NAMES = ("kernel", "depthwise_kernel", "pointwise_kernel", "recurrent_kernel", "bias", "embeddings")
"""keras/src/layers: variables that are attributes of the name that they are given."""
WINDOWS = ("kernel_size", "strides", "dilation_rate", "pool_size")
"""keras/src/layers/convolutional/base_conv.py: BaseConv.__init__; pooling/base_pooling.py: BasePooling.__init__."""
SLIDING = re.compile(r"(Conv|Pool)\w*([123])D")


def layer_within(value: Any) -> LayerV | None:
    """The library's layer that an object of a derived class is; None where it is not of one."""
    layer = value.extra if isinstance(value, InstanceV) else value
    return layer if isinstance(layer, LayerV) and layer.op is not None else None


def _missing(value: Any, name: str) -> Unknown:
    return (value.unknown if isinstance(value, InstanceV) else None) or Unknown(f"attribute {name}")


def _variable(name: str) -> Callable[[Machine, Any], Any]:
    def read(m: Machine, value: Any) -> Any:
        layer = layer_within(value)
        if layer is None or not isinstance(layer.weights, tuple):
            return _missing(value, name)
        found = [weight for weight in layer.weights if weight.name == name]
        if len(found) != 1:
            return _missing(value, name)
        dtype = found[0].dtype or layer.policy.variable
        if is_floating(dtype) and m.stack.keras >= (2, 4):
            dtype = layer.policy.compute  # as call() sees it (keras/src/backend/common/variables.py: Variable.value)
        step = layer.read.setdefault(name, Step(layer.span, (), WEIGHT if found[0].trainable else None))
        made = Tensor(found[0].shape, dtype, "tf", None, step)
        return assume(made, layer.assumptions)

    return read


def _window(name: str) -> Callable[[Machine, Any], Any]:
    """One extent a dimension (keras/src/utils/argument_validation.py: standardize_tuple)."""

    def read(m: Machine, value: Any) -> Any:
        layer = layer_within(value)
        rank = SLIDING.search(layer.path) if layer is not None else None
        if layer is None or rank is None or name not in layer.arguments:
            return _missing(value, name)
        given, count = plain(layer.arguments[name]), int(rank[2])
        if name == "strides" and given is None:  # of a pooling layer
            given = plain(layer.arguments.get("pool_size"))
        if isinstance(given, int):
            given = (given,) * count
        elif not isinstance(given, tuple | list):
            return _missing(value, name)
        return assume(tuple(given), assumptions_of(layer.arguments[name]) | layer.assumptions)

    return read


MARGINS = {"padding": re.compile(r"\.ZeroPadding([123])D$"), "cropping": re.compile(r"\.Cropping([123])D$")}


def _margins(layer: LayerV, name: str) -> Any:
    """A pair for each dimension; of one dimension the pair (keras/src/layers/reshaping/zero_padding2d.py: __init__)."""
    rank, given = MARGINS[name].search(layer.path), plain(layer.arguments.get(name))
    if rank is None or name not in layer.arguments:
        return MISSING
    count = int(rank[1])
    parts: tuple[Any, ...] = (given,) * (2 if count == 1 else count) if isinstance(given, int) else _tuple(given)
    if count > 1:
        parts = tuple((part, part) if isinstance(part, int) else _tuple(part) for part in map(plain, parts))
    known = len(parts) == max(count, 2) and (count == 1 or all(len(part) == 2 for part in parts))
    return assume(parts, assumptions_of(layer.arguments[name]) | layer.assumptions) if known else MISSING


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else ()


@FRAMEWORK.attribute("keras.layers.Layer.cropping")
def cropping(m: Machine, value: Any) -> Any:
    layer = layer_within(value)
    found = _margins(layer, "cropping") if layer is not None else MISSING
    return _missing(value, "cropping") if found is MISSING else found


@FRAMEWORK.attribute("keras.layers.Layer.padding")
def padding(m: Machine, value: Any) -> Any:
    layer = layer_within(value)
    if layer is not None and (found := _margins(layer, "padding")) is not MISSING:
        return found
    given = layer.arguments.get("padding") if layer is not None and SLIDING.search(layer.path) else None
    text = plain(given)
    return assume(text.lower(), assumptions_of(given)) if isinstance(text, str) else _missing(value, "padding")


@FRAMEWORK.attribute("keras.layers.Layer.data_format")
def data_format(m: Machine, value: Any) -> Any:
    layer = layer_within(value)
    if layer is None or not (SLIDING.search(layer.path) or "data_format" in layer.arguments):
        return _missing(value, "data_format")
    given = layer.arguments.get("data_format")
    return m.state.get("image_data_format", "channels_last") if plain(given) is None else given


@FRAMEWORK.attribute("keras.layers.Layer.activation")
def activation(m: Machine, value: Any) -> Any:
    """A function, also where none was given (keras/src/activations/__init__.py: get)."""
    layer = layer_within(value)
    if layer is None or "activation" not in layer.arguments:
        return _missing(value, "activation")
    given = plain(layer.arguments["activation"])
    if given is None or isinstance(given, str):
        return External(f"keras.activations.{given or 'linear'}")
    return layer.arguments["activation"]


@FRAMEWORK.attribute(*(f"keras.layers.{_name}.state_size" for _name in ("SimpleRNNCell", "GRUCell", "LSTMCell")))
def state_size(m: Machine, value: Any) -> Any:
    """Extents of the states of a cell, a list of two for an LSTM (keras/src/layers/rnn/lstm.py: LSTMCell.__init__)."""
    layer = layer_within(value)
    size = getattr(layer.op, "state_size", None) if layer is not None else None
    return _missing(value, "state_size") if size is None else wrap(list(size) if isinstance(size, tuple) else size)


for _name in NAMES:
    FRAMEWORK.attribute(f"keras.layers.Layer.{_name}")(_variable(_name))
for _name in WINDOWS:
    FRAMEWORK.attribute(f"keras.layers.Layer.{_name}")(_window(_name))

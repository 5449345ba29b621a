"""What call() of a user's layer is handed: tensors, cast as the layer asks for."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.application import autocast
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.ops.protocol import Policy
from cudnnlint.values import Tensor, Unknown, is_floating


def inside(value: Any, policy: Policy | None = None) -> Any:
    """Tensors as the body of call() sees them: symbolic ones as any other; where there is a policy, arrays as tensors
    and floats in its compute dtype (keras/src/layers/layer.py: Layer.__call__; tf_keras/src/engine/base_layer.py:
    Layer._maybe_cast_inputs).
    """
    if isinstance(value, Tensor):
        made = value if policy is None else autocast(value, policy)
        if made.kind == "keras" or (made.kind == "numpy" and policy is not None):
            return Tensor(made.shape, made.dtype, "tf", made.content if made.kind == "numpy" else None, made.step,
                          made.assumptions)
        return made
    if isinstance(value, (list, tuple)):
        return type(value)(inside(item, policy) for item in value)
    if isinstance(value, dict):
        return {key: inside(item, policy) for key, item in value.items()}
    return value


CASTING = frozenset({"keras.layers.Layer", "keras.Model", "keras.Sequential"})
"""Bases of which it is certain that they cast what is given; some layers, those that preprocess, do not."""


def casts(m: Machine, instance: InstanceV, layer: LayerV) -> Policy | None:
    """The policy by which a layer casts what it is given, if it does; Keras 2 casts the first argument only."""
    told = layer.extra.get("autocast", True)
    base = instance.cls.external_base()
    return layer.policy if told is True and base in CASTING and m.stack.keras >= (2, 4) else None


def untold(value: Any) -> Any:
    """What a layer of TensorFlow 1 is given: one that was told no dtype takes that of its first input, with its
    variables, so that what they are is not known but of float32 (TensorFlow 1.15: tensorflow/python/keras/engine/
    base_layer.py: Layer._maybe_build).
    """
    held = plain(value)
    if isinstance(held, Tensor) and is_floating(held.dtype) and held.dtype != "float32":
        return held.with_(dtype=Unknown("a layer of TensorFlow 1 takes the dtype of its input"))
    if isinstance(held, tuple | ListV | DictV):
        raw = strip(held)
        if isinstance(raw, tuple | list):
            return wrap(type(raw)(map(untold, raw)))
        return wrap({key: untold(item) for key, item in raw.items()}) if isinstance(raw, dict) else value
    return value


def handed(value: Any, policy: Policy | None) -> Any:
    """An argument of call(): tensors, alone or in a structure, as they are inside."""
    held = plain(value)
    if isinstance(held, Tensor):
        return inside(held, policy)
    if isinstance(held, tuple | ListV | DictV):
        raw = strip(held)
        return wrap(inside(raw, policy)) if isinstance(raw, list | tuple | dict) and tensors(raw) else value
    return value

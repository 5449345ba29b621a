"""Layers made of a configuration: `Conv2D.from_config(config)`, `keras.layers.deserialize({"class_name": ...})`."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from cudnnlint.frameworks.keras.attributes import PolicyV
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.binding import signature
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.keras.layers import NORMALIZED, LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import MISSING, OF_THE_CLASS, ClassV, External, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.records import record
from cudnnlint.values import Unknown
from cudnnlint.values.stack import version_holds

NESTED = frozenset({"layer", "layers", "cell", "cells", "backward_layer"})
"""Arguments that a configuration holds as configurations in turn."""


@record(frozen=True, slots=True)
class Rewritten(Unknown):
    """What Keras writes in its own way, an initializer as a dict, a window as a tuple: whoever reads it does not know
    it, a layer that is made of it is given what the first one was."""

    given: Any = field(default=None, compare=False, repr=False)


UNWRITTEN = frozenset({"bounding_box_format", "flash_attention", "input_length", "lora_alpha", "lora_rank", "use_cudnn",
                       "weights"})
UNWRITTEN_2 = frozenset({"adjustment", "causal", "enable_caching_device", "fused", "renorm", "renorm_clipping",
                         "renorm_momentum", "return_runtime", "robust_masking", "synchronized", "virtual_batch_size",
                         "zero_output_for_mask"})
"""Arguments that Keras 3 and Keras 2 leave out of a configuration where they were not given (3.15 and 2.21, run)."""
KERAS_OWN = Rewritten("what Keras writes of a layer", given=MISSING)
"""Of a key that is there whatever the constructor was given."""


@FRAMEWORK.on(f"keras.layers.Layer.{OF_THE_CLASS}")
def from_config(c: Call) -> Any:
    """`cls(**config)` (keras/src/ops/operation.py: Operation.from_config)."""
    receiver = plain(c.receiver)
    own = receiver.cls if isinstance(receiver, InstanceV) else receiver
    if not isinstance(own, ClassV | External):
        return Unknown("a layer made by another one")
    return _made(c, own, c.get(0, "config"))


@FRAMEWORK.on("keras.layers.Layer.get_config")
def get_config(c: Call) -> Any:
    """All that the constructor takes, by name (keras/src/layers/layer.py: Layer.get_config); what Keras writes as
    dicts, initializers and the like, is not known."""
    layer = plain(c.receiver)
    if isinstance(layer, InstanceV) and isinstance(layer.extra, LayerV) and layer.extra.path in _bare(c):
        return _of_own(layer.extra, is_bare=layer.cls.lookup("get_config") is MISSING and c.machine.stack.keras >= (3,))
    spelling = LAYERS.get(layer.path) if isinstance(layer, LayerV) and layer.user is None else None
    if not isinstance(layer, LayerV) or spelling is None or layer.arguments.keys() & NESTED:
        return Unknown("the configuration of a layer")
    keras, defaults = c.machine.stack.keras, signature(spelling.builder)[2]
    unwritten = UNWRITTEN_2 if keras < (3,) else UNWRITTEN
    told = {name: _told(name, value) for name, value in {**defaults, **layer.base, **layer.arguments}.items()
            if version_holds(spelling.versions.get(name, ""), keras)
            and not (name in unwritten and plain(value) is defaults.get(name, MISSING))}
    return DictV({"name": layer.name, "trainable": True, "dtype": KERAS_OWN, **told})


def _bare(c: Call) -> tuple[str, ...]:
    """Classes that tell of no more than what every layer has; a model of Keras 2 tells of nothing."""
    return ("keras.layers.Layer", "keras.Model") if c.machine.stack.keras >= (3,) else ("keras.layers.Layer",)


def _of_own(layer: LayerV, *, is_bare: bool) -> Any:
    """What the base of a class of the user's tells; of one without get_config(), Keras 3 tells what it was made with
    (keras/src/ops/operation.py: Operation.get_config)."""
    if is_bare or layer.model is not None or layer.base:
        return Unknown("the configuration of a layer")
    name = layer.extra.get("name", layer.name)
    return DictV({"name": name if isinstance(name, str) else Rewritten("the name of a layer", given=MISSING),
                  "trainable": layer.extra.get("trainable", True), "dtype": PolicyV(layer.policy)})


def _told(name: str, value: Any) -> Any:
    held = plain(value)
    if name == "activation" and held is None:
        return "linear"
    written = name in NORMALIZED or name.endswith(("_initializer", "_regularizer", "_constraint"))
    plainly = not written and isinstance(held, bool | int | float | str)
    return value if plainly else Rewritten("what Keras writes of an argument", given=value)


@FRAMEWORK.on("keras.layers.serialize", "keras.saving.serialize_keras_object", "keras.utils.serialize_keras_object")
def serialize(c: Call) -> Any:
    """Its class and its configuration (keras/src/saving/serialization_lib.py: serialize_keras_object)."""
    layer = plain(c.args[0]) if c.args else None
    if not isinstance(layer, LayerV) or layer.user is not None or not layer.path.startswith("keras.layers."):
        return Unknown("a serialized object")
    config = get_config(Call(c.machine, c.callee, [], {}, c.node, layer))
    return DictV({"module": "keras.layers", "class_name": layer.display, "config": config, "registered_name": None,
                  "build_config": KERAS_OWN})


@FRAMEWORK.on("keras.layers.deserialize", "keras.saving.deserialize_keras_object",
              "keras.utils.deserialize_keras_object")
def deserialize(c: Call) -> Any:
    """A class of keras.layers or of `custom_objects` (keras/src/layers/serialization.py: deserialize)."""
    told, own = plain(c.get(0, "config")), plain(c.get(1, "custom_objects"))
    if not isinstance(told, DictV) or told.unknown or own is not None:
        return Unknown("a layer made of a configuration")
    name = plain(told.items.get("class_name"))
    if not isinstance(name, str) or f"keras.layers.{name}" not in LAYERS:
        return Unknown("a layer made of a configuration")
    return _made(c, External(f"keras.layers.{name}"), told.items.get("config", DictV({})))


def _made(c: Call, cls: External | ClassV, config: Any) -> Any:
    held = plain(config)
    if not isinstance(held, DictV) or held.unknown or held.items.keys() & NESTED \
            or not all(isinstance(key, str) for key in held.items):
        return Unknown("a layer made of a configuration")
    if any(isinstance(plain(value), DictV) for value in held.items.values()):  # serialized objects
        return Unknown("a layer made of a configuration")
    given = {name: value.given if isinstance(value, Rewritten) else value for name, value in held.items.items()}
    return c.machine.call(cls, [], {name: value for name, value in given.items() if value is not MISSING}, c.node)

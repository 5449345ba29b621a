"""Keras' global settings: data format, float type, dtype policies."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.attributes import PolicyV
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.keras.policies import policy_set
from cudnnlint.interp.attributes import version_of
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.creation import create_layer
from cudnnlint.interp.keras.layer_policy import policy_of
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


@FRAMEWORK.on("keras.config.set_image_data_format", "keras.backend.set_image_data_format",
              "keras.backend.set_image_dim_ordering")
def set_image_data_format(c: Call) -> Any:
    value = plain(c.get(0, "data_format"))
    c.machine.state["image_data_format"] = {"tf": "channels_last", "th": "channels_first"}.get(value, value) \
        if isinstance(value, str) else Unknown("image_data_format")
    return None


@FRAMEWORK.on("keras.config.image_data_format", "keras.backend.image_data_format")
def image_data_format(c: Call) -> Any:
    return c.machine.state.get("image_data_format", "channels_last")


@FRAMEWORK.on("keras.backend.image_dim_ordering")
def image_dim_ordering(c: Call) -> Any:
    """The name of Keras 1, which Keras 2.2 still had (keras/backend/common.py: image_dim_ordering)."""
    data_format = image_data_format(c)
    return {"channels_last": "tf", "channels_first": "th"}.get(data_format, data_format) \
        if isinstance(data_format, str) else data_format


@FRAMEWORK.on("keras.config.floatx", "keras.backend.floatx")
def floatx(c: Call) -> Any:
    return c.machine.state.get("floatx", "float32")


@FRAMEWORK.on("keras.config.set_floatx", "keras.backend.set_floatx")
def set_floatx(c: Call) -> Any:
    value = plain(c.get(0, "value", c.kwargs.get("floatx")))
    c.machine.state["floatx"] = value if isinstance(value, str) else Unknown("floatx")
    return None


MERGES = {"add": "Add", "subtract": "Subtract", "multiply": "Multiply", "average": "Average", "maximum": "Maximum",
          "minimum": "Minimum", "concatenate": "Concatenate", "dot": "Dot"}
"""Functional spellings of the merging layers: `add([a, b])` is `Add()([a, b])` (keras/src/layers/merging)."""


def _merge(name: str) -> Any:
    def run(c: Call) -> Any:
        inputs = c.get(0, "inputs")
        kwargs = {key: value for key, value in c.kwargs.items() if key != "inputs"}
        layer = create_layer(c.machine, f"keras.layers.{MERGES[name]}",
                             Call(c.machine, c.callee, c.args[1:], kwargs, c.node))
        return layer.called(Call(c.machine, layer, [inputs], {}, c.node)) if isinstance(layer, LayerV) else layer

    return run


for _name in MERGES:
    FRAMEWORK.on(f"keras.layers.{_name}")(_merge(_name))


@FRAMEWORK.on("keras.layers.VersionAwareLayers")
def version_aware_layers(c: Call) -> Any:
    """tf_keras' own alias of its layers package."""
    return External("keras.layers")


@FRAMEWORK.on("keras.version")
def version(c: Call) -> Any:
    """keras/src/version.py; tf.keras.version() tells of the Keras that TensorFlow brings."""
    return version_of(c.machine, "keras")


@FRAMEWORK.on("keras.backend.backend", "keras.config.backend")
def backend(c: Call) -> Any:
    return "tensorflow"


@FRAMEWORK.on("keras.config.epsilon", "keras.backend.epsilon")
def epsilon(c: Call) -> Any:
    return 1e-7


@FRAMEWORK.on("keras.mixed_precision.set_global_policy", "keras.mixed_precision.set_dtype_policy",
              "keras.config.set_dtype_policy", "keras.mixed_precision.experimental.set_policy")
def set_policy(c: Call) -> Any:
    m, before = c.machine, policy_of(c.machine, None)
    m.state["policy"] = policy_of(m, strip(c.get(0, "policy", c.kwargs.get("policy"))) or "float32")
    policy_set(m, before, m.state["policy"], c.span)


@FRAMEWORK.on("keras.mixed_precision.global_policy", "keras.mixed_precision.dtype_policy", "keras.config.dtype_policy",
              "keras.mixed_precision.experimental.global_policy")
def global_policy(c: Call) -> Any:
    return PolicyV(policy_of(c.machine, None))


@FRAMEWORK.on("keras.mixed_precision.Policy", "keras.mixed_precision.DTypePolicy", "keras.DTypePolicy",
              "keras.dtype_policies.DTypePolicy",
              "keras.mixed_precision.experimental.Policy")
def make_policy(c: Call) -> Any:
    name = plain(c.get(0, "name"))
    return PolicyV(policy_of(c.machine, name)) if isinstance(name, str) else \
        ObjectV("keras.DTypePolicy", tuple(c.args), dict(c.kwargs), c.span)

"""The library's constructor that a user's class reaches: the framework's part of its instances."""

from __future__ import annotations

from cudnnlint.events import ModelMade
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.convert import strip
from cudnnlint.interp.graphs.placeholders import DYNAMIC
from cudnnlint.interp.keras.creation import build_op
from cudnnlint.interp.keras.incomplete import GRAPH_GIVEN, tell_of_early_layer
from cudnnlint.interp.keras.layer_names import refuse_slash
from cudnnlint.interp.keras.layer_policy import policy_of
from cudnnlint.interp.keras.layers import LayerV, snake
from cudnnlint.interp.keras.variables import tracked_by
from cudnnlint.interp.loops.turns import came_to_be
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.misfits import tell_of_base
from cudnnlint.interp.objects import ClassV, External, InstanceV
from cudnnlint.interp.registry import Call, ancestry
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.source import Span
from cudnnlint.values import Unknown

HOOKS = ("_validate_init", "_compute_attention", "_build_from_signature", "_masked_softmax", "convolution_op")
"""What layers of Keras ask of themselves: a class that answers otherwise is no longer the layer that is known here
(tf_keras/src/layers/convolutional/base_conv.py: Conv; tf_keras/src/layers/attention/multi_head_attention.py)."""
DECLARED = ("_compute_attention", "_masked_softmax")
"""Those that Keras 3 does not ask for what a layer gives, nor for its weights (keras/src/layers/attention/
multi_head_attention.py: compute_output_spec, build)."""
MODEL_BASES = frozenset({"keras.Model", "keras.Sequential"})


def init_keras_instance(m: Machine, instance: InstanceV, base: str, c: Call) -> None:
    """`super().__init__(...)` reached the library class `base`."""
    m.created += 1
    span = instance.span or c.span
    name = plain(c.kwargs.get("name"))
    layer = LayerV(base, name if isinstance(name, str) else m.unique_name(snake(instance.cls.name)), span)
    layer.policy = policy_of(m, strip(c.kwargs.get("dtype")))
    layer.user, layer.tracked = instance, tracked_by(m)
    if STAR in c.kwargs or not (name is None or isinstance(name, str)):
        layer.extra["name"] = Unknown("name of the layer")
    layer.named = isinstance(name, str) and STAR not in c.kwargs
    if STAR in c.kwargs or c.args:  # a graph of layers may be among them
        layer.extra[GRAPH_GIVEN] = True
    if plain(c.kwargs.get("dynamic")) not in (None, False):
        m.state[DYNAMIC] = True
    if "autocast" in c.kwargs:
        layer.extra["autocast"] = plain(c.kwargs["autocast"])
    if "trainable" in c.kwargs:
        layer.extra["trainable"] = plain(c.kwargs["trainable"])
    hooks = {hook for cls in instance.cls.mro if isinstance(cls, ClassV) for hook in HOOKS if hook in cls.items}
    if base in LAYERS and not (hooks - set(DECLARED) if m.stack.keras >= (3,) else hooks):
        mro = instance.cls.mro
        place = next((i for i, cls in enumerate(mro) if isinstance(cls, External) and cls.path == base), len(mro))
        made = build_op(m, base, c, shared=place + 1 < len(mro))
        if isinstance(made, LayerV):
            layer.op, layer.arguments, layer.given, layer.base = made.op, made.arguments, made.given, made.base
            layer.assumptions = made.assumptions
    elif any(parent in MODEL_BASES for parent in ancestry(base)):
        from cudnnlint.interp.keras.building import init_model

        tell_of_early_layer(m, instance, c.span)
        layer.model = init_model(m, base, c, layer)
        if layer.model is not None:
            layer.model.instance = instance
    elif base == "keras.layers.Wrapper":  # keras/src/layers/core/wrapper.py: Wrapper.__init__
        m.set_item(instance, "layer", c.get(0, "layer", Unknown("the layer that is wrapped")))
    shape = c.kwargs.get("input_shape", c.kwargs.get("batch_input_shape"))
    if shape is not None:
        layer.base = {**layer.base, "input_shape" if "input_shape" in c.kwargs else "batch_input_shape": strip(shape)}
    instance.extra = layer
    tell_of_base(c, instance, layer)
    if layer.named:
        refuse_slash(m, layer, name)
    if any(parent in MODEL_BASES for parent in ancestry(base)):
        m.say(ModelMade, span, model=instance)
        came_to_be(m, instance, span)


def layer_of(m: Machine, instance: InstanceV) -> LayerV:
    """The framework part of a user's object, made if `super().__init__` was not reached."""
    if not isinstance(instance.extra, LayerV):
        base = instance.cls.external_base() or "keras.layers.Layer"
        instance.extra = LayerV(base, m.unique_name(snake(instance.cls.name)),
                                instance.span or Span(m.linted, 1, 0, 1, 0))
        instance.extra.user = instance
    layer: LayerV = instance.extra
    return layer

"""tf.layers of TensorFlow 1: functions that make a layer and apply it at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.binding import Bound, bind_spelling
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import settle
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.mistakes.changes import check_name
from cudnnlint.interp.objects import External
from cudnnlint.interp.placing import place
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import LAYERS, LayerCall, Policy
from cudnnlint.values import Stack, Tensor, Unknown

FIRST = ("filters", "kernel_size", "strides", "padding", "data_format")
POOLED = ("pool_size", "strides", "padding", "data_format")
NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "dense": ("Dense", ("units", "activation", "use_bias")),
    "flatten": ("Flatten", ()),
    "dropout": ("Dropout", ("rate", "noise_shape", "seed")),
    "batch_normalization": ("BatchNormalization", ("axis", "momentum", "epsilon", "center", "scale")),
    "separable_conv1d": ("SeparableConv1D", (*FIRST, "dilation_rate")),
    "separable_conv2d": ("SeparableConv2D", (*FIRST, "dilation_rate")),
    "conv2d_transpose": ("Conv2DTranspose", FIRST), "conv3d_transpose": ("Conv3DTranspose", FIRST),
    **{f"conv{n}d": (f"Conv{n}D", (*FIRST, "dilation_rate", "activation", "use_bias")) for n in (1, 2, 3)},
    **{f"max_pooling{n}d": (f"MaxPooling{n}D", POOLED) for n in (1, 2, 3)},
    **{f"average_pooling{n}d": (f"AveragePooling{n}D", POOLED) for n in (1, 2, 3)},
}
"""Function -> the layer that it makes, and what its arguments are after the inputs
(tensorflow/python/keras/legacy_tf_layers: core.py, convolutional.py, pooling.py, normalization.py)."""
SHAPING = frozenset({"units", "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", "axis",
                     "pool_size", "depth_multiplier"})
"""Arguments that say what comes out."""
KERAS_2 = (2, 21)
"""The last tf_keras."""
DEFAULTS = {"dropout": {"rate": 0.5}}


def _runs_on(stack: Stack) -> Stack:
    """They are not there with Keras 3, which is told; beside it they run with tf_keras, and refuse what that does."""
    return replace(stack, keras=KERAS_2) if stack.keras >= (3,) else stack


def _applies(name: str) -> Any:
    path, order = f"keras.layers.{NAMES[name][0]}", NAMES[name][1]

    def apply(c: Call) -> Any:
        if isinstance(callee := plain(c.callee), External):
            check_name(c.machine, callee.written, c.node)
        found: set[Any] = set()
        given = {key: strip(value, found) for key, value in
                 {**dict(zip(("inputs", *order), c.args, strict=False)), **c.kwargs}.items()}
        x = given.get("inputs")
        if not isinstance(x, Tensor) or "**" in c.kwargs or len(c.args) > len(order) + 1:
            return Unknown(f"tf.layers.{name}()")
        chosen = {**DEFAULTS.get(name, {}), **{key: value for key, value in given.items() if key in SHAPING}}
        stack = _runs_on(c.machine.stack)
        bound = bind_spelling(LAYERS[path], [], chosen, stack)
        if not isinstance(bound, Bound) or bound.problems:
            return Unknown(f"tf.layers.{name}() with arguments that are not modelled")
        own = x.dtype if isinstance(x.dtype, str) else "float32"
        op = LAYERS[path].builder(**bound.arguments)
        outcome = op.infer(LayerCall(x, (), {}, Policy(own, own), stack))
        made = settle(c.machine, f"tensorflow.layers.{name}", outcome, [x], {}, c.span)
        taken = frozenset(found)
        return assume(place(path, made, (x,), (tuple(c.args), dict(c.kwargs)), c.span, taken), taken)

    return apply


for _name in NAMES:
    FRAMEWORK.on(f"tensorflow.layers.{_name}")(_applies(_name))

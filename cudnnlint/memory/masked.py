"""Which tensors of a step carry a mask, as far as attention keeps other tensors where it is given one."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.values import Step

MASKS = ("attention_mask", "mask", "query_mask", "value_mask", "key_mask")
KEEPING = frozenset(f"keras.layers.{name}" for name in (
    "Dense", "Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax", "Dropout", "SpatialDropout1D",
    "GaussianNoise", "GaussianDropout", "BatchNormalization", "LayerNormalization", "GroupNormalization", "Identity",
    "Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "MultiHeadAttention", "GroupQueryAttention"))
"""Layers of the library with supports_masking that hand a mask on as it is."""
OVER_TIME = frozenset(f"keras.layers.{name}" for name in ("LSTM", "GRU", "SimpleRNN", "Bidirectional"))


def is_masked(step: Step, carried: bool) -> bool:
    """Whether a layer is called with a mask: one that it is given, or one that arrives with what it is called on."""
    _, kwargs = step.arguments if step.arguments is not None else ((), {})
    if plain(kwargs.get("use_causal_mask")) is True:
        return True
    given: list[Any] = [strip(plain(kwargs[name])) for name in MASKS if name in kwargs]
    return carried or any(each is not None and each != [None, None] for each in given)


def hands_on(maker: Any, carried: bool, made: bool) -> bool:
    """Whether what a layer gives carries a mask: `carried` is whether its operands do, `made` whether a layer before or
    inside it makes one, which a compute_mask() of the user's is taken to give."""
    if isinstance(maker, InstanceV):
        if isinstance(maker.cls.lookup("compute_mask"), FunctionV):
            return made
        return carried and plain(maker.items.get("supports_masking")) is True
    if not isinstance(maker, LayerV):
        return False
    if maker.path == "keras.layers.Embedding":
        return maker.arguments.get("mask_zero") is True
    if maker.path == "keras.layers.Masking":
        return True
    every = getattr(maker.arguments.get("layer"), "arguments", maker.arguments).get("return_sequences")
    return carried and (maker.path in KEEPING or (maker.path in OVER_TIME and every is True))

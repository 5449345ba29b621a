"""Whether a step runs op by op or is compiled by XLA, and what decides it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cudnnlint.interp.layers import LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.parts import layer_of, within
from cudnnlint.memory.estimate import OP_BY_OP, XLA
from cudnnlint.values import Stack, Unknown

ANY_STRATEGY = "tensorflow.distribute.Strategy"
"""That of a program without one too."""
NOT_COMPILED = frozenset(f"keras.layers.{name}" for name in (
    "StringLookup", "IntegerLookup", "TextVectorization", "Hashing", "HashedCrossing",
    "RandomZoom", "RandomCrop", "RandomTranslation", "RandomRotation", "RandomPerspective", "RandomShear"))
"""Layers with supports_jit = False (keras/src/layers/preprocessing/**)."""


def regime_of(model: Any, compiled: Mapping[str, Any] | None, method: str, replicas: Any,
              stack: Stack) -> tuple[str, str]:
    """(regime, why): Keras 3 compiles by default where every layer allows it (keras/src/trainers/trainer.py:
    _resolve_auto_jit_compile, model_supports_jit), Keras 2 only where it is told to."""
    asked = plain((compiled or {}).get("jit_compile", "auto"))
    if method == "GradientTape":
        return (XLA, "a tf.function with jit_compile=True") if asked is True \
            else (OP_BY_OP, "a training loop of its own")
    if plain((compiled or {}).get("run_eagerly")) is True:
        return OP_BY_OP, "run_eagerly=True"
    if asked is True and (stack.keras < (3,) or _forbidding(model, stack) is None):
        return XLA, "jit_compile=True"
    if stack.keras < (3,):
        return OP_BY_OP, "Keras 2 does not compile unless it is told to"
    if asked is False or isinstance(asked, Unknown):
        return OP_BY_OP, "jit_compile=False" if asked is False else "jit_compile is not known"
    if plain(replicas) != 1 or getattr((compiled or {}).get("strategy"), "path", ANY_STRATEGY) != ANY_STRATEGY:
        return OP_BY_OP, "a distribution strategy"
    if (why := _forbidding(model, stack)) is not None:
        return OP_BY_OP, f"{why}, not with jit_compile=True either" if asked is True else why
    some = any(isinstance(part, Unknown) for part in within(model))
    return XLA, f'jit_compile="auto" compiles on a GPU, no layer {"that is known " * some}forbids it'


def _forbidding(model: Any, stack: Stack) -> str | None:
    """Why Keras 3 does not compile a model, not even if it is asked to (keras/src/trainers/trainer.py:
    Trainer.jit_compile)."""
    for layer in layers_of(model):
        fused = getattr(layer.op, "fused", None)
        if callable(fused) and fused(stack) is True:
            return f"{layer.display} is not compiled by XLA (what cuDNN reserves for it is counted as the loop that " \
                   "runs in its place elsewhere)"
        if layer.path in NOT_COMPILED:
            return f"{layer.display} is not compiled by XLA"
    return None


def layers_of(model: Any) -> Iterator[LayerV]:
    """All layers of a model, those within models included."""
    for held in within(model):
        if (layer := layer_of(held)) is not None:
            yield layer
            if isinstance(inner := layer.arguments.get("layer"), LayerV):
                yield from layers_of(inner)

"""Whether a step runs op by op or is compiled by XLA, and what decides it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import layer_of, within
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.memory.device import BACKEND, DETERMINISM, EAGERLY, DeviceMemory
from cudnnlint.memory.estimate import OP_BY_OP, XLA
from cudnnlint.values import Stack, Unknown

ANY_STRATEGY = "tensorflow.distribute.Strategy"
"""That of a program without one too."""
NOT_COMPILED = frozenset(f"keras.layers.{name}" for name in (
    "StringLookup", "IntegerLookup", "TextVectorization", "Hashing", "HashedCrossing",
    "RandomZoom", "RandomCrop", "RandomTranslation", "RandomRotation", "RandomPerspective", "RandomShear",
    "AugMix", "RandAugment"))
"""Layers with supports_jit = False (keras/src/layers/preprocessing/**), the last two for layers that they hold."""
OF_TENSORFLOW = (None, "tensorflow")
"""KERAS_BACKEND where Keras runs on TensorFlow."""
DETERMINISTIC = (3, 8)
"""The Keras that asks whether operations are to be deterministic."""
TORCH = "Keras runs on PyTorch, which compiles nothing unless it is told to (counted is what TensorFlow would keep)"


def regime_of(model: Any, compiled: Mapping[str, Any] | None, method: str, replicas: Any, stack: Stack,
              settings: DeviceMemory) -> tuple[str, str]:
    """(regime, why): Keras 3 compiles by default where every layer allows it (keras/src/trainers/trainer.py:
    _resolve_auto_jit_compile, model_supports_jit), Keras 2 only where it is told to."""
    told = {**(compiled or {}), **_told_later(model)}
    asked, backend = plain(told.get("jit_compile", "auto")), settings.value(BACKEND)
    if method == "GradientTape":
        return (XLA, "a tf.function with jit_compile=True") if asked is True \
            else (OP_BY_OP, "a training loop of its own")
    if backend == "torch":
        return OP_BY_OP, TORCH
    if plain(told.get("run_eagerly")) is True:
        return OP_BY_OP, "run_eagerly=True"
    if backend in OF_TENSORFLOW and settings.value(EAGERLY) is True:
        return OP_BY_OP, f"{EAGERLY}(True)"
    if stack.keras < (3,):
        return (XLA, "jit_compile=True") if asked is True \
            else (OP_BY_OP, "Keras 2 does not compile unless it is told to")
    if asked is False or isinstance(asked, Unknown):
        return OP_BY_OP, "jit_compile=False" if asked is False else "jit_compile is not known"
    scoped = plain(replicas) != 1 or getattr(told.get("strategy"), "path", ANY_STRATEGY) != ANY_STRATEGY
    if asked is not True and scoped:
        return OP_BY_OP, "a distribution strategy"
    if (why := _forbidding(model, stack, settings)) is not None:
        return OP_BY_OP, f"{why}, not with jit_compile=True either" if asked is True else why
    if asked is True:
        return XLA, "jit_compile=True"
    some = any(isinstance(part, Unknown) for part in within(model))
    return XLA, f'jit_compile="auto" compiles on a GPU, no layer {"that is known " * some}forbids it'


def _told_later(model: Any) -> dict[str, Any]:
    """What the program set on the model itself since it was compiled, as far as it is known."""
    held = plain(model)
    given = held.items if isinstance(held, InstanceV) else getattr(held, "extra", None)
    named = given if isinstance(given, dict) else {}
    return {name: plain(named[name]) for name in ("jit_compile", "run_eagerly")
            if not isinstance(plain(named.get(name)), Unknown | None)}


def _forbidding(model: Any, stack: Stack, settings: DeviceMemory) -> str | None:
    """Why Keras 3 does not compile a model, not even if it is asked to (keras/src/trainers/trainer.py:
    Trainer.jit_compile)."""
    tensorflow = settings.value(BACKEND) in OF_TENSORFLOW
    for layer in layers_of(model):
        fused = getattr(layer.op, "fused", None)
        if tensorflow and callable(fused) and fused(stack) is True:
            return f"{layer.display} is not compiled by XLA (what cuDNN reserves for it is counted as the loop that " \
                   "runs in its place elsewhere)"
        if layer.path in NOT_COMPILED:
            return f"{layer.display} is not compiled by XLA"
        if plain((layer.extra if layer.user is None else layer.user.items).get("supports_jit")) is False:
            return f"{layer.display} says supports_jit = False"
    if tensorflow and stack.keras >= DETERMINISTIC and settings.value(DETERMINISM) is True:
        return f"{DETERMINISM}: Keras does not compile then"
    return None


def layers_of(model: Any) -> Iterator[LayerV]:
    """All layers of a model, those within models included."""
    for held in within(model):
        if (layer := layer_of(held)) is not None:
            yield layer
            several = plain(layer.arguments.get("layers"))
            several = several.items if isinstance(several, ListV) else several
            for inner in (layer.arguments.get("layer"), *(several if isinstance(several, list | tuple) else ())):
                if isinstance(plain(inner), LayerV):
                    yield from layers_of(inner)

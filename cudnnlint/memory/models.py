"""Estimates of models that nothing trains: of a prediction, and of training, as far as their graph is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import LossInfo
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import layer_of, within
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.memory.device import DeviceMemory
from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.optimizers import optimizer_of
from cudnnlint.memory.regimes import regime_of
from cudnnlint.memory.step import Asked, estimate
from cudnnlint.source import Span
from cudnnlint.trace import assumption_texts
from cudnnlint.values import Stack, Unknown
from cudnnlint.values.tensor import tensors


def estimates_of_model(model: Any, stack: Stack, batch: int, timeline: bool = False,
                       called: tuple[Any, Any] = (None, None)) -> Iterator[Estimate]:
    """A prediction and a step of training with Adam; nothing for a model whose outputs are not known. `called`: what
    one that declares no inputs was called on, and gave."""
    held = plain(model)
    inputs, outputs = _call(held)
    if outputs is None:
        inputs, outputs = called
    if not tensors(outputs):
        return
    span = getattr(held, "span", None) or Span("", 1, 0, 1, 0)
    for method in ("predict", "fit"):
        trains = method == "fit"
        regime, why = regime_of(held, None, method, 1, stack, DeviceMemory())
        given = assumption_texts((inputs, outputs), frozenset())
        assumptions = (("no training call: Adam is assumed", *given, f"{regime}: {why}") if trains
                       else ("no training call", *given, f"{regime}: {why}"))
        data = (inputs, outputs) if trains else (inputs,)
        numbers = next((tensor.shape[0] for tensor in tensors(inputs)
                        if isinstance(tensor.shape, tuple) and tensor.shape and isinstance(tensor.shape[0], int)), None)
        yield estimate(Asked(span, method, held, "", outputs, LossInfo(name="mse"), data, batch, batch, numbers,
                             optimizer_of("adam", stack), "float32", regime, trains, stack, assumptions,
                             timeline=timeline))


def is_of_torch(model: Any) -> bool:
    held = plain(model)
    return str(getattr(layer_of(held) or held, "path", "")).startswith("torch.")


def parts_of(model: Any) -> Iterator[Any]:
    """All that a model is made of, layer by layer."""
    whole = plain(model)
    yield from (part for part in within(whole) if part is not whole and not isinstance(part, Unknown))


def _call(model: Any) -> tuple[Any, Any]:
    """(inputs, outputs) of a model: its own, or of its last call."""
    part = model.extra.model if isinstance(model, InstanceV) and isinstance(model.extra, LayerV) else model
    if isinstance(part, ModelV) and part.outputs is not None:
        return part.inputs, part.outputs
    calls = model.extra.calls if isinstance(model, InstanceV) and isinstance(model.extra, LayerV) else []
    return calls[-1] if calls else (None, None)

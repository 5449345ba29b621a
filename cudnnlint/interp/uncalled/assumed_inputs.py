"""Inputs for models that nothing calls: the size that the model itself names, else that of an ordinary image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.events import Event, LayerApplied, Rejected
from cudnnlint.interp.heap import ListV, Raised
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Assumption, Step, Tensor
from cudnnlint.values.dim import is_known

SIZES = ("in_size", "input_size", "image_size", "img_size")
CHANNELS = ("in_channels", "input_channels", "in_chans")
"""Attributes in which models keep what they are made for."""
ORDINARY = (224, 224, 3)
"""Height, width and channels that image classifiers are published for."""
OF_IMAGES = frozenset(f"keras.layers.{name}" for name in (
    "Conv2D", "SeparableConv2D", "DepthwiseConv2D", "ZeroPadding2D", "MaxPooling2D", "AveragePooling2D",
    "MaxPool2D", "AvgPool2D", "Rescaling", "Resizing"))
"""Layers whose being first shows that a model takes images."""


def image_for(model: Any) -> tuple[tuple[int, int, int], str]:
    """(height, width, channels) and where they are from."""
    items = model.items if isinstance(model, InstanceV) else {}
    size = next((found for name in SIZES if (found := _pair(items.get(name)))), None)
    channels = next((found for name in CHANNELS if is_known(found := plain(items.get(name)))), ORDINARY[2])
    if size is None:
        return (*ORDINARY[:2], channels), "nothing calls the model"
    return (*size, channels), "what the model keeps as its input size"


def _pair(value: Any) -> tuple[int, int] | None:
    held = plain(value)
    parts = held.items if isinstance(held, ListV) else held
    if isinstance(parts, (tuple, list)) and len(parts) in (2, 3):
        first, second = (plain(part) for part in parts[:2])
        return (first, second) if is_known(first) and is_known(second) else None
    return (held, held) if isinstance(held, int) and not isinstance(held, bool) and held > 0 else None


def image(model: Any, span: Span) -> Tensor:
    """A batch of symbolic images that the model may take; that it is assumed goes with everything made of it."""
    extents, why = image_for(model)
    text = f"input {'x'.join(map(str, extents))} ({why}; --input gives another)"
    return Tensor((BATCH, *extents), "float32", "keras", None, Step(span), frozenset({Assumption(text)}))


def try_on_image(m: Machine, model: Any, apply: Callable[[], Any]) -> None:
    """Apply a model to an assumed image; unless it takes images, as if nothing had been done."""
    told: list[Event] = []
    calls = getattr(getattr(model, "extra", None), "calls", [])
    before = len(calls)
    emit, m.emit = m.emit, told.append
    m.heap.open()
    try:
        apply()
    except OutOfBounds:
        m.emit = emit
        _tell(m, told)
        raise
    except Raised:
        told.clear()
    finally:
        m.emit = emit
    if _tell(m, told):
        m.heap.close()
    else:
        m.heap.undo()
        del calls[before:]


def _tell(m: Machine, told: list[Event]) -> bool:
    """Pass the events on, if an image was what the model wanted."""
    first = next((event for event in told if isinstance(event, LayerApplied) and event.layer.path), None)
    if first is None or first.layer.path not in OF_IMAGES or any(isinstance(event, Rejected) for event in told):
        return False
    for event in told:
        m.emit(event)
    return True

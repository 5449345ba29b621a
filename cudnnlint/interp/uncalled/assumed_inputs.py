"""Inputs for models that nothing calls: the size that the model itself names, else that of an ordinary image."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from cudnnlint.events import Event, LayerApplied, Rejected
from cudnnlint.interp.heap import ListV, Raised
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import ClassV, InstanceV
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import BATCH, Assumption, Dim, Step, Tensor, Unknown
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
    channels = next((found for name in CHANNELS if is_known(found := plain(items.get(name)))
                     and _is_set_once(model.cls, name)), ORDINARY[2])
    if size is None:
        return (*ORDINARY[:2], channels), "nothing calls the model"
    return (*size, channels), "what the model keeps as its input size"


def _is_set_once(cls: ClassV, name: str) -> bool:
    """Not where it counts the channels from block to block, as ResNets written for CIFAR do."""
    stores = [node for each in cls.mro if isinstance(each, ClassV) and each.node is not None
              for node in walk(each.node) if isinstance(node, ast.Attribute) and node.attr == name
              and isinstance(node.ctx, ast.Store)]
    return len(stores) == 1


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
    return _assumed(extents, "float32", why, span)


def _assumed(extents: tuple[Dim, ...], dtype: str | Unknown, why: str, span: Span) -> Tensor:
    text = f"input {'x'.join(map(str, extents))} ({why}; --input gives another)"
    return Tensor((BATCH, *extents), dtype, "keras", None, Step(span), frozenset({Assumption(text)}))


def taken_by_kin(model: Any, others: Sequence[Any]) -> Tensor | None:
    """What another model of the same class is called on, if that is one tensor whose extents are known."""
    for other in others:
        if not isinstance(other, InstanceV) or other.cls is not model.cls or not (calls := other.extra.calls):
            continue
        given = plain(calls[0][0])
        if isinstance(given, Tensor) and isinstance(given.shape, tuple) and len(given.shape) > 1 \
                and all(map(is_known, given.shape[1:])):
            why = f"what another {model.cls.name} is called on"
            return _assumed(given.shape[1:], given.dtype, why, model.span)
    return None


def try_on(m: Machine, model: Any, apply: Callable[[], Any], *, images: bool = True) -> None:
    """Apply a model to an assumed input; unless it takes it, as if nothing had been done.

    images  whether what is assumed is an image, which not every model takes
    """
    told: list[Event] = []
    calls = getattr(getattr(model, "extra", None), "calls", [])
    before = len(calls)
    emit, m.emit = m.emit, told.append
    m.heap.open()
    try:
        apply()
    except OutOfBounds:
        m.emit = emit
        _tell(m, told, images)
        raise
    except Raised:
        told.clear()
    finally:
        m.emit = emit
    if _tell(m, told, images):
        m.heap.close()
    else:
        m.heap.undo()
        del calls[before:]


def _tell(m: Machine, told: list[Event], images: bool) -> bool:
    """Pass the events on, if what is assumed was what the model wanted."""
    first = next((event for event in told if isinstance(event, LayerApplied) and event.layer.path), None)
    if first is None or (images and first.layer.path not in OF_IMAGES) \
            or any(isinstance(event, Rejected) for event in told):
        return False
    for event in told:
        m.emit(event)
    return True

"""The variables of a layer or model, each once, with their bytes and whether they are trained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.join import ChoiceV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import children, holes_of, is_weightless, lent_to, not_held, with_own
from cudnnlint.interp.keras.variables import library_weights, not_lent, own_metrics, own_variables
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.ops.protocol import Weight
from cudnnlint.values import Stack, Unknown, show
from cudnnlint.values.dim import is_known, product
from cudnnlint.values.sizes import BYTES


def variables(value: Any, stack: Stack, seen: set[int] | None = None) -> Iterator[Item]:
    """Those of what was `seen` before are left out. Which are trained: keras/src/layers/layer.py and
    tf_keras/src/engine/base_layer.py, trainable_weights: Keras 3 asks the variables, Keras 2 the layer and all that
    hold it.
    """
    return _variables(value, True, stack.keras < (3,), set() if seen is None else seen)


Item = tuple[int, int, Any] | str
"""(elements, bytes of each or 0 if not known, whether it is trained), or why it is not known."""


def _variables(value: Any, gate: Any, gated: bool, seen: set[int], idle: bool = False) -> Iterator[Item]:
    """`gated`: a layer that is not trained keeps all within it from being trained (Keras 2). `idle`: a call() that was
    followed to its end did not call it."""
    held = with_own(plain(value))
    if id(held) in seen:
        return
    seen.add(id(held))
    if isinstance(held, Unknown | ChoiceV):
        yield held.why if isinstance(held, Unknown) and held.why else "layers differ between paths"
    elif isinstance(held, LayerV):
        wrapped = getattr(held.op, "layer", None)
        if isinstance(wrapped, ModelV | InstanceV):
            yield from _variables(wrapped, _both(gate, _flag(held)), gated, seen)
        elif not (inner := lent_to(held)) or any(id(one) not in seen for one in inner):
            seen.update(map(id, inner))
            kept = held.weights
            kept = tuple(not_lent(kept, held.read, seen)) if isinstance(kept, tuple) else kept
            yield from _own(held, kept, _both(gate, _flag(held)) if gated else _flag(held))
    elif isinstance(held, ObjectV):
        yield f"{held.path} is not followed"
    elif isinstance(held, InstanceV | ModelV):
        yield from _of_parts(held, gate, gated, seen, idle)


def _of_parts(held: Any, gate: Any, gated: bool, seen: set[int], idle: bool) -> Iterator[Item]:
    layer = held.extra if isinstance(held, InstanceV) else held
    flag = _flag(layer)
    inner = _both(gate, flag) if gated else gate
    if isinstance(layer, LayerV):
        added = tuple(own_variables(held, seen)) if isinstance(held, InstanceV) else tuple(layer.added)
        yield from _own(layer, added, inner if gated else flag)
        if isinstance(held, InstanceV):
            yield from _own(layer, own_metrics(held), False)
        if layer.op is not None and not (idle and layer.weights is None):
            yield from _own(layer, library_weights(layer), inner if gated else flag)
        if not (layer.built or idle) and any("build" in getattr(cls, "items", ()) for cls in held.cls.mro):
            yield f"{layer.display} is never built"
    parts = children(held)
    if isinstance(parts, Unknown):
        yield parts.why or "layers that are not known"
        return
    yield from (f"what comes from {hole.why or 'something unknown'}" for hole in holes_of(held))
    idle = idle or _is_followed(layer)
    for part in not_held(parts):
        if not (idle and _is_left_out(part)):
            yield from _variables(part, inner, gated, seen, idle and _is_idle(part))


def _is_left_out(part: Any) -> bool:
    """A layer of the library that nothing has called has no weights yet."""
    held = plain(part)
    return isinstance(held, LayerV) and held.weights is None and not held.built and not held.calls


def _is_idle(part: Any) -> bool:
    """A layer of the user's, or a Sequential, that nothing has called: it has what its constructor made."""
    held = plain(part)
    if isinstance(held, ModelV):
        return held.kind == "sequential" and held.outputs is None
    layer = held.extra if isinstance(held, InstanceV) else None
    return isinstance(layer, LayerV) and layer.model is None and layer.weights is None and not layer.calls


def _is_followed(layer: Any) -> bool:
    """Whether a layer of the user's was called, and it is known what came out."""
    results = [result for _, result in layer.calls] if isinstance(layer, LayerV) else []
    return bool(results) and not any(isinstance(plain(one), Unknown) for one in results)


def _own(layer: LayerV, weights: tuple[Weight, ...] | Unknown | None, trained: Any) -> Iterator[Item]:
    if weights is None and is_weightless(layer):
        return
    if weights is None:
        yield f"{layer.display} is never built"
        return
    if isinstance(weights, Unknown):
        yield f"{layer.display}: {weights.why or 'weights that are not known'}"
        return
    for weight in weights:
        size = product(weight.shape)
        if is_known(size):
            dtype = weight.dtype or layer.policy.variable
            yield int(str(size)), BYTES.get(dtype, 0) if isinstance(dtype, str) else 0, _both(weight.trainable, trained)
        else:
            why = next((dim.why for dim in weight.shape if isinstance(dim, Unknown) and dim.why), "an open extent")
            yield f"{layer.display}: {weight.name} is {show(weight.shape)}: {why}"


def _flag(layer: Any) -> Any:
    """True, False, or Unknown."""
    own = getattr(layer, "extra", {}).get("trainable")
    if own is None and isinstance(layer, LayerV):
        own = layer.base.get("trainable")
    return True if own is None else own if isinstance(own, bool) else Unknown("trainable or not")


def _both(a: Any, b: Any) -> Any:
    if a is False or b is False:
        return False
    return a if isinstance(a, Unknown) else b

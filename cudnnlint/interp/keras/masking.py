"""The `mask` that Keras hands to the call() of a user's layer, and what its compute_mask() makes of it."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events.masks import Mask, mask_of
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.tensor import tensors

MASK = "mask"
"""Maker of a mask."""


def masks_for(m: Machine, method: FunctionV, args: list[Any], named: dict[str, Any], span: Span) -> dict[str, Any]:
    """The arguments that Keras adds (keras/src/layers/layer.py: Layer.__call__, "Populate mask argument(s)";
    tf_keras/src/engine/base_layer.py: Layer._get_input_masks).
    """
    parameters = [arg.arg for arg in (*method.node.args.args, *method.node.args.kwonlyargs)][1:]
    wanted = [name for name in parameters if name == "mask" or name.endswith("_mask")]
    if not wanted or "**" in named:
        return {}
    given = {**dict(zip(parameters, args, strict=False)), **named}
    if m.stack.keras < (3,):
        return _from_first(m, given, wanted, parameters, span)
    held = {name: _tensors(value) for name, value in given.items()}
    if any(found is None for found in held.values()):
        return {name: Unknown("whether a mask is given") for name in wanted if name not in given}
    fed = [name for name, found in held.items() if found]
    if len(fed) == 1:
        free = "mask" in wanted and _absent(given, "mask")
        return {"mask": _handed(m, given[fed[0]], span)} if free else {}
    pairs = [(name, f"{name}_mask") for name in fed]
    return {key: _handed(m, given[name], span) for name, key in pairs if key in wanted and _absent(given, key)}


def _from_first(m: Machine, given: dict[str, Any], wanted: list[str], parameters: list[str],
                span: Span) -> dict[str, Any]:
    """Keras 2: that of the first argument, unless a mask is passed or none of its tensors has one."""
    if "mask" not in wanted or "mask" in given or parameters[0] not in given:
        return {}
    found = _handed(m, given[parameters[0]], span)
    return {} if _is_none(strip(found)) else {"mask": found}


def _is_none(raw: Any) -> bool:
    if isinstance(raw, dict):
        raw = list(raw.values())
    return all(map(_is_none, raw)) if isinstance(raw, list | tuple) else raw is None


def _absent(given: dict[str, Any], name: str) -> bool:
    return plain(given.get(name)) is None


def _tensors(value: Any) -> tuple[Tensor, ...] | None:
    """The tensors of an argument, or None if it may be or hold some that are not known."""
    raw = strip(value)
    if isinstance(raw, Unknown):
        return None if not raw.why.startswith("training") else ()
    if isinstance(raw, list | tuple | dict):
        parts = [_tensors(one) for one in (raw.values() if isinstance(raw, dict) else raw)]
        return None if None in parts else tensors(raw)
    return tensors(raw)


def _handed(m: Machine, value: Any, span: Span) -> Any:
    """The masks of a tensor or of a structure of them."""
    raw = strip(value)
    if isinstance(raw, Tensor):
        return _as_value(mask_of(raw, m.stack), raw, span)
    if isinstance(raw, list | tuple):
        return wrap(type(raw)(_handed(m, one, span) for one in raw))
    if isinstance(raw, dict):
        return wrap({key: _handed(m, one, span) for key, one in raw.items()})
    return None if raw is None else Unknown("a mask")


def _as_value(found: Any, tensor: Tensor, span: Span) -> Any:
    if not isinstance(found, Mask):
        return found if found is None else Unknown("a mask")
    return Tensor(found.shape, "bool", "numpy" if tensor.kind == "numpy" else "tf", None, Step(span, (tensor,), MASK),
                  tensor.assumptions)


def told_mask(m: Machine, instance: InstanceV, args: list[Any], named: dict[str, Any], node: ast.AST,
              span: Span) -> Any:
    """What the compute_mask() of the user's own gives for these inputs, in a tuple; None if there is none."""
    method = instance.cls.lookup("compute_mask")
    if not isinstance(method, FunctionV) or not args:
        return None
    mask = named["mask"] if "mask" in named and plain(named["mask"]) is not None else _handed(m, args[0], span)
    return (strip(m.call(BoundV(method, instance), [args[0], mask], {}, node)),)

"""Modules and models that are taken for lists of their layers."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, ClassV, External, InstanceV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.values import Mismatch, Problem

OF_OBJECTS = frozenset({"keras.Model", "keras.layers.Layer", "torch.nn.Module"})
REGISTERS = "register_keras_serializable"
SIGNS = {"subscripted": ("__getitem__", "object is not subscriptable"),
         "measured with len()": ("__len__", "has no len()"), "gone through": ("__iter__", "object is not iterable")}


def tell_of_no_container(m: Machine, value: Any, node: ast.expr, written: ast.expr, how: str) -> None:
    """`model[0]`, `len(model)`, `for layer in net`, of what has no such thing."""
    held = plain(value)
    kind, advice = _kind(held, SIGNS[how][0], how), f"{ast.unparse(written)[:40]}.layers"
    if kind and is_certain(m):
        what = "module" if _is_torch(held) else "layer" if isinstance(held, LayerV) else "model"
        if what == "module":
            advice = f"list({ast.unparse(written)[:40]}.children())"
        _tell(m, node, f"a {what}, {kind}, is {how}", advice, kind, how)


def _kind(held: Any, special: str, how: str) -> str:
    """The class of what lacks a special method; "" where it may have it. Wrappers of compiled modules hand it on."""
    if isinstance(held, ModelV) and held.instance is None and held.path.startswith("keras."):
        return "Sequential" if held.kind == "sequential" else "Functional"
    if not isinstance(held, InstanceV) or held.unknown or held.chain is not None:
        return ""
    names = (special, "__getitem__") if how == "gone through" else (special,)
    return held.cls.name if _is_known(held.cls) and held.cls.external_base() in OF_OBJECTS \
        and all(held.cls.lookup(name) is MISSING for name in names) else ""


def _is_known(cls: ClassV) -> bool:
    """Whether it has what is written of it, and what one class of a library has."""
    own = [each for each in cls.mro if isinstance(each, ClassV)]
    others = [each for each in cls.mro if not isinstance(each, ClassV)]
    return len(others) == 1 and isinstance(others[0], External) and cls.fields is None and all(
        each.node is not None and not each.unknown and all(REGISTERS in ast.unparse(one) for one in
                                                           each.node.decorator_list) for each in own)


def _is_torch(held: Any) -> bool:
    base = held.cls.external_base() if isinstance(held, InstanceV) else getattr(held, "path", "")
    return isinstance(base, str) and base.startswith("torch.nn.")


def _tell(m: Machine, node: ast.expr, message: str, advice: str, kind: str, how: str) -> None:
    end = SIGNS[how][1]
    error = f"object of type '{kind}' {end}" if end.startswith("has") else f"'{kind}' {end}"
    refuse(m, m.span(node), Mismatch(Problem.UNEXPECTED, message, help=advice, error=f'TypeError "{error}"', facts=(
        ("moment", "when it runs"),)), what="a container")


__all__ = ["tell_of_no_container"]

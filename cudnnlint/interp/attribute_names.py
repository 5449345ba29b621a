"""Attributes by a name that is a value: getattr() with a default, and whether an object certainly lacks one."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.facts.members import is_listed, may_have, module_may_have
from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.builtin.kinds import is_module_class
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FAILED, MISSING, FunctionV, InstanceV, ModuleV, NamespaceV
from cudnnlint.values import Tensor, Unknown


def getattr_value(m: Machine, base: Any, name: Any, default: Any, node: ast.AST) -> Any:
    """getattr(base, name[, default])."""
    text = plain(name)
    if not isinstance(text, str):
        return Unknown("getattr with an unknown name")
    found = get_attribute(m, base, text, node)
    if isinstance(found, Unknown) and default is not MISSING:
        value = plain(base)
        if lacks(value, text):
            return default
        if isinstance(value, NamespaceV) and not value.unknown and text not in value.items:
            return default
        return Unknown(f"attribute of {value.cls.name}: {text}, or a default" if isinstance(value, InstanceV) else
                       f"attribute {text} or a default")
    return found


OF_ARGUMENTS = frozenset({"stride", "kernel_size", "padding", "dilation", "in_channels",
                          "out_channels", "in_features", "out_features", "num_features", "num_embeddings"})
"""Attributes that modules of PyTorch have for an argument of that name only (torch/nn/modules)."""


OF_TORCH = frozenset({"cpu", "cuda", "detach", "numpy", "requires_grad", "backward", "grad", "is_cuda"})
"""What programs ask tensors of PyTorch for to tell them from arrays of NumPy."""


def lacks(value: Any, name: str) -> bool:
    """Whether an object certainly has no attribute of that name."""
    if type(value) is Tensor:
        return value.kind == "numpy" and name in OF_TORCH and isinstance(value.shape, tuple)
    if isinstance(value, InstanceV):
        found = value.cls.lookup(name)
        return _lacks(value, name) and (found is MISSING or ((read := _read_by(found)) is not None
                                        and value.cls.lookup(read) is MISSING and _lacks(value, read)))
    if isinstance(value, ModuleV):
        open_ended = not value.done or value.scope.unknown or "__getattr__" in value.scope.items
        return not open_ended and name not in value.scope.items and not name.startswith("__")
    if (path := str(getattr(value, "path", ""))).startswith("torch."):
        return isinstance(value, LayerV) and value.op is not None and name in OF_ARGUMENTS and is_module_class(path) \
            and name not in value.arguments and name not in value.extra
    extra = getattr(value, "extra", None)
    return isinstance(extra, dict) and name not in extra and not may_have(name)


def _lacks(value: InstanceV, name: str) -> bool:
    """Whether nothing but its class may have it."""
    base = value.cls.external_base()
    if base == "torch.nn.Module":
        known = not module_may_have(name)
    else:
        known = value.cls.sealed if base is None else is_listed(base) and not may_have(name, base)
    return known and (not value.unknown or value.unknown is FAILED) and name not in value.items


def _read_by(found: Any) -> str | None:
    """The attribute of the object that a property does nothing but read."""
    if not isinstance(found, FunctionV) or found.kind != "property" or not isinstance(found.node, ast.FunctionDef):
        return None
    match [part for part in found.node.body if not isinstance(part, ast.Expr)]:
        case [ast.Return(ast.Attribute(ast.Name("self"), name))]:
            return name
    return None

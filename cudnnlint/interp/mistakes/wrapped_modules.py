"""Attributes of a module that are asked of the DataParallel around it, which has its own alone."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.facts.public_names import listed
from cudnnlint.interp.keras.parts import model_type
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import MISSING, FunctionV, InstanceV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem

PARALLEL = "torch.parallel"
"""Key of the modules that were wrapped, by identity: the name of the class around each, and where."""
COMPILED = "OptimizedModule"
"""What torch.compile() puts around a module (torch/_dynamo/eval_frame.py), which answers for all attributes of it."""
OWN = frozenset({"module", "device_ids", "output_device", "dim", "src_device_obj", "replicate", "scatter", "gather",
                 "parallel_apply", "device", "device_type", "reducer", "no_sync", "join", "training"})
"""What DataParallel and DistributedDataParallel have beside what every module has (torch/nn/parallel/)."""


def note_wrapped(m: Machine, held: Any, name: str, span: Span) -> None:
    """To us the wrapped module is the module: which of both a name stands for is asked of what is written."""
    if isinstance(held, InstanceV | model_type()) and is_certain(m):
        m.notes.setdefault(PARALLEL, {})[id(held)] = (held, name, span)


def wrapper_of(m: Machine, module: Any, call: ast.AST | None) -> str:
    """The class around a module, where `model.method()` certainly asks that for the method, or ""."""
    _, wrapper, span = m.notes.get(PARALLEL, {}).get(id(module), (None, "", None))
    asked = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    if wrapper and isinstance(asked, ast.Call) and m.span(asked) == span:  # nn.DataParallel(model).state_dict()
        return str(wrapper)
    return wrapper if wrapper and isinstance(asked, ast.Name) and _is_bound(m, asked, asked.id, span) else ""


def tell_of_wrapped(m: Machine, module: Any, node: ast.Attribute) -> None:
    """`model.fc` where `model = nn.DataParallel(model)` was the last that was done to the name."""
    _, wrapper, span = m.notes[PARALLEL].get(id(module), (None, "", None))
    if wrapper in ("", COMPILED) or node.attr in OWN or node.attr in listed("torch.nn.Module")[0] or not is_certain(m) \
            or not _has(module, node.attr) or not isinstance(node.value, ast.Name) \
            or not _is_bound(m, node, node.value.id, span) or _is_given(m, node, node.value.id):
        return
    refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"{wrapper} has no attribute {node.attr}, which the module within has",
        help=f"{node.value.id}.module.{node.attr}",
        error=f"AttributeError \"'{wrapper}' object has no attribute '{node.attr}'\"",
        facts=(("moment", "when it is read"),)), what=node.attr)


def _has(module: Any, name: str) -> bool:
    """Whether the module within certainly has that attribute, and its class does not answer for others."""
    if not isinstance(module, InstanceV):  # torchvision's, or nn.Sequential
        return name in getattr(module, "keys", ())
    return (name in module.items or isinstance(module.cls.lookup(name), FunctionV)) \
        and module.cls.lookup("__getattr__") is MISSING


def _is_given(m: Machine, node: ast.Attribute, name: str) -> bool:
    """Whether a line above may give the wrapper an attribute of this name."""
    source = m.frame.module.source
    return source is None or any(
        isinstance(one, ast.Attribute) and one.attr == node.attr and isinstance(one.ctx, ast.Store)
        and isinstance(one.value, ast.Name) and one.value.id == name and one.lineno < node.lineno
        for one in walk(source.tree()))


def _is_bound(m: Machine, node: ast.expr, name: str, span: Span) -> bool:
    """Whether the statement that last bound the name before this line, on the same level, is the one that wraps."""
    source, function = m.frame.module.source, m.frame.function
    if source is None or source.path != span.path:
        return False
    scope = function.node if function is not None else source.tree()
    bound = [one for one in ast.walk(scope) if isinstance(one, ast.Name) and one.id == name
             and isinstance(one.ctx, ast.Store | ast.Del)]
    last = max((one.lineno for one in bound if m.loops or one.lineno < node.lineno), default=0)
    return any(isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in bound
               and one.lineno <= span.line <= (one.end_lineno or 0) and one.lineno == last < node.lineno
               for one in getattr(scope, "body", ()))

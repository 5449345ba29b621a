"""Calls of the program's own functions that give what they do not take, or not what they need."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.interp.binding import STAR, lacking
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.mistakes.quoting import quoted
from cudnnlint.interp.objects import MISSING, BoundV, FunctionV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem

FILLED_IN = frozenset({"training", "mask"})
"""What Keras gives call(), and takes back where it has no such parameter (keras/src/layers/layer.py:
Layer.__call__)."""


OF_CALL = ' or "too many positional arguments"'
"""keras/src/layers/layer.py: CallSpec"""


def tell_of_extra(m: Machine, function: FunctionV, c: Call, left: Collection[str], names: tuple[str, ...]) -> None:
    """`build(width=3)` of a def without such a parameter, or `build(**settings)` of a dict that is known; `names` are
    those that it has."""
    written = {keyword.arg for keyword in c.node.keywords} if isinstance(c.node, ast.Call) else set()
    unpacked = None in written and STAR not in c.kwargs and _is_made(function)
    own = [name for name in left if (name in written or (unpacked and isinstance(name, str)))
           and not (name in FILLED_IN and function.name == "call")]
    if own and _is_plain(function) and is_certain(m):
        refuse(m, c.span, Mismatch(
            Problem.UNKNOWN_ARGUMENT, f"{_named(function)} has no argument {own[0]}", argument=own[0],
            error=_of_traced(function, f"got an unexpected keyword argument '{own[0]}'"),
            facts=(("name", own[0]), ("versions", ""), ("twice", False), ("parameters", names))), what=_named(function),
            stage="called")


def tell_of_lacking(m: Machine, function: FunctionV, c: Call, names: Sequence[str]) -> bool:
    """`build()` of a def whose first parameter has no default: whether the call certainly fails, told or not."""
    if not _is_direct(function, c) or not _is_plain(function):
        return False
    if is_certain(m):
        told = lacking(_named(function), names, parameters(function.node)[1])
        refuse(m, c.span, _as_bound(function, told, f"missing a required argument: '{told.argument}'"),
               what=_named(function), stage="called")
    return True


def tell_of_twice(m: Machine, function: FunctionV, c: Call, name: str) -> bool:
    """`build(8, width=8)` of a def whose first parameter is `width`: whether the call certainly fails, told or not."""
    if not _is_direct(function, c) or not _is_plain(function):
        return False
    if is_certain(m):
        refuse(m, c.span, Mismatch(
            Problem.UNKNOWN_ARGUMENT, f"{_named(function)} got {name} twice", argument=name,
            error=_of_traced(function, f"multiple values for argument '{name}'"),
            facts=(("name", name), ("versions", ""), ("twice", True), ("parameters", ()))), what=_named(function),
            stage="called")
    return True


def tell_of_too_many(m: Machine, function: FunctionV, c: Call, count: int) -> bool:
    """`net(x, mask)` of a `forward(self, x)`, which takes `count` arguments by position: whether the call certainly
    fails, told or not."""
    if not _is_direct(function, c) or not _is_plain(function):
        return False
    if is_certain(m):
        least = count - len(function.defaults)
        takes = f"from {least} to {count}" if least < count else str(count)
        refuse(m, c.span, Mismatch(
            Problem.UNKNOWN_ARGUMENT, f"{_named(function)} is given {len(c.args)} arguments"
            f"{', self among them' * (function.owner is not None)}, and takes {takes}",
            help=_signature(function),
            error=_of_traced(function, "too many positional arguments") or 'TypeError "takes '
                  f'{takes} positional argument{"s" * (count != 1)} but {len(c.args)} were given"'
                  f"{OF_CALL if function.name == 'call' else ''}",
            facts=(("positional", len(c.args)),)), what=_named(function), stage="called")
    return True


def _of_traced(function: FunctionV, why: str) -> str:
    """What a tf.function raises (run with TensorFlow 2.21)."""
    return f'TypeError "Binding inputs to tf.function failed due to `{why}`"' if function.traced is not None else ""


def _as_bound(function: FunctionV, told: Mismatch, why: str) -> Mismatch:
    return replace(told, error=_of_traced(function, why)) if function.traced is not None else told


def _signature(function: FunctionV) -> str:
    """What it takes, or what it lacks: a method without self."""
    names = quoted(function.node.args, 60)
    selfless = function.owner is not None and not names.startswith(("self", "cls", "_", "*"))
    return f"def {function.name}(self, {names})" if selfless else f"it is def {function.name}({names})"


def tell_of_handed(m: Machine, function: Any, given: Sequence[str], method: str, *, advice: str = "",
                   error: str = "") -> bool:
    """A def that a method of the model calls with more or fewer arguments than it takes: told where it stands."""
    held = function.function if isinstance(function, BoundV) else function
    if not isinstance(held, FunctionV) or held.kind != "function" or not _is_plain(held) or m.uncalled or m.trying:
        return False
    names, by_keyword = parameters(held.node)
    own = names[1:] if isinstance(function, BoundV) else names
    least = len(own) - len(held.defaults)
    lacks = len(own) < len(given) and held.node.args.vararg is None
    asks = len(given) < least or any(name not in held.kw_defaults for name in by_keyword)
    if not lacks and not asks:
        return False
    bound = isinstance(function, BoundV)
    if not advice:
        advice = f"def {held.name}({', '.join(['self'] * bound + list(given))})" if lacks else \
            "a default for what is not given, or functools.partial, which gives it"
    return refuse(m, held.module.source.span(held.node), Mismatch(
        Problem.UNKNOWN_ARGUMENT, f"{held.name}() takes {_listed(own)}, {method}() calls it with {_listed(given)}",
        help=advice, error=error or f'TypeError "{held.name}() '
        f'{"takes ... positional arguments" if lacks else "missing ... required positional argument"}"',
        facts=(("name", ""), ("versions", ""), ("twice", False), ("parameters", names))),
        what=f"Model.{method}", stage=method)


def _listed(names: Sequence[str]) -> str:
    """
    >>> _listed(("y_true", "y_pred")), _listed(())
    ('(y_true, y_pred)', 'nothing')
    """
    return f"({', '.join(names)})" if names else "nothing"


def parameters(node: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names that a def or lambda takes by position, and by keyword only; kept on the node."""
    known: tuple[tuple[str, ...], tuple[str, ...]] | None = getattr(node, "cudnnlint_parameters", None)
    if known is None:
        arguments = node.args
        known = node.cudnnlint_parameters = (
            tuple(arg.arg for arg in (*arguments.posonlyargs, *arguments.args)),
            tuple(arg.arg for arg in arguments.kwonlyargs))
    return known


def _is_direct(function: FunctionV, c: Call) -> bool:
    """Whether the program itself calls it with just these arguments, by its name, or makes an object with them."""
    node: Any = c.node
    if not isinstance(node, ast.Call):
        return False
    base = function.owner.external_base() or "" if function.owner is not None else ""
    forward = (function.name == "forward" and base == "torch.nn.Module") or (
        function.name == "call" and base.startswith("keras.") and len(c.args) > len(parameters(function.node)[0]))
    made = function.name == "__init__" and function.owner is not None and function.owner.lookup("__new__") is MISSING
    name = node.func.id if isinstance(node.func, ast.Name) else \
        node.func.attr if isinstance(node.func, ast.Attribute) and function.owner is not None else ""
    if not (forward or made) and name != function.name:
        return False
    itself = len(c.args) - len(node.args)
    return itself in ((1,) if forward or made else (0,) if function.owner is None else (0, 1)) \
        and not any(isinstance(arg, ast.Starred) for arg in node.args) \
        and {keyword.arg for keyword in node.keywords} == c.kwargs.keys() and STAR not in c.kwargs


def _is_made(function: FunctionV) -> bool:
    """Whether it makes an object of a class of modules or layers, of which nothing but Python hands arguments on."""
    base = function.owner.external_base() or "" if function.owner is not None else ""
    return function.name == "__init__" and base in ("torch.nn.Module", "torch.nn.LightningModule")


def _is_plain(function: FunctionV) -> bool:
    """Whether nothing but tf.function decorates it, which binds what it is given as Python does (tensorflow/core/
    function/polymorphism/function_type.py: TypeError "Binding inputs to tf.function failed due to")."""
    return isinstance(function.node, ast.FunctionDef) and len(function.node.decorator_list) <= (
        function.traced is not None)


def _named(function: FunctionV) -> str:
    return f"{function.owner.name}.{function.name}" if function.owner is not None else function.name

"""Evaluation of calls: the arguments as they are written, and what is told of None among them."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.builtin.sequences import unzipped
from cudnnlint.interp.calls import call as call_value
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import Machine, evaluates, plain
from cudnnlint.interp.mistakes.miscalled import GONE, tell_of_miscalled
from cudnnlint.interp.mistakes.nothing import note_none
from cudnnlint.interp.mistakes.nothing_used import tell_of_arguments, tell_of_called, tell_of_mapping
from cudnnlint.interp.objects import BoundV, ClassV, FunctionV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.subscript import MUTATORS, lose_any, lose_items
from cudnnlint.values import Assumed, Unknown
from cudnnlint.values.unknown import NOTHING_KNOWN, ByName, Ending, OneOf

OWN = frozenset({FunctionV, ClassV, BoundV, OneOf, Unknown})
"""What is the program's own, or nobody knows: nothing is told of how it is called."""
LISTS = frozenset({ast.List, ast.Tuple})


@evaluates(ast.Call)
def call(m: Machine, node: ast.Call) -> Any:
    callee = m.eval(node.func)
    if type(callee) is Unknown and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        lose_items(m, node.func.value)
    elif type(callee) is OneOf and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        lose_any(m, callee)
    args: list[Any] = []
    unknown: Unknown | None = None
    for arg in node.args:
        if type(arg) is ast.Starred:
            source = m.eval(arg.value)
            found = elements(m, source)
            if isinstance(found, Unknown) or len(found) > m.limits.items:
                if callee is BUILTINS["zip"] and len(node.args) == 1 and not node.keywords \
                        and (columns := unzipped(source)) is not None:
                    return columns
                unknown = Unknown("* of an unknown sequence")
            elif unknown is None:
                args.extend(found)
        else:
            value = m.eval(arg)
            if unknown is None:  # behind an unknown number of arguments its position is not known
                args.append(value)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = m.eval(keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
            continue
        mapping = plain(value)
        if isinstance(mapping, DictV) and not mapping.lost and all(isinstance(key, str) for key in mapping.items):
            kwargs.update(mapping.items)
            if mapping.unknown:
                kwargs[STAR] = Assumed(ByName(mapping.unknown.why), mapping.absent)
        else:
            kwargs[STAR] = ByName("** of an unknown mapping")
            if value is None:
                tell_of_mapping(m, keyword.value)
    if unknown:
        kwargs[STAR] = unknown
    result = _called(m, callee, args, kwargs, node)
    if type(result) in NOTHING_KNOWN or type(result) is Ending:
        m.doubts += 1
    return result


def _may_give_none(node: ast.Call, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether None is among the arguments, or may be in a list that is the first; asked at every call."""
    for value in args:
        if value is None:
            return True
    for value in kwargs.values():
        if value is None:
            return True
    return bool(node.args) and type(node.args[0]) in LISTS


def _called(m: Machine, callee: Any, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> Any:
    """The call itself, with what is told of None that is called, given or comes back."""
    if callee is None:
        tell_of_called(m, node, args)
    elif type(callee) not in OWN:
        if _may_give_none(node, args, kwargs):
            tell_of_arguments(m, callee, node, args, kwargs)
        if tell_of_miscalled(m, callee, node, args, kwargs):
            return GONE
    result = call_value(m, Call(m, callee, args, kwargs, node))
    if result is None:
        note_none(m, callee, node)
    return result

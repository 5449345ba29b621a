"""The parameters of a user's function, bound to what a call gives."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.mistakes.misbound import (
    parameters,
    tell_of_extra,
    tell_of_lacking,
    tell_of_too_many,
    tell_of_twice,
)
from cudnnlint.interp.objects import FunctionV, Scope
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown
from cudnnlint.values.unknown import ByName


def bind_user(m: Machine, function: FunctionV, c: Call, scope: Scope) -> bool:
    """Bind arguments to a user's parameters; what is not given and has no default is Unknown. Whether they fit."""
    arguments = function.node.args
    names, by_keyword = parameters(function.node)
    values, args = scope.items, c.args
    values.update(zip(names, args, strict=False))
    kwargs = dict(c.kwargs)
    open_ended = kwargs.pop(STAR, None)
    if arguments.vararg is not None:
        closed = open_ended is None or type(plain(open_ended)) is ByName
        values[arguments.vararg.arg] = tuple(args[len(names):]) if closed else Unknown("* arguments")
    elif len(args) > len(names) and tell_of_too_many(m, function, c, len(names)):
        return False
    lacking: list[str] = []
    twice = ""
    for name in (*names, *by_keyword) if kwargs else (*names[len(args):], *by_keyword):
        if name in kwargs:
            twice = twice or (name if name in values else "")
            values[name] = kwargs.pop(name)
        elif name not in values:
            values[name] = _absent(function, name, names, open_ended)
            if open_ended is None and name not in function.kw_defaults and (
                    name in by_keyword or names.index(name) < len(names) - len(function.defaults)):
                lacking.append(name)
            if m.recording is not None and hasattr(values[name], "born"):
                m.recording.refused = True  # a list or object that all calls share
    if arguments.kwarg is not None:
        values[arguments.kwarg.arg] = DictV(kwargs, open_ended and Unknown(plain(open_ended).why),
                                                  absent=assumptions_of(open_ended))
    elif kwargs:
        tell_of_extra(m, function, c, kwargs, (*names, *by_keyword))
    if twice:
        return not tell_of_twice(m, function, c, twice)
    return not lacking or not tell_of_lacking(m, function, c, lacking)


def _absent(function: FunctionV, name: str, names: tuple[str, ...], open_ended: Any) -> Any:
    """What a parameter is that the call does not name: its default, unless a mapping that is not known may give it."""
    assumed = assumptions_of(open_ended)
    if open_ended is not None and not assumed:
        return Unknown(f"argument {name}, of a mapping that is not known")
    defaults = function.defaults
    place = names.index(name) - len(names) + len(defaults) if name in names else -1
    if place >= 0:
        return assume(defaults[place], assumed)
    if name in function.kw_defaults:
        return assume(function.kw_defaults[name], assumed)
    return Unknown(f"parameter {name}")


__all__ = ["bind_user", "parameters"]

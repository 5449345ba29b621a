"""Arguments that a call takes from a dict which its file spells out: `Dense(**{"units": 3})`, `Dense(**settings)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from cudnnlint.finding import Argument
from cudnnlint.fix.calls import Text, Written, find, unpacks
from cudnnlint.fix.constants import binds


class Table(NamedTuple):
    """The one dict that a call unpacks.

    entries  as if they were arguments of the call, in the order of the text
    keys     where their names stand in quotes; empty for `dict(units=3)`
    alone    whether nothing else reads it; else all that do are calls of the same function
    """

    entries: Sequence[Written]
    keys: dict[str, ast.Constant]
    alone: bool

    def find(self, name: str) -> Written | None:
        return next((each for each in self.entries if each.keyword == name), None)


def table_of(call: ast.Call, text: Text) -> Table | None:
    """None where not all that the call unpacks is known, or where changing it may change what others read."""
    unpacked = [keyword.value for keyword in call.keywords if keyword.arg is None]
    if len(unpacked) != 1 or any(isinstance(value, ast.Starred) for value in call.args):
        return None
    value, alone = unpacked[0], True
    if isinstance(value, ast.Name):
        users = _users(value.id, text)
        if users is None or len({ast.dump(each.func) for each in users}) != 1:
            return None
        alone, value = len(users) == 1, _given(value.id, text)
    entries = _entries(value, text)
    keys = [key for key in value.keys if isinstance(key, ast.Constant)] if isinstance(value, ast.Dict) else []
    return None if entries is None else Table(entries, {str(key.value): key for key in keys}, alone)


def _entries(value: ast.expr, text: Text) -> list[Written] | None:
    match value:
        case ast.Dict(keys=keys, values=values) if all(
                isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys):
            pairs = [(str(getattr(key, "value", "")), text.region(key)[0], each)
                     for key, each in zip(keys, values, strict=True) if key is not None]
            found = text.entries(value, pairs)
        case ast.Call(func=ast.Name(id="dict"), args=[]) if all(keyword.arg for keyword in value.keywords):
            found = text.arguments(value)
        case _:
            return None
    return found if found is None or len({each.keyword for each in found}) == len(found) else None


def _given(name: str, text: Text) -> ast.expr:
    """What is bound to a name; the name where that is not done once, by an assignment to it alone."""
    nodes = list(ast.walk(text.source.tree()))
    if sum(binds(node, name) for node in nodes) == 1:
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=there)], value=value) if there == name:
                    return value
    return ast.Name(name, ast.Load())


def _users(name: str, text: Text) -> list[ast.Call] | None:
    """The calls that unpack it; None where it is read in another way as well, or told elsewhere."""
    nodes = list(ast.walk(text.source.tree()))
    read = sum(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in nodes)
    users = [node for node in nodes if isinstance(node, ast.Call) for keyword in node.keywords
             if keyword.arg is None and isinstance(keyword.value, ast.Name) and keyword.value.id == name]
    return users if len(users) == read else None


def given(argument: Argument, text: Text, call: ast.Call, written: Sequence[Written]) -> Written | None:
    """An argument where the call writes it, or where a dict has it that nothing else reads."""
    there = find(argument, call, written)
    if there is None and (table := table_of(call, text)) is not None and table.alone:
        return table.find(argument.name)
    return there


def lacks(name: str, text: Text, call: ast.Call) -> bool:
    """Whether no argument of that name can be among those that the call does not write out."""
    table = table_of(call, text)
    return not unpacks(call) if table is None else table.find(name) is None

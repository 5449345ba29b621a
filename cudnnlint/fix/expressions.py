"""Changes of what is no call, as text edits: dotted names, operators, subscripts."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from cudnnlint.finding import Edit, ItemOf, MoveImport, RenameAttribute, WrapAdded, WrapArgument, WrapOperand
from cudnnlint.fix.calls import ATOMS, MODULES, Text, around

FIRST = re.compile(r"(\s*\.\s*data)?\s*\[\s*0\s*\]")
"""What follows a tensor of which the first element is taken."""


def rename_attribute(change: RenameAttribute, text: Text) -> tuple[Edit, ...] | None:
    """`a.experimental.Policy` -> `a.Policy`."""
    names = dict(change.names)
    for node in ast.walk(text.source.tree()):
        if isinstance(node, ast.Attribute) and node.attr in names and isinstance(node.value, ast.Attribute) \
                and text.source.span(node.value) == change.there:
            (_, start), (_, end) = text.region(node.value.value), text.region(node)
            return (Edit(text.span(start, end), f".{names[node.attr]}"),)
    return None


def wrap_added(change: WrapAdded, text: Text) -> tuple[Edit, ...] | None:
    """`total += loss` -> `total += loss.detach()`."""
    for node in ast.walk(text.source.tree()):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and text.source.span(node) == change.there:
            return tuple(Edit(text.span(start, end), new)
                         for start, end, new in around(change.template, text, node.value))
    return None


def wrap_listed(change: WrapArgument, text: Text) -> tuple[Edit, ...] | None:
    """`losses += [loss]` -> `losses += [float(loss)]`, where a rule speaks of what is appended."""
    for node in ast.walk(text.source.tree()):
        match node:
            case ast.AugAssign(op=ast.Add(), value=ast.List(elts=[only]) | ast.Tuple(elts=[only])) \
                    if text.source.span(node) == change.argument.call and not isinstance(only, ast.Starred):
                return tuple(Edit(text.span(start, end), new)
                             for start, end, new in around(change.template, text, only))
    return None


def wrap_operand(change: WrapOperand, text: Text) -> tuple[Edit, ...] | None:
    """`steps * x` -> `tf.cast(steps, tf.float32) * x`."""
    if not text.imports(MODULES[change.needs], change.needs):
        return None
    for node in ast.walk(text.source.tree()):
        match node:
            case ast.BinOp():
                operands = [node.left, node.right]
            case ast.Compare(comparators=[other]):
                operands = [node.left, other]
            case ast.AugAssign() if change.place == 1:  # what stands on the left is assigned to
                operands = [node.target, node.value]
            case _:
                continue
        if text.source.span(node) == change.there:
            return tuple(Edit(text.span(start, end), new)
                         for start, end, new in around(change.template, text, operands[change.place]))
    return None


def item_of(change: ItemOf, text: Text) -> tuple[Edit, ...] | None:
    """`loss.data[0]` -> `loss.item()`."""
    for node in ast.walk(text.source.tree()):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) \
                and text.source.span(node) == change.there:
            held = node.value
            held = held.value if isinstance(held, ast.Attribute) and held.attr == "data" else held
            (_, start), (_, end) = text.region(held), text.region(node)
            if isinstance(held, ATOMS) and FIRST.fullmatch(text.text, start, end):
                return (Edit(text.span(start, end), ".item()"),)
    return None


def move_import(change: MoveImport, text: Text) -> tuple[Edit, ...] | None:
    """`from a.mixed_precision import experimental as mp` -> `from a import mixed_precision as mp`."""
    nodes, names = list(ast.walk(text.source.tree())), dict(change.names)
    for node in nodes:
        match node:
            case ast.ImportFrom(module=str(module), names=[ast.alias() as only], level=0) \
                    if "." in module and text.source.span(node) == change.there:
                break
    else:
        return None
    held = only.asname or only.name
    read = [each for each in nodes if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
            and each.value.id == held]
    if sum(isinstance(each, ast.Name) and each.id == held for each in nodes) != len(read) \
            or not all(each.attr in names for each in read):
        return None
    package, _, name = module.rpartition(".")
    made = [Edit(text.span(*text.region(node)), f"from {package} import {name}" + f" as {held}" * (held != name))]
    for each in read:
        end = text.region(each)[1]
        if names[each.attr] != each.attr:
            made.append(Edit(text.span(end - len(each.attr), end), names[each.attr]))
    return tuple(made)


OTHERS: dict[type, Callable[[Any, Text], tuple[Edit, ...] | None]] = {
    RenameAttribute: rename_attribute, WrapAdded: wrap_added, WrapOperand: wrap_operand, ItemOf: item_of,
    MoveImport: move_import}

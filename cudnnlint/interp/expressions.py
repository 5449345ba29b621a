"""Evaluation of names, literals, subscripts, attributes and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from cudnnlint.interp.arms import note_guarded
from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.builtin.special import asked, tested
from cudnnlint.interp.command_words import without_arguments
from cudnnlint.interp.comparison import truth
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import NEXT, DictV, ListV, Raised, clock
from cudnnlint.interp.iterate import all_in_order, elements, is_endless, iterator_of
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine, assume, assumptions_of, evaluates, plain
from cudnnlint.interp.mistakes.bundled import tell_of_part
from cudnnlint.interp.mistakes.lacking import tell_of_history, tell_of_lacking
from cudnnlint.interp.mistakes.lists_as_arrays import OF_ARRAYS, tell_of_list
from cudnnlint.interp.mistakes.missing import tell_of_missing
from cudnnlint.interp.mistakes.never_called import ENDS, tell_of_ends
from cudnnlint.interp.mistakes.nothing_used import tell_of_attribute, tell_of_item
from cudnnlint.interp.mistakes.one_value import tell_of_condition
from cudnnlint.interp.mistakes.subscripted import GENERATORS, tell_of_generator, tell_of_item_of
from cudnnlint.interp.mistakes.wrapped_modules import PARALLEL, tell_of_wrapped
from cudnnlint.interp.names import load
from cudnnlint.interp.objects import GeneratorV, InstanceV
from cudnnlint.interp.own_functions import make_function
from cudnnlint.interp.subscript import get_item
from cudnnlint.interp.torch.leaves import tell_of_ungraded
from cudnnlint.values import Assumed, Tensor, Unknown
from cudnnlint.values.unknown import NOTHING_KNOWN, Grown, Unset

NESTED, CONTAINERS = 24, frozenset({ListV, tuple})
"""Containers within containers that are followed, and what they are."""
CONSTANTS = 64
"""Constants of a list that cost a step: data written out would starve the rest of its file."""


@evaluates(ast.Name)
def name(m: Machine, node: ast.Name) -> Any:
    return load(m, node.id)


@evaluates(ast.Attribute)
def attribute(m: Machine, node: ast.Attribute) -> Any:
    base = m.eval(node.value)
    try:
        found = get_attribute(m, base, node.attr, node)
    except (Raised, OutOfBounds, RecursionError, MemoryError):
        raise
    except Exception as error:  # our own bug must not end the run
        found = m.crash(f"attribute {node.attr}", error, m.span(node))
    if PARALLEL in m.notes and id(base) in m.notes[PARALLEL]:
        tell_of_wrapped(m, base, node)
    if type(found) in NOTHING_KNOWN:
        m.doubts += 1
        if node.attr == "requires_grad_":  # of a parameter that is not known
            from cudnnlint.interp.torch.frozen import FROZEN

            m.state[FROZEN] = True
        if type(base) is InstanceV:
            tell_of_missing(m, base, node)
        elif base is None:
            tell_of_attribute(m, node)
        elif base is not found or (found.number and node.attr == "backward"):
            tell_of_lacking(m, base, node, known=False)
            if not tell_of_part(m, base, node) and node.attr in OF_ARRAYS:
                tell_of_list(m, base, node)
        elif type(node.value) is ast.Compare and node.attr in OF_ARRAYS:
            tell_of_list(m, base, node)
    elif type(base.value if type(base) is Assumed else base) is Tensor:
        tell_of_lacking(m, base, node, known=True)
    elif type(found) is Unset:
        m.doubts += 1
    if node.attr in ENDS:
        tell_of_ends(m, base, node)
    if type(node.value) is ast.Attribute and node.value.attr == "grad":
        tell_of_ungraded(m, node, node.value)
    return found


@evaluates(ast.Tuple)
def tuple_(m: Machine, node: ast.Tuple) -> Any:
    items, unknown = _items(m, node.elts)
    return unknown or (Unknown("nested too deeply") if _is_deep(items) else tuple(items))


@evaluates(ast.List)
def list_(m: Machine, node: ast.List) -> Any:
    items, unknown = _items(m, node.elts)
    if unknown is None and _is_deep(items):
        unknown = Unknown("nested too deeply")
    return ListV([] if unknown else items, unknown)


@evaluates(ast.Set)
def set_(m: Machine, node: ast.Set) -> Any:
    """A set holds no set: `{{choice([64, 128])}}` is a place that hyperas fills before the program runs."""
    items, unknown = _items(m, node.elts)
    if type(node.elts[0]) is ast.Set:
        return Unknown("a template's place")
    keys = [key_of(item) for item in items]
    unknown = unknown or next((key for key in keys if isinstance(key, Unknown)), None)
    return DictV({} if unknown else dict.fromkeys(keys), unknown, is_set=True)


def _is_deep(items: list[Any]) -> bool:
    """Whether `x = [x, x]` was said so often that nothing could go through what came out."""
    for _ in range(NESTED):
        for item in reversed(items):
            if type(item) in CONTAINERS:
                items = item.items if type(item) is ListV else list(item)
                break
        else:
            return False
    return True


def _items(m: Machine, nodes: list[ast.expr]) -> tuple[list[Any], Unknown | None]:
    m.tick(len(nodes) // CONSTANTS)
    items: list[Any] = []
    unknown: Unknown | None = None
    for node in nodes:
        if type(node) is ast.Constant:
            items.append(node.value)
        elif type(node) is ast.Starred:
            value = m.eval(node.value)
            found = all_in_order(m, value)
            if isinstance(found, Unknown):
                unknown = found
            elif len(found) > m.limits.items:
                unknown = Unknown("a long sequence")
            else:
                items.extend(assume(item, assumptions_of(value)) for item in found)
        else:
            items.append(m.eval(node))
    return items, unknown


@evaluates(ast.Dict)
def dict_(m: Machine, node: ast.Dict) -> Any:
    result = DictV()
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = m.eval(value_node)
        if key_node is None:
            other = plain(value)
            if isinstance(other, DictV) and not other.unknown:
                result.items.update(other.items)
            else:
                result.unknown = Grown("** of an unknown mapping")
            continue
        key = key_of(m.eval(key_node))
        if isinstance(key, Unknown):
            result.unknown = key
        else:
            result.items[key] = value
    return result


@evaluates(ast.Subscript)
def subscript(m: Machine, node: ast.Subscript) -> Any:
    base = m.eval(node.value)
    if base is None:
        tell_of_item(m, node)
    elif type(base) is ObjectV:
        tell_of_history(m, base, node)
    elif type(node.value) is ast.Call and type(called := node.value.func) is ast.Attribute \
            and called.attr in GENERATORS:
        tell_of_generator(m, node, called)
    key = m.eval(node.slice)
    found = get_item(m, base, key, node)
    if type(found) is Unset:
        m.doubts += 1
    elif type(found) in NOTHING_KNOWN:
        m.doubts += 1
        if type(base) not in NOTHING_KNOWN:
            tell_of_item_of(m, base, key, node)
    return found


@evaluates(ast.Slice)
def slice_(m: Machine, node: ast.Slice) -> Any:
    parts = [m.eval(part) if part is not None else None for part in (node.lower, node.upper, node.step)]
    return slice(*parts)


@evaluates(ast.Starred)
def starred(m: Machine, node: ast.Starred) -> Any:
    return m.eval(node.value)


@evaluates(ast.IfExp)
def if_expression(m: Machine, node: ast.IfExp) -> Any:
    test = tested(m, m.eval(asked(node.test)), node)
    verdict = truth(test)
    if verdict is None and (without := without_arguments(m, node)) is not None:
        test, verdict = without, truth(without)
    if verdict is None:
        if type(held := plain(test)) is Tensor:
            tell_of_condition(m, held, m.span(node.test))
        return fork_values(m, [lambda: m.eval(node.body), lambda: m.eval(node.orelse)], plain(test))
    if assumed := assumptions_of(test):
        note_guarded(m, node, bool(verdict), assumed)
    return assume(m.eval(node.body if verdict else node.orelse), assumed)


def fork_values(m: Machine, thunks: list[Any], condition: Any = None) -> Any:
    """The join of alternative expressions, each evaluated from the same state."""
    from cudnnlint.interp.join import join

    values: list[Any] = []

    def branch(thunk: Any) -> Callable[[], int]:
        def run() -> int:
            values.append(thunk())
            return NEXT

        return run

    began = next(clock)
    m.fork([branch(thunk) for thunk in thunks], condition)
    lists = [value for value in values if type(value) is ListV and value.unknown is None and value.born > began]
    if len(lists) == len(values) > 1 and len({len(one.items) for one in lists}) == 1:  # made here: nobody else has them
        return ListV([join(column) for column in zip(*(one.items for one in lists), strict=True)])
    return join(values) if values else Unknown("no path has a value")


@evaluates(ast.Lambda)
def lambda_(m: Machine, node: ast.Lambda) -> Any:
    return make_function(m, node, "<lambda>")


@evaluates(ast.NamedExpr)
def walrus(m: Machine, node: ast.NamedExpr) -> Any:
    value = m.eval(node.value)
    scope = m.frame.scope
    while scope.kind == "comprehension" and scope.parent is not None:
        scope = scope.parent
    m.set_item(scope, node.target.id, value)
    return value


@evaluates(ast.Await)
def await_(m: Machine, node: ast.Await) -> Any:
    m.eval(node.value)
    return Unknown("an awaited value")


@evaluates(ast.Yield)
def yield_(m: Machine, node: ast.Yield) -> Any:
    value = m.eval(node.value) if node.value is not None else None
    frame = m.frame
    if frame.yields is not None:
        m.heap.touch(frame.yields)
        if len(frame.yields.items) < m.limits.items:
            frame.yields.items.append(value)
    return Unknown("sent to a generator")


@evaluates(ast.YieldFrom)
def yield_from(m: Machine, node: ast.YieldFrom) -> Any:
    source = iterator_of(m, m.eval(node.value))
    found = elements(m, source)
    frame = m.frame
    if frame.yields is not None:
        m.heap.touch(frame.yields)
        if is_endless(source) and isinstance(generator := plain(source), GeneratorV):
            frame.yields.items.extend(generator.elements.items[:m.limits.items])
            m.state["endless"] = True
        elif isinstance(found, Unknown) or len(found) > m.limits.items:
            frame.yields.unknown = found if isinstance(found, Unknown) else Unknown("a long sequence")
        else:
            frame.yields.items.extend(found)
    return Unknown("result of a generator")

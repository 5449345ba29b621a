"""Comprehensions: of known iterables element by element, of others by a typical one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from cudnnlint.interp.builtin.special import asked, tested
from cudnnlint.interp.comparison import truth
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.graphs.placeholders import refuse_turns
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import in_order, in_turn, sample, takes_within
from cudnnlint.interp.join import join
from cudnnlint.interp.lists import LARGEST, TOO_LARGE, is_too_large
from cudnnlint.interp.loops import turns
from cudnnlint.interp.loops.statements import extent
from cudnnlint.interp.machine import Machine, assumptions_of, evaluates, plain
from cudnnlint.interp.names import assign
from cudnnlint.interp.objects import GeneratorV, RangeV, Scope
from cudnnlint.interp.several import of_a_set
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.unknown import Placed, put_together

DEAR = 6
"""One comprehension may take this part of the steps that a file has."""


@evaluates(ast.ListComp, ast.SetComp, ast.GeneratorExp)
def comprehension(m: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
    out, room = ListV(), LARGEST

    def add() -> None:
        nonlocal room
        made = m.eval(node.elt)
        out.items.append(made)
        if type(made) is ListV:
            room -= len(made.items)
            if room < 0:
                out.unknown = TOO_LARGE

    if isinstance(node, ast.GeneratorExp):
        return _generated(m, node, add, out)
    source = _comprehend(m, node.generators, 0, add, out, node.elt)
    if isinstance(node, ast.ListComp) and type(source) is DictV and source.is_set and not isinstance(
            shuffled := in_order(m, source), Unknown) and shuffled and isinstance(shuffled[0], Unknown):
        out.items = [join(out.items)] * len(out.items) if out.items else []
    if isinstance(node, ast.SetComp):
        keys = [key_of(item) for item in out.items]
        unknown = out.unknown or next((key for key in keys if isinstance(key, Unknown)), None)
        return DictV({} if unknown else dict.fromkeys(keys), unknown, is_set=True)
    return out.settle()


def _generated(m: Machine, node: ast.GeneratorExp, add: Any, out: ListV) -> GeneratorV:
    """All that it would give; whoever asks for a few of them meets no error of the others."""
    handlers, m.handlers = m.handlers, []
    m.heap.open()
    try:
        _comprehend(m, node.generators, 0, add, out, node.elt)
    finally:
        m.handlers = handlers
        changed = m.heap.close()
    return GeneratorV(out, complete=out.unknown is None, changed=tuple(changed.values()))


@evaluates(ast.DictComp)
def dict_comprehension(m: Machine, node: ast.DictComp) -> Any:
    out, pairs = DictV(), list[tuple[Any, Any]]()

    def add() -> None:
        made = m.eval(node.key)
        value = m.eval(node.value)
        if type(made) is Placed:
            pairs.append((made, value))
        elif isinstance(key := key_of(made), Unknown):
            out.unknown = key
        else:
            out.items[key] = value

    _comprehend(m, node.generators, 0, add, out)
    if pairs:
        found = of_a_set(pairs)
        out.items.update(found or {})
        out.unknown = out.unknown or (Unknown("some of a set, in no order") if found is None else None)
    return out


def _comprehend(m: Machine, generators: list[ast.comprehension], depth: int, add: Any, out: Any,
                element: ast.expr | None = None) -> Any:
    """Run `add` for every combination, the `element`; a part that is not known makes `out` unknown. What the outermost
    part goes through."""
    if depth == len(generators):
        add()
        return None
    generator = generators[depth]
    outer = _comprehension_scope(m) if depth == 0 else None
    source = m.eval(generator.iter)
    if m.placeholders:
        refuse_turns(m, source, generator.iter)
    within = [*generator.ifs, element] if element is not None else generator.ifs
    items = takes_within(m, source, generator.iter, within) or in_turn(m, source)
    if isinstance(items, Unknown):
        out.unknown = items
    elif isinstance(out, DictV):  # in which they are found by their keys, in whatever order they came
        items = put_together(items)
    known = None if isinstance(items, Unknown) else len(items)

    def turn(item: Any) -> None:
        if out.unknown is TOO_LARGE:
            return
        m.tick()
        turns.turn(m)
        assign(m, generator.target, item)
        verdicts = [truth(tested(m, m.eval(asked(test)), test)) for test in generator.ifs]
        if False in verdicts:
            if depth == 0 and len(generators) == 1 and out.unknown is items and hasattr(plain(source), "each"):
                out.unknown = None
            return
        if None in verdicts:
            out.unknown = Unknown("filtered by an unknown condition")
        _comprehend(m, generators, depth + 1, add, out, element)

    with turns.loop(m, m.span(generator.iter), *extent(source, known)) as entered:
        def typical() -> None:
            ranges = isinstance(plain(source), RangeV)
            item = Unknown("loop variable", number=True) if ranges else sample(m, source)
            turn(turns.varying(item, entered))

        if isinstance(items, Unknown):
            typical()
        elif isinstance(out, ListV) and len(items) > m.limits.unroll_idle:
            _shortened(m, items, turn, typical, out)
        else:
            _in_turn(m, items, turn, assumptions_of(source))
    if outer is not None:
        m.frame.scope = outer
    return plain(source)


def _in_turn(m: Machine, items: Sequence[Any], turn: Callable[[Any], None], assumed: Assumptions) -> None:
    """One turn for each item; that there is a next one rests on what is assumed of where they come from."""
    frame = m.frame
    control = frame.control
    try:
        for item in items:
            turn(item)
            frame.control |= assumed
    finally:
        frame.control = control


def _shortened(m: Machine, items: Sequence[Any], turn: Callable[[Any], None], typical: Callable[[], None],
               out: ListV) -> None:
    """All turns, unless the second shows that they would take a large part of what a file has: then those after it
    are all as a typical one is."""
    for item in items[:1]:
        turn(item)
    first, steps, made = len(out.items), m.steps, m.created + len(m.visited)
    m.heap.open()
    try:
        turn(items[1])
        changed = any(obj is not m.frame.scope and obj.born < m.heap.journals[-1].opened
                      for obj, _ in m.heap.journals[-1].values())
    finally:
        m.heap.close()
    dear = (m.steps - steps) * len(items) > m.limits.steps // DEAR
    if changed or not dear or made != m.created + len(m.visited):
        for item in items[2:]:
            turn(item)
        return
    second = len(out.items)
    typical()
    column, many = out.items[second:], len(items) - 2
    if len(column) != second - first or second + len(column) * many > m.limits.items or is_too_large(column, many):
        out.unknown = out.unknown or TOO_LARGE
    elif not out.unknown:
        out.items[second:] = [_another(item) for _ in range(many) for item in column]


def _another(value: Any) -> Any:
    """Like the typical one, and not the same object."""
    held = plain(value)
    if isinstance(held, ListV):
        return held.copy([_another(item) for item in held.items])
    if isinstance(held, tuple):
        return tuple(map(_another, held))
    return value if isinstance(held, Tensor | Unknown | int | float | str | None) else Unknown("one of many")


def _comprehension_scope(m: Machine) -> Any:
    outer = m.frame.scope
    m.frame.scope = Scope(outer, "comprehension")
    return outer

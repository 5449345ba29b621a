"""Comprehensions: of known iterables element by element, of others by a typical one."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp import turns
from cudnnlint.interp.comparison import truth
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import in_turn
from cudnnlint.interp.loops import extent
from cudnnlint.interp.machine import Machine, evaluates
from cudnnlint.interp.names import assign
from cudnnlint.interp.objects import GeneratorV
from cudnnlint.interp.special import tested
from cudnnlint.values import Unknown


@evaluates(ast.ListComp, ast.SetComp, ast.GeneratorExp)
def comprehension(m: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
    out = ListV()
    _comprehend(m, node.generators, 0, lambda: out.items.append(m.eval(node.elt)), out)
    if isinstance(node, ast.SetComp):
        keys = [key_of(item) for item in out.items]
        unknown = out.unknown or next((key for key in keys if isinstance(key, Unknown)), None)
        return DictV({} if unknown else dict.fromkeys(keys), unknown, is_set=True)
    if isinstance(node, ast.GeneratorExp):
        return GeneratorV(out, complete=out.unknown is None)
    return out.settle()


@evaluates(ast.DictComp)
def dict_comprehension(m: Machine, node: ast.DictComp) -> Any:
    out = DictV()

    def add() -> None:
        key = key_of(m.eval(node.key))
        value = m.eval(node.value)
        if isinstance(key, Unknown):
            out.unknown = key
        else:
            out.items[key] = value

    _comprehend(m, node.generators, 0, add, out)
    return out


def _comprehend(m: Machine, generators: list[ast.comprehension], depth: int, add: Any, out: Any) -> None:
    """Run `add` for every combination; a part that is not known makes `out` unknown."""
    if depth == len(generators):
        add()
        return
    generator = generators[depth]
    outer = _comprehension_scope(m) if depth == 0 else None
    source = m.eval(generator.iter)
    items = in_turn(m, source)
    once = isinstance(items, Unknown)
    if once:
        out.unknown = items
    from cudnnlint.interp.iterate import sample

    known = None if isinstance(items, Unknown) else len(items)
    with turns.loop(m, m.span(generator.iter), *extent(source, known)) as entered:
        met = [turns.varying(sample(m, source), entered)] if isinstance(items, Unknown) else items
        for item in met:
            m.tick()
            turns.turn(m)
            assign(m, generator.target, item)
            verdicts = [truth(tested(m, m.eval(test), test)) for test in generator.ifs]
            if any(verdict is False for verdict in verdicts):
                continue
            if any(verdict is None for verdict in verdicts):
                out.unknown = Unknown("filtered by an unknown condition")
            _comprehend(m, generators, depth + 1, add, out)
    if outer is not None:
        m.frame.scope = outer


def _comprehension_scope(m: Machine) -> Any:
    from cudnnlint.interp.objects import Scope

    outer = m.frame.scope
    m.frame.scope = Scope(outer, "comprehension")
    return outer

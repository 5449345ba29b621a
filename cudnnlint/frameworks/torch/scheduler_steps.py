"""OneCycleLR, which is made for a number of steps, and how often a program steps it."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.loops.turns import Loop, in_graph, product
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.telling import TURNS
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Unknown
from cudnnlint.values.assumption import Assumptions

ONE_CYCLE = "torch.optim.lr_scheduler.OneCycleLR"
MADE = "torch.one cycle"
"""Key of the loops in which each was made, by its id."""
TOTALS = ("total_steps", "epochs", "steps_per_epoch")
"""The third and following parameters of OneCycleLR."""
LEAVING = (ast.Break, ast.Return, ast.Raise, ast.Try)


def note_made(m: Machine, made: ObjectV) -> None:
    """Loops around it make another one in each turn."""
    m.state[MADE] = {**m.state.get(MADE, {}), id(made): (made, frozenset(map(id, m.loops)))}


@FRAMEWORK.on(f"{ONE_CYCLE}.step")
def step(c: Call) -> Any:
    """torch/optim/lr_scheduler.py: OneCycleLR.get_lr"""
    m, made = c.machine, plain(c.receiver)
    known = m.state.get(MADE, {}).get(id(made)) if not (m.trying or m.handlers or m.uncalled or in_graph(m)) else None
    if known is None or c.args or c.kwargs:
        return Unknown("a step of a scheduler")
    lasts, taken = _lasts(made)
    loops = [each for each in m.loops if id(each) not in known[1]]
    times = product(loops)
    if lasts and loops and isinstance(times, int) and times > lasts and _is_each_turn(m, loops):
        counts = " x ".join(str(each.turns) for each in loops)
        refuse(m, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"OneCycleLR is made for {lasts} steps, and takes {times}"
            + f": {counts} turns" * (len(loops) > 1), argument="total_steps", help=f"total_steps={times}",
            error=f'ValueError "Tried to step {lasts + 1} times. The specified number of total steps is {lasts}"'),
            what="OneCycleLR.step", stage="call", assumptions=taken)
    return Unknown("a step of a scheduler")


def _lasts(made: ObjectV) -> tuple[int, Assumptions]:
    """The steps that it is made for; 0 where they are not known."""
    given = [made.kwargs.get(name, made.args[place] if len(made.args) > place else None)
             for place, name in enumerate(TOTALS, 2)]
    total, *parts = map(plain, given)
    taken = frozenset[Any]().union(*map(assumptions_of, given))
    if type(total) is int:
        return total, taken
    known = total is None and all(type(part) is int and part > 0 for part in parts)
    return (parts[0] * parts[1] if known else 0), taken


def _is_each_turn(m: Machine, loops: list[Loop]) -> bool:
    """Whether nothing decides over a step, and nothing leaves the loops."""
    if any(reason != TURNS for reason in m.conditions[loops[0].conditions:]):
        return False
    files = {frame.module.source.path: frame.module.source for frame in m.frames if frame.module.source is not None}
    for each in loops:
        source = files.get(each.span.path)
        nodes = [node for node in walk(source.tree()) if isinstance(node, ast.For | ast.AsyncFor)
                 and node.lineno == each.span.line] if source is not None else []
        if len(nodes) != 1 or any(isinstance(part, LEAVING) for part in walk(nodes[0])):
            return False
    return True

"""The default graph of TensorFlow 1: operations that a loop adds to it between the runs of a session."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cudnnlint.interp.loops import turns
from cudnnlint.interp.loops.once import ONCE
from cudnnlint.interp.machine import Machine
from cudnnlint.source import Span
from cudnnlint.values import Tensor

NO_OPERATION = frozenset({"tensorflow.broadcast_static_shape", "tensorflow.is_tensor", "tensorflow.get_variable",
                          "tensorflow.compat.dimension_value", "tensorflow.compat.v1.dimension_value"})
"""Functions that add nothing to a graph, or nothing when they are called again."""
IS_TENSOR = ("is_tensor", "an array or a tensor")
IN_GRAPH = "whether it runs in a graph"
BUILT, RAN, FRESH, OWN = "operations", "session ran", "a new graph", "a graph that is dropped with what is in it"


def applied(m: Machine, path: str, outcome: object, span: Span) -> None:
    """A function gave `outcome`: in a graph that is an operation more."""
    own = path.startswith("tensorflow.") and path not in NO_OPERATION
    if own or (path.startswith("operator.") and isinstance(outcome, Tensor) and outcome.kind == "tf"):
        built(m, path, span)


def built(m: Machine, path: str, span: Span) -> None:
    """An operation is added to the graph, if there is one."""
    if not m.loops or turns.in_graph(m):
        return
    if any(reason.startswith((*IS_TENSOR, IN_GRAPH)) for reason in m.conditions) or m.frame.pendings:
        return  # of what is an array nothing is added, and nothing to a graph that is not there, or left before
    name = path.partition(".")[2].removeprefix("compat.v1.")
    what = "indexing" if name == "getitem" else f"the operator {name}"
    what = f"tf.{name}" if path.startswith("tensorflow.") else what
    for place, each in enumerate(m.loops):
        if ONCE in m.conditions[each.conditions:] or any(inner.facts.get(ONCE) for inner in m.loops[place:]):
            continue  # it is kept, and there in the next turn
        if span not in (known := each.facts.setdefault(BUILT, {})):
            from cudnnlint.events.loops import GraphGrown

            event = m.event(GraphGrown, span, loop=each.info(), turns=turns.total(m, each), what=what, more=0, ran=span)
            known[span] = event, set[int]()
        known[span][1].add(each.turn)
        each.ends.setdefault(BUILT, partial(_ended, m, each))
        each.asks.setdefault(BUILT, partial(_undecided, each))


def ran(m: Machine, span: Span) -> None:
    """A session runs."""
    if m.stack.tensorflow >= (2,) and any(reason.startswith(IN_GRAPH) for reason in m.conditions):
        return  # what is written for both, runs eagerly with this TensorFlow
    for each in m.loops:
        each.facts.setdefault(RAN, span)


def fresh(m: Machine, *, own: bool = False) -> None:
    """The program begins a new graph: the old one is given back. `own`: for what it makes next."""
    for each in m.loops:
        each.facts[FRESH] = True
        if own:
            each.facts[OWN] = True


def _undecided(loop: turns.Loop) -> bool:
    """Whether an operation was met in this turn only, and a session runs."""
    return RAN in loop.facts and any(seen == {loop.turn} for _, seen in loop.facts[BUILT].values())


def _ended(m: Machine, loop: turns.Loop) -> None:
    """The first operation that the loop adds in several turns is told, with how many others there are."""
    if FRESH in loop.facts or RAN not in loop.facts:
        return
    again = [event for event, seen in loop.facts[BUILT].values() if len(seen) > 1]
    if again:
        m.emit(replace(again[0], more=len(again) - 1, ran=loop.facts[RAN]))

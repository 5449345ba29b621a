"""How long a loop is followed turn by turn: as long as that tells something new."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.parts import layer_of
from cudnnlint.interp.loops.rest import parts_of
from cudnnlint.interp.loops.turns import in_graph
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV, Scope
from cudnnlint.interp.registry import ancestry
from cudnnlint.source.walk import walk

GRANTED = "granted"
"""Note of how many steps were."""


class Watch:
    """Decides when following a loop iteration by iteration tells nothing more.

    Loops that create layers, or apply one after the other, are followed to the end (within limits); others for a few
    iterations, and on if they come to an end soon: what they change beyond is unknown. One over the layers of a
    model is there to change each of them: `layer.trainable = False`.
    """

    __slots__ = ("built", "changes", "count", "last", "m", "node", "seen", "sites", "steps", "variants")

    def __init__(self, m: Machine, node: ast.For | ast.AsyncFor, found: Sequence[Any]) -> None:
        self.m, self.node, self.count = m, node, len(found)
        self.changes = bool(found) and any(layer_of(part) is not None for part in parts_of(found[0]))
        self.steps, self.built = m.steps, m.created + len(m.visited)
        self.seen: Any = None
        self.last, self.sites = m.steps, len(m.sites)
        self.variants = False
        """Whether the turn before made a whole model at length."""

    def enough(self, done: int) -> bool:
        m, limits = self.m, self.m.limits
        steps = m.steps - self.steps
        idle = m.created + len(m.visited) == self.built
        if self.changes and idle:
            _grant(m, m.steps - self.last)
        long = done > 0 and m.steps - self.last > limits.again_turn
        models = bool(m.loops) and not in_graph(m) and bool(m.loops[-1].made) and not _assembling(m)
        known = len(m.sites) == self.sites
        self.variants = long and models
        one_left = done == self.count - 1 and not models  # what stands for it would take as long
        if known and ((long and not one_left) or (models and done >= limits.unroll_least
                                                  and steps > limits.unroll_steps)):
            return True
        left = (self.count - 1 - done) * (m.steps - self.last)  # before the last turn
        self.last, self.sites = m.steps, len(m.sites)
        if self.changes or not idle:
            return done >= limits.unroll_building and steps > limits.unroll_steps
        if done < limits.unroll_least or self.count <= 2 * limits.unroll_least:
            if done == limits.unroll_least - 1:
                self.seen = _standing(m, self.node)
            return done > limits.unroll_least and steps > limits.unroll_idle_steps
        if done == limits.unroll_least and steps * self.count > done * limits.unroll_cheap and (
                self.count > limits.unroll_idle or _alike(self.seen, _standing(m, self.node), 6)):
            return True
        return steps + (left if done == limits.unroll_least else 0) > limits.unroll_idle_steps


def _grant(m: Machine, steps: int) -> None:
    """What it takes to change layers one by one is little, and not what the rest has less of: as much again as a file
    may take, at most."""
    note = m.notes.setdefault(GRANTED, {})
    note["steps"] = note.get("steps", 0) + steps
    if note["steps"] < m.limits.steps:
        m.grant(steps)


def _assembling(m: Machine) -> bool:
    """Whether the loop is in a method of a layer or model: what it makes is part of that, be it models."""
    holder = plain(m.frame.receiver)
    if not isinstance(holder, InstanceV):
        return False
    return isinstance(holder.extra, LayerV) or "keras.layers.Layer" in ancestry(holder.cls.external_base() or "")


def _standing(m: Machine, node: ast.For | ast.AsyncFor) -> Any:
    """What the loop has changed so far, its own variable aside."""
    targets = {name.id for name in walk(node.target) if isinstance(name, ast.Name)}
    states: list[Any] = []
    for obj, _ in m.heap.journals[-1].values():
        state = obj.snapshot()
        if isinstance(obj, Scope):
            state = ({key: value for key, value in state[0].items() if key not in targets}, state[1])
        states.append(state)
    return states


def _alike(a: Any, b: Any, depth: int) -> bool:
    """Equal up to the identity of objects made anew in each iteration."""
    if a is b or a == b:
        return True
    if type(a) is not type(b) or depth == 0:
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_alike(x, y, depth - 1) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_alike(value, b[key], depth - 1) for key, value in a.items())
    if isinstance(a, (ListV, DictV)):
        return _alike(a.items, b.items, depth - 1)
    return getattr(a, "path", None) == getattr(b, "path", 0) and isinstance(a, ObjectV)

"""Searches for hyperparameters that call a function of the program for each of their trials: Optuna, Hyperopt."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.heap import NEXT
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.loops import turns
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV, PartialV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.telling import TURNS
from cudnnlint.values import Unknown

STUDY = "optuna.study.Study"
FOLLOWED = 2
"""Trials that are followed: what both do, each of them does."""


@FRAMEWORK.on("optuna.create_study", "optuna.load_study", "optuna.study.create_study", "optuna.study.load_study")
def study(c: Call) -> ObjectV:
    return ObjectV(STUDY, tuple(c.args), dict(c.kwargs), c.span)


@FRAMEWORK.on(f"{STUDY}.optimize")
def optimized(c: Call) -> None:
    """`study.optimize(objective, n_trials=100)`; without a number the search goes on until a time is over."""
    _searched(c, c.get(0, "func"), c.get(1, "n_trials"), "a trial of Optuna")


@FRAMEWORK.on("hyperopt.fmin")
def minimized(c: Call) -> Unknown:
    """`fmin(objective, space, algo, max_evals)`; with trials of its own kind, other processes call it."""
    kept = plain(c.kwargs.get("trials"))
    if kept is None or getattr(kept, "path", "") == "hyperopt.Trials":
        _searched(c, c.get(0, "fn"), c.get(3, "max_evals"), "a point of the space that is searched")
    return Unknown("what a search finds best")


def _searched(c: Call, objective: Any, count: Any, given: str) -> None:
    """The function is the body of a loop of `count` turns, each of which gives it something else."""
    m, held, known = c.machine, plain(objective), plain(count)
    if not isinstance(held, FunctionV | BoundV | InstanceV | PartialV) or known == 0:
        return
    often = known if type(known) is int else Unknown("a search of unknown length")
    with turns.loop(m, c.span, often, "items") as entered:
        if entered is not None:
            entered.depth += 1  # the loop's own body is the function's

        def trial() -> int:
            turns.turn(m)
            m.call(objective, [Unknown(given)], {}, c.node)
            return NEXT

        for _ in range(min(FOLLOWED, known) if type(known) is int and known > 0 else FOLLOWED):
            m.fork([lambda: NEXT, trial], Unknown(TURNS))

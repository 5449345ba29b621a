"""Models and the scopes of strategies: where one is made, compiled and trained."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import ScopesMixed
from cudnnlint.frameworks.keras.making import model_of
from cudnnlint.frameworks.tensorflow.strategies import StrategyV
from cudnnlint.frameworks.training.model_views import holder_of
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.source import Span


def check_scope(m: Machine, receiver: Any, span: Span) -> None:
    """fit() is called: tells of a model whose variables and optimizer belong to different strategies.

    Only of models that have their variables when they are made: others get them in fit().
    """
    held, model = plain(receiver), model_of(receiver)
    origin = m.origins.get(id(held))
    compiled = getattr(holder_of(receiver), "compiled", None)
    if origin is None or model is None or model.inputs is None or not compiled or "strategy" not in compiled:
        return
    places = (origin.strategy, compiled["strategy"], m.state.get("strategy"))
    if all(place is None for place in places) or not all(map(_is_told, places)):
        return
    inside = [place is not None for place in places]
    optimizer = plain(compiled.get("optimizer"))
    if inside[0] and (_keeps_nothing(optimizer) or not (inside[1] or _made_there(optimizer, compiled["span"]))):
        return
    if len({id(place) for place in places if place is not None}) == 1:
        nearest = max((tuple(m.calls), compiled["calls"]), key=lambda calls: _shared(origin.calls, calls))
        m.say(ScopesMixed, origin.seen_from(nearest), made=inside[0], compiled=inside[1], trained=inside[2],
              compiled_at=compiled["span"], trained_at=span)


def _keeps_nothing(optimizer: Any) -> bool:
    """Whether it has no variable beside each of the model's: SGD without momentum updates those of another strategy's
    scope (keras/src/optimizers/sgd.py: SGD.build; run with Keras 3.15, two logical devices and each mixture)."""
    if isinstance(optimizer, str):
        return optimizer.lower() == "sgd"
    given = optimizer.kwargs if isinstance(optimizer, ObjectV) and optimizer.path == "keras.optimizers.SGD" else None
    return given is not None and "**" not in given and len(optimizer.args) < 2 and not given.keys() - {
        "learning_rate", "lr", "name", "nesterov", "clipnorm", "clipvalue", "global_clipnorm", "weight_decay"}


def _made_there(optimizer: Any, compiled: Span) -> bool:
    """Whether compile() itself makes the optimizer: one that was made before may have been made in the scope, which is
    all that counts (run with Keras 3.15 and two logical devices)."""
    span = getattr(optimizer, "span", None)
    return isinstance(optimizer, str | None) or (isinstance(span, Span) and span.path == compiled.path
                                                 and compiled.line <= span.line <= compiled.end_line)


def _shared(calls: tuple[Span, ...], others: tuple[Span, ...]) -> int:
    """How many calls led to both."""
    return next((i for i, (a, b) in enumerate(zip(calls, others, strict=False)) if a != b),
                min(len(calls), len(others)))


def _is_told(strategy: Any) -> bool:
    """No strategy, or one of the program's own: the default one changes nothing."""
    return strategy is None or (isinstance(strategy, StrategyV) and strategy.own)

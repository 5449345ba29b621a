"""A compute_loss() that a model overrides, followed on what a training call hands it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from cudnnlint.events import Data, tensors
from cudnnlint.frameworks.training.fed_sizes import as_tf
from cudnnlint.frameworks.training.model_views import runs_eagerly
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.graphs.bodies import body
from cudnnlint.interp.graphs.placeholders import OF_KERAS_3, placeholders
from cudnnlint.interp.heap import Raised
from cudnnlint.interp.machine import plain
from cudnnlint.interp.mistakes.nothing_used import tell_of_given_back
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import BATCH, Tensor

HANDED = {"fit": True, "train_on_batch": True, "evaluate": False, "test_on_batch": False}
"""Method -> what compute_loss() is told of `training`, if it takes that (keras/src/trainers/trainer.py:
Trainer._compute_loss, which hands it the rest by position)."""


def follow_computed(c: Call, data: Data, outputs: Any, method: str) -> None:
    m, held = c.machine, plain(c.receiver)
    own = held.cls.lookup("compute_loss") if isinstance(held, InstanceV) else None
    if not isinstance(own, FunctionV) or m.stack.keras < (3,) or method not in HANDED or not tensors(outputs):
        return
    taken = own.node.args
    named = {one.arg for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)}
    told = {"training": HANDED[method]} if "training" in named else {}
    handed = [as_tf(strip(part)) for part in (data.x, data.y, _of_one_batch(data, strip(outputs)), data.weights)]
    phase, training, any_batch = m.phase, m.training, m.any_batch
    m.phase, m.training, m.any_batch = "call", HANDED[method], True
    eager = runs_eagerly(held)
    try:
        with placeholders(m, () if eager else handed, OF_KERAS_3), nullcontext() if eager else body(m, own.name):
            made = m.call(BoundV(own, held), [wrap(part) for part in handed], told, c.node)
        tell_of_given_back(m, own, made, "what training goes by", 'ValueError "None values not supported"', c.span)
    except Raised:
        return
    finally:
        m.phase, m.training, m.any_batch = phase, training, any_batch


def _of_one_batch(data: Data, outputs: Any) -> Any:
    """Outputs with the rows that the batch has, where that is known."""
    rows = {one.shape[0] for one in tensors([data.x]) if isinstance(one.shape, tuple) and one.shape}
    if len(rows) != 1 or not isinstance(count := rows.pop(), int):
        return outputs

    def numbered(one: Any) -> Any:
        open_ended = isinstance(one, Tensor) and isinstance(one.shape, tuple) and one.shape[:1] == (BATCH,)
        return one.with_(shape=(count, *one.shape[1:]), step=one.step) if open_ended else one

    return over(outputs, numbered)


__all__ = ["follow_computed"]

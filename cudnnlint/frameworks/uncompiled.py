"""Models that are trained and were never compiled."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras import model_of
from cudnnlint.frameworks.train_steps import own_step
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.models import ModelV
from cudnnlint.interp.refusals import of_line, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem


def not_known(m: Machine, model: Any) -> None:
    """It is compiled with what is not known."""
    if isinstance(model, ModelV) and model.compiled is None:
        m.heap.touch(model)
        model.compiled = {}


def check_compiled(c: Call, method: str) -> None:
    model, m = model_of(c.receiver), c.machine
    if method not in ("fit", "evaluate", "train_on_batch", "test_on_batch") or model is None or m.trying \
            or plain(c.receiver) is not model or model.compiled is not None or own_step(c.receiver, method) is not None:
        return
    where = of_line(c.span, model.span) if model.span is not None else ""
    refuse(m, c.span, Mismatch(
        Problem.NOT_COMPILED, f"{method}() of the model{where}, which was never compiled", help="compile() it first",
        error='ValueError "You must call `compile()` before using the model" or RuntimeError "You must '
              'compile your model before training/testing"'), what=f"Model.{method}", stage=method)


__all__ = ["check_compiled", "not_known"]

"""Sequential models of Keras 3 on real data, which nobody compares with the declared input: the layers decide."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.interp.application import judge
from cudnnlint.interp.built import clash
from cudnnlint.interp.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.model_inputs import conformed, input_mismatch
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor


def refused_input(m: Machine, model: Any, want: Tensor, have: Tensor, span: Span) -> Mismatch | None:
    """What a model with inputs says to a tensor, or what the layers of a sequential one do.

    keras/src/models/sequential.py: Sequential.call, which goes around the checks of Functional.__call__; the rank is
    compared all the same (Functional._adjust_input_rank).
    """
    wrong = input_mismatch(want, have, keras_3=m.stack.keras >= (3,))
    if wrong is None or m.stack.keras < (3,) or getattr(model, "kind", "") != "sequential" or have.kind == "keras":
        return wrong
    given = conformed(want, have)
    if not isinstance(given.shape, tuple) or not isinstance(want.shape, tuple) or len(given.shape) != len(want.shape):
        return wrong
    said = _refused_by_layers(m, model, given, span)
    if said is None:
        return None
    error = 'ValueError "Negative dimension size"' if said.problem is Problem.EMPTY_DIM else said.error
    return replace(wrong, error=error, facts=(*wrong.facts, ("said", error)))


def _refused_by_layers(m: Machine, model: Any, x: Any, span: Span) -> Mismatch | None:
    """What the first layer says that does not take what is left of the input; None where that is not known."""
    layers = getattr(model, "layers", None)
    for item in getattr(layers, "items", ()):
        layer = plain(item)
        if not isinstance(layer, LayerV) or layer.op is None or layer.user is not None or not isinstance(x, Tensor):
            return None
        outcome, weights = judge(m, layer, x, span)
        if isinstance(outcome, Mismatch):
            return outcome if outcome.where.holds(m.stack) else None
        if (other := clash(layer, weights)) is not None:
            return other
        x = outcome
    return None

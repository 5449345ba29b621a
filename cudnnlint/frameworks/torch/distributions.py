"""torch.distributions: the shapes of what is drawn from them, and of what they say of a value."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.histories import NO_GRAD
from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.functions._core import sizes
from cudnnlint.values import Mismatch, Problem, Shape, Step, Tensor, Unknown
from cudnnlint.values.tensor import tensors

HERE = "torch.distributions."
BY_CLASS, BY_PLACE = ("Categorical",), ("Normal", "Laplace", "Uniform", "Beta", "Gamma", "LogNormal", "Cauchy")
EITHER = ("Bernoulli",)


@FRAMEWORK.on(*(f"{HERE}{name}" for name in (*BY_CLASS, *BY_PLACE, *EITHER)))
def distribution(c: Call) -> ObjectV:
    return ObjectV(c.path, tuple(c.args), dict(c.kwargs), c.span)


def _given(held: ObjectV) -> list[Any]:
    """The parameters, which are broadcast to one shape (torch/distributions/utils.py: broadcast_all)."""
    kept = [value for name, value in held.kwargs.items() if name != "validate_args"]
    return [strip(value) for value in (*held.args[:2], *kept) if plain(value) is not None]


def _batch(held: ObjectV) -> Shape | Unknown:
    found: Any = ()
    for value in _given(held):
        shape = () if isinstance(value, int | float) or (isinstance(value, Unknown) and value.number) else \
            value.shape if isinstance(value, Tensor) else Unknown("a parameter")
        found = shape if isinstance(shape, Unknown) else broadcast(found, shape)
        if not isinstance(found, tuple):
            return Unknown("parameters of a distribution")
    batch: tuple[Any, ...] = found
    if held.path.removeprefix(HERE) not in BY_CLASS:
        return batch
    return batch[:-1] if batch else Unknown("parameters of a distribution")


def _dtype(held: ObjectV) -> Any:
    if held.path.removeprefix(HERE) in BY_CLASS:
        return "int64"
    found = {value.dtype for value in _given(held) if isinstance(value, Tensor) and isinstance(value.dtype, str)}
    return next(iter(found)) if len(found) == 1 else Unknown("dtype of a distribution")


def _floats(held: ObjectV) -> Any:
    found = next((value.dtype for value in _given(held) if isinstance(value, Tensor)), Unknown("dtype"))
    return found if isinstance(found, str) else Unknown("dtype of a distribution")


METHODS = [f"{HERE}{name}." for name in (*BY_CLASS, *BY_PLACE, *EITHER)]


@FRAMEWORK.on(*(f"{path}{name}" for path in METHODS for name in ("sample", "rsample")))
def drawn(c: Call) -> Any:
    """(*sample_shape, *batch_shape)"""
    held, asked = plain(c.receiver), strip(c.get(0, "sample_shape", ()))
    if not isinstance(held, ObjectV):
        return Unknown("what is drawn")
    batch, lead = _batch(held), () if asked == () else sizes(asked)
    whole: Any = (*lead, *batch) if isinstance(batch, tuple) and isinstance(lead, tuple) else Unknown("what is drawn")
    parents = tensors(_given(held))
    step = Step(c.span, parents, NO_GRAD, ((), {"certain": True})) if c.path.endswith(".sample") else \
        Step(c.span, parents, f"{HERE}rsample")
    return Tensor(whole, _dtype(held), "torch", None, step)


@FRAMEWORK.on(*(f"{path}log_prob" for path in METHODS))
def log_prob(c: Call) -> Any:
    """torch/distributions/distribution.py: _validate_sample"""
    held, value = plain(c.receiver), strip(c.get(0, "value"))
    if not isinstance(held, ObjectV):
        return Unknown("a logarithm")
    batch = _batch(held)
    whole: Any = Unknown("a logarithm of a probability")
    if isinstance(value, Tensor) and isinstance(value.shape, tuple) and isinstance(batch, tuple):
        joined = broadcast(value.shape, batch)
        if joined is None:
            if is_meant(c.machine) and "validate_args" not in held.kwargs:
                refuse(c.machine, c.span, Mismatch(
                    Problem.MERGE, f"log_prob() of {value} for a distribution of the batch shape {list(batch)}",
                    error='ValueError "Value is not broadcastable with batch_shape+event_shape"',
                    facts=(("shapes", (value.shape, batch)),)), about=(value,), what="log_prob()", inputs=value)
            return Unknown("a logarithm that fails")
        whole = joined
    return Tensor(whole, _floats(held), "torch", None,
                  Step(c.span, tensors([*_given(held), value]), f"{HERE}log_prob"))


@FRAMEWORK.on(*(f"{path}entropy" for path in METHODS))
def entropy(c: Call) -> Any:
    held = plain(c.receiver)
    if not isinstance(held, ObjectV):
        return Unknown("an entropy")
    return Tensor(_batch(held), _floats(held), "torch", None, Step(c.span, tensors(_given(held)), f"{HERE}entropy"))


__all__ = ["distribution", "drawn", "entropy", "log_prob"]

"""TensorFlow Probability: the shapes of what distributions draw and of how likely they find it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call, Handler
from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Shape, Step, Tensor, Unknown, is_floating
from cudnnlint.values.assumption import Assumptions

ROOM = "tensorflow_probability.distributions"
UNKNOWN = Unknown("a distribution")


@record(frozen=True, slots=True, eq=False)
class DistributionV:
    """`batch` independent ones over values of shape `event`.

    drawn, real  the dtypes of samples and of how likely they are
    """

    batch: Shape
    event: Shape
    drawn: Any
    real: Any
    parents: tuple[Tensor, ...]
    path: ClassVar[str] = f"{ROOM}.Distribution"

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, DistributionV) and (other.batch, other.event) == (self.batch, self.event)
        return self if same else Unknown("differs between paths")

    def tensor(self, shape: Shape, dtype: Any, span: Span, *more: Tensor) -> Tensor:
        parents = (*self.parents, *more)
        found: Assumptions = frozenset().union(*(parent.assumptions for parent in parents))
        return Tensor(shape, dtype, "tf", None, Step(span, parents), found)


SCALAR: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Normal", "LogNormal", "Laplace", "Cauchy", "Gumbel", "Logistic"), ("loc", "scale")),
    "TruncatedNormal": ("loc", "scale", "low", "high"), "StudentT": ("df", "loc", "scale"), "HalfNormal": ("scale",),
    "Uniform": ("low", "high"), "Beta": ("concentration1", "concentration0"), "Gamma": ("concentration", "rate"),
    "Exponential": ("rate",), "Poisson": ("rate", "log_rate"), "Bernoulli": ("logits", "probs"),
    "Deterministic": ("loc",)}
"""Distributions of numbers: as many as their parameters broadcast to (tensorflow_probability/python/distributions)."""
VECTOR: dict[str, tuple[tuple[str, ...], int]] = {
    "Categorical": (("logits", "probs"), 0), "OneHotCategorical": (("logits", "probs"), 1),
    "RelaxedOneHotCategorical": (("temperature", "logits", "probs"), 1), "Dirichlet": (("concentration",), 1),
    "MultivariateNormalDiag": (("loc", "scale_diag"), 1)}
"""Those whose parameters have an axis of their own, and how many axes of it a sample has."""
WHOLE = frozenset({"Bernoulli", "Categorical", "OneHotCategorical"})


def _made(name: str, names: tuple[str, ...], own: int, drawn: int) -> Handler:
    def make(c: Call) -> Any:
        values = [value for place, one in enumerate(names) if (value := strip(c.get(place, one))) is not None]
        given = [found for value in values if isinstance(found := as_tensor(value, "tf"), Tensor)]
        shape: Any = () if values and len(given) == len(values) else UNKNOWN
        for parameter in given:
            shape = broadcast(shape, parameter.shape) if isinstance(shape, tuple) else UNKNOWN
        if not isinstance(shape, tuple) or len(shape) < own:
            return UNKNOWN
        floats = [value.dtype for value in values if isinstance(value, Tensor) and is_floating(value.dtype)]
        real = floats[0] if floats else "float32"
        split = len(shape) - own
        whole = c.kwargs.get("dtype", "int32") if name in WHOLE else real
        kind = whole if isinstance(whole, str) else Unknown("dtype of samples")
        return DistributionV(shape[:split], shape[split:] if drawn else (), kind, real, tuple(given))

    return make


for _name, _names in SCALAR.items():
    FRAMEWORK.on(f"{ROOM}.{_name}")(_made(_name, _names, 0, 0))
for _name, (_names, _drawn) in VECTOR.items():
    FRAMEWORK.on(f"{ROOM}.{_name}")(_made(_name, _names, 1, _drawn))


@FRAMEWORK.on(f"{ROOM}.Independent")
def independent(c: Call) -> Any:
    """Axes of the batch that become one value: all but the first unless told (tfp/distributions/independent.py)."""
    held = plain(c.get(0, "distribution"))
    if not isinstance(held, DistributionV):
        return UNKNOWN
    count = plain(c.get(1, "reinterpreted_batch_ndims"))
    count = max(0, len(held.batch) - 1) if count is None else count
    if not isinstance(count, int) or not 0 <= count <= len(held.batch):
        return UNKNOWN
    kept = len(held.batch) - count
    return replace(held, batch=held.batch[:kept], event=held.batch[kept:] + held.event)


@FRAMEWORK.on(f"{ROOM}.Distribution.sample")
def sample(c: Call) -> Any:
    held, asked = plain(c.receiver), strip(c.get(0, "sample_shape", ()))
    if not isinstance(held, DistributionV):
        return UNKNOWN
    asked = (asked,) if isinstance(asked, int) else tuple(asked) if isinstance(asked, list | tuple) else None
    if asked is None or not all(isinstance(size, int) for size in asked):
        return Unknown("a sample")
    return held.tensor((*asked, *held.batch, *held.event), held.drawn, c.span)


@FRAMEWORK.on(*(f"{ROOM}.Distribution.{name}" for name in ("mean", "mode", "stddev", "variance")))
def of_an_event(c: Call) -> Any:
    held, name = plain(c.receiver), c.path.rpartition(".")[2]
    if not isinstance(held, DistributionV):
        return UNKNOWN
    return held.tensor(held.batch + held.event, held.drawn if name == "mode" else held.real, c.span)


@FRAMEWORK.on(f"{ROOM}.Distribution.entropy", f"{ROOM}.Distribution.kl_divergence")
def of_a_batch(c: Call) -> Any:
    held = plain(c.receiver)
    return held.tensor(held.batch, held.real, c.span) if isinstance(held, DistributionV) else UNKNOWN


@FRAMEWORK.on(*(f"{ROOM}.Distribution.{name}" for name in ("log_prob", "prob", "cdf", "log_cdf")))
def chance(c: Call) -> Any:
    """One number for each value, broadcast with the batch (tfp/distributions/distribution.py: log_prob)."""
    held, value = plain(c.receiver), as_tensor(strip(c.get(0, "value")), "tf")
    if not isinstance(value, Tensor) or not isinstance(value.shape, tuple) or not isinstance(held, DistributionV):
        return Unknown("a probability")
    shape = broadcast(value.shape, held.batch + held.event)
    if not isinstance(shape, tuple):
        return Unknown("a probability")
    return held.tensor(shape[:len(shape) - len(held.event)], held.real, c.span, value)


@FRAMEWORK.attribute(f"{ROOM}.Distribution.batch_shape")
def batch_shape(m: Machine, value: Any) -> Any:
    return value.batch if isinstance(value, DistributionV) else UNKNOWN


@FRAMEWORK.attribute(f"{ROOM}.Distribution.event_shape")
def event_shape(m: Machine, value: Any) -> Any:
    return value.event if isinstance(value, DistributionV) else UNKNOWN

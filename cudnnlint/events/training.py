"""Training, and what is set up for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from cudnnlint.events.base import Event
from cudnnlint.events.data import Data
from cudnnlint.events.layers import LayerInfo
from cudnnlint.events.models import ModelView
from cudnnlint.finding import Label
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.trace import provenance
from cudnnlint.values import Unknown
from cudnnlint.values.dim import Dim


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TrainingStarted(Event):
    """`fit`, `evaluate`, `predict`, `train_on_batch`, `test_on_batch`, `predict_on_batch` on a model, or a loop of
    the program's own: the place where an optimizer applies gradients to a model's variables, told once a loop.

    method     the method's name; "GradientTape" in a custom loop, "train_step" in one that fit() calls. Of those:
               `data` is one batch (of one replica, under a strategy), `model.outputs` what the model made of it,
               `model.losses` the loss that was called on it, `model.compiled["optimizer"]` the optimizer
    arguments  bound arguments of the call by parameter name; given: those the user wrote
    batch_size effective rows per batch (the default 32 applied for arrays), or Unknown
    memory     gives a memory.estimate.Estimate of one step when it is called, during the event only, with a batch
               size or None for the program's own; None where there is no model
    """

    method: str
    model: ModelView
    data: Data
    batch_size: Dim = Unknown()
    steps_per_epoch: Any = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    validation: Data | None = None
    memory: Callable[..., Any] | None = None

    @property
    def data_trace(self) -> tuple[Label, ...]:
        """Where the data come from, for what is wrong with them whatever the model is."""
        return provenance((self.data.x, self.data.y), self.span)


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StepContinued(Event):
    """A step of a loop of the program's own assigns variables after it has applied gradients; `started`: what was told
    of it, with an estimate of all that it has run so far."""

    started: TrainingStarted


SAME = "same"
"""Maker of what is its one parent under another shape: a batch whose size is not known as a number."""
GRADIENT = "gradient"
"""Maker of what a tape gives for a variable, or for a tensor: the last parent, after what it is the gradient of."""
VARIABLE = "variable"
"""Maker of the typical variable of a model: `Step.arguments` holds what it belongs to."""
PENALTY = "penalty"
"""Maker of what a layer adds to a loss, by regularizers of its weights: `Step.arguments` holds whose it is."""
ADDED = "added loss"
"""Maker of what a layer of a functional model gives to add_loss() when the model is called on other inputs:
`Step.arguments` holds ((what it gave for the model's own,), {}), the parent is what that call gave."""
LOSS = "loss"
"""Maker of what a loss gives: `Step.arguments` holds ((losses, predictions), {})."""


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LossCalled(Event):
    """A loss was called on labels and predictions: `loss_fn(y, y_pred)`.

    losses  LossInfo; for what compile() was given also a list or dict of them
    form    "object", "function", or "fit" for what compile() was given (`self.compute_loss(...)`)
    layer   the layer that made the predictions, if one did
    taped   a GradientTape is open: gradients are taken of it
    """

    losses: Any
    y: Any
    output: Any
    form: str
    layer: LayerInfo | None = None
    taped: bool = False


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PolicyMisplaced(Event):
    """A dtype policy is given where it has no effect.

    policy  its name
    cause   "late": a model is trained (`used`) that has `early` layers of the policy before, of `layers` in all, the
            first made at `made`; "options": it is given to tf.config.optimizer, as an object or as `text`, or in a
            dict under a `key` that is none of its options
    """

    policy: str
    cause: str
    early: int = 0
    layers: int = 0
    made: Span | None = None
    used: Span | None = None
    text: bool = False
    key: str = ""


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ScopesMixed(Event):
    """A model that is trained was made, compiled and trained partly inside and partly outside of a strategy's scope.

    made, compiled, trained  whether inside; `compiled` None where that is not known
    compiled_at, trained_at  where
    """

    made: bool
    compiled: bool | None
    trained: bool
    trained_at: Span
    compiled_at: Span | None = None


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LayerMadeInside(Event):
    """A layer is made and gets its variables inside of what is traced or run for each batch.

    owner      the class whose call() it is, or the name of the tf.function
    method     "call", of PyTorch "forward", or "" for a tf.function
    attribute  the attribute that it is kept in, or ""
    """

    layer: LayerInfo
    owner: str
    method: str
    attribute: str = ""

"""Models: made, built, compiled, asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cudnnlint.events.base import Event
from cudnnlint.events.layers import LayerApplied, LayerInfo
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Unknown


@record(frozen=True, slots=True, kw_only=True)
class LossInfo:
    """One loss: `name` in snake case ("sparse_categorical_crossentropy"), "" when it is the user's own or unknown.

    ignores  it was made with an `ignore_class`, or may have been; `made`: the call at `span` made it, an object
    """

    name: str
    from_logits: Any = False
    span: Span | None = None
    ignores: bool = False
    made: bool = False


@record(frozen=True, slots=True, kw_only=True)
class ModelView:
    """A model as rules see it.

    kind       "functional", "sequential" or "subclassed"
    inputs     structure of its declared input Tensors; None when it declares none (deferred, subclassed)
    outputs    structure of its output Tensors for one batch, or Unknown
    losses     LossInfo, or a list/dict of them per output; None before compile() or with a custom train_step
    compiled   bound arguments of compile() (optimizer, metrics, jit_compile ...), or None when not known
    layer      span of the layer that made the first output: where a wrong width or activation is written
    replicas   number of replicas of the strategy it was made under: 1, a number or Unknown
    towers     the replicas are those of multi_gpu_model(), which nothing keeps from running on no rows
    policy     the dtype policy that all its layers have, or Unknown: the layers tell it one by one (LayerApplied)
    """

    kind: str
    name: str
    span: Span
    inputs: Any = None
    outputs: Any = Unknown()
    losses: Any = None
    compiled: Mapping[str, Any] | None = None
    layer: LayerInfo | None = None
    replicas: Any = 1
    towers: bool = False
    policy: Any = Unknown()


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelBuilt(Event):
    """A functional model was made, or a sequential one that declares its inputs is run: `applied` is the model as one
    layer from its inputs to its outputs.
    """

    applied: LayerApplied


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelMade(Event):
    """A sequential or subclassed model was made; its layers may come later. `model` is the object; not for rules."""

    model: Any


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelRun(Event):
    """Data go through a model that is built: its layers are called on them. `model` is the object; not for rules."""

    model: Any


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelAsked(Event):
    """The command line asks for one model: what happened before this is not what it asks for."""


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelCompiled(Event):
    """compile() was called; `arguments` are its bound arguments."""

    model: ModelView
    arguments: Mapping[str, Any]

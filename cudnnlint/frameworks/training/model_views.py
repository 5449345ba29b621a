"""Models as rules see them: inputs, outputs, losses, optimizer, replicas and dtype policy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import LossInfo, ModelView, tensors
from cudnnlint.frameworks.keras.making import model_of
from cudnnlint.frameworks.tensorflow.strategies import replicas
from cudnnlint.frameworks.training.loss_names import SHORT
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV, ObjectV, snake
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import layer_of, within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import External, FunctionV, InstanceV, PartialV
from cudnnlint.source import Span
from cudnnlint.values import Unknown

TOWERS = "(towers)"
"""Where multi_gpu_model() leaves the number of GPUs: no attribute that a program could name."""


USED = "(used)"
"""Where a model of the program's own keeps that it was fitted or built, be it on what is not known."""


def use(value: Any) -> None:
    """fit(), build() and their kin: from now on it may know the shape of its input."""
    held, model = holder_of(value), model_of(value)
    if isinstance(held, LayerV):
        held.extra[USED] = True
    if model is not None:
        model.asked = True


def holder_of(value: Any) -> Any:
    """Where compile() leaves its arguments: the model or the framework part of the user's object."""
    value = plain(value)
    return value.extra if isinstance(value, InstanceV) else value


def runs_eagerly(value: Any) -> bool:
    """Whether fit() and its kin may run a model op by op, without making a graph of it."""
    held, compiled = plain(value), getattr(holder_of(value), "compiled", None) or {}
    set_later = held.items.get("run_eagerly") if isinstance(held, InstanceV) else \
        held.extra.get("run_eagerly") if isinstance(held, ModelV) else None
    return any(plain(given) not in (None, False) for given in (compiled.get("run_eagerly"), set_later))


def view(m: Machine, value: Any, outputs: Any = None) -> ModelView:
    value = plain(value)
    model, holder = model_of(value), holder_of(value)
    compiled = holder.compiled if isinstance(holder, ModelV | LayerV) else None
    if compiled is None and model is not None:
        compiled = model.compiled
    towers = model.extra.get(TOWERS) if model is not None else None
    if outputs is None:
        outputs = model.outputs if model is not None and model.outputs is not None else Unknown("outputs")
    if isinstance(outputs, list | tuple) and len(outputs) == 1:  # compile() and fit() flatten all that is compared
        outputs = outputs[0]
    custom = isinstance(value, InstanceV) and any(
        isinstance(value.cls.lookup(name), FunctionV | Unknown)
        for name in ("train_step", "compute_loss", "make_train_function"))
    losses = None if not compiled or custom else resolve_losses(m, compiled.get("loss"), compiled.get("span"))
    return ModelView(
        kind=model.kind if model is not None else "subclassed", name=getattr(holder, "name", ""),
        span=getattr(value, "span", None) or Span(m.linted, 1, 0, 1, 0),
        inputs=model.inputs if model is not None else None, outputs=outputs, losses=losses, compiled=compiled,
        layer=last_layer(outputs), policy=_policy(m, value),
        replicas=towers if towers is not None else plain(replicas(m)) if compiled is None else
        compiled.get("replicas", 1), towers=towers is not None)


POLICIES = "policies"
"""Note of the policies of models: id -> (the model, how many layers there were, its policy)."""


def _policy(m: Machine, value: Any) -> Any:
    """The dtype policy of a model, found anew once more layers were made: a model is used many times."""
    known: dict[int, tuple[Any, int, Any]] = m.notes.setdefault(POLICIES, {})
    if id(value) not in known or known[id(value)][1] != m.created:
        known[id(value)] = value, m.created, policy_of_all(value)
    return known[id(value)][2]


def last_layer(outputs: Any) -> Any:
    """The layer that made the first output, looking through nested models."""
    found = tensors(outputs)
    maker = found[0].step.maker if found and found[0].step is not None else None
    for _ in range(8):
        if not isinstance(maker, ModelV):
            break
        inner = tensors(maker.outputs)
        maker = inner[0].step.maker if inner and inner[0].step is not None else None
    return maker.info() if isinstance(maker, LayerV) else None


def resolve_losses(m: Machine, value: Any, span: Any) -> Any:
    """LossInfo of whatever compile(loss=...) accepts: a name, a function, a loss object, a list or a dict."""
    value = plain(value)
    if value is None:
        return None
    raw = strip(value)
    if isinstance(raw, list | tuple):
        return [resolve_losses(m, item, span) for item in raw]
    if isinstance(raw, dict):
        return {key: resolve_losses(m, item, span) for key, item in raw.items()}
    if isinstance(value, str):
        name = snake(value) if value[:1].isupper() else value
        return LossInfo(name=SHORT.get(name.lower(), name.lower()), span=span)
    if isinstance(value, ObjectV) and value.path.startswith("keras.losses."):
        logits = value.kwargs.get("from_logits", value.args[0] if value.args else False)
        return LossInfo(name=snake(value.path.rpartition(".")[2]), from_logits=plain(logits), span=value.span,
                        made=True,
                        ignores=bool(value.kwargs.keys() & {"ignore_class", "**"}) or len(value.args) > 1)
    if isinstance(value, External) and value.path.startswith(("keras.losses.", "keras.metrics.", "keras.backend.")):
        name = value.path.rpartition(".")[2]
        if name[:1].isupper():  # the class itself, not an instance
            return LossInfo(name="", span=span)
        return LossInfo(name=SHORT.get(name.lower(), name), span=span)
    if isinstance(value, PartialV) and not value.args and "**" not in value.kwargs:
        made = resolve_losses(m, value.function, span)
        if isinstance(made, LossInfo) and made.name:
            return replace(made, from_logits=plain(value.kwargs.get("from_logits", False)),
                           ignores="ignore_class" in value.kwargs)
    return LossInfo(name="", span=span)


def policy_of_all(value: Any) -> Any:
    """The dtype policy of every layer of a model, if it is one (keras/src/dtype_policies/dtype_policy.py)."""
    found: list[Any] = []
    for held in within(value):
        if isinstance(held, Unknown):
            return held
        layer = layer_of(held)
        if layer is not None and layer.path != "keras.layers.InputLayer" and layer.policy not in found:
            found.append(layer.policy)
    return found[0] if len(found) == 1 else Unknown("layers of several dtype policies" if found else "no layers")

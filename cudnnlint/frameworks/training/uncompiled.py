"""Models that are trained and were never compiled."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import model_of
from cudnnlint.frameworks.training.model_views import holder_of
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.keras.incomplete import is_followed
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import children
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.refusals import of_line, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem


def not_known(m: Machine, model: Any) -> None:
    """It is compiled with what is not known."""
    if isinstance(model, ModelV) and model.compiled is None:
        m.heap.touch(model)
        model.compiled = {}


def _without_loss(c: Call, method: str, compiled: dict[str, Any]) -> None:
    """compile() was given no loss, and no layer adds one: all are Keras' own and have no regularizers.

    keras/src/trainers/trainer.py: Trainer.compute_loss; tf_keras/src/engine/training.py: _validate_target_and_loss
    """
    model = plain(c.receiver)
    if method not in ("fit", "train_on_batch") or compiled.get("loss", 0) is not None or c.get(1, "y") is None \
            or c.machine.frames[0].module.source.says("add_loss"):
        return
    layers = children(model)
    own = isinstance(model, InstanceV) and (not layers or model.extra.added or model.cls.lookup("compute_loss")
                                            is not MISSING)
    if own or not isinstance(layers, list) or not all(_adds_no_loss(layer) for layer in layers):
        return
    refuse(c.machine, c.span, Mismatch(
        Problem.NOT_COMPILED, f"{method}() of a model that was compiled without a loss", help="compile(loss=...)",
        error='ValueError "No loss to compute. Provide a `loss` argument in `compile()`." or "No loss found. You may '
              'have forgotten to provide a `loss` argument in the `compile()` method."'),
        what=f"Model.{method}", stage=method)


def _adds_no_loss(layer: Any) -> bool:
    held = plain(layer)
    if not isinstance(held, LayerV) or not held.path.startswith("keras.layers.") or held.user is not None:
        return False
    name = held.path.rpartition(".")[2]
    given = {**held.arguments, **held.base}
    return name in PLAIN and not any(given.get(end) is not None for end in given if end.endswith("_regularizer"))


PLAIN = frozenset({
    "InputLayer", "Dense", "Flatten", "Reshape", "Dropout", "Activation", "ReLU", "LeakyReLU", "Softmax", "Conv1D",
    "Conv2D", "Conv3D", "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "AveragePooling1D", "AveragePooling2D",
    "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalMaxPooling1D", "GlobalMaxPooling2D",
    "BatchNormalization", "LayerNormalization", "Embedding", "LSTM", "GRU", "SimpleRNN", "Concatenate", "Add"})
"""Layers that add no loss of their own."""


def check_compiled(c: Call, method: str) -> None:
    m = c.machine
    if method not in ("fit", "evaluate", "train_on_batch", "test_on_batch") or m.trying \
            or own_step(c.receiver, method) is not None or not _is_plain(plain(c.receiver), method):
        return
    model, holder = model_of(c.receiver), holder_of(c.receiver)
    known = [held.compiled for held in (holder, model) if held is not None and held.compiled is not None]
    if known:
        _without_loss(c, method, known[0])
        return
    made = plain(c.receiver).span
    where = of_line(c.span, made) if made is not None else ""
    refuse(m, c.span, Mismatch(
        Problem.NOT_COMPILED, f"{method}() of the model{where}, which was never compiled", help="compile() it first",
        error='ValueError "You must call `compile()` before using the model" or RuntimeError "You must '
              'compile your model before training/testing"'), what=f"Model.{method}", stage=method)


def _is_plain(model: Any, method: str) -> bool:
    """Whether it is a model of Keras, or of a class of the program that leaves compile() and the like to Keras."""
    if not isinstance(model, InstanceV):
        return isinstance(model, ModelV)
    return isinstance(model.extra, LayerV) and is_followed(model, "keras.Model") and all(
        model.cls.lookup(name) is MISSING for name in ("compile", method, "__getattr__", "__getattribute__"))


__all__ = ["check_compiled", "not_known"]

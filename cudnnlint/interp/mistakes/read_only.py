"""Attributes of layers, models and callbacks of Keras that a class of the program's own sets, and that are properties
there."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import ancestry
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Where

OF_LAYERS = frozenset({"metrics", "losses", "weights", "variables", "trainable_variables", "trainable_weights",
                       "non_trainable_weights", "non_trainable_variables", "input", "output", "dtype",
                       "compute_dtype", "variable_dtype"})
"""Set each in the constructor of a class with tf_keras 2.21 and Keras 3.15 (keras/src/layers/layer.py: Layer)."""
OF_MODELS = frozenset({"layers", "metrics_names"})
"""The same of models alone."""
OF_CALLBACKS = frozenset({"model"})
"""keras/src/callbacks/callback.py: Callback.model, which set_model() fills; a plain attribute in Keras 2."""
READ_ONLY = OF_LAYERS | OF_MODELS | OF_CALLBACKS
SINCE = Where(keras=">=2.4")
"""Layers of Keras 2.2 let a class set its trainable_weights (keras/engine/base_layer.py of 2.2.4)."""


def tell_of_read_only(m: Machine, base: Any, name: str, span: Span) -> None:
    """`self.layers = [Dense(8)]` in a class that derives from Model."""
    if not isinstance(base, InstanceV) or base.unknown or not is_meant(m) or m.handlers \
            or base.cls.lookup(name) is not MISSING or base.cls.lookup("__setattr__") is not MISSING:
        return
    first = base.cls.external_base() or ""
    if name in OF_CALLBACKS:
        if first.startswith("keras.callbacks."):
            _tell(m, base, name, "Callback", Where(keras=">=3"), span)
        return
    parents = ancestry(first)
    if "keras.Model" not in parents and (name in OF_MODELS or "keras.layers.Layer" not in parents):
        return
    _tell(m, base, name, "Model" if "keras.Model" in parents else "Layer", SINCE, span)


def _tell(m: Machine, base: InstanceV, name: str, kind: str, where: Where, span: Span) -> None:
    own, is_callback = base.cls.name, kind == "Callback"
    from_outside = is_callback and m.frame.receiver is not base
    refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{own} sets {name}, which is a property of every {kind}", where=where,
        help="leave it to fit(callbacks=[...]), or call set_model(model)" if from_outside else
        f"another name: self.own_{name}",
        error=f"AttributeError \"property '{name}' of '{own}' object has no setter\" or \"can't set attribute\""
        if is_callback else
        f"AttributeError \"property '{name}' of '{own}' object has no setter\" or \"Can't set the attribute\""
        if kind == "Layer" else
        f"AttributeError \"property '{name}' of '{own}' object has no setter\", \"Can't set the attribute\" or "
        f'"`Model.{name}` attribute is reserved"'), what="an assignment")


__all__ = ["READ_ONLY", "tell_of_read_only"]

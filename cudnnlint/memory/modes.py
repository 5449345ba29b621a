"""Whether layers work in training mode: what fit() or the program tells the outermost call holds for all within."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.values import Stack, Step


def trained_by_fit(model: Any, stack: Stack) -> bool:
    """Keras 3 tells a model of training only where its call() has such an argument (keras/src/backend/tensorflow/
    trainer.py: train_step)."""
    held = plain(model)
    method = held.cls.lookup("call") if isinstance(held, InstanceV) else None
    if stack.keras < (3,) or not isinstance(method, FunctionV):
        return True
    given = method.node.args
    return "training" in {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def told(step: Step, outer: bool) -> bool:
    """What a call says; within a call() what it says by default cannot be told from what is handed on to it."""
    args, kwargs = step.arguments if step.arguments is not None else ((), {})
    if "training" in kwargs:
        said = plain(kwargs["training"])
        if said is None or (said is False and not isinstance(step.maker, ModelV)):
            return outer
        return said is not False
    return outer or any(plain(one) is True for one in args[1:])

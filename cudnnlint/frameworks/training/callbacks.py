"""Callbacks that fit() and its kin are given: objects whose hooks take what they are called with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from cudnnlint.frameworks.training.schedules import check_schedule
from cudnnlint.interp.convert import strip
from cudnnlint.interp.forget import lose_changed
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.mistakes.misbound import tell_of_handed
from cudnnlint.interp.mistakes.unexpected import described
from cudnnlint.interp.objects import BoundV, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Unknown, Where

BASE = "keras.callbacks."
MODEL = "model"
HOOKS = {
    **{f"on_{when}_{end}": ("logs",) for when in ("train", "test", "predict") for end in ("begin", "end")},
    **{f"on_epoch_{end}": ("epoch", "logs") for end in ("begin", "end")},
    **{f"on_{when}batch_{end}": ("batch", "logs") for when in ("", "train_", "test_", "predict_")
       for end in ("begin", "end")},
}
"""keras/src/callbacks/callback_list.py: CallbackList; tf_keras/src/callbacks.py: CallbackList."""
OF = {"fit": ("_epoch_", "_train_", "on_batch_"), "evaluate": ("_test_",), "predict": ("_predict_",)}
"""Parts of the names of hooks that each method certainly calls."""
SETTING = {"LearningRateScheduler": "in the first epoch", "ReduceLROnPlateau": "once what it monitors stalls"}
"""Callbacks that set optimizer.learning_rate, and when."""
REFUSED, UNHEARD = Where(keras=">=3"), Where(keras=">=2.11")
"""Since 2.11 optimizers keep the present rate of a schedule in a variable."""
NO_CALLBACKS = ("keras.optimizers.", "keras.metrics.", "keras.losses.")


def check_callbacks(c: Call, method: str, given: Any, optimizer: Any = None) -> None:
    held = plain(given)
    parts: Sequence[Any] = held.items if isinstance(held, ListV) else held if isinstance(held, tuple) else (held,)
    for part in parts:
        one = plain(part)
        if name := _class(one):
            _tell(c, c.span, method, Mismatch(
                Problem.UNEXPECTED, f"a callback is the class {name}, not an object of it", help=f"{name}(...)",
                error='TypeError "Callback.set_model() missing 1 required positional argument"'))
        if wrong := _no_callback(one):
            _tell(c, c.span, method, wrong)
        _set_model(c, one)
        for hook, names in _hooks(one, method):
            tell_of_handed(c.machine, hook, names, method)
        _check_rate(c, method, one, optimizer)
        if method == "fit":
            check_schedule(c, one, alone=len(parts) == 1)
        _run_hooks(c, one)


def _class(value: Any) -> str:
    """`callbacks=[EarlyStopping]` (keras/src/callbacks/callback_list.py: CallbackList.set_model)."""
    if isinstance(value, ClassV):
        return value.name if (value.external_base() or "").startswith(BASE) else ""
    name = value.path.rpartition(".")[2] if isinstance(value, External) and value.path.startswith(BASE) else ""
    return name if name[:1].isupper() else ""


def _no_callback(value: Any) -> Mismatch | None:
    """`callbacks=[scheduler]` of the function that a LearningRateScheduler takes, and `callbacks="early_stopping"`."""
    advice = "an object of keras.callbacks"
    if isinstance(value, str):
        what, kind = f"the text {value!r}", "str"
    elif isinstance(value, FunctionV):
        what, kind = described(value), "function"
        advice = "LearningRateScheduler(...) or LambdaCallback(...) makes a callback of a function"
    elif isinstance(value, ObjectV) and value.path.startswith(NO_CALLBACKS):
        kind = value.path.rpartition(".")[2]
        what = f"the {kind} of {value.path.rpartition('.')[0]}"
    else:
        return None
    return Mismatch(Problem.UNEXPECTED, f"a callback is {what}", help=advice,
                    error=f"AttributeError \"'{kind}' object has no attribute 'set_model'\"")


def _hooks(value: Any, method: str) -> Iterator[tuple[BoundV, tuple[str, ...]]]:
    """Hooks of the program's own that a method of the model certainly calls."""
    base = value.cls.external_base() or "" if isinstance(value, InstanceV) else ""
    if base.startswith(BASE) and method in OF:
        for name, given in HOOKS.items():
            hook = value.cls.lookup(name)
            if isinstance(hook, FunctionV) and any(word in name for word in OF[method]):
                yield BoundV(hook, value), given


def _set_model(c: Call, callback: Any) -> None:
    """`self.model` in its hooks is what is trained, if that is one model (keras/src/callbacks/callback.py:
    Callback.set_model)."""
    if not isinstance(callback, InstanceV) or not (callback.cls.external_base() or "").startswith(BASE):
        return
    model = plain(c.receiver)
    if isinstance(model, ModelV | LayerV | InstanceV) and not isinstance(callback.cls.lookup(MODEL), FunctionV):
        known = plain(callback.items.get(MODEL, model)) is model
        c.machine.set_item(callback, MODEL, c.receiver if known else Unknown("the callback of several models"))


def _run_hooks(c: Call, callback: Any) -> None:
    """What the hooks of the program's own callback fill or set holds something else once the method returns."""
    if not isinstance(callback, InstanceV) or not (callback.cls.external_base() or "").startswith(BASE):
        return
    for hook in HOOKS:
        if isinstance(function := callback.cls.lookup(hook), FunctionV):
            lose_changed(c.machine, function, callback)
            for name in _set_by(function.node) & callback.items.keys():
                c.machine.set_item(callback, name, Unknown("what a callback has set"))


def _set_by(function: ast.AST) -> set[str]:
    """`best` of `self.best = logs["loss"]`."""
    return {node.attr for node in walk(function) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name) and node.value.id == "self"}


def _check_rate(c: Call, method: str, callback: Any, optimizer: Any) -> None:
    """A callback sets a learning rate that a schedule gives: Keras 3 refuses that (keras/src/optimizers/
    base_optimizer.py: BaseOptimizer.learning_rate); in Keras 2 it reaches a variable that the schedule overwrites in
    each step (tf_keras/src/callbacks.py: ReduceLROnPlateau, tf_keras/src/optimizers/optimizer.py: _compute_current_
    learning_rate; run with 2.21)."""
    name = callback.path.removeprefix(BASE) if isinstance(callback, ObjectV) else ""
    schedule = _schedule(plain(optimizer))
    if name not in SETTING or not schedule or method != "fit":
        return
    patience, epochs = strip(callback.kwargs.get("patience", 10)), strip(c.get(3, "epochs", 1))
    if name == "ReduceLROnPlateau" and isinstance(patience, int) and isinstance(epochs, int) and epochs <= patience:
        return
    where, error = (REFUSED, f'TypeError "This optimizer was created with a `LearningRateSchedule` object" '
                             f"{SETTING[name]}") if c.machine.stack.keras >= (3,) else (UNHEARD, "no effect, silently")
    _tell(c, c.span, method, Mismatch(
        Problem.INVALID_ARGUMENT, f"{name} sets the learning rate, which the optimizer has of {schedule}",
        help=f"a number as learning_rate, or no {name}", error=error, where=where))


def _schedule(optimizer: Any) -> str:
    """The schedule that an optimizer of Keras was given for its learning rate, or ""."""
    if not isinstance(optimizer, ObjectV) or not optimizer.path.startswith("keras.optimizers."):
        return ""
    rate = plain(optimizer.kwargs.get("learning_rate", optimizer.args[0] if optimizer.args else None))
    if isinstance(rate, ObjectV) and rate.path.startswith("keras.optimizers.schedules."):
        return rate.path.rpartition(".")[2]
    own = isinstance(rate, InstanceV) and (rate.cls.external_base() or "").endswith("schedules.LearningRateSchedule")
    return rate.cls.name if own else ""


def _tell(c: Call, span: Span, method: str, wrong: Mismatch) -> None:
    refuse(c.machine, span, wrong, what=f"Model.{method}", stage=method)


__all__ = ["check_callbacks"]

"""LearningRateScheduler: what it is given, and what its function gives for the first epoch and the last."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV, Raised
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.parameters import parameters
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Tensor, Unknown, Where

SCHEDULER = "keras.callbacks.LearningRateScheduler"
KERAS_3 = Where(keras=">=3")
"""tf_keras/src/callbacks.py: LearningRateScheduler.on_epoch_begin takes a tensor of floats as well."""


def check_schedule(c: Call, callback: Any, *, alone: bool) -> None:
    """keras/src/callbacks/learning_rate_scheduler.py: LearningRateScheduler.on_epoch_begin

    alone  no other callback is there that may end the training before its last epoch
    """
    if not isinstance(callback, ObjectV) or callback.path != SCHEDULER or not is_certain(c.machine) \
            or c.kwargs.keys() & {"initial_epoch", "*", "**"} or len(c.args) > 9:
        return
    if "schedule" not in callback.kwargs and not callback.args:
        return
    schedule = plain(callback.kwargs.get("schedule", callback.args[0] if callback.args else None))
    if type(schedule) in PLAIN:
        shown = repr(schedule) if type(schedule) in (int, float, str, type(None)) else f"a {PLAIN[type(schedule)]}"
        _tell(c, Mismatch(
            Problem.UNEXPECTED, f"LearningRateScheduler is given {shown}, not a function of the epoch",
            help="LearningRateScheduler(lambda epoch: ...), the name of a function without its call; a fixed rate is "
                 "the optimizer's learning_rate",
            error=f"TypeError \"'{PLAIN[type(schedule)]}' object is not callable\""))
    elif isinstance(schedule, ObjectV) and schedule.path.startswith("keras.optimizers.schedules."):
        _tell(c, _given(f"LearningRateScheduler is given {schedule.path.rpartition('.')[2]}, which counts steps and "
                        "gives tensors", "give it to the optimizer as learning_rate, without the callback", KERAS_3))
    elif isinstance(schedule, FunctionV):
        epochs = strip(c.get(3, "epochs", 1))
        last = epochs - 1 if alone and isinstance(epochs, int) and epochs > 0 else 0
        if _in_epoch(c, schedule, 0) is not None or _in_epoch(c, schedule, last) is not None:
            found = (wrong for epoch in (*range(min(last, MOST)), last)
                     if (wrong := _in_epoch(c, schedule, epoch)) is not None)
            _tell(c, next(found))


MOST = 64
"""Epochs that are gone through for the first that is told."""


def _in_epoch(c: Call, schedule: FunctionV, epoch: int) -> Mismatch | None:
    return _of(_called(c, schedule, epoch), schedule.name, epoch)


PLAIN: dict[type, str] = {int: "int", float: "float", str: "str", type(None): "NoneType", Tensor: "tensor",
                          ListV: "list", tuple: "tuple"}


def _called(c: Call, schedule: FunctionV, epoch: int) -> Any:
    """What comes of the epoch and the present rate, or of the epoch alone."""
    m = c.machine
    names, by_keyword = parameters(schedule.node)
    if not 1 <= len(names) <= 2 or by_keyword or getattr(schedule.node, "decorator_list", ()):
        return Unknown("another kind of function")
    emit, m.emit, expecting = m.emit, lambda event: None, m.expecting
    m.expecting += 1
    try:
        rate = Unknown("the present learning rate", number=True)
        return plain(m.call(schedule, [epoch, rate][:len(names)], {}, c.node))
    except Raised:
        return Unknown("an exception")
    finally:
        m.emit, m.expecting = emit, expecting


def _of(made: Any, name: str, epoch: int) -> Mismatch | None:
    shown = "the schedule" if name == "<lambda>" else f"{name}()"
    if type(made) is int or made is None:
        return _given(f"{shown} gives {made} for epoch {epoch}, a learning rate is a float",
                      f"{float(made)}" if made is not None else "return the rate of each epoch", EVERYWHERE)
    if isinstance(made, Tensor) and made.kind in ("tf", "keras"):
        return _given(f"{shown} gives a tensor for epoch {epoch}, {made}, a learning rate is a float",
                      "float(...) around what it returns", KERAS_3)
    return None


def _given(message: str, advice: str, where: Where) -> Mismatch:
    return Mismatch(Problem.UNEXPECTED, message, help=advice, where=where,
                    error='ValueError "The output of the `schedule` function should be a float"')


def _tell(c: Call, wrong: Mismatch) -> None:
    refuse(c.machine, c.span, wrong, what="Model.fit", stage="fit")


__all__ = ["check_schedule"]

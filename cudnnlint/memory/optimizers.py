"""Which optimizer a program trains with, the slots that it keeps, and what it runs for each variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.memory.updates import UPDATES
from cudnnlint.records import record
from cudnnlint.values import Stack, Unknown

DEFAULT = "rmsprop"
"""keras/src/trainers/trainer.py: compile."""
SPELLED = {"sgd": "SGD", "rmsprop": "RMSprop", "adamw": "AdamW"}
PYTHON_SINCE: tuple[int, ...] = (2, 11)
"""The Keras whose optimizers are written in Python (tf_keras/src/optimizers/optimizer.py); one kernel each before. On a
GPU, Keras 2 lets XLA compile them by default, which takes less: that is not counted on."""


POSITIONS: Mapping[str, tuple[str, ...]] = {
    "sgd": ("learning_rate", "momentum", "nesterov", "weight_decay", "clipnorm"),
    "rmsprop": ("learning_rate", "rho", "momentum", "epsilon", "centered", "weight_decay"),
    "adam": ("learning_rate", "beta_1", "beta_2", "epsilon", "amsgrad", "weight_decay"),
    "adamw": ("learning_rate", "weight_decay", "beta_1", "beta_2", "epsilon", "amsgrad"),
}


@record(frozen=True, slots=True)
class Optimizer:
    """`update` names what runs (updates.UPDATES); `slots` are those of each trained variable, in its dtype.

    waits   all gradients are there before the first variable changes
    scaled  a LossScaleOptimizer looks at all gradients first
    norms   the norm of each gradient is taken: clipnorm, or with `waits` global_clipnorm
    factor  what they are clipped to is another number than one
    created  by which several of one step are sorted: the class, and where it is made ("adam", then "adam_1")
    decays  weight decay makes every variable anew at the start, while the step still reads the old one
    averages  a moving average of every variable
    accumulates  sums gradients over several steps (gradient_accumulation_steps)
    known   False where the program's optimizer is not known: then no slots are counted
    """

    name: str
    update: str
    slots: int
    waits: bool = False
    scaled: bool = False
    known: bool = True
    decays: bool = False
    averages: bool = False
    accumulates: bool = False
    norms: bool = False
    factor: bool = True
    created: tuple[str, int, int] = field(default=("", 0, 0), compare=False)


def optimizer_of(value: Any, stack: Stack, scaled: bool = False) -> Optimizer:
    """What compile(optimizer=...) was given; `scaled` where a mixed_float16 policy wraps it in a LossScaleOptimizer."""
    held = plain(value)
    arguments: Mapping[str, Any] = {}
    if held is None:
        held = DEFAULT
    if isinstance(held, ObjectV):
        arguments = {key: strip(one) for key, one in (*_named(held), *held.kwargs.items())}
        if held.path.endswith("LossScaleOptimizer"):
            inner = held.args[0] if held.args else held.kwargs.get("inner_optimizer", held.kwargs.get("optimizer"))
            return optimizer_of(inner, stack, True)
    path = held if isinstance(held, str) else getattr(held, "path", "") if isinstance(held, ObjectV | External) else ""
    name = path.rpartition(".")[2].lower().removesuffix("optimizer")
    name = {"gradientdescent": "sgd"}.get(name, name)
    if (name not in UPDATES and name != "adamw") or name == "fused":
        return Optimizer(name or "unknown", "sgd", 0, scaled, scaled, known=False)
    made = _configured(name, arguments, stack, scaled, ".legacy." in path)
    return made if not isinstance(held, ObjectV) else replace(made, created=(name, held.span.line, held.span.column))


def _named(made: ObjectV) -> Iterable[tuple[str, Any]]:
    """Arguments that are given without their names (keras/src/optimizers/*.py: __init__)."""
    return zip(POSITIONS.get(made.path.rpartition(".")[2].lower(), ()), made.args, strict=False)


def _configured(name: str, given: Mapping[str, Any], stack: Stack, scaled: bool, legacy: bool) -> Optimizer:
    newest = stack.keras >= PYTHON_SINCE and not legacy
    momentum = bool(given.get("momentum", 0)) and not isinstance(given.get("momentum"), Unknown)
    update = name
    if name == "sgd" and (momentum or (newest and stack.keras < (3,))):  # tf_keras/src/optimizers/sgd.py: build
        update = "momentum"
    if update == "momentum" and given.get("nesterov") is True:
        update = "nesterov"
    if name == "rmsprop":
        update = "rmsprop_momentum" if momentum else "centered" if given.get("centered") is True else name
    if name in ("adam", "adamw") and given.get("amsgrad") is True:
        update = "amsgrad"
    decay = given.get("weight_decay", 0.004 if name == "adamw" else None)
    update = "adam" if update == "adamw" else update
    slots = UPDATES[update][1]
    slots += given.get("centered") is True and update == "rmsprop_momentum"
    steps = given.get("gradient_accumulation_steps")
    accumulates = isinstance(steps, int) and steps > 1
    slots += (given.get("use_ema") is True) + accumulates
    norms = [isinstance(given.get(name), int | float) for name in ("clipnorm", "global_clipnorm")]
    return Optimizer(SPELLED.get(name, name.capitalize()), update if newest else "fused", slots, scaled or norms[1],
                     scaled=scaled, decays=newest and isinstance(decay, float) and decay > 0,
                     averages=newest and given.get("use_ema") is True, accumulates=accumulates, norms=any(norms),
                     factor=given.get("clipnorm") != 1)

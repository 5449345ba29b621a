"""LossScaleOptimizer with the second argument that it took while it was experimental."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Where

WAS = "dynamic"
"""What `loss_scale` was where the scale is to follow the gradients."""


@FRAMEWORK.on(*(f"keras.{room}.LossScaleOptimizer" for room in ("mixed_precision", "optimizers")))
def loss_scale_optimizer(c: Call) -> Any:
    _check(c)
    callee = plain(c.callee)
    path = callee.path if isinstance(callee, External) else "keras.mixed_precision.LossScaleOptimizer"
    return ObjectV(path, tuple(c.args), dict(c.kwargs), c.span)


def _check(c: Call) -> None:
    """`LossScaleOptimizer(adam, "dynamic")`, `LossScaleOptimizer(adam, 128.0)`: the second argument is now a bool in
    Keras 2 (tf_keras/src/mixed_precision/loss_scale_optimizer.py) and the first scale in Keras 3."""
    if len(c.args) < 2:
        return
    given = plain(c.args[1])
    if given == WAS and c.machine.stack.keras >= (3,):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"initial_scale of LossScaleOptimizer is {WAS!r}, it is a number",
            help="leave it out: the scale follows the gradients by default", argument="initial_scale",
            error="ValueError \"dtype='string' is not a valid dtype for Keras type promotion\" or UnimplementedError "
            "\"Cast string to float is not supported\", when it is built",
            where=Where(keras=">=3"), facts=(("needless", 1),)), what="LossScaleOptimizer")
    elif given == WAS or type(given) in (int, float):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"dynamic of LossScaleOptimizer is {given!r}, it is True or False",
            help="leave it out: the scale follows the gradients by default" if given == WAS else
            f"dynamic=False, initial_scale={given!r}", argument="dynamic",
            error="TypeError \"argument to LossScaleOptimizer.__init__ must be a bool\"",
            where=Where(keras=">=2.4,<3"), facts=(("needless", 1),) if given == WAS else ()), what="LossScaleOptimizer")

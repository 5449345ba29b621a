"""Optimizers of Keras whose learning rate is a text."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.forget import forget_closures
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem

NAMES = ("SGD", "RMSprop", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "Adafactor", "Nadam", "Ftrl", "Lion")


def _made(name: str) -> Any:
    def optimizer(c: Call) -> ObjectV:
        """keras/src/optimizers/base_optimizer.py: BaseOptimizer.__init__; run with tf_keras 2.21 as well"""
        rate = plain(c.get(0, "learning_rate"))
        if isinstance(rate, str) and is_meant(c.machine) and not (c.machine.handlers or c.machine.uncalled):
            refuse(c.machine, c.span, Mismatch(
                Problem.INVALID_ARGUMENT, f"{name} is given the text {rate!r} as learning_rate",
                argument="learning_rate", help=AS_NUMBER,
                error='ValueError "Argument `learning_rate` should be float, or an instance of LearningRateSchedule", '
                      'or TypeError "Cannot convert ... to EagerTensor of dtype float"'), what=name)
        forget_closures(c.machine, c)
        return ObjectV(f"keras.optimizers.{name}", tuple(c.args), dict(c.kwargs), c.span)

    return optimizer


AS_NUMBER = "float(...) of it; PyYAML reads 1e-3 as a text, 1.0e-3 as a number"

for _name in NAMES:
    FRAMEWORK.on(f"keras.optimizers.{_name}")(_made(_name))

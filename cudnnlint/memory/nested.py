"""Gradients that a step computes on its way forward, of which gradients are asked again: a gradient penalty."""

from __future__ import annotations

from cudnnlint.ops.kernels.backward import backward
from cudnnlint.ops.kernels.tape import FORWARD, Tape, Value


def inner_gradient(tape: Tape, loss: Value, source: Value) -> Value:
    """The gradient of `loss` by `source`, a tensor, recorded as part of the way forward."""
    before = [value.trained for value in tape.values]
    start = len(tape.kernels)
    for value in tape.values:
        value.trained = value is source
    for kernel in tape.kernels:
        kernel.output.trained = kernel.output is source or True in [value.trained for value in kernel.inputs]
    made = backward(tape, loss, source)
    for value, trained in zip(tape.values, before, strict=False):
        value.trained = trained
    for kernel in tape.kernels[start:]:
        if kernel.kind == "convolve":
            tape.nested = True
        kernel.phase = FORWARD
        kernel.output.trained = True in [value.trained for value in kernel.inputs]
    tape.phase = FORWARD
    return made.get(source.index) or tape.value(source.size)

"""The way back through what was recorded: each operation's gradients, and the sums of those of one tensor."""

from __future__ import annotations

from collections.abc import Mapping

from cudnnlint.ops.kernels.gradients import RULES
from cudnnlint.ops.kernels.names import NAMELESS, name_of
from cudnnlint.ops.kernels.pushed import push_down
from cudnnlint.ops.kernels.tape import BACKWARD, Kernel, Tape, Value


def backward(t: Tape, loss: Value, source: Value | None = None) -> dict[int, Value]:
    """Record the gradients of all trained variables, or of `source`; its index -> gradient."""
    t.phase, start = BACKWARD, len(t.kernels)
    waiting: dict[int, list[Value]] = {loss.index: [t.value(loss.size)]}
    layer, made_for = t.layer, dict[int, Kernel]()
    for kernel in reversed(t.kernels[:]):
        output = kernel.output
        if not output.trained or output.index not in waiting or output is source:
            continue
        t.layer = kernel.layer
        if output.index in t.doubts:
            t.unknown[t.doubts[output.index]] = None
        given, made = _total(t, made_for, waiting.pop(output.index)), len(t.kernels)
        for value, grad in zip(kernel.inputs, RULES[kernel.kind](t, kernel, given), strict=False):
            if grad is not None and value.trained:
                waiting.setdefault(value.index, []).append(grad)
                if grad.made >= made:
                    made_for[grad.index] = kernel
    t.layer = layer
    found = {index: _total(t, made_for, grads) for index, grads in waiting.items()
             if t.values[index].made < 0 or t.values[index] is source}
    if t.ahead:
        push_down(t, start, {grad.index for grad in found.values()})
    return found


def _total(t: Tape, made_for: Mapping[int, Kernel], grads: list[Value]) -> Value:
    """The sum, of terms in the order of their names, as grappler leaves it (tensorflow/core/grappler/optimizers/
    common_subgraph_elimination.cc: CanonicalizeNode); where some are rows of a table, all are made dense
    (tensorflow/python/eager/backprop_util.py: AggregateIndexedSlicesGradients)."""
    if len(grads) == 1:
        return grads[0]
    grads = sorted(grads, key=lambda grad: name_of(t, made_for[grad.index]) if grad.index in made_for else NAMELESS)
    sizes = {(one.size.fixed, one.size.each) for one in grads}
    if len(sizes) > 1 and (whole := next((one.size for one in grads if not one.size.each), None)) is not None:
        grads = [t.run("segment_sum", (one,), whole) if one.size.each else one for one in grads]
    return t.run("add_n", tuple(grads), grads[0].size, reuse=True)


"""What a step runs after its losses are there: gradients, and the updates of the variables they are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from cudnnlint.memory.losses import SCALAR
from cudnnlint.memory.optimizers import Optimizer
from cudnnlint.memory.order import last_names_first
from cudnnlint.memory.replicas import all_reduced
from cudnnlint.memory.updates import scatters, update
from cudnnlint.ops.kernels.backward import backward
from cudnnlint.ops.kernels.maths import add, divide, reduce, scale
from cudnnlint.ops.kernels.tape import FORWARD, RESET, TAKEN, UPDATE, Kernel, Size, Tape, Value
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Stack

CHANGES = ("assign", TAKEN)
EARLY: Mapping[str, int] = {"ftrl": 1, **dict.fromkeys((
    "adam", "amsgrad", "muon", "rmsprop", "rmsprop_momentum", "momentum", "nesterov", "adamax", "nadam"), 0)}
"""Optimizers of which the change of a slot, one of those that they make, is walked from before that of the variable
(order.FIRST)."""


@record(frozen=True, slots=True)
class Descent:
    """Gradients that a step of the program's own applies.

    losses     tensors whose sum they are of; owners: the models or layers whose variables they change
    outputs    of the last of them, and what is known of the loss on them (`infos`): where the losses are not followed
    since, until  when the tape began and ended to record; applied: the models that were under it
    """

    span: Span
    losses: Any
    outputs: Any
    infos: Any
    owners: tuple[Any, ...]
    optimizer: Optimizer
    since: int = 0
    until: int = 0
    applied: tuple[Any, ...] = ()


def summed(t: Tape, losses: Sequence[Value]) -> Value | None:
    """One number of what a gradient is asked of."""
    total: Value | None = None
    for loss in losses:
        one = loss if loss.size == SCALAR else reduce(t, loss, SCALAR)
        total = one if total is None else add(t, total, one)
    return total


def train(tape: Tape, loss: Value, optimizer: Optimizer, stack: Stack, spread: int, reducing: int,
          sources: frozenset[int] | None = None, order: Mapping[int, int] = MappingProxyType({}),
          again: Sequence[str] = ()) -> dict[int, Value]:
    """The way back from a loss, and the updates; `sources`: the variables asked for, all where it is None; `order`:
    their places in Keras' list; `again`: names of the layers by number, where the step reads them afterwards. Gives
    what changed each variable."""
    before = _only(tape, sources) if sources is not None else {}
    grads = backward(tape, loss)
    tape.phase = UPDATE
    grads = _clipped(tape, grads, optimizer, order)
    if spread > 1:
        grads = all_reduced(tape, grads, spread, reducing)
    changed = set(grads)
    if scatters(optimizer.update) and stack.keras >= (3,):
        _copied_tables(tape, {index for index in changed if grads[index].size.each})
    if optimizer.decays and optimizer.scaled:
        _decayed_late(tape, grads)
    elif optimizer.decays:
        _decayed(tape, changed)
    done = _updated(tape, grads, optimizer, stack, order, bool(again))
    if again:
        _read_again(tape, done, again)
    for index, trained in before.items():
        tape.values[index].trained = trained
    tape.phase = FORWARD
    return done


def _updated(tape: Tape, grads: dict[int, Value], optimizer: Optimizer, stack: Stack,
             order: Mapping[int, int], again: bool) -> dict[int, Value]:
    """Every variable that has a gradient is changed; gives what changed it."""
    done: dict[int, Value] = {}
    first: list[Value] = []
    for variable, layer in sorted(tape.variables, key=lambda one: order.get(one[0].index, len(order))):
        if variable.index in grads:
            tape.layer, start = layer, len(tape.kernels)
            done[variable.index] = update(tape, optimizer.update, grads[variable.index], variable.size,
                                          averaged=optimizer.averages, summed=optimizer.accumulates, again=again,
                                          in_place=stack.keras < (3,))
            for kernel in tape.kernels[start:] if optimizer.scaled else ():  # all stands in the conditional
                if not kernel.inputs:
                    kernel.after = kernel.after or grads[variable.index]
            changes = [kernel.output for kernel in tape.kernels[start:] if kernel.kind in CHANGES]
            early = EARLY.get(optimizer.update, -1)
            first.append(changes[early] if len(changes) > early >= 0 else done[variable.index])
    last = list(done.values())
    names = "" if stack.keras < (3,) and optimizer.update == "momentum" else optimizer.update
    ends = [first[place] for place in last_names_first(len(first), names, optimizer.decays)]
    ends += [last[place] for place in last_names_first(len(last), "")]
    if optimizer.accumulates or optimizer.scaled:  # one conditional takes all gradients, in the order of the variables
        ends = last[::-1]
    if optimizer.accumulates:  # and sets zeros
        tape.folded += [variable.size for variable, _ in tape.variables if variable.index in grads]
        resets = (kernel.output for kernel in tape.kernels if kernel.kind == RESET)
        tape.run("assign", (*resets, *last), Size(0))  # until the step ends
    tape.ends.append(((*optimizer.created, len(tape.ends)), ends))
    return done


def _read_again(tape: Tape, done: dict[int, Value], names: Sequence[str]) -> None:
    """What reads a variable that the step has changed is walked from before any update: by the layers' names, of which
    "sequential/conv2d_2/convolution/ReadVariableOp" comes after all of an optimizer's, and a kernel's after a bias'."""
    layers = {value.index: names[layer] for value, layer in tape.variables}
    read = sorted(done, key=layers.__getitem__, reverse=True)
    tape.ends.append((("~", 0, 0, len(tape.ends)), [done[index] for index in read]))


def _only(tape: Tape, sources: frozenset[int]) -> dict[int, bool]:
    """Gradients flow to these variables alone; gives what was so before."""
    before: dict[int, bool] = {value.index: value.trained for value in tape.values if value.trained}
    for index in before:
        value = tape.values[index]
        value.trained = index in sources if value.made < 0 else any(
            each.trained for each in tape.kernels[value.made].inputs)
    return before


def follow(tape: Tape, start: int, done: dict[int, Value]) -> None:
    """Kernels from `start` on, backwards too, that read a variable which the step has changed before wait for that."""
    for kernel in tape.kernels[start:]:
        changed = [done[value.index] for value in kernel.inputs if value.index in done]
        if changed and kernel.phase != UPDATE and kernel.after is None:
            kernel.after = changed[-1]


def _clipped(tape: Tape, grads: dict[int, Value], optimizer: Optimizer,
             order: Mapping[int, int]) -> dict[int, Value]:
    """Gradients scaled by their norm, or unscaled once all are found finite (keras/src/optimizers/base_optimizer.py:
    _clip_gradients, loss_scale_optimizer.py)."""
    if not grads or not (optimizer.norms or optimizer.waits):
        return grads
    if not optimizer.waits:
        return {index: _by_norm(tape, grad, optimizer.factor) for index, grad in grads.items()}
    norms = dict(grads)
    for index, grad in grads.items() if optimizer.norms else ():
        norms[index] = tape.run("norm", (tape.run("square", (grad,), grad.size),), SCALAR)
    tape.layer, every = 0, tuple(norms[index] for index in sorted(norms, key=lambda one: order.get(one, len(order))))
    norms = dict.fromkeys(norms, tape.run("norm", every, SCALAR))
    return {index: tape.run("scale", (grad, norms[index]), grad.size, reuse=True) for index, grad in grads.items()}


def _by_norm(t: Tape, grad: Value, factor: bool) -> Value:
    """Each of these steps lets the way back go on by one more operation (tensorflow/python/ops/clip_ops.py:
    clip_by_norm); a norm of one is no `factor`."""
    total = t.run("norm", (t.run("square", (grad,), grad.size),), SCALAR)
    positive = t.run("compare", (total,), SCALAR.of(1))
    root = t.run("sqrt", (t.run("select", (positive, total), SCALAR),), SCALAR)
    norm = t.run("larger", (t.run("select", (positive, root, total), SCALAR),), SCALAR)
    return divide(t, t.run("scale", (grad,), grad.size, reuse=True) if factor else grad, norm)


def _decayed(tape: Tape, changed: set[int]) -> None:
    """Weight decay assigns every variable before the step has read it: old and new are there until it has
    (keras/src/optimizers/base_optimizer.py: _apply_weight_decay)."""
    readers: dict[int, list[Kernel]] = {index: [] for index in changed}
    for kernel in tape.kernels:
        for index in {value.index for value in kernel.inputs} & changed:
            readers[index].append(kernel)
    for variable, layer in tape.variables:
        if variable.index not in changed:
            continue
        tape.layer, reading = layer, readers[variable.index]
        change = (tape.run("scale", (), variable.size),)
        if all(value.made < 0 for kernel in reading for value in kernel.inputs):  # read before: changed in place
            tape.run("assign", change, Size(0))
            continue
        old = tape.run("decayed", change, variable.size)
        for kernel in reading:
            kernel.inputs = tuple(old if value is variable else value for value in kernel.inputs)


def _decayed_late(tape: Tape, grads: Mapping[int, Value]) -> None:
    """In the conditional of a LossScaleOptimizer: all variables at once, as their gradients are unscaled."""
    for variable, layer in tape.variables:
        if variable.index in grads:
            tape.layer, finite = layer, tape.maker(grads[variable.index].index).inputs[-1]
            tape.run("assign", (scale(tape, tape.run("scale", (finite,), variable.size)),), Size(0))


def _copied_tables(tape: Tape, changed: set[int]) -> None:
    """Tables whose rows are updated in place are copied when they are read (tensorflow/core/kernels/
    training_op_helpers.h: copy_on_read_mode)."""
    for kernel in [one for one in tape.kernels if one.kind == "rows" and one.inputs[0].index in changed]:
        tape.layer = kernel.layer
        size = kernel.inputs[0].size.times(tape.apart.get(id(kernel), 1))
        kernel.inputs = (tape.run("read", (), size), *kernel.inputs[1:])

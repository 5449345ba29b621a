"""Steps of a program's own: the losses that its tapes are asked about, and each model that its optimizers change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cudnnlint.events.training import PENALTY
from cudnnlint.memory.losses import loss_of
from cudnnlint.memory.moves import moving
from cudnnlint.memory.operands import makers
from cudnnlint.memory.optimizers import Optimizer
from cudnnlint.memory.penalties import penalized
from cudnnlint.memory.record import Recorder
from cudnnlint.memory.regimes import layers_of
from cudnnlint.memory.trainables import in_order
from cudnnlint.memory.training import Descent, follow, summed, train
from cudnnlint.memory.weights import Item, variables
from cudnnlint.ops.kernels.maths import add
from cudnnlint.ops.kernels.tape import NotSized, Value
from cudnnlint.values import Stack
from cudnnlint.values.tensor import tensors


def together(descents: Sequence[Descent]) -> list[list[Descent]]:
    """Those whose tapes record at the same time stand together: their losses are there before the first gradient."""
    found: list[list[Descent]] = []
    for descent in descents:
        if found and descent.since < max(one.until for one in found[-1]):
            found[-1].append(descent)
        else:
            found.append([descent])
    return found


def stepped(recorder: Recorder, descents: Sequence[Descent], stack: Stack, spread: int, reducing: int,
            compiled: bool, moves: Sequence[Any]) -> list[Value]:
    """Record all of the step; gives its losses. What XLA compiles needs no way back."""
    tape, done, found = recorder.tape, dict[int, Value](), list[Value]()
    groups = together(descents)
    for group in groups:
        start, earlier = len(tape.kernels), dict(done)
        losses = [_loss(recorder, descent) for descent in group]
        for descent, loss in zip(group, losses, strict=True) if not compiled else ():
            done |= train(tape, loss, descent.optimizer, stack, spread, reducing, sources(recorder, descent),
                          in_order(recorder, descent.owners),
                          [place.label for place in recorder.places] if group is not groups[-1] else ())
        follow(tape, start, earlier)
        found += losses
    for move in moves if not compiled else ():
        moving(recorder, move, done)
    return found


def only(recorder: Recorder, descents: Sequence[Descent]) -> None:
    """Take as trained what gradients are asked for, in a step that XLA compiles."""
    wanted = frozenset().union(*(sources(recorder, descent) for descent in descents))
    tape = recorder.tape
    for value in tape.values:
        if value.trained and value.made < 0:
            value.trained = value.index in wanted
    for kernel in tape.kernels:
        kernel.output.trained = kernel.output.trained and any(value.trained for value in kernel.inputs)
    tape.variables = [(value, layer) for value, layer in tape.variables if value.trained]


def sources(recorder: Recorder, descent: Descent) -> frozenset[int]:
    """The variables that gradients are asked for: those of the model, and what belongs to no layer of the library."""
    owned = {value.index for made in recorder.owned.values() for _, value in made}
    layers = [layer for owner in descent.owners for layer in layers_of(owner)]
    own = {value.index for layer in layers for _, value in recorder.owned.get(id(layer), ())}
    every = {value.index for value, _ in recorder.tape.variables}
    return frozenset(own & every | every - owned)


def _loss(recorder: Recorder, descent: Descent) -> Value:
    """The sum of the losses as the program computes them; where they are not followed, the loss that was called on what
    the model gave."""
    tape = recorder.tape
    try:
        made = summed(tape, [recorder.value(tensor) for tensor in tensors(descent.losses)])
    except NotSized:
        made = None
    if made is not None and made.trained:
        return with_norms(recorder, made)
    outputs: list[Value] = []
    try:
        outputs = [recorder.value(tensor) for tensor in tensors(descent.outputs)]
    except NotSized as reason:
        tape.unknown[str(reason)] = None
    if not outputs:
        tape.unknown["the loss of a step of the program's own"] = None
    widths = [tensor.shape[-1] if tensor.rank else 1 for tensor in tensors(descent.outputs)]  # type: ignore[index]
    return loss_of(tape, outputs, descent.infos, widths)


def with_norms(recorder: Recorder, loss: Value) -> Value:
    """The loss and what the program itself computes of variables and adds."""
    values = recorder.tape.values
    for owners, kind in recorder.norms:
        theirs = in_order(recorder, owners)
        found = [(values[index], kind) for index in theirs if values[index].trained] if kind != PENALTY else \
            [(value, how) for value, how in recorder.penalties if value.index in theirs and value.trained]
        layers = {id(layer) for owner in owners for layer in layers_of(owner)} if kind == PENALTY else set[int]()
        for layer, value in recorder.activities:
            loss = add(recorder.tape, loss, value) if id(layer) in layers and value.trained else loss
        loss = penalized(recorder.tape, loss, found)
    recorder.norms.clear()
    return loss


def state_of(descents: Sequence[Descent], model: Any, optimizer: Optimizer, stack: Stack,
             reached: Sequence[Any] = ()) -> tuple[int, int, list[str]]:
    """Bytes of the variables of all models at hand, of the slots of what is trained, and why others are not known. A
    model that no tape saw is at hand where a loss comes from it: that of the targets of a Q-learner. `reached`: tensors
    of a model that is not known whole."""
    total = slots = 0
    reasons: dict[str, None] = {}
    seen = set[int]()
    held = [model, *(each for descent in descents for each in (*descent.owners, *descent.applied))]
    held += [*makers(descent.losses for descent in descents), *makers(reached)]
    walked: dict[int, list[Item]] = {}
    for each in held:
        found = list(variables(each, stack, seen))
        if not walked:  # nothing was seen before: these are all that it has
            walked[id(each)] = found
        for item in found:
            if isinstance(item, str):
                reasons[item] = None
            else:
                total += item[0] * (item[1] or 4)
    for owner, by in _trained(descents, model, optimizer):
        slots += by.slots * sum(item[0] * (item[1] or 4) for item in walked.get(id(owner)) or variables(owner, stack)
                                if not isinstance(item, str) and item[2] is True)
    return total, slots, list(reasons)


def _trained(descents: Sequence[Descent], model: Any, optimizer: Optimizer) -> Iterator[tuple[Any, Optimizer]]:
    """Each model with its optimizer, once."""
    if not descents:
        yield model, optimizer
    found: set[tuple[int, str]] = set()
    for descent in descents:
        for owner in descent.owners:
            if (key := (id(owner), descent.optimizer.name)) not in found:
                found.add(key)
                yield owner, descent.optimizer

"""The estimate of one step: a model recorded, run through, and its terms at the moment when most is alive."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from cudnnlint.memory.device import DeviceMemory
from cudnnlint.memory.estimate import XLA, Estimate, Share, Terms
from cudnnlint.memory.losses import SCALAR, loss_of
from cudnnlint.memory.optimizers import Optimizer
from cudnnlint.memory.plans import Plan
from cudnnlint.memory.record import Place, Recorder, key
from cudnnlint.memory.replicas import NAME as ALL_REDUCE
from cudnnlint.memory.replicas import all_reduced
from cudnnlint.memory.shared import simplify
from cudnnlint.memory.simulate import Buffer, Moment, Simulation
from cudnnlint.memory.updates import TURNING, scatters, update
from cudnnlint.memory.walks import over_time, single
from cudnnlint.memory.weights import variables
from cudnnlint.memory.xla import compiled_moments
from cudnnlint.ops.kernels.gradients import backward
from cudnnlint.ops.kernels.tape import BACKWARD, FORWARD, UPDATE, NotSized, Size, Tape, Value
from cudnnlint.source import Span
from cudnnlint.values import Stack, Unknown
from cudnnlint.values.tensor import tensors

PRODUCTS = ("contract", "convolve")
TURNED = 3
"""Layers next to the input whose input's gradient runs before their kernel's, with SGD and RMSprop: 2 to 4 in the nine
models looked at. With Adam and in all other layers it is the other way round; grappler's sorting decides."""
SCALARS = 20
"""iteration (int64), learning_rate, and the total and count of the loss' metric."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an estimate is asked for.

    model      the object; outputs and losses of one step on it; data: structures of what it is fed
    spread     replicas that gradients are added up over
    batch      samples in a step, if known; frozen: the batch that its numbers have, where they have one
    """

    span: Span
    method: str
    model: Any
    name: str
    outputs: Any
    losses: Any
    data: tuple[Any, ...]
    batch: int | None
    counted: int
    numbers: int | None
    optimizer: Optimizer
    policy: str
    regime: str
    training: bool
    stack: Stack
    assumptions: tuple[str, ...] = ()
    calls: tuple[Span, ...] = ()
    replicas: int = 1
    timeline: bool = False
    device: DeviceMemory | None = None
    spread: int = 1


def estimate(asked: Asked) -> Estimate:
    """Total: what is not known makes it a lower bound."""
    tape = Tape(asked.numbers)
    recorder = Recorder(tape, asked.stack, asked.training)
    for tensor in tensors(asked.data[0]) if asked.data else ():
        recorder.known[key(tensor)] = recorder.given(tensor)
    try:
        outputs = [recorder.value(tensor) for tensor in tensors(asked.outputs)]
    except NotSized as reason:
        tape.unknown[str(reason)] = None
        outputs = []
    if not outputs:
        why = asked.outputs.why if isinstance(asked.outputs, Unknown) else ""
        tape.unknown[f"the model's outputs: {why}" if why else "the model's outputs"] = None
    if asked.training and asked.regime != XLA:  # XLA's way back is found from the forward pass alone
        recorder.places.append(Place(ALL_REDUCE))
        _train(tape, outputs, asked, len(recorder.places) - 1)
    weights, trained, reasons = _weights(asked)
    tape.unknown.update(dict.fromkeys(reasons))
    slots = trained * asked.optimizer.slots + SCALARS if asked.training else 0
    if asked.training and not asked.optimizer.known:
        tape.unknown["the optimizer's slots"] = None
    fixed, each = _input(tape, asked.data)
    return _counted(asked, recorder, weights, slots, fixed, each)


def _train(tape: Tape, outputs: list[Value], asked: Asked, reducing: int) -> None:
    widths = [tensor.shape[-1] if tensor.rank else 1 for tensor in tensors(asked.outputs)]  # type: ignore[index]
    loss = loss_of(tape, outputs, asked.losses, widths)
    if asked.optimizer.update in TURNING:
        both = [kernel for kernel in tape.kernels if kernel.kind in PRODUCTS and kernel.inputs[0].trained]
        tape.turned = frozenset(id(kernel) for kernel in both[:TURNED])
    grads = backward(tape, loss)
    tape.phase = UPDATE
    grads = _clipped(tape, grads, asked.optimizer)
    if asked.spread > 1:
        grads = all_reduced(tape, grads, asked.spread, reducing)
    if scatters(asked.optimizer.update):
        _copied_tables(tape)
    if asked.stack.keras < (3,) and asked.optimizer.update == "adam":
        _scattered_slots(tape)
    if asked.optimizer.decays:
        _decayed(tape)
    for variable, layer in tape.variables:
        if variable.index in grads:
            tape.layer = layer
            update(tape, asked.optimizer.update, grads[variable.index], variable.size,
                   averaged=asked.optimizer.averages)
    simplify(tape, (loss,))


def _clipped(tape: Tape, grads: dict[int, Value], optimizer: Optimizer) -> dict[int, Value]:
    """Gradients scaled by their norm, or unscaled once all are found finite (keras/src/optimizers/base_optimizer.py:
    _clip_gradients, loss_scale_optimizer.py)."""
    if not grads or not (optimizer.norms or optimizer.waits):
        return grads
    norms = dict(grads)
    for index, grad in grads.items() if optimizer.norms else ():
        norms[index] = tape.run("norm", (tape.run("square", (grad,), grad.size),), SCALAR)
    if optimizer.waits:
        tape.layer = 0
        norms = dict.fromkeys(norms, tape.run("norm", tuple(norms.values()), SCALAR))
    return {index: tape.run("scale", (grad, norms[index]), grad.size, reuse=True) for index, grad in grads.items()}


def _scattered_slots(tape: Tape) -> None:
    """Both slots of a table are copied and decayed before its rows are added (tf_keras/src/optimizers/adam.py)."""
    for kernel in [kernel for kernel in tape.kernels if kernel.kind == "rows" and kernel.inputs[0].trained]:
        tape.layer = kernel.layer
        copies = [tape.run("read", (), kernel.inputs[0].size) for _ in range(2)]
        for one in copies:
            tape.run("assign", (one,), Size(0))


def _decayed(tape: Tape) -> None:
    """Weight decay assigns every variable before the step has read it: old and new are there until it has
    (keras/src/optimizers/base_optimizer.py: _apply_weight_decay)."""
    readers = list(tape.kernels)
    for variable, layer in tape.variables:
        tape.layer = layer
        reading = [kernel for kernel in readers if variable in kernel.inputs]
        change = (tape.run("scale", (), variable.size),)
        if all(value.made < 0 for kernel in reading for value in kernel.inputs):  # read before: changed in place
            tape.run("assign", change, Size(0))
            continue
        old = tape.run("decayed", change, variable.size)
        for kernel in reading:
            kernel.inputs = tuple(old if value is variable else value for value in kernel.inputs)


def _copied_tables(tape: Tape) -> None:
    """Tables whose rows are updated in place are copied when they are read (tensorflow/core/kernels/
    training_op_helpers.h: copy_on_read_mode)."""
    for kernel in [kernel for kernel in tape.kernels if kernel.kind == "rows" and kernel.inputs[0].trained]:
        tape.layer = kernel.layer
        kernel.inputs = (tape.run("read", (), kernel.inputs[0].size), *kernel.inputs[1:])


def _weights(asked: Asked) -> tuple[int, int, list[str]]:
    """Bytes of all variables and of those that are trained; why others are not known."""
    total = trained = 0
    reasons: list[str] = []
    for item in variables(asked.model, asked.stack):
        if isinstance(item, str):
            reasons.append(item)
            continue
        size, each, is_trained = item
        total += size * (each or 4)
        trained += size * (each or 4) if is_trained is True else 0
    return total, trained, reasons


def _input(tape: Tape, data: Iterable[Any]) -> tuple[int, int]:
    """Bytes of the batch: fixed, and of each sample."""
    fixed = each = 0
    for tensor in tensors(list(data)):
        try:
            size = tape.size_of(tensor)
        except NotSized as reason:
            tape.unknown[f"an input: {reason}"] = None
            continue
        fixed, each = fixed + size.fixed * size.item, each + size.each * size.item
    return fixed, each


def _counted(asked: Asked, recorder: Recorder, weights: int, slots: int, fixed: int, each: int) -> Estimate:
    batch = asked.counted
    if asked.regime == XLA and asked.training:
        moments, alive = compiled_moments(recorder.tape, batch)
    else:
        simulation, log = Simulation(recorder.tape), list[tuple[int, int, int]]()
        moments = simulation.run(log) or [Moment(0, 0, -1)]
        most = simulation.alive(log, max(moments, key=lambda one: one.bytes(batch)))
        alive = [Buffer(*simulation.bytes[index], recorder.tape.maker(index)) for index in most]
    terms = Terms(weights=weights, optimizer=slots, input=fixed + each * batch, **_terms(alive, recorder.tape, batch))
    compiled_step = asked.regime == XLA and asked.training
    return Estimate(
        span=asked.span, method=asked.method, model=asked.name, batch_size=asked.batch, counted=batch,
        regime=asked.regime, optimizer=asked.optimizer.name if asked.training else "", policy=asked.policy, terms=terms,
        state=weights + slots + fixed, each=each, moments=tuple((one.fixed, one.each) for one in moments),
        layers=_shares(alive, recorder, batch), unknown=tuple(recorder.tape.unknown), assumptions=asked.assumptions,
        training=asked.training, replicas=asked.replicas, calls=asked.calls,
        timeline=over_time(recorder, batch, compiled_step, terms) if asked.timeline else None, device=asked.device,
        single=0.0 if compiled_step else single(alive),
        plan=None if compiled_step else Plan(recorder.tape, _variables(recorder, weights + slots), each))


def _variables(recorder: Recorder, total: int) -> tuple[int, ...]:
    """Bytes of each variable and slot; those of parts that are not known in one piece."""
    sizes = [value.size.fixed * value.size.item for made in recorder.owned.values() for _, value in made]
    copies = total // sum(sizes) if sum(sizes) else 0
    return (*sizes * copies, total - copies * sum(sizes))


def _terms(alive: Iterable[Buffer], tape: Tape, batch: int) -> dict[str, int]:
    found = {"activations": 0, "gradients": 0, "transient": 0}
    grads = {kernel.inputs[0].index for kernel in tape.kernels if kernel.phase == UPDATE and kernel.inputs}
    for buffer in alive:
        kernel = buffer.kernel
        phase = "activations" if kernel.phase == FORWARD else \
            "gradients" if kernel.phase == BACKWARD and kernel.output.index in grads else "transient"
        name = buffer.term or phase
        found[name] += buffer.fixed + buffer.each * batch
    return found


def _shares(alive: Iterable[Buffer], recorder: Recorder, batch: int) -> tuple[Share, ...]:
    """Bytes by layer, the largest first."""
    found: dict[int, int] = {}
    for buffer in alive:
        layer = buffer.kernel.layer
        found[layer] = found.get(layer, 0) + buffer.fixed + buffer.each * batch
    made = [Share(recorder.places[layer].label, recorder.places[layer].span, size)
            for layer, size in found.items() if layer]
    return tuple(sorted(made, key=lambda share: -share.bytes))


Maker = Callable[[int | None], Estimate]
"""The estimate for a batch size, or for the program's own where None is given."""



"""The estimate of one step: a model recorded, run through, and its terms at the moment when most is alive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from cudnnlint.memory.device import DeviceMemory
from cudnnlint.memory.estimate import MOST, XLA, Estimate, Share, Terms
from cudnnlint.memory.losses import crossed, loss_of
from cudnnlint.memory.metrics import measured
from cudnnlint.memory.modes import trained_by_fit
from cudnnlint.memory.names import comes_first
from cudnnlint.memory.operands import is_given, key
from cudnnlint.memory.optimizers import Optimizer
from cudnnlint.memory.own import before, followed, whole, with_added
from cudnnlint.memory.penalties import penalized
from cudnnlint.memory.plans import FORWARDS, MARGIN, Otherwise, Plan, takes_more_open
from cudnnlint.memory.record import Place, Recorder
from cudnnlint.memory.replicas import NAME as ALL_REDUCE
from cudnnlint.memory.shared import pruned, simplify
from cudnnlint.memory.simulate import Buffer, Moment, Simulation
from cudnnlint.memory.steps import only, state_of, stepped, together
from cudnnlint.memory.trainables import in_order
from cudnnlint.memory.training import Descent, train
from cudnnlint.memory.unswept import unswept
from cudnnlint.memory.walks import over_time, single
from cudnnlint.memory.xla.alive import compiled_moments
from cudnnlint.memory.xla.fitting import Compiled, beside
from cudnnlint.memory.xla.forwards import merge, narrow, put_out
from cudnnlint.memory.xla.padded import padded_once
from cudnnlint.memory.xla.sums import fuse_sums
from cudnnlint.memory.xla.updates import wholes
from cudnnlint.ops.kernels.tape import BACKWARD, FORWARD, RESET, UPDATE, Kernel, NotSized, Tape, Value
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Stack, Unknown
from cudnnlint.values.tensor import tensors
from cudnnlint.values.unknown import Cut

SCALARS = 20
"""iteration (int64), learning_rate, and the total and count of the loss' metric."""

PADDED = "what XLA pads for second derivatives of convolutions"
"""Their kernels with gaps and borders, several times: a critic with four of them took 55 % more than was counted."""


@record(frozen=True, slots=True)
class Asked:
    """What an estimate is asked for.

    model      the object; outputs and losses of one step on it; data: structures of what it is fed
    spread     replicas that gradients are added up over
    descents   what a step of the program's own trains, where it has one; metrics: as compile() was given them
    own        what losses of the program's own give, by the place of the output; computed: its compute_loss()
    moves      variables that such a step assigns; added: what layers give to add_loss()
    full       whether the graph knows the batch; fixed: whether it would if the program used another one
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
    descents: tuple[Descent, ...] = ()
    metrics: Any = None
    own: Mapping[int, Any] = field(default_factory=dict)
    computed: Any = None
    moves: tuple[Any, ...] = ()
    added: tuple[Any, ...] = ()
    full: bool = False
    fixed: bool = False

    @property
    def optimizers(self) -> tuple[Optimizer, ...]:
        """All that are used."""
        return tuple(dict.fromkeys(one.optimizer for one in self.descents)) or (self.optimizer,)


@unswept
def estimate(asked: Asked) -> Estimate:
    """Total: what is not known makes it a lower bound. XLA frees what one gradient needed before the next one's losses
    are computed, unless their tapes record at the same time; but what a step computes of a model that it does not train
    comes with what a later one computes of it, and keeps."""
    groups = together(asked.descents)
    if asked.regime != XLA or len(groups) < 2:
        made = _counted(asked, recorder := _recorded(asked, asked.descents), (recorder,))
        if not asked.full or asked.fixed or not takes_more_open(recorder.tape):
            return made
        return replace(made, plan=Otherwise(estimate(replace(asked, full=False))))
    recorders = [_recorded(asked, tuple(group)) for group in groups]
    beside([one.tape for one in recorders], _sharing(recorders), asked.counted)
    return max((_counted(asked, one, recorders) for one in recorders), key=lambda made: made.terms.total)


def _sharing(recorders: Sequence[Recorder]) -> list[list[set[int]]]:
    """For each step the layers of each later one that it computes too."""
    return [[_shared(one, later) for later in recorders[place + 1:]] for place, one in enumerate(recorders)]


def _shared(one: Recorder, later: Recorder) -> set[int]:
    """The numbers in a later step of the layers that another computes too, but does not train."""
    forwards = {kernel.layer for kernel in one.tape.kernels if kernel.phase == FORWARD and not kernel.output.trained}
    fixed = {id_ for id_, number in one.numbers.items() if number in forwards and id_ in one.owned}
    return {number for id_, number in later.numbers.items() if id_ in fixed}


def _recorded(asked: Asked, descents: tuple[Descent, ...]) -> Recorder:
    tape = Tape(asked.numbers)
    tape.wholes, tape.slots = max(map(wholes, asked.optimizers)), max(by.slots for by in asked.optimizers)
    tape.waits = any(by.waits for by in asked.optimizers)
    tape.normed = any(by.waits and by.norms and by.accumulates for by in asked.optimizers)
    tape.summed, tape.several = all(by.accumulates for by in asked.optimizers), len(descents) > 1
    tape.compiled = asked.regime == XLA
    tape.open = asked.method.startswith("fit") and not (tape.compiled or asked.full)
    tape.ahead = comes_first(*(each for one in descents for each in one.applied), asked.model)
    recorder = Recorder(tape, asked.stack, asked.training, not descents and trained_by_fit(asked.model, asked.stack))
    for tensor in tensors(asked.data[0]) if asked.data else ():
        if not descents or is_given(tensor):
            recorder.known[key(tensor)] = recorder.given(tensor)
    compiled = asked.regime == XLA  # its way back is found from the forward pass alone
    if descents:
        recorder.places.append(Place(ALL_REDUCE))
        reducing = len(recorder.places) - 1
        losses = stepped(recorder, descents, asked.stack, asked.spread, reducing, compiled, asked.moves)
        if compiled:
            only(recorder, descents)
        else:
            simplify(tape, losses)
    else:
        losses = _fitted(recorder, asked, compiled)
    if compiled and losses:
        pruned(tape, losses)
    if compiled:
        padded_once(tape)
    return recorder


def _fitted(recorder: Recorder, asked: Asked, compiled: bool) -> list[Value]:
    """The outputs, and where they are trained the loss on them; gives the outputs."""
    tape = recorder.tape
    try:
        outputs = [recorder.value(tensor) for tensor in tensors(asked.outputs)]
    except NotSized as reason:
        tape.unknown[str(reason)] = None
        outputs = []
    if not outputs:
        why = asked.outputs.why if isinstance(asked.outputs, Unknown) else ""
        tape.unknown[f"the model's outputs: {why}" if why else "the model's outputs"] = None
    if isinstance(asked.outputs, Cut):
        return before(recorder, asked.outputs)
    tape.penalized = {value.index for value, _ in recorder.penalties}
    tape.crossed = crossed(outputs, asked.losses)
    added = [value for one in asked.added if asked.computed is None and (value := whole(recorder, one)) is not None]
    active = [value for _, value in recorder.activities if asked.computed is None and value.trained]
    if asked.training and not compiled:
        recorder.places.append(Place(ALL_REDUCE))
        reducing = len(recorder.places) - 1
        widths = [tensor.shape[-1] if tensor.rank else 1 for tensor in tensors(asked.outputs)]  # type: ignore[index]
        loss = whole(recorder, asked.computed) if asked.computed is not None else None
        if loss is None and (not added or asked.losses is not None):
            loss = loss_of(tape, outputs, asked.losses, widths, own=followed(recorder, asked.own))
        loss = penalized(tape, with_added(tape, loss, [*added, *active]), recorder.penalties)
        train(tape, loss, asked.optimizer, asked.stack, asked.spread, reducing,
              order=in_order(recorder, (asked.model,)))
        if asked.stack.keras >= (3, 8):
            tape.phase = UPDATE  # nothing waits for them, and they are needed
            measured(tape, outputs, asked.losses, asked.metrics)
        simplify(tape, (loss,))
    return [*outputs, *added, *active]


def _input(tape: Tape, data: Iterable[Any]) -> list[tuple[int, int]]:
    """Bytes of each tensor of the batch: fixed, and of each sample."""
    found = []
    for tensor in tensors(list(data)):
        try:
            size = tape.size_of(tensor)
        except NotSized as reason:
            tape.unknown[f"an input: {reason}"] = None
            continue
        found.append((size.fixed * size.item, size.each * size.item))
    return found


def _state(asked: Asked, recorder: Recorder) -> tuple[int, int]:
    """Bytes of weights and slots."""
    tape = recorder.tape
    weights, slots, reasons = state_of(asked.descents, asked.model, asked.optimizer, asked.stack,
                                       getattr(asked.outputs, "of", ()))
    tape.unknown.update(dict.fromkeys(reasons))
    if asked.training and not all(by.known for by in asked.optimizers):
        tape.unknown["the optimizer's slots"] = None
    return weights, slots + SCALARS if asked.training else 0


def _counted(asked: Asked, recorder: Recorder, steps: Sequence[Recorder]) -> Estimate:
    batch, (weights, slots) = asked.counted, _state(asked, recorder)
    fed = _input(recorder.tape, asked.data)
    fixed, each = sum(one for one, _ in fed), sum(one for _, one in fed)
    back: list[Buffer] = []
    if asked.regime == XLA and asked.training:
        if any(kernel.kind == "loop" and kernel.output.trained and kernel.output.index not in recorder.tape.looped
               for kernel in recorder.tape.kernels):
            recorder.tape.unknown["what XLA keeps of the steps of a layer over time"] = None
        if recorder.tape.nested:
            recorder.tape.unknown[PADDED] = None
        recorder.tape.unknown.update(dict.fromkeys(
            why for index, why in recorder.tape.doubts.items() if recorder.tape.values[index].trained))
        moments, alive = compiled_moments(recorder.tape, batch)
    else:
        if asked.regime == XLA:
            narrow(recorder.tape)
            merge(recorder.tape, batch)
            back = _given_back(asked, recorder)
            fuse_sums(recorder.tape)
        simulation = Simulation(recorder.tape)
        moments = simulation.run() or [Moment(0, 0, -1)]
        most = simulation.alive(max(moments, key=lambda one: one.bytes(batch)))
        kept = simulation.kept() if asked.training else {*most}
        alive = [*back, *(_buffer(simulation, recorder.tape.maker(index), index in kept) for index in most)]
    terms = Terms(weights=weights, input=fixed + each * batch, **_terms(alive, recorder.tape, batch, slots))
    compiled_step = asked.regime == XLA and asked.training
    return Estimate(
        span=asked.span, method=asked.method, model=asked.name, batch_size=asked.batch, counted=batch,
        regime=asked.regime, optimizer=_names(asked.optimizers) if asked.training else "", policy=asked.policy,
        terms=terms,
        state=weights + slots + fixed + sum(one.fixed for one in back), each=each + sum(one.each for one in back),
        moments=tuple((one.fixed, one.each) for one in moments),
        layers=_shares(alive, recorder, batch), unknown=tuple(recorder.tape.unknown), assumptions=asked.assumptions,
        training=asked.training, replicas=asked.replicas, calls=asked.calls,
        timeline=over_time(recorder, batch, compiled_step, terms) if asked.timeline else None, device=asked.device,
        covers=tuple(one.span for one in asked.descents), single=0.0 if compiled_step else single(alive),
        plan=Compiled([one.tape for one in steps], _sharing(steps), weights + slots + fixed, each, MOST[XLA])
        if compiled_step else Plan(recorder.tape, _variables(recorder, weights + slots),
                                   (*fed, *((one.fixed, one.each) for one in back)), _margin(asked)))


def _margin(asked: Asked) -> float:
    """Of what fits in thought, that which is advised: less where gradients of several losses are applied, whose order
    is known less."""
    if not asked.training:
        return FORWARDS
    return MARGIN if len(asked.descents) > 1 else 0


def _buffer(simulation: Simulation, kernel: Kernel, is_kept: bool) -> Buffer:
    """What is made forwards and not kept, as by frozen layers, is only computed with."""
    term = "transient" if kernel.phase == FORWARD and not is_kept else ""
    return Buffer(*simulation.bytes[kernel.output.index], kernel, term)


def _given_back(asked: Asked, recorder: Recorder) -> list[Buffer]:
    """What a prediction that XLA compiles gives back; an evaluation gives numbers."""
    if not asked.method.startswith("predict"):
        return []
    made = [recorder.known[key(one)] for one in tensors(asked.outputs) if key(one) in recorder.known]
    return [Buffer(*put_out(recorder.tape, value), recorder.tape.kernels[value.made])
            for value in {value.index: value for value in made if value.made >= 0}.values()]


def _names(optimizers: Iterable[Optimizer]) -> str:
    return " and ".join(dict.fromkeys(by.name for by in optimizers))


def _variables(recorder: Recorder, total: int) -> tuple[int, ...]:
    """Bytes of each variable and slot; those of parts that are not known in one piece."""
    sizes = [value.size.fixed * value.size.item for made in recorder.owned.values() for _, value in made]
    copies = total // sum(sizes) if sum(sizes) else 0
    return (*sizes * copies, total - copies * sum(sizes))


def _terms(alive: Iterable[Buffer], tape: Tape, batch: int, slots: int) -> dict[str, int]:
    found = {"activations": 0, "gradients": 0, "transient": 0, "optimizer": slots}
    grads = {kernel.inputs[0].index for kernel in tape.kernels if kernel.phase == UPDATE and kernel.inputs}
    for buffer in alive:
        kernel = buffer.kernel
        phase = "activations" if kernel.phase == FORWARD else \
            "gradients" if kernel.phase == BACKWARD and kernel.output.index in grads else "transient"
        name = buffer.term or ("optimizer" if kernel.kind == RESET else phase)
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

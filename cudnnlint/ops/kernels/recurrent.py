"""Layers over time as the operations that they run, and what they keep of each step for the way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cudnnlint.ops.kernels.maths import add, copy, joined, multiply, scale, view
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import NotSized, Size, Tape, Value
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.tensor import tensors

STATES = {4: 7, 3: 6, 1: 1}
"""Gates of a cell -> tensors of its units that each step keeps: LSTM i, f, o, g, c before, tanh(c), h before; GRU z, r,
the candidate, h before, its product with the kernel, 1 - z; SimpleRNN h (keras/src/layers/rnn/{lstm,gru}.py: call)."""
MASKED = {4: 7, 3: 6, 1: 2}
"""What Keras 2 keeps more where states are dropped: for each gate a mask, drawn at every step, and the product with it;
an LSTM then needs no h before (tf_keras/src/layers/rnn/lstm.py: LSTMCell.call)."""
BENT = {1: 1}
"""The same of what XLA keeps besides: what a SimpleRNN puts out."""

LISTED = "listed"
AT_ONCE = 32
"""Steps of a loop that may run at once (tensorflow/python/ops/while_loop.py: parallel_iterations): what waits for
nothing but the number of the step is made for so many."""
UNROLLED = 1024
"""Steps of a TimeDistributed that are looked at one by one."""


def looped(at: Site, op: Any) -> Value:
    """A layer of cells: LSTM, GRU, SimpleRNN."""
    units, gates = getattr(op.cell, "units", None), getattr(op.cell, "gates", None)
    shape = at.shape()
    if gates not in STATES or not isinstance(units, int) or len(shape) != 3 or not isinstance(shape[1], int):
        raise NotSized("a recurrent cell or length that is not known")
    width, kernels, copies = STATES[gates] * units, 0, 1
    if gates == 3 and getattr(op.cell, "reset_after", True) is False:  # its two parts are cut out at every step
        kernels = _kernels(at, ("recurrent_kernel",))
    masked, older, beside = at.training and at.given("recurrent_dropout", 0), at.stack.keras < (3,), None
    anew = older and at.tape.open
    if masked:
        width += (MASKED[gates] if older else gates - 1) * units
    if masked and gates > 1:  # then every gate has its own kernel and mask
        kernels, copies = _kernels(at), gates * (1 + older)
        beside = _passed_on(at, units * (gates == 4)) if older else None
    if masked and anew:
        width += _drawn(at, units, gates)
    if at.training and at.given("dropout", 0):
        width += copies * shape[2] + anew * _drawn(at, shape[2], gates)
    states = at.tape.size((*shape[:2], width), at.item)
    made = _over_time(at, replace(states, fixed=states.fixed + shape[1] * kernels), (units,), beside,
                      empties=not (older and masked))
    if not at.masked:
        _compiled(at, looped_in(at.tape, made).index, width + BENT.get(gates, 0) * units, units)
    return made


def _drawn(at: Site, width: Any, gates: int) -> Any:
    """What a step of Keras 2 keeps of drawing masks for so many numbers where the graph does not know the batch: ones,
    which else are a constant that no gradient goes through, and for each gate which numbers are dropped, a byte each
    (tf_keras/src/layers/rnn/rnn_utils.py: generate_dropout_mask)."""
    return width + gates * width // at.item


def _compiled(at: Site, loop: int, width: int, units: int) -> None:
    """What XLA keeps of a loop, as its buffers show: the kernels of every step too, and outputs that are asked for."""
    shape = at.shape()
    every = at.given("return_sequences", False) is True
    kept = at.tape.size((*shape[:2], width + units * every), at.item)
    at.tape.looped[loop] = replace(kept, fixed=kept.fixed + shape[1] * _kernels(at))


def _passed_on(at: Site, units: int) -> Size | None:
    """Lists of what no gradient reads, which are there until the loop ends: the states that are dropped, and the kernel
    of what is not trained."""
    shape = at.shape()
    states = at.tape.size((*shape[:2], units), at.item)
    kernels = 0 if at.values[0].trained else _kernels(at, ("kernel",))
    return None if at.tape.compiled else replace(states, fixed=states.fixed + shape[1] * kernels)


def _kernels(at: Site, names: tuple[str, ...] = ()) -> int:
    """Elements of the kernels that a step splits and keeps: that of the input for what is trained before it."""
    names = names or (("kernel", "recurrent_kernel") if at.values[0].trained else ("recurrent_kernel",))
    return sum(value.size.fixed for name, value in at.weights.items() if name.rpartition("/")[2] in names)


def convolved_over_time(at: Site, filters: Any) -> Value:
    """A ConvLSTM: what an LSTM keeps for every place, and the kernels, split at every step
    (keras/src/layers/rnn/conv_lstm.py: ConvLSTMCell.call)."""
    t, shape, out = at.tape, at.shape(), tensors(at.outputs)[0].shape
    every = at.given("return_sequences", False) is True
    if isinstance(out, Unknown) or not isinstance(shape[1], int) or not isinstance(filters, int) or \
            at.given("dropout", 0) or at.given("recurrent_dropout", 0):
        raise NotSized("filters or length that are not known, or dropout")
    place = out[2:] if every else out[1:]
    states = t.size((shape[0], shape[1], STATES[4], *place), at.item)
    return _over_time(at, replace(states, fixed=states.fixed + shape[1] * _kernels(at)), place)


def looped_in(t: Tape, value: Value) -> Value:
    """What the steps of the loop kept, of which a value is the last."""
    while t.kernels[value.made].kind != "loop" and t.kernels[value.made].inputs:
        value = t.kernels[value.made].inputs[0]
    return value


def _over_time(at: Site, kept: Size, place: tuple[Any, ...], beside: Size | None = None,
               empties: bool = True) -> Value:
    """A loop: the steps' inputs in time order, what each keeps, and the outputs in batch order, or the last one
    (keras/src/backend/tensorflow/rnn.py: rnn). `beside`: what is there until it ends; `empties`:
    whether most is there while its list is emptied. Of the last one alone Keras 2 has a list of one step
    (tf_keras/src/backend.py: rnn)."""
    t, shape = at.tape, at.shape()
    first, *states_before = at.values
    steps = copy(t, first, first.size.of(at.item))
    more = () if beside is None else (t.run(LISTED, (steps,), beside),)
    for value in more:
        value.trained = False
    states = t.run("loop", (steps, *states_before, *(at.weight(name) for name in at.weights), *more), kept)
    every = at.given("return_sequences", False) is True
    if t.open and isinstance(shape[1], int) and empties and (every or at.stack.keras >= (3,)):
        t.emptied[states.index] = t.size((shape[0], min(shape[1], AT_ONCE), *place), at.item)
    out = tensors(at.outputs)[0]
    every = every and out.rank == len(place) + 2
    outputs = t.run("states", (states,), t.size((shape[0], shape[1] if every else 1, *place), at.item), view=True)
    return copy(t, outputs, at.size()) if every else view(t, outputs, at.size())


def both_ways(at: Site, forward: Any, backward: Any, merge: Any) -> Value:
    """Two layers of half the weights each, and what merges them."""
    if forward is None or backward is None or len(at.made) % 2 or merge is None:
        raise NotSized("a wrapped layer that is not known")
    half = len(at.made) // 2
    out = tensors(at.outputs)[0]
    if merge == "concat" and isinstance(out.shape, tuple) and isinstance(out.shape[-1], int):
        out = out.with_(shape=(*out.shape[:-1], out.shape[-1] // 2))
    own = getattr(at.arguments.get("layer"), "arguments", {})
    made = [op.lower(replace(at, weights=dict(part), made=part, outputs=out, arguments=own))
            for op, part in ((forward, at.made[:half]), (backward, at.made[half:]))]
    _abreast(at.tape, *(looped_in(at.tape, one) for one in made))
    if merge == "concat":
        return joined(at.tape, tuple(made), at.size())
    merged = (multiply if merge == "mul" else add)(at.tape, *made)
    return scale(at.tape, merged) if merge == "ave" else merged


def _abreast(t: Tape, first: Value, second: Value) -> None:
    """Two loops go step by step in turn and end together: what is there until the first ends is there until both do."""
    listed = [one for one in t.kernels[first.made].inputs if one.made >= 0 and t.maker(one.index).kind == LISTED]
    t.kernels[second.made].inputs += tuple(listed)


def stepwise(at: Site, layer: Any, op: Any) -> Value:
    """TimeDistributed: step by step; the gradient of each slice is as large as the whole, and they are summed up
    (keras/src/layers/rnn/time_distributed.py: call). Keras 2 makes one batch of all steps."""
    shape = at.shape()
    out = tensors(at.outputs)[0]
    if not hasattr(op, "lower") or not isinstance(shape[1], int) or not isinstance(out.shape, tuple):
        raise NotSized("a wrapped layer that is not known")
    t, steps = at.tape, shape[1]
    x = at.tensors[0].with_(shape=(shape[0], *shape[2:]))
    one = replace(at, tensors=(x,), outputs=Tensor((out.shape[0], *out.shape[2:]), out.dtype),
                  arguments=getattr(layer, "arguments", {}), kind=getattr(layer, "display", ""))
    together = at.stack.keras < (3,)
    if steps <= UNROLLED and not together:
        return in_steps(t, at.x, t.size((shape[0], *shape[2:]), at.x.size.item), steps,
                        lambda part: op.lower(replace(one, values=(part,))))
    outer, t.times = t.times, t.times * steps
    try:
        made: Value = op.lower(replace(one, values=(at.x if together else copy(t, at.x),)))
    finally:
        t.times = outer
    return made if together else copy(t, made)


def in_steps(t: Tape, x: Value, part: Size, steps: int, made: Callable[[Value], Value]) -> Value:
    """What is `made` of each step of x, steps first, and then the batch first again. A step is a piece of the memory of
    all; where the graph knows the batch, grappler reads what was joined instead, as if they were apart
    (arithmetic_optimizer.cc: RemoveStackSliceSameAxis)."""
    turned = copy(t, x)
    parts = tuple([made(t.run("copy", (turned,), part, view=t.open)) for _ in range(steps)])
    return copy(t, joined(t, parts, parts[0].size.times(steps)))

"""Layers over time as the operations that they run, and what they keep of each step for the way back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.kernels.maths import add, copy, joined, multiply, scale
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import NotSized, Value
from cudnnlint.values import Tensor
from cudnnlint.values.tensor import tensors

STATES = {4: 7, 3: 6, 1: 2}
"""Gates of a cell -> tensors of its units that each step keeps: LSTM i, f, o, g, c before, tanh(c), h before; GRU z, r,
the candidate, h before, its product with the kernel, 1 - z (keras/src/layers/rnn/{lstm,gru}.py: call)."""

UNROLLED = 64
"""Steps that are looked at one by one."""


def looped(at: Site, op: Any) -> Value:
    """A loop over time: the steps' inputs in time order, what each keeps, and the outputs in batch order."""
    units, gates = getattr(op.cell, "units", None), getattr(op.cell, "gates", None)
    shape = at.shape()
    if gates not in STATES or not isinstance(units, int) or len(shape) != 3 or not isinstance(shape[1], int):
        raise NotSized("a recurrent cell or length that is not known")
    t = at.tape
    steps = copy(t, at.values[0], at.values[0].size.of(at.item))
    kept = t.size((shape[0], shape[1], STATES[gates] * units), at.item)
    states = t.run("loop", (steps, *(at.weight(name) for name in at.weights)), kept)
    outputs = t.run("states", (states,), t.size((shape[0], shape[1], units), at.item), view=True)
    return copy(t, outputs, at.size())


def both_ways(at: Site, forward: Any, backward: Any, merge: Any) -> Value:
    """Two layers of half the weights each, and what merges them."""
    if forward is None or backward is None or len(at.made) % 2 or merge is None:
        raise NotSized("a wrapped layer that is not known")
    half = len(at.made) // 2
    out = tensors(at.outputs)[0]
    if merge == "concat" and isinstance(out.shape, tuple) and isinstance(out.shape[-1], int):
        out = out.with_(shape=(*out.shape[:-1], out.shape[-1] // 2))
    made = [op.lower(replace(at, weights=dict(part), made=part, outputs=out))
            for op, part in ((forward, at.made[:half]), (backward, at.made[half:]))]
    if merge == "concat":
        return joined(at.tape, tuple(made), at.size())
    merged = (multiply if merge == "mul" else add)(at.tape, *made)
    return scale(at.tape, merged) if merge == "ave" else merged


def stepwise(at: Site, layer: Any, op: Any) -> Value:
    """TimeDistributed: step by step; the gradient of each slice is as large as the whole, and they are summed up
    (keras/src/layers/rnn/time_distributed.py: call)."""
    shape = at.shape()
    out = tensors(at.outputs)[0]
    if not hasattr(op, "lower") or not isinstance(shape[1], int) or not isinstance(out.shape, tuple):
        raise NotSized("a wrapped layer that is not known")
    t = at.tape
    x = at.tensors[0].with_(shape=(shape[0], *shape[2:]))
    whole, one = at.x.size, t.size((shape[0], *shape[2:]), at.x.size.item)
    steps = joined(t, tuple(copy(t, at.x, one) for _ in range(min(shape[1], UNROLLED))), whole)
    outer, t.times = t.times, t.times * shape[1]
    try:
        inner = Tensor((out.shape[0], *out.shape[2:]), out.dtype)
        made: Value = op.lower(replace(at, values=(steps,), tensors=(x,), outputs=inner,
                                       arguments=getattr(layer, "arguments", {}), kind=getattr(layer, "display", "")))
    finally:
        t.times = outer
    return copy(t, made)

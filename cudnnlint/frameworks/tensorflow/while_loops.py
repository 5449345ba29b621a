"""Loops that are functions of a library: tf.while_loop and its kin, run until what they carry changes no more."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.expressions import fork_values
from cudnnlint.interp.graphs.carried import differ, is_opened
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.join import join
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.numpy_int import NUMBERS

TURNS = 4
"""Shapes that have not settled after as many turns are not followed further."""


@FRAMEWORK.on("tensorflow.while_loop", "keras.ops.while_loop")
def while_loop(c: Call) -> Any:
    """What no turn changes is what it was; the rest is what both have in common, before a turn and after it."""
    m, body = c.machine, c.get(1, "body")
    carried = plain(c.get(2, "loop_vars"))
    if not isinstance(carried, tuple | ListV) or (isinstance(carried, ListV) and carried.unknown):
        return Unknown("a loop over variables that are not known")
    if "shape_invariants" in c.kwargs or len(c.args) > 3:
        return Unknown("a loop with shape invariants")
    state = _parts(carried)
    m.call(c.get(0, "cond"), list(state), {}, c.node)
    for turn in range(TURNS):
        after = fork_values(m, [lambda now=state: m.call(body, list(now), {}, c.node)])
        made = _parts(plain(after))
        if len(made) != len(state):
            made = [after] if len(state) == 1 else [Unknown("a turn of the loop")] * len(state)
        if not turn and m.tracing:
            _keeps_shapes(c, state, made)
        joined = [_common(m, old, new) for old, new in zip(state, made, strict=True)]
        if all(map(_alike, state, joined)):
            return tuple(joined) if isinstance(carried, tuple) else ListV(joined)
        state = joined
    return Unknown("a loop that does not settle")


def _keeps_shapes(c: Call, before: list[Any], after: list[Any]) -> None:
    """In a graph a turn leaves each shape as it was (tensorflow/python/ops/while_v2.py: _check_shapes_compat); run
    eagerly it need not. A function that is traced with open extents has them open here, too, where ours are numbers.
    """
    if c.machine.symbolic or is_opened(c.machine):
        return
    for place, (old, new) in enumerate(zip(map(plain, before), map(plain, after), strict=True)):
        if isinstance(old, Tensor) and isinstance(new, Tensor) and differ(old.shape, new.shape):
            refuse(c.machine, c.span, Mismatch(
                Problem.MERGE, f"variable {place} of the loop is {old} before a turn and {new} after it",
                help="shape_invariants=, with tf.TensorShape([...]) that has None where the shape changes, or a "
                     "tf.TensorArray",
                error='ValueError "enters the loop with shape ..., but has shape ... after one iteration"'),
                about=[old, new], what="tf.while_loop", inputs=[old, new])


def _parts(value: Any) -> list[Any]:
    if isinstance(value, ListV):
        return [Unknown("a turn of the loop")] if value.unknown else list(value.items)
    return list(value) if isinstance(value, tuple) else []


def _common(m: Machine, old: Any, new: Any) -> Any:
    """Of numbers nothing is known after a turn; tensors lose their elements."""
    a, b = strip(old), strip(new)
    if isinstance(a, int | float) and isinstance(b, Tensor | int | float):
        wide = isinstance(a, NUMBERS)  # np.int64(0)
        dtype = b.dtype if isinstance(b, Tensor) else f"{'int' if isinstance(a, int) else 'float'}{64 if wide else 32}"
        return Tensor((), dtype, "tf")
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        found = join([a, b.with_(step=a.step, kind=a.kind)])
        return found.with_() if isinstance(found, Tensor) else found
    return wrap(join([a, b])) if not tensors([a, b]) else Unknown("differs between turns")


def _alike(a: Any, b: Any) -> bool:
    old, new = plain(a), plain(b)
    if isinstance(old, Tensor) and isinstance(new, Tensor):
        return old.shape == new.shape and old.dtype == new.dtype and old.content == new.content
    return old is new or (isinstance(old, Unknown) and isinstance(new, Unknown))

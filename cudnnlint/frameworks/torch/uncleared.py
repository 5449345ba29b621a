"""Steps of optimizers in loops of programs that never set a gradient back to zero."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem

BORN = "torch.optimizers born in loops"
"""Note of the loops under which each optimizer was made, by id."""
CLEARING = ("zero_grad", ".grad", "set_to_none", "accelerat", "__dict__", "getattr(")
"""What a program says that may clear gradients, or have another library do so."""


def note_born(m: Machine, optimizer: ObjectV) -> None:
    m.notes.setdefault(BORN, {})[id(optimizer)] = optimizer, frozenset(map(id, m.loops))


def tell_of_uncleared(m: Machine, optimizer: Any, span: Span) -> None:
    """`optimizer.step()` in a loop that the optimizer was made before (torch/optim/optimizer.py: Optimizer.zero_grad,
    torch/csrc/autograd/functions/accumulate_grad.h)."""
    if not m.loops or m.uncalled or m.handlers or not is_meant(m):
        return
    made, under = m.notes.get(BORN, {}).get(id(optimizer), (None, frozenset()))
    again = [loop for loop in m.loops if id(loop) not in under and loop.turns != 1]
    if made is not optimizer or not again or _may_clear(m):
        return
    refuse(m, span, Mismatch(
        Problem.UNCLEARED, "step() follows the sum of all gradients so far: nothing calls zero_grad()",
        help="optimizer.zero_grad() before backward()"), what="Optimizer.step", inputs=None)


def _may_clear(m: Machine) -> bool:
    """Whether a file that the program is made of speaks of it; where none calls backward(), others train."""
    modules = [frame.module for frame in m.frames] + list(m.project.modules.values())
    sources = [module.source for module in modules if module.source is not None]
    return any(source.says(word) for source in sources for word in CLEARING) \
        or not any(source.says(".backward(") for source in sources)

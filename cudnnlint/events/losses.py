"""Losses of PyTorch, and the gradients that are taken of them."""

from __future__ import annotations

from cudnnlint.events.base import Event
from cudnnlint.events.layers import LayerInfo
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Tensor


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TargetsCompared(Event):
    """A loss of PyTorch took an output and targets.

    name   the module's, "MSELoss", also for a function
    """

    name: str
    output: Tensor
    target: Tensor


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BackwardRepeated(Event):
    """backward() goes through what an earlier call went through.

    layer    a module with weights on the way, applied at `applied`
    before   the earlier call
    kept     that one kept its graph
    carried  it was in a turn before of a loop that both are in
    once     what it went through was not applied again since
    """

    layer: LayerInfo
    applied: Span
    before: Span
    kept: bool
    carried: bool
    once: bool = False


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GraphMeasured(Event):
    """backward() of a loss, told of at the outermost call of a module on the way.

    kept      bytes that modules and functions keep for it at the least, all at once
    weights   bytes of the weights of these modules
    largest   the largest of the tensors that are kept
    backward  where it is called
    """

    kept: int
    weights: int
    largest: Tensor
    backward: Span

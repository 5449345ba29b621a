"""Losses of PyTorch told of: what they were given, once it was accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.interp.functions import AUTOCAST, ON_GPU, PLACED
from cudnnlint.interp.refusals import refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor
from cudnnlint.values.assumption import Assumptions

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine


def compared(m: Machine, name: str, output: Any, target: Any, span: Span, assumptions: Assumptions,
             weight: Any = None) -> None:
    if isinstance(output, Tensor) and isinstance(target, Tensor):
        if m.state.get(PLACED) and _tell_of_places(m, name, [output, target, weight], span):
            return
        if name == "BCELoss" and m.state.get(AUTOCAST) == ON_GPU:
            _tell_of_autocast(m, output, target, span)
        from cudnnlint.events.losses import TargetsCompared

        m.say(TargetsCompared, span, about=(output, target), assumptions=assumptions, name=name, output=output,
              target=target)


def _tell_of_places(m: Machine, name: str, given: list[Any], span: Span) -> bool:
    from cudnnlint.interp.torch.places import tell_of_both, watches

    return watches(m) and tell_of_both(m, name, [one for one in given if isinstance(one, Tensor)], span)


def _tell_of_autocast(m: Machine, output: Tensor, target: Tensor, span: Span) -> None:
    """aten/src/ATen/autocast_mode.h: binary_cross_entropy_banned, whatever the dtypes are."""
    refuse(m, span, Mismatch(
        Problem.DTYPE, "BCELoss under autocast, which may round its input to 0 or 1",
        help="BCEWithLogitsLoss of the output before sigmoid(), or the loss "
        'under torch.autocast("cuda", enabled=False)',
        error='RuntimeError "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast"'),
        about=(output, target), what="BCELoss")

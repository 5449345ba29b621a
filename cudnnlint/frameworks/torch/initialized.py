"""torch.nn.init: weights that are drawn anew, in place."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.optimizers import module_of
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

BY_FANS = ("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_")
"""Those that ask for rows and columns (torch/nn/init.py: _calculate_fan_in_and_fan_out, orthogonal_)."""
OTHERS = ("uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_")
FANS = 'ValueError "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions" or "Only tensors ' \
    'with 2 or more dimensions are supported"'


@FRAMEWORK.on(*(f"torch.nn.init.{name}" for name in BY_FANS + OTHERS))
def drawn_anew(c: Call) -> Any:
    """The tensor itself, with other elements."""
    name, held = c.path.rpartition(".")[2], plain(c.get(0, "tensor"))
    told = is_meant(c.machine) and not c.machine.handlers
    if told and (module := module_of(held)):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"nn.init.{name} is given the module {module}, not a tensor", argument="tensor",
            help="its weight", error=f"AttributeError \"'{module}' object has no attribute\""),
            what=name, stage="called")
    if not isinstance(held, Tensor):
        return Unknown("weights that are drawn anew")
    if told and name in BY_FANS and held.rank in (0, 1):
        refuse(c.machine, c.span, Mismatch(
            Problem.RANK, f"nn.init.{name} of {held}, which has {'one axis' if held.rank else 'no axis'}",
            argument="tensor", help="nn.init.zeros_ for a bias, nn.init.ones_ for the weight of a normalization",
            error=FANS, facts=(("expected", 2), ("actual", held.rank))), about=(held,), what=name, stage="called",
            inputs=held)
    return held.with_(content=None)


__all__ = ["drawn_anew"]

"""Parts of torchvision's models: what they make of an image's channels and sides, not how."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import is_known, may_equal
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight
from cudnnlint.ops.torch._core import Module, dtype_problem, rank_problem
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.dim import lift


@record(frozen=True, slots=True)
class Stage(Module):
    """(N, entry, H, W) -> (N, channels, H', W'): H' is H / halved, rounded up or down; unknown where `halved` is 0.

    >>> Stage("layer2", 64, 128, 2, True).output(Tensor((1, 64, 57, 57), "float32", "torch"), None).shape
    (1, 128, 29, 29)
    """

    name: str
    entry: Dim
    channels: Dim
    halved: int = 1
    up: bool = False
    dtype: Any = "float32"

    def output(self, x: Tensor, call: LayerCall | None) -> Outcome:
        if wrong := rank_problem(x, (4, 3), self.name, 'RuntimeError "Expected 3D (unbatched) or 4D (batched) input"'):
            return wrong
        if isinstance(x.shape, Unknown):
            return Unknown(f"shape of the input of {self.name}")
        seen = x.shape[-3]
        if not may_equal(seen, self.entry):
            return Mismatch(
                Problem.CHANNELS, f"{self.name} takes {self.entry} channels, its input has {seen}: {x}",
                help="three channels, x.repeat(1, 3, 1, 1), or another first convolution" if seen == 1 else
                f"an input of {self.entry} channels",
                error=f'RuntimeError "expected input to have {self.entry} channels, but got {seen} channels instead"',
                facts=(("expected", self.entry), ("actual", seen)))
        if wrong := dtype_problem(x, self.dtype):
            return wrong
        return x.with_(shape=(*x.shape[:-3], self.channels, *(self._side(side) for side in x.shape[-2:])))

    def _side(self, side: Dim) -> Dim:
        if not self.halved:
            return Unknown(f"sides after {self.name}")
        found = lift(lambda n: -(-n // self.halved) if self.up else n // self.halved, side)
        return Unknown(f"sides after {self.name}") if is_known(found) and found == 0 else found

    def variables(self) -> tuple[Weight, ...] | Unknown:
        return Unknown(f"variables of {self.name}")

"""What an estimate says, as frozen data: bytes by term, the batch sizes that fit, and what it rests on."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from cudnnlint.records import record
from cudnnlint.source import Span

if TYPE_CHECKING:
    from cudnnlint.memory.device import DeviceMemory
    from cudnnlint.memory.gpus import GPU
    from cudnnlint.memory.timeline import Timeline

OP_BY_OP, XLA = "op-by-op", "XLA"
ALLOCATOR = {OP_BY_OP: 1.07, XLA: 1.02}
"""Chunks that the allocator hands out, as a multiple of what is asked for: the median of 14 runs, 1.03 to 1.17
(xla/tsl/framework/bfc_allocator.cc); XLA asks for one block."""
LEAST = {OP_BY_OP: 0.96, XLA: 0.82}
"""What a step takes at least, as a multiple of the estimate: no run that was measured took less (docs/memory.md)."""
MOST = {OP_BY_OP: 1.12, XLA: 1.15}
"""What it takes at most, with what the allocator adds. XLA asks for one block, of which a batch that is advised leaves
so much; where it asks piece by piece, the allocator is asked itself (plans.py)."""
LARGEST = 1 << 40


@record(frozen=True, slots=True)
class Terms:
    """Requested bytes at the moment when most is alive.

    gradients   of weights; activations: made forwards and kept for the way back
    transient   gradients of activations, and what optimizers compute
    """

    weights: int = 0
    gradients: int = 0
    optimizer: int = 0
    input: int = 0
    activations: int = 0
    transient: int = 0

    @property
    def total(self) -> int:
        return self.weights + self.gradients + self.optimizer + self.input + self.activations + self.transient


@record(frozen=True, slots=True)
class Share:
    """What one layer has alive at that moment, and where it stands, for people."""

    label: str
    span: Span | None
    bytes: int
    at: str = ""


class Plan(Protocol):
    """What a step asks of the allocator: plans.Plan."""

    def largest(self, usable: int, most: int) -> int: ...


@record(frozen=True, slots=True)
class Estimate:
    """One step of a model.

    method        "fit", "predict" ...; training: whether gradients are computed
    batch_size    samples in a step; None where the program leaves it open, then `bytes` are those of `counted`
    regime        "op-by-op" or "XLA"
    state         bytes of weights and optimizer, `each` those of one sample of the batch
    moments       (fixed, of each sample): the moments at which most is alive for some batch
    lower_bound   parts are not known (`unknown`): it takes at least this
    timeline      the step over time, where it was asked for
    plan          what is asked of the allocator, where that is known
    device        what the program says of the GPU's memory
    covers        where gradients are applied, in a step of the program's own
    single        op by op, the share of float32 in what is alive at the peak and grows with the batch
    """

    span: Span
    method: str
    model: str
    batch_size: int | None
    counted: int
    regime: str
    optimizer: str
    policy: str
    terms: Terms
    state: int
    each: int
    moments: tuple[tuple[int, int], ...]
    layers: tuple[Share, ...] = ()
    unknown: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    training: bool = True
    replicas: int = 1
    calls: tuple[Span, ...] = field(default=())
    timeline: Timeline | None = None
    plan: Plan | None = field(default=None, compare=False, repr=False)
    device: DeviceMemory | None = None
    single: float = 0.0
    covers: tuple[Span, ...] = ()

    @property
    def lower_bound(self) -> bool:
        return bool(self.unknown)

    def on(self, gpu: GPU) -> GPU:
        """With the memory that the program lets TensorFlow take of it."""
        return gpu if self.device is None else self.device.on(gpu)

    def total(self, batch: int) -> int:
        """Requested bytes of a step on `batch` samples."""
        alive = max((fixed + each * batch for fixed, each in self.moments), default=0)
        return self.state + self.each * batch + alive

    def needs(self, batch: int | None = None) -> int:
        """The same with what the allocator adds."""
        return _times(self.total(self.counted if batch is None else batch), ALLOCATOR[self.regime])

    def least(self, batch: int | None = None) -> int:
        """What it takes even if the estimate is too high: variables, slots and the batch are there in any case."""
        batch = self.counted if batch is None else batch
        return max(self.state + self.each * batch, _times(self.total(batch), LEAST[self.regime]))

    def most(self, batch: int | None = None) -> int:
        """What it takes even if the estimate is too low."""
        return _times(self.total(self.counted if batch is None else batch), MOST[self.regime])

    def largest(self, usable: int) -> int:
        """The largest batch of which we are sure that it fits; 0 if none does."""
        room = usable if self.plan is not None else usable / MOST[self.regime]
        low, high = 0, LARGEST
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.total(middle) <= room else (low, middle)
        if self.plan is not None and 0 < low < LARGEST - 1:
            low = self.plan.largest(usable, low)
        return low * self.replicas


def _times(size: int, factor: float) -> int:
    """Whatever is multiplied: no float holds an axis of 10^400.

    >>> _times(100, 1.12), _times(10**400, 1.12) == 10**400
    (112, True)
    """
    return int(size * factor) if size.bit_length() < 1000 else size

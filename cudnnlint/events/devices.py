"""GPUs as the program configures them."""

from __future__ import annotations

from typing import Any

from cudnnlint.events.base import Event
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Tensor


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DeviceConfigured(Event):
    """A GPU's memory is set up by tf.config, or which GPUs are seen.

    what     "memory_growth", "logical_devices" or "visible_devices"
    value    whether memory is to grow, for the former
    started  what certainly made TensorFlow take hold of the GPUs before, or None
    limited  where this GPU certainly was given logical devices before, or None
    """

    what: str
    value: Any = None
    started: Span | None = None
    limited: Span | None = None


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GrowthUneven(Event):
    """Memory growth is turned on for one GPU, that at `place`, and nowhere in the program for the others."""

    place: int


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ProcessesShareGpu(Event):
    """Processes that run beside each other call `name`, which makes TensorFlow take hold of the GPUs in each.

    count  how many there are at a time; None or a negative number where that goes by the machine's cores
    """

    name: str
    count: Any


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GpuInWorkers(Event):
    """Workers of a DataLoader, made at `loader`, bring rows to a GPU, or have them there."""

    workers: int
    tensor: Tensor
    loader: Span


@record(frozen=True, slots=True)
class ReplicaShare:
    """Maker of what one of `replicas` gets of a distributed dataset, whose smallest batch has `rows`."""

    rows: Any
    replicas: Any


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BatchNotSplit(Event):
    """`strategy.run()` is given a batch of a dataset that was not distributed: each of `replicas` gets all of it."""

    batch: Tensor
    replicas: int

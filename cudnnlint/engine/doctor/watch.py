"""Whether the memory of a running program grows: samples of its host and GPU memory, and what they say."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from cudnnlint.engine.doctor.nvml import gpu_bytes
from cudnnlint.engine.errors import UsageError
from cudnnlint.records import record

FEWEST = 9
"""Samples without which nothing is said."""
LEAST = 16 * 1024**2
"""Bytes that memory must have grown by: less comes and goes with threads and garbage."""
LEAST_SHARE = 0.01
RISES = 3
"""New highs, after warming up, that make a growth: one jump is another phase of the program."""
RULES: Mapping[str, tuple[str, ...]] = {
    "host": ("retraced-each-step", "graph-grows-in-session-loop", "model-rebuilt-in-loop", "tensors-kept-across-steps"),
    "GPU": ("tensors-kept-across-steps", "model-rebuilt-in-loop", "changing-batch-shape", "validation-with-gradients"),
}
"""What in a program makes a kind of memory grow, the likeliest first; names of rules, as far as there are any."""


@record(frozen=True, slots=True)
class Sample:
    """Bytes at a time in seconds from the first; `gpu` is None where the driver does not say."""

    seconds: float
    host: int
    gpu: int | None = None


@record(frozen=True, slots=True)
class Trend:
    """`grows` is None if there are too few samples; bytes at the beginning and the end of what was judged."""

    grows: bool | None
    per_minute: float = 0.0
    first: int = 0
    last: int = 0


def samples(pid: int, every: float, seconds: float) -> Iterator[Sample]:
    """Until the time is up or the process ends; UsageError if there is no such process to begin with."""
    start = time.monotonic()
    if host_bytes(pid) is None:
        raise UsageError(f"--watch: no process {pid} whose memory can be read")
    while (now := time.monotonic() - start) <= seconds and (host := host_bytes(pid)) is not None:
        yield Sample(now, host, gpu_bytes(pid))
        time.sleep(every)


def host_bytes(pid: int) -> int | None:
    """Resident memory (proc_pid_statm(5)); None without such a process, or where there is no /proc."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") or None  # a process that has ended, and waits, has no pages


def trend(points: Sequence[tuple[float, int]]) -> Trend:
    """Of (seconds, bytes). The first third is warming up: libraries load, pools fill.

    >>> trend([(second, 2**30 + second * 2**23) for second in range(30)]).grows
    True
    >>> trend([(second, 2**30) for second in range(30)]).grows
    False
    """
    if len(points) < FEWEST:
        return Trend(None)
    judged = points[len(points) // 3:]
    third = max(len(judged) // 3, 1)
    first = int(median(value for _, value in judged[:third]))
    last = int(median(value for _, value in judged[-third:]))
    grown = last - first
    grows = grown > max(LEAST, LEAST_SHARE * first) and _rises(judged) >= RISES
    return Trend(grows, _slope(judged) * 60, first, last)


def _rises(points: Sequence[tuple[float, int]]) -> int:
    """How often there was a new high, after the first sample."""
    highest, count = points[0][1], 0
    for _, value in points[1:]:
        if value > highest:
            highest, count = value, count + 1
    return count


def _slope(points: Sequence[tuple[float, int]]) -> float:
    """Bytes a second, by least squares."""
    middle = sum(second for second, _ in points) / len(points)
    mean = sum(value for _, value in points) / len(points)
    spread = sum((second - middle) ** 2 for second, _ in points)
    return sum((second - middle) * (value - mean) for second, value in points) / spread if spread else 0.0

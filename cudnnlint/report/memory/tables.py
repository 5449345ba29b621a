"""One estimate over many GPUs, or many batch sizes on one, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnnlint.memory.amounts import amount
from cudnnlint.memory.estimate import LARGEST, Estimate
from cudnnlint.memory.gpus import GPU

WIDTH = 40


def verdict(estimate: Estimate, gpu: GPU, batch: int | None = None) -> str:
    """"fits" with room to spare, "may fit" without, or "does not fit"; `batch` of one replica, or the counted one.

    What is known only from below never surely fits.
    """
    size = estimate.counted if batch is None else batch
    if estimate.needs(size) > gpu.usable:
        return "does not fit"
    surely = size * estimate.replicas <= estimate.largest(gpu.usable) and not estimate.lower_bound
    return "fits" if surely else "may fit"


def over_gpus(estimate: Estimate, gpus: Sequence[GPU]) -> Iterator[str]:
    """What fits on each GPU, the smallest first."""
    names = max(16, *(len(gpu.name) for gpu in gpus))
    yield f"   {'GPU':{names}} {'usable':>9}  {'this batch':12}  {'largest batch':>13}"
    for gpu in sorted(gpus, key=lambda one: (one.usable, one.name)):
        largest = estimate.largest(gpu.usable)
        told = f"{largest:,}" if largest < LARGEST // 2 else "not known" if estimate.lower_bound else "any"
        told = "-" if not largest else f"<= {told}" if estimate.lower_bound and largest < LARGEST // 2 else told
        yield f"   {gpu.name:{names}} {amount(gpu.usable):>9}  {verdict(estimate, gpu):12}  {told:>13}"


def curve(points: Sequence[tuple[int, Estimate]], gpu: GPU) -> Iterator[str]:
    """A bar for each batch size, the GPU's limit across them, and the largest batch that fits among them."""
    told = rows(points, gpu)
    most = max([needs for _, needs, _ in told] + [gpu.usable])
    limit = max(1, round(WIDTH * gpu.usable / most))
    digits = max(len("batch"), *(len(f"{batch:,}") for batch, _, _ in told))
    yield f"   {'batch':>{digits}}  {'needs':>9}  {'':{limit}}| {amount(gpu.usable)} usable on {gpu.name}"
    for batch, needs, said in told:
        bar = "#" * (min(limit, max(1, round(WIDTH * needs / most))) if needs <= gpu.usable
                     else max(limit + 1, round(WIDTH * needs / most)))
        bar = f"{bar[:limit]:{limit}}|{bar[limit:]}"
        yield f"   {batch:>{digits},}  {amount(needs):>9}  {bar}{f'  {said}' if said else ''}"


def rows(points: Sequence[tuple[int, Estimate]], gpu: GPU) -> list[tuple[int, int, str]]:
    """(batch, what it needs, what is said of it), with the largest batch that fits where it lies between them."""
    found = [(batch, made.needs(), told if (told := verdict(made, gpu)) != "fits" else "") for batch, made in points]
    made = points[0][1]
    largest = made.largest(gpu.usable)
    if points[0][0] <= largest <= points[-1][0]:
        found = [row for row in found if row[0] != largest]
        found.append((largest, made.needs(-(-largest // made.replicas)), "the largest that surely fits"
                     if not made.lower_bound else "no larger one fits"))
    return sorted(found)

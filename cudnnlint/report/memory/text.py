"""Estimates as text for people: one block a training call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnnlint.memory.amounts import amount
from cudnnlint.memory.estimate import ALLOCATOR, LARGEST, Estimate
from cudnnlint.memory.gpus import CATALOGUE, GPU
from cudnnlint.values import Stack

STEPS = ("T4", "L4", "A100-40", "A100-80")
"""GPUs that are named as where the program's own batch fits."""
TERMS = (("weights", "weights"), ("optimizer", "optimizer"), ("input", "input"), ("gradients", "gradients"),
         ("activations", "activations kept for backward"), ("transient", "computed meanwhile"))

INFERENCE = tuple((name, "activations" if name == "activations" else word) for name, word in TERMS)


def block(path: str, model: str, estimate: Estimate, stack: Stack, gpu: GPU) -> Iterator[str]:
    """The lines on one training call."""
    at_least = "at least " if estimate.lower_bound else ""
    verdict = f"needs {at_least}{amount(estimate.needs())} of {amount(gpu.usable)} usable on {gpu.name}"
    yield f"{path}:{estimate.span.line}  {_heading(model, estimate, stack)}"
    yield f"   {verdict}{'' if fits(estimate, gpu) else ': does not fit'}"
    terms = TERMS if estimate.training else INFERENCE
    parts = [f"{word} {amount(size)}" for name, word in terms if (size := getattr(estimate.terms, name))]
    yield f"   {'  '.join(parts)}  allocator +{round((ALLOCATOR[estimate.regime] - 1) * 100)} %"
    if estimate.layers:
        yield "   top layers: " + ", ".join(
            f"{share.label}{f' (line {share.span.line})' if share.span else ''} {amount(share.bytes)}"
            for share in estimate.layers[:3])
    yield f"   fits: {_fitting(estimate, gpu)}"
    for word, texts in (("assumes", estimate.assumptions), ("not known", estimate.unknown)):
        if texts:
            yield f"   {word}: {'; '.join(text for text in texts if text)}"


def _heading(model: str, estimate: Estimate, stack: Stack) -> str:
    call = {"GradientTape": "a training loop", "train_step": "train_step()"}.get(estimate.method,
                                                                                 f"model.{estimate.method}(...)")
    size = estimate.batch_size if estimate.batch_size is not None else f"{estimate.counted}, assumed"
    more = [f"{call}  {model}", f"batch {size}", estimate.policy, *([estimate.optimizer] if estimate.optimizer else []),
            f"Keras {'.'.join(map(str, stack.keras))} ({estimate.regime})"]
    if estimate.replicas > 1:
        more.append(f"{estimate.replicas} replicas")
    return ", ".join(more)


def _fitting(estimate: Estimate, gpu: GPU) -> str:
    largest = estimate.largest(gpu.usable)
    said = [f"batch {largest} on {gpu.name}" if 0 < largest < LARGEST // 2 else
            f"nothing on {gpu.name}" if not largest else f"any batch on {gpu.name}"]
    if largest < estimate.counted:
        wider = [other for other in CATALOGUE if other.name in STEPS and other.usable > gpu.usable
                 and estimate.largest(other.usable) >= estimate.counted * estimate.replicas]
        said += [f"{estimate.counted} on {other.name} ({other.nominal:g} GB)" for other in wider[:1]]
    return " · ".join(said)


def fits(estimate: Estimate, gpu: GPU) -> bool:
    return estimate.needs() <= gpu.usable


def over_gpus(estimate: Estimate, gpus: Sequence[GPU]) -> Iterator[str]:
    """A table of GPUs: what fits on each."""
    yield f"   {'GPU':18} {'usable':>8}  {'this batch':12} largest batch"
    for gpu in gpus:
        largest = estimate.largest(gpu.usable)
        verdict = "fits" if fits(estimate, gpu) else "does not fit"
        yield f"   {gpu.name:18} {amount(gpu.usable):>8}  {verdict:12} {largest or '-'}"


def curve(points: Sequence[tuple[int, Estimate]], gpu: GPU) -> Iterator[str]:
    """A bar for each batch size, and where the GPU ends."""
    most = max([estimate.needs() for _, estimate in points] + [gpu.usable])
    for batch, estimate in points:
        bar = "#" * max(1, round(40 * estimate.needs() / most))
        end = round(40 * gpu.usable / most)
        bar = bar.ljust(end) + "|" if len(bar) <= end else f"{bar[:end]}|{bar[end:]}"
        yield f"   batch {batch:6} {amount(estimate.needs()):>9} {bar}"

"""Estimates as text for people: one block a training call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnnlint.memory.amounts import amount
from cudnnlint.memory.estimate import ALLOCATOR, LARGEST, Estimate
from cudnnlint.memory.gpus import CATALOGUE, GPU
from cudnnlint.memory.places import call_of
from cudnnlint.report.memory.tables import verdict
from cudnnlint.values import Stack

STEPS = ("T4", "L4", "A100-40", "A100-80")
"""GPUs that are named as where the program's own batch fits."""
TERMS = (("weights", "weights"), ("optimizer", "optimizer"), ("input", "input"), ("gradients", "gradients"),
         ("activations", "activations kept for backward"), ("transient", "computed meanwhile"))

TRIFLE = 1 << 20
SHOWN = 2
"""Parts that are named of those that are not known for one reason."""
LATER = "what comes from "
"""Said of the weights of what a model is made of behind what is not known (memory/weights.py)."""
OPEN_INPUT = "--input gives the extents that an input of the model leaves open: 224x224x3 for images, 100 for words"
INFERENCE = tuple((name, "activations" if name == "activations" else word) for name, word in TERMS)


def block(place: str, model: str, estimate: Estimate, stack: Stack, gpu: GPU,
          mixed: Estimate | None = None) -> Iterator[str]:
    """The lines on one training call; `mixed` is the same in mixed precision."""
    yield f"{place}  {heading(model, estimate, stack)}"
    yield f"   {needs(estimate, gpu)}"
    known = not is_trifle(estimate)
    if known:
        yield "   " + "  ".join(f"{word} {size}" for word, size in terms(estimate))
    if known and estimate.layers:
        yield "   top layers: " + ", ".join(f"{layer} {size}" for layer, size in layers(estimate, 3))
    yield f"   fits: {fitting(estimate, gpu, mixed)}"
    yield from (f"   {note}" for note in notes(estimate, gpu))


def needs(estimate: Estimate, gpu: GPU) -> str:
    """What it needs, of what there is, and whether that fits."""
    if is_trifle(estimate):
        return "what it needs is not known"
    told = verdict(estimate, gpu)
    told = "" if told == "fits" or (told == "may fit" and estimate.lower_bound) else f": {told}"
    if told.endswith("does not fit") and estimate.batch_size is None and estimate.largest(gpu.usable):
        told += " if the batch is that large"  # which nobody said
    where = f"each of {estimate.replicas} {gpu.name}" if estimate.replicas > 1 else gpu.name
    return f"needs {within(estimate)} of {amount(gpu.usable)} usable on {where}{told}"


def is_trifle(estimate: Estimate) -> bool:
    """Whether what is known of it says nothing."""
    return estimate.lower_bound and estimate.least() < TRIFLE


def within(estimate: Estimate) -> str:
    """What is expected, and between which bounds that is; what is known from below has no upper one."""
    if estimate.lower_bound:
        return f"at least {amount(estimate.least())}"
    return f"{amount(estimate.needs())} ({amount(estimate.least())} to {amount(estimate.most())})"


def terms(estimate: Estimate) -> list[tuple[str, str]]:
    """What is not nothing, and what the allocator adds; of what is known from below, how much of it is sure."""
    words = TERMS if estimate.training else INFERENCE
    last = (("of these surely", amount(estimate.least())) if estimate.lower_bound else
            ("allocator", f"+{round((ALLOCATOR[estimate.regime] - 1) * 100)} %"))
    return [*((word, amount(size)) for name, word in words if (size := getattr(estimate.terms, name))), last]


def layers(estimate: Estimate, count: int) -> list[tuple[str, str]]:
    """Those that have most alive at the peak."""
    return [(f"{share.label}{f' ({share.at})' if share.at else ''}", amount(share.bytes))
            for share in estimate.layers[:count]]


def notes(estimate: Estimate, gpu: GPU) -> list[str]:
    """What the numbers rest on, and what could not be counted."""
    assumed = (*estimate.assumptions, *([gpu.note] if gpu.note else []))
    advice = [OPEN_INPUT] if "an input: an open extent" in estimate.unknown and _is_untrained(estimate) else []
    return [f"{word}: {'; '.join(text for text in texts if text)}" for word, texts in
            (("assumes", together(assumed)), ("not known", grouped(estimate.unknown)), ("help", advice)) if texts]


def together(assumed: Sequence[str]) -> list[str]:
    """Defaults of one function stand together.

    >>> together(["a = 1 (default of f, line 3)", "b = 2 (default of f, line 3)", "a T4 (16 GB)"])
    ['a = 1, b = 2 (defaults of f, line 3)', 'a T4 (16 GB)']
    """
    found: dict[str, list[str]] = {}
    for text in assumed:
        value, of, where = text.partition(" (default of ")
        found.setdefault(where if of else text, []).append(value if of else text)
    return [text if values == [text] else f"{', '.join(values)} (default{'s' * (len(values) > 1)} of {text}"
            for text, values in found.items()]


def grouped(unknown: Sequence[str]) -> list[str]:
    """What could not be counted by its reason, which is mostly that of something before it.

    >>> grouped(["an input: an open extent", "conv2d: an open extent", "flatten: an open extent", "the loss"])
    ['an open extent (an input, conv2d and 1 more)', 'the loss']
    """
    parts: dict[str, list[str]] = {}
    for text in unknown:
        part, reason = _parted(text)
        parts.setdefault(reason, []).extend([part] * bool(part))
    return [f"{reason} ({_some(of)})" if of else reason for reason, of in parts.items()]


def _parted(text: str) -> tuple[str, str]:
    """The part and why it is not known; a colon within brackets tells more of the reason.

    >>> _parted("conv2d: an open extent"), _parted("what comes from a call (not read: --python)")
    (('conv2d', 'an open extent'), ('its weights', 'a call (not read: --python)'))
    """
    if text.startswith(LATER):
        return "its weights", text.removeprefix(LATER)
    part, colon, reason = text.partition(": ")
    return (part, reason) if colon and part.count("(") <= part.count(")") else ("", text)


def _some(parts: Sequence[str]) -> str:
    more = len(parts) - SHOWN
    return ", ".join(parts) if more <= 0 else f"{', '.join(parts[:SHOWN])} and {more} more"


def _is_untrained(estimate: Estimate) -> bool:
    return any(text.startswith("no training call") for text in estimate.assumptions)


def heading(model: str, estimate: Estimate, stack: Stack) -> str:
    """The call, the model, and how it is trained."""
    size = estimate.batch_size if estimate.batch_size is not None else f"{estimate.counted}, assumed"
    more = [f"{call_of(estimate.method)}  {model}", f"batch {size}", estimate.policy,
            *([estimate.optimizer] if estimate.optimizer else []),
            f"Keras {'.'.join(map(str, stack.keras))} ({estimate.regime})"]
    if estimate.replicas > 1:
        more.append(f"{estimate.replicas} replicas")
    return ", ".join(more)


def fitting(estimate: Estimate, gpu: GPU, mixed: Estimate | None = None) -> str:
    """The largest batch, and the next GPU that holds the program's own; of what is known from below no more than a
    bound. In mixed precision where that holds more."""
    largest = estimate.largest(gpu.usable)
    where = f"{estimate.replicas} {gpu.name} together" if estimate.replicas > 1 else gpu.name
    if not largest:
        said = [f"nothing on {where}"]
    elif estimate.lower_bound:
        fed = not any(text.startswith("an input") for text in estimate.unknown)
        told = fed and largest < LARGEST // 2 and not is_trifle(estimate)
        return f"at most batch {largest:,} on {where}" if told else "not known"
    else:
        said = [f"batch {largest:,} on {where}" if largest < LARGEST // 2 else f"any batch on {where}"]
    if not estimate.lower_bound and largest < (asked := estimate.counted * estimate.replicas):
        wider = [other for other in CATALOGUE if other.name in STEPS and other.usable > gpu.usable
                 and estimate.largest(estimate.on(other).usable) >= asked]
        said += [f"{asked:,} on {other.name} ({other.nominal:g} GB)" for other in wider[:1]]
    if mixed is not None and not mixed.lower_bound and (more := mixed.largest(gpu.usable)) > largest:
        said.append(f"with {mixed.policy} batch {more:,}")
    return " · ".join(said)

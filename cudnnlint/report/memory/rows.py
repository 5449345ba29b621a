"""Estimates as rows for programs."""

from __future__ import annotations

from typing import Any

from cudnnlint.memory.estimate import LARGEST, Estimate
from cudnnlint.memory.gpus import GPU
from cudnnlint.memory.timeline import Timeline
from cudnnlint.source import Span


def row(path: str, model: str, estimate: Estimate, gpu: GPU, timeline: bool = False,
        mixed: Estimate | None = None) -> dict[str, Any]:
    """`bytes` are requested bytes; `needs_bytes` include what the allocator adds; `timeline` if it was asked for; what
    it would be in mixed precision where it does not fit."""
    found = _row(path, model, estimate, gpu)
    if mixed is not None:
        found[mixed.policy] = {"needs_bytes": mixed.needs(), "largest_batch_size": mixed.largest(gpu.usable)}
    told = estimate.timeline
    return found | ({} if told is None or not timeline else {"timeline": _timeline(told)})


def _timeline(told: Timeline) -> dict[str, Any]:
    """`bands` of a step in the order of `bands` beside it; `bytes` are their sum."""
    return {"bands": [_place(band.label, band.span, band.at) for band in told.bands],
            "steps": [{"phase": one.phase, **_place(one.layer, one.span, one.at), "bytes": one.bytes,
                       "bands": list(one.bands)} for one in told.moments]}


def _place(name: str, span: Span | None, at: str) -> dict[str, Any]:
    """`at` where the line alone does not say it: in a notebook, and in other files."""
    told = {"name": name, "line": span.line if span else None}
    return told | ({"at": at} if at and span is not None and at != f"line {span.line}" else {})


def _largest(estimate: Estimate, gpu: GPU) -> int | None:
    """None where what is known does not grow with the batch, and parts are not known."""
    largest = estimate.largest(gpu.usable)
    return None if estimate.lower_bound and largest >= LARGEST // 2 else largest


def _row(path: str, model: str, estimate: Estimate, gpu: GPU) -> dict[str, Any]:
    terms = estimate.terms
    return {
        "path": estimate.span.path or path, "line": estimate.span.line, "model": model, "method": estimate.method,
        "batch_size": estimate.batch_size, "regime": estimate.regime, "optimizer": estimate.optimizer,
        "dtype_policy": estimate.policy,
        "bytes": {"weights": terms.weights, "gradients": terms.gradients, "optimizer": terms.optimizer,
                  "input": terms.input, "activations": terms.activations, "transient": terms.transient,
                  "total": terms.total},
        "needs_bytes": estimate.needs(), "least_bytes": estimate.least(),
        "most_bytes": None if estimate.lower_bound else estimate.most(), "lower_bound": estimate.lower_bound,
        "gpu": gpu.name, "gpus": gpu.count, "replicas": estimate.replicas,
        "usable_bytes": gpu.usable, "largest_batch_size": _largest(estimate, gpu),
        "layers": [{**_place(share.label, share.span, share.at), "bytes": share.bytes}
                   for share in estimate.layers[:10]],
        "unknown": list(estimate.unknown),
        "assumptions": [*estimate.assumptions, *([gpu.note] if gpu.note else [])]}

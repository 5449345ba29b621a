"""Estimates as rows for programs."""

from __future__ import annotations

from typing import Any

from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.gpus import GPU


def row(path: str, model: str, estimate: Estimate, gpu: GPU) -> dict[str, Any]:
    """`bytes` are requested bytes; `needs_bytes` include what the allocator adds."""
    terms = estimate.terms
    return {
        "path": estimate.span.path or path, "line": estimate.span.line, "model": model, "method": estimate.method,
        "batch_size": estimate.batch_size, "regime": estimate.regime, "optimizer": estimate.optimizer,
        "dtype_policy": estimate.policy,
        "bytes": {"weights": terms.weights, "gradients": terms.gradients, "optimizer": terms.optimizer,
                  "input": terms.input, "activations": terms.activations, "transient": terms.transient,
                  "total": terms.total},
        "needs_bytes": estimate.needs(), "lower_bound": estimate.lower_bound, "gpu": gpu.name, "gpus": gpu.count,
        "replicas": estimate.replicas,
        "usable_bytes": gpu.usable, "largest_batch_size": estimate.largest(gpu.usable),
        "layers": [{"name": share.label, "line": share.span.line if share.span else None, "bytes": share.bytes}
                   for share in estimate.layers[:10]],
        "unknown": list(estimate.unknown),
        "assumptions": [*estimate.assumptions, *([gpu.note] if gpu.note else [])]}

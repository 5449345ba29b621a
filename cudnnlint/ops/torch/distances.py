"""Distances and likeness of vectors in PyTorch: cdist, cosine_similarity, pairwise_distance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions.elementwise import binary
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch.maths import reduced
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown


def _over(x1: Any, x2: Any, dim: Any, keepdim: Any, name: str) -> Outcome:
    """Both broadcast, and one axis folded."""
    if not isinstance(x1, Tensor) or not isinstance(x2, Tensor):
        return Unknown(f"{name}()")
    met = binary("-", x1, x2, "torch", name)
    return reduced(met, dim, keepdim, met.dtype) if isinstance(met, Tensor) else met


@function("torch.nn.functional.cosine_similarity", "torch.cosine_similarity")
def cosine_similarity(x1: Any, x2: Any, dim: Any = 1, eps: Any = 1e-8) -> Outcome:
    """aten/src/ATen/native/Distance.cpp: cosine_similarity."""
    return _over(x1, x2, dim, False, "cosine_similarity")


@function("torch.nn.functional.pairwise_distance", "torch.pairwise_distance")
def pairwise_distance(x1: Any, x2: Any, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False) -> Outcome:
    """Over the last axis (aten/src/ATen/native/Distance.cpp: pairwise_distance)."""
    return _over(x1, x2, -1, keepdim, "pairwise_distance")


@function("torch.cdist")
def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = None) -> Outcome:
    """(..., P, M) and (..., R, M) -> (..., P, R) (aten/src/ATen/native/Distance.cpp: cdist)."""
    if not isinstance(x1, Tensor) or not isinstance(x2, Tensor):
        return Unknown("cdist()")
    for x in (x1, x2):
        if x.rank is not None and x.rank < 2:
            return Mismatch(Problem.RANK, f"cdist takes rows of vectors, its input has {x.rank} axes: {x}",
                            error=f'RuntimeError "cdist only supports at least 2D tensors, got: {x.rank}D"',
                            facts=(("expected", 2), ("actual", x.rank)))
    if not isinstance(x1.shape, tuple) or not isinstance(x2.shape, tuple):
        return x1.with_(shape=Unknown("rank"))
    *before, rows, width = x1.shape
    *others, columns, other = x2.shape
    if not may_equal(width, other):
        return Mismatch(Problem.CHANNELS, f"cdist: vectors of {width} and {other}: {x1} and {x2}",
                        error=f'RuntimeError "X1 and X2 must have the same number of columns. X1: {width} X2: {other}"',
                        facts=(("expected", width), ("actual", other)))
    met = binary("-", x1.with_(shape=tuple(before)), x2.with_(shape=tuple(others)), "torch", "cdist")
    if isinstance(met, Mismatch):
        return replace(met, message=f"cdist: {x1} and {x2} do not broadcast")
    return met.with_(shape=(*met.shape, rows, columns)) if isinstance(met, Tensor) and isinstance(met.shape, tuple) \
        else x1.with_(shape=Unknown("cdist()"))

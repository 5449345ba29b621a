"""Convolutions and poolings that are called with their weights, as what `claim_windows` asks about."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from cudnnlint.engine.claims.windows import Question, Window, asked
from cudnnlint.events import Rejected
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import Problem, Tensor

_NAME = re.compile(r"(?:tensorflow\.nn|keras\.ops(?:\.nn)?|torch(?:\.nn\.functional)?)\."
                   r"(?:(?P<conv>conv|convolution)|(?P<pool>max|avg|average)_pool)(?:[123]d)?")
NAMES = {"input": "x", "inputs": "x", "value": "x", "filters": "w", "filter": "w", "kernel": "w", "weight": "w",
         "stride": "strides", "dilation": "dilation_rate", "dilations": "dilation_rate", "ksize": "kernel_size",
         "pool_size": "kernel_size"}
"""What libraries call their parameters -> what Keras' layers do; x and w are the tensors."""


def call_question(event: Rejected) -> Question | None:
    """None for another function, and where the rank of the input is not known."""
    found = _NAME.fullmatch(event.path)
    if found is None:
        return None
    told = _bound(event)
    x, torch = told.get("x"), event.path.startswith("torch.")
    w = told.get("w")
    ranked = w if isinstance(w, Tensor) else x
    if not isinstance(x, Tensor) or not isinstance(ranked, Tensor) or not isinstance(ranked.shape, tuple):
        return None
    rank = len(ranked.shape) - 2
    if rank not in (1, 2, 3) or (torch and found["pool"] and not event.path.endswith(f"{rank}d")):
        return None
    first = torch or str(told.get("data_format")).upper() in ("NCHW", "NCW", "NCDHW", "CHANNELS_FIRST")
    told = {name: _spatial(value, rank, first) for name, value in told.items()}
    if found["pool"]:
        return asked(Window(rank, told, first, found["pool"]), x, event.mismatch.problem, event.mismatch.argument)
    shape = w.shape if isinstance(w, Tensor) and isinstance(w.shape, tuple) else ()
    if not all(isinstance(each, int) for each in shape) or not shape:
        return None
    return _convolved(event, told, shape, x, rank, first, torch)


def _convolved(event: Rejected, told: dict[str, Any], shape: tuple[Any, ...], x: Tensor, rank: int, first: bool,
               torch: bool) -> Question | None:
    """Groups are an argument in PyTorch; elsewhere the channels of the input are so many times those of the filters."""
    kernel, (inner, filters) = (shape[2:], shape[1::-1]) if torch else (shape[:-2], shape[-2:])
    channels = x.shape[1 if first else -1] if isinstance(x.shape, tuple) else None
    groups = told.get("groups", 1)
    if not torch and isinstance(channels, int) and inner > 0 and channels % inner == 0:
        groups = channels // inner
    if not isinstance(groups, int):
        return None
    told |= {"kernel_size": list(kernel), "filters": filters, "groups": groups}
    if event.mismatch.problem is Problem.CHANNELS:
        return asked(Window(rank, told, first), x, Problem.CHANNELS, built=inner * groups)
    return asked(Window(rank, told, first), x, event.mismatch.problem, event.mismatch.argument)


def _bound(event: Rejected) -> dict[str, Any]:
    """The arguments by name, with those that were left out."""
    spelling: Any = FUNCTIONS[event.path]
    bound = inspect.signature(spelling.builder).bind(*event.args, **event.kwargs)
    bound.apply_defaults()
    given: Mapping[str, Any] = bound.arguments
    told = {NAMES.get(name, name): value for name, value in given.items()}
    return {name: value for name, value in told.items() if value is not None or name == "strides"}


def _spatial(value: Any, rank: int, first: bool) -> Any:
    """Of one number an axis of the tensor those of the spatial axes (tensorflow/python/ops/nn_ops.py)."""
    if not isinstance(value, (list, tuple)) or len(value) != rank + 2:
        return value
    return list(value[2:] if first else value[1:-1])

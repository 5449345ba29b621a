"""Graphs that fit() traces: of which batches TensorFlow knows no number of rows."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from cudnnlint.events import Data
from cudnnlint.frameworks.training.model_views import runs_eagerly
from cudnnlint.interp.graphs.opened_extents import opened
from cudnnlint.interp.registry import Call


def traced_by(c: Call, data: Data, fed: Any, method: str) -> AbstractContextManager[None]:
    """Run with Keras 3.15 and tf_keras 2.21: batches of arrays are of any size to fit(), whatever their number of rows,
    and those of a dataset unless it drops the remainder."""
    if method != "fit" or data.kind not in ("arrays", "dataset") or runs_eagerly(c.receiver):
        return nullcontext()
    return opened(c.machine, "while fit() traces the model", fed if data.kind == "arrays" else None)

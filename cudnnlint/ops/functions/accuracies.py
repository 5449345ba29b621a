"""keras.metrics: the functions that tell of each sample whether it was met."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Tensor, Unknown


def met(y_pred: Any) -> Outcome:
    """(*batch, classes) -> (*batch), as floatx (keras/src/metrics/accuracy_metrics.py)."""
    x = as_tensor(y_pred, "keras")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or not x.shape:
        return Unknown("an accuracy")
    return x.with_(shape=x.shape[:-1], dtype="float32")


@function("keras.metrics.categorical_accuracy", "keras.metrics.sparse_categorical_accuracy")
def categorical_accuracy(y_true: Any, y_pred: Any) -> Outcome:
    return met(y_pred)


@function("keras.metrics.top_k_categorical_accuracy")
def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: Any = 5) -> Outcome:
    return met(y_pred)

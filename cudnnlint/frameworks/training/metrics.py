"""Metrics that compile() was given, against labels and outputs that they are to compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import Data, LossInfo, ModelView
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import ObjectV, snake
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Where

KERAS_3 = Where(keras=">=3")
"""Where labels of one axis stay such; Keras 2 gives them a second one."""
COUNTING = frozenset({
    "precision", "recall", "true_positives", "true_negatives", "false_positives", "false_negatives", "auc",
    "precision_at_recall", "recall_at_precision", "sensitivity_at_specificity", "specificity_at_sensitivity"})
"""Metrics that compare one label with each output."""
CHOOSING = frozenset({"class_id", "multi_label", "num_labels", "label_weights", "top_k", "**"})
OVERLAPS = frozenset({"mean_io_u", "io_u"})
SCORES = frozenset({"f1_score", "f_beta_score", "fbeta_score"})
CLASS_NUMBERS = frozenset({"sparse_categorical_accuracy", "sparse_top_k_categorical_accuracy"})
ONE_HOT = frozenset({"categorical_accuracy", "top_k_categorical_accuracy"})
EACH = frozenset({
    "binary_accuracy", "mse", "mae", "mape", "msle", "mean_squared_error", "mean_absolute_error", "hinge",
    "mean_absolute_percentage_error", "mean_squared_logarithmic_error", "root_mean_squared_error", "cosine_similarity",
    "squared_hinge", "log_cosh_error"})
"""Metrics that compare element by element: a vector of labels with each column, if there are as many rows."""
ENTROPIES = frozenset({"binary_crossentropy", "categorical_crossentropy"})


def check_metrics(c: Call, method: str, seen: ModelView, data: Data) -> None:
    """Tell of the first that cannot compare them, of a model with one output."""
    y, output = data.y, seen.outputs
    if method not in ("fit", "evaluate", "train_on_batch", "test_on_batch") or not isinstance(y, Tensor) \
            or not isinstance(output, Tensor) or own_step(c.receiver, method) is not None:
        return
    given = strip((seen.compiled or {}).get("metrics"))
    of_numbers = isinstance(seen.losses, LossInfo) and seen.losses.name.startswith("sparse_")
    for metric in given if isinstance(given, list | tuple) else [given]:
        for wrong in misfits(metric, y, output):
            if (of_numbers or _name(metric)[0] not in EACH | ENTROPIES) \
                    and refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method):
                return  # else the loss is told of that compares them likewise


def misfits(metric: Any, y: Tensor, output: Tensor) -> Iterator[Mismatch]:
    """What a metric cannot compare, or compares otherwise than is meant."""
    name, options = _name(metric)
    t, o = y.shape, output.shape
    if not name or not isinstance(t, tuple) or not isinstance(o, tuple) or len(o) < 2 or not isinstance(o[-1], int):
        return
    numbers = o[-1] > 1 and (len(t) == len(o) - 1 or (len(t) == len(o) and t[-1] == 1))
    told = f"{name} compares labels {y} with the output {output}"
    if numbers and name in COUNTING and not options.keys() & CHOOSING:
        yield Mismatch(Problem.METRIC, f"{told}, class by class", help=HOT, error=COMPARED)
    elif numbers and name in OVERLAPS and plain(options.get("sparse_y_pred", True)) is True:
        yield Mismatch(Problem.METRIC, f"{told}, as class numbers", error=COMPARED,
                       help="sparse_y_pred=False, which takes the greatest of each row")
    elif name in SCORES and len(t) == 1:
        yield Mismatch(Problem.METRIC, f"{told}, and takes labels of two axes", help=HOT if o[-1] > 1 else "y[:, None]",
                       error='ValueError "FBetaScore expects 2D inputs with shape (batch_size, output_dim)."')
    elif name in SCORES and numbers:
        yield Mismatch(Problem.METRIC, f"{told}, and takes one-hot labels", help=HOT,
                       error="no error with Keras 3, silently wrong; a ValueError with Keras 2")
    elif name in CLASS_NUMBERS and len(t) == len(o) and t[-1] == o[-1] != 1:
        yield Mismatch(Problem.METRIC, f"{told}, and takes class numbers", help="categorical_accuracy, or accuracy",
                       error=COMPARED)
    elif numbers and name in EACH and len(t) == 1 and t[0] != 1:
        yield Mismatch(Problem.METRIC, f"{told}, element by element", help=f"{HOT}, sparse_categorical_accuracy, say",
                       error=COMPARED + "; of a batch of as many rows as classes no error, and no use", where=KERAS_3)
    elif numbers and name in ENTROPIES:
        yield Mismatch(Problem.METRIC, f"{told}, and takes one-hot labels", help="sparse_categorical_crossentropy",
                       error='ValueError "Arguments `target` and `output` must have the same rank (ndim)"')
    elif numbers and name in ONE_HOT:
        yield Mismatch(Problem.METRIC, f"{told}, and takes one-hot labels", help="sparse_categorical_accuracy, or "
                       "accuracy", error="no error, silently wrong: it takes every label for class 0")


HOT = "one-hot labels, or a metric that takes class numbers"
COMPARED = ('InvalidArgumentError "Incompatible shapes" or ValueError "Dimensions must be equal" or '
            'ValueError "Shapes ... are incompatible"')


def _name(metric: Any) -> tuple[str, dict[str, Any]]:
    """What Keras calls it, and how it was made; "" where that is not known."""
    held = plain(metric)
    if isinstance(held, str):
        return (snake(held) if held[:1].isupper() else held), {}
    if isinstance(held, ObjectV) and held.path.startswith("keras.metrics."):
        return snake(held.path.rpartition(".")[2]), held.kwargs
    return "", {}


__all__ = ["check_metrics", "misfits"]

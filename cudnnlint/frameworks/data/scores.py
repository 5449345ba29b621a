"""Metrics of scikit-learn that compare classes: given the scores that predict() gives, or rows of ones and zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, is_floating
from cudnnlint.values.origins import PREDICTED

CLASSES = ("accuracy_score", "balanced_accuracy_score", "classification_report", "cohen_kappa_score",
           "confusion_matrix", "f1_score", "matthews_corrcoef", "precision_score", "recall_score")
NUMBERS = ("mean_squared_error", "mean_absolute_error", "r2_score", "root_mean_squared_error", "roc_auc_score",
           "average_precision_score", "log_loss")
SHAPING = frozenset({"squeeze", "reshape", "ravel", "flatten", "getitem"})
MIX = 'ValueError "Classification metrics can\'t handle a mix of {} and {} targets"'
EITHER = 'ValueError "Classification metrics can\'t handle a mix of multiclass and {0} targets" or ' \
    '"of binary and {0} targets"'
"""What one column of labels is called hangs on how many classes are among them."""


@FRAMEWORK.on(*(f"sklearn.metrics.{name}" for name in CLASSES + NUMBERS))
def score(c: Call) -> Any:
    """sklearn/metrics/_classification.py: _check_targets; sklearn/utils/multiclass.py: type_of_target"""
    name = c.path.rpartition(".")[2]
    truth, given = (strip(c.get(place, name)) for place, name in enumerate(
        ("y_true", "y_score" if name in ("roc_auc_score", "average_precision_score") else "y_pred")))
    if isinstance(truth, Tensor) and isinstance(given, Tensor) and is_meant(c.machine) and not c.machine.uncalled \
            and (mismatch := unequal(name, [truth, given]) or _compared(name, truth, given)) is not None:
        refuse(c.machine, c.span, mismatch, about=(truth, given), what=name, inputs=[truth, given])
    return Unknown(f"what {name}() gives")


def unequal(name: str, arrays: Sequence[Tensor]) -> Mismatch | None:
    """Of arrays that go together row by row (sklearn/utils/validation.py: check_consistent_length)."""
    rows = [array.shape[0] for array in arrays if isinstance(array.shape, tuple) and array.shape]
    known = [count for count in rows if isinstance(count, int)]
    if len(set(known)) < 2:
        return None
    return Mismatch(
        Problem.MERGE, f"{name}() is given {' and '.join(map(str, arrays))}: {' and '.join(map(str, known))} rows",
        error=f'ValueError "Found input variables with inconsistent numbers of samples: {known}"')


def _compared(name: str, truth: Tensor, given: Tensor) -> Mismatch | None:
    if name in NUMBERS:
        return None
    classes, columns = _columns(truth), _columns(given)
    if not classes or not columns:
        return None
    if _is_predicted(given):
        scores = "continuous" if columns == 1 else "continuous-multioutput"
        error = MIX.format("multilabel-indicator", scores) if classes > 1 else EITHER.format(scores)
        advice = "np.argmax(y, axis=1) of both" if min(classes, columns) > 1 else \
            "np.argmax(y_pred, axis=1)" if columns > 1 else "(y_pred > 0.5).astype(int)"
        return _told(name, f"compares classes, and is given the scores {given} that predict() gives", "y_pred", advice,
                     error)
    if min(classes, columns) == 1 < max(classes, columns):
        wide, argument = (truth, "y_true") if classes > 1 else (given, "y_pred")
        return _told(name, f"compares {truth} with {given}: the classes of one are in columns", argument,
                     f"np.argmax({argument}, axis=1) of {wide}", MIX.format("multilabel-indicator", "multiclass"))
    if name == "confusion_matrix" and min(classes, columns) > 1:
        return _told(name, f"counts classes, and is given rows of them, {truth}", "y_true",
                     "np.argmax(y, axis=1) of both", 'ValueError "multilabel-indicator is not supported"')
    return None


def _columns(labels: Tensor) -> int:
    """1 of a vector or one column; 0 where it is not known."""
    if labels.rank == 1:
        return 1
    last = labels.shape[1] if isinstance(labels.shape, tuple) and len(labels.shape) == 2 else 0
    return last if isinstance(last, int) else 0


def _is_predicted(given: Tensor) -> bool:
    """Whether it is what predict() gave, but for its shape."""
    step = given.step
    for _ in range(4):
        if step is None or is_floating(given.dtype) is not True:
            return False
        if step.maker == PREDICTED:
            return True
        if not isinstance(step.maker, str) or step.maker.rpartition(".")[2] not in SHAPING or not step.parents:
            return False
        step = step.parents[0].step
    return False


def _told(name: str, message: str, argument: str, help: str, error: str) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f"{name}() {message}", help=help, error=error, argument=argument)

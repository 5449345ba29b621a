"""Cross-validation of scikit-learn: how many folds there are, of indices that nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from cudnnlint.frameworks.stdlib import FRAMEWORK
from cudnnlint.interp.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

DEFAULTS = {"KFold": 5, "StratifiedKFold": 5, "GroupKFold": 5, "StratifiedGroupKFold": 5, "TimeSeriesSplit": 5,
            "ShuffleSplit": 10, "StratifiedShuffleSplit": 10}
"""sklearn/model_selection/_split.py: n_splits of each, the first parameter."""


@dataclass(frozen=True, slots=True)
class FoldsV:
    """What split() goes through: pairs of index arrays, `turns` of them."""

    turns: Any
    always_true: ClassVar[bool] = True

    def iterated(self, m: Machine) -> Any:
        return Unknown("the folds of a cross-validation")

    def sample(self, m: Machine) -> Any:
        return Unknown("indices of a fold"), Unknown("indices of a fold")


@FRAMEWORK.on(*(f"sklearn.model_selection.{name}.split" for name in DEFAULTS))
def split(c: Call) -> Any:
    made = plain(c.receiver)
    if not isinstance(made, ObjectV):
        return Unknown("the folds of a cross-validation")
    default = DEFAULTS.get(made.path.rpartition(".")[2])
    return FoldsV(plain(made.args[0] if made.args else made.kwargs.get("n_splits", default)))

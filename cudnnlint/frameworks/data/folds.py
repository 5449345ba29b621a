"""Cross-validation of scikit-learn: how many folds there are, and how many indices each has."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.dim import is_known

DEFAULTS = {"KFold": 5, "StratifiedKFold": 5, "GroupKFold": 5, "StratifiedGroupKFold": 5, "TimeSeriesSplit": 5,
            "ShuffleSplit": 10, "StratifiedShuffleSplit": 10}
"""sklearn/model_selection/_split.py: n_splits of each, the first parameter."""


@record(frozen=True, slots=True)
class FoldsV:
    """What split() goes through: pairs of index arrays, `turns` of them; `rows` of what is split, if they tell how many
    indices each has."""

    turns: Any
    rows: Any = Unknown("rows of a fold")
    always_true: ClassVar[bool] = True

    def iterated(self, m: Machine) -> Any:
        return Unknown("the folds of a cross-validation")

    def sample(self, m: Machine) -> Any:
        if not is_known(self.rows) or not is_known(self.turns) or self.turns < 2 or self.rows % self.turns:
            return tuple(Tensor((Unknown("rows of a fold"),), "int64", "numpy") for _ in range(2))
        held = self.rows // self.turns
        return Tensor((self.rows - held,), "int64", "numpy"), Tensor((held,), "int64", "numpy")


@FRAMEWORK.on(*(f"sklearn.model_selection.{name}.split" for name in DEFAULTS))
def split(c: Call) -> Any:
    made = plain(c.receiver)
    if not isinstance(made, ObjectV):
        return Unknown("the folds of a cross-validation")
    default = DEFAULTS.get(made.path.rpartition(".")[2])
    _tell_of_columns(c, made.path.rpartition(".")[2], strip(c.get(1, "y")))
    turns = plain(made.args[0] if made.args else made.kwargs.get("n_splits", default))
    return FoldsV(turns, _rows(plain(c.get(0, "X")))) if made.path == EVEN else FoldsV(turns)


def _tell_of_columns(c: Call, name: str, labels: Any) -> None:
    """Classes of which each fold gets its share are numbers or texts, one a row (sklearn/model_selection/_split.py:
    StratifiedKFold._make_test_folds; sklearn/utils/multiclass.py: type_of_target)."""
    shape = labels.shape if name in STRATIFIED and isinstance(labels, Tensor) else ()
    if isinstance(shape, tuple) and len(shape) == 2 and isinstance(shape[1], int) and shape[1] > 1 \
            and is_certain(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"{name}.split() is given labels of {shape[1]} columns, {labels}",
            argument="y", help="the class of each row: np.argmax(y, axis=1)",
            error='ValueError "Supported target types are: (\'binary\', \'multiclass\'). Got \'multilabel-indicator\' '
                  'instead."'), about=labels, what=f"{name}.split")


STRATIFIED = frozenset({"StratifiedKFold", "StratifiedGroupKFold"})
EVEN = "sklearn.model_selection.KFold"
"""The one whose folds have as many rows each, where that comes out even (sklearn/model_selection/_split.py: KFold)."""


def _rows(given: Any) -> Any:
    if isinstance(given, Tensor):
        return given.shape[0] if isinstance(given.shape, tuple) and given.shape else Unknown("rows of a fold")
    if isinstance(given, ListV):
        return Unknown("rows of a fold") if given.unknown else len(given.items)
    return getattr(given, "rows", Unknown("rows of a fold"))

"""scikit-learn: rows and columns that a transformer takes, and as many columns as it was fitted to."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.tfdata.dataset import called_as
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor

FITTED = "sklearn.fitted"
"""Key of the columns that transformers were fitted to, by their ids: (transformer, columns), 0 where not known."""


def tell_of_unfitting(c: Call, x: Any) -> bool:
    """Whether the call certainly fails (sklearn/utils/validation.py: check_array, _check_n_features)."""
    m, made = c.machine, plain(c.receiver)
    name, _, method = called_as(c).rpartition(".")
    name = name.rpartition(".")[2]
    known: dict[int, tuple[Any, int]] = m.state.get(FITTED, {})
    columns = x.shape[1] if isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) == 2 else 0
    columns = columns if isinstance(columns, int) else 0
    wanted = known[id(made)][1] if id(made) in known else 0
    if method.startswith("fit"):
        m.state[FITTED] = {**known, id(made): (made, 0 if m.uncertain else columns)}
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or not is_meant(m) or m.uncalled:
        return False
    if len(x.shape) != 2:
        error = "Expected 2D array, got 1D array instead" if len(x.shape) == 1 else \
            f"Found array with dim {len(x.shape)}" if x.shape else "Expected 2D array, got scalar array instead"
        return refuse(m, c.span, Mismatch(
            Problem.RANK, f"{name}.{method}() takes rows and columns, and is given {x}",
            help="x.reshape(-1, 1) is one column" if len(x.shape) == 1 else "x.reshape(-1, x.shape[-1])",
            error=f'ValueError "{error}"', facts=(("expected", 2), ("actual", len(x.shape)))), about=(x,),
            what=f"{name}.{method}", inputs=x)
    back = method == "inverse_transform"
    if method.startswith("fit") or not wanted or not columns or columns == wanted or (back and wanted == 1):
        return False
    error = f"X has {columns} features, but {name} is expecting {wanted} features as input" if not back else \
        "non-broadcastable output operand" if columns == 1 else "operands could not be broadcast together"
    return refuse(m, c.span, Mismatch(
        Problem.MERGE, f"{name}.{method}() is given {columns} column{'s' * (columns != 1)}, it was fitted to {wanted}",
        help="a scaler of its own for the column that is predicted" if back else "the columns that fit() was given",
        error=f'ValueError "{error}"'), about=(x,), what=f"{name}.{method}", inputs=x)

"""Differential oracle: one layer configuration through real Keras and through our op, and where they differ.

A family of configurations is one file, `tests/oracle/configs/<family>.py`, with

    CONFIGS: dict[str, SearchStrategy]        # "keras.layers.Dense" -> strategy of (kwargs, inputs) or Case

`inputs` is a shape as keras.Input's batch_shape, `(None, 8, 8, 3)`, a `Spec(shape, dtype)`, or a list or dict
of those. Use `Case` for more: call arguments, a dtype policy, or permission to answer Unknown.
A wrapped layer among the kwargs is `Sub("keras.layers.LSTM", {"units": 4})`, a function `Fn(real, ours)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cudnnlint.ops.protocol import LAYERS
from cudnnlint.values import Problem, Stack, Unknown, Where
from tests.oracle.cases import Accepted, Case, Fn, Made, Refused, Spec, Sub, as_case, each
from tests.oracle.ours import load_ops, our_call, ours, predicted
from tests.oracle.real import installed_stack, library, real, real_class, run

__all__ = ["Accepted", "Case", "Fn", "Made", "Refused", "Spec", "Sub", "as_case", "disagreement", "each",
           "installed_stack", "library", "load_ops", "our_call", "ours", "real", "real_class", "run"]

UNSEEN = {Problem.EMPTY_DIM, Problem.UNEQUAL_STRIDES, Problem.LRN, Problem.EPSILON}
"""Failures of a GPU or of a later stage, which no run on a CPU shows."""


def disagreement(name: str, path: str, case: Case) -> str | None:
    """None when our answer is the library's; else both, readably."""
    stack = installed_stack(name)
    if case.only not in (None, name) or not case.where.holds(stack):
        return None
    unknown = case.unknown.holds(stack) if isinstance(case.unknown, Where) else case.unknown
    case = replace(case, kwargs=fitted(path, case.kwargs, stack), unknown=unknown)
    mine, theirs = ours(path, case, stack), real(name, path, case)
    if _agree(mine, theirs, case) or _fails_later(mine, theirs, name, path, case):
        return None
    return f"{path} on {name} {library(name).__version__}\n  case   {case}\n  ours   {mine}\n  {name}  {theirs}"


def fitted(path: str, kwargs: Mapping[str, Any], stack: Stack) -> dict[str, Any]:
    """`kwargs` that this release takes; that it refuses the others is what test_signatures.py shows."""
    versions = LAYERS[path].versions
    return {key: _fitted_value(value, stack) for key, value in kwargs.items()
            if Where(keras=versions.get(key, "")).holds(stack)}


def _fitted_value(value: Any, stack: Stack) -> Any:
    if isinstance(value, Sub):
        return Sub(value.path, fitted(value.path, value.kwargs, stack))
    return [_fitted_value(item, stack) for item in value] if isinstance(value, list) else value


def _agree(mine: Any, theirs: Any, case: Case) -> bool:
    if isinstance(mine, Unknown):
        return bool(case.unknown)
    if isinstance(mine, Refused) or isinstance(theirs, Refused):
        return isinstance(mine, Refused) and isinstance(theirs, Refused)
    return _same(mine.outputs, theirs.outputs, case) and all(
        (case.unknown and isinstance(a, Unknown)) or a == b for a, b in (
            (mine.weights, theirs.weights), (mine.params, theirs.params), (mine.trainable, theirs.trainable)))


def _fails_later(mine: Any, theirs: Any, name: str, path: str, case: Case) -> bool:
    """We refuse what the symbolic build accepts: right only with the accepted result beside the Mismatch,
    and if a run on the CPU fails, or the failure is one that it cannot show."""
    if not isinstance(mine, Refused) or not isinstance(theirs, Accepted) or mine.mismatch is None:
        return False
    mismatch = mine.mismatch
    if mismatch.otherwise is None or not _same(predicted(mismatch.otherwise), theirs.outputs, case):
        return False
    if mismatch.problem is Problem.EMPTY_DIM:
        return _has_empty(theirs.outputs)
    return mismatch.problem in UNSEEN or isinstance(run(name, path, case), Refused)


def _has_empty(outputs: Any) -> bool:
    if isinstance(outputs, tuple) and len(outputs) == 2 and isinstance(outputs[0], tuple):
        return 0 in outputs[0]
    return any(map(_has_empty, outputs)) if isinstance(outputs, list) else False


def _same(mine: Any, theirs: Any, case: Case) -> bool:
    if isinstance(mine, Unknown):
        return bool(case.unknown)
    if theirs is None and isinstance(mine, int):
        return case.sharper
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, (list, tuple)):
        return len(mine) == len(theirs) and all(_same(a, b, case) for a, b in zip(mine, theirs, strict=True))
    if isinstance(mine, dict):
        return mine.keys() == theirs.keys() and all(_same(mine[key], theirs[key], case) for key in mine)
    return bool(mine == theirs)

"""Claims about names and arguments that a library does not have."""

from __future__ import annotations

from typing import Any

from cudnnlint.engine.claims.layers import clauses
from cudnnlint.engine.claims.values import NotVerifiableError
from cudnnlint.events import Rejected
from cudnnlint.events.project import ApiChanged, ApiOutlived
from cudnnlint.facts.changes import LEGACY, NO_MODULES
from cudnnlint.values import Problem

CALLED = ("tensorflow.", "keras.optimizers.", "keras.utils.", "keras.callbacks.", "keras.mixed_precision.")
METHODS = frozenset({"compile", "fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})


def name(event: ApiChanged | ApiOutlived, rule: str) -> tuple[str, dict[str, Any]]:
    """A name that a library does not have, or an argument that a function does not take."""
    if event.what in ("argument", "ignored") and event.name.startswith(CALLED):
        return "argument", {"name": event.name, "argument": event.argument, "exists": clauses(event.exists)}
    if event.name.startswith(f"{LEGACY}."):
        raise NotVerifiableError("the name is there, and raises when an optimizer is made")
    if event.what != "name" or not event.name.startswith(("tensorflow.", "keras.")):
        raise NotVerifiableError("no job is known for such a finding")
    tail = event.name.rpartition(".")[2]
    return "name", {"name": event.name, "imported": event.imported, "module": event.name in NO_MODULES,
                    "exists": clauses(event.exists), "also": () if event.imported else (f"has no attribute '{tail}'",)}


def method_argument(event: Rejected) -> tuple[str, dict[str, Any]] | None:
    """An argument that a method of models does not take; None if that is not what is refused."""
    method, argument = event.stage, event.mismatch.argument
    if event.mismatch.problem is not Problem.UNKNOWN_ARGUMENT or method not in METHODS or not argument:
        return None
    return "argument", {"name": f"keras.Model.{method}", "argument": argument, "where": clauses(event.mismatch.where)}

"""Claims about the memory of a training step: the model is built again, and one step of it is measured."""

from __future__ import annotations

from typing import Any

from cudnnlint.engine.claims.model import whole_model
from cudnnlint.engine.claims.values import NotVerifiableError
from cudnnlint.events import TrainingStarted
from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.gpus import ASSUMED, find

OF_MEMORY = frozenset({"out-of-memory"})
ON_ONE = {"fit": "train_on_batch", "evaluate": "test_on_batch", "predict": "predict_on_batch"}


def memory_claim(event: TrainingStarted, options: Any) -> tuple[str, dict[str, Any]]:
    """One step on the batch of one replica, with what is predicted and what the GPU has."""
    gpu = find(str(getattr(options, "gpu", ""))) or ASSUMED
    made: Estimate | None = event.memory(None, gpu.count) if event.memory is not None else None
    if made is None:
        raise NotVerifiableError("no estimate was made")
    gpu = made.on(gpu)
    kind, facts = whole_model(event, ON_ONE.get(event.method, event.method), made.counted)
    facts.pop("replicas", None)
    return kind, {**facts, "needs": "gpu", "measure": ["peak"],
                  "memory": {"predicted": made.needs(), "usable": gpu.usable, "gpu": gpu.name,
                             "at_least": made.lower_bound}}

"""Claims about how data are handed to fit(), and about what is made inside of a strategy's scope."""

from __future__ import annotations

from typing import Any

from cudnnlint.engine.claims.training import ANY_MODEL
from cudnnlint.engine.claims.values import BATCH_SIZE, Encoder, NotVerifiableError
from cudnnlint.events import ScopesMixed, TrainingStarted, tensors
from cudnnlint.values import Tensor

FED = frozenset({"fit", "evaluate", "predict"})
REPLICAS = 2


def fed(event: TrainingStarted) -> tuple[str, dict[str, Any]]:
    """A generator or a dataset whose batches have this structure, for a model that takes the first part."""
    kind, element = event.data.kind, event.data.element
    if kind not in ("generator", "dataset", "sequence") or event.method not in FED:
        raise NotVerifiableError("what gives the batches is code of the user's")
    encoder = Encoder(symbolic=False)
    parts = tensors(element)
    if not parts:
        raise NotVerifiableError("what a batch is made of is not known")
    told = encoder.value(element, "a batch")
    first = encoder.tensor(parts[0])["tensor"]
    encoder.notes[ANY_MODEL.replace("4 features", "one dense layer")] = None
    return "fit", {"method": event.method, "model": [{**first, "shape": [None, *first["shape"][1:]]}], "x": [],
                   "losses": None, "arguments": {}, "element": told, "source": kind, "notes": list(encoder.notes)}


def scopes(event: ScopesMixed, rule: str) -> tuple[str, dict[str, Any]]:
    """A model that is made, compiled and trained inside or outside of the scope of a strategy with two replicas."""
    if event.compiled is None:
        raise NotVerifiableError("where the model is compiled is not known")
    data = Encoder(symbolic=False).tensor(Tensor((2 * BATCH_SIZE, 4)))["tensor"]
    return "fit", {"method": "fit", "model": [{**data, "shape": [None, 4]}], "x": [data], "y": [data],
                   "losses": None, "arguments": {}, "replicas": REPLICAS,
                   "optimizer": {"name": "adam", "arguments": {}},
                   "inside": [event.made, event.compiled, event.trained],
                   "notes": [ANY_MODEL, f"{REPLICAS} replicas"]}

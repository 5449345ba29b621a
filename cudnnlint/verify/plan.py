"""Claims made into jobs: data that a worker understands, and which Keras is to be asked."""

from __future__ import annotations

import json
from typing import Any

from cudnnlint.finding import Claim
from cudnnlint.records import record
from cudnnlint.verify.interpreter import Interpreter

KINDS = frozenset({"layer", "function", "fit", "loss", "name", "argument", "batch", "optimizer", "traces",
                   "devices", "rebuilt", "grown"})
NOT_JOB = frozenset({"expected", "stack", "where", "notes", "needs", "exists", "uses", "cudnn", "shows",
                     "memory"})
"""Facts of a claim that are about its verdict."""
ONLY_GPU, ONLY_CPU = "only a GPU shows it", "only a CPU shows it"
OF_TENSORFLOW = frozenset({"batch", "traces", "devices", "grown", "rebuilt"})
"""Kinds that are about nothing else."""
MAX_BYTES = 256 * 1024
"""A job that is longer as text is not tried."""


@record(frozen=True, slots=True)
class Plan:
    """A job, or the reason why there is none. `key` is equal for equal jobs."""

    job: dict[str, Any]
    reason: str = ""

    @property
    def key(self) -> str:
        return json.dumps(self.job, sort_keys=True)


def plan(claim: Claim | None, interpreter: Interpreter, device: str = "cpu") -> Plan:
    """The job for a claim; nothing in it comes from the program but names, numbers and text, as JSON."""
    if claim is None:
        return Plan({}, "no run would fail by it")
    facts = dict(claim.facts)
    if claim.kind not in KINDS:
        return Plan({}, str(facts.get("reason") or f"no job is known for a claim about a {claim.kind}"))
    if facts.get("needs", device) != device:
        return Plan({}, ONLY_GPU if device == "cpu" else ONLY_CPU)
    api = api_for(facts, interpreter)
    if (api == "torch" and "torch" not in interpreter.found) or (api != "torch" and interpreter.api == "torch"):
        return Plan({}, f"the environment has no {'PyTorch' if api == 'torch' else 'Keras'}")
    if _of_tensorflow(claim.kind, facts) and interpreter.backend != "tensorflow":
        return Plan({}, "the environment has no TensorFlow")
    job = {name: value for name, value in facts.items() if name not in NOT_JOB}
    job |= {"kind": claim.kind, "api": api}
    if measured := [*facts.get("shows", ()), *facts.get("measure", ())]:
        job["measure"] = measured
    try:
        size = len(json.dumps(job, allow_nan=False))
    except (TypeError, ValueError):
        return Plan({}, "its numbers cannot be told as JSON")
    return Plan(job) if size <= MAX_BYTES else Plan({}, "its configuration is too long to try")


def _of_tensorflow(kind: str, facts: dict[str, Any]) -> bool:
    """Whether no other library has what it is about."""
    name = str(facts.get("function") or facts.get("name") or "")
    return (kind in OF_TENSORFLOW or bool(facts.get("dataset")) or facts.get("source") == "dataset"
            or facts.get("replicas", 1) > 1 or name.startswith("tensorflow.")
            or (name.startswith("operator.") and facts.get("uses") == "tf")
            or any(str(node.get("function")).startswith("tensorflow.") for node in _nodes(facts)))


def _nodes(facts: dict[str, Any]) -> list[dict[str, Any]]:
    graph = facts.get("graph")
    return list(graph["nodes"]) if isinstance(graph, dict) else []


def api_for(facts: dict[str, Any], interpreter: Interpreter) -> str:
    """Keras 2 for a program that is for it, where it is there; PyTorch for what is PyTorch's."""
    if facts.get("uses") == "torch" or str(facts.get("layer") or facts.get("function") or "").startswith("torch."):
        return "torch"
    keras = (facts.get("stack") or {}).get("keras") or [3]
    if keras[0] < 3 and interpreter.has_keras_2:
        return "tf_keras"
    return "keras" if interpreter.api == "torch" else interpreter.api

"""Claims made into jobs: data that a worker understands, and which Keras is to be asked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from cudnnlint.finding import Claim
from cudnnlint.verify.interpreter import Interpreter

KINDS = frozenset({"layer", "function", "fit", "loss", "name", "argument", "batch"})
NOT_JOB = frozenset({"expected", "stack", "where", "notes", "needs", "exists", "uses", "cudnn"})
"""Facts of a claim that are about its verdict."""
MAX_BYTES = 256 * 1024
"""A job that is longer as text is not tried."""


@dataclass(frozen=True, slots=True)
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
        return Plan({}, "only a GPU shows it")
    api = api_for(facts, interpreter)
    if (api == "torch" and "torch" not in interpreter.found) or (api != "torch" and interpreter.api == "torch"):
        return Plan({}, f"the environment has no {'PyTorch' if api == 'torch' else 'Keras'}")
    job = {name: value for name, value in facts.items() if name not in NOT_JOB}
    job |= {"kind": claim.kind, "api": api}
    try:
        size = len(json.dumps(job, allow_nan=False))
    except (TypeError, ValueError):
        return Plan({}, "its numbers cannot be told as JSON")
    return Plan(job) if size <= MAX_BYTES else Plan({}, "its configuration is too long to try")


def api_for(facts: dict[str, Any], interpreter: Interpreter) -> str:
    """Keras 2 for a program that is for it, where it is there; PyTorch for what is PyTorch's."""
    if facts.get("uses") == "torch" or str(facts.get("layer") or facts.get("function") or "").startswith("torch."):
        return "torch"
    keras = (facts.get("stack") or {}).get("keras") or [3]
    if keras[0] < 3 and interpreter.has_keras_2:
        return "tf_keras"
    return "keras" if interpreter.api == "torch" else interpreter.api

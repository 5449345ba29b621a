"""Findings put to an installed cuDNN: its descriptors, and a handle where there is a GPU."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.finding import Claim, Finding, Level, Verification
from cudnnlint.values import Stack, Where
from cudnnlint.values.stack import parse_version
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.plan import Plan
from cudnnlint.verify.run import Kept, Limits, UnavailableError
from cudnnlint.verify.session import Worker, WorkerError
from cudnnlint.verify.verdict import CONFIRMED, DIFFERENT, INCONCLUSIVE, NOT_VERIFIABLE, REFUTED

CONCLUSIVE = frozenset({CONFIRMED, REFUTED, DIFFERENT})
RUNS = frozenset({"batch_norm", "dropout", "ctc"})
"""What runs on a GPU gets a process of its own: a failure there outlives the job that had it."""
DIED = "the worker crashed: "
REFUSALS = ("CUDNN_STATUS_BAD_PARAM", "CUDNN_STATUS_NOT_SUPPORTED")
MAX_ERROR = 300


def asked_cudnn(findings: Sequence[Finding], interpreter: Interpreter, library: str, *, limits: Limits | None = None,
                keep: Kept | None = None, log: str | None = None) -> tuple[Finding, ...]:
    """The findings in the same order, those without a verdict so far with cuDNN's.

    `library` is a file of cuDNN's. UnavailableError if it does not load.
    """
    if not library:
        raise UnavailableError(f"{interpreter.executable} has no cuDNN library")
    with tempfile.TemporaryDirectory(prefix="cudnnlint-verify-") as scratch:
        asking = Asking(interpreter, library, limits or Limits(), scratch)
        try:
            asking.begin()
            told = [_with(number, finding, asking, keep) for number, finding in enumerate(findings, 1)]
        finally:
            asking.stop()
            if log is not None and os.path.exists(source := os.path.join(scratch, "worker.log")):
                shutil.copyfile(source, os.path.join(log, "worker.log"))
    return tuple(told)


def _with(number: int, finding: Finding, asking: Asking, keep: Kept | None) -> Finding:
    before = finding.verification
    if before is not None and before.verdict in CONCLUSIVE:
        return finding
    question = question_in(finding.claim)
    made = planned(question, asking.library)
    found = asking.verdict(question, made)
    if keep is not None:
        keep(number, finding, made, found)
    if before is not None and found.verdict not in CONCLUSIVE and not (
            before.verdict == NOT_VERIFIABLE and found.verdict == INCONCLUSIVE):
        return finding
    return replace(finding, verification=found, level=Level.INFO if found.verdict == REFUTED else finding.level)


def question_in(claim: Claim | None) -> Mapping[str, Any] | None:
    """engine/claim_cudnn.py: question_of"""
    told: Mapping[str, Any] | None = dict(claim.facts).get("cudnn") if claim is not None else None
    return told


def planned(question: Mapping[str, Any] | None, library: str) -> Plan:
    if question is None:
        return Plan({}, "cuDNN has no say in it, or only when the layer runs")
    if "reason" in question:
        return Plan({}, str(question["reason"]))
    job = {**question["job"], "kind": "cudnn", "api": "cudnn", "library": library}
    try:
        json.dumps(job, allow_nan=False)
    except (TypeError, ValueError):
        return Plan({}, "its numbers cannot be told as JSON")
    return Plan(job)


class Asking:
    """The process at hand, and the replies so far: equal jobs run once."""

    def __init__(self, interpreter: Interpreter, library: str, limits: Limits, scratch: str) -> None:
        self._interpreter, self.library, self._limits, self._scratch = interpreter, library, limits, scratch
        self._worker: Worker | None = None
        self._replies: dict[str, dict[str, Any] | str] = {}
        self._end = time.monotonic() + limits.total

    def begin(self) -> None:
        """Start at once, to know whether the library loads."""
        try:
            self._start()
        except (WorkerError, OSError) as error:
            raise UnavailableError(f"{self.library}: {error}") from None

    def verdict(self, question: Mapping[str, Any] | None, made: Plan) -> Verification:
        if made.reason or question is None:
            return Verification(NOT_VERIFIABLE, note=made.reason)
        if made.key not in self._replies:
            self._replies[made.key] = self._reply(made)
        reply = self._replies[made.key]
        return judged(question, reply) if not isinstance(reply, str) else self._ended(reply)

    def _ended(self, reason: str) -> Verification:
        """A library that ends the process has answered."""
        if not reason.startswith(DIED):
            return Verification(INCONCLUSIVE, note=reason)
        return Verification(DIFFERENT, "cuDNN", "descriptors",
                            error=f"the process died with {reason.removeprefix(DIED)}")

    def _reply(self, made: Plan) -> dict[str, Any] | str:
        left = self._end - time.monotonic()
        if left <= 0:
            return f"the time for all jobs, {self._limits.total:.0f} s, is over"
        try:
            if made.job["ask"] in RUNS:
                self.stop()
            worker = self._worker or self._start()
            reply = worker.ask({**made.job, "id": len(self._replies)}, min(self._limits.job, left))
        except (WorkerError, OSError) as error:
            self.stop()
            return str(error)
        if made.job["ask"] in RUNS:
            self.stop()
        return reply

    def _start(self) -> Worker:
        self._worker = Worker(self._interpreter, "gpu", self._scratch, self._limits.memory,
                              {"backend": "cudnn", "api": "cudnn", "library": self.library})
        self._worker.greet(self._limits.start)
        return self._worker

    def stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


def judged(question: Mapping[str, Any], reply: Mapping[str, Any]) -> Verification:
    """The verdict of a reply, with who gave it."""
    error = reply.get("error") or {}
    verdict, note = _verdict(question, reply, error)
    versions = {str(name): str(version) for name, version in (reply.get("versions") or {}).items()}
    told = ": ".join(filter(None, (*list(error.get("types") or ())[:1], " ".join(str(error.get("text", "")).split()))))
    stand_ins = ", ".join(question.get("notes") or ())
    return Verification(verdict, f"cuDNN {versions.get('cudnn', '')}".strip(), str(reply.get("device") or ""),
                        tuple(versions.items()), told[:MAX_ERROR] if verdict in (CONFIRMED, DIFFERENT) else "",
                        reply.get("seconds"), None, note or (f"with {stand_ins}" if stand_ins else ""))


def _verdict(question: Mapping[str, Any], reply: Mapping[str, Any], error: Mapping[str, Any]) -> tuple[str, str]:
    outcome, text, status = reply.get("outcome"), str(error.get("text", "")), next(iter(error.get("types") or ()), "")
    version = str((reply.get("versions") or {}).get("cudnn", ""))
    where = Where(**(question.get("where") or {}))
    if outcome == "refused":
        return INCONCLUSIVE, text
    if not where.holds(Stack(cudnn=parse_version(version))):
        return INCONCLUSIVE, f"it is about cuDNN {where.cudnn}, this is cuDNN {version}"
    if outcome == "ran":
        return (REFUTED, "") if question.get("own") else (INCONCLUSIVE, ACCEPTED)
    if status == "NoGpuError":
        least = f"; its least epsilon is {reply['least_epsilon']}" if "epsilon" in question["job"] else ""
        return INCONCLUSIVE, f"cuDNN decides it when it runs, on a GPU ({text}){least}"
    if not status.startswith(REFUSALS):
        return INCONCLUSIVE, f"cuDNN could not answer: {status} {text}".strip()
    at = str(reply.get("stage") or "").startswith(tuple(question.get("at") or ()))
    return (CONFIRMED if at and status.startswith(question.get("status") or "") else DIFFERENT), ""


ACCEPTED = "cuDNN's descriptors take it; what is told refuses it before cuDNN is asked"

"""All claims of a run put to the library: one worker for them all, a new one after a crash, within a time."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import Any

from cudnnlint.finding import Claim, Finding, Level, Verification
from cudnnlint.records import record
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.kept import Replies
from cudnnlint.verify.plan import Plan, plan
from cudnnlint.verify.session import Worker, WorkerError
from cudnnlint.verify.trace import keep_logs
from cudnnlint.verify.verdict import INCONCLUSIVE, NOT_VERIFIABLE, REFUTED, judged


def _memory() -> int:
    """Half of the machine's, at most 16 GiB."""
    try:
        return min(16 << 30, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    except (AttributeError, OSError, ValueError):
        return 16 << 30


@record(frozen=True, slots=True)
class Limits:
    """Seconds for a worker to start, for a job and for all jobs together; bytes of memory of a worker."""

    start: float = 180.0
    job: float = 30.0
    total: float = 600.0
    memory: int = field(default_factory=_memory)


CRASHED = "the worker crashed"
LAST_WORDS = 1 << 14
"""Bytes of what a worker printed that are looked at when it dies."""


class UnavailableError(Exception):
    """Nothing can be verified on this machine: one line."""


Kept = Callable[[int, Finding, Plan, Verification], None]
"""What keeps a job for the user: its number, the finding, the plan and the verdict."""


def verified(findings: Sequence[Finding], interpreter: Interpreter, *, device: str = "cpu",
             limits: Limits | None = None, keep: Kept | None = None, log: str | None = None,
             replies: Replies | None = None) -> tuple[Finding, ...]:
    """The findings with their verdicts, in the same order; a refuted one becomes advice.

    UnavailableError if no library can be asked. `log` is the directory that keeps what the workers print, `replies`
    what they answered before.
    """
    if interpreter.lacks:
        raise UnavailableError(interpreter.lacks)
    with tempfile.TemporaryDirectory(prefix="cudnnlint-verify-") as scratch:
        pool = Pool(interpreter, device, limits or Limits(), scratch, replies)
        pool.profiles = log is not None and device == "gpu"
        try:
            if device == "gpu":
                pool.begin()
            told = list(_all(findings, interpreter, pool, keep))
        finally:
            pool.stop()
            if log is not None:
                keep_logs(scratch, log)
    return tuple(told)


def _all(findings: Iterable[Finding], interpreter: Interpreter, pool: Pool, keep: Kept | None) -> Iterable[Finding]:
    for number, finding in enumerate(findings, 1):
        made = plan(finding.claim, interpreter, pool.device)
        found = pool.verdict(finding.claim, made, number)
        if keep is not None:
            keep(number, finding, made, found)
        level = Level.INFO if found.verdict == REFUTED else finding.level
        yield replace(finding, verification=found, level=level)


class Pool:
    """The worker at hand, and the verdicts so far: equal jobs run once."""

    def __init__(self, interpreter: Interpreter, device: str, limits: Limits, scratch: str,
                 kept: Replies | None = None) -> None:
        self._interpreter, self.device, self._limits, self._scratch = interpreter, device, limits, scratch
        self._kept, self._gpu = kept, ""
        self.profiles = False
        self._worker: Worker | None = None
        self._replicas = 1
        self._replies: dict[str, dict[str, Any] | str] = {}
        self._end = time.monotonic() + limits.total
        self._failed = ""

    def verdict(self, claim: Claim | None, made: Plan, number: int) -> Verification:
        if made.reason or claim is None:
            return Verification(NOT_VERIFIABLE, note=made.reason)
        if made.key not in self._replies:
            self._replies[made.key] = self._reply(made, number)
        reply = self._replies[made.key]
        return Verification(INCONCLUSIVE, note=reply) if isinstance(reply, str) else judged(claim, reply)

    def _reply(self, made: Plan, number: int) -> dict[str, Any] | str:
        """The reply that was kept, else the worker's, or why there is none."""
        if self._kept is None:
            return self._asked(made, number)
        if (kept := self._kept.get(made.key, self._gpu)) is not None:
            return kept
        if isinstance(reply := self._asked(made, number), dict) and "crashed" not in reply:
            self._kept.put(made.key, reply, self._gpu)
        return reply

    def _asked(self, made: Plan, number: int) -> dict[str, Any] | str:
        left = self._end - time.monotonic()
        if self._failed or left <= 0:
            return self._failed or f"the time for all jobs, {self._limits.total:.0f} s, is over"
        try:
            worker = self._ready(made, left)
        except (WorkerError, OSError) as error:
            self.stop()
            self._failed = str(error)
            return self._failed
        try:
            left = self._end - time.monotonic()
            reply = worker.ask({**made.job, "id": number}, min(self._limits.job, left))
            if made.job["kind"] == "devices":
                self.stop()
            return reply
        except WorkerError as error:
            hello = self._worker.hello if self._worker is not None else {}
            self.stop()
            return self._died(str(error), hello) if str(error).startswith(CRASHED) else str(error)

    def _died(self, reason: str, hello: dict[str, Any]) -> dict[str, Any]:
        """A crash may be what was predicted: with what the worker printed last."""
        with open(os.path.join(self._scratch, "worker.log"), "rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LAST_WORDS))
            said = log.read().decode("utf-8", "replace").rpartition("== job")[2]
        return {"outcome": "raised", "stage": "call", "crashed": reason, "versions": hello.get("hello"),
                "device": hello.get("device"), "error": {"types": [], "text": said.partition("\n")[2]}}

    def _ready(self, made: Plan, left: float) -> Worker:
        """The worker at hand if it has the devices that a job needs: they are made when it starts, and replicas of one
        number do not work where others did."""
        replicas = made.job.get("replicas", 1)
        if (replicas > 1 and self._replicas != replicas) or self._is_alone(made):
            self.stop()
        return self._worker or self._start(left, replicas)

    def _is_alone(self, made: Plan) -> bool:
        """Settings of devices are those of a process, and JAX counts memory from its start."""
        measured = "peak" in made.job.get("measure", ()) and self._interpreter.backend == "jax"
        return made.job["kind"] == "devices" or measured

    def begin(self) -> None:
        """Start at once, to know whether the means are there."""
        try:
            self._start(self._limits.start)
        except (WorkerError, OSError) as error:
            raise UnavailableError(str(error)) from None

    def _start(self, left: float, replicas: int = 1) -> Worker:
        self._worker = Worker(self._interpreter, self.device, self._scratch, self._limits.memory,
                              {"replicas": replicas, "profile": self._scratch if self.profiles else ""})
        self._replicas = replicas
        hello = self._worker.greet(min(self._limits.start, left))
        self._gpu = str(hello.get("device") or "") if self.device == "gpu" else ""
        if self.device == "gpu" and hello.get("device") == "CPU":
            raise UnavailableError(f"{self._interpreter.executable} sees no GPU")
        return self._worker

    def stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker = None

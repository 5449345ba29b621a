"""One worker process: started, asked, and killed with all its children when it does not answer in time."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from cudnnlint.verify.interpreter import Interpreter

WORKER = Path(__file__).with_name("worker") / "serve.py"
MAX_REPLY = 1 << 20
"""Characters of a reply; more is garbage."""
KEPT = ("LD_LIBRARY_PATH", "SYSTEMROOT", "CUDA_VISIBLE_DEVICES", "CUDA_HOME")
"""What a worker gets of our environment: where the machine's libraries are."""


class WorkerError(Exception):
    """A worker that crashed, hangs, or talks nonsense: one line."""


class Worker:
    """A child of its own process group, isolated from the working directory and from PYTHON variables."""

    def __init__(self, interpreter: Interpreter, device: str, scratch: str, memory: int,
                 also: Mapping[str, Any] | None = None) -> None:
        self._log: IO[bytes] = open(os.path.join(scratch, "worker.log"), "ab")  # noqa: SIM115 - closed by stop()
        self._started = time.monotonic()
        self.hello: dict[str, Any] = {}
        self._process = subprocess.Popen(
            [interpreter.executable, "-I", "-S", "-u", "-B", str(WORKER)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._log, cwd=scratch, env=clean(os.environ, scratch), close_fds=True,
            start_new_session=True)
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._say({"backend": interpreter.backend, "device": device, "paths": list(interpreter.paths),
                   "memory": memory, "api": interpreter.api, **(also or {})})

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(MAX_REPLY):
                self._lines.put(line)
        self._lines.put(None)

    def _say(self, told: Mapping[str, Any]) -> None:
        stream = self._process.stdin
        assert stream is not None
        try:
            stream.write(json.dumps(told).encode() + b"\n")
            stream.flush()
        except OSError:
            raise WorkerError(self._ended()) from None

    def greet(self, seconds: float) -> dict[str, Any]:
        """The versions that it runs with; WorkerError if the library does not load."""
        self.hello = self._reply(seconds)
        if "failed" in self.hello:
            raise WorkerError(f"the library does not load: {' '.join(str(self.hello['failed']).split())[:200]}")
        if not isinstance(self.hello.get("hello"), dict):
            raise WorkerError("the worker answered nonsense")
        return self.hello

    def ask(self, job: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The reply to a job."""
        self._say(job)
        reply = self._reply(seconds)
        if reply.get("id") != job.get("id") or reply.get("outcome") not in ("ran", "raised", "refused"):
            raise WorkerError("the worker answered nonsense")
        return reply

    def _reply(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(seconds, 0))
        except queue.Empty:
            raise WorkerError(f"no answer within {seconds:.0f} s") from None
        if line is None:
            raise WorkerError(self._ended())
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise WorkerError("the worker answered nonsense")
        return reply

    def _ended(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "the worker closed its output"
        if code < 0:
            return f"the worker crashed: {signal.Signals(-code).name}"
        return f"the worker ended with exit code {code}"

    def stop(self) -> None:
        """Kill it and all that it started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def clean(environment: Mapping[str, str], scratch: str) -> dict[str, str]:
    """No variable of the user's that could lead a worker to code of the project."""
    kept = {name: environment[name] for name in KEPT if name in environment}
    if "LD_LIBRARY_PATH" in kept:  # relative entries would be looked up in the working directory
        kept["LD_LIBRARY_PATH"] = os.pathsep.join(filter(os.path.isabs, kept["LD_LIBRARY_PATH"].split(os.pathsep)))
    return {**kept, "PATH": os.defpath, "TMPDIR": scratch, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}

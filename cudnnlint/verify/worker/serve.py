"""Answers jobs, a JSON line each: started by path with the interpreter that has the framework, isolated and empty.

Frameworks come from the directories that the first line names, never from a path that the interpreter or the working
directory adds. Jobs are data; nothing in them is run as text.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
MAX_TEXT = 4000
NETWORK = frozenset({"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"})


def prepare(start: dict[str, Any]) -> None:
    """What must be so before a framework is imported, whatever the user's shell or home directory says."""
    home = os.getcwd()
    os.environ.update({"KERAS_BACKEND": start["backend"], "KERAS_HOME": home, "HOME": home, "TF_CPP_MIN_LOG_LEVEL": "3",
                       "TF_FORCE_GPU_ALLOW_GROWTH": "true", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
    if start["device"] == "cpu":
        os.environ.update({"CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"})
    sys.path.extend(path for path in start["paths"] if path not in sys.path)
    limit(start["memory"])
    sys.addaudithook(offline)


def limit(memory: int) -> None:
    """Bytes of memory of this process; no core files. Where the system has no such limits there are none."""
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        resource: Any = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def offline(event: str, args: Any) -> None:
    """No job needs the network."""
    if event in NETWORK:
        raise OSError("no network in a verification job")


def local(name: str) -> Any:
    """A module beside this one."""
    sys.path.insert(0, HERE)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(HERE)


def opened(backend: str, device: str, library: str) -> tuple[Any, Any]:
    """What is asked, and what asks it; `library` is a file of cuDNN's."""
    if backend == "cudnn":
        jobs = local("worker_cudnn_jobs")
        return jobs.Libraries(library), jobs.answer
    return local("worker_libraries").Libraries(backend, device), local("worker_jobs").answer


def serve() -> None:
    """Until the input ends; what libraries print goes to standard error."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(told: dict[str, Any]) -> None:
        replies.write(json.dumps(told) + "\n")
        replies.flush()

    start = json.loads(sys.stdin.readline())
    prepare(start)
    try:
        libraries, answer = opened(start["backend"], start["device"], start.get("library", ""))
        if start.get("profile"):
            libraries.profile = start["profile"]
        if start.get("replicas", 1) > 1:
            libraries.divide(start["replicas"])
        say({"hello": libraries.versions(start["api"]), "device": libraries.device_name()})
    except Exception as error:
        say({"failed": f"{type(error).__name__}: {error}"[:MAX_TEXT]})
        raise
    for line in sys.stdin:
        told = json.loads(line)
        print(f"== job {told['id']}", file=sys.stderr, flush=True)
        say(answer(libraries, told))


def by_hand(job: dict[str, Any], backend: str, device: str) -> None:
    """One job in this interpreter, with the whole traceback; prints the reply."""
    os.environ.setdefault("KERAS_BACKEND", backend)
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    libraries, answer = opened(backend, device, job.get("library", ""))
    if job.get("replicas", 1) > 1:
        libraries.divide(job["replicas"])
    print(json.dumps(answer(libraries, job), indent=2))


if __name__ == "__main__":
    serve()

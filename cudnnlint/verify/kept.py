"""Replies of workers kept from run to run: by the job, the libraries that gave them, and what our worker is."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cudnnlint.replacing import replace
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.session import WORKER

LIBRARIES = ("keras", "tf_keras", "tensorflow", "tensorflow_cpu", "tf_nightly", "jax", "jaxlib", "torch", "numpy",
             "nvidia_cudnn")
"""Beginnings of the names of distributions that decide what a job does."""
MAX_BYTES = 1 << 16
MOST = 5000
"""Replies that are kept; when there are more, the oldest half goes."""
PASSING = frozenset({"MemoryError", "ResourceExhaustedError", "OutOfMemoryError", "ModuleNotFoundError"})
"""Exceptions that another day may not bring."""


def cache_dir() -> str:
    """Where replies are kept: CUDNNLINT_VERIFY_CACHE, else a directory of the user's, which may be deleted."""
    if given := os.environ.get("CUDNNLINT_VERIFY_CACHE"):
        return given
    from platformdirs import user_cache_dir

    return os.path.join(user_cache_dir("cudnnlint", appauthor=False), "verify")


class Replies:
    """A directory of replies. Whatever is wrong with it costs only the time to ask again."""

    def __init__(self, directory: str, interpreter: Interpreter, device: str) -> None:
        self._directory = Path(directory)
        self._about = json.dumps([device, os.environ.get("CUDA_VISIBLE_DEVICES", "") if device != "cpu" else "",
                                  sorted(_installed(interpreter.paths)), interpreter.backend,
                                  os.path.realpath(interpreter.executable), _worker()])

    def get(self, job: str, device: str = "") -> dict[str, Any] | None:
        """The reply to a job on a GPU of this name, if it was kept."""
        with contextlib.suppress(OSError, ValueError):
            path = self._path(job, device)
            if path.stat().st_size > MAX_BYTES:
                return None
            found = json.loads(path.read_bytes())
            if isinstance(found, dict) and found.get("job") == job and _is_reply(found.get("reply")):
                reply: dict[str, Any] = found["reply"]
                return reply
        return None

    def put(self, job: str, reply: Mapping[str, Any], device: str = "") -> None:
        """Keep a reply, all of it or nothing."""
        if not _is_reply(reply) or PASSING.intersection((reply.get("error") or {}).get("types") or ()):
            return
        with contextlib.suppress(OSError, ValueError, TypeError):
            path = self._path(job, device)
            path.parent.mkdir(parents=True, exist_ok=True)
            data = json.dumps({"job": job, "reply": reply}).encode()
            if len(data) <= MAX_BYTES:
                replace(str(path), data)
                self._tidy()

    def _path(self, job: str, device: str) -> Path:
        key = hashlib.sha256(f"{self._about}\n{device}\n{job}".encode()).hexdigest()
        return self._directory / f"{key}.json"

    def _tidy(self) -> None:
        """Names are random: one in 64 replies looks how many there are."""
        if os.urandom(1)[0] % 64:
            return
        files = sorted(self._directory.glob("*"), key=lambda file: file.stat().st_mtime)
        for file in files[:len(files) // 2] if len(files) > MOST else ():
            file.unlink(missing_ok=True)


def _is_reply(told: Any) -> bool:
    """As a worker writes them, which a file that someone else wrote may not be."""
    if not isinstance(told, Mapping) or told.get("outcome") not in ("ran", "raised"):
        return False
    error = told.get("error") or {"types": []}
    return (isinstance(error, dict) and isinstance(error.get("types"), list) and isinstance(told.get("versions"), dict)
            and isinstance(told.get("measured") or {}, dict))


def _installed(paths: Iterable[str]) -> Iterable[str]:
    """Names and versions of what decides, and what its files are: RECORD has their hashes."""
    for top in paths:
        with contextlib.suppress(OSError):
            for entry in os.scandir(top):
                if entry.name.endswith(".dist-info") and entry.name.lower().startswith(LIBRARIES):
                    yield f"{entry.name} {_record(Path(entry.path))}"


def _record(place: Path) -> str:
    try:
        return hashlib.sha256((place / "RECORD").read_bytes()).hexdigest()
    except OSError:
        return str(place.stat().st_mtime_ns)


def _worker() -> str:
    """What the worker is: another one may do something else with the same job."""
    told = hashlib.sha256()
    for file in sorted(WORKER.parent.glob("*.py")):
        told.update(file.read_bytes())
    return f"{told.hexdigest()} {sys.platform}"

"""A shared library with the functions of cuDNN that are used, compiled where a test needs one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.finding import Claim, Finding
from cudnnlint.source import Span
from cudnnlint.verify.cudnn import asked_cudnn
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.run import Limits

SOURCES = Path(__file__).with_name("doubles")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None or sys.platform != "linux", reason="needs a C compiler on Linux")
HERE = Interpreter(sys.executable, (), frozenset())
FAST = Limits(start=20, job=3, total=60)
LRN = {"ask": "lrn", "depth_radius": 8, "alpha": 1, "beta": 0.5, "bias": 1}


def compiled(source: str, target: Path, *options: str) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    assert COMPILER is not None
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", str(target), *options, str(SOURCES / source)], check=True)
    return target


def question(job: dict[str, Any], at: str = "cudnn", **more: Any) -> Finding:
    """A finding that cuDNN is asked about."""
    asked = {"job": job, "at": [at], "status": "", "own": False, "where": {}, "notes": [], **more}
    return Finding(Span("m.py", 1, 0, 1, 5), "no", claim=Claim("not-verifiable", (("cudnn", asked),)))


def verdicts(found: Sequence[Finding]) -> list[tuple[str, str, str]]:
    return [(each.verification.verdict, each.verification.error, each.verification.note) for each in found
            if each.verification is not None]


def asked(library: Path, *jobs: Finding, log: Path | None = None) -> tuple[Finding, ...]:
    return asked_cudnn(jobs, HERE, str(library), limits=FAST, log=str(log) if log is not None else None)


def calls(library: Path, directory: Path, job: dict[str, Any]) -> list[str]:
    """What the library was called with for a job, a line a call."""
    asked(library, question(job), log=directory)
    lines = (directory / "worker.log").read_text().splitlines()
    return lines[next(at for at, line in enumerate(lines) if line.startswith("== job")) + 1:]

"""`cudnnlint doctor`: whether the installed libraries, the driver and the GPUs of an environment go together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from cudnnlint.cli import _options
from cudnnlint.cli._ending import CLEAN, FINDINGS
from cudnnlint.cli._output import color_for_stdout, emit
from cudnnlint.finding import Level
from cudnnlint.report._style import Piece, Row, paint

if TYPE_CHECKING:
    from cudnnlint.engine.doctor.describe import Environment
    from cudnnlint.engine.doctor.problem import Problem

FORMAT_VERSION = 1
"""Of the JSON document."""
GIB = 1024**3
WIDTH = 18
"""Of the names on the left."""


@click.command("doctor", short_help="Check the installed libraries, the driver and the GPUs.",
               epilog="Exit codes: 0 nothing will fail, 1 something will or memory grows, "
                      "2 wrong usage or an internal error.")
@click.option("--python", metavar="PATH", help="The interpreter or environment to look at; by default the active one.")
@click.option("--output-format", type=_options.NearestChoice(["text", "json"]), default="text", show_default=True,
              help="Text for people or JSON for programs.")
@click.option("--watch", type=click.IntRange(min=1), metavar="PID",
              help="Sample the memory of a running process instead, and say whether it grows.")
@click.option("--every", type=click.FloatRange(min=0.01), default=5.0, show_default=True, metavar="SECONDS",
              help="With --watch: the time between samples.")
@click.option("--for", "seconds", type=click.FloatRange(min=0), default=300.0, show_default=True, metavar="SECONDS",
              help="With --watch: how long; an interrupt ends it too.")
@click.option("--color/--no-color", default=None, help="Colour always or never; by default on a terminal.")
def command(python: str | None, output_format: str, color: bool | None, watch: int | None, every: float,
            seconds: float) -> int:
    """Say what a program would run on, and what of it does not go together.

    The interpreter describes itself in a child process, isolated from the working directory and PYTHONPATH; no
    framework is imported.
    """
    if watch is not None:
        from cudnnlint.cli import _watching

        return _watching.watch(watch, every, seconds, as_json=output_format == "json")
    from cudnnlint.engine.doctor.describe import describe, interpreter_of
    from cudnnlint.engine.doctor.diagnosis import problems

    environment = describe(interpreter_of(python))
    found = problems(environment)
    if output_format == "json":
        emit(json.dumps(document(environment, found), indent=2) + "\n")
    else:
        rows = [*_described(environment), (), *_problems(found)]
        emit(paint(rows, color=color_for_stdout(color)))
    return FINDINGS if any(problem.level is Level.ERROR for problem in found) else CLEAN


def document(environment: Environment, found: Sequence[Problem]) -> dict[str, Any]:
    """What is printed for programs, as plain data."""
    build = environment.build
    return {
        "version": FORMAT_VERSION,
        "python": {"version": environment.python, "executable": environment.executable,
                   "platform": environment.platform, "machine": environment.machine},
        "packages": {name: {"version": package.version, "path": package.path}
                     for name, package in environment.packages.items()},
        "tensorflow_build": None if build is None else {
            "cuda": build.cuda, "cudnn": build.cudnn, "compute_capabilities": list(build.capabilities),
            "is_cuda_build": build.is_cuda},
        "driver": {"version": environment.driver, "cuda": _dotted(environment.driver_cuda),
                   "error": environment.no_gpu},
        "gpus": [{"name": gpu.name, "compute_capability": _dotted(gpu.capability), "memory": gpu.memory,
                  "free": gpu.free} for gpu in environment.gpus],
        "cudnn": environment.cudnn or None,
        "variables": dict(environment.variables),
        "problems": [{"name": problem.name, "level": problem.level.value, "message": problem.message,
                      "error": problem.error, "help": problem.help} for problem in found],
    }


def _described(environment: Environment) -> Iterator[Row]:
    yield _row("Python", f"{environment.python} ({environment.executable})")
    for name, package in environment.packages.items():
        yield _row(name, package.version)
    build = environment.build
    if build is not None:
        yield _row("TensorFlow is for", f"CUDA {build.cuda}, cuDNN {build.cudnn}, {' '.join(build.capabilities)}"
                   if build.is_cuda else "CPUs only")
    yield _row("driver", f"{environment.driver}, CUDA {_dotted(environment.driver_cuda)} at most"
               if environment.driver else environment.no_gpu)
    for index, gpu in enumerate(environment.gpus):
        yield _row(f"GPU {index}", f"{gpu.name}, compute capability {_dotted(gpu.capability) or '?'}, "
                   f"{gpu.memory / GIB:.1f} GiB, {gpu.free / GIB:.1f} free")
    yield _row("cuDNN", environment.cudnn or "none found")
    for name, value in environment.variables.items():
        yield _row(name, value)


def _row(name: str, text: str) -> Row:
    return Piece(f"{name:<{WIDTH}} ", "note"), Piece(" ".join(text.split()))


def _dotted(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


def _problems(found: Sequence[Problem]) -> Iterator[Row]:
    for problem in found:
        yield (Piece(problem.level.value, problem.level.value), Piece(f": {problem.name}: {problem.message}"))
        for name, text in (("error", problem.error), ("help", problem.help)):
            if text:
                yield Piece("  = ", "gutter"), Piece(f"{name}:", "note"), Piece(f" {text}")
    if not found:
        yield (Piece("No problems found.", "good"),)

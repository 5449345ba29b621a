"""Runs the probe with the user's interpreter, in a child process that can neither hang nor reach the project's code."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from cudnnlint.engine.errors import UsageError
from cudnnlint.records import record
from cudnnlint.verify.cudnn_found import cudnn_in
from cudnnlint.verify.interpreter import active, executable_of

PROBE = Path(__file__).with_name("probe.py")
SECONDS = 60.0
VARIABLES = ("CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH",
             "TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR", "TF_USE_LEGACY_KERAS", "TF_XLA_FLAGS", "XLA_FLAGS",
             "KERAS_BACKEND", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_TF32_OVERRIDE", "PYTORCH_CUDA_ALLOC_CONF",
             "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION")
FAMILIES = ("TF_CUDNN_", "TF_DETERMINISTIC", "TF_ENABLE_", "CUDNN_")
"""Beginnings of further variables that matter."""


@record(frozen=True, slots=True)
class Package:
    """An installed distribution; `copies` are as many of that name as are found."""

    version: str
    path: str = ""
    requires: tuple[str, ...] = ()
    copies: int = 1


@record(frozen=True, slots=True)
class Build:
    """What TensorFlow's wheel says of its build: "12.5.1", "9", ("sm_60", ..., "compute_90")."""

    cuda: str = ""
    cudnn: str = ""
    capabilities: tuple[str, ...] = ()
    is_cuda: bool = False


@record(frozen=True, slots=True)
class Device:
    """A GPU: `capability` is (8, 9), or () if it is not known; memory in bytes."""

    name: str
    capability: tuple[int, ...] = ()
    memory: int = 0
    free: int = 0


@record(frozen=True, slots=True)
class Environment:
    """An interpreter with what it would run on. `libraries` are folder -> names of shared libraries: those in the
    wheels, and those in LD_LIBRARY_PATH; `cudnn` is the file of cuDNN's that `check --verify cudnn` would ask."""

    python: str
    executable: str = ""
    platform: str = "linux"
    system: str = "Linux"
    machine: str = "x86_64"
    packages: Mapping[str, Package] = field(default_factory=dict)
    build: Build | None = None
    wheel_libraries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    searched_libraries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    driver: str = ""
    driver_cuda: tuple[int, ...] = ()
    gpus: tuple[Device, ...] = ()
    no_gpu: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    cudnn: str = ""


def describe(interpreter: str, variables: Mapping[str, str] | None = None, seconds: float = SECONDS) -> Environment:
    """UsageError if it does not run, does not answer in time, or is no Python.

    `-I`: nothing of the working directory, PYTHONPATH or the like is imported; the working directory is an empty one.
    """
    given = dict(os.environ if variables is None else variables)
    try:
        output, errors = _run([interpreter, "-I", str(PROBE)], given, seconds)
    except subprocess.TimeoutExpired:
        raise UsageError(f"{interpreter}: no answer within {seconds:g} s") from None
    except OSError as error:
        raise UsageError(f"{interpreter}: cannot be run: {(error.strerror or str(error)).lower()}") from None
    try:
        return _environment(json.loads(output.decode("utf-8", "replace").strip().splitlines()[-1]), given)
    except (IndexError, KeyError, TypeError, ValueError):
        why = errors.decode("utf-8", "replace").strip().splitlines()
        reason = f": {why[-1]}" if why else ""
        raise UsageError(f"{interpreter}: is no Python from 3.8 on that could be asked{reason}") from None


def _run(command: list[str], variables: Mapping[str, str], seconds: float) -> tuple[bytes, bytes]:
    """Output and errors of a child, which is ended with all that it started when its time is up."""
    with tempfile.TemporaryDirectory(prefix="cudnnlint-doctor-") as empty, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=empty,
            env=dict(variables), start_new_session=True) as child:
        try:
            return child.communicate(timeout=seconds)
        except BaseException:
            _end(child)
            raise


def _end(child: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        child.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def interpreter_of(path: str | None) -> str:
    """An interpreter, or that of an environment's directory; by default that of the active environment."""
    found = executable_of(path) if path is not None else active(os.environ)
    if not found:
        raise UsageError(f"--python: {path} is no interpreter or environment")
    return found


def _environment(told: Mapping[str, Any], given: Mapping[str, str]) -> Environment:
    packages = {name: Package(each["version"], each["path"], tuple(each["requires"]), each["copies"])
                for name, each in sorted(told["packages"].items())}
    cuda = told["driver_cuda"]
    return Environment(
        told["python"], told["executable"], told["platform"], told["system"], told["machine"], packages,
        _build(told["build_info"]), _named(told["wheel_libraries"]), _named(told["searched_libraries"]),
        told["driver"], (cuda // 1000, cuda % 1000 // 10) if cuda else (),
        tuple(Device(each["name"], tuple(each["capability"]), each["memory"], each["free"]) for each in told["gpus"]),
        told["no_gpu"], relevant(given), cudnn_in(told["paths"], given, told["prefix"]))


def relevant(given: Mapping[str, str]) -> dict[str, str]:
    """Of all environment variables those that change what happens on a GPU."""
    return {name: value for name, value in sorted(given.items()) if name in VARIABLES or name.startswith(FAMILIES)}


def _named(folders: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {folder: tuple(names) for folder, names in folders.items()}


def _build(text: str) -> Build | None:
    """From tensorflow/python/platform/build_info.py, read as text."""
    if not text:
        return None

    def said(name: str) -> str:
        found = re.search(rf"'{name}', (?:'([^']*)'|(True|False)|\[([^\]]*)\])", text)
        return next((part for part in found.groups() if part is not None), "") if found else ""

    return Build(said("cuda_version"), said("cudnn_version"),
                 tuple(re.findall(r"'(\w+)'", said("cuda_compute_capabilities"))), said("is_cuda_build") == "True")

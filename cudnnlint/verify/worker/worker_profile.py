"""What a job runs, kernel by kernel, and what memory that takes: written where TensorBoard and Perfetto can open it."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def profiled(backend: str, directory: str) -> Iterator[None]:
    """A profiler around a job; one that does not work costs only the profile."""
    with contextlib.ExitStack() as stack:
        try:
            os.makedirs(directory, exist_ok=True)
            stack.enter_context(PROFILERS[backend](directory))
        except Exception as error:
            print(f"no profile: {type(error).__name__}: {error}", file=sys.stderr)
        yield


@contextlib.contextmanager
def _tensorflow(directory: str) -> Iterator[None]:
    profiler = importlib.import_module("tensorflow").profiler.experimental
    profiler.start(directory)
    try:
        yield
    finally:
        _try(profiler.stop)


@contextlib.contextmanager
def _torch(directory: str) -> Iterator[None]:
    """A trace for Perfetto, memory in use as a counter in it."""
    made = importlib.import_module("torch.profiler").profile(profile_memory=True, record_shapes=True)
    made.start()
    try:
        yield
    finally:
        _try(made.stop)
        _try(made.export_chrome_trace, os.path.join(directory, "trace.json"))


@contextlib.contextmanager
def _jax(directory: str) -> Iterator[None]:
    profiler = importlib.import_module("jax.profiler")
    profiler.start_trace(directory)
    try:
        yield
    finally:
        _try(profiler.stop_trace)
        _try(profiler.save_device_memory_profile, os.path.join(directory, "memory.prof"))


def _try(called: Any, *args: Any) -> None:
    try:
        called(*args)
    except Exception as error:
        print(f"no profile: {type(error).__name__}: {error}", file=sys.stderr)


PROFILERS = {"tensorflow": _tensorflow, "torch": _torch, "jax": _jax}

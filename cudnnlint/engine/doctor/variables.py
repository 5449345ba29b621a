"""Environment variables that stop a program, hide its GPUs, or do not mean what they were set for."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator

from cudnnlint.engine.doctor.describe import Environment
from cudnnlint.engine.doctor.problem import Problem
from cudnnlint.finding import Level

GROWTH = ("true", "false")
"""All that is understood (tensorflow/core/common_runtime/gpu/gpu_bfc_allocator.cc: GetAllowGrowthValue)."""
ALLOCATORS = ("cuda_malloc_async", "cuda_malloc", "memory_guard", "")
"""tensorflow/core/common_runtime/gpu/gpu_process_state.cc, gpu_cudamalloc_allocator.cc, gpu_debug_allocator.cc"""
_DATA_DIR = re.compile(r"--xla_gpu_cuda_data_dir=(.+)")


def variable_problems(environment: Environment) -> Iterator[Problem]:
    for check in (_visible, _growth, _allocator, _xla, _python_path):
        yield from check(environment)


def _visible(environment: Environment) -> Iterator[Problem]:
    """A device that does not exist hides itself and all behind it (CUDA C Programming Guide, CUDA_VISIBLE_DEVICES)."""
    value = environment.variables.get("CUDA_VISIBLE_DEVICES")
    count = len(environment.gpus)
    if value is None or not count:
        return
    named = [part.strip() for part in value.split(",")]
    usable = 0
    for part in named:
        if part.isdigit() and int(part) < count:
            usable += 1
        elif re.match(r"(?:GPU|MIG)-", part):
            return
        else:
            break
    if not usable:
        yield Problem("hidden-gpus", Level.WARNING, f'CUDA_VISIBLE_DEVICES="{value}" hides all {count} GPUs',
                      "no CUDA-capable device is detected", "unset CUDA_VISIBLE_DEVICES")
    elif usable < len(named):
        yield Problem("hidden-gpus", Level.WARNING,
                      f'CUDA_VISIBLE_DEVICES="{value}": of {count} GPUs, numbered from 0, only '
                      f"the first {usable} of the list count")


def _growth(environment: Environment) -> Iterator[Problem]:
    value = environment.variables.get("TF_FORCE_GPU_ALLOW_GROWTH")
    if value is not None and value not in GROWTH:
        yield Problem("growth-not-understood", Level.WARNING,
                      f'TF_FORCE_GPU_ALLOW_GROWTH="{value}" is not understood and does nothing',
                      'The TF_FORCE_GPU_ALLOW_GROWTH environment variable is set but could not be parsed. Valid values '
                      'are "true" or "false"', "TF_FORCE_GPU_ALLOW_GROWTH=true")


def _allocator(environment: Environment) -> Iterator[Problem]:
    value = environment.variables.get("TF_GPU_ALLOCATOR", "")
    if value not in ALLOCATORS:
        yield Problem("unknown-allocator", Level.WARNING,
                      f'TF_GPU_ALLOCATOR="{value}" is no allocator, and does nothing',
                      help="TF_GPU_ALLOCATOR=cuda_malloc_async")


def _xla(environment: Environment) -> Iterator[Problem]:
    """What XLA reads as flags, and what as a file of flags (xla/parse_flags_from_env.cc; run with TensorFlow 2.21)."""
    value = environment.variables.get("XLA_FLAGS", "").strip()
    if not value:
        return
    if not value.startswith("--"):
        if not os.path.isfile(value):
            yield Problem("xla-flags", Level.ERROR, f'XLA_FLAGS="{value}" is neither flags nor a file of flags',
                          f'Could not open file "{value}" to read flags for environment variable "XLA_FLAGS"',
                          "flags begin with --")
        return
    for part in _words(value):
        folder = _DATA_DIR.match(part)
        if not part.startswith("--"):
            yield Problem("xla-flags", Level.WARNING, f'XLA_FLAGS has "{part}", which is no flag and does nothing',
                          help="flags begin with --")
        elif folder and not os.path.isdir(os.path.join(os.path.expanduser(folder[1]), "nvvm", "libdevice")):
            yield Problem("xla-flags", Level.WARNING, f"XLA_FLAGS names {folder[1]}, where no nvvm/libdevice is",
                          "Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice")


def _words(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:
        return value.split()


def _python_path(environment: Environment) -> Iterator[Problem]:
    value = environment.variables.get("PYTHONPATH")
    if value:
        yield Problem("python-path", Level.INFO, f"PYTHONPATH={value} is not looked at: packages there come first")

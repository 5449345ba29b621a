"""Whether the memory of a running program grows."""

from __future__ import annotations

import ctypes
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cudnnlint.cli._watching import judged, told
from cudnnlint.cli.main import program
from cudnnlint.engine.doctor import nvml
from cudnnlint.engine.doctor.watch import Sample, trend
from cudnnlint.engine.registry import rules

MIB, GIB = 1024**2, 1024**3
LEAKS = "import time\nkept = []\nwhile True: kept.append(bytearray(8 * 2**20)); time.sleep(0.05)"
STEADY = "import time\nkept = bytearray(64 * 2**20)\nwhile True: time.sleep(0.05)"
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@contextmanager
def running(code: str) -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        try:
            yield child.pid
        finally:
            child.kill()


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["doctor", *arguments])


def points(values: list[float]) -> list[tuple[float, int]]:
    return [(5.0 * i, int(value)) for i, value in enumerate(values)]


@pytest.mark.parametrize("values, grows", [
    ([GIB + i * 8 * MIB for i in range(30)], True),
    ([GIB + (i // 3) * 32 * MIB for i in range(30)], True),  # in steps
    ([GIB + i * 8 * MIB + 4 * MIB * math.sin(i) for i in range(30)], True),
    ([GIB] * 30, False),
    ([GIB + 50 * MIB * math.sin(i) for i in range(30)], False),  # comes and goes
    ([i * 200 * MIB for i in range(10)] + [2 * GIB] * 20, False),  # warms up
    ([GIB] * 20 + [2 * GIB] * 10, False),  # another phase
    ([GIB + i * 0.1 * MIB for i in range(30)], False),  # next to nothing
    ([2 * GIB - i * 8 * MIB for i in range(30)], False),
    ([GIB + i * 8 * MIB for i in range(8)], None),
    ([], None),
])
def test_growth_is_what_does_not_end(values: list[float], grows: bool | None) -> None:
    assert trend(points(values)).grows is grows


def test_the_rate_is_that_of_the_samples() -> None:
    found = trend(points([GIB + i * 8 * MIB for i in range(30)]))
    assert found.per_minute == pytest.approx(8 * MIB * 12)


def test_rules_to_look_at_are_named_and_exist() -> None:
    taken = [Sample(5.0 * i, GIB, GIB + i * 64 * MIB) for i in range(30)]
    lines = list(told(judged(taken)))
    assert lines[0] == "host memory is steady at 1.00 GiB"
    assert lines[1].startswith("GPU memory grows by 768.0 MiB a minute")
    named = lines[2].removeprefix("  = look at: ").split(", ")
    assert "tensors-kept-across-steps" in named and set(named) <= rules().keys()


@linux
def test_a_program_that_leaks_is_told() -> None:
    with running(LEAKS) as pid:
        result = doctor("--watch", str(pid), "--every", "0.1", "--for", "3")
    assert result.exit_code == 1, result.output
    assert "host memory grows by" in result.output and "look at: " in result.output


@linux
def test_a_program_that_does_not_is_told_too() -> None:
    with running(STEADY) as pid:
        result = doctor("--watch", str(pid), "--every", "0.1", "--for", "2", "--output-format", "json")
    document = json.loads(result.output)
    assert result.exit_code == 0 and document["trends"]["host"]["grows"] is False
    assert len(document["samples"]) >= 9


@linux
def test_a_program_that_ends_leaves_what_was_seen() -> None:
    with running("import time; time.sleep(0.5)") as pid:
        result = doctor("--watch", str(pid), "--every", "0.1", "--for", "60")
    assert result.exit_code == 0 and "host" in result.output


def test_a_process_that_is_not_there_is_a_wrong_argument() -> None:
    result = doctor("--watch", str(2**22 + 1))
    assert result.exit_code == 2 and "no process" in result.output


class Nvml:
    """NVIDIA's management library with two GPUs and a process on both."""

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:  # noqa: N802
        count._obj.value = 2
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index: Any, device: Any) -> int:  # noqa: N802
        device._obj.value = index.value + 1
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, device: Any, count: Any, processes: Any) -> int:  # noqa: N802
        count._obj.value = 2
        processes[0].pid, processes[0].used = 7, GIB * device.value
        processes[1].pid, processes[1].used = 8, nvml.UNKNOWN
        return 0


def test_gpu_memory_is_that_of_the_process_on_all_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "_library", Nvml)
    assert nvml.gpu_bytes(7) == 3 * GIB
    assert nvml.gpu_bytes(8) is None, "the driver does not say"
    assert nvml.gpu_bytes(9) is None


def test_a_process_is_laid_out_as_in_nvml() -> None:
    """nvml.h: unsigned int, unsigned long long, unsigned int, unsigned int."""
    assert ctypes.sizeof(nvml._Process) == 24 and nvml._Process.used.offset == 8

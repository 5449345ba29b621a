"""The description of an environment: what is installed in it, told by a child that runs nothing of the user's."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
import venv
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cudnnlint.cli.main import program
from cudnnlint.engine.doctor import probe
from cudnnlint.engine.doctor.describe import VARIABLES, Build, Environment, describe, interpreter_of
from cudnnlint.engine.errors import UsageError
from cudnnlint.engine.gpus import gpu_for

BUILD_INFO = """\
import collections
build_info = collections.OrderedDict([('cpu_compiler', 'clang'), ('cuda_compute_capabilities', ['sm_60', 'compute_90']),
 ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True), ('is_rocm_build', False)])
""".replace(",\n ", ", ")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment in which TensorFlow, Keras and cuDNN seem to be installed."""
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    (packages,) = [*folder.glob("lib/python3*/site-packages"), *folder.glob("Lib/site-packages")]
    install(packages, "tensorflow", "2.18.0", "keras>=3.5.0",
            "nvidia-cudnn-cu12==9.3.0.75; extra == 'and-cuda'", "not a requirement ==")
    install(packages, "keras", "2.15.0")
    install(packages, "nvidia_cudnn_cu12", "9.1.0.70")
    install(packages, "requests", "2.0")
    library = packages / "nvidia" / "cudnn" / "lib" / "libcudnn.so.9"
    info = packages / "tensorflow" / "python" / "platform" / "build_info.py"
    for file, text in ((library, ""), (info, BUILD_INFO)):
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    (packages / "tensorflow" / "__init__.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    return folder


def install(packages: Path, name: str, version: str, *requires: str) -> None:
    folder = packages / f"{name}-{version}.dist-info"
    folder.mkdir()
    head = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines = [*head, *(f"Requires-Dist: {each}" for each in requires), ""]
    (folder / "METADATA").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def described(environment: Path, **variables: str) -> Environment:
    return describe(interpreter_of(str(environment)), {**os.environ, **variables})


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["doctor", *arguments])


def test_what_is_installed_is_read_off_the_metadata(environment: Path) -> None:
    found = described(environment)
    assert {name: package.version for name, package in found.packages.items()} == {
        "tensorflow": "2.18.0", "keras": "2.15.0", "nvidia-cudnn-cu12": "9.1.0.70"}
    assert found.packages["tensorflow"].requires[0] == "keras>=3.5.0"
    assert found.build == Build("12.5.1", "9", ("sm_60", "compute_90"), True)
    assert list(found.wheel_libraries.values()) == [("libcudnn.so.9",)]
    assert found.cudnn.endswith(os.path.join("nvidia", "cudnn", "lib", "libcudnn.so.9"))
    assert found.python == ".".join(map(str, sys.version_info[:3]))


def test_libraries_in_the_search_path_are_found(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "libcudnn.so.9.0.0").touch()
    found = described(environment, LD_LIBRARY_PATH=f"/nowhere{os.pathsep}{tmp_path}")
    assert found.searched_libraries == {str(tmp_path): ("libcudnn.so.9.0.0",)}
    assert found.variables["LD_LIBRARY_PATH"].endswith(str(tmp_path))
    assert found.cudnn == str(tmp_path / "libcudnn.so.9.0.0")


def test_only_variables_that_matter_are_told(environment: Path) -> None:
    found = described(environment, TF_CUDNN_USE_AUTOTUNE="0", SECRET_TOKEN="x", XLA_FLAGS="--a=1")
    assert found.variables["TF_CUDNN_USE_AUTOTUNE"] == "0" and found.variables["XLA_FLAGS"] == "--a=1"
    assert "SECRET_TOKEN" not in found.variables


@pytest.mark.parametrize("name", ["sitecustomize.py", "usercustomize.py", "conftest.py", "json.py", "ctypes.py",
                                  "tensorflow.py", "importlib/__init__.py"])
def test_nothing_of_the_project_is_run(environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                       name: str) -> None:
    trap, sprung = tmp_path / name, tmp_path / "sprung"
    trap.parent.mkdir(exist_ok=True)
    trap.write_text(f"open({str(sprung)!r}, 'w').close()", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = described(environment, PYTHONPATH=str(tmp_path), PYTHONSTARTUP=str(trap))
    assert "tensorflow" in found.packages and not sprung.exists()


def test_a_configuration_cannot_name_the_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The repository that is looked at may be anybody's."""
    sprung = tmp_path / "sprung"
    script(tmp_path / "evil", f"touch {sprung}")
    (tmp_path / "pyproject.toml").write_text('[tool.cudnnlint]\npython = "./evil"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    doctor()
    assert not sprung.exists()


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name == "nt", reason="shell scripts")
@pytest.mark.parametrize("text", ["exit 3", "echo not json", "echo; echo oops >&2", "kill -9 $$", "echo '[]'"])
def test_what_is_no_python_is_a_wrong_argument(tmp_path: Path, text: str) -> None:
    result = doctor("--python", script(tmp_path / "python", text))
    assert result.exit_code == 2 and result.output.count("\n") == 1 and "is no Python" in result.output


@pytest.mark.skipif(os.name == "nt", reason="shell scripts")
def test_an_interpreter_that_hangs_is_given_up_with_its_children(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    path = script(tmp_path / "python", f"(sleep 2; touch {alive}) & sleep 60")
    start = time.monotonic()
    with pytest.raises(UsageError, match="no answer within"):
        describe(path, seconds=0.5)
    assert time.monotonic() - start < 20
    time.sleep(2.5)
    assert not alive.exists()


@pytest.mark.parametrize("path", ["/nowhere/python", "."])
def test_a_path_without_an_interpreter_is_a_wrong_argument(path: str, tmp_path: Path,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctor("--python", path)
    assert result.exit_code == 2 and "is no interpreter or environment" in result.output


def test_the_active_environment_is_looked_at_by_default(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    assert "tensorflow         2.18.0" in doctor().output


def test_the_command_names_what_will_fail_and_exits_with_1(environment: Path) -> None:
    result = doctor("--python", str(environment))
    assert result.exit_code == 1
    assert ("error: unmet-requirement: tensorflow 2.18.0 requires keras>=3.5.0, not the 2.15.0 that is installed\n"
            '  = help: pip install "keras>=3.5.0"\n') in result.output
    assert "TensorFlow is for  CUDA 12.5.1, cuDNN 9, sm_60 compute_90" in result.output


class Nvml:
    """NVIDIA's management library with one GPU, called as ctypes calls it."""

    def __init__(self, code: int = 0) -> None:
        self.nvmlErrorString = lambda code: b"Driver/library version mismatch"  # has a restype, so no method
        self.code = code
        self.is_open = False

    def nvmlInit_v2(self) -> int:  # noqa: N802
        self.is_open = self.code == 0
        return self.code

    def nvmlShutdown(self) -> int:  # noqa: N802
        self.is_open = False
        return 0

    def nvmlSystemGetDriverVersion(self, text: Any, length: int) -> int:  # noqa: N802
        text.value = b"550.54.15"
        return 0

    def nvmlSystemGetCudaDriverVersion_v2(self, number: Any) -> int:  # noqa: N802
        number._obj.value = 12040
        return 0

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:  # noqa: N802
        count._obj.value = 2
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index: Any, device: Any) -> int:  # noqa: N802
        return 999 if index.value else 0

    def nvmlDeviceGetName(self, device: Any, text: Any, length: int) -> int:  # noqa: N802
        text.value = b"NVIDIA L4"
        return 0

    def nvmlDeviceGetMemoryInfo(self, device: Any, memory: Any) -> int:  # noqa: N802
        memory._obj.total, memory._obj.free = 24 * 2**30, 23 * 2**30
        return 0

    def nvmlDeviceGetCudaComputeCapability(self, device: Any, major: Any, minor: Any) -> int:  # noqa: N802
        major._obj.value, minor._obj.value = 8, 9
        return 0


def test_the_driver_and_its_gpus_are_asked_through_nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Nvml()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    driver, cuda, found, wrong = probe.gpus()
    assert (driver, cuda, wrong, library.is_open) == ("550.54.15", 12040, "", False)
    assert found[0] == {"name": "NVIDIA L4", "memory": 24 * 2**30, "free": 23 * 2**30, "capability": [8, 9]}
    assert found[1]["name"] == "GPU 1: Driver/library version mismatch", "one that is lost keeps its number"


class Sliced(Nvml):
    """The first GPU is divided into slices; one of the seven that there may be is not there."""

    def nvmlDeviceGetMigMode(self, device: Any, mode: Any, pending: Any) -> int:  # noqa: N802
        mode._obj.value = 1
        return 0

    def nvmlDeviceGetMaxMigDeviceCount(self, device: Any, count: Any) -> int:  # noqa: N802
        count._obj.value = 3
        return 0

    def nvmlDeviceGetMigDeviceHandleByIndex(self, device: Any, index: Any, handle: Any) -> int:  # noqa: N802
        handle._obj.value = 100 + index.value
        return 6 if index.value == 1 else 0

    def nvmlDeviceGetName(self, device: Any, text: Any, length: int) -> int:  # noqa: N802
        text.value = b"NVIDIA A100-SXM4-40GB MIG 1g.5gb" if (device.value or 0) >= 100 else b"NVIDIA A100-SXM4-40GB"
        return 0

    def nvmlDeviceGetMemoryInfo(self, device: Any, memory: Any) -> int:  # noqa: N802
        memory._obj.total, memory._obj.free = ((4864 << 20, 4800 << 20) if (device.value or 0) >= 100
                                               else (40 << 30, 39 << 30))
        return 0


def test_of_a_divided_gpu_the_slices_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Sliced())
    found = probe.gpus()[2]
    assert [each["memory"] >> 20 for each in found] == [4864, 4864, 0]
    assert found[0] == {"name": "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "memory": 4864 << 20, "free": 4800 << 20,
                        "capability": [8, 9]}
    here = gpu_for("auto", "")
    assert (here.name, here.count, here.usable >> 20) == ("A100-SXM4-40GB MIG 1g.5gb", 1, 4800 - 300 - 1536)


def test_a_driver_that_does_not_answer_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Nvml(18))
    assert probe.gpus() == ("", 0, [], "NVML: Driver/library version mismatch")


def test_json_says_the_same(environment: Path) -> None:
    result = doctor("--python", str(environment), "--output-format", "json")
    told = json.loads(result.output)
    assert result.exit_code == 1
    assert told["packages"]["tensorflow"]["version"] == "2.18.0"
    assert told["tensorflow_build"]["compute_capabilities"] == ["sm_60", "compute_90"]
    assert [problem["name"] for problem in told["problems"]][:2] == ["unmet-requirement", "wrong-cudnn"]
    assert {"level", "message", "error", "help"} <= told["problems"][0].keys()

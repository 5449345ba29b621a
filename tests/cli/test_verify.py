"""`check --verify` where the means are missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.verify.cudnn_double import compiled, needs_compiler


@pytest.fixture
def bare(here: Path) -> str:
    """An environment without any framework."""
    (here / "env" / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    (here / "env" / "bin").mkdir()
    python = here / "env" / "bin" / "python"
    python.write_text("#!/bin/sh\ntouch ran\n")
    python.chmod(0o755)
    return str(here / "env")


@pytest.mark.parametrize(("option", "said"), [
    (("--verify", "cpu"), "--verify cpu: {} has no TensorFlow, JAX or PyTorch"),
    (("--verify-gpu",), "--verify gpu: {} has no TensorFlow, JAX or PyTorch"),
    (("--verify", "cudnn"), "--verify cudnn: {} has no cuDNN library"),
])
def test_missing_means_are_told_in_one_line(run: Run, bare: str, bad: str, here: Path, option: tuple[str, ...],
                                            said: str) -> None:
    done = run("check", bad, *option, "--verify-python", bare)
    assert done.exit_code == 2 and done.stdout == ""
    assert done.stderr == f"cudnnlint: error: {said.format(bare + '/bin/python')}\n"
    assert not (here / "ran").exists()


def test_auto_reports_what_it_found_all_the_same(run: Run, bare: str, bad: str) -> None:
    done = run("check", bad, "--verify", "auto", "--verify-python", bare, "--verbose")
    assert done.exit_code == 1 and "empty-feature-map" in done.stdout and "verified" not in done.stdout
    assert "note: not verified:" in done.stderr


@pytest.mark.parametrize("option", [("--confirmed-only",), ("--trace-dir", "x"), ("--verify-python", "x"),
                                    ("--cudnn-lib", "x")])
def test_options_of_verification_need_it(run: Run, bad: str, option: tuple[str, ...]) -> None:
    done = run("check", bad, *option)
    assert done.exit_code == 2 and f"{option[0]} needs --verify" in done.stderr


def test_a_directory_without_cudnn_is_told(run: Run, bare: str, bad: str, here: Path) -> None:
    done = run("check", bad, "--verify", "cudnn", "--verify-python", bare, "--cudnn-lib", str(here))
    assert done.exit_code == 2 and done.stderr == f"cudnnlint: error: --cudnn-lib: no cuDNN library in {here}\n"


@needs_compiler
def test_cudnn_alone_verifies_without_a_framework(run: Run, here: Path) -> None:
    library = compiled("cudnn.c", here / "lib" / "libcudnn.so.9")
    code = "import tensorflow as tf\ny = tf.nn.local_response_normalization(tf.zeros((8, 9, 9, 64)), depth_radius={})\n"
    (here / "lrn.py").write_text(code.format(8) + code.format(20))
    for means in ("cudnn", "auto"):
        done = run("check", "lrn.py", "--verify", means, "--verify-python", sys.executable, "--cudnn-lib",
                   str(library.parent), "--trace-dir", "kept", "--output-format", "full")
        assert done.exit_code == 1 and "note: verified: 1 confirmed, 1 different" in done.stderr, means
        assert "confirmed by cuDNN 9.1.0 (descriptors): CUDNN_STATUS_BAD_PARAM: cudnnSetLRNDescriptor" in done.stdout
    done = run("check", "lrn.py", "--verify", "cudnn", "--verify-python", sys.executable, "--cudnn-lib",
               str(library.parent), "--confirmed-only")
    assert "depth_radius is 8" in done.stdout and "depth_radius is 20" not in done.stdout
    by_hand = subprocess.run([sys.executable, "-I", str(here / "kept" / "cudnn" / "001-lrn-out-of-range.py")],
                             capture_output=True, text=True, check=True)
    assert '"text": "cudnnSetLRNDescriptor: n > 16"' in by_hand.stdout


def test_an_interpreter_that_a_project_names_is_never_run(run: Run, bare: str, bad: str, here: Path,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "pyproject.toml").write_text(f'[tool.cudnnlint]\npython = "{bare}"\n')
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    done = run("check", bad, "--verify", "cudnn")
    assert bare not in done.stderr and not (here / "ran").exists()


GPU = """\
import json, sys
start = json.loads(sys.stdin.readline())
name = "NVIDIA L4" if start["device"] == "gpu" else "CPU"
print(json.dumps({"hello": {"keras": "3.15.1"}, "device": name}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    print(json.dumps({"id": job["id"], "outcome": "ran", "error": None, "stage": "call", "seconds": 0.1, "device": name,
                      "versions": {"keras": "3.15.1", "tensorflow": "2.21.0"}}), flush=True)
"""


@pytest.mark.parametrize(("means", "has_gpu", "devices"), [
    ("gpu", True, ["NVIDIA L4", "CPU"]), ("cpu", True, ["CPU", "CPU"]),
    ("auto", True, ["NVIDIA L4", "CPU"]), ("auto", False, ["CPU", "CPU"])])
def test_on_a_gpu_what_only_a_cpu_shows_is_put_to_a_cpu(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch,
                                                        means: str, has_gpu: bool, devices: list[str]) -> None:
    """An environment whose worker says that it has a GPU."""
    monkeypatch.setattr("cudnnlint.cli._verify._has_gpu", lambda: has_gpu)
    for name in ("keras", "tensorflow"):
        (here / "env" / "lib" / "python3.11" / "site-packages" / name).mkdir(parents=True)
    (here / "env" / "bin").mkdir()
    python = here / "env" / "bin" / "python"
    python.write_text(f"#!{sys.executable}\n{GPU}")
    python.chmod(0o755)
    (here / "both.py").write_text("import keras\nimport tensorflow as tf\nkeras.layers.Dense(-1)\n"
                                  "keras.layers.Embedding(10, 3)(tf.constant([[1, 2, 10]]))\n")
    done = run("check", "both.py", "--verify", means, "--verify-python", here / "env", "--no-verify-cache",
               "--output-format", "json")
    told = {each["line"]: each["verification"]["device"] for each in json.loads(done.stdout)["findings"]}
    assert [told[3], told[4]] == devices

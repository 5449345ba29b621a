"""Workers that hang, crash and talk nonsense, and projects that try to have their code run."""

from __future__ import annotations

import ast
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cudnnlint.finding import Claim, Finding, Level
from cudnnlint.source import Span
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.run import Limits, UnavailableError, verified
from cudnnlint.verify.session import WORKER, clean

HELLO = 'print(json.dumps({"hello": {"keras": "3.15.1"}, "device": "CPU"}), flush=True)'
REPLY = ('print(json.dumps({"id": job["id"], "outcome": "ran", "stage": "call", "seconds": 0.1, "device": "CPU",\n'
         '"versions": {"keras": "3.15.1"}}), flush=True)')
FAST = Limits(start=20, job=3, total=60)


def fake(directory: Path, on_job: str, start: str = HELLO) -> Interpreter:
    """An interpreter that answers each job with `on_job`, whatever it is asked to run."""
    path = directory / "python"
    path.write_text(f"#!{sys.executable}\nimport json, os, subprocess, sys, time\nsys.stdin.readline()\n{start}\n"
                    "for line in sys.stdin:\n    job = json.loads(line)\n"
                    + "".join(f"    {line}\n" for line in on_job.splitlines()))
    path.chmod(0o755)
    return Interpreter(str(path), (), frozenset({"keras", "tensorflow"}))


def findings(*units: int) -> list[Finding]:
    stack = ("stack", {"keras": [3, 15]})
    return [Finding(Span("m.py", 1, 0, 1, 5), "no", claim=Claim("layer", (
        ("layer", "keras.layers.Dense"), ("arguments", {"units": unit}), ("stage", "constructor"), stack)))
        for unit in units]


def verdicts(found: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(each.verification.verdict, each.verification.note) for each in found if each.verification is not None]


def test_a_claim_that_the_library_does_not_share_is_refuted_and_advice(tmp_path: Path) -> None:
    (found,) = verified(findings(1), fake(tmp_path, REPLY), limits=FAST)
    assert verdicts((found,)) == [("refuted", "")] and found.level is Level.INFO


def test_a_crash_is_told_and_the_next_job_gets_a_new_worker(tmp_path: Path) -> None:
    found = verified(findings(1, 2), fake(tmp_path, 'if job["arguments"]["units"] == 1: os.abort()\n' + REPLY),
                     limits=FAST)
    assert verdicts(found) == [("inconclusive", "the worker crashed: SIGABRT"), ("refuted", "")]
    assert found[0].level is Level.ERROR


def test_a_crash_that_was_predicted_confirms_with_its_last_words(tmp_path: Path) -> None:
    said = "F cuda_dnn.cc:522] Check failed: cudnnSetTensorNdDescriptor(...) == CUDNN_STATUS_SUCCESS (3 vs. 0) {count}"
    crash = f'print("== job 7\\n{said}\\n*** Aborted", file=sys.stderr, flush=True)\nos.abort()'
    (finding,) = findings(1)
    expected = [{"error": "UnknownError", "texts": ["cudnnSetTensorNdDescriptor ... (3 vs. 0)"]}]
    assert finding.claim is not None
    claim = replace(finding.claim, facts=(*finding.claim.facts, ("expected", expected)))
    found = verified([replace(finding, claim=claim)], fake(tmp_path, crash), limits=FAST)
    assert verdicts(found) == [("confirmed", "the worker crashed: SIGABRT")]
    assert found[0].verification is not None and found[0].verification.error == said


def test_a_worker_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    hang = (f'child = subprocess.Popen(["sleep", "100"])\nopen({str(tmp_path / "pid")!r}, "w").write(str(child.pid))\n'
            "time.sleep(100)")
    found = verified(findings(1), fake(tmp_path, hang), limits=FAST)
    assert verdicts(found) == [("inconclusive", "no answer within 3 s")]
    child = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 5
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("said", ['print("Segmentation fault?", flush=True)', 'print("[1]", flush=True)',
                                  'print("9" * 3_000_000, flush=True)',
                                  'print(json.dumps({"id": -1, "outcome": "ran"}), flush=True)'])
def test_nonsense_is_told_as_such(tmp_path: Path, said: str) -> None:
    assert verdicts(verified(findings(1), fake(tmp_path, said), limits=FAST)) == [
        ("inconclusive", "the worker answered nonsense")]


def test_the_time_for_all_jobs_ends_and_what_is_known_is_kept(tmp_path: Path) -> None:
    found = verified(findings(1, 2, 3), fake(tmp_path, 'time.sleep(job["arguments"]["units"] - 1)\n' + REPLY),
                     limits=Limits(start=20, job=3, total=1.9))
    told = verdicts(found)
    assert told[0] == ("refuted", "") and told[-1][0] == "inconclusive"


def test_equal_claims_run_once(tmp_path: Path) -> None:
    count = f'open({str(tmp_path / "jobs")!r}, "a").write("x")\n'
    verified(findings(1, 1, 1), fake(tmp_path, count + REPLY), limits=FAST)
    assert (tmp_path / "jobs").read_text() == "x"


def test_a_library_that_does_not_load_is_told(tmp_path: Path) -> None:
    broken = 'print(json.dumps({"failed": "ImportError: no libfoo"}), flush=True)'
    assert verdicts(verified(findings(1, 2), fake(tmp_path, "pass", broken), limits=FAST)) == [
        ("inconclusive", "the library does not load: ImportError: no libfoo")] * 2


def test_a_gpu_that_is_not_there_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="sees no GPU"):
        verified([], fake(tmp_path, "pass"), device="gpu", limits=FAST)


TRAP = "open({mark!r}, 'w').write(__name__)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory full of modules that leave a mark when they are imported."""
    where = tmp_path / "project"
    where.mkdir()
    names = ("sitecustomize", "usercustomize", "conftest", "keras", "tensorflow", "json", "numpy", "worker_values",
             "serve", "random", "encodings")
    for name in names:
        (where / f"{name}.py").write_text(TRAP.format(mark=str(tmp_path / "mark")))
    (where / "pyproject.toml").write_text(f'[tool.cudnnlint]\npython = "{where}/evil"\n')
    monkeypatch.chdir(where)
    monkeypatch.setenv("PYTHONPATH", str(where))
    monkeypatch.setenv("PYTHONSTARTUP", str(where / "conftest.py"))
    monkeypatch.setenv("PYTHONHOME", str(where))
    return where


def test_a_project_cannot_have_its_code_run(tmp_path: Path, project: Path) -> None:
    """The real worker, in a Python without packages: it starts, finds no Keras and says so."""
    real = Interpreter(os.path.realpath(sys.executable), (), frozenset({"keras", "tensorflow"}))
    ((verdict, note),) = verdicts(verified(findings(1), real, limits=FAST))
    assert verdict == "inconclusive" and "No module named" in note
    assert not (tmp_path / "mark").exists()


def test_path_files_of_an_environment_are_not_run(tmp_path: Path, project: Path) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "evil.pth").write_text(f"{project}\nimport sitecustomize\n")
    real = Interpreter(os.path.realpath(sys.executable), (str(packages),), frozenset({"keras", "tensorflow"}))
    verified(findings(1), real, limits=FAST)
    assert not (tmp_path / "mark").exists()


def test_a_worker_gets_no_variable_that_names_places_of_the_user() -> None:
    given = {"PYTHONPATH": "/p", "HOME": "/h", "LD_PRELOAD": "/x.so", "KERAS_HOME": "/k", "SECRET": "s",
             "LD_LIBRARY_PATH": "lib:/usr/l:"}
    told = clean(given, "/scratch")
    assert told["LD_LIBRARY_PATH"] == "/usr/l" and told["TMPDIR"] == "/scratch"
    assert told.keys() & given.keys() == {"LD_LIBRARY_PATH"}


BESIDE = {file.stem for file in WORKER.parent.glob("worker_*.py")}


@pytest.mark.parametrize("file", sorted(WORKER.parent.glob("*.py")), ids=lambda file: file.name)
def test_a_worker_is_of_the_standard_library_and_of_old_python(file: Path) -> None:
    """Environments of Keras 2 have Python 3.8."""
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 8))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names | BESIDE

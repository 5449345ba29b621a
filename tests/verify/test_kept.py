"""Answers of the library that are kept from run to run."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from cudnnlint.finding import Finding, Level
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.kept import Replies, cache_dir
from cudnnlint.verify.run import verified
from tests.verify.test_worker import FAST, REPLY, fake, findings, verdicts

COUNTED = "open({!r}, 'a').write('x')\n"


@pytest.fixture
def asked(tmp_path: Path) -> Interpreter:
    """An interpreter whose worker counts its jobs in `jobs`."""
    (tmp_path / "packages" / "keras-3.15.1.dist-info").mkdir(parents=True)
    (tmp_path / "packages" / "keras-3.15.1.dist-info" / "RECORD").write_text("keras/__init__.py,sha256=a,1")
    worker = fake(tmp_path, COUNTED.format(str(tmp_path / "jobs")) + REPLY)
    return replace(worker, paths=(str(tmp_path / "packages"),))


def put(interpreter: Interpreter, place: Path, *units: int) -> tuple[Finding, ...]:
    kept = Replies(str(place / "kept"), interpreter, "cpu")
    return verified(findings(*units), interpreter, limits=FAST, replies=kept)


def jobs(place: Path) -> int:
    return len((place / "jobs").read_text())


def test_what_was_answered_is_not_asked_again(tmp_path: Path, asked: Interpreter) -> None:
    first = put(asked, tmp_path, 1, 2)
    again = put(asked, tmp_path, 2, 1)
    assert verdicts(first) == verdicts(again) == [("refuted", "")] * 2 and jobs(tmp_path) == 2
    assert again[0].level is Level.INFO


def test_another_library_is_asked_again(tmp_path: Path, asked: Interpreter) -> None:
    put(asked, tmp_path, 1)
    (tmp_path / "packages" / "keras-3.15.1.dist-info").rename(tmp_path / "packages" / "keras-3.16.0.dist-info")
    put(asked, tmp_path, 1)
    assert jobs(tmp_path) == 2


def test_a_library_of_other_files_is_asked_again(tmp_path: Path, asked: Interpreter) -> None:
    put(asked, tmp_path, 1)
    (tmp_path / "packages" / "keras-3.15.1.dist-info" / "RECORD").write_text("keras/__init__.py,sha256=b,2")
    put(asked, tmp_path, 1)
    assert jobs(tmp_path) == 2


def test_the_same_library_installed_again_is_not_asked_again(tmp_path: Path, asked: Interpreter) -> None:
    """As in a job of a CI service, which makes its environment anew."""
    put(asked, tmp_path, 1)
    for path in (tmp_path / "packages").rglob("*"):
        os.utime(path, (1, 1))
    put(asked, tmp_path, 1)
    assert jobs(tmp_path) == 1


def test_a_crash_is_not_kept(tmp_path: Path) -> None:
    crashing = fake(tmp_path, COUNTED.format(str(tmp_path / "jobs")) + "os.abort()")
    for _ in range(2):
        assert verdicts(put(crashing, tmp_path, 1)) == [("inconclusive", "the worker crashed: SIGABRT")]
    assert jobs(tmp_path) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"job": "x"}', "\x00" * 9, "9" * 100_000,
                                  '{"job": JOB, "reply": {"outcome": "ran", "error": "x", "versions": []}}'])
def test_what_is_broken_is_ignored_and_written_anew(tmp_path: Path, asked: Interpreter, text: str) -> None:
    put(asked, tmp_path, 1)
    (file,) = (tmp_path / "kept").iterdir()
    job = json.dumps(json.loads(file.read_text())["job"])
    file.write_text(text.replace("JOB", job))
    assert verdicts(put(asked, tmp_path, 1)) == [("refuted", "")] and jobs(tmp_path) == 2
    put(asked, tmp_path, 1)
    assert jobs(tmp_path) == 2


def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path, asked: Interpreter) -> None:
    (tmp_path / "kept").write_text("a file")
    assert verdicts(put(asked, tmp_path, 1)) == [("refuted", "")]


def test_two_gpus_do_not_share_answers(tmp_path: Path, asked: Interpreter) -> None:
    kept = Replies(str(tmp_path / "kept"), asked, "gpu")
    kept.put("job", {"outcome": "ran", "versions": {}}, "NVIDIA L4")
    assert kept.get("job", "NVIDIA L4") == {"outcome": "ran", "versions": {}} and kept.get("job", "NVIDIA T4") is None


def test_the_place_is_the_users_and_not_the_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CUDNNLINT_VERIFY_CACHE", raising=False)
    assert not Path(cache_dir()).is_relative_to(tmp_path) and "cudnnlint" in cache_dir()
    monkeypatch.setenv("CUDNNLINT_VERIFY_CACHE", str(tmp_path / "ci"))
    assert cache_dir() == str(tmp_path / "ci")

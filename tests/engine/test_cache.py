"""Findings that are kept: given again as long as nothing that they hang on changes, and never after."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine import single
from cudnnlint.engine.cache import cache as cache_module
from cudnnlint.engine.cache import code, place
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.report import formats, renderer
from cudnnlint.report.model import Report

NET = """\
import keras

def build(size):
    x = keras.Input((size, size, 3))
    return keras.layers.Conv2D({filters}, {kernel})(keras.layers.MaxPooling2D(4)(x))
"""
PROJECT = {
    "net.py": NET.format(filters=8, kernel=3),
    "sizes.py": "SIZE = 32\n",
    "config.json": '{"size": 12}',
    "config.yaml": "rate: 3\n",
    "train.py": "import keras\nfrom net import build\nfrom sizes import SIZE\nbuild(SIZE)\nkeras.layers.Dense(-1)\n",
    "configured.py": "import json\nfrom net import build\nimport keras\n"
                     "build(json.load(open('config.json'))['size'])\n",
    "rated.py": "import keras, yaml\nconf = yaml.safe_load(open('config.yaml'))\n"
                "keras.layers.Dense(4, units=conf['rate'])\nkeras.layers.Dropout(conf['rate'])\n",
    "old.py": "import tensorflow as tf\nx = tf.zeros((2, 3))\ny = tf.matmul(x, x)\nz = tf.to_float(x)\n",
    "run.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": None,
         "source": ["%run sizes.py\n", "import keras\n", "from net import build\n", "build(SIZE - 20)\n"]}]}),
    "requirements.txt": "numpy\n",
    "pyproject.toml": "[tool.cudnnlint]\n",
}
PROGRAMS = {"net.py", "train.py", "configured.py", "rated.py", "old.py", "run.ipynb"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(text)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lint(**changes: Any) -> Report:
    return check(["."], Settings.find().overridden(changes), cached=True)


def told(report: Report) -> list[str]:
    """Everything that a run may print."""
    shown = [renderer(name)(report, color=False, quiet=False) for name in formats()]
    return [*shown, repr(report.notes), repr([(path, stack) for path, stack in report.stacks.items()]),
            repr(report.findings)]


def fresh(**changes: Any) -> list[str]:
    return told(check(["."], Settings.find().overridden(changes)))


def looked_at(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> list[str]:
    """The files that a run analyses."""
    seen: list[str] = []
    checked = single.checked

    def noting(source: Any, *rest: Any) -> Any:
        seen.append(source.path)
        return checked(source, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(single, "checked", noting)
        lint(**changes)
    return sorted(seen)


def test_a_second_run_looks_at_nothing_and_tells_the_same(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = fresh()
    assert "CUD" in expected[0]
    assert told(lint()) == expected
    assert looked_at(monkeypatch) == []
    assert told(lint()) == expected


@pytest.mark.parametrize(("change", "concerned"), [
    (("sizes.py", "SIZE = 12\n"), {"train.py", "run.ipynb"}),
    (("net.py", NET.format(filters=8, kernel=12)), {"net.py", "train.py", "configured.py", "run.ipynb"}),
    (("config.json", '{"size": 32}'), {"configured.py"}),
    (("config.yaml", "rate: -5\n"), {"rated.py"}),
    (("old.py", PROJECT["old.py"].replace("3", "2")), {"old.py"}),
    (("sizes/__init__.py", "SIZE = 8\n"), {"train.py", "run.ipynb"}),
    (("requirements.txt", "tensorflow==1.15\n"), PROGRAMS),
    (("setup.py", "setup(install_requires=['tensorflow==2.4'])\n"), PROGRAMS),
    (("session.py", "import tensorflow as tf\ntf.Session().run(tf.placeholder(tf.float32))\n"),
     {"session.py", "train.py"}),
    (("train.py", PROJECT["train.py"] + "build(8)\n"), {"train.py"}),
])
def test_what_hangs_on_a_change_is_looked_at_again(project: Path, monkeypatch: pytest.MonkeyPatch,
                                                   change: tuple[str, str], concerned: set[str]) -> None:
    lint()
    path = project / change[0]
    path.parent.mkdir(exist_ok=True)
    path.write_text(change[1])
    expected = fresh()
    again = looked_at(monkeypatch)
    assert concerned <= set(again)
    assert told(lint()) == expected


def test_a_file_that_nothing_leads_to_concerns_nobody(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lint()
    (project / "notes.md").write_text("nothing")
    (project / "__pycache__").mkdir()
    (project / "sizes.csv").write_text("1,2\n")
    os.utime(project / "sizes.py", (1, 1))  # as a checkout does
    assert looked_at(monkeypatch) == []


def test_other_settings_have_other_entries(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lint()
    assert looked_at(monkeypatch, keras="2.10")
    assert told(lint(keras="2.10")) == fresh(keras="2.10") != told(lint())
    assert looked_at(monkeypatch, keras="2.10") == looked_at(monkeypatch, exclude=("nothing",)) == []


def test_another_cudnnlint_looks_anew(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lint()
    monkeypatch.setattr(cache_module, "identity", lambda: "another")
    assert looked_at(monkeypatch)


def test_an_edited_checkout_is_another_cudnnlint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cudnnlint" / "rules").mkdir(parents=True)
    rule = tmp_path / "cudnnlint" / "rules" / "one.py"
    rule.write_text("1")
    monkeypatch.setattr(code, "PACKAGE", str(tmp_path / "cudnnlint"))
    before = code._checkout()
    rule.write_text("12")
    assert code._checkout() != before
    assert code._installed() == ""
    record = tmp_path / f"cudnnlint-{code.__version__}.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("cudnnlint/__init__.py,sha256=1,2\n")
    assert code._installed()


def test_random_edits_never_give_findings_of_yesterday(project: Path) -> None:
    """Files changed, added and removed, with times of their own and old ones: a run tells what a fresh one tells."""
    draw = random.Random(7)
    texts = {name: [text, text.replace("3", "13"), text.replace("8", "-1"), text + "\n"]
             for name, text in PROJECT.items() if name not in ("pyproject.toml", "run.ipynb")}
    texts |= {"net/__init__.py": ["from keras import layers\nbuild = layers.Dense\n"], "sizes.ipynb": ["{}"],
              "src/sizes.py": ["SIZE = 4\n"], "older.py": ["import tensorflow as tf\ntf.placeholder(tf.float32)\n"],
              ".python-version": ["3.12\n"], "requirements/base.txt": ["tensorflow==2.3\n"]}
    for step in range(40):
        name = draw.choice(sorted(texts))
        path = project / name
        if path.exists() and draw.random() < 0.3:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(draw.choice(texts[name]))
            if draw.random() < 0.5:
                os.utime(path, (step + 1, step + 1))
        if draw.random() < 0.7:
            assert told(lint()) == fresh(), (step, name)


def test_what_another_file_brought_into_the_run_counts_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`net` is analysed for the first file that imports it: the others hang on what it asked all the same."""
    (project / "net.py").write_text("import json\nimport keras\nfrom deep import KERNEL\n" + PROJECT["net.py"])
    (project / "deep.py").write_text("import json\nKERNEL = json.load(open('deep.json'))['kernel']\n")
    (project / "deep.json").write_text('{"kernel": 1}')
    lint()
    (project / "deep.json").write_text('{"kernel": 2}')
    assert looked_at(monkeypatch) == ["configured.py", "net.py", "run.ipynb", "train.py"]


def test_modules_that_import_each_other_hang_on_each_other(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "one.py").write_text("import keras\nimport two\nfrom three import THREE\n")
    (project / "two.py").write_text("import one\nimport keras\n")
    (project / "three.py").write_text("THREE = 3\n")
    lint()
    (project / "three.py").write_text("THREE = 4\n")
    assert looked_at(monkeypatch) == ["one.py", "two.py"]


def test_installed_packages_count_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = project / "env" / "lib" / "python3.12" / "site-packages"
    (site / "zoo").mkdir(parents=True)
    (site / "zoo" / "__init__.py").write_text(PROJECT["net.py"])
    (project / "zooed.py").write_text("import keras\nimport zoo\nzoo.build(16)\n")
    assert "zooed.py" not in {finding.span.path for finding in lint(python="env").findings}
    (site / "zoo" / "__init__.py").write_text(PROJECT["net.py"].replace("2D(4)", "2D(9)"))
    assert looked_at(monkeypatch, python="env") == ["zooed.py"]
    assert told(lint(python="env")) == fresh(python="env")
    assert "zooed.py" in {finding.span.path for finding in lint(python="env").findings}


def test_a_link_that_leads_elsewhere_counts_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "eight.py").write_text("SIZE = 8\n")
    (project / "big.py").write_text("SIZE = 64\n")
    (project / "sizes.py").unlink()
    (project / "sizes.py").symlink_to("big.py")
    before = told(lint())
    (project / "sizes.py").unlink()
    (project / "sizes.py").symlink_to("eight.py")
    assert told(lint()) == fresh() != before


def entries(project: Path) -> list[Path]:
    return sorted((project / place.NAME).glob("??/*.json"))


@pytest.mark.parametrize("spoilt", [
    b"", b"{", b"[]", b"null", b"\xff", b'{"content": 1}', b"[" * 100_000, b'{"content":"","asked":{},"outcome":[]}'])
def test_an_entry_that_is_none_costs_only_time(project: Path, spoilt: bytes) -> None:
    expected = told(lint())
    for entry in entries(project):
        entry.write_bytes(spoilt)
    report = lint()
    assert repr(report.findings) == expected[-1]
    assert told(lint()) == expected


def test_no_part_of_an_entry_is_taken_on_trust(project: Path) -> None:
    """Each value in turn replaced by others: what is found stays what it is, or the entry is none."""
    expected = lint().findings
    entry = next(entry for entry in entries(project) if json.loads(entry.read_bytes())["outcome"][0])
    whole = json.loads(entry.read_bytes())
    for spoil in (lambda row: row.pop(), lambda row: row.append(1), lambda row: row.__setitem__(0, {"a": 1}),
                  lambda row: row.__setitem__(0, None), lambda row: row.__setitem__(-1, ["x"])):
        for at in range(12):
            told = json.loads(json.dumps(whole))
            finding = told["outcome"][0][0]
            row = finding if at == 0 else finding[at - 1]
            if isinstance(row, list) and row:
                spoil(row)
                entry.write_text(json.dumps(told))
                assert len(lint().findings) == len(expected)


def test_a_directory_that_cannot_be_written_is_no_matter(project: Path) -> None:
    (project / place.NAME).write_text("a file")
    report = lint()
    assert report.findings and not report.notes
    assert told(report) == fresh()


def test_the_directory_says_that_it_is_a_cache(project: Path) -> None:
    lint()
    kept = project / place.NAME
    assert (kept / ".gitignore").read_text() == "*\n"
    assert (kept / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    assert place.clean(str(kept)) and not kept.exists()
    (project / "data").mkdir()
    assert not place.clean(str(project / "data"))


def test_a_directory_of_the_user_is_not_made_ours(project: Path) -> None:
    (project / "mine").mkdir()
    (project / "mine" / "file").write_text("")
    lint(cache_dir="mine")
    assert not (project / "mine" / ".gitignore").exists()
    assert not place.clean(str(project / "mine"))


def test_the_oldest_go_where_there_is_too_much(project: Path) -> None:
    lint()
    kept = entries(project)
    for age, entry in enumerate(kept):
        os.utime(entry, (1000 - age, 1000 - age))
    most = sum(entry.stat().st_size for entry in kept) - 1
    place.tidy(str(project / place.NAME), most)
    left = entries(project)
    assert left and set(left) == set(kept[:len(left)])
    assert sum(entry.stat().st_size for entry in left) <= most // 2


def test_what_went_wrong_in_us_is_not_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any, **__: Any) -> None:
        raise RuntimeError("ours")

    with monkeypatch.context() as patched:
        patched.setattr("cudnnlint.interp.analyse", crash)
        assert {finding.rule for finding in lint().findings} == {"internal-error"}
    assert entries(project) == []
    assert "internal-error" not in {finding.rule for finding in lint().findings}


def test_all_that_an_analysis_opens_is_asked_for(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen from outside, by the audit hooks of Python: a new way to a file must not be forgotten."""
    opened, listed = _audited()
    lint()
    shutil.rmtree(project / place.NAME)
    opened.clear()
    listed.clear()
    lint()
    recorded = {os.path.join(directory or ".", row[1]) for entry in entries(project)
                for directory, rows in json.loads(entry.read_bytes())["asked"].items() for row in rows}
    recorded = {os.path.realpath(path) for path in recorded}
    ours = {path for path in opened | listed if path.startswith(str(project)) and place.NAME not in path}
    of_the_run = {str(project), str(project / ".git" / "info" / "exclude")}
    assert ours - of_the_run - recorded <= {str(project / name) for name in PROJECT}
    assert {str(project / name) for name in ("sizes.py", "config.json", "config.yaml", "net.py")} <= ours & recorded


def _audited() -> tuple[set[str], set[str]]:
    opened: set[str] = set()
    listed: set[str] = set()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], str):
            opened.add(os.path.realpath(args[0]))
        elif event in ("os.scandir", "os.listdir") and isinstance(args[0], str):
            listed.add(os.path.realpath(args[0]))

    sys.addaudithook(hook)
    return opened, listed

"""From paths to a report, with an interpreter that only looks at calls."""

from __future__ import annotations

import ast
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import cudnnlint.interp
from cudnnlint.engine import registry, run
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.errors import UsageError
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import ConfigError, Settings
from cudnnlint.engine.single import check_source
from cudnnlint.events import BoundHit, Crashed, Event, FunctionApplied
from cudnnlint.finding import Finding, Level
from cudnnlint.report.model import Report
from cudnnlint.rules.listing import Listed
from cudnnlint.rules.protocol import RULES, Rule
from cudnnlint.source import Source, SourceError, Span
from cudnnlint.values import Stack, Step, Tensor


@dataclass(frozen=True)
class Options:
    word: str = "bad"


def say_bad(event: FunctionApplied, options: Options) -> Iterator[Finding]:
    if event.path == "bad":
        yield event.finding(f"{options.word} call", help="do not")


def trip(event: FunctionApplied) -> Iterator[Finding]:
    if event.path == "trip":
        raise ZeroDivisionError("division by zero")
    yield from ()


def follow(source: Source, *, stack: Stack, emit: Callable[[Event], None], roots: Sequence[str] = (),
           **more: Any) -> None:
    """An event for each call, by the name of what is called."""
    for node in ast.walk(source.tree()):
        if isinstance(node, ast.Import) and node.names[0].name == "models":
            other = next(Path(root, "models.py") for root in roots if Path(root, "models.py").exists())
            follow(Source.read(other), stack=stack, emit=emit)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            known: dict[str, Any] = {"span": source.span(node), "stack": stack}
            name = node.func.id
            if name == "explode":
                raise RecursionError("maximum recursion depth exceeded")
            if name == "stop":
                emit(BoundHit(**known, what="too many steps"))
            if name == "break_op":
                emit(Crashed(**known, where="the op of Conv2D", error="KeyError: 'axis'"))
            begun = Tensor((1,), step=Step(Span(source.path, 1, 0, 1, 1)))
            emit(FunctionApplied(**known, about=begun, path=name, arguments={}, output=None))


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    real = {name: registry.find_rule(name) for name in ("internal-error", "syntax-error", "unreadable-file")}
    stubs = {
        "bad-call": Rule("CUD701", "bad-call", Level.WARNING, "0.1", say_bad, "p", (FunctionApplied,), Options, True),
        "trips": Rule("CUD702", "trips", Level.ERROR, "0.1", trip, "p", (FunctionApplied,), None, True),
    }
    known = {**stubs, **real}
    for name, rule in stubs.items():
        monkeypatch.setitem(RULES, name, rule)
    monkeypatch.setattr(registry, "listed", lambda: {name: Listed.of(rule) for name, rule in known.items()})
    monkeypatch.setattr(registry, "load", lambda: None)
    monkeypatch.setattr(registry, "problems", lambda: ())
    monkeypatch.setattr(cudnnlint.interp, "analyse", follow)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.py").write_text(f"import keras\n{text}")


def told(report: Report) -> list[str]:
    return [f"{f.span.path}:{f.span.line}:{f.span.column + 1}: {f.code} {f.rule}: {f.message}" for f in report.findings]


def test_findings_carry_their_rule_and_come_in_order() -> None:
    write(b="bad()\n", a="x = 1\nbad(), bad()\nbad()\n")
    report = check(["b.py", "a.py"])
    assert told(report) == [
        "a.py:3:1: CUD701 bad-call: bad call", "a.py:3:8: CUD701 bad-call: bad call",
        "a.py:4:1: CUD701 bad-call: bad call", "b.py:2:1: CUD701 bad-call: bad call"]
    assert {finding.level for finding in report.findings} == {Level.WARNING}
    assert report.files == ("b.py", "a.py")
    assert report.stacks["a.py"] == Stack()


def test_files_that_name_no_framework_are_counted_and_not_followed() -> None:
    Path("other.py").write_text("bad(\n")
    report = check()
    assert (told(report), report.files, dict(report.sources)) == ([], ("other.py",), {})


def test_what_does_not_parse_is_told_and_the_rest_goes_on() -> None:
    write(a="bad()\n", b="x = (\n")
    Path("c.py").write_bytes(b"import keras\0")
    assert told(check()) == [
        "a.py:2:1: CUD701 bad-call: bad call", "b.py:2:5: CUD901 syntax-error: '(' was never closed",
        "c.py:1:13: CUD901 syntax-error: binary file: it contains NUL bytes"]


def test_a_file_that_cannot_be_opened_is_no_syntax_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be gone since the directory was listed, or be someone else's."""
    write(a="bad()\n", b="bad()\n")
    listed = run.find_files

    def find_and_lose(*args: Any) -> list[str]:
        files: list[str] = listed(*args)
        Path("b.py").unlink()
        return files

    monkeypatch.setattr(run, "find_files", find_and_lose)
    assert told(check()) == ["a.py:2:1: CUD701 bad-call: bad call",
                             "b.py:1:1: CUD902 unreadable-file: cannot be read: no such file or directory"]


def test_a_broken_cell_is_told_and_the_other_cells_are_followed() -> None:
    texts = ("import keras\nbad()", "x = (", "%%bash\nbad()", "bad()")
    Path("n.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code", "source": text} for text in texts]}))
    report = check()
    source = report.sources["n.ipynb"]
    assert [(f.code, source.locate(f.span.line)) for f in report.findings] == [
        ("CUD701", (1, 2)), ("CUD901", (2, 1)), ("CUD701", (4, 1))]


def test_a_rule_that_crashes_is_told_once_and_stops_nobody() -> None:
    write(a="trip()\ntrip()\nbad()\n")
    first, second = check().findings
    assert (first.code, first.span.line, second.code) == ("CUD900", 2, "CUD701")
    assert first.message.startswith("cudnnlint crashed in rule trips: ZeroDivisionError: division by zero")
    assert "\n" not in first.message


def test_an_op_that_crashed_is_told() -> None:
    write(a="break_op()\n")
    assert told(check()) == ["a.py:2:1: CUD900 internal-error: cudnnlint crashed in the op of Conv2D: KeyError: 'axis'"]


def test_an_analysis_that_crashes_keeps_what_it_found_and_the_run_goes_on() -> None:
    write(a="bad()\nexplode()\nbad()\n", b="bad()\n")
    assert [(f.span.path, f.span.line, f.code) for f in check().findings] == [
        ("a.py", 1, "CUD900"), ("a.py", 2, "CUD701"), ("b.py", 2, "CUD701")]


def test_what_was_given_up_is_noted() -> None:
    write(a="stop()\n")
    assert check().notes == ("a.py:2: not followed: too many steps",)


def test_modules_that_do_not_load_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "problems", lambda: ("cudnnlint.ops.x does not load",))
    assert check().unloaded == ("cudnnlint.ops.x does not load",)


@pytest.mark.parametrize("names", [["models.py", "train.py"], ["train.py", "./models.py"], ["train.py"]])
def test_findings_in_an_imported_module_are_told_once(names: list[str]) -> None:
    write(models="bad()\n", train="import models\n")
    report = check(names)
    assert told(report) == ["models.py:2:1: CUD701 bad-call: bad call"]
    assert report.findings[0].trace[0].span.path == "models.py"
    assert report.sources["models.py"].lines[1] == "bad()"


def test_an_imported_module_keeps_its_own_comments() -> None:
    write(models="bad()  # noqa\n", train="import models\n")
    assert told(check(["train.py"])) == []


def test_roots_are_those_of_the_project(engine: Path) -> None:
    (engine / "pyproject.toml").touch()
    (engine / "src/app").mkdir(parents=True)
    (engine / "src/models.py").write_text("bad()\n")
    (engine / "src/app/__init__.py").touch()
    (engine / "src/app/train.py").write_text("import keras\nimport models\n")
    assert told(check(["src/app"])) == ["src/models.py:1:1: CUD701 bad-call: bad call"]


@pytest.mark.parametrize(("text", "count"), [
    ("bad()  # noqa: CUD701\n", 0), ("bad()  # noqa: bad-call\n", 0), ("bad()  # noqa: E501\n", 1),
    ("bad(\n)  # cudnnlint: ignore[bad-call]\n", 0), ("# cudnnlint: skip-file\nbad()\n", 0),
])
def test_comments_silence(text: str, count: int) -> None:
    write(a=text)
    assert len(check().findings) == count


def test_settings_choose_rules_files_and_options() -> None:
    write(a="bad()\ntrip()\n", b="bad()\n", gen="bad()\n")
    Path("cudnnlint.toml").write_text("""
        select = ["bad-call"]
        extend-exclude = ["gen.py"]
        per-file-ignores = {"b.py" = ["CUD7"]}
        rules.bad-call.word = "worse"
    """)
    assert told(check()) == ["a.py:2:1: CUD701 bad-call: worse call"]


def test_settings_that_are_given_replace_the_files() -> None:
    write(a="bad()\n")
    Path("cudnnlint.toml").write_text("select = ['trips']")
    assert len(check([], Settings()).findings) == 1
    assert told(check()) == []


def test_mistakes_are_raised() -> None:
    with pytest.raises(UsageError, match="gone: no such file"):
        check(["gone"])
    Path("cudnnlint.toml").write_text("selct = 1")
    with pytest.raises(ConfigError):
        check()


def test_standard_input_has_the_name_that_is_given() -> None:
    report = check(["-"], stdin=b"import keras\nbad()\n", stdin_filename="pkg/a.py")
    assert told(report) == ["pkg/a.py:2:1: CUD701 bad-call: bad call"]
    assert told(check(["-"], stdin=b"import keras\nbad()\n")) == ["stdin.py:2:1: CUD701 bad-call: bad call"]


def test_the_stack_is_that_of_the_project() -> None:
    write(a="bad()\n")
    Path("requirements.txt").write_text("tensorflow==2.8.0\n")
    assert check().stacks["a.py"].tensorflow == (2, 8, 0)


def test_what_shows_in_another_module_is_about_the_versions_of_the_file_that_leads_there() -> None:
    led = Finding(Span("lib/parts.py", 5, 0, 5, 3), "bad call", calls=(Span("train.py", 3, 0, 3, 13),))
    own = Finding(Span("lib/parts.py", 9, 0, 9, 3), "bad call")
    stacks = {"train.py": Stack(tensorflow=(2, 8)), "lib/parts.py": Stack(tensorflow=(2, 12))}
    report = Report.of([led, own], stacks=stacks)
    assert (report.stack_of(led), report.stack_of(own)) == (stacks["train.py"], stacks["lib/parts.py"])


def test_one_source_for_flake8() -> None:
    source = Source.from_text("a.py", "bad()  # noqa\nbad()  # cudnnlint: ignore\n", ast.parse("bad()\nbad()\n"))
    assert check_source(source, Settings()) == []
    assert [finding.span.line for finding in check_source(source, Settings(), Stack(), noqa=False)] == [1]


def test_rule_that_fires_twice_at_one_place_speaks_once_with_the_fewest_assumptions() -> None:
    span = Source.from_text("a.py", "x").span(ast.parse("x"))
    findings = [Finding(span, "batch 64", rule="r", assumptions=("a", "b")), Finding(span, "batch 0", rule="r"),
                Finding(span, "other", rule="s")]
    assert [finding.message for finding in Report.of(findings).findings] == ["batch 0", "other"]


def nested(depth: int) -> int:
    return 0 if depth == 0 else 1 + max([nested(depth - 1)])


def test_there_is_room_for_deep_recursion() -> None:
    before = sys.getrecursionlimit()
    assert call_deep(lambda: nested(9_000)) == 9_000
    assert call_deep(lambda: call_deep(threading.current_thread)) is not threading.current_thread()
    with pytest.raises(RecursionError):
        call_deep(lambda: nested(10**6))
    with pytest.raises(SourceError):
        call_deep(lambda: Source.from_text("a.py", "(").tree())
    assert sys.getrecursionlimit() == before


def below(depth: int, run: Callable[[], object]) -> object:
    return run() if depth == 0 else below(depth - 1, run)


def test_calls_to_and_fro_map_no_memory() -> None:
    """CPython since 3.11 maps 16 KiB, and gives them back, wherever calls cross from one chunk of frames to another."""
    resource = pytest.importorskip("resource")

    def calls() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for depth in range(300):
            below(depth, lambda: [below(2, int) for _ in range(50)])
        faults: int = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
        return faults

    assert call_deep(calls) < 100


def test_nothing_here_depends_on_the_working_directory_being_a_project(tmp_path: Path) -> None:
    os.chdir(tmp_path)
    write(a="bad()\n")
    assert told(check([str(tmp_path / "a.py")])) == [f"{tmp_path / 'a.py'}:2:1: CUD701 bad-call: bad call"]

"""Configuration files: where they are found, what they may say, and how mistakes are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from cudnnlint.engine import registry
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import DEFAULT_EXCLUDE, ConfigError, Settings
from cudnnlint.events import Event
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.listing import Listed
from cudnnlint.rules.protocol import RULES, Rule


@dataclass(frozen=True)
class Options:
    largest: int = 3
    ratio: float = 0.5
    strict: bool = False
    names: tuple[str, ...] = ()
    mode: Literal["a", "b"] = "a"
    limit: int | None = None


def checks(event: Event, options: Options) -> Iterator[Finding]:
    yield from ()


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rules are known: one with options, one without."""
    known = {
        "big-batch": Rule("CUD401", "big-batch", Level.WARNING, "0.1", checks, "p", (Event,), Options, True),
        "empty-feature-map": Rule("CUD101", "empty-feature-map", Level.ERROR, "0.1", checks, "p", (Event,), None, True),
    }
    for name, rule in known.items():
        monkeypatch.setitem(RULES, name, rule)
    monkeypatch.setattr(registry, "rules", lambda: known)
    monkeypatch.setattr(registry, "listed", lambda: {name: Listed.of(rule) for name, rule in known.items()})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(project: Path, text: str, name: str = "pyproject.toml") -> Settings:
    file = project / name
    file.write_text(text)
    return Settings.load(file)


def test_everything_has_its_type(project: Path) -> None:
    settings = load(project, """
        [tool.cudnnlint]
        select = ["ALL"]
        ignore = ["CUD1"]
        extend-select = ["big-batch"]
        extend_ignore = ["empty-feature-map"]
        exclude = ["old"]
        extend-exclude = ["gen/*"]
        force-exclude = true
        respect-gitignore = false
        keras = "3"
        tensorflow = "2.16"
        cudnn = "9.3.0"
        [tool.cudnnlint.per-file-ignores]
        "tests/*" = ["CUD101"]
        [tool.cudnnlint.rules.big-batch]
        largest = 7
        ratio = 2
        strict = true
        names = ["x"]
        mode = "b"
        limit = 4
    """)
    assert settings == Settings(
        select=("ALL",), ignore=("CUD1",), extend_select=("big-batch",), extend_ignore=("empty-feature-map",),
        exclude=("old",), extend_exclude=("gen/*",), force_exclude=True, respect_gitignore=False,
        keras="3", tensorflow="2.16", cudnn="9.3.0", per_file_ignores={"tests/*": ("CUD101",)},
        rules={"big-batch": Options(7, 2.0, True, ("x",), "b", 4)}, root=project, file=project / "pyproject.toml")


def test_defaults_without_a_configuration(project: Path) -> None:
    settings = Settings.find(project)
    assert (settings.select, settings.exclude, settings.file) == (None, DEFAULT_EXCLUDE, None)


@pytest.mark.parametrize("name", ["cudnnlint.toml", ".cudnnlint.toml"])
def test_a_file_of_our_own_needs_no_table(project: Path, name: str) -> None:
    assert load(project, 'keras = "2"', name).keras == "2"


def test_the_nearest_file_that_speaks_of_us_counts(project: Path) -> None:
    (project / "a/b").mkdir(parents=True)
    (project / "pyproject.toml").write_text('[tool.cudnnlint]\nkeras = "2"')
    (project / "a/pyproject.toml").write_text("[project]\nname = 'cudnnlint-user'\n")
    (project / "a/b/train.py").touch()
    assert Settings.find(project / "a/b/train.py").keras == "2"
    (project / "a/cudnnlint.toml").write_text('keras = "3"')
    found = Settings.find(project / "a/b")
    assert (found.keras, found.root) == ("3", project / "a")


def test_each_file_has_the_settings_nearest_to_it(project: Path) -> None:
    for name in ("", "new", "old", "old/inner"):
        (project / name).mkdir(exist_ok=True)
        (project / name / "net.py").write_text("import keras\n")
    (project / "pyproject.toml").write_text('[tool.cudnnlint]\nkeras = "3.1"\n')
    (project / "old" / "cudnnlint.toml").write_text('keras = "2.9"\nexclude = ["inner"]\n')
    wanted = {"net.py": (3, 1), "new/net.py": (3, 1), "old/net.py": (2, 9), "old/inner/net.py": (2, 9)}
    together = check(list(wanted)).stacks
    assert {path: stack.keras for path, stack in together.items()} == wanted
    for path, keras in wanted.items():
        assert check([path]).stacks[path].keras == keras, "whatever is named beside it"
    walked = check(["."])
    assert {path: stack.keras for path, stack in walked.stacks.items()} == {
        path: keras for path, keras in wanted.items() if "inner" not in path}
    chosen = check(["."], Settings.load("pyproject.toml"))
    assert {stack.keras for stack in chosen.stacks.values()} == {(3, 1)}, "one that was chosen holds for all"


def test_others_broken_files_do_not_stop_us(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project\n# cudnnlint is nice\n")
    assert Settings.find(project).file is None


@pytest.mark.parametrize(("text", "message"), [
    ("selct = []", 'selct: unknown key, did you mean "select"?'),
    ("colour = 1", "colour: unknown key"),
    ("select = 'ALL'", 'select: expected a list of strings, got "ALL"'),
    ("select = [1]", "select: expected a list of strings, got [1]"),
    ("force-exclude = 1", "force-exclude: expected true or false, got 1"),
    ("keras = 3", "keras: expected a string, got 3"),
    ("keras = '3.x'", 'keras: expected a version such as "2.16", got "3.x"'),
    ("select = ['empty-feature-mpa']",
     'select: unknown rule "empty-feature-mpa", did you mean "empty-feature-map"?'),
    ("extend-ignore = ['CUD77']", 'extend-ignore: unknown rule "CUD77"'),
    ("per-file-ignores = {'a.py' = ['nope']}", 'per-file-ignores."a.py": unknown rule "nope"'),
    ("per-file-ignores = ['a.py']", 'per-file-ignores: expected a table, got ["a.py"]'),
    ("rules = 3", "rules: expected a table for each rule"),
    ("[tool.cudnnlint.rules.big-bach]", 'rules.big-bach: unknown rule, did you mean "big-batch"?'),
    ("[tool.cudnnlint.rules.empty-feature-map]", "rules.empty-feature-map: has no options"),
    ("[tool.cudnnlint.rules.big-batch]\nlargst = 1",
     'rules.big-batch.largst: unknown key, did you mean "largest"?'),
    ("[tool.cudnnlint.rules.big-batch]\nlargest = true", "rules.big-batch.largest: expected a whole number, got true"),
    ("[tool.cudnnlint.rules.big-batch]\nmode = 'c'", 'rules.big-batch.mode: expected one of "a", "b", got "c"'),
    ("[tool.cudnnlint.rules.big-batch]\nlimit = 'c'", 'rules.big-batch.limit: expected a whole number, got "c"'),
])
def test_a_mistake_is_one_line_with_file_and_key(project: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(project, f"[tool.cudnnlint]\n{text}")
    assert str(caught.value) == f"pyproject.toml: tool.cudnnlint.{message}"


def test_a_mistake_in_a_file_of_our_own_names_the_key_alone(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"^\.cudnnlint\.toml: selct: unknown key"):
        load(project, "selct = 1", ".cudnnlint.toml")


def test_a_file_of_our_own_that_is_written_as_a_part_of_pyproject_says_where_keys_stand(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"^\.cudnnlint\.toml: tool: only pyproject\.toml has \[tool\.cudnnlint\]"):
        load(project, "[tool.cudnnlint]\nselect = []", ".cudnnlint.toml")


def test_broken_toml_is_told_with_its_line(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"^pyproject\.toml: not valid TOML: .*line 2"):
        load(project, "[tool.cudnnlint]\nselect = = 3\n")


@pytest.mark.parametrize("text", ["[tool.cudnnlint\nselect = []", "[tool]\ncudnnlint = {selct = []}",
                                  "[tool]\ncudnnlint = 3"])
def test_a_table_of_ours_counts_however_it_is_written(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"^pyproject\.toml: "):
        Settings.find(project)


def test_a_configuration_that_is_gone_is_told(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: cannot be read: no such file"):
        Settings.load(project / "gone.toml")


def test_the_command_line_overrules_the_file(project: Path) -> None:
    settings = load(project, '[tool.cudnnlint]\nselect = ["ALL"]\nignore = ["CUD1"]\nkeras = "2"')
    changed = settings.overridden({"select": ("CUD101",), "keras": "3", "exclude": None})
    assert (changed.select, changed.ignore, changed.keras, changed.exclude) == (("CUD101",), (), "3", DEFAULT_EXCLUDE)
    added = settings.overridden({"ignore": ("CUD4",)})
    assert (*added.ignore, *added.extend_ignore) == ("CUD1", "CUD4")


def test_mistakes_on_the_command_line_are_told_too(project: Path) -> None:
    with pytest.raises(ConfigError, match=r'^--select: unknown rule "big-bach", did you mean "big-batch"\?$'):
        Settings().overridden({"select": ("big-bach",)}, "--")

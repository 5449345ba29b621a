"""What is read from files of the project, and why something is not."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine import registry
from cudnnlint.events import Crashed, Event
from cudnnlint.facts import data_files
from cudnnlint.interp import analyse
from cudnnlint.interp.machine import assumptions_of, plain
from cudnnlint.source import Source, Span
from cudnnlint.values import Stack, Unknown

HEAD = "import json, yaml, toml, os\nfrom pathlib import Path\n"


def value_of(folder: Path, text: str, *, script: str = "train.py") -> Any:
    """What the last line of a script assigns."""
    registry.load()
    path = folder / script
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD + text, encoding="utf-8")
    seen: list[Any] = []
    events: list[Event] = []

    def watch(span: Span, value: Any) -> None:
        if span.path == str(path):
            seen.append(value)

    analyse(Source.read(str(path)), stack=Stack(), emit=events.append, roots=(str(folder),), watch=watch)
    assert not [event for event in events if isinstance(event, Crashed)]
    return seen[-1]


def why(folder: Path, name: str = "config.json", load: str = "json.load(open({name!r}))") -> str:
    found = value_of(folder, f"x = {load.format(name=name)}")
    assert isinstance(found, Unknown), found
    return found.why


def test_a_value_says_which_key_of_which_file_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.json").write_text('{"model": {"image_size": 224}}')
    found = value_of(tmp_path, "x = json.load(open('conf/config.json'))['model']['image_size']")
    assert plain(found) == 224
    assert [one.text for one in assumptions_of(found)] == ["image_size = 224 (conf/config.json, key model.image_size)"]


def test_a_script_in_a_folder_reads_from_the_project(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"a": 3}')
    text = "HERE = os.path.dirname(__file__)\nx = json.load(open(os.path.join(HERE, '..', 'config.json')))['a']"
    assert plain(value_of(tmp_path, text, script="scripts/train.py")) == 3
    assert plain(value_of(tmp_path, "x = json.load(open('config.json'))['a']", script="scripts/train.py")) == 3


def test_files_of_the_same_name_are_not_chosen_from(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"a": 3}')
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "config.json").write_text('{"a": 4}')
    found = value_of(tmp_path, "x = json.load(open('config.json'))", script="scripts/train.py")
    assert found.why == "config.json: which of 2 files depends on the working directory"


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[" + "1, " * 400_000 + "1]")
    assert why(tmp_path) == "config.json is too large: 1,200,003 bytes"


def test_a_malformed_file_says_where(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"a": 1,, }')
    assert why(tmp_path).startswith("config.json is not valid JSON: expecting property name")
    (tmp_path / "c.toml").write_text("a = = 1")
    assert why(tmp_path, "c.toml", "toml.load({name!r})").startswith("c.toml is not valid TOML: ")
    (tmp_path / "c.yaml").write_text("a: [1, 2")
    assert why(tmp_path, "c.yaml", "yaml.safe_load(open({name!r}))").startswith("c.yaml is not valid YAML: ")


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_another_encoding_is_not_guessed(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "config.json").write_text('{"näme": 1}', encoding=encoding)
    assert why(tmp_path) == "config.json is not UTF-8"
    assert why(tmp_path, load=f"json.load(open({{name!r}}, encoding={encoding!r}))") == f"a file of encoding {encoding}"


def test_a_byte_order_mark_is_no_part_of_the_data(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"a": 1}', encoding="utf-8-sig")
    assert plain(value_of(tmp_path, "x = json.load(open('config.json', encoding='utf-8-sig'))['a']")) == 1


def test_nothing_is_read_outside_of_the_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.json").write_text('{"a": 1}')
    (project / "link.json").symlink_to(tmp_path / "secret.json")
    (project / "inner").symlink_to(tmp_path)
    for name in ("../secret.json", str(tmp_path / "secret.json"), "link.json", "inner/secret.json"):
        assert why(project, name) == f"{name.rpartition('/')[2]} lies outside of the project", name


def test_links_within_the_project_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text('{"a": 1}')
    (tmp_path / "link.json").symlink_to("real.json")
    assert plain(value_of(tmp_path, "x = json.load(open('link.json'))['a']")) == 1


@pytest.mark.parametrize(("text", "load", "reason"), [
    ("[" * 90_000, "yaml.safe_load(open('c'))", "nested too deeply"),
    ("[" * 900_000, "json.load(open('c'))", "nested too deeply"),
    ("x = " + "[" * 90_000, "toml.load('c')", "nested too deeply"),
    ("x." * 300_000 + "y = 1", "toml.load('c')['x']" + "['x']" * 100, "nested too deeply"),
    ("- " * 40_000 + "1", "yaml.safe_load(open('c'))", "nested too deeply"),
    ("a: 1\n---\na: 2", "yaml.safe_load(open('c'))", "not valid YAML"),
])
def test_what_would_exhaust_a_parser_is_refused(tmp_path: Path, text: str, load: str, reason: str) -> None:
    (tmp_path / "c").write_text(text)
    begun = time.process_time()
    assert reason in why(tmp_path, "c", load)
    assert time.process_time() - begun < 5


def test_aliases_do_not_explode(tmp_path: Path) -> None:
    lines = ["a0: &a0 [1, 2]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    (tmp_path / "c.yaml").write_text("\n".join(lines))
    begun = time.process_time()
    assert plain(value_of(tmp_path, "x = yaml.safe_load(open('c.yaml'))['a0'][1]")) == 2
    found = value_of(tmp_path, "x = yaml.safe_load(open('c.yaml'))['a29'][0]")
    assert isinstance(found, Unknown)
    assert time.process_time() - begun < 5


def test_merged_aliases_do_not_explode(tmp_path: Path) -> None:
    lines = ["a0: &a0 {x: 1}"] + [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}], k{i}: 1}}" for i in range(60)]
    (tmp_path / "c.yaml").write_text("\n".join(lines[:1] + lines[2:]))
    assert plain(value_of(tmp_path, "x = yaml.safe_load(open('c.yaml'))['a59']['x']")) == 1


def test_what_holds_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("a: &a [1, *a]")
    assert isinstance(value_of(tmp_path, "x = yaml.safe_load(open('c.yaml'))['a'][1]"), Unknown)


def test_yaml_says_that_it_needs_pyyaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.yaml").write_text("b: 1")
    monkeypatch.setitem(sys.modules, "yaml", None)
    data_files._read.cache_clear()
    assert why(tmp_path, "c.yaml", "yaml.safe_load(open({name!r}))") == "c.yaml is not read: PyYAML is not installed"


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    for size in (64, 128):
        (tmp_path / "config.json").write_text(f'{{"a": {size}}}')
        assert plain(value_of(tmp_path, "x = json.load(open('config.json'))['a']")) == size


def test_a_directory_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    import os

    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        assert why(tmp_path, name) == f"{name} is not in the project"

"""Which files a run looks at."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from cudnnlint.engine.project import import_roots
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.files import UsageError, find_files
from cudnnlint.source import SourceError


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def found(*paths: str, unread: list[SourceError] | None = None, **settings: object) -> list[str]:
    return find_files(paths or ["."], Settings(**settings), unread)  # type: ignore[arg-type]


def test_modules_and_notebooks_in_a_stable_order(tree: Path) -> None:
    write(tree, "b.py", "a.ipynb", "sub/z.py", "sub/a/y.py", "also/x.py", "a.pyi", "notes.txt", "Makefile")
    assert found() == ["a.ipynb", "b.py", "also/x.py", "sub/z.py", "sub/a/y.py"]


def test_paths_are_shown_as_they_were_given(tree: Path) -> None:
    write(tree, "src/a.py")
    assert found("src") == ["src/a.py"]
    assert found("./src/") == ["src/a.py"]
    assert found(str(tree)) == [str(tree / "src/a.py")]


def test_a_file_named_twice_is_taken_once(tree: Path) -> None:
    write(tree, "src/a.py", "src/b.py")
    assert found("src/b.py", "src", str(tree / "src/a.py")) == ["src/b.py", "src/a.py"]


@pytest.mark.parametrize("directory", [".git", ".venv", "venv", "node_modules", "build", "dist", "__pycache__",
                                       "lib/site-packages", ".ipynb_checkpoints"])
def test_what_nobody_wrote_is_left_out(tree: Path, directory: str) -> None:
    write(tree, f"{directory}/a.py", "b.py")
    assert found() == ["b.py"]


def test_what_is_named_is_linted_whatever_it_is(tree: Path) -> None:
    write(tree, "build/a.py", "script", "stub.pyi", text="")
    assert found("build/a.py", "script", "stub.pyi") == ["build/a.py", "script", "stub.pyi"]
    assert found("build") == ["build/a.py"]


def test_force_exclude_overrules_names(tree: Path) -> None:
    write(tree, "build/sub/a.py", "b.py")
    assert found("build/sub/a.py", "build", "b.py", force_exclude=True) == ["b.py"]


@pytest.mark.parametrize(("patterns", "left"), [
    (("tests",), ["a.py", "src/c_test.py"]),
    (("*_test.py",), ["a.py", "tests/b.py"]),
    (("tests/*",), ["a.py", "src/c_test.py"]),
    (("./tests/",), ["a.py", "src/c_test.py"]),
    (("src/c_test.py",), ["a.py", "tests/b.py"]),
    (("**/c_test.py",), ["a.py", "tests/b.py"]),
    (("b",), ["a.py", "src/c_test.py", "tests/b.py"]),
])
def test_exclude_patterns(tree: Path, patterns: tuple[str, ...], left: list[str]) -> None:
    write(tree, "a.py", "tests/b.py", "src/c_test.py")
    assert found(extend_exclude=patterns) == left
    assert found(exclude=patterns) == left


def test_exclude_replaces_the_defaults_and_extend_exclude_adds_to_them(tree: Path) -> None:
    write(tree, "build/a.py", "b.py")
    assert found(exclude=("b.py",)) == ["build/a.py"]
    assert found(extend_exclude=("b.py",)) == []


def test_patterns_are_relative_to_the_configuration(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "src/gen/a.py", "src/b.py")
    monkeypatch.chdir(tree / "src")
    assert found(extend_exclude=("src/gen",), root=tree) == ["b.py"]


def test_gitignore_is_respected(tree: Path) -> None:
    write(tree, ".gitignore", text="/out\n*_gen.py\n!keep_gen.py\n")
    write(tree, "out/a.py", "b_gen.py", "keep_gen.py", "sub/out/c.py")
    assert found() == ["keep_gen.py", "sub/out/c.py"]
    assert found(respect_gitignore=False) == ["b_gen.py", "keep_gen.py", "out/a.py", "sub/out/c.py"]


def test_gitignore_that_names_what_is_kept(tree: Path) -> None:
    write(tree, ".gitignore", text="*\n!*/\n!*.*\nlogs/**\n!logs/kept.py\n")
    write(tree, "a.py", "src/b.py", "src/in/c.py", "logs/kept.py", "logs/d.py")
    assert found() == ["a.py", "logs/kept.py", "src/b.py", "src/in/c.py"]


def test_inner_gitignores_have_the_last_word(tree: Path) -> None:
    write(tree, ".gitignore", text="*.py\n")
    write(tree, "sub/.gitignore", text="!wanted.py\n")
    write(tree, "wanted.py", "sub/wanted.py", "sub/other.py")
    assert found() == ["sub/wanted.py"]


def test_gitignores_above_count_within_a_repository(tree: Path) -> None:
    write(tree, ".gitignore", text="gen/\n")
    write(tree, "src/gen/a.py", "src/b.py")
    assert found("src") == ["src/b.py", "src/gen/a.py"]
    (tree / ".git/info").mkdir(parents=True)
    assert found("src") == ["src/b.py"]
    write(tree, ".git/info/exclude", text="b.py\n")
    assert found("src") == []


def test_an_ignored_directory_that_is_named_is_walked(tree: Path) -> None:
    (tree / ".git").mkdir()
    write(tree, ".gitignore", text="gen/\n")
    write(tree, "gen/a.py", "gen/sub/b.py")
    assert found("gen") == ["gen/a.py", "gen/sub/b.py"]
    assert found("gen/sub") == ["gen/sub/b.py"]


def test_symbolic_links_neither_loop_nor_repeat(tree: Path) -> None:
    write(tree, "sub/a.py")
    os.symlink(tree, tree / "sub/loop")
    os.symlink("a.py", tree / "sub/b.py")
    os.symlink("nowhere", tree / "dangling.py")
    os.symlink("self.py", tree / "self.py")
    assert found() == ["sub/a.py"]
    os.symlink(tree / "sub", tree / "named")
    assert found("named") == ["named/a.py"]


def test_a_missing_path_is_one_line(tree: Path) -> None:
    with pytest.raises(UsageError, match=r"^gone\.py: no such file or directory$"):
        found("gone.py")


def test_a_directory_that_cannot_be_read_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "locked/a.py", "b.py")
    scan = os.scandir

    def scandir(path: str) -> object:
        if os.path.basename(path) == "locked":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    unread: list[SourceError] = []
    assert found(unread=unread) == ["b.py"]
    assert [str(error) for error in unread] == ["locked:1:1: the directory cannot be read: permission denied"]
    assert all(error.unread for error in unread)


def test_why_a_path_is_not_there(tree: Path) -> None:
    (tree / "self").symlink_to("self")
    with pytest.raises(UsageError, match=r"^self: too many levels of symbolic links$"):
        found("self")
    write(tree, "a.py")
    with pytest.raises(UsageError, match=r"^a\.py/b: not a directory$"):
        found("a.py/b")


def test_a_script_finds_the_package_around_it_where_only_a_readme_marks_the_top(tree: Path) -> None:
    """A checkout that was unpacked: `PYTHONPATH=. python nets/bin/train.py`."""
    write(tree, "up/README.md", "up/nets/__init__.py", "up/nets/bin/train.py")
    assert str(tree / "up") in import_roots("up/nets/bin/train.py")
    assert str(tree) not in import_roots("up/nets/bin/train.py")
    write(tree, "marked/README.md", "marked/nets/setup.py", "marked/nets/bin/train.py")
    assert str(tree / "marked") not in import_roots("marked/nets/bin/train.py")

"""Safe fixes change what they say and nothing else, and never leave a file that does not parse."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cudnnlint.finding import Applicability, Edit, Finding, Recipe
from cudnnlint.fix.apply import fix_file, write
from cudnnlint.source import Span


def fixing(path: Path, *edits: tuple[int, int, int, int, str], safe: bool = True) -> Finding:
    spans = [(Span(str(path), *edit[:4]), edit[4]) for edit in edits]
    recipe = Recipe("title", tuple(Edit(span, text) for span, text in spans),
                    Applicability.SAFE if safe else Applicability.UNSAFE)
    return Finding(spans[0][0], "message", fix=recipe)


def fixed(path: Path, *findings: Finding) -> bytes:
    result = fix_file(str(path), findings)
    if result is not None:
        write(result)
    return path.read_bytes()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_bytes(b"a = 1\nb = -2\nc = 3\n")
    return path


def test_edits_replace_their_spans(file: Path) -> None:
    second = fixing(file, (1, 0, 1, 1, "alpha"))
    assert fixed(file, fixing(file, (2, 4, 2, 6, "2")), second) == b"alpha = 1\nb = 2\nc = 3\n"


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_line_ends_stay_and_new_lines_get_the_same(file: Path, newline: bytes) -> None:
    file.write_bytes(b"a = 1\nb = 2\n".replace(b"\n", newline))
    assert fixed(file, fixing(file, (2, 4, 2, 5, "(\n    3)"))) == b"a = 1\nb = (\n    3)\n".replace(b"\n", newline)


@pytest.mark.parametrize(("start", "encoding"), [(b"\xef\xbb\xbf", "utf-8"), (b"# coding: latin-1\n", "latin-1")])
def test_encoding_stays(file: Path, start: bytes, encoding: str) -> None:
    file.write_bytes(start + "é = 1\n".encode(encoding))
    line = start.count(b"\n") + 1
    assert fixed(file, fixing(file, (line, 4, line, 5, '"è"'))) == start + 'é = "è"\n'.encode(encoding)


def test_mode_and_symbolic_links_stay(file: Path, tmp_path: Path) -> None:
    file.chmod(0o751)
    link = tmp_path / "link.py"
    link.symlink_to(file)
    fixed(link, fixing(link, (1, 4, 1, 5, "9")))
    assert link.is_symlink()
    assert file.read_bytes().startswith(b"a = 9\n")
    assert file.stat().st_mode & 0o777 == 0o751
    assert sorted(os.listdir(tmp_path)) == ["link.py", "train.py"]


def test_of_overlapping_fixes_only_the_first_is_kept(file: Path) -> None:
    assert fixed(file, fixing(file, (2, 4, 2, 6, "2")), fixing(file, (2, 5, 2, 6, "7"))) == b"a = 1\nb = 2\nc = 3\n"


def test_a_fix_is_applied_whole_or_not_at_all(file: Path) -> None:
    second = fixing(file, (2, 5, 2, 6, "7"), (3, 4, 3, 5, "7"))
    assert fixed(file, fixing(file, (2, 4, 2, 6, "2")), second) == b"a = 1\nb = 2\nc = 3\n"


def test_a_fix_that_breaks_the_syntax_is_dropped_and_others_are_kept(file: Path) -> None:
    assert fixed(file, fixing(file, (1, 4, 1, 5, "(")), fixing(file, (3, 4, 3, 5, "8"))) == b"a = 1\nb = -2\nc = 8\n"


@pytest.mark.parametrize("edit", [(9, 0, 9, 1, "x"), (1, 0, 3, 99, "x"), (2, 6, 2, 4, "x")])
def test_an_edit_outside_the_file_is_dropped(file: Path, edit: tuple[int, int, int, int, str]) -> None:
    assert fix_file(str(file), [fixing(file, edit)]) is None


def test_unsafe_fixes_and_other_files_are_left_alone(file: Path, tmp_path: Path) -> None:
    assert fix_file(str(file), [fixing(file, (1, 4, 1, 5, "9"), safe=False)]) is None
    assert fix_file(str(file), [fixing(tmp_path / "other.py", (1, 4, 1, 5, "9"))]) is None


def test_notebooks_are_never_edited(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_text("{}")
    assert fix_file(str(path), [fixing(path, (1, 0, 1, 1, "["))]) is None


def test_a_file_that_changed_meanwhile_is_left_alone(file: Path) -> None:
    finding = fixing(file, (1, 4, 1, 5, "9"))
    assert fix_file(str(file), [finding], ["a = 1", "b = 2", ""]) is None
    assert fix_file(str(file), [finding], ["a = 1", "b = -2", "c = 3", ""]) is not None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anything")
def test_a_read_only_file_is_an_error(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(PermissionError):
        fixed(file, fixing(file, (1, 4, 1, 5, "9")))

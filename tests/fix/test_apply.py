"""Edits change what they say and nothing else: other text, line ends, encoding and mode stay."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cudnnlint.finding import Applicability, Edit, Finding, Recipe
from cudnnlint.fix.apply import compatible, placed
from cudnnlint.fix.files import File, Fixed, is_as_told, parses, read, write
from cudnnlint.source import Span


def fixing(path: Path, *edits: tuple[int, int, int, int, str]) -> Finding:
    spans = [(Span(str(path), *edit[:4]), edit[4]) for edit in edits]
    recipe = Recipe("title", tuple(Edit(span, text) for span, text in spans), Applicability.SAFE)
    return Finding(spans[0][0], "message", fix=recipe)


def after(path: Path, *findings: Finding) -> File:
    """The file with the edits of those findings that go together."""
    files = {str(path): read(str(path))}
    edits = placed(compatible(findings, files), files)
    return files[str(path)].edited(edits.get(str(path), ()))


def fixed(path: Path, *findings: Finding) -> bytes:
    """The bytes that are on disk once that is written."""
    write(Fixed(read(str(path)), after(path, *findings)))
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


def test_an_edit_that_two_findings_ask_for_is_made_once(file: Path) -> None:
    edit = (2, 6, 2, 6, "0")
    assert fixed(file, fixing(file, edit), fixing(file, edit)) == b"a = 1\nb = -20\nc = 3\n"


def test_what_does_not_parse_is_seen(file: Path) -> None:
    before = read(str(file))
    assert not parses(after(file, fixing(file, (1, 4, 1, 5, "("))), before)
    assert parses(after(file, fixing(file, (1, 4, 1, 5, "()"))), before)


@pytest.mark.parametrize("edit", [(9, 0, 9, 1, "x"), (1, 0, 3, 99, "x"), (2, 6, 2, 4, "x")])
def test_an_edit_outside_the_file_is_dropped(file: Path, edit: tuple[int, int, int, int, str]) -> None:
    assert after(file, fixing(file, edit)).text == "a = 1\nb = -2\nc = 3\n"


def test_a_file_that_changed_meanwhile_is_noticed(file: Path) -> None:
    assert not is_as_told(read(str(file)), ["a = 1", "b = 2", ""])
    assert is_as_told(read(str(file)), ["a = 1", "b = -2", "c = 3", ""])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anything")
def test_a_read_only_file_is_an_error(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(PermissionError):
        fixed(file, fixing(file, (1, 4, 1, 5, "9")))


def notebook(tmp_path: Path, *sources: object) -> Path:
    path = tmp_path / "nb.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": source} for source in sources]}))
    return path


def sources_of(path: Path) -> list[object]:
    return [cell["source"] for cell in json.loads(path.read_text())["cells"]]


@pytest.mark.parametrize(("source", "edit", "expected"), [
    ("a = 1\nb = 2", (1, 4, 1, 5, "(\n3)"), "a = (\n3)\nb = 2"),
    ("a = 1\r\nb = 2", (2, 4, 2, 5, "(\n3)"), "a = 1\r\nb = (\r\n3)"),
    (["a = 1\n", "b = 2"], (1, 5, 1, 5, "\nc = 3"), ["a = 1\n", "c = 3\n", "b = 2"]),
    (["a = 1\n", "b = 2"], (1, 0, 1, 0, "c = 3\n"), ["c = 3\n", "a = 1\n", "b = 2"]),
    (["a = 1\n", "b = 2\n", "c = 3"], (1, 5, 2, 5, ""), ["a = 1\n", "c = 3"]),
    (["a = 1\n", "b = 2\n", "c = 3"], (2, 0, 3, 0, ""), ["a = 1\n", "c = 3"]),
    (["a = 1\n", "b = 2\n", "c = 3"], (2, 4, 3, 0, "4; "), ["a = 1\n", "b = 4; c = 3"]),
    (["a = 1\n", "b = 2\n", "c = 3"], (1, 0, 3, 0, "a = 4\n"), ["a = 4\n", "c = 3"]),
    (["a = 1\nb", " = ", "2"], (1, 4, 2, 5, "2\nb = '\"\\'"), ["a = 2\n", "b = '\"\\'"]),
    (["a = 1; # \U0001f9c0 \u00e9 \u2028\n", "b = 2"], (1, 7, 1, 14, "b"), ["a = 1; b\n", "b = 2"]),
])
def test_a_line_of_a_cell_stays_a_line_of_its_list(tmp_path: Path, source: object, edit: tuple[int, int, int, int, str],
                                                   expected: object) -> None:
    path = notebook(tmp_path, "pass", source, ["pass"])
    fixed(path, fixing(path, (edit[0] + 1, edit[1], edit[2] + 1, edit[3], edit[4])))
    assert sources_of(path) == ["pass", expected, ["pass"]]


@pytest.mark.parametrize("edit", [(1, 4, 2, 1, "x"), (2, 0, 2, 0, "x")])
def test_no_edit_joins_cells_or_fills_an_empty_one(tmp_path: Path, edit: tuple[int, int, int, int, str]) -> None:
    path = notebook(tmp_path, "pass", [], "pass")
    fixed(path, fixing(path, edit))
    assert sources_of(path) == ["pass", [], "pass"]


@pytest.mark.parametrize("text", ["[]", '{"cells": 1}', '{"cells": [{"cell_type": "code", "source": ["a", 1]}]}', "{"])
def test_what_is_no_notebook_of_text_cannot_be_edited(tmp_path: Path, text: str) -> None:
    (tmp_path / "nb.ipynb").write_text(text)
    with pytest.raises(ValueError, match=r"nb\.ipynb"):
        read(str(tmp_path / "nb.ipynb"))

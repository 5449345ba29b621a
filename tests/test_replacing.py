"""A file is replaced whole, or stays as it was."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cudnnlint.replacing import replace


def test_a_file_is_replaced_with_the_permissions_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("old")
    replace(str(file), b"new", 0o640)
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a.py"]


def test_what_cannot_be_moved_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "a.py"
    folder.mkdir()
    with pytest.raises(OSError):
        replace(str(folder), b"new")
    assert os.listdir(tmp_path) == ["a.py"]
    assert not os.listdir(folder)

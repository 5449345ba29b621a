"""Comments that silence findings."""

from __future__ import annotations

import pytest

from cudnnlint.engine.settings.suppress import Suppressions
from cudnnlint.finding import Finding
from cudnnlint.source import Source, Span


def silenced(text: str, line: int = 1, end_line: int | None = None, *, noqa: bool = True) -> bool:
    """Whether a CUD101 on these lines is silenced."""
    finding = Finding(Span("a.py", line, 0, end_line or line, 1), "m", rule="empty-feature-map", code="CUD101")
    return Suppressions(Source.from_text("a.py", text)).silences(finding, noqa=noqa)


@pytest.mark.parametrize(("comment", "expected"), [
    ("# noqa", True), ("#noqa", True), ("# NoQA", True), ("# noqa: CUD101", True), ("# noqa:CUD101", True),
    ("# noqa : cud101", True), ("# noqa: CUD1", True), ("# noqa: E501, CUD101", True), ("# noqa: E501 CUD101", True),
    ("# noqa: CUD101 because", True), ("# noqa: empty-feature-map", True), ("# noqa: E501,empty-feature-map", True),
    ("# type: ignore # noqa: CUD101", True), ("# noqa: E501  # noqa: CUD101", True), ("# noqa: the author knows", True),
    ("# noqa: E501", False), ("# noqa: CUD102", False), ("# noqa: CUD1011", False), ("# noqa: empty-batch", False),
    ("# noqa: empty-feature-mpa", False), ("# noqably", False), ("# about noqa", False), ("", False),
    ("# cudnnlint: ignore", True), ("# cudnnlint:ignore[CUD101]", True),
    ("# cudnnlint: ignore[empty-feature-map]", True),
    ("# CUDNNLINT: ignore[CUD102, CUD101]", True), ("# cudnnlint: ignore[empty-batch]", False),
    ("# cudnnlint: ignore[]", False),
])
def test_a_comment_on_the_line(comment: str, expected: bool) -> None:
    assert silenced(f"x = f()  {comment}\n") is expected


def test_first_and_last_line_count_and_no_other() -> None:
    text = "x = f(  # noqa: CUD101\n  1,\n  2)\n"
    assert silenced(text, 1, 3)
    assert silenced("x = f(\n  1,\n  2)  # noqa\n", 1, 3)
    assert not silenced("x = f(\n  1,  # noqa\n  2)\n", 1, 3)
    assert not silenced(text, 2)
    assert not silenced("# noqa\nx = f()\n", 2)


def test_flake8_judges_noqa_itself() -> None:
    assert not silenced("x = f()  # noqa\n", noqa=False)
    assert silenced("x = f()  # cudnnlint: ignore\n", noqa=False)


@pytest.mark.parametrize(("line", "expected"), [
    ("# cudnnlint: skip-file", True), ("  # CUDNNLINT:skip-file", True), ("# flake8: noqa", True),
    ("# flake8: NOQA", True), ("# flake8: noqa: E501", False), ("# flake8: noqa: CUD101", False),
    ("x = 1  # cudnnlint: skip-file", False),
    ("# flake8 is fine", False),
])
def test_whole_files_are_skipped(line: str, expected: bool) -> None:
    assert Suppressions(Source.from_text("a.py", f"import keras\n{line}\n")).skips_file is expected


def test_flake8_codes_for_a_whole_file() -> None:
    assert silenced("x = f()\n# flake8: noqa: E501, CUD101\n")
    assert not silenced("x = f()\n# flake8: noqa: E501, CUD2\n")

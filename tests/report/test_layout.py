"""Carets stay under what they point at, whatever the line holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudnnlint.finding import Finding, Label
from cudnnlint.report import renderer
from cudnnlint.report._cells import crop, width
from cudnnlint.report._excerpt import MAX_STEPS
from cudnnlint.report.model import Report
from cudnnlint.source import Source, Span

LINES = st.text(st.sampled_from("ab \t層畳é\u0301\u200b\x0c\x1b😀"), max_size=200)


@given(LINES, st.integers(0, 200), st.integers(0, 200), st.integers(20, 120))
def test_a_cropped_line_fits_and_holds_its_carets(text: str, a: int, b: int, limit: int) -> None:
    line = crop(text, min(a, b), max(a, b), limit)
    assert width(line.text) <= limit
    assert 0 <= line.start <= line.end <= limit


@pytest.mark.parametrize("before", ["", "\t", "\t\t", "名前 = ", "é = ", "e\u0301 = ", "\x0c", "x" * 300, "層" * 300])
def test_carets_stand_under_the_span(before: str) -> None:
    text = f"{before}Dense(0){'y' * 200}"
    line = crop(text, len(before), len(before) + 8, 80)
    kept = [i for i in range(len(line.text) + 1) if width(line.text[:i]) == line.start]
    assert any(line.text[i:].startswith("Dense(0)") for i in kept)
    assert line.end - line.start == 8


def test_a_span_wider_than_the_limit_shows_its_beginning() -> None:
    line = crop("a = " + "b" * 500, 4, 504, 40)
    assert line.text == "..." + "b" * 34 + "..."
    assert (line.start, line.end) == (3, 37)


def test_a_long_trace_keeps_its_first_and_last_steps() -> None:
    source = Source.from_text("a.py", "\n".join(f"line_{number}" for number in range(1, 31)))
    trace = tuple(Label(Span("a.py", line, 0, line, 4), f"shape {line}") for line in range(1, 21))
    text = renderer("full")(Report.of([Finding(Span("a.py", 25, 0, 25, 4), "m", trace=trace)], {"a.py": source}))
    shown = [line.split("| ")[1].split()[0] for line in text.splitlines() if "| line_" in line]
    assert shown == ["line_1", "line_18", "line_19", "line_20", "line_25"]
    assert "   | ... 16 more steps\n" in text
    assert len(shown) + 1 == MAX_STEPS


def test_a_finding_past_the_end_of_the_file_is_still_told() -> None:
    source = Source.from_text("a.py", "x = 1\n")
    finding = Finding(Span("a.py", 9, 70, 9, 71), "gone", code="CUD101", rule="r")
    text = renderer("full")(Report.of([finding], {"a.py": source}))
    assert text.startswith("a.py:9:71: CUD101 r: gone\n")


def test_an_empty_span_gets_one_caret() -> None:
    source = Source.from_text("a.py", "def f(:\n")
    text = renderer("full")(Report.of([Finding(Span("a.py", 1, 6, 1, 6), "m")], {"a.py": source}))
    assert "  |       ^\n" in text


def test_source_cannot_drive_the_terminal() -> None:
    source = Source.from_text("a.py", "x = '\x1b[2J\u202e' + Dense(0)")
    text = renderer("full")(Report.of([Finding(Span("a.py", 1, 14, 1, 22), "bad \x1b[2J \u202e")], {"a.py": source}))
    assert not {"\x1b", "\u202e"} & set(text)

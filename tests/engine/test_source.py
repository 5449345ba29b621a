"""Columns, lines and errors of modules, however they are encoded."""

from __future__ import annotations

import ast
import os
import threading
import time
from pathlib import Path

import pytest

from cudnnlint.source import Source, SourceError, Span, names_framework


def spans_of_calls(source: Source) -> dict[str, str]:
    """The text that the span of each call covers, by the callee's name."""
    found = {}
    for node in ast.walk(source.tree()):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            span = source.span(node)
            assert span.line == span.end_line
            found[node.func.id] = source.lines[span.line - 1][span.column:span.end_column]
    return found


@pytest.mark.parametrize("data", [
    b"x = f(1)\ny = g(2)\n",
    b"\xef\xbb\xbfx = f(1)\ny = g(2)\n",
    b"x = f(1)\r\ny = g(2)\r\n",
    b"x = f(1)\ry = g(2)\r",
    b"x = 0\x0c; f(1)\n\x0cy = g(2)\n",
    b"x\t=\tf(1)\nif 1:\n\ty = g(2)\n",
    "größe = 'ü😀'; f(1)\nß = 'é', g(2)\n".encode(),
    "# -*- coding: latin-1 -*-\ngröße = 'ü'; f(1)\ny = g(2)\n".encode("latin-1"),
    "#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nж = 'ж'; f(1)\ny = g(2)\n".encode("cp1251"),
    "s = 'a\u2028b\x1c'; f(1)\ny = g(2)\n".encode(),
], ids=["plain", "bom", "crlf", "cr", "form-feed", "tabs", "utf-8", "latin-1", "cp1251", "odd-separators"])
def test_spans_cover_the_text_of_their_node(data: bytes) -> None:
    assert spans_of_calls(Source.from_bytes("a.py", data)) == {"f": "f(1)", "g": "g(2)"}


def test_span_of_a_module_is_its_start() -> None:
    source = Source.from_text("a.py", "x = 1\n")
    assert source.span(source.tree()) == Span("a.py", 1, 0, 1, 0)


def test_span_over_several_lines_ends_after_the_last_character() -> None:
    source = Source.from_text("a.py", "x = f(\n  'ü',\n  ü)\n")
    assert source.span(source.tree().body[0]) == Span("a.py", 1, 0, 3, 4)


def test_a_tree_that_is_handed_over_is_used() -> None:
    tree = ast.parse("x = 1")
    assert Source.from_text("a.py", "x = 1", tree).tree() is tree


def test_long_lines_of_many_nodes_stay_fast() -> None:
    source = Source.from_text("a.py", "x = ['ü'" + ", f(1)" * 20_000 + "]\n")
    last = source.tree().body[0].value.elts[-1]  # type: ignore[attr-defined]
    for node in ast.walk(source.tree()):
        span = source.span(node)
    span = source.span(last)
    assert source.lines[0][span.column:span.end_column] == "f(1)"


@pytest.mark.parametrize(("data", "where", "message"), [
    (b"x = 1\ny = (\n", (2, 4), "'(' was never closed"),
    (b"x = 1\n\x00\n", (2, 0), "binary file: it contains NUL bytes"),
    (b"x = 1\r\ny = '\xff'\n", (2, 5), "not utf-8 text: invalid start byte 0xff"),
    ("ü = '".encode() + b"\xff'", (1, 5), "not utf-8 text: invalid start byte 0xff"),
    (b"# coding: klingon\nx = 1\n", (1, 0), "unknown encoding: klingon"),
    (b"# coding: rot13\nx = 1\n", (1, 0), "cannot decode as rot13"),
    (b"print 'old'\n", (1, 0), "Missing parentheses in call to 'print'"),
    ("ü = ü ü\n".encode(), (1, 6), "invalid syntax"),
    (b"x = " + b"(" * 1000, (1, None), "too many nested parentheses"),
    (b"-" * 200_000 + b"1", (1, 0), "too deeply nested to parse"),
])
def test_what_is_not_python_is_said_with_its_place(data: bytes, where: tuple[int, int | None], message: str) -> None:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes("a.py", data).tree()
    assert message in caught.value.message
    assert caught.value.line == where[0]
    assert where[1] is None or caught.value.column == where[1]
    assert "\n" not in str(caught.value)


def test_a_broken_source_stays_broken() -> None:
    source = Source.from_text("a.py", "x = (")
    for _ in range(2):
        with pytest.raises(SourceError):
            source.tree()


def test_warnings_of_the_parser_are_not_ours_to_give(recwarn: pytest.WarningsRecorder) -> None:
    Source.from_text("a.py", "x = '\\d'\ny = 1 is 1\n").tree()
    assert not recwarn.list


def test_a_file_that_cannot_be_opened_says_why(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(SourceError, match="cannot be read: no such file"):
        Source.read(tmp_path_factory.mktemp("d") / "gone.py")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes among files")
def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    text = "import keras\n" * 10_000
    writer = threading.Thread(target=(tmp_path / "pipe.py").write_text, args=(text,))
    writer.start()
    assert Source.read(tmp_path / "pipe.py").text == text
    writer.join()


def test_words_of_long_texts_are_counted_once() -> None:
    """Each function of a file is asked for: looking for every one of 50,000 lines took longer than all else."""
    text = "".join(f"def name_{at}(): pass\n" for at in range(20_000)) + "name_7()\n"
    source = Source.from_text("many.py", text)
    begun = time.process_time()
    assert [at for at in range(20_000) if source.repeats(f"name_{at}")] == [7]
    assert time.process_time() - begun < 1


def test_modules_have_no_cells() -> None:
    assert Source.from_text("a.py", "x = 1\n").locate(1) == (None, 1)


@pytest.mark.parametrize(("data", "named"), [
    (b"from tensorflow import keras", True), (b"import tf_keras", True), (b"import numpy as np", False), (b"", False),
])
def test_bytes_decide_what_is_parsed(data: bytes, named: bool) -> None:
    assert names_framework(data) is named

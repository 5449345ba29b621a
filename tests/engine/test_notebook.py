"""Notebooks: cells joined into one module, magics out of the way, everything in its place."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from cudnnlint.source import Source, SourceError
from cudnnlint.source.python_2 import WholeDiv


def notebook(*cells: str | list[str] | dict[str, Any], **more: Any) -> Source:
    """A notebook of code cells; a dict is a cell of its own kind."""
    made = [cell if isinstance(cell, dict) else {"cell_type": "code", "source": cell} for cell in cells]
    return Source.from_bytes("n.ipynb", json.dumps({"cells": made, "nbformat": 4, **more}).encode())


def unparsed(source: Source) -> str:
    return ast.unparse(source.tree())


MARKDOWN = {"cell_type": "markdown", "source": "# x = 1"}


def test_a_call_is_found_by_cell_and_line() -> None:
    source = notebook(["import keras\n", "x = 1\n"], MARKDOWN, "\n\ny = f(x)\n", "z = g(y)")
    call = source.tree().body[2]
    span = source.span(call)
    assert source.lines[span.line - 1][span.column:span.end_column] == "y = f(x)"
    assert source.locate(span.line) == (3, 3)
    assert source.locate(source.span(source.tree().body[3]).line) == (4, 1)


@pytest.mark.parametrize("line", [
    "%matplotlib inline", "!pip install keras", "?f", "f?", "f.g??", "!ls \\\n  -l (", "%cd 'it", "%%capture", "%time",
    "%timeit -n 3", "%pip install keras", "%timeit -r1 for row in data: pass",
])
def test_commands_leave_what_follows_in_place(line: str) -> None:
    source = notebook(f"{line}\nx = f(1)")
    last = source.tree().body[-1]
    assert not source.errors
    assert ast.unparse(last) == "x = f(1)"
    assert source.span(last).line == line.count("\n") + 2


@pytest.mark.parametrize("code", ["ls = 3", "cat (3)", "man, x = 1, 2", "env * 3", "pipe = 1"])
def test_a_name_of_a_command_may_be_a_variable(code: str) -> None:
    assert unparsed(notebook(code)) == ast.unparse(ast.parse(code))


def test_beside_other_lines_a_command_without_sign_is_an_error() -> None:
    source = notebook("pip install keras\nx = 1")
    source.tree()
    assert source.errors


@pytest.mark.parametrize(("line", "column"), [("%time model.fit(x)", 6), ("if x:\n    %timeit  model.fit(x)", 13),
                                               ("%timeit -n1 -r 3 -q model.fit(x)", 20),
                                               ("%prun -s cum model.fit(x)", 13)])
def test_timed_statements_are_kept_where_they_stand(line: str, column: int) -> None:
    source = notebook(line)
    call = next(node for node in ast.walk(source.tree()) if isinstance(node, ast.Call))
    assert source.span(call).column == column
    assert ast.unparse(call) == "model.fit(x)"


def test_assigned_commands_bind_something_unknown() -> None:
    meant = "files = get_ipython()\na, b = get_ipython()\nn = len(files)"
    assert unparsed(notebook("files = !ls *.png\na, b = %foo bar\nn = len(files)")) == ast.unparse(ast.parse(meant))


@pytest.mark.parametrize("code", [
    "s = '''\n%matplotlib\n!ls\n'''", 's = """\nwhat?\n"""', "x = (1\n% 2)", "x = [\n  f(')'),\n]\n", "x = 7 \\\n  % 3",
    "s = 'a' # it's\nt = (3\n% 2)", "f('n=%d' % 3)", "if x: y = 'a=!b'", "s = 'really?'  # why?",
])
def test_what_only_looks_like_a_command_is_left_alone(code: str) -> None:
    source = notebook(code, "!ls")
    assert unparsed(source) == ast.unparse(ast.parse(code)) + "\npass"


def test_blanks_of_an_exercise_are_an_error_of_their_cell_only() -> None:
    source = notebook("x = 1", "for None in range(3):\n    None = f(x)\ny = 2", "z = f(3)")
    assert unparsed(source).endswith("y = get_ipython()\nz = f(3)")
    assert [(error.line, error.message) for error in source.errors] == [(2, "cannot assign to None")]


@pytest.mark.parametrize("cell", ["%%bash\nls (", "%%html\n<b>", "\n%%file", "%%javascript\n{",
                                  "%%sql x"])
def test_cells_of_other_languages_are_skipped(cell: str) -> None:
    source = notebook("x = 1", cell, "y = 2")
    assert unparsed(source) == "x = 1\ny = 2"
    assert not source.errors


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%timeit -n 1"])
def test_cells_that_are_measured_are_followed(magic: str) -> None:
    source = notebook(f"{magic}\nx = f(1)")
    assert unparsed(source) == "x = f(1)"
    assert source.locate(source.span(source.tree().body[0]).line) == (1, 2)


def test_a_broken_cell_is_told_and_the_others_go_on() -> None:
    source = notebook("x = 1", "y = (", "z = 3", "  indented = 1\nand not")
    assert unparsed(source) == "x = 1\ny = get_ipython()\nz = 3\nindented = get_ipython()"
    assert [(source.locate(error.line), error.column) for error in source.errors] == [((2, 1), 4), ((4, 2), 0)]


def test_a_character_that_no_python_holds_is_told_in_its_cell() -> None:
    """JSON may hold it; the parser does not say where it met it."""
    source = notebook("x = 1", "y = 2\nz = '\0'", "w = 3")
    source.tree()
    assert [(source.locate(error.line), error.column, error.message) for error in source.errors] == [
        ((2, 2), 5, "no text of Python holds the character U+0000")]


@pytest.mark.parametrize("cell", ["y = 2\nif y:\nz = 3\n", "  y = 2\n  if y:\n  z = 3\n"])
def test_an_error_names_lines_of_its_cell(cell: str) -> None:
    source = notebook("import keras\nx = 1\n", cell)
    source.tree()
    assert source.errors[0].message == "expected an indented block after 'if' statement on line 2"
    assert source.locate(source.errors[0].line) == (2, 3)


@pytest.mark.parametrize("before", [(), ("a = 0",)])
def test_a_cell_that_is_indented_as_a_whole_runs_as_in_ipython(before: tuple[str, ...]) -> None:
    source = notebook(*before, "  x = f(\n1)\n  y = 2")
    assert not source.errors
    span = source.span(source.tree().body[-1])
    assert source.lines[span.line - 1][span.column:span.end_column] == "y = 2"


def test_a_comment_that_is_indented_opens_no_block() -> None:
    source = notebook("  # in front\nx = 1\nif x:\n    y = 2")
    assert unparsed(source) == "x = 1\nif x:\n    y = 2"
    assert not source.errors


def test_non_ascii_columns_follow_the_text() -> None:
    source = notebook("%time\nü = 'ü'; f(1)")
    span = source.span(source.tree().body[-1])
    assert source.lines[span.line - 1][span.column:span.end_column] == "f(1)"


def test_old_notebooks_are_read() -> None:
    sheets = [{"cells": [{"cell_type": "code", "input": ["x = 1"], "language": "python"}]}]
    assert unparsed(Source.from_bytes("n.ipynb", json.dumps({"worksheets": sheets, "nbformat": 3}).encode())) == "x = 1"


def test_notebooks_of_other_kernels_have_no_cells() -> None:
    assert unparsed(notebook("x <- 1", metadata={"kernelspec": {"language": "R"}})) == ""


@pytest.mark.parametrize(("data", "message"), [
    (b'{"cells": [', "not a notebook: expecting value"), (b"[]", "expected a JSON object"), (b"{}", "it has no cells"),
    (b"\xff\xfe\xff", "not a notebook"), (b"[" * 100_000, "not a notebook"), (b"", "not a notebook"),
])
def test_what_is_no_notebook_is_said(data: bytes, message: str) -> None:
    with pytest.raises(SourceError, match="not a notebook") as caught:
        Source.from_bytes("n.ipynb", data)
    assert message in caught.value.message


def test_odd_cells_do_no_harm() -> None:
    source = notebook({"cell_type": "code"}, {}, {"cell_type": "code", "source": None}, "", "x = '\ud800'", "# only")
    assert unparsed(source) == "x = '\ufffd'"
    source.text.encode()


def test_what_a_broken_cell_would_have_set_is_not_known_after_it() -> None:
    """Exercises leave `x = # your code`: what a name was before is not what it is."""
    source = notebook("import tensorflow as tf\na = tf.add(1, 2)", MARKDOWN,
                      "from keras import layers\na = tf.placeholder(\ntf.random.seed(1)\n"
                      "model.add(layers.Dense(\nfor i, row in (b):\ndef f(x):", "g(a)")
    left = source.tree().body[2:-1]
    assert len(source.errors) == 1
    assert [ast.unparse(each) for each in left] == ["from keras import layers",
                                                    "a = f = i = model = row = get_ipython()"]
    assert all(source.locate(each.lineno)[0] == 3 for each in left)


@pytest.mark.parametrize("cell", ["pip install tensorflow==2.0.0b1", "# its size\n\nls -lh model.h5\n", "cd ..",
                                  "run other.ipynb", "ls"])
def test_a_command_alone_in_its_cell_needs_no_sign(cell: str) -> None:
    source = notebook("x = 1", cell, "y = 2")
    source.tree()
    assert source.errors == ()


def test_a_command_without_its_sign_among_other_lines_is_no_python() -> None:
    source = notebook("x = 1\npip install keras", "ls = ")
    source.tree()
    assert [source.locate(error.line) for error in source.errors] == [(1, 2), (2, 1)]


OLD = {"metadata": {"language_info": {"name": "python", "version": "2.7.12"}}}


def test_a_notebook_of_python_2_prints_and_divides_as_it_did() -> None:
    cells = ('print "start"\nx = 60000 / 128\ny = x / 2.0', "try:\n    f(1)\nexcept ValueError, e:\n    print e\n",
             "exec 'a'")
    source = notebook(*cells, **OLD)
    assert unparsed(source) == ("pass\nx = 60000 / 128\ny = x / 2.0\ntry:\n    f(1)\nexcept ValueError as e:\n    pass")
    assert source.errors == ()
    assert isinstance(source.tree().body[1].value.op, WholeDiv)  # type: ignore[attr-defined]
    assert [source.locate(each.lineno) for each in source.tree().body] == [(1, 1), (1, 2), (1, 3), (2, 1)]


def test_python_3_is_asked_for_by_a_later_run_or_an_import() -> None:
    assert len((late := notebook("print 1", metadata={
        "kernelspec": {"name": "python2"}, "language_info": {"version": "3.6.1"}})).tree().body) == 0 and late.errors
    body = notebook("from __future__ import division\nx = 1 / 2", **OLD).tree().body
    assert not isinstance(body[1].value.op, WholeDiv)  # type: ignore[attr-defined]

"""Changes of a call's arguments in all the ways that calls are written: what they change, and what they leave."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudnnlint.finding import (
    Argument,
    Change,
    MoveImport,
    RemoveArgument,
    RemoveSign,
    RenameArgument,
    SetArgument,
    WrapArgument,
    WrapCall,
    WrapOperand,
)
from cudnnlint.fix.calls import Text
from cudnnlint.fix.edits import edits
from cudnnlint.fix.files import File
from cudnnlint.source import Source, Span


def span_of(source: Source, name: str = "f") -> Span:
    """The call of `name`."""
    return next(source.span(node) for node in ast.walk(source.tree()) if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name) and node.func.id == name)


def changed(code: str, change: Change) -> str | None:
    """The code afterwards, None where the change finds no place."""
    source = Source.from_text("a.py", code)
    found = edits(change, Text(source))
    if found is None:
        return None
    file = File("a.py", code, "utf-8")
    placed = [(region, edit.text) for edit in found if (region := file.region(edit.span)) is not None]
    assert len(placed) == len(found)
    return file.edited(placed).text


def argument(code: str, name: str = "padding", position: int | None = None) -> Argument:
    return Argument(span_of(Source.from_text("a.py", code)), name, position)


def setting(code: str, value: str = '"same"', position: int | None = None) -> str | None:
    return changed(code, SetArgument(argument(code, position=position), value))


@pytest.mark.parametrize(("before", "after"), [
    ("f()", 'f(padding="same")'),
    ("f( )", 'f( padding="same")'),
    ("f(\n    # none\n)", 'f(\n    # none\n    padding="same",\n)'),
    ("f(64, 5)", 'f(64, 5, padding="same")'),
    ("f(64, 5,)", 'f(64, 5, padding="same",)'),
    ("f(64, (5))", 'f(64, (5), padding="same")'),
    ("f((64))", 'f((64), padding="same")'),
    ("f(64, (5, 5))", 'f(64, (5, 5), padding="same")'),
    ("f(64, x[0])(y)", 'f(64, x[0], padding="same")(y)'),
    ("f(64, k=(5))", 'f(64, k=(5), padding="same")'),
    ("f(64, name='a')", "f(64, name='a', padding='same')"),
    ("f(64,\n  5)", 'f(64,\n  5,\n  padding="same")'),
    ("f(\n    64, 5\n)", 'f(\n    64, 5, padding="same"\n)'),
    ("f(\n    64,\n    5\n)", 'f(\n    64,\n    5,\n    padding="same"\n)'),
    ("f(\n    64,\n    5,\n)", 'f(\n    64,\n    5,\n    padding="same",\n)'),
    ("f(\n    64,\n    5,  # taps\n)", 'f(\n    64,\n    5,  # taps\n    padding="same",\n)'),
    ("f(\n    64,\n    5  # taps, all\n)", 'f(\n    64,\n    5,  # taps, all\n    padding="same"\n)'),
    ("f(\n    64,\n    5\n    # the last one\n)", 'f(\n    64,\n    5,\n    padding="same"\n    # the last one\n)'),
    ("f(\n    64,\n    5\n    , )", 'f(\n    64,\n    5,\n    padding="same"\n    , )'),
    ("f(\n\t64,\n\t5,\n\t)", 'f(\n\t64,\n\t5,\n\tpadding="same",\n\t)'),
    ("f(64,\r\n  5)", 'f(64,\r\n  5,\r\n  padding="same")'),
    ("é = f(g('ü'), 5)", "é = f(g('ü'), 5, padding='same')"),
    ('f(64, padding="valid", name="a")', 'f(64, padding="same", name="a")'),
    ("f(64, padding='valid')", "f(64, padding='same')"),
    ('f(64, padding=("valid"))', 'f(64, padding=("same"))'),
    ('f(\n    padding="valid",  # as Keras does\n)', 'f(\n    padding="same",  # as Keras does\n)'),
    ("f(**{'a': 1}, padding='valid')", "f(**{'a': 1}, padding='same')"),
    ("lambda: [f(a) for a in b]", 'lambda: [f(a, padding="same") for a in b]'),
])
def test_an_argument_is_set(before: str, after: str) -> None:
    assert setting(before) == after


@pytest.mark.parametrize("code", [
    "f(64, padding=p)", "f(64, padding='va' + rest)", "f(*args)", "f(64, **options)", "f(x for x in y)",
])
def test_what_a_variable_holds_is_not_overwritten(code: str) -> None:
    assert setting(code) is None


@pytest.mark.parametrize(("before", "after"), [
    ("f(64, 'valid')", "f(64, 'same')"), ("f(64, ('valid'), 3)", "f(64, ('same'), 3)"),
    ("f(64, 'valid', *rest)", "f(64, 'same', *rest)"), ("f(*rest, 64, 'valid')", None),
])
def test_an_argument_by_position_is_set_where_it_stands(before: str, after: str | None) -> None:
    assert setting(before, position=1) == after


def test_a_call_with_other_positions_than_the_one_that_ran_is_left_alone() -> None:
    code = "f(64, 5)"
    there = Argument(span_of(Source.from_text("a.py", code)), "padding", 2, count=3)
    assert changed(code, SetArgument(there, '"same"')) is None


def test_only_the_call_that_stands_there_is_changed() -> None:
    assert changed("f(1)\nf(2)", SetArgument(Argument(Span("a.py", 1, 0, 2, 4), "padding"), "1")) is None
    assert changed("f(1)\nf(2)", SetArgument(Argument(Span("a.py", 2, 0, 2, 4), "padding"), "1")) == (
        "f(1)\nf(2, padding=1)")


def test_a_call_within_a_text_with_braces_is_changed_or_left() -> None:
    code = 'y = f"{f(1)}"'
    assert setting(code) in (None, 'y = f"{f(1, padding="same")}"', "y = f\"{f(1, padding='same')}\"")


@pytest.mark.parametrize(("before", "after"), [
    ("f(padding=1)", "f()"),
    ("f(padding=1,)", "f()"),
    ("f(x, padding=1)", "f(x)"),
    ("f(x, padding=1,)", "f(x,)"),
    ("f(x, padding=1, y=2)", "f(x, y=2)"),
    ("f(padding=1, y=2)", "f(y=2)"),
    ("f(x, padding=(1), y=(2))", "f(x, y=(2))"),
    ("f(x,\n  padding=1)", "f(x)"),
    ("f(x,\n  padding=1,\n  y=2)", "f(x,\n  y=2)"),
    ("f(x, padding=1,\n  y=2)", "f(x,\n  y=2)"),
    ("f(padding=1,\n  y=2)", "f(\n  y=2)"),
    ("f(x, padding=1,  # rows\n  y=2)", "f(x,  # rows\n  y=2)"),
    ("f(\n    x,\n    padding=1,\n)", "f(\n    x,\n)"),
    ("f(\n    x,\n    padding=1\n)", "f(\n    x,\n)"),
    ("f(\n    x,\n    padding=1,  # rows\n    y=2,\n)", "f(\n    x,\n    # rows\n    y=2,\n)"),
    ("f(\n    x,  # images\n    padding=1)", "f(\n    x,  # images\n    )"),
    ("f(\n    padding=1, y=2,\n)", "f(\n    y=2,\n)"),
    ("f(\r\n    x,\r\n    padding=1,\r\n)", "f(\r\n    x,\r\n)"),
    ("f(x, **more, padding=1)", "f(x, **more)"),
])
def test_an_argument_is_removed(before: str, after: str) -> None:
    assert changed(before, RemoveArgument(argument(before))) == after


@pytest.mark.parametrize(("before", "after"), [
    ("f(1, 2)", "f(1)"), ("f(1, 2, y=3)", "f(1, y=3)"), ("f(1, 2, 3)", None), ("f(*a, 2)", None), ("f(1)", None),
])
def test_an_argument_by_position_is_removed_if_none_moves_up(before: str, after: str | None) -> None:
    assert changed(before, RemoveArgument(argument(before, position=1))) == after


@pytest.mark.parametrize(("before", "after"), [
    ("f(padding=False)", "f()"), ("f(padding=True)", None), ("f(padding=x)", None),
])
def test_an_argument_is_removed_where_it_is_that_literal(before: str, after: str | None) -> None:
    assert changed(before, RemoveArgument(argument(before), only="False")) == after


@pytest.mark.parametrize(("before", "after"), [
    ("f(lr=1e-3)", "f(rate=1e-3)"), ("f(lr = 1e-3)", "f(rate = 1e-3)"), ("f(x, lr=lr, **more)", None),
    ("f(\n    lr=1e-3,  # lr\n)", "f(\n    rate=1e-3,  # lr\n)"), ("f(lr=1, rate=2)", None), ("f(1e-3)", None),
])
def test_an_argument_gets_another_name(before: str, after: str | None) -> None:
    assert changed(before, RenameArgument(argument(before, "lr"), "rate")) == after


@pytest.mark.parametrize(("before", "after"), [
    ("f(eps=-1e-3)", "f(eps=1e-3)"), ("f(eps=- 0.001)", "f(eps=0.001)"), ("f(eps=(-1))", "f(eps=(1))"),
    ("f(eps=-x)", None), ("f(eps=1)", None), ("f(eps=x)", None), ("f()", None), ("f(eps=-(1))", None),
])
def test_the_minus_is_taken_off_a_number(before: str, after: str | None) -> None:
    assert changed(before, RemoveSign(argument(before, "eps"))) == after


@pytest.mark.parametrize(("before", "template", "after"), [
    ("f(x)", "tf.cast({}, tf.float32)", "f(tf.cast(x, tf.float32))"),
    ("f(x if y else z)", "float({})", "f(float(x if y else z))"),
    ("f(n)", "{} + 1", "f(n + 1)"),
    ("f(n if m else 2)", "{} + 1", "f((n if m else 2) + 1)"),
    ("f((n if m else 2))", "{} + 1", "f(((n if m else 2) + 1))"),
    ("f(a,  # one\n  b)", "float({})", "f(float(a),  # one\n  b)"),
    ("f(*a)", "float({})", None),
])
def test_an_argument_is_wrapped(before: str, template: str, after: str | None) -> None:
    assert changed(before, WrapArgument(argument(before, "x", 0), template)) == after


def test_a_call_is_wrapped() -> None:
    code = "y = g(\n    f(1),  # one\n)"
    there = span_of(Source.from_text("a.py", code))
    assert changed(code, WrapCall(there, "float({})")) == "y = g(\n    float(f(1)),  # one\n)"


GAPS = st.sampled_from(["", " ", "\n", "\n    ", "  # a, (note)\n  ", " \\\n "])
VALUES = st.sampled_from(["1", "(1)", "((a))", "'x,('", "(1, 2)", "a[0]", "g(1, b=2)", "-1e-3", "[a for a in b]",
                          "lambda: 1", "'a' 'b'", "(yield)", "a if b else c"])


@st.composite
def calls(draw: st.DrawFn) -> str:
    """A call of f with up to four arguments, in any layout."""
    names = [""] * draw(st.integers(0, 2)) + draw(st.permutations(["a", "padding", "b"]))[: draw(st.integers(0, 3))]
    parts = [f"{draw(GAPS)}{f'{name}=' if name else ''}{draw(VALUES)}{draw(GAPS)}" for name in names]
    comma = draw(st.sampled_from(["", ","])) if parts else ""
    return f"def h():\n  return f({','.join(parts)}{comma}{draw(GAPS)})\n"


def arguments(code: str) -> tuple[list[str], dict[str | None, str]]:
    """What the call of f is given."""
    call = next(node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name) and node.func.id == "f")
    return [ast.unparse(value) for value in call.args], {each.arg: ast.unparse(each.value) for each in call.keywords}


@settings(max_examples=300, deadline=None)
@given(calls())
def test_however_a_call_is_written_its_arguments_are_what_was_asked_for(code: str) -> None:
    positional, named = arguments(code)
    there = argument(code)
    comments = code.count("#")
    if (after := changed(code, SetArgument(there, "2"))) is not None:
        assert arguments(after) == (positional, {**named, "padding": "2"})
        assert after.count("#") == comments
    else:
        assert "padding" in named
    after = changed(code, RemoveArgument(there))
    assert (after is None) == ("padding" not in named)
    if after is not None:
        assert arguments(after) == (positional, {name: value for name, value in named.items() if name != "padding"})
    if (after := changed(code, RenameArgument(there, "c"))) is not None:
        assert list(arguments(after)[1].values()) == list(named.values())
        assert ("c" in arguments(after)[1]) and "padding" not in arguments(after)[1]
    if (after := changed(code, WrapArgument(there, "{} + 1"))) is not None:
        assert ast.dump(ast.parse(arguments(after)[1]["padding"])) == ast.dump(ast.parse(f"({named['padding']}) + 1"))
        assert after.count("#") == comments


@pytest.mark.parametrize(("before", "after"), [
    ("SIZE = 512\nf(padding=SIZE)", "SIZE = 64\nf(padding=SIZE)"),
    ("SIZE = 512  # rows\ndef g():\n    f(padding=SIZE)", "SIZE = 64  # rows\ndef g():\n    f(padding=SIZE)"),
    ("SIZE = 512\nSIZE = 256\nf(padding=SIZE)", None),
    ("SIZE = 512\ndef g(SIZE):\n    f(padding=SIZE)", None),
    ("SIZE = 512\nfor SIZE in (1, 2):\n    f(padding=SIZE)", None),
    ("SIZE = len(x)\nf(padding=SIZE)", None),
    ("if x:\n    SIZE = 512\nf(padding=SIZE)", None),
    ("from a import SIZE\nf(padding=SIZE)", None),
])
def test_a_constant_of_the_file_is_changed_where_it_is_given_its_number(before: str, after: str | None) -> None:
    assert changed(before, SetArgument(argument(before), "64", named=True)) == after
    assert changed(before, SetArgument(argument(before), "64")) is None


@pytest.mark.parametrize(("statement", "place", "after"), [
    ("a * b", 0, "tf.cast(a, tf.float32) * b"),
    ("a * (b + 1)", 1, "a * (tf.cast(b + 1, tf.float32))"),
    ("a < b", 1, "a < tf.cast(b, tf.float32)"),
    ("a += b  # more", 1, "a += tf.cast(b, tf.float32)  # more"),
    ("a += b", 0, None),
    ("a < b < c", 1, None),
])
def test_an_operand_is_wrapped(statement: str, place: int, after: str | None) -> None:
    head = "import tensorflow as tf\n"
    node = ast.parse(head + statement).body[1]
    source = Source.from_text("a.py", head + statement)
    there = source.span(node.value if isinstance(node, ast.Expr) else node)
    change = WrapOperand(there, place, "tf.cast({}, tf.float32)", "tf")
    assert changed(head + statement, change) == (None if after is None else head + after)
    assert changed("import numpy as tf\n" + statement, change) is None


@pytest.mark.parametrize(("before", "after"), [
    ('PAD = "valid"\nf(padding=PAD)', 'PAD = "valid"\nf(padding="same")'),
    ("def g(x):\n    PAD = 'valid'\n    f(padding=PAD)", "def g(x):\n    PAD = 'valid'\n    f(padding=\"same\")"),
    ('PAD = "valid"\nPAD = "causal"\nf(padding=PAD)', None),
    ('def g(PAD="valid"):\n    f(padding=PAD)', None),
    ("PAD = read()\nf(padding=PAD)", None),
    ('for PAD in ("valid", "same"):\n    f(padding=PAD)', None),
])
def test_a_text_that_a_name_alone_stands_for_is_overwritten_in_the_call(before: str, after: str | None) -> None:
    assert setting(before) == after


@pytest.mark.parametrize(("before", "after"), [
    ('f(1, **{"lr": 0.1})', 'f(1, **{"rate": 0.1})'),
    ("f(**{'lr': 0.1, 'beta': 2})  # fast", "f(**{'rate': 0.1, 'beta': 2})  # fast"),
    ('f(**{"lr": 0.1, "rate": 2})', None),
    ('f(rate=1, **{"lr": 0.1})', None),
    ('f(**{"lr": 0.1, **more})', None),
    ("f(**options)", None),
])
def test_an_argument_in_a_dict_that_is_unpacked_gets_another_name(before: str, after: str | None) -> None:
    assert changed(before, RenameArgument(argument(before, "lr"), "rate")) == after


@pytest.mark.parametrize(("statement", "after"), [
    ("losses += [loss]", "losses += [float(loss)]"),
    ("self.losses += (loss,)", "self.losses += (float(loss),)"),
    ("losses += [a, b]", None),
    ("losses += [*more]", None),
    ("losses += more", None),
])
def test_what_is_added_as_a_list_of_one_is_wrapped(statement: str, after: str | None) -> None:
    source = Source.from_text("a.py", statement)
    there = source.span(ast.parse(statement).body[0])
    assert changed(statement, WrapArgument(Argument(there, "object", 0, 1), "float({})")) == after


@pytest.mark.parametrize(("before", "after"), [
    ("from a.mp import old as m\nm.set(m.Policy(1))", "from a import mp as m\nm.put(m.Policy(1))"),
    ("from a.mp import old\nold.set(1)", "from a import mp as old\nold.put(1)"),
    ("from a.mp import old as mp  # half\nmp.set(1)", "from a import mp  # half\nmp.put(1)"),
    ("from a.mp import old as m\nm.other(1)", None),
    ("from a.mp import old as m\nm.set(m)", None),
    ("from a.mp import old as m, new\nm.set(1)", None),
    ("from mp import old as m\nm.set(1)", None),
])
def test_a_package_is_imported_in_place_of_what_left_it(before: str, after: str | None) -> None:
    there = Source.from_text("a.py", before).span(ast.parse(before).body[0])
    assert changed(before, MoveImport(there, (("set", "put"), ("Policy", "Policy")))) == after

"""Arguments in a dict that the file spells out: changed there, if nothing else reads it."""

from __future__ import annotations

import pytest

from cudnnlint.finding import RemoveArgument, RemoveSign, RenameArgument
from tests.fix.test_edits import argument, changed, setting


@pytest.mark.parametrize(("before", "after"), [
    ("d = {'a': 1, 'lr': 0.1}\nf(x, **d)", "d = {'a': 1, 'rate': 0.1}\nf(x, **d)"),
    ("d = dict(\n    lr=0.1,  # fast\n)\nf(**d)", "d = dict(\n    rate=0.1,  # fast\n)\nf(**d)"),
    ("f(**dict(lr=0.1))", "f(**dict(rate=0.1))"),
    ("d = {'lr': 0.1}\nf(1, **d)\nf(2, **d)", "d = {'rate': 0.1}\nf(1, **d)\nf(2, **d)"),
    ("d = {'lr': 0.1}\nf(1, **d)\ng(2, **d)", None),
    ("d = {'lr': 0.1}\nd['a'] = 2\nf(**d)", None),
    ("d = {'lr': 0.1}\nf(**d, rate=1)", None),
    ("d = {'lr': 0.1}\nif y: d = {'lr': 1}\nf(**d)", None),
    ("d = {'lr': 0.1, **more}\nf(**d)", None),
    ("d = {'lr': 0.1, 'lr': 0.2}\nf(**d)", None),
    ("def make(d): f(**d)", None),
])
def test_the_key_of_an_argument_gets_another_name(before: str, after: str | None) -> None:
    assert changed(before, RenameArgument(argument(before, "lr"), "rate")) == after


@pytest.mark.parametrize(("before", "after"), [
    ("d = {'units': 3}\nf(**d)", "d = {'units': 3}\nf(**d, padding='same')"),
    ("d = {'padding': 'valid', 'a': 1}\nf(**d)", "d = {'padding': 'same', 'a': 1}\nf(**d)"),
    ("d = {'padding': 'valid'}\nf(1, **d)\nf(2, **d)", None),
    ("d = {'padding': name}\nf(**d)", None),
    ("f(**load())", None),
])
def test_an_argument_is_set_where_it_stands_or_beside_the_dict(before: str, after: str | None) -> None:
    assert setting(before, "'same'") == after


@pytest.mark.parametrize(("before", "after"), [
    ('d = {"a": 1, "eps": (-1e-3), "b": 2}\nf(**d)', ('d = {"a": 1, "b": 2}\nf(**d)',
                                                     'd = {"a": 1, "eps": (1e-3), "b": 2}\nf(**d)')),
    ('d = {\n    "a": 1,\n    "eps": -1e-3,  # small\n}\nf(**d)', (
        'd = {\n    "a": 1,\n    # small\n}\nf(**d)', 'd = {\n    "a": 1,\n    "eps": 1e-3,  # small\n}\nf(**d)')),
    ("f(**{'eps': -1})", ("f(**{})", "f(**{'eps': 1})")),
])
def test_an_argument_is_taken_out_or_loses_its_sign(before: str, after: tuple[str, str]) -> None:
    there = argument(before, "eps")
    assert (changed(before, RemoveArgument(there)), changed(before, RemoveSign(there))) == after

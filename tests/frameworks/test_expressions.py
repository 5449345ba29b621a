"""Expressions as people write them, against the real libraries: what is inferred is exact, or open where it may be."""

from __future__ import annotations

import importlib.util
from functools import cache

import pytest

from tests.frameworks.real_expressions import Line, table, verdicts

TABLES = {"numpy.txt": "numpy", "tensorflow.txt": "tensorflow"}
"""Table -> the library that it needs."""
LINES = [(name, line) for name in TABLES for line in table(name)[1]]


@cache
def judged(name: str) -> dict[Line, str]:
    return dict(verdicts(name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "line"), LINES, ids=[line.text for _, line in LINES])
def test_an_expression_is_what_the_library_makes_of_it(name: str, line: Line) -> None:
    if importlib.util.find_spec(TABLES[name]) is None:
        pytest.skip(f"{TABLES[name]} is not installed")
    assert judged(name)[line] in (("exact", "open") if line.open else ("exact",))

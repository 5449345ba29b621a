"""Lines of Python and NumPy, each run for real and followed: nothing that is claimed of `R` or a name may be false.

Each line of `lines/python.txt` and `numpy.txt` is a program of its own behind a few imports and names; one that is an
expression sets `R`. Those of `programs.txt` stand as they are: of classes, iterators, enums, records, exceptions.
"""

from __future__ import annotations

import ast
import contextlib
import io
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.values import Unknown
from tests.interpret import names_of
from tests.oracle.claims import falsehood

LINES = Path(__file__).parent / "lines"
HEADS = {"python": '''\
import bisect, collections, contextlib, copy, dataclasses, datetime, functools, heapq, itertools, json, math, operator
import os, pathlib, re, statistics, string, sys, textwrap, types, typing
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from functools import partial, reduce
from itertools import (accumulate, chain, combinations, combinations_with_replacement, compress, count, cycle,
    dropwhile, filterfalse, groupby, islice, pairwise, permutations, product, repeat, starmap, takewhile, tee,
    zip_longest)
from types import SimpleNamespace
L, D, S, T, X = [3, 1, 2], {"b": 2, "a": 1}, {1, 2, 3}, (1, 2, 3), "a_b_cc"
''', "numpy": "import numpy as np\n"}
NAMES = ("R", "L", "D", "S", "T", "X", "a", "b")


def program(kind: str, line: str) -> str:
    expression = isinstance(ast.parse(line).body[0], ast.Expr)
    return HEADS[kind] + ("R = " if expression else "") + line + "\n"


def lines(kind: str) -> list[str]:
    return (LINES / f"{kind}.txt").read_text(encoding="utf-8").splitlines()


def both(kind: str, line: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the names are claimed to be, and what they are."""
    real: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program(kind, line), "line", "exec"), real)
    return names_of(program(kind, line)), real


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "line"), [(kind, line) for kind in HEADS for line in lines(kind)])
def test_what_is_claimed_of_a_line_is_so(kind: str, line: str) -> None:
    claimed, real = both(kind, line)
    wrong = {name: told for name in NAMES if name in claimed and (told := falsehood(claimed[name], real[name]))}
    assert not wrong
    assert "R" in claimed


@pytest.mark.parametrize("text", (LINES / "programs.txt").read_text(encoding="utf-8").split("\n---\n"))
def test_what_is_claimed_of_a_program_is_so(text: str) -> None:
    real: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "program", "exec", dont_inherit=True), real)
    assert not falsehood(names_of(text)["R"], real["R"])


def is_known(value: Any) -> bool:
    value = strip(value)
    parts = value if isinstance(value, list | tuple) else value.items if isinstance(value, ListV) else ()
    return not isinstance(value, Unknown) and all(map(is_known, parts))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "least"), [("python", 0.85), ("numpy", 0.6)])
def test_much_is_known(kind: str, least: float) -> None:
    """Of what the lines leave in `R`; to claim nothing would be easy."""
    known = [is_known(names_of(program(kind, line))["R"]) for line in lines(kind)]
    assert sum(known) > least * len(known)

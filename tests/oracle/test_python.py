"""Programs of plain Python, run by CPython and followed by the interpreter: nothing that it claims may be false."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.values import Unknown
from tests.interpret import names_of
from tests.oracle.claims import falsehood
from tests.oracle.python_programs import Program

RUNS = 8
"""Of each program, with other coins; the first two with coins that fall on one side only."""


def runs(text: str) -> Iterator[dict[str, Any]]:
    """What the names of a program are bound to, of each run that ends without an error."""
    code = compile(text.replace("return random() < 0.5", "return toss()"), "program", "exec")
    for seed in range(RUNS):
        dice = random.Random(seed)

        def toss(seed: int = seed, dice: random.Random = dice) -> bool:
            return seed == 0 if seed < 2 else dice.random() < 0.5

        names: dict[str, Any] = {"toss": toss}
        try:
            exec(code, names)
        except Exception:  # a program that fails says nothing of its end
            continue
        yield {name: value for name, value in names.items() if name != "toss" and not name.startswith("__")}


def falsehoods(text: str) -> Iterator[str]:
    claimed = {name: value for name, value in names_of(text).items() if not name.startswith("__")}
    for names in runs(text):
        for name, value in claimed.items():
            if name in names and (wrong := falsehood(value, names[name])):
                yield f"{name}: {wrong}"
            if name not in names and type(value) in (bool, int, str, ListV, DictV):
                yield f"{name} = {strip(value)!r} is not bound"
        yield from (f"{name} was not told of" for name in names.keys() - claimed.keys())


def check(seed: int) -> None:
    text = str(Program(seed))
    assert not (found := list(falsehoods(text))), f"{found[0]}\n{text}"


@pytest.mark.parametrize("seed", range(60))
def test_nothing_that_is_claimed_is_false(seed: int) -> None:
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60, 3000))
def test_nothing_that_is_claimed_of_many_is_false(seed: int) -> None:
    check(seed)


def test_much_is_claimed() -> None:
    """Knowing nothing would be easy."""
    claimed = [value for seed in range(20) for value in names_of(str(Program(seed))).values()]
    assert sum(not isinstance(value, Unknown) for value in claimed) > len(claimed) / 4

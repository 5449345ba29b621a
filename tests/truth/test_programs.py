"""Whole programs, in every style, under real Keras: nothing that is inferred of them is wrong, nothing is missed."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache, partial
from pathlib import Path

import pytest

from cudnnlint.devtools.truth.__main__ import Comparison, compare, lines
from cudnnlint.devtools.truth.child import Program, Record, record
from cudnnlint.interp import machine
from cudnnlint.interp.limits import Limits

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python tells columns since 3.11: on one line "
                                "several layers could not be told apart")

FOLDER = Path(__file__).parent / "programs"
SCRIPTS = sorted(FOLDER.glob("*.py"))
KERAS_3 = [path.name for path in SCRIPTS if " ops" in path.read_text(encoding="utf-8")]
"""Programs that Keras 2 cannot run: it has no keras.ops."""
GAPS: dict[str, str] = {}
"""Programs of which something is not known yet, and what would have to be: they fail on the day it is all known."""


@cache
def recorded(keras: int) -> dict[str, Record]:
    """One child for all: importing TensorFlow takes longer than most of the programs."""
    if importlib.util.find_spec("tf_keras" if keras == 2 else "keras") is None:
        pytest.skip(f"Keras {keras} is not installed")
    scripts = [path for path in SCRIPTS if keras == 3 or path.name not in KERAS_3]
    return record([Program.of_script(path) for path in scripts], keras=keras, timeout=1800)


def compared(path: Path, keras: int) -> Comparison:
    program = Program.of_script(path)
    return compare(program, recorded(keras)[program.name])


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_everything_is_inferred_as_keras_3_builds_it(path: Path) -> None:
    check(compared(path, 3), path.name)


@pytest.mark.long
@pytest.mark.parametrize("path", [path for path in SCRIPTS if path.name not in KERAS_3], ids=lambda path: path.stem)
def test_everything_is_inferred_as_keras_2_builds_it(path: Path) -> None:
    check(compared(path, 2), path.name)


@pytest.mark.parametrize("steps", [500, 5_000])
def test_what_is_not_followed_to_its_end_is_never_wrong(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "Limits", partial(
        Limits, steps=steps, root_steps=steps, again_steps=steps // 4, again_total=2 * steps, again_turn=steps // 8,
        roots_total=8 * steps, unroll_steps=steps // 10, unroll_idle_steps=steps // 10, unroll_cheap=steps // 10))
    for path in SCRIPTS:
        found = compared(path, 3)
        assert not found.wrong, "\n".join(lines(found))


def check(found: Comparison, name: str) -> None:
    told = "\n".join(lines(found))
    assert found.sites and not found.record["failed"] and not found.record["problems"], told
    assert not found.wrong, told
    whole = all(each.kind in ("exact", "equal") for each in (*found.sites, *found.models))
    if name in GAPS:
        assert not whole, f"todo is done ({GAPS[name]}): take {name} out of GAPS"
    else:
        assert whole, told

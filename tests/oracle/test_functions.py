"""Our functions against real TensorFlow, Keras and numpy over generated arguments: shape, dtype, acceptance."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import Mismatch
from tests.oracle.function_cases import SPECIAL, generic
from tests.oracle.function_examples import MADE, MOVED, NAMES
from tests.oracle.function_examples_nn import IMAGE, NN
from tests.oracle.function_harness import Call, difference, libraries, load, real_function, run_ours, run_real
from tests.oracle.function_windows import WINDOWS
from tests.oracle.harness import installed_stack

load()
SPELLED = SPECIAL | WINDOWS
STRATEGIES = {path: SPELLED[path] if path in SPELLED else generic(path) for path in sorted(FUNCTIONS)
              if not path.startswith("torch.")}


MENDED = {"keras.ops.correlate": (3, 13), "keras.ops.numpy.correlate": (3, 13)}
"""Releases of Keras before which a result of one element lost its axis (backend/tensorflow/numpy.py: correlate)."""


def order(path: str) -> tuple[bool, str]:
    """Of several paths for one function, the one with a strategy of its own comes last."""
    return path in SPELLED, path


COVERED = sorted({(FUNCTIONS[path].builder, path.rpartition(".")[2]): path for path in sorted(STRATEGIES, key=order)
                  if STRATEGIES[path] is not None}.values())
"""One path of those that spell the same function."""
DTYPES = re.compile(r"dtype|attr 'T|not supported for|ufunc|Cannot convert|TypeError|expected to be a \w+ tensor|"
                    "NotFound|Unsupported|unsupported|AttributeError|out of bounds", re.IGNORECASE)
"""The library refuses a dtype, or an index beyond the end: we judge few of those."""


def disagreement(path: str, call: Call) -> str | None:
    """How our outcome contradicts the real one: exactly, and with some extents left open."""
    accepted, real = run_real(path, call)
    ours = run_ours(path, call)
    if accepted:
        if text := difference(ours, real, call, exact=call.judged):
            return f"{path}{call}: {text}"
        emptied = isinstance(ours, Mismatch)  # oneDNN then returns the input's shape (mkl_conv_ops.cc)
        for seed in range(2 if call.judged and not emptied else 0):
            open_axes = random.Random(f"{call}{seed}")
            some = run_ours(path, call, lambda _, r=open_axes: r.random() < 0.4)
            if text := difference(some, real, call, exact=False):
                return f"{path}{call} with open extents: {text}"
        return None
    if isinstance(ours, Mismatch) or not call.judged or DTYPES.search(str(real)):
        return None
    return f"{path}{call}: accepted as {ours}, real {real}"


def explore(path: str, examples: int) -> None:
    if libraries() is None:
        pytest.skip("tensorflow, keras or numpy is not installed")
    if real_function(path) is None:
        pytest.skip(f"the installed libraries have no {path}")
    if path in MENDED and installed_stack("keras").keras < MENDED[path]:
        pytest.skip(f"{path} of this Keras loses an axis")

    @settings(max_examples=examples, derandomize=True, deadline=None, database=None, report_multiple_bugs=False,
              suppress_health_check=list(HealthCheck))
    @given(STRATEGIES[path])
    def agrees(call: Any) -> None:
        text = disagreement(path, call)
        assert text is None, text

    agrees()


@pytest.mark.parametrize("path", COVERED)
def test_function_agrees_with_the_library(path: str) -> None:
    explore(path, examples=80 if path in SPELLED else 10)


@pytest.mark.long
@pytest.mark.parametrize("path", COVERED)
def test_function_agrees_over_many_arguments(path: str) -> None:
    explore(path, examples=500)


def written() -> list[tuple[str, str, Call]]:
    """(text, path, call) of every written-out example."""
    found = []
    for line in (MADE + MOVED + NN + IMAGE).strip().splitlines():
        for text in filter(None, line.split(" | ")):
            path, call = eval(text.strip().lstrip("?"), dict(NAMES))
            known = replace(call, open_=text.strip().startswith("?"), loose="to_categorical" in path)
            found.append((text.strip(), path, known))
    return found


WRITTEN = written()


@pytest.mark.parametrize(("path", "call"), [example[1:] for example in WRITTEN],
                         ids=[example[0] for example in WRITTEN])
def test_written_call_agrees_with_the_library(path: str, call: Call) -> None:
    if libraries() is None:
        pytest.skip("tensorflow, keras or numpy is not installed")
    if real_function(path) is None:
        pytest.skip(f"the installed libraries have no {path}")
    text = disagreement(path, call)
    assert text is None, text

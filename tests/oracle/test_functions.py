"""Our functions against real TensorFlow, Keras and numpy over generated arguments: shape, dtype, acceptance."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import Mismatch
from tests.oracle.function_cases import SPECIAL, generic
from tests.oracle.function_harness import Call, difference, libraries, load, real_function, run_ours, run_real

load()
STRATEGIES = {path: SPECIAL[path] if path in SPECIAL else generic(path) for path in sorted(FUNCTIONS)}
COVERED = sorted(path for path, strategy in STRATEGIES.items() if strategy is not None)
DTYPES = re.compile(r"dtype|attr 'T|not supported for|ufunc|Cannot convert|TypeError|expected to be a \w+ tensor|NotFound|"
                    "Unsupported|unsupported", re.IGNORECASE)
"""The library refuses a dtype: we judge few of those."""


def disagreement(path: str, call: Call) -> str | None:
    """How our outcome contradicts the real one: exactly, and with some extents left open."""
    accepted, real = run_real(path, call)
    ours = run_ours(path, call)
    if accepted:
        if text := difference(ours, real, call, exact=call.judged):
            return f"{path}{call}: {text}"
        for seed in range(2 if call.judged else 0):
            open_axes = random.Random(f"{call}{seed}")
            some = run_ours(path, call, lambda axis, r=open_axes: r.random() < 0.4)
            if text := difference(some, real, call, exact=False):
                return f"{path}{call} with open extents: {text}"
        return None
    if isinstance(ours, Mismatch) or not call.judged or DTYPES.search(str(real)):
        return None
    return f"{path}{call}: accepted as {ours}, real {real}"


@pytest.mark.parametrize("path", COVERED)
def test_function_agrees_with_the_library(path: str) -> None:
    if libraries() is None:
        pytest.skip("tensorflow, keras or numpy is not installed")
    if real_function(path) is None:
        pytest.skip(f"the installed libraries have no {path}")

    @settings(max_examples=25, derandomize=True, deadline=None, database=None, report_multiple_bugs=False,
              suppress_health_check=list(HealthCheck))
    @given(STRATEGIES[path])
    def agrees(call: Any) -> None:
        text = disagreement(path, call)
        assert text is None, text

    agrees()

"""`cudnnlint shapes` says where a program was not followed to its end."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from cudnnlint.interp import machine
from cudnnlint.interp.limits import Limits
from tests.cli.conftest import Run

LONG = """import keras
first = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2)])
""" + "total = 2 * 3 + 4\n" * 200 + """second = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])
"""


@pytest.mark.parametrize("form", ["full", "json"])
def test_a_file_that_is_not_followed_to_its_end_says_so(run: Run, here: Path, form: str,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "Limits", partial(Limits, steps=500))
    (here / "net.py").write_text(LONG)
    text = run("shapes", "net.py", "--output-format", form).stdout
    if form == "full":
        assert "Dense  net.py:2  [B, 8] -> [B, 2]" in text
        assert text.endswith("net.py: not followed to the end (step limit): layers may be missing\n")
    else:
        told = json.loads(text)
        assert [row["line"] for row in told["layers"]] == [2]
        assert told["not_followed"] == [{"path": "net.py", "line": 1, "reason": "step limit"}]

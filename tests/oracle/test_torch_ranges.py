"""The numbers that PyTorch and torchvision take in places where they must lie within a range, against these."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib.util import find_spec

import pytest

from cudnnlint.facts.ranges import RANGES, TORCH

TRIED = (-9.0, -1.0, -0.5, -0.2, 0.0, 0.2, 0.5, 1.0, 2.0, 9.0)
WHOLE = ("T_0", "num_workers")
PAIRS = ("betas", "brightness", "contrast", "saturation", "hue", "scale", "translate")
PROGRAM = """
import importlib, inspect, json, sys
import torch

asked, tried, pairs = json.loads(sys.argv[1])
weights = [torch.nn.Parameter(torch.zeros(3))]
needed = {"optimizer": torch.optim.SGD(weights, lr=0.1), "params": weights, "dataset": [1, 2], "degrees": 10}
found = {}
for path, argument in asked:
    module, _, name = path.rpartition(".")
    made = getattr(importlib.import_module(module), name)
    names = list(inspect.signature(made.__init__).parameters)[1:]
    given = {one: held for one, held in needed.items() if one in names}
    taken = []
    for number in tried:
        number = int(number) if argument in ("T_0", "num_workers") else number
        try:
            made(**given, **{argument: (number, number) if argument in pairs else number})
            taken.append(number)
        except ValueError:
            pass
    found[path + "." + argument] = names.index(argument), taken
print(json.dumps(found))
"""


@cache
def real() -> dict[str, tuple[int, list[float]]]:
    """Argument -> its place, and which of the numbers are taken: of a process of its own, as torchvision does not load
    beside TensorFlow."""
    command = [sys.executable, "-c", PROGRAM, json.dumps([list(TORCH), TRIED, PAIRS])]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(run.stdout)


@pytest.mark.skipif(not (find_spec("torch") and find_spec("torchvision")), reason="torchvision is not installed")
@pytest.mark.parametrize(("path", "argument"), TORCH)
def test_numbers_are_taken_or_refused_as_listed(path: str, argument: str) -> None:
    allowed = RANGES[path, argument]
    place, taken = real()[f"{path}.{argument}"]
    tried = [number for number in TRIED if argument not in WHOLE or number == int(number)]
    assert place == allowed.position
    assert sorted(set(taken) & set(tried)) == [number for number in tried if allowed.takes(number)]

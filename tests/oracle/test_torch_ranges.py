"""The numbers that PyTorch and torchvision take in places where they must lie within a range, against these."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest

from cudnnlint.facts.ranges import RANGES, TORCH
from cudnnlint.facts.torch_arguments import TRANSFORMS

TRIED = (-9.0, -1.0, -0.5, -0.2, 0.0, 0.2, 0.5, 1.0, 2.0, 9.0)
WHOLE = ("T_0", "num_workers")
PAIRS = ("betas", "brightness", "contrast", "saturation", "hue", "scale", "translate")
PROGRAM = """
import importlib, inspect, json, sys
import torch

asked, tried, pairs, transforms = json.loads(sys.argv[1])
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
for room in ("torchvision.transforms", "torchvision.transforms.v2"):
    for name in transforms:
        parameters = inspect.signature(getattr(importlib.import_module(room), name).__init__).parameters.values()
        found[room + "." + name] = [each.name for each in parameters if each.default is each.empty
                                    and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)][1:]
print(json.dumps(found))
"""


@cache
def real() -> dict[str, Any]:
    """Argument -> its place, and which of the numbers are taken; transform -> what it has no default for: of
    a process of its own, as torchvision does not load beside TensorFlow."""
    command = [sys.executable, "-c", PROGRAM, json.dumps([list(TORCH), TRIED, PAIRS, list(TRANSFORMS)])]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(run.stdout)


INSTALLED = pytest.mark.skipif(not (find_spec("torch") and find_spec("torchvision")),
                               reason="torchvision is not installed")


@INSTALLED
@pytest.mark.parametrize(("path", "argument"), TORCH)
def test_numbers_are_taken_or_refused_as_listed(path: str, argument: str) -> None:
    allowed = RANGES[path, argument]
    place, taken = real()[f"{path}.{argument}"]
    tried = [number for number in TRIED if argument not in WHOLE or number == int(number)]
    assert place == allowed.position
    assert sorted(set(taken) & set(tried)) == [number for number in tried if allowed.takes(number)]


@INSTALLED
@pytest.mark.parametrize("room", ["torchvision.transforms", "torchvision.transforms.v2"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_need_what_is_listed(room: str, name: str) -> None:
    assert tuple(real()[f"{room}.{name}"]) == TRANSFORMS[name]

"""`cudnnlint shapes` on modules of PyTorch: channels come second, and numbers are those of the call."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Linear(8 * 16 * 16, classes)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))
"""
TABLE = """\
net: subclassed model Net, net.py:13, [4, 3, 16, 16] -> [4, 10]

  layer              at        input             output          dtype    parameters
  body (Sequential)  net.py:8  [4, 3, 16, 16] -> [4, 8, 16, 16]  float32         240
    Conv2d           net.py:8  [4, 3, 16, 16] -> [4, 8, 16, 16]  float32         224
    BatchNorm2d      net.py:8  [4, 8, 16, 16] -> [4, 8, 16, 16]  float32          16
    ReLU             net.py:8  [4, 8, 16, 16] -> [4, 8, 16, 16]  float32           0
  head (Linear)      net.py:9  [4, 2048]      -> [4, 10]         float32      20,490

  total          20,730 parameters  80.98 KiB
  trainable      20,730 parameters  80.98 KiB
  non-trainable       0 parameters  0 B
"""


def printed(run: Run, here: Path, text: str, *options: str) -> str:
    (here / "net.py").write_text(text)
    done = run("shapes", *options, "net.py")
    assert done.exit_code == 0
    return str(done.stdout)


def test_a_module_is_printed_with_the_extents_of_its_call(run: Run, here: Path) -> None:
    assert printed(run, here, NET + "net = Net()\ny = net(torch.randn(4, 3, 16, 16))\n") == TABLE


def test_a_module_that_nothing_calls_takes_channels_first(run: Run, here: Path) -> None:
    text = printed(run, here, NET + "net = Net()\n", "--input", "3x16x16")
    assert "net: subclassed model Net, net.py:13, [B, 3, 16, 16] -> [B, 10]" in text
    assert "[B, 2048]" in text


def test_programs_read_the_numbers(run: Run, here: Path) -> None:
    rows = json.loads(printed(run, here, NET + "y = Net()(torch.randn(4, 3, 16, 16))\n", "--output-format", "json"))
    head = next(row for row in rows["layers"] if row["layer"] == "Linear")
    assert (head["line"], head["input_shape"], head["output_shape"], head["params"]) == (9, [4, 2048], [4, 10], 20490)

"""What PyTorch keeps of graphs that backward() went through: nodes on the host, results where they lie."""

from __future__ import annotations

import pytest

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.source import Source

LOOP = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(4096, 4096)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(640, 4096), torch.randn(640, 4096)), batch_size=16)
kept, running = [], 0.0
for epoch in range(100):
    for x, y in loader:
        output = model(x)
        loss = nn.functional.mse_loss(output, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {}
"""


@pytest.mark.parametrize(("line", "told"), [
    ("running += loss", "host's memory"), ("kept.append(loss)", "host's memory"),
    ("kept.append(output)", "CUDA out of memory")])
def test_which_memory_they_fill(line: str, told: str) -> None:
    found = check_source(Source.from_text("train.py", LOOP.format(line)), Settings())
    assert [(each.rule, told in each.fails) for each in found] == [("tensors-kept-across-steps", True)]

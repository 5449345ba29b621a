"""What the fixes of rules make of programs that use PyTorch; without --unsafe-fixes nothing changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudnnlint.engine.settings.declared import Settings
from tests.fix.repairing import repair_of, text_after

HEAD = """import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x, y = torch.randn(65, 8), torch.randn(65)
model = nn.Sequential(nn.Linear(8, 1))
loss_fn = nn.MSELoss()
"""


def after(tmp_path: Path, code: str, *, unsafe: bool = True) -> str:
    path = tmp_path / "train.py"
    path.write_text(code, encoding="utf-8")
    return text_after(path, repair_of(path, unsafe=unsafe, settings=Settings(select=("ALL",))))


CASES = [
    ("loss = loss_fn(model(x), y)  # one", "loss = loss_fn(model(x).squeeze(1), y)  # one"),
    ("loss = loss_fn(\n    input=model(x),  # one\n    target=y,\n)",
     "loss = loss_fn(\n    input=model(x).squeeze(1),  # one\n    target=y,\n)"),
    ("loss = nn.functional.l1_loss(y, 2 * model(x))", "loss = nn.functional.l1_loss(y, (2 * model(x)).squeeze(1))"),
    ("loss = nn.BCEWithLogitsLoss()(model(x), y)", "loss = nn.BCEWithLogitsLoss()(model(x).squeeze(1), y)"),
    ("loss = nn.CrossEntropyLoss()(x, torch.zeros(65, 1, dtype=torch.long))",
     "loss = nn.CrossEntropyLoss()(x, torch.zeros(65, 1, dtype=torch.long).squeeze(1))"),
    ("loss = nn.CrossEntropyLoss()(x, torch.zeros(65, 1))",
     "loss = nn.CrossEntropyLoss()(x, torch.zeros(65, 1).squeeze(1).long())"),
    ("loss = nn.CrossEntropyLoss()(x, target=y)", "loss = nn.CrossEntropyLoss()(x, target=y.long())"),
    ("loss = nn.functional.cross_entropy(torch.ones(4, 9, 5), torch.zeros(4, 9, dtype=torch.long))",
     "loss = nn.functional.cross_entropy(torch.ones(4, 9, 5).transpose(1, 2), torch.zeros(4, 9, dtype=torch.long))"),
    ("rows = torch.from_numpy(np.random.rand(4, 8))  # float64\nz = model(rows)",
     "rows = torch.from_numpy(np.random.rand(4, 8)).float()  # float64\nz = model(rows)"),
    ("z = model[0](torch.zeros(4, 8, dtype=torch.long))", "z = model[0](torch.zeros(4, 8, dtype=torch.long).float())"),
    ("for rows, _ in DataLoader(TensorDataset(torch.tensor(np.eye(8)), y[:8]), 4):\n    z = model(rows)",
     "for rows, _ in DataLoader(TensorDataset(torch.tensor(np.eye(8)).float(), y[:8]), 4):\n    z = model(rows)"),
    ("z = nn.Linear(10, 3)(x)", "z = nn.Linear(8, 3)(x)"),
    ("z = nn.LSTM(input_size=4, hidden_size=3)(x)", "z = nn.LSTM(input_size=8, hidden_size=3)(x)"),
    ("size = 10\nz = nn.Linear(size, 3)(x)", "size = 10\nz = nn.Linear(size, 3)(x)"),
    ("norm, data = nn.BatchNorm1d(8), TensorDataset(x, y)\nfor rows, _ in DataLoader(data, 16):\n    z = norm(rows)",
     "norm, data = nn.BatchNorm1d(8), TensorDataset(x, y)\nfor rows, _ in DataLoader(data, 16, drop_last=True):\n"
     "    z = norm(rows)"),
]


@pytest.mark.parametrize(("before", "expected"), CASES)
def test_what_fits_is_written(tmp_path: Path, before: str, expected: str) -> None:
    assert after(tmp_path, HEAD + before + "\n") == HEAD + expected + "\n"
    assert after(tmp_path, HEAD + before + "\n", unsafe=False) == HEAD + before + "\n"


LOOP = HEAD + """optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses, total, both = [], 0.0, []
for step in range(100):
    loss = (model(x).squeeze(1) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("before", "expected"), [
    ("print(step, loss.data[0])  # PyTorch 0.3", "print(step, loss.item())  # PyTorch 0.3"),
    ("mean = (loss.data [ 0 ] +\n            loss[0]) / 2", "mean = (loss.item() +\n            loss.item()) / 2"),
    ("text = f'{loss.data[0]:.3f}'", "text = f'{loss.item():.3f}'"),
    ("total += (2 * loss).data[0]", "total += (2 * loss).data[0]"),
    ("first = x[0].data[0]", "first = x[0].data[0]"),
    ("first = loss.data[1]", "first = loss.data[1]"),
])
def test_the_number_of_a_scalar_is_taken(tmp_path: Path, before: str, expected: str) -> None:
    assert after(tmp_path, f"{LOOP}    {before}\n", unsafe=False) == f"{LOOP}    {expected}\n"


@pytest.mark.parametrize(("before", "expected"), [
    ("losses.append(loss)  # kept", "losses.append(loss.detach())  # kept"),
    ("total += loss", "total += loss.detach()"),
    ("total += 2 * loss  # twice", "total += (2 * loss).detach()  # twice"),
    ("both.append((step, loss))", "both.append((step, loss))"),
])
def test_what_a_loop_keeps_loses_its_graph(tmp_path: Path, before: str, expected: str) -> None:
    assert after(tmp_path, f"{LOOP}    {before}\n") == f"{LOOP}    {expected}\n"
    assert after(tmp_path, f"{LOOP}    {before}\n", unsafe=False) == f"{LOOP}    {before}\n"

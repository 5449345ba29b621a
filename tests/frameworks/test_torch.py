"""No handler of PyTorch raises, whatever it is given; and what keeps Keras files free of it."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

from cudnnlint.engine import registry
from cudnnlint.events.loops import GraphKept
from cudnnlint.interp.registry import CALLS
from tests.interpret import events_of, of_kind

registry.load()
HEAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
unknown = open("x").read()
some = [unknown for _ in unknown]
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = net
    def forward(self, x):
        return self.net(x)
data = TensorDataset(torch.zeros(10, 3, 8, 8), torch.zeros(10))
"""
VALUES = [
    "unknown", "None", "-1", "0", "3", "10 ** 30", "2.5", "'float32'", "True", "[]", "{}", "()", "[1, [2]]", "some",
    "torch.zeros(4, 3)", "torch.zeros(())", "torch.tensor(2)", "data", "net", "Own()", "nn.ReLU()", "[net, Own()]",
    "lambda *a: a", "{'a': nn.ReLU()}", "DataLoader(data, 4)", "print",
]
RECEIVERS = {"torch.Tensor": ["torch.zeros(2, 3, 8, 8)", "unknown"], "torch.nn.Module": ["net", "Own()", "nn.ReLU()"],
             "torch.nn.Sequential": ["net"]}
METHODS = sorted(path for path in CALLS if path.rpartition(".")[0] in RECEIVERS and "__" not in path)
FUNCTIONS = sorted(path for path in CALLS if path.startswith("torch.") and path not in METHODS and "__" not in path)


def calls(name: str) -> str:
    """The callee with no argument, with each value alone, and with some in pairs and threes."""
    pairs = itertools.islice(itertools.combinations(VALUES, 2), 0, None, 9)
    triples = itertools.islice(itertools.combinations(VALUES, 3), 0, None, 97)
    lists = [(), *((value,) for value in VALUES), *pairs, *triples]
    return "\n".join(f"{name}({', '.join(arguments)})" for arguments in lists)


@pytest.mark.parametrize("path", METHODS)
def test_methods(path: str) -> None:
    home, _, name = path.rpartition(".")
    for receiver in RECEIVERS[home]:
        events_of(f"{HEAD}it = {receiver}\n{calls(f'it.{name}')}\nit(torch.zeros(1, 3, 8, 8))\n")


@pytest.mark.parametrize("path", FUNCTIONS)
def test_functions(path: str) -> None:
    body = "\n".join(f"made = {line}\nmade(torch.zeros(1, 3, 8, 8))\nfor one in made:\n    pass"
                     for line in calls(path).splitlines())
    events_of(f"{HEAD}{body}\n")


def test_a_program_without_torch_does_not_load_its_handlers() -> None:
    code = ("import sys; from cudnnlint.engine import registry; registry.load(); "
            "from tests.interpret import events_of; "
            "events_of('import keras\\nx = keras.Input((3,))'); "
            "assert not any('frameworks.torch.' in name or 'ops.torch.' in name for name in sys.modules); "
            "events_of('import torch\\ntorch.nn.Sequential()'); "
            "assert 'cudnnlint.frameworks.torch.containers' in sys.modules")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_history_is_counted_over_the_loops_that_keep_it() -> None:
    events = of_kind(events_of("""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.zeros(64, 8), torch.zeros(64, 1)), batch_size=16)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for epoch in range(3):
    total, of_epoch = 0, []
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        total += loss
        losses.append(loss)
        of_epoch.append(loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""), GraphKept)
    assert [*dict.fromkeys((event.form, event.turns) for event in events)] == [("sum", 4), ("list", 12), ("list", 4)]

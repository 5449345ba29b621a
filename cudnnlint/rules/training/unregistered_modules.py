'''A module of PyTorch keeps others in a list of Python's, and its optimizer trains none of them.

## Why is this bad?
A module finds its parts where they are set as attributes: a list is no module, and what is in it is not looked at.
parameters() leaves those parts out, so the optimizer never changes them, state_dict() does not save them, and
to(device) does not move them. The loss falls all the same, as far as the other parts go.

## Example

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [nn.Linear(8, 8) for _ in range(3)]  # error: [unregistered-modules]
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block(x))
        return self.head(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(10):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(torch.randn(4, 8)), torch.randint(0, 2, (4,)))
    loss.backward()
    optimizer.step()
```

```python
import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return torch.tanh(self.layer(x))


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = {"left": Expert(8), "right": Expert(8)}  # error: [unregistered-modules]
        self.gate = nn.Linear(8, 1)

    def forward(self, x):
        share = torch.sigmoid(self.gate(x))
        return share * self.experts["left"](x) + (1 - share) * self.experts["right"](x)


net = Mixture()
optimizer = torch.optim.Adam(net.parameters())
net(torch.randn(4, 8)).mean().backward()
optimizer.step()
```

## Use instead
nn.ModuleList, nn.ModuleDict, or nn.Sequential:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block(x))
        return self.head(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.randn(4, 8)).mean().backward()
optimizer.step()
```

A list beside the attributes is no harm, nor is a part that is kept from training, or that an optimizer is given by
itself:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.teacher = [teacher]
        self.first, self.last = nn.Linear(8, 8), nn.Linear(8, 8)
        self.both = [self.first, self.last]
        self.extra = [nn.Linear(8, 8)]

    def forward(self, x):
        for layer in [*self.both, *self.extra]:
            x = torch.relu(layer(x))
        with torch.no_grad():
            aim = self.teacher[0](x)
        return ((x - aim) ** 2).mean()


net = Net(nn.Linear(8, 8))
optimizer = torch.optim.Adam([*net.parameters(), *net.extra[0].parameters()])
net(torch.randn(4, 8)).backward()
optimizer.step()
```

## Where it fails
Nowhere on a CPU: it trains worse. The three layers of the first example are after ten steps what they were before (run
with PyTorch 2.14). On a GPU, after net.to("cuda"): RuntimeError "Expected all tensors to be on the same device".

## Known limits
Told at the first step() of an optimizer that was given parameters of modules all of whose parts are known, where those
of all other optimizers of the program are known too.

## References
* torch/nn/modules/module.py: Module.__setattr__, Module.named_modules
* https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Problem


@rule("CUD632", "unregistered-modules", Level.WARNING, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNREGISTERED_PART:
        yield event.finding(event.mismatch.message, help=event.mismatch.help,
                            fails="silently: it trains worse; on a GPU: RuntimeError \"Expected all tensors to be on "
                                  "the same device\"")

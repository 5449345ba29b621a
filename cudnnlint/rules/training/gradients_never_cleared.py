'''An optimizer of PyTorch steps in a loop, and nothing ever sets the gradients back to zero.

## Why is this bad?
backward() adds to the gradients that are there. Without zero_grad() each step follows the sum of all gradients since
the first batch: the loss falls at first, then swings wider and wider, and the learning rate is taken to be at fault.

## Example

```python
import torch
from torch import nn

model, loss_fn = nn.Linear(8, 1), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    loss = loss_fn(model(torch.randn(4, 8)), torch.randn(4, 1))
    loss.backward()
    optimizer.step()  # error: [gradients-never-cleared]
```

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, optimizer):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()  # error: [gradients-never-cleared]


rows = TensorDataset(torch.randn(64, 8), torch.randint(0, 3, (64,)))
net = nn.Linear(8, 3)
train(net, DataLoader(rows, batch_size=8), torch.optim.Adam(net.parameters()))
```

## Use instead

```python
import torch
from torch import nn

model, loss_fn = nn.Linear(8, 1), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    loss = loss_fn(model(torch.randn(4, 8)), torch.randn(4, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

The gradients of several small batches may be added before a step, and may be dropped by hand; a model and an optimizer
that are made for one step start with none.

```python
import torch
from torch import nn

model, loss_fn = nn.Linear(8, 1), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    loss_fn(model(torch.randn(4, 8)), torch.randn(4, 1)).backward()
    if step % 4 == 3:
        optimizer.step()
        for weight in model.parameters():
            weight.grad = None
```

```python
import torch
from torch import nn

for trial in range(3):
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.randn(4, 8)).mean().backward()
    optimizer.step()
```

## Where it fails
Nowhere: it trains worse. With the same batch in all steps of the first example the loss went from 0.69 to 0.04 in three
steps, back to 0.68 in three more, and was 0.32 after a hundred; with zero_grad() it was 0.01 after ten and fell on (run
with 2.14).

## Known limits
Silent where the program speaks of `zero_grad` or of any `.grad`, whatever it does there, and in functions that nothing
calls.

## References
* torch/optim/optimizer.py: Optimizer.zero_grad
* torch/csrc/autograd/functions/accumulate_grad.h
* https://docs.pytorch.org/tutorials/recipes/recipes/zeroing_out_gradients.html
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Problem


@rule("CUD631", "gradients-never-cleared", Level.WARNING, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNCLEARED:
        yield event.finding(event.mismatch.message, help=event.mismatch.help, fails="silently: it trains worse")

'''A loop keeps PyTorch tensors together with the graphs that they were computed by.

## Why is this bad?
What a module gives while gradients are recorded holds all intermediate results of its forward pass, until it is
dropped. A list of outputs, or a sum of losses, holds those of every batch that went into it: validation over the whole
set then needs the memory of one batch times their number. After backward() the intermediate results are gone, but the
graphs' nodes add up all the same, and the sum of losses drags the history of the whole epoch behind it.

## Example

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 30 * 30, 10))
data = TensorDataset(torch.randn(640, 3, 32, 32), torch.zeros(640, dtype=torch.long))
loader = DataLoader(data, batch_size=16)
model.eval()
outputs, total = [], 0.0
for images, labels in loader:
    logits = model(images)
    outputs.append(logits)  # error: [validation-with-gradients]
    total += nn.functional.cross_entropy(logits, labels)  # error: [validation-with-gradients]
```

Batches need not come of a DataLoader, where nothing that follows asks for the gradients:

```python
import torch
from torch import nn


def predictions(model, x):
    model.eval()
    found = []
    for start in range(0, len(x), 64):
        found.append(model(x[start:start + 64]))  # error: [validation-with-gradients]
    return torch.cat(found)


network = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
for epoch in range(5):
    network.train()
    loss = nn.functional.cross_entropy(network(torch.randn(64, 20)), torch.randint(0, 3, (64,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scores = predictions(network, torch.randn(10_000, 20))
```

What a loop that trains keeps is told by tensors-kept-across-steps:

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchvision import models


def dice(pred, target):
    overlap, union = (pred * target).sum(dim=1), pred.sum(dim=1) + target.sum(dim=1)
    return (2 * (overlap + 1e-5) / (union + 1e-5)).sum()


def step(x, y):
    out = model(x)
    loss = nn.functional.mse_loss(out, y)
    loss.backward()
    return loss.item(), dice(torch.sigmoid(out), y)


def features(network, loader):
    network.eval()
    kept = []
    for images, _ in loader:
        found = network(images.cuda())
        kept.append(found / found.norm(dim=1, keepdim=True))  # error: [validation-with-gradients]
    return torch.cat(kept)


model, metric = nn.Linear(8, 4), 0.0
loader = DataLoader(TensorDataset(torch.randn(320, 8), torch.rand(320, 4)), batch_size=16)
for x, y in loader:
    loss, one = step(x, y)
    metric += one  # error: [tensors-kept-across-steps]
photos = TensorDataset(torch.randn(512, 3, 224, 224), torch.zeros(512))
features(models.resnet50(weights=None).cuda(), DataLoader(photos, batch_size=32))
```

## Use instead

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(640, 8), torch.randn(640, 1)), batch_size=16)
losses, running, outputs = [], 0.0, []
for epoch in range(100):
    model.train()
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        running += loss.detach()
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            outputs.append(model(x).cpu())
```

A sum that backward() is called on is what gradients are accumulated in:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
total = 0.0
for step in range(10):
    total += model(torch.randn(4, 8)).mean()
total.backward()
```

So do the steps of a network that is unrolled:

```python
import torch
from torch import nn


def unrolled(model, x):
    model.eval()
    found = []
    for step in range(100):
        found.append(model(x[step]))
    return torch.stack(found)


network = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3))
unrolled(network, torch.randn(100, 4, 20)).mean().backward()
```

The steps of a recurrent module are one network, however they are called:

```python
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.mix = nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        state = torch.zeros(2, 4)
        for row in self.embedding(x):
            state = torch.tanh(row @ self.mix) + state * 0.5
        return state


cell = Cell().eval()
cell.forward(torch.zeros(30, 2, dtype=torch.long))
```

## Fix
Unsafe, since what is done with it later may need its graph: `.detach()` of what is appended or added.

## Where it fails
With every version of PyTorch: RuntimeError "CUDA out of memory", in validation, or late in training as the graphs add
up.

## Known limits
Told are tensors that backward() went through in the loop, and those of modules in evaluation mode, where the loop calls
no backward() and, unless they were given a batch of a DataLoader, none that follows goes through modules in evaluation
mode. Sums that the loop sets back to a number are silent. What is kept across validation without model.eval() is not
told, nor is anything once the program sets requires_grad.

## References
* https://docs.pytorch.org/docs/stable/notes/faq.html ("My model reports cuda runtime error(2): out of memory")
* https://github.com/e-hulten/made/issues/2
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.loops import GraphKept
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.histories import history_kept
from cudnnlint.rules.protocol import rule


@rule("CUD611", "validation-with-gradients", Level.WARNING, since="0.1")
def check(event: GraphKept) -> Iterator[Finding]:
    if not event.trained:
        yield history_kept(event)

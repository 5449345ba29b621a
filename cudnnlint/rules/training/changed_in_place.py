'''A tensor of PyTorch is changed in place that autograd needs as it was.

## Why is this bad?
`w -= lr * w.grad` writes into w itself, and autograd records what is done to a tensor that requires its gradient: it
refuses to have such a leaf overwritten. Sigmoid, ReLU, softmax and their like calculate gradients from what they gave;
`h += x` overwrites it, and backward() fails.

## Example

```python
import torch

x = torch.linspace(-1, 1, 50)
y = 3 * x + 2
w, b = torch.randn(1, requires_grad=True), torch.zeros(1, requires_grad=True)
for step in range(10):
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    w -= 0.1 * w.grad  # error: [changed-in-place]
    b -= 0.1 * b.grad  # error: [changed-in-place]
```

```python
import torch
from torch import nn

table = nn.Parameter(torch.zeros(10, 4))
table[0] = 1.0  # error: [changed-in-place]
noise = torch.rand(3, 3).requires_grad_()
noise *= 2  # error: [changed-in-place]
noise.mul_(2)  # error: [changed-in-place]
with torch.no_grad():
    noise.mul_(2)
noise.data.mul_(2)
```

```python
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x):
        out = torch.relu(self.conv(x))
        out += x  # error: [changed-in-place]
        return out


loss = Residual()(torch.randn(2, 8, 16, 16)).mean()
loss.backward()
```

```python
import torch
from torch import nn

head = nn.Conv2d(3, 8, 1)
boxes = head(torch.randn(2, 3, 4, 4)).sigmoid()
boxes[:, 0:2] = boxes[:, 0:2] * 2 - 0.5  # error: [changed-in-place]
boxes.mean().backward()
```

## Use instead

```python
import torch
from torch import nn

x = torch.linspace(-1, 1, 50)
y = 3 * x + 2
w, b = torch.randn(1, requires_grad=True), torch.zeros(1, requires_grad=True)
for step in range(10):
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad.zero_()
fixed = nn.Parameter(torch.zeros(3), requires_grad=False)
fixed += 1
v = torch.ones(3, requires_grad=True)
v.data -= 0.1


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)

    def forward(self, x):
        out = self.norm(self.conv(x))
        out += x
        return torch.relu(out) + x


loss = Residual()(torch.randn(2, 8, 16, 16)).mean()
loss.backward()
with torch.no_grad():
    seen = torch.sigmoid(Residual()(torch.randn(2, 8, 16, 16)))
    seen += 1
```

## Where it fails
With every version: RuntimeError "a leaf Variable that requires grad is being used in an in-place operation.", of an
item "a view of a leaf Variable ..."; in backward() RuntimeError "one of the variables needed for gradient computation
has been modified by an inplace operation".

## Known limits
Of methods such as `add_()` told where they change what the program asked gradients of, and of what gradients are
calculated from at results alone, which augmented assignments and assignments to items change. Silent once
the program sets requires_grad of something.

## References
* torch/csrc/autograd/VariableTypeUtils.h: check_inplace
* torch/csrc/autograd/saved_variable.cpp: SavedVariable::unpack
* tools/autograd/derivatives.yaml, which says what gradients are calculated from
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD628", "changed-in-place", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.IN_PLACE:
        yield rejection(event)

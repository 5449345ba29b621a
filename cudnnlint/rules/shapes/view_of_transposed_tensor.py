'''view() is asked to join axes of a tensor of PyTorch that transpose() or permute() turned.

## Why is this bad?
`transpose()` and `permute()` move no element, they only read them in another order. `view()` cannot join axes whose
elements do not lie one after the other any more, and raises, though the number of elements fits. It is often the end of
an attention layer.

## Example

```python
import torch

x = torch.randn(2, 3, 4)
flat = x.permute(0, 2, 1).view(2, 12)  # error: [view-of-transposed-tensor]
```

```python
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.values = nn.Linear(width, width)

    def forward(self, x):
        b, t, d = x.shape
        values = self.values(x).view(b, t, self.heads, d // self.heads).transpose(1, 2)
        weights = torch.softmax(values @ values.transpose(-2, -1), dim=-1)
        return (weights @ values).transpose(1, 2).view(b, t, d)  # error: [view-of-transposed-tensor]


y = Heads(64, 8)(torch.randn(2, 10, 64))
```

```python
import torch
from torch import nn

head = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 12, 3, padding=1))
boxes = head(torch.randn(2, 3, 33, 33)).permute(0, 2, 3, 1).view(2, -1, 4)  # error: [view-of-transposed-tensor]
```

What is computed of them element by element lies as they do:

```python
import torch

mean = torch.randn(5, 4, 10).permute(1, 0, 2)
samples = mean + torch.exp(0.5 * mean) * torch.randn_like(mean)
rows = samples.view(-1, 10)  # error: [view-of-transposed-tensor]
rows = (torch.randn(4, 5, 10) + mean).view(-1, 10)
rows = (samples + 1).reshape(-1, 10)
```

## Use instead

```python
import torch
from torch import nn

images = torch.randn(2, 3, 32, 32).to(memory_format=torch.channels_last)
rows = nn.Conv2d(3, 8, 1)(images).permute(0, 2, 3, 1).view(2, -1, 8)
head = nn.Conv2d(3, 8, 1).to(memory_format=torch.channels_last)
rows = head(torch.randn(2, 3, 32, 32)).permute(0, 2, 3, 1).view(2, -1, 8)
x = torch.randn(2, 3, 4)
flat = x.permute(0, 2, 1).reshape(2, 12)
same = x.permute(0, 2, 1).contiguous().view(2, 12)
split = x.permute(0, 2, 1).view(2, 2, 2, 3)
heads = torch.randn(2, 10, 64).view(2, 10, 8, 8).transpose(1, 2)
```

## Where it fails
Everywhere, when it runs: RuntimeError "view size is not compatible with input tensor's size and stride (at least one
dimension spans across two contiguous subspaces). Use .reshape(...) instead."

## Known limits
Told where the tensor that was turned is certainly in order: one that was just made, the output of Linear or Embedding,
a product of matrices, a view of these, or what convolutions, pools and activations made of these; where all extents are
known; and where nothing but activations and arithmetic of tensors that were turned alike comes before the view().

## References
* aten/src/ATen/TensorUtils.cpp: computeStride
* https://pytorch.org/docs/stable/tensor_view.html
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD117", "view-of-transposed-tensor", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.STRIDES:
        yield rejection(event)

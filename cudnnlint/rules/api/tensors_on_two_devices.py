'''A module on the GPU is given a tensor on the CPU, or tensors meet that lie on different devices.

## Why is this bad?
`model.to(device)` moves the weights of a module where they are; `x.to(device)` gives another tensor and leaves `x` as
it is. What is forgotten is mostly the labels, a first state of a recurrent layer, weights of classes, or to assign the
result. A machine without a GPU does not show it.

## Example

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).to(device)
images, labels = torch.randn(8, 1, 28, 28), torch.zeros(8, dtype=torch.long)
logits = model(images)  # error: [tensors-on-two-devices]
images.to(device)
logits = model(images)  # error: [tensors-on-two-devices]
logits = model(images.to(device))
loss = nn.CrossEntropyLoss()(logits, labels)  # error: [tensors-on-two-devices]
```

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)

    def forward(self, x):
        state = torch.zeros(1, x.size(0), 16)
        return self.rnn(x, state)[0]  # error: [tensors-on-two-devices]


net = Net().cuda()
out = net(torch.randn(4, 10, 8).cuda())
```

A plain list is no part of a module: what it holds stays on the CPU.

```python
import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts, self.gate = [nn.Linear(16, 4) for _ in range(3)], nn.Linear(4, 2)

    def forward(self, x):
        return self.gate(sum(expert(x) for expert in self.experts))  # error: [tensors-on-two-devices]


Experts().cuda()(torch.randn(8, 16).cuda())
teacher, student = nn.Linear(16, 4), nn.Linear(16, 4).to("cuda")
x = torch.randn(8, 16).to("cuda")
student(x)
teacher(x)  # error: [tensors-on-two-devices]
```

## Use instead

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).to(device)
images, labels = torch.randn(8, 1, 28, 28).to(device), torch.zeros(8, dtype=torch.long, device=device)
loss = nn.CrossEntropyLoss(weight=torch.ones(10).to(device))(model(images), labels)
```

## Where it fails
On a machine with a GPU, in every release: RuntimeError "Expected all tensors to be on the same device, but found at
least two devices, cuda:0 and cpu!", "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be
the same", "Input and hidden tensors are not at the same device".

## Known limits
Told where both places are certain: of tensors that the program makes, of batches of a DataLoader, of what modules give
that it moved under no condition. DataParallel, which moves batches itself, and set_default_device() silence it. A
module that nothing moved is told once another one is on the GPU, where nothing that may move it, such as Lightning,
Accelerate or DeepSpeed, is spoken of.

## References
* aten/src/ATen/native/Convolution.cpp: check_input_same_type_as_parameters
* aten/src/ATen/native/RNN.cpp: check_attributes
* https://pytorch.org/docs/stable/generated/torch.nn.Module.html: to
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import moment, rejection
from cudnnlint.values import Problem


@rule("CUD727", "tensors-on-two-devices", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.DEVICES:
        yield replace(rejection(event), fails=f"on a machine with a GPU, {moment(event)}: {event.mismatch.error}")

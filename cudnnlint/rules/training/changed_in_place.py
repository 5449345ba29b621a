'''A tensor of PyTorch is changed in place that autograd needs as it was.

## Why is this bad?
`w -= lr * w.grad` writes into w itself, and autograd records what is done to a tensor that requires its gradient: it
refuses to have such a leaf overwritten. Sigmoid, ReLU, softmax and their like calculate gradients from what they gave;
`h += x` overwrites it, and backward() fails. So does that of a loss whose modules were trained in the meantime:
`optimizer.step()` changes the weights in place, and the gradient of what a Linear or a convolution was given is
calculated from them.

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

```python
import torch

scale = torch.randn(3, requires_grad=True)
weights = scale.exp()
weights[0] = 1.0  # error: [changed-in-place]
weights.sum().backward()
```

```python
import torch
from torch import nn

generator, discriminator = nn.Linear(16, 64), nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer_d = torch.optim.Adam(discriminator.parameters())
optimizer_g = torch.optim.Adam(generator.parameters())
real, ones, zeros, bce = torch.randn(8, 64), torch.ones(8, 1), torch.zeros(8, 1), nn.BCEWithLogitsLoss()
for step in range(100):
    judged = discriminator(generator(torch.randn(8, 16)))
    loss_d = bce(discriminator(real), ones) + bce(judged, zeros)
    loss_g = bce(judged, ones)
    optimizer_d.zero_grad()
    loss_d.backward(retain_graph=True)
    optimizer_d.step()
    optimizer_g.zero_grad()
    loss_g.backward()  # error: [changed-in-place]
    optimizer_g.step()
```

```python
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.policy, self.critic = nn.Linear(8, 2), nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
        self.policy_optimizer = torch.optim.SGD(self.policy.parameters(), lr=0.1)
        self.critic_optimizer = torch.optim.SGD(self.critic.parameters(), lr=0.1)

    def value(self, states, actions):
        return self.critic(torch.cat([states, actions], 1))

    def update(self, states, actions, target):
        value = self.value(states, self.policy(states))
        policy_loss = -torch.min(value, torch.ones_like(value)).mean()
        critic_loss = (self.value(states, actions) - target).pow(2).mean()
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        self.policy_optimizer.zero_grad()
        policy_loss.backward()  # error: [changed-in-place]
        self.policy_optimizer.step()

    def update_in_turn(self, states, actions, target):
        critic_loss = (self.value(states, actions) - target).pow(2).mean()
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        policy_loss = -self.value(states, self.policy(states)).mean()
        self.policy_optimizer.zero_grad()
        policy_loss.backward()
        self.policy_optimizer.step()


Agent().update(torch.randn(4, 8), torch.randn(4, 2), torch.randn(4, 1))
Agent().update_in_turn(torch.randn(4, 8), torch.randn(4, 2), torch.randn(4, 1))
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

What a step changes and no gradient is calculated from may wait: weights of the last module alone, of another model, or
of the first one, whose input asks for no gradient.

```python
import torch
from torch import nn

encoder, first, second = nn.Linear(8, 4), nn.Linear(4, 1), nn.Linear(4, 1)
train_first = torch.optim.SGD(first.parameters(), lr=0.1)
train_encoder = torch.optim.SGD([*encoder.parameters(), *second.parameters()], lr=0.1)
for step in range(10):
    code = encoder(torch.randn(2, 8))
    one, other = first(code).mean(), second(code).mean()
    train_first.zero_grad()
    one.backward(retain_graph=True)
    train_first.step()
    train_encoder.zero_grad()
    other.backward()
    train_encoder.step()
judge = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
train_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
for step in range(10):
    score = judge(encoder(torch.randn(2, 8))).mean()
    if torch.rand(1).item() > 0.5:
        score.backward()
        train_judge.step()
    else:
        score.backward()
```

## Where it fails
With every version: RuntimeError "a leaf Variable that requires grad is being used in an in-place operation.", of an
item "a view of a leaf Variable ..."; in backward() RuntimeError "one of the variables needed for gradient computation
has been modified by an inplace operation: [torch.cuda.FloatTensor [64, 256]], which is output 0 of ReluBackward0, is at
version 1; expected version 0 instead"; for weights that a step changed from 1.5 on, before that with wrong
gradients.

## Known limits
Of methods such as `add_()` told where they change what the program asked gradients of, and of what gradients are
calculated from at results alone, which augmented assignments and assignments to items change, and at the weights of
Linear and the convolutions, which an optimizer changes that was given `model.parameters()`. Silent once the program
sets requires_grad of something.

## References
* torch/csrc/autograd/VariableTypeUtils.h: check_inplace
* torch/csrc/autograd/saved_variable.cpp: SavedVariable::unpack
* https://github.com/pytorch/pytorch/issues/39141
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

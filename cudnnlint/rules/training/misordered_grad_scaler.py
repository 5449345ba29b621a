'''A GradScaler unscales or steps twice without update(), or gradients are clipped while scaled.

## Why is this bad?
A GradScaler keeps for each optimizer how far a step has come: gradients are divided by the scale once, the optimizer
steps once, and update() begins anew. A second unscale_(), as where a clipping function calls it too, or a loop without
update(), stops the training; so does a scaler that the loss was never scaled by. On a machine without a GPU the scaler
turns itself off, and nothing is seen of it.

## Example

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("cpu")
for step in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).square().mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.unscale_(optimizer)  # error: [misordered-grad-scaler]
    scaler.step(optimizer)
    scaler.update()
```

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("cpu")
for step in range(10):
    loss = model(torch.randn(4, 8)).square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # error: [misordered-grad-scaler]
```

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("cpu")
loss = model(torch.randn(4, 8)).square().mean()
loss.backward()
scaler.step(optimizer)  # error: [misordered-grad-scaler]
```

What backward() of a scaled loss gives is scaled too, until unscale_() or step(). Clipped before, it is clipped far too
much:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("cpu")
for step in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8)).square().mean()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # error: [misordered-grad-scaler]
    scaler.step(optimizer)
    scaler.update()
```

An optimizer that steps by itself takes gradients as they are scaled, and update() misses them:

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("cpu")
for step in range(10):
    optimizer.zero_grad()
    scaler.scale(model(torch.randn(4, 8)).square().mean()).backward()
    optimizer.step()
    scaler.update()  # error: [misordered-grad-scaler]
```

## Use instead

```python
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("cpu")
for step in range(10):
    loss = model(torch.randn(4, 8)).square().mean() / 2
    scaler.scale(loss).backward()
    if step % 2:
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
```

Several optimizers share one update():

```python
import torch
from torch import nn

first, second = nn.Linear(8, 4), nn.Linear(4, 1)
optimizers = [torch.optim.SGD(first.parameters(), 0.1), torch.optim.SGD(second.parameters(), 0.1)]
scaler = torch.amp.GradScaler("cpu")
for step in range(10):
    scaler.scale(second(first(torch.randn(4, 8))).square().mean()).backward()
    for optimizer in optimizers:
        scaler.step(optimizer)
    scaler.update()
```

Each of two models has an optimizer of its own, and what clips by the scale needs no unscale_():

```python
import torch
from torch import nn

first, second = nn.Linear(8, 4), nn.Linear(4, 1)
one, two = torch.optim.SGD(first.parameters(), 0.1), torch.optim.SGD(second.parameters(), 0.1)
scaler = torch.amp.GradScaler("cpu")
for step in range(10):
    scaler.scale(second(first(torch.randn(4, 8))).square().mean()).backward()
    scaler.unscale_(two)
    nn.utils.clip_grad_norm_(second.parameters(), 1.0)
    scaler.step(one)
    scaler.step(two)
    scaler.update()
    scaler.scale(second(first(torch.randn(4, 8))).square().mean()).backward()
    nn.utils.clip_grad_norm_(first.parameters(), 1.0 * scaler.get_scale())
    scaler.step(one)
    scaler.update()
```

## Where it fails
With every version of PyTorch where the scaler is enabled, for CUDA where there is a GPU: RuntimeError "unscale_() has
already been called on this optimizer since the last update().", RuntimeError "step() has already been called since the
last update().", RuntimeError "unscale_() is being called after step().", AssertionError "Attempted step but _scale is
None.", AssertionError "No inf checks were recorded prior to update."; what is clipped too early is told nowhere (run
with PyTorch 2.14 on the CPU).

## Known limits
Calls that hang on conditions that are not known are not counted.

## References
* torch/amp/grad_scaler.py: GradScaler.unscale_, GradScaler.step, OptState
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD630", "misordered-grad-scaler", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.SCALER:
        yield rejection(event)
    elif event.mismatch.problem is Problem.CLIPPED:
        yield event.finding(event.mismatch.message, help=event.mismatch.help, fails=SILENTLY)


SILENTLY = "silently, where the scaler is enabled: the scale is 65536 to begin with, what is left as much smaller"

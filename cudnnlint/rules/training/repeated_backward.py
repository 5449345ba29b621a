'''backward() goes a second time through a graph that was freed, or that grows turn by turn.

## Why is this bad?
backward() frees what the modules kept for it. A second call that comes through the same modules' results fails: for a
state that a loop carries over, for two losses of one forward pass, for a discriminator's loss of a generator's output
that was not detached. `retain_graph=True` silences it, and then each turn goes back through all turns before: its
time and memory grow, and once the optimizer has changed the weights the call fails all the same.

## Example

```python
import torch
from torch import nn

rnn, head = nn.GRU(8, 16, batch_first=True), nn.Linear(16, 8)
optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
stream, hidden = torch.randn(50, 4, 12, 8), torch.zeros(1, 4, 16)
for step in range(49):
    out, hidden = rnn(stream[step], hidden)
    loss = nn.functional.mse_loss(head(out), stream[step + 1])
    optimizer.zero_grad()
    loss.backward()  # error: [repeated-backward]
    optimizer.step()
```

```python
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.state = nn.LSTM(4, 4), None

    def forward(self, x):
        out, self.state = self.lstm(x, self.state)
        return out


cell = Cell()
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
for step in range(20):
    loss = cell(torch.randn(5, 2, 4)).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # error: [repeated-backward]
    optimizer.step()
```

```python
import torch
from torch import nn

generator, discriminator, bce = nn.Linear(16, 64), nn.Linear(64, 1), nn.BCEWithLogitsLoss()
real, ones, zeros = torch.randn(8, 64), torch.ones(8, 1), torch.zeros(8, 1)
for step in range(100):
    fake = generator(torch.randn(8, 16))
    loss_d = bce(discriminator(real), ones) + bce(discriminator(fake), zeros)
    loss_d.backward()
    loss_g = bce(discriminator(fake), ones)
    loss_g.backward()  # error: [repeated-backward]
```

## Use instead

```python
import torch
from torch import nn

rnn, head = nn.GRU(8, 16, batch_first=True), nn.Linear(16, 8)
stream, hidden = torch.randn(50, 4, 12, 8), torch.zeros(1, 4, 16)
for step in range(49):
    out, hidden = rnn(stream[step], hidden.detach())
    loss = nn.functional.mse_loss(head(out), stream[step + 1])
    loss.backward()

generator, discriminator, bce = nn.Linear(16, 64), nn.Linear(64, 1), nn.BCEWithLogitsLoss()
real, ones, zeros = torch.randn(8, 64), torch.ones(8, 1), torch.zeros(8, 1)
for step in range(100):
    fake = generator(torch.randn(8, 16))
    loss_d = bce(discriminator(real), ones) + bce(discriminator(fake.detach()), zeros)
    loss_d.backward()
    loss_g = bce(discriminator(fake), ones)
    loss_g.backward()
```

A graph that is kept for a second call, and one that was made before the loop, do not grow:

```python
import torch
from torch import nn

encoder, first, second = nn.Linear(8, 4), nn.Linear(4, 1), nn.Linear(4, 1)
for step in range(10):
    code = encoder(torch.randn(2, 8))
    first(code).mean().backward(retain_graph=True)
    second(code).mean().backward()
code = encoder(torch.randn(2, 8))
for step in range(10):
    first(code).mean().backward(retain_graph=True)
```

## Where it fails
With every version of PyTorch: RuntimeError "Trying to backward through the graph a second time (or directly access
saved tensors after they have already been freed)". With retain_graph=True and a step of the optimizer in between, from
1.5 on, RuntimeError "one of the variables needed for gradient computation has been modified by an inplace operation";
without one, the graph of every turn is kept until RuntimeError "CUDA out of memory" (run with 2.13: GRU, LSTM, RNN,
Linear, Conv2d, Embedding, BatchNorm1d, LayerNorm).

## Known limits
Gradients are followed through modules and the usual functions, not through other libraries, autograd functions of the
user's own or in-place assignments. Where a condition that is not known decides whether backward() is called, nothing is
told, nor once the program sets requires_grad.

## References
* torch/csrc/autograd/saved_variable.cpp: ERR_BACKWARD_TWICE
* https://docs.pytorch.org/docs/stable/notes/faq.html ("My model reports cuda runtime error(2): out of memory")
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.losses import BackwardRepeated
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule


@rule("CUD612", "repeated-backward", Level.ERROR, since="0.1")
def check(event: BackwardRepeated) -> Iterator[Finding]:
    when = " of the turn before" if event.carried else event.spoken(event.before) or " of an earlier call"
    message = f"backward() goes through {event.layer.name}{when} again, whose graph was freed"
    if event.carried and event.once:
        message = f"backward() goes through {event.layer.name} in each turn, applied once before the loop: the first " \
                  "one freed its graph"
    if event.kept:
        message = f"backward() goes through {event.layer.name} of every turn before, as retain_graph=True keeps them"
    yield event.finding(
        message, help=_help(event), trace=(*event.trace, Label(event.applied, event.layer.name)),
        fails='everywhere, once the optimizer has changed the weights, or else once the graphs fill the memory: '
        'RuntimeError "one of the variables needed for gradient computation has been modified by an inplace operation" '
        'or "CUDA out of memory"' if event.kept else
        'everywhere: RuntimeError "Trying to backward through the graph a second time"')


def _help(event: BackwardRepeated) -> str:
    if event.carried and event.once and not event.kept:
        return "apply it anew in each turn, or detach() what it gave before the loop"
    if event.carried:
        return "detach what one turn leaves to the next: hidden = hidden.detach()"
    return "add the losses and call backward() once, or detach() what the first one needs no gradients of"

'''A DataLoader's workers bring rows to the GPU, where a forked process cannot go.

## Why is this bad?
`num_workers=4` has four processes call `__getitem__` and the collate_fn. On Linux they are forked from a program that
has initialised CUDA for its model, and a forked process cannot use it again. `pin_memory=True` and `.to(device)` in the
loop, of the whole batch, bring it over faster besides.

## Example

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Signals(Dataset):
    def __init__(self):
        self.signals, self.labels = torch.randn(1000, 16), torch.randint(0, 5, (1000,))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.signals[index].to(device), self.labels[index]  # error: [gpu-used-by-loader-workers]


model = nn.Linear(16, 5).to(device)
for x, y in DataLoader(Signals(), batch_size=32, num_workers=4):
    loss = nn.functional.cross_entropy(model(x), y.to(device))
```

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def collate(rows):
    return torch.stack([row[0] for row in rows]).cuda()  # error: [gpu-used-by-loader-workers]


x = torch.randn(1000, 16)
model = nn.Linear(16, 5).cuda()
for batch in DataLoader(TensorDataset(x), batch_size=32, num_workers=2, collate_fn=collate):
    model(batch)
on_gpu = TensorDataset(x.cuda())
for (batch,) in DataLoader(on_gpu, batch_size=32, num_workers=2):  # error: [gpu-used-by-loader-workers]
    model(batch)
```

## Use instead

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
x = torch.randn(1000, 16)
model = nn.Linear(16, 5).to(device)
for (batch,) in DataLoader(TensorDataset(x), batch_size=32, num_workers=4, pin_memory=True):
    model(batch.to(device, non_blocking=True))
for (batch,) in DataLoader(TensorDataset(x.to(device)), batch_size=32):
    model(batch)
for (batch,) in DataLoader(TensorDataset(x.to(device)), batch_size=32, num_workers=0):
    model(batch)
```

## Where it fails
With every version of PyTorch on Linux, where Python before 3.14 forks: RuntimeError "Cannot re-initialize CUDA in
forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method", in old versions "cuda
runtime error (3) : initialization error". On a machine without a GPU nothing fails.

## Known limits
Told where the number of workers is a number, the row certainly lies on the GPU and the program certainly brings a
module there; silent once its text speaks of set_start_method or get_context. Of multiprocessing.Pool and Process
nothing is told.

## References
* torch/cuda/__init__.py: _lazy_init
* https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
* https://github.com/pytorch/pytorch/issues/40403
* https://github.com/pytorch/pytorch/issues/77159
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.devices import GpuInWorkers
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule


@rule("CUD430", "gpu-used-by-loader-workers", Level.ERROR, since="0.1")
def check(event: GpuInWorkers) -> Iterator[Finding]:
    verb = "reads" if event.span == event.loader else "brings"
    number = "the worker process" if event.workers == 1 else f"each of {event.workers} worker processes"
    yield event.finding(
        f"{number} {verb} {event.tensor} {'on' if verb == 'reads' else 'to'} the GPU",
        trace=(*event.trace, Label(event.loader, f"num_workers={event.workers}")),
        help="leave it on the CPU, and bring the batch to the GPU in the loop; or num_workers=0",
        fails='on Linux with a GPU and Python before 3.14: RuntimeError "Cannot re-initialize CUDA in forked '
        'subprocess"')

'''A training step needs more memory than the GPU has.

## Why is this bad?
Training stops in its first step. What a step needs is known before: the weights, the optimizer's slots, the batch, and
above all the tensors that the backward pass reads again, which grow with the batch.

## Example

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([
    keras.Input((512, 512, 3)),
    layers.Conv2D(64, 3, padding="same", activation="relu"),
    layers.Conv2D(64, 3, padding="same", activation="relu"),
    layers.MaxPooling2D(),
    layers.Conv2D(128, 3, padding="same", activation="relu"),
    layers.GlobalAveragePooling2D(),
    layers.Dense(10, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((2560, 512, 512, 3), "uint8"), np.zeros(2560)
model.fit(x, y, batch_size=256)  # error: [out-of-memory]
```

What attention computes on the way is counted, a number for each pair of positions and each head. Where not even one
sample fits, and one layer takes most of what is needed, the finding stands at that layer:

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x = keras.Input((16384, 64))
y = x + layers.MultiHeadAttention(num_heads=8, key_dim=8)(x, x)  # error: [out-of-memory]
model = keras.Model(x, layers.Dense(2)(layers.GlobalAveragePooling1D()(y)))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((64, 16384, 64), "float32"), np.zeros(64), batch_size=8)
```

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([
    keras.Input((256, 256, 16)),
    layers.Conv2D(16, 3, padding="same", activation="relu"),
    layers.Flatten(),
    layers.Dense(2048, activation="relu"),  # error: [out-of-memory]
    layers.Dense(2, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((64, 256, 256, 16), "float32"), np.zeros(64), batch_size=1)
```

Of a step of PyTorch, what its modules keep for backward() is counted, if the program moves them to a GPU:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(*(nn.Sequential(nn.Conv2d(64, 64, 3, padding=1), nn.ReLU()) for _ in range(8)))
        self.stem, self.head = nn.Conv2d(3, 64, 3, padding=1), nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.body(self.stem(x)).mean((2, 3)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(100):
    images, labels = torch.rand(128, 3, 256, 256, device=device), torch.randint(0, 10, (128,), device=device)
    loss = nn.functional.cross_entropy(net(images), labels)  # error: [out-of-memory]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for step in range(100):
    images, labels = torch.rand(16, 3, 256, 256, device=device), torch.randint(0, 10, (16,), device=device)
    loss = nn.functional.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Use instead
The batch size that the message names, or mixed precision, or smaller feature maps early on:

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([
    keras.Input((512, 512, 3)),
    layers.Conv2D(64, 3, padding="same", activation="relu"),
    layers.Conv2D(64, 3, padding="same", activation="relu"),
    layers.MaxPooling2D(),
    layers.Conv2D(128, 3, padding="same", activation="relu"),
    layers.GlobalAveragePooling2D(),
    layers.Dense(10, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((2560, 512, 512, 3), "uint8"), np.zeros(2560)
model.fit(x, y, batch_size=16)
```

## Fix
The batch size that fits, where the call or the dataset's `batch()` says it as a number, as a constant that the file
gives its number once (`BATCH_SIZE = 512`; the number is changed there, in training only), as `len(x)` or not at all.
Unsafe in training, which goes another way with smaller batches; safe in predict().

## Where it fails
On the GPU that is configured (`gpu`), or on a Tesla T4 of 16 GB, that of free notebooks: ResourceExhaustedError "OOM
when allocating tensor with shape[32,64,224,224] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by
allocator GPU_0_bfc", in the log "ResourceExhaustedError: OOM when allocating tensor with shape" and "Allocator
(GPU_0_bfc) ran out of memory trying to allocate 84.60MiB. The caller indicates that this is not a failure". A
`memory_limit` of logical devices or a `per_process_gpu_memory_fraction` that the program sets leaves less of it.
Nothing is told unless even the least that the step can take exceeds that GPU.

What cuDNN and cuBLAS take beside it fails by other names: "Failed to get convolution algorithm. This is probably
because cuDNN failed to initialize", "Could not create cudnn handle: CUDNN_STATUS_ALLOC_FAILED", "No algorithm worked!",
"failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED", "Blas GEMM launch failed", "Non-OK-status:
GpuLaunchKernel status: Internal: out of memory", "Failed to call ThenRnnForward with model config". Another
process on the GPU, or libraries that do not go together (`cudnnlint doctor`), end in the same ones.

## Known limits
Where a Dense layer is larger than the GPU by itself, `oversized-dense-after-flatten` tells of it and names the
training call, which is not told again.

The batch size must be known. Where a distribution strategy takes all GPUs there are, how many they are is what `gpu`
says (`gpu = "2xT4"`); where it does not, only what does not fit with one sample is told. What cuDNN takes for its
algorithms is left out: it takes less where there is less. `cudnnlint memory FILE` prints the terms, other GPUs and
other batch sizes.

Of PyTorch only what is kept is counted, nothing of what a kernel takes on the way, and nothing is told of models in
nn.DataParallel, of programs that speak of checkpoints or of offloading, and of evaluation.

## References
* tools/autograd/derivatives.yaml: what functions of PyTorch keep for backward()
* tensorflow/core/common_runtime/executor.cc, gpu_device.cc: MinSystemMemory; xla/tsl/framework/bfc_allocator.cc
* docs/memory.md: how the estimate is made and how it compares with measured steps
* https://github.com/tensorflow/tensorflow/issues/36327
* https://github.com/tensorflow/tensorflow/issues/36025: cuDNN without memory
'''

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter

from cudnnlint.events import LayerInfo, TrainingStarted, first_tensor
from cudnnlint.events.losses import GraphMeasured
from cudnnlint.finding import Argument, Finding, Label, Level, Recipe, SetArgument
from cudnnlint.memory.device import said
from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.gpus import GPU
from cudnnlint.rules.amounts import SURELY, OnGPU, amount, gpu_of, on, usable
from cudnnlint.rules.ancestry import behind
from cudnnlint.rules.fixes import safe, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.source import Span
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.sizes import BYTES


class Options(OnGPU):
    __slots__ = ()


ATTENTION = frozenset(f"keras.layers.{name}" for name in (
    "MultiHeadAttention", "GroupQueryAttention", "Attention", "AdditiveAttention"))
"""Layers that take more than their inputs and outputs do."""
BATCH_SIZE = {"fit": 2, "evaluate": 2, "predict": 1}
"""Where batch_size stands among the arguments."""


@rule("CUD510", "out-of-memory", Level.WARNING, since="0.1")
def check(event: TrainingStarted | GraphMeasured, options: Options) -> Iterator[Finding]:
    if isinstance(event, GraphMeasured):
        yield from _kept(event, gpu_of(options.gpu))
        return
    limit, on_gpu = getattr(event.memory, "exceeds", None), getattr(event.memory, "on", None)
    if event.memory is None or limit is None or on_gpu is None:
        return
    whole = gpu_of(options.gpu)
    gpu = on_gpu(whole)
    if not limit(gpu.usable):
        return
    made: Estimate = event.memory(None, gpu.count)
    divided = isinstance(event.model.replicas, Unknown) and gpu.count == 1  # by as many GPUs as there are
    if made.batch_size is None or made.least(1 if divided else None) <= gpu.usable * SURELY:
        return
    spread = (f" on {made.replicas} replicas", " on each") if made.replicas > 1 else ("", "")
    at = _layer_at_fault(event, made, gpu)
    yield event.finding(
        f"{'training' if made.training else event.method} with batch size {made.batch_size}{spread[0]} needs "
        f"{f'at least {amount(made.least())}' if made.lower_bound else amount(made.needs())}{spread[1]}, more than "
        f"{usable(gpu)}: {_terms(made)}",
        span=at or event.span, trace=(*event.trace, *_culprits(made), *_limit(made, whole), *_used(event, at)),
        help=_remedy(made, gpu),
        fix=_fix(event, made, gpu),
        fails=f"{on(gpu)}: ResourceExhaustedError \"OOM when allocating tensor\" in the first step")


def _terms(made: Estimate) -> str:
    """What the sum is made of: it adds up to what is told before."""
    terms = made.terms
    held, whole = terms.weights + terms.optimizer, made.least() if made.lower_bound else made.needs()
    batch = whole - held if made.lower_bound else terms.total - held
    more = "" if made.lower_bound else f", {amount(whole - terms.total)} for what the allocator adds"
    return f"{amount(held)} for weights and optimizer, {amount(batch)} for the batch{more}"


def _kept(event: GraphMeasured, gpu: GPU) -> Iterator[Finding]:
    """A step of PyTorch, of which only what it keeps for backward() is counted."""
    if event.kept + event.weights <= gpu.total * SURELY:
        return
    yield event.finding(
        f"a training step keeps at least {amount(event.kept)} for backward(), more than the {amount(gpu.total)} of "
        f"{_named(gpu)}: {event.largest} is one of the tensors",
        help="a smaller batch, or smaller inputs", fails=f'{on(gpu)}: OutOfMemoryError "CUDA out of memory"')


def _named(gpu: GPU) -> str:
    return f"a {gpu.name}" if gpu.source != "given" else "the GPU"


def _layer_at_fault(event: TrainingStarted, made: Estimate, gpu: GPU) -> Span | None:
    """The layer that takes most of what is needed, where no batch fits: it is what has to be another one."""
    if made.largest(gpu.usable):
        return None
    held = made.terms.weights + made.terms.optimizer
    if 2 * held > made.needs():
        kernels = [(_kernel(layer, parents), layer.span) for layer, parents, _ in behind(event.model.outputs)]
        size, span = max(kernels, key=itemgetter(0), default=(0, event.span))
        return span if 2 * size > made.terms.weights else None
    shares: Counter[Span] = Counter()
    for share in made.layers:
        if share.span is not None:
            shares[share.span] += share.bytes
    span, size = shares.most_common(1)[0] if shares else (event.span, 0)
    makers = [layer.path for layer, _, _ in behind(event.model.outputs) if layer.span == span]
    return span if 2 * size > made.needs() and makers and all(path in ATTENTION for path in makers) else None


def _kernel(layer: LayerInfo, parents: tuple[Tensor, ...]) -> int:
    """Bytes of the kernel of a Dense layer; 0 of others."""
    x, units = first_tensor(parents), layer.arguments.get("units")
    if layer.path != "keras.layers.Dense" or x is None or not isinstance(x.shape, tuple) or not x.shape \
            or not isinstance(x.shape[-1], int) or not isinstance(units, int):
        return 0
    return x.shape[-1] * units * BYTES.get(layer.variable if isinstance(layer.variable, str) else "", 4)


def _used(event: TrainingStarted, at: Span | None) -> Iterator[Label]:
    if at is not None:
        yield Label(event.span, event.method)


def _limit(made: Estimate, gpu: GPU) -> Iterator[Label]:
    """What leaves less of the GPU than there is."""
    setting = made.device.decides(gpu) if made.device is not None else None
    if setting is not None:
        yield Label(setting.span, said(setting))


def _culprits(made: Estimate) -> Iterator[Label]:
    for share in made.layers[:3]:
        if share.span is not None:
            yield Label(share.span, f"{share.label} {amount(share.bytes)}")


def _fix(event: TrainingStarted, made: Estimate, gpu: GPU) -> Recipe | None:
    """The largest batch that fits, the same for each replica; none where more is needed than is known."""
    size = made.largest(gpu.usable) // made.replicas * made.replicas
    if made.lower_bound or not 0 < size < (made.batch_size or 0):
        return None
    place = None
    if event.data.kind == "arrays" and event.method in BATCH_SIZE:
        place = Argument(event.span, "batch_size", BATCH_SIZE[event.method])
    elif event.data.batching is not None and made.replicas == 1:
        place = Argument(event.data.batching, "batch_size", 0)
    same = safe if event.method == "predict" else unsafe
    return same(f"batch size {size}", SetArgument(place, str(size), computed=True, named=same is unsafe)) \
        if place is not None else None


def _remedy(made: Estimate, gpu: GPU) -> str:
    largest = made.largest(gpu.usable)
    if not largest:
        return "no batch fits: make the model or its inputs smaller"
    return f"no batch of more than {largest} fits" if made.lower_bound else f"batch size {largest} fits"

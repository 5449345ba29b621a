'''A Dense layer on flattened feature maps has a kernel that is larger than the GPU.

## Why is this bad?
The kernel of Dense has a row for every input feature. Flattened feature maps of a large image have millions of them,
and the layer cannot even be built; its gradient and the optimizer's slots are as large again.

## Example

```python
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([
    keras.Input((512, 512, 3)),
    layers.Conv2D(64, 3, padding="same", activation="relu"),
    layers.Flatten(),
    layers.Dense(4096, activation="relu"),  # error: [oversized-dense-after-flatten]
    layers.Dense(2, activation="softmax"),
])
```

```python
import torch
from torch import nn


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU())
        self.out = nn.Linear(64 * 256 * 256, 4096)  # error: [oversized-dense-after-flatten]

    def forward(self, x):
        return self.out(self.features(x).flatten(1))


y = Pose()(torch.rand(1, 3, 256, 256))
```

## Use instead
Pool before the Dense layer:

```python
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([
    keras.Input((512, 512, 3)),
    layers.Conv2D(64, 3, padding="same", activation="relu"),
    layers.GlobalAveragePooling2D(),
    layers.Dense(4096, activation="relu"),
    layers.Dense(2, activation="softmax"),
])
```

## Fix
Unsafe, since the model is another one: `GlobalAveragePooling` of the rank of its input stands in place of `Flatten`.

## Where it fails
On the GPU that is configured (`gpu`), or on a Tesla T4 of 16 GB, as the layer is built: ResourceExhaustedError "OOM
when allocating tensor with shape[16777216,4096]"; a Linear of PyTorch as it is moved there: OutOfMemoryError "CUDA out
of memory".

## Known limits
Only a kernel that alone exceeds the GPU is told of here; `out-of-memory` counts everything that training takes.

## References
* keras/src/layers/core/dense.py: Dense.build
* https://stackoverflow.com/questions/41067134
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied, LayerInfo, first_tensor
from cudnnlint.finding import Finding, Level, Recipe, RenameMethod
from cudnnlint.rules.amounts import SURELY, OnGPU, amount, gpu_of, on, usable
from cudnnlint.rules.ancestry import maker_of
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor
from cudnnlint.values.sizes import BYTES

DENSE, LINEAR = "keras.layers.Dense", "torch.nn.Linear"
POOLED = (3, 4, 5)
FLATTENING = ("keras.layers.Flatten", "keras.layers.Reshape")


class Options(OnGPU):
    __slots__ = ()


@rule("CUD511", "oversized-dense-after-flatten", Level.ERROR, since="0.1", layers=frozenset({DENSE, LINEAR}))
def check(event: LayerApplied, options: Options) -> Iterator[Finding]:
    if event.layer.path == LINEAR:
        yield from _linear(event, options)
        return
    x, units = first_tensor(event.inputs), event.layer.arguments.get("units")
    if x is None or not isinstance(x.shape, tuple) or not x.shape or not isinstance(units, int):
        return
    features, gpu = x.shape[-1], gpu_of(options.gpu)
    before = maker_of(x)
    if not isinstance(features, int) or before is None or before.path not in FLATTENING:
        return
    size = features * units * BYTES.get(event.layer.variable if isinstance(event.layer.variable, str) else "", 4)
    if size > gpu.usable * SURELY:
        yield event.finding(
            f"Dense({units}) on {features:,} flattened features has a kernel of {amount(size)}, more than "
            f"{usable(gpu)}",
            span=event.layer.span, help=f"layers.GlobalAveragePooling2D in place of {before.name}, or pool before it",
            fix=_pooled(x, before),
            fails=f'{on(gpu)}, as the layer is built: ResourceExhaustedError "OOM when allocating tensor with '
                  f'shape[{features},{units}]"')


def _linear(event: LayerApplied, options: Options) -> Iterator[Finding]:
    features, units = (event.layer.arguments.get(name) for name in ("in_features", "out_features"))
    gpu = gpu_of(options.gpu)
    if isinstance(features, int) and isinstance(units, int) and features * units * 4 > gpu.usable * SURELY:
        yield event.finding(
            f"Linear({features}, {units}) has a weight of {amount(features * units * 4)}, more than {usable(gpu)}",
            span=event.layer.span, help="nn.AdaptiveAvgPool2d(1) before it is flattened",
            fails=f'{on(gpu)}, as the module is moved there: OutOfMemoryError "CUDA out of memory"')


def _pooled(x: Tensor, flatten: LayerInfo) -> Recipe | None:
    given = first_tensor(x.step.parents if x.step is not None else ())
    if given is None or given.rank not in POOLED or not flatten.path.endswith(".Flatten"):
        return None
    name = f"GlobalAveragePooling{given.rank - 2}D"
    return unsafe(f"{name} in place of Flatten", RenameMethod(flatten.span, "Flatten", name))

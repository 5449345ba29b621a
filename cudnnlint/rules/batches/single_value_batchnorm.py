'''Batch normalisation is trained on one value per channel.

## Why is this bad?
The mean of one value is the value, so that the layer gives beta, 0 at first, whatever its input is: nothing before it
learns, and moving_variance goes to 0. It happens where batches have one row and no axis is left beside the channels:
after Dense, Flatten, global pooling, or where an image has shrunk to 1x1.

## Example

```python
import numpy as np
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input((4,)), layers.Dense(8), layers.BatchNormalization(), layers.Dense(1),
])
model.compile("adam", "mse")
x, y = np.zeros((100, 4)), np.zeros((100, 1))
model.fit(x, y, batch_size=1)  # error: [single-value-batchnorm]
```

```python
import tensorflow as tf

norm = tf.keras.layers.BatchNormalization()
y = norm(tf.zeros((1, 1, 1, 64)), training=True)  # error: [single-value-batchnorm]
```

## Use instead
Larger batches, or a normalisation that does without them.

```python
import numpy as np
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input((4,)), layers.Dense(8), layers.LayerNormalization(), layers.Dense(1),
])
model.compile("adam", "mse")
x, y = np.zeros((100, 4)), np.zeros((100, 1))
model.fit(x, y, batch_size=1)
```

```python
import numpy as np
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input((32, 32, 3)), layers.Conv2D(8, 3), layers.BatchNormalization(), layers.Flatten(), layers.Dense(1),
])
model.compile("adam", "mse")
x, y = np.zeros((100, 32, 32, 3)), np.zeros((100, 1))
model.fit(x, y, batch_size=1)
model.predict(x, batch_size=1)
```

## Fix
Unsafe, since the model no longer learns from those rows: a DataLoader whose last batch has 1 row gets `drop_last=True`.

## Where it fails
With Keras nowhere, on any version and device: the output is beta. PyTorch refuses it: ValueError "Expected more than
1 value per channel when training, got input size torch.Size([1, 64])". There it is most often the last batch,
and told at the DataLoader:

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

norm = nn.BatchNorm1d(32)
model = nn.Linear(20, 32)
data = TensorDataset(torch.randn(1025, 20), torch.randn(1025, 32))
for x, y in DataLoader(data, batch_size=64):  # error: [single-value-batchnorm]
    loss = nn.functional.mse_loss(norm(model(x)), y)
```

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))
data = TensorDataset(torch.randn(1025, 20), torch.randn(1025, 1))
for x, y in DataLoader(data, batch_size=64, drop_last=True):
    loss = nn.functional.mse_loss(model(x), y)
model.eval()
one = model(torch.randn(1, 20))
```

## Known limits
With fit(), a last batch of one row among larger ones is not told of. A layer whose `trainable` was set to something
else than True is not judged, since it uses its moving statistics then.

## References
* keras/src/layers/normalization/batch_normalization.py: BatchNormalization.call
* torch/nn/functional.py: _verify_batch_size
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied, LayerInfo, TrainingStarted
from cudnnlint.finding import Argument, Finding, Label, Level, SetArgument
from cudnnlint.rules.ancestry import behind
from cudnnlint.rules.fixes import loader_of, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor

TORCH = frozenset(f"torch.nn.{lazy}BatchNorm{rank}d" for rank in (1, 2, 3) for lazy in ("", "Lazy"))
KERAS = "keras.layers.BatchNormalization"
FOLLOWED = "subclassed"
"""Models whose call() is followed on the batch: LayerApplied tells of each layer, if it is told that it trains."""


@rule("CUD408", "single-value-batchnorm", Level.WARNING, since="0.1", layers=TORCH | {KERAS})
def check(event: LayerApplied | TrainingStarted) -> Iterator[Finding]:
    if isinstance(event, LayerApplied):
        x = event.inputs
        one = event.training is True and isinstance(x, Tensor) and _rows(x) == 1
        if one and event.layer.path in TORCH and _has_one_place(x):
            loader = loader_of(x)
            if loader is None:
                yield event.finding(f"{event.layer.name} is trained on {x}: 1 value per channel", help=TORCH_HELP,
                                    fails=TORCH_FAILS.format(list(x.shape)))
            else:
                yield event.finding(
                    f"a batch of 1 row, on which {event.layer.name} is trained: 1 value per channel of {x}",
                    span=loader, trace=(*event.trace, Label(event.span, "it comes here")), help=TORCH_HELP,
                    fails=TORCH_FAILS.format(list(x.shape)),
                    fix=unsafe("drop_last=True", SetArgument(Argument(loader, "drop_last", 8), "True")))
        elif one and _is_alone(event.layer, x, event.maker):
            yield event.finding(f"{event.layer.name} is trained on {x}: 1 value per channel", help=HELP, fails=FAILS)
    elif event.method in ("fit", "train_on_batch") and event.batch_size == 1 and event.model.kind != FOLLOWED:
        for layer, inputs, made in behind(event.model.outputs):
            if inputs and made.step is not None and _is_alone(layer, inputs[0], made.step.maker):
                yield event.finding(f"batches of 1 row: {layer.name} is trained on 1 value per channel of {inputs[0]}",
                                    help=HELP, fails=FAILS,
                                    trace=(*event.trace, Label(layer.span, "trained on 1 value per channel")))
                return


HELP = "use larger batches, or LayerNormalization or GroupNormalization"
FAILS = "silently, everywhere: its output is beta whatever its input, and nothing before it learns"

TORCH_HELP = "drop_last=True in the DataLoader where a last batch has 1 row; or model.eval(), or GroupNorm or LayerNorm"
TORCH_FAILS = ('everywhere, in training mode: ValueError "Expected more than 1 value per channel when training, got '
               'input size torch.Size({})"')


def _has_one_place(x: Tensor) -> bool:
    """torch/nn/functional.py: _verify_batch_size."""
    return isinstance(x.shape, tuple) and len(x.shape) > 1 and all(extent == 1 for extent in x.shape[2:])


def _rows(x: Tensor) -> object:
    return x.shape[0] if isinstance(x.shape, tuple) and x.shape else None


def _is_alone(layer: LayerInfo, x: Tensor, maker: object) -> bool:
    """Whether nothing but the batch is averaged over: all axes beside it and that of the channels are 1."""
    axis = layer.arguments.get("axis")
    if layer.path != KERAS or not isinstance(x.shape, tuple) or len(x.shape) < 2:
        return False
    if not isinstance(axis, int) or not _trains(layer, maker):
        return False
    kept = axis % len(x.shape)
    return kept != 0 and all(isinstance(extent, int) and extent == 1
                             for place, extent in enumerate(x.shape) if place not in (0, kept))


def _trains(layer: LayerInfo, maker: object) -> bool:
    """Not frozen: then the moving statistics are used, in training too."""
    extra, base = getattr(maker, "extra", None), getattr(maker, "base", None)
    held = extra.get("trainable", True) if isinstance(extra, dict) else True
    return held is True and (base.get("trainable", True) if isinstance(base, dict) else True) is True

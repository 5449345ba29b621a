'''More than 65535 images at once reach the batch normalisation of Keras 2 in inference.

## Why is this bad?
cuDNN's batch normalisation takes at most 65535 rows in inference. TensorFlow hands it any number, and Keras 2 uses it
for images. In training the limit is not there, so that fit() runs and evaluate() or predict() fails.

## Example

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input((8, 8, 1)), layers.Conv2D(4, 3), layers.BatchNormalization(), layers.Flatten(), layers.Dense(1),
])
model.compile("adam", "mse")
x = np.zeros((200000, 8, 8, 1), dtype="float32")
scores = model.predict(x, batch_size=100000)  # error: [batchnorm-inference-batch-too-large]
once = model.predict_on_batch(x)  # error: [batchnorm-inference-batch-too-large]
```

## Use instead

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input((8, 8, 1)), layers.Conv2D(4, 3), layers.BatchNormalization(), layers.Flatten(), layers.Dense(1),
])
model.compile("adam", "mse")
x = np.zeros((200000, 8, 8, 1), dtype="float32")
scores = model.predict(x, batch_size=4096)
```

Keras 3 does not use cuDNN's batch normalisation:

```python
import numpy as np
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input((8, 8, 1)), layers.Conv2D(4, 3), layers.BatchNormalization(), layers.Flatten(), layers.Dense(1),
])
scores = model.predict(np.zeros((200000, 8, 8, 1), dtype="float32"), batch_size=100000)
```

Where nothing names a version, that Keras 2 fails is only told, as advice, to who selects this rule:

```python select=batchnorm-inference-batch-too-large
import numpy as np
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input((8, 8, 1)), layers.Conv2D(4, 3), layers.BatchNormalization(), layers.Flatten(), layers.Dense(1),
])
x = np.zeros((200000, 8, 8, 1), dtype="float32")
scores = model.predict(x, batch_size=100000)  # error: [batchnorm-inference-batch-too-large]
```

PyTorch has the same limit in its first releases:

```python torch=1.3
import torch
from torch import nn

norm = nn.BatchNorm2d(1).cuda().eval()
y = norm(torch.rand(65536, 1, 1, 1).cuda())  # error: [batchnorm-inference-batch-too-large]
```

```python
import torch
from torch import nn

norm = nn.BatchNorm2d(1).cuda().eval()
y = norm(torch.rand(65536, 1, 1, 1).cuda())
```

## Where it fails
On a GPU with Keras 2, for inputs with 4 axes: InternalError "cuDNN launch failure : input shape ([100000,4,6,6])",
from CUDNN_STATUS_NOT_SUPPORTED. A CPU runs it. With PyTorch up to 1.3 for inputs with 3 axes and more: RuntimeError
"cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous input."; later ones
leave such a batch to a kernel of their own.

## Known limits
Inputs with 5 axes are not judged. With several replicas, the rows of each count; their number must be known.

## References
* cuDNN 9: cudnnBatchNormalizationForwardInference ("xDescInternal.dimA[0] > 65535")
* tensorflow/core/kernels/fused_batch_norm_op.cc: FusedBatchNorm<GPUDevice>
* https://github.com/pytorch/pytorch/issues/19911, https://github.com/pytorch/pytorch/issues/29744
* aten/src/ATen/native/Normalization.cpp: _batch_norm_impl_index ("input.size(0) <= 65535")
* tf_keras/src/layers/normalization/batch_normalization.py: BatchNormalizationBase.build
'''

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import LayerApplied, LayerInfo, TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import behind
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor, Where

TORCH = frozenset(f"torch.nn.BatchNorm{rank}d" for rank in (1, 2, 3))
KERAS = "keras.layers.BatchNormalization"


@rule("CUD407", "batchnorm-inference-batch-too-large", Level.ERROR, since="0.1",
      earlier=(Where(keras="<3"), Where(torch="<1.4")), layers=TORCH | {KERAS})
def check(event: LayerApplied | TrainingStarted) -> Iterator[Finding]:
    if isinstance(event, LayerApplied) and event.layer.path in TORCH:
        yield from _torch(event)
        return
    if event.stack.keras >= (3,):
        return
    if isinstance(event, LayerApplied):
        x = event.inputs
        if event.training is not False or not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or not x.shape:
            return
        if isinstance(x.shape[0], int) and x.shape[0] > LIMIT and _is_fused(event.layer, x):
            yield event.finding(_message(event.layer, x.shape[0]), help=HELP, fails=FAILS)
    elif event.method in INFERENCE and (rows := _rows(event)) > LIMIT:
        found = next((layer for layer, inputs, _ in behind(event.model.outputs)
                      if inputs and _is_fused(layer, inputs[0])), None)
        if found is not None:
            yield event.finding(_message(found, rows), help=HELP, fails=FAILS)


LIMIT = 65535
INFERENCE = ("evaluate", "predict", "test_on_batch", "predict_on_batch")
HELP = f"use batches of at most {LIMIT} rows"
FAILS = 'on a GPU, with Keras 2: InternalError "cuDNN launch failure", CUDNN_STATUS_NOT_SUPPORTED'


def _torch(event: LayerApplied) -> Iterator[Finding]:
    """PyTorch before 1.4, which hands any batch to cuDNN (https://github.com/pytorch/pytorch/issues/29744: 1.3)."""
    x = event.inputs
    if event.stack.torch >= (1, 4) or event.training is not False or not isinstance(x, Tensor):
        return
    if isinstance(x.shape, tuple) and len(x.shape) >= 3 and isinstance(x.shape[0], int) and x.shape[0] > LIMIT:
        yield event.finding(_message(event.layer, x.shape[0]), help=HELP, fails=(
            'on a GPU, with PyTorch before 1.4: RuntimeError "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may '
            'appear if you passed in a non-contiguous input."'))


def _message(layer: LayerInfo, rows: int) -> str:
    return f"{rows} rows at once, {layer.name} takes {LIMIT} in inference"


def _rows(event: TrainingStarted) -> int:
    """Rows of the largest batch on one replica; 0 when not known."""
    replicas = event.model.replicas
    rows: Any = event.batch_size
    if not isinstance(rows, int) and event.data.kind == "arrays":  # the last batch is smaller than the others
        rows = event.arguments.get("batch_size")
        rows = min(rows, event.data.rows) if isinstance(rows, int) and isinstance(event.data.rows, int) else 0
    known = isinstance(rows, int) and isinstance(replicas, int) and replicas > 0
    return -(-rows // replicas) if known else 0


def _is_fused(layer: LayerInfo, x: Tensor) -> bool:
    """tf_keras/src/layers/normalization/batch_normalization.py: build."""
    op = layer.op
    return (layer.path == KERAS and x.rank == 4 and layer.variable == "float32"
            and layer.arguments.get("fused") in (None, True) and layer.arguments.get("renorm") is False
            and layer.arguments.get("axis") in (1, 3, -1, -3) and getattr(op, "virtual_batch_size", None) is None
            and getattr(op, "adjustment", None) is None and getattr(op, "synchronized", None) is False)

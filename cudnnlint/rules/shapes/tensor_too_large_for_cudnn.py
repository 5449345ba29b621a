'''A batch makes a tensor of 2^31 elements or more for a kernel that counts in 32 bits.

## Why is this bad?
Kernels on a GPU index with 32-bit numbers. TensorFlow cuts what it gives cuDNN's pooling into smaller batches, and
cuDNN's convolutions have kernels for more; batch normalisation of Keras 2 and depthwise convolutions do not.

## Example

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x = keras.Input((1024, 1024, 3))
y = layers.Conv2D(64, 3, padding="same")(x)
y = layers.BatchNormalization()(y)  # error: [tensor-too-large-for-cudnn]
y = layers.Dense(1)(layers.GlobalAveragePooling2D()(y))
model = keras.Model(x, y)
model.compile("adam", "mse")
model.fit(np.zeros((640, 1024, 1024, 3), "float32"), np.zeros((640, 1)), batch_size=32)  # error: [out-of-memory]
```

## Use instead

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x = keras.Input((1024, 1024, 3))
y = layers.Conv2D(64, 3, padding="same")(x)
y = layers.BatchNormalization()(y)
y = layers.Dense(1)(layers.GlobalAveragePooling2D()(y))
model = keras.Model(x, y)
model.compile("adam", "mse")
model.fit(np.zeros((640, 1024, 1024, 3), "float32"), np.zeros((640, 1)), batch_size=16)
```

## Where it fails
On a GPU. Batch normalisation, with Keras 2: the process ends with "Check failed: cudnnSetTensorNdDescriptor(...) ==
CUDNN_STATUS_SUCCESS", CUDNN_STATUS_NOT_SUPPORTED. Depthwise convolutions, with every version: InvalidArgumentError
"Output elements too large for GPU kernel". That the descriptor refuses 2^31 elements was run with cuDNN 7.3 to 9.28.

## Known limits
The size of the batch must follow from the program. A GPU too small for the tensor fails before, by running out of
memory; this is for those that have the 8 GiB that 2^31 float32 take.

## References
* tensorflow/core/kernels/depthwise_conv_op.cc: DepthwiseConv2dNativeOp::Compute
* tensorflow/core/kernels/fused_batch_norm_op.cc; xla/stream_executor/cuda/cuda_dnn.cc: CudnnTensorDescriptor
* https://github.com/pytorch/pytorch/issues/51776
'''

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import LayerInfo, TrainingStarted
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.ancestry import behind
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor, Where
from cudnnlint.values.dim import is_known, product


@rule("CUD113", "tensor-too-large-for-cudnn", Level.ERROR, since="0.1", earlier=(Where(keras="<3"),))
def check(event: TrainingStarted) -> Iterator[Finding]:
    rows = _rows(event)
    for layer, _, made in behind(event.model.outputs) if rows else ():
        if not (error := _error(layer, event)) or (count := _elements(made, rows)) < LIMIT:
            continue
        trace = (*(label for label in event.trace if label.span != layer.span),
                 Label(event.span, f"batches of {rows} rows"))
        yield event.finding(f"{layer.name} on {rows} rows makes {count} elements, its kernel counts to {LIMIT - 1}",
                            span=layer.span, trace=trace, fails=f"on a GPU, in {event.method}(): {error}",
                            help=f"batches of at most {max(1, (LIMIT - 1) * rows // count)} rows")


LIMIT = 2 ** 31
DEPTHWISE = frozenset(f"keras.layers.{name}" for name in ("DepthwiseConv2D", "SeparableConv2D",
                                                          "SeparableConvolution2D"))


def _error(layer: LayerInfo, event: TrainingStarted) -> str:
    """What a layer without 64-bit indices ends in; "" for any other."""
    if layer.path in DEPTHWISE:
        return 'InvalidArgumentError "Output elements too large for GPU kernel"'
    fused = layer.arguments.get("fused") in (None, True) and layer.variable == "float32"
    if layer.path == "keras.layers.BatchNormalization" and event.stack.keras < (3,) and fused:
        return "CUDNN_STATUS_NOT_SUPPORTED, the process is aborted"
    return ""


def _rows(event: TrainingStarted) -> int:
    """Rows of a full batch on one replica; 0 where not known."""
    rows: Any = event.batch_size
    if not is_known(rows) and event.data.kind == "arrays":
        size, given = event.arguments.get("batch_size") or 32, event.data.rows
        rows = min(size, given) if isinstance(size, int) and isinstance(given, int) else 0
    replicas = event.model.replicas
    return rows // replicas if is_known(rows) and isinstance(replicas, int) and replicas > 0 else 0


def _elements(made: Tensor, rows: int) -> int:
    if not isinstance(made.shape, tuple) or len(made.shape) not in (4, 5):
        return 0
    count = product((rows, *made.shape[1:]))
    return count if isinstance(count, int) else 0

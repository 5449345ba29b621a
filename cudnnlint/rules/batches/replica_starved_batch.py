'''A batch has fewer rows than the strategy has replicas, so that some get none.

## Why is this bad?
`batch_size` is that of all replicas together. A batch with fewer rows than replicas, often the last one of an epoch,
leaves some replicas without any. Most layers digest that, but cuDNN refuses tensors with an extent of zero, and for
the gradient of Conv3D and for LSTM and GRU nothing stands before it: training stops in the middle of an epoch.

## Example
The last batch of 10 rows in batches of 8 has 2.

```python
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2", "GPU:3"])
with strategy.scope():
    model = tf.keras.Sequential([
        tf.keras.Input((16, 16, 16, 1)), tf.keras.layers.Conv3D(4, 3), tf.keras.layers.GlobalAveragePooling3D(),
        tf.keras.layers.Dense(1),
    ])
    model.compile("adam", "mse")
x, y = np.zeros((10, 16, 16, 16, 1)), np.zeros((10, 1))
model.fit(x, y, batch_size=8)  # error: [replica-starved-batch]
```

```python
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2"])
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((50, 8)), tf.keras.layers.LSTM(16), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
x, y = np.zeros((65, 50, 8)), np.zeros((65, 1))
model.predict(x)  # error: [replica-starved-batch]
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(63)
model.fit(data)  # error: [replica-starved-batch]
```

In a loop of the program's own the batches of the distributed dataset are divided:

```python
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2", "GPU:3"])
with strategy.scope():
    net = tf.keras.Sequential([tf.keras.Input((50, 8)), tf.keras.layers.LSTM(16), tf.keras.layers.Dense(1)])
data = tf.data.Dataset.from_tensor_slices(tf.zeros((66, 50, 8)))


@tf.function
def forward(x):
    return net(x, training=False)  # error: [replica-starved-batch]


@tf.function
def full(x):
    return net(x, training=False)


for x in strategy.experimental_distribute_dataset(data.batch(64)):
    strategy.run(forward, args=(x,))
for x in strategy.experimental_distribute_dataset(data.batch(64, drop_remainder=True)):
    strategy.run(full, args=(x,))
```

The same holds of `multi_gpu_model()` of Keras before 2.4, which cuts every batch into as many parts as there are GPUs.
There nothing protects BatchNormalization either, whose moving statistics become NaN:

```python tensorflow=2.3
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x = keras.Input((8, 8, 3))
y = layers.GlobalAveragePooling2D()(layers.BatchNormalization()(layers.Conv2D(16, 3)(x)))
model = keras.utils.multi_gpu_model(keras.Model(x, layers.Dense(1)(y)), gpus=4)
model.compile("adam", "mse")
model.fit(np.zeros((65, 8, 8, 3)), np.zeros((65, 1)), batch_size=8)  # error: [replica-starved-batch]
model.fit(np.zeros((68, 8, 8, 3)), np.zeros((68, 1)), batch_size=8)
```

## Use instead
Let every batch have a row for each replica: a batch size that leaves enough in the last one, or
`drop_remainder=True`.

```python
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2", "GPU:3"])
with strategy.scope():
    model = tf.keras.Sequential([
        tf.keras.Input((16, 16, 16, 1)), tf.keras.layers.Conv3D(4, 3), tf.keras.layers.GlobalAveragePooling3D(),
        tf.keras.layers.Dense(1),
    ])
    model.compile("adam", "mse")
x, y = np.zeros((12, 16, 16, 16, 1)), np.zeros((12, 1))
model.fit(x, y, batch_size=8)
x, y = x[:10], y[:10]
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8, drop_remainder=True)
model.fit(data)
```

Layers that digest an empty batch are no reason:

```python
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2", "GPU:3"])
with strategy.scope():
    model = tf.keras.Sequential([
        tf.keras.Input((50, 8)), tf.keras.layers.LSTM(16, activation="relu"), tf.keras.layers.Dense(1),
    ])
    model.compile("adam", "mse")
model.fit(np.zeros((10, 50, 8)), np.zeros((10, 1)), batch_size=8)
```

## Fix
Unsafe, since samples are left out: `drop_remainder=True` is given to the batch() of a dataset whose last batch is the
one with too few rows.

## Where it fails
On several GPUs, every version to this day: "CUDNN_STATUS_BAD_PARAM ... cudnnSetTensorNdDescriptor" for the gradient of
Conv3D (in the log "batch_descriptor: {count: 0 feature_map_count: 16 spatial: 128 128 128 ...}", with
TensorFlow 1 "could not set cudnn tensor descriptor: CUDNN_STATUS_BAD_PARAM"), "UnknownError:
CUDNN_STATUS_BAD_PARAM ... cudnnSetRNNDataDescriptor" for LSTM and GRU that run on cuDNN.

## Known limits
The number of replicas must be in the source: `MirroredStrategy()` takes all GPUs that there are. Of a dataset the
last batch is judged where its number of rows is known.

## References
* tensorflow/core/kernels/conv_grad_filter_ops_3d.cc: Conv3DBackpropFilterOp<GPUDevice>
* tensorflow/core/kernels/cudnn_rnn_ops.cc: ExtractForwardInput
* tensorflow/python/distribute/input_lib.py: partial batches
* tensorflow/core/kernels/fused_batch_norm_op.cc: FusedBatchNorm (NaN for no rows)
* https://github.com/tensorflow/tensorflow/issues/60935, https://github.com/keras-team/keras/issues/11434
'''

from __future__ import annotations

import math
from collections.abc import Iterator

from cudnnlint.events import LayerApplied, TrainingStarted, tensors
from cudnnlint.events.devices import ReplicaShare
from cudnnlint.finding import Finding, Level, Recipe
from cudnnlint.rules.ancestry import behind, chain, runs_on_cudnn, within
from cudnnlint.rules.fixes import last_of, without_rest
from cudnnlint.rules.protocol import rule
from cudnnlint.values.origins import whole


@rule("CUD414", "replica-starved-batch", Level.ERROR, since="0.1")
def check(event: TrainingStarted | LayerApplied) -> Iterator[Finding]:
    if isinstance(event, LayerApplied):
        yield from _handed_on(event)
        return
    replicas = event.model.replicas
    if event.method == "GradientTape" or not isinstance(replicas, int) or (rows := _smallest(event)) >= replicas:
        return
    trains = event.method in ("fit", "train_on_batch")
    if harm := _fatal(event, event.model.outputs, trains=trains, towers=event.model.towers):
        yield _finding(event, rows, replicas, harm, without_rest(event.data) if rows == last_of(event) else None)


def _handed_on(event: LayerApplied) -> Iterator[Finding]:
    """What is called in a function that `strategy.run()` gets, on a part of a batch of a distributed dataset."""
    part = _share(event) if not event.within else None
    if part is None or not whole(part.rows, part.replicas) or part.rows >= part.replicas:
        return
    if harm := _fatal(event, event.output, trains=event.around == "tape", towers=False):
        yield _finding(event, part.rows, part.replicas, harm, None)


def _share(event: LayerApplied) -> ReplicaShare | None:
    """The part of a batch that a layer or model is called on, before any other layer."""
    for x in tensors(event.inputs):
        if x.kind == "keras":  # of no batch yet
            continue
        for made, layer in chain(x):
            if made.step is not None and isinstance(made.step.maker, ReplicaShare):
                return made.step.maker
            if layer is not None:
                break
    return None


def _finding(event: TrainingStarted | LayerApplied, rows: float, replicas: int, harm: str,
             fix: Recipe | None) -> Finding:
    return event.finding(
        f"a batch of {rows} row{'s' * (rows != 1)} on {replicas} replicas leaves some without rows",
        help=f"batch_size is that of all replicas: let every batch have at least {replicas} rows",
        fails=f"on several GPUs: {harm}", fix=fix)


def _fatal(event: TrainingStarted | LayerApplied, outputs: object, *, trains: bool, towers: bool) -> str:
    """What happens in a layer that cannot do without rows; "" if there is none."""
    for layer, _, _ in behind(outputs):
        if runs_on_cudnn(layer, event.stack):
            return f"CUDNN_STATUS_BAD_PARAM from {within(layer).name}"
        if trains and layer.path in ("keras.layers.Conv3D", "keras.layers.Convolution3D"):
            return f"CUDNN_STATUS_BAD_PARAM from the gradient of {layer.name}"
        if trains and towers and layer.path == "keras.layers.BatchNormalization":
            return "moving statistics of BatchNormalization that are NaN, silently"
    return ""


def _smallest(event: TrainingStarted) -> float:
    """Rows of the smallest batch; infinite when not known."""
    if (last := last_of(event)) is not None:
        return last
    if isinstance(event.batch_size, int) and event.batch_size > 0:
        return event.batch_size
    size, rows = event.arguments.get("batch_size") or 32, event.data.rows
    split = event.arguments.get("validation_split")
    if event.data.kind != "arrays" or split or not isinstance(size, int) or not isinstance(rows, int) or size <= 0:
        return math.inf
    return min(size, rows % size or size) if rows > 0 else math.inf

'''Class numbers that the last layer has no unit for.

## Why is this bad?
`sparse_categorical_crossentropy` takes a label as the index of an output unit: with N units 0 to N - 1. Labels that
were written 1 to N, or a last layer with too few units, are refused on a CPU. On a GPU nothing is: the loss of such a
row is NaN, and after one step so are all weights.

## Example

```python
import keras
import numpy as np
from keras import layers

x, y = np.zeros((1000, 64)), np.random.randint(1, 11, size=1000)
model = keras.Sequential([keras.Input((64,)), layers.Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y)  # error: [label-out-of-range]
```

```python
import keras
import tensorflow as tf

(x, y), _ = keras.datasets.cifar10.load_data()
dataset = tf.data.Dataset.from_tensor_slices((x / 255.0, y + 1)).shuffle(1000).batch(64)
model = keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Flatten(), keras.layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset)  # error: [label-out-of-range]
```

A loop of one's own calls the loss, or TensorFlow's function:

```python
import keras
import tensorflow as tf

(x, y), _ = keras.datasets.mnist.load_data()
net = keras.Sequential([keras.Input((28, 28)), keras.layers.Flatten(), keras.layers.Dense(9)])
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for batch, labels in tf.data.Dataset.from_tensor_slices((x, y)).batch(100):
    loss = loss_fn(labels, net(batch))  # error: [label-out-of-range]
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, net(batch))  # error: [label-out-of-range]
```

A loss function of one's own is followed to the one that it calls:

```python
from functools import partial

import tensorflow as tf

(x, y), _ = tf.keras.datasets.cifar10.load_data()
model = tf.keras.Sequential([tf.keras.Input((32, 32, 3)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(9)])


def crossentropy(y_true, y_pred):
    return tf.keras.losses.sparse_categorical_crossentropy(  # error: [label-out-of-range]
        y_true, y_pred, from_logits=True)


model.compile("adam", crossentropy)
model.fit(x, y)
model.compile("adam", partial(tf.keras.losses.sparse_categorical_crossentropy, from_logits=True))
model.fit(x, y)  # error: [label-out-of-range]
```

to_categorical() has no column for such a label either:

```python
import keras
import numpy as np

labels = np.array([1, 2, 3, 3, 1])
keras.utils.to_categorical(labels, num_classes=3)  # error: [label-out-of-range]
```

PyTorch's CrossEntropyLoss and NLLLoss take class numbers likewise:

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(100, 6), torch.randint(1, 4, (100,)))
model, loss_fn = nn.Linear(6, 3), nn.CrossEntropyLoss()
for x, y in DataLoader(data, batch_size=10):
    loss = loss_fn(model(x), y)  # error: [label-out-of-range]
```

and BCELoss takes targets from 0 to 1, not the grey values of a mask:

```python
import torch
from torch import nn

masks = torch.randint(0, 256, (4, 1, 32, 32)).float()
net = nn.Sequential(nn.Conv2d(3, 1, 3, padding=1), nn.Sigmoid())
loss = nn.BCELoss()(net(torch.randn(4, 3, 32, 32)), masks)  # error: [label-out-of-range]
fine = nn.BCELoss()(net(torch.randn(4, 3, 32, 32)), masks / 255)
```

Groups of samples, each with its number:

```python
import keras
import numpy as np

rest, walk, fall = np.zeros((60, 8)), np.ones((60, 8)), np.full((20, 8), 2.0)
x = np.concatenate([rest, walk, fall])
y = np.hstack([np.zeros(60), np.ones(60), np.full(20, 2)])
order = np.random.permutation(len(x))
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x[order], y[order])  # error: [label-out-of-range]
```

A number that is written to a part of each sample, such as the border of objects in a mask:

```python
import numpy as np
import tensorflow as tf

masks = np.random.randint(0, 21, (8, 32, 32))
masks[:, :2, :] = 255
net = tf.keras.Sequential([tf.keras.layers.Conv2D(21, 1)])
for step in range(4):
    part = slice(2 * step, 2 * step + 2)
    logits = net(tf.zeros((2, 32, 32, 3)))
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(masks[part], logits)  # error: [label-out-of-range]
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

x, y = np.zeros((1000, 64)), np.random.randint(1, 11, size=1000)
model = keras.Sequential([keras.Input((64,)), layers.Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y - 1)
keras.utils.to_categorical(y, num_classes=11)
```

## Where it fails
Everywhere. On a CPU in fit() and evaluate(): InvalidArgumentError "Received a label value of 10 which is outside the
valid range of [0, 10)" (run with Keras 3.15 and tf_keras 2.21, labels too large and negative ones). On a GPU the
loss becomes NaN without an error ("loss: nan"). to_categorical(): IndexError "index 3 is out of bounds for axis 1 with
size 3"; a negative label counts from the end there, without a word.

PyTorch: IndexError "Target 3 is out of bounds." on a CPU; on a GPU "CUDA error: device-side assert triggered" after
"Assertion `t >= 0 && t < n_classes` failed" of nll_loss_forward_reduce_cuda_kernel_2d, which a later call reports, so
that cuDNN seems to fail: CUDNN_STATUS_EXECUTION_FAILED, CUDNN_STATUS_MAPPING_ERROR. `ignore_index` is lawful. BCELoss:
RuntimeError "all elements of target should be between 0 and 1" (run with 2.13); releases without that check train on it
without a word, as BCEWithLogitsLoss does to this day.

## Known limits
Labels are followed where their values stand in the program: lists, arange(), np.random.randint(), np.full() among
what is concatenated, keras.datasets, and
what is added to them. What a mask, a filter or a file selects is not known. `ignore_class` makes one label lawful: a
loss with it is not judged. tf.one_hot() gives a row of zeros for such a label, which may be meant.

```python
import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(5, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((1000, 64)), np.random.randint(0, 10, size=1000)
model.fit(x[y < 5], y[y < 5])
y[y > 4] = 0
model.fit(x, y)
dataset = tf.data.Dataset.from_tensor_slices((x, np.random.randint(0, 10, size=1000)))
model.fit(dataset.filter(lambda image, label: label < 5).batch(32))
```

## References
* tensorflow/core/kernels/sparse_xent_op.cc: CheckInvalidLabelIndex; sparse_xent_op.h: SparseXentLossGenerator (NaN)
* keras/src/utils/numerical_utils.py: to_categorical
* https://github.com/tensorflow/tensorflow/issues/10268, https://github.com/tensorflow/tensorflow/issues/15962
'''

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from cudnnlint.events import LossCalled, LossInfo, Rejected, TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.losses import SPARSE
from cudnnlint.rules.outputs import triples
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem, Tensor
from cudnnlint.values.bounds import Bounds, bounds

METHODS = ("fit", "evaluate", "train_on_batch", "test_on_batch")


@rule("CUD406", "label-out-of-range", Level.ERROR, since="0.1")
def check(event: TrainingStarted | LossCalled | Rejected) -> Iterator[Finding]:
    if isinstance(event, Rejected):
        if event.mismatch.problem is Problem.LABEL:
            yield rejection(event)
    elif isinstance(event, LossCalled):
        yield from islice(_judged(event, "labels", event.y, event.output, event.losses), 1)
    elif event.method in METHODS:
        given = (("labels", event.data), ("validation labels", event.validation))
        found = (_judged(event, word, data.y if data is not None else None, event.model.outputs, event.model.losses)
                 for word, data in given)
        yield from islice(chain.from_iterable(found), 1)


def _judged(event: TrainingStarted | LossCalled, word: str, labels: Any, outputs: Any,
            losses: Any) -> Iterator[Finding]:
    where = f"in {event.method}()" if isinstance(event, TrainingStarted) else "when the loss is called"
    for y, output, loss in triples(labels, outputs, losses):
        found, units = bounds(y), _units(output, loss)
        if found is not None and units is not None and (found.low < 0 or found.high >= units):
            yield event.finding(f"{word} {found.told}, the output has {units} units: 0 to {units - 1}",
                                help=_help(found, units), fails=_fails(found, units, where))


def _units(output: Tensor, loss: LossInfo) -> int | None:
    """Units of an output under a sparse loss."""
    if loss.name != SPARSE or loss.ignores:
        return None
    last = output.shape[-1] if isinstance(output.shape, tuple) and len(output.shape) > 1 else None
    return last if isinstance(last, int) else None


def _help(found: Bounds, units: int) -> str:
    if found.low == 1 and found.high == units:
        return f"count from 0, y - 1, or give the last layer {units + 1} units"
    if found.low < 0:
        return "class numbers count from 0"
    if found.low == found.high and found.low > units:
        return f"leave out what is {found.low}, SparseCategoricalCrossentropy(ignore_class={found.low}), or give the " \
               f"last layer {found.high + 1} units"
    return f"give the last layer {found.high + 1} units"


def _fails(found: Bounds, units: int, where: str) -> str:
    wrong = found.low if found.low < 0 else found.high
    return (f'everywhere, {where}: InvalidArgumentError "Received a label value of {wrong} which is outside the '
            f'valid range of [0, {units})" on a CPU; on a GPU the loss becomes NaN, silently')

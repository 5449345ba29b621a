'''An index lies past the end of an axis, of a shape or of a list of layers.

## Why is this bad?
The number was right for another array, another model or another version: a column that is not there, the 20th layer of
a network of 19, the fourth extent of a shape that has three.

## Example

```python
import keras
import tensorflow as tf
from keras import layers

model = keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(10)])
for i in range(4):
    model.layers[i].trainable = False  # error: [index-out-of-range]

features = layers.Flatten()(keras.Input((32, 32, 3)))
width = features.shape[2]  # error: [index-out-of-range]

scores = tf.zeros((8, 10))
eleventh = scores[:, 10]  # error: [index-out-of-range]
```

evaluate() gives the loss, and a list of it and the metrics only where compile() was given metrics:

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
score = model.evaluate(np.zeros((8, 4)), np.zeros((8, 1)))
error = score[1]  # error: [index-out-of-range]
```

## Use instead

```python
import keras
import tensorflow as tf
from keras import layers

model = keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(10)])
for layer in model.layers[:2]:
    layer.trainable = False

features = layers.Flatten()(keras.Input((32, 32, 3)))
width = features.shape[1]  # revealed: 3072

scores = tf.zeros((8, 10))
last = scores[:, 9]  # revealed: float32[8]
```

## Where it fails
Everywhere: IndexError "list index out of range", of TensorFlow's tensors InvalidArgumentError "slice index 10 of
dimension 1 out of bounds", in a graph ValueError with the same text; of Keras' symbolic ones ValueError "Array has
shape (None, 10) but out-of-bounds index". A slice, `x[:, 8:12]`, fails nowhere: it ends where the axis does. The
loss alone: TypeError "'float' object is not subscriptable".

## Known limits
Lists that are empty, or that are met in a branch or in a function that nothing calls, are not judged: what fills them
may not have been followed.

## References
* tensorflow/core/util/strided_slice_op.cc: ValidateStridedSliceOp
* keras/src/ops/numpy.py: GetItem
* keras/src/trainers/trainer.py: Trainer._flatten_metrics_in_order
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD115", "index-out-of-range", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.INDEX:
        yield rejection(event)

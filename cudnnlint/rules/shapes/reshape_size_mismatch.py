'''A tensor is reshaped into a shape with another number of elements.

## Why is this bad?
A reshape moves no data: the element counts must be equal. The usual cause is a number from a tutorial, such as
7 * 7 * 64, that was right for another input size or another number of poolings.

## Example

```python
import keras
from keras import layers

x = keras.Input((100,))
x = layers.Dense(7 * 7 * 128)(x)  # revealed: float32[B, 6272]
x = layers.Reshape((8, 8, 128))(x)  # error: [reshape-size-mismatch]
```

```python
import numpy as np

images = np.zeros((100, 28, 28))
flat = images.reshape(100, 28 * 27)  # error: [reshape-size-mismatch]
```

A batch of any size, whose rows would be cut in two:

```python
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
photos = tf.placeholder(tf.float32, [None, 20, 15, 64])
flat = tf.reshape(photos, [-1, 7 * 7 * 64])  # error: [reshape-size-mismatch]
halves = tf.reshape(photos, [-1, 150, 64])  # revealed: float32[None, 150, 64]
pairs = tf.reshape(photos, [-1, 40, 15, 64])  # revealed: float32[None, 40, 15, 64]
```

Heads that do not divide the width, where what follows the rows is kept:

```python
import keras
import numpy as np
from keras import layers, ops


class Heads(layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.depth = heads, width // heads

    def call(self, x):
        return ops.reshape(x, (-1, 30, self.heads, self.depth))  # error: [reshape-size-mismatch]


words = keras.Input((30, 48))
model = keras.Model(words, Heads(48, 5)(words))
queries = model(np.zeros((4, 30, 48)))
```

```python
import torch

features = torch.randn(32, 64, 7, 7)
flat = features.view(32, 64 * 5 * 5)  # error: [reshape-size-mismatch]
```

## Use instead

```python
import keras
from keras import layers

side, channels = 8, 128
x = keras.Input((100,))
x = layers.Dense(side * side * channels)(x)
x = layers.Reshape((side, side, channels))(x)  # revealed: float32[B, 8, 8, 128]
```

## Where it fails
Everywhere. `layers.Reshape` raises ValueError "The total size of the tensor must be unchanged" (Keras 2: "total
size of new array must be unchanged") when the model is built, NumPy ValueError "cannot reshape array", `tf.reshape`
InvalidArgumentError "Input to reshape is a tensor with ... values" when it runs.

PyTorch: RuntimeError "shape '[32, 1600]' is invalid for input of size 100352". einops: EinopsError "Shape mismatch,
can't divide axis of length 200 in chunks of 16".

## Known limits
With a batch axis of unknown size a reshape over the whole tensor, `tf.reshape(x, (-1, 3136))`, is only judged where it
neither splits rows into equal parts nor puts whole rows together: it may still fit a number of rows by chance. If it
keeps the axis after the rows, or several in one, rows are meant to stay rows, and any other size is told.

## References
* keras/src/ops/operation_utils.py: compute_reshape_output_shape
* tensorflow/core/kernels/reshape_op.h: ReshapeOp
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD105", "reshape-size-mismatch", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.RESHAPE:
        yield rejection(event)

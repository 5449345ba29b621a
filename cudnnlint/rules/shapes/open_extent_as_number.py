'''A call() computes with an extent that is None while the model is built.

## Why is this bad?
A layer or model that is called on `keras.Input` runs its call() once for a batch of any size: `x.shape[0]` is None
there, as is every axis that the input leaves open. Python has no arithmetic with None, and TensorFlow makes no tensor
of that shape. The same code runs well on a real tensor, so that a test of the layer alone does not show it.

## Example

```python
import tensorflow as tf
from tensorflow import keras


class Noise(keras.layers.Layer):
    def call(self, x):
        return x + tf.random.normal((x.shape[0], 8))  # error: [open-extent-as-number]


class Pairs(keras.layers.Layer):
    def call(self, x):
        batch, features = x.shape
        return tf.reshape(x, (batch * 2, features // 2))  # error: [open-extent-as-number]


class Rows(keras.layers.Layer):
    def call(self, x):
        return tf.stack([x[i] for i in range(x.shape[0])])  # error: [open-extent-as-number]


inputs = keras.Input((8,))
noisy = keras.Model(inputs, Noise()(inputs))
paired = keras.Model(inputs, Pairs()(inputs))
rows = keras.Model(inputs, Rows()(inputs))
```

## Use instead
The extent that the batch has when the graph runs, or -1:

```python
import tensorflow as tf
from tensorflow import keras


class Noise(keras.layers.Layer):
    def call(self, x):
        return x + tf.random.normal((tf.shape(x)[0], 8))


class Pairs(keras.layers.Layer):
    def call(self, x):
        return tf.reshape(x, (-1, x.shape[1] // 2))


class Rows(keras.layers.Layer):
    def call(self, x):
        return tf.map_fn(lambda row: row, x)


inputs = keras.Input((8,))
noisy = keras.Model(inputs, Noise()(inputs))
paired = keras.Model(inputs, Pairs()(inputs))
rows = keras.Model(inputs, Rows()(inputs))
```

An input that says its batch size, a test for None, and real tensors are fine:

```python
import tensorflow as tf
from tensorflow import keras


class Noise(keras.layers.Layer):
    def call(self, x):
        return x + tf.random.normal((x.shape[0], 8))


class Guarded(keras.layers.Layer):
    def call(self, x):
        batch = x.shape[0]
        if batch is None:
            batch = tf.shape(x)[0]
        return tf.reshape(x, (batch, 2, 4)) + tf.zeros((x.shape[0] or 1, 2, 4))


fixed = keras.Input(batch_shape=(16, 8))
inputs = keras.Input((8,))
noisy = keras.Model(fixed, Noise()(fixed))
guarded = keras.Model(inputs, Guarded()(inputs))
y = Noise()(tf.zeros((4, 8)))
```

## Where it fails
Everywhere with TensorFlow, when the model is built: TypeError "Failed to convert elements of (None, 8) to Tensor",
"Expected int32, but got None", "unsupported operand type(s) for *: 'NoneType' and 'int'", "'NoneType' object cannot be
interpreted as an integer", or ValueError "None values not supported" (run with Keras 3.15 and tf_keras 2.21).

## Known limits
Silent about a model that is never called on symbolic tensors: fit() fails in it too, unless its batches all have one
size (`drop_remainder=True`). Silent in a layer with a compute_output_shape() of its own or of a layer that it derives
from, which Keras 3 asks instead of call(), and in files that name no TensorFlow: other backends of Keras 3 put numbers
in place of None.

## References
* keras/src/backend/tensorflow/core.py: compute_output_spec
* tensorflow/python/framework/tensor_shape.py: TensorShape.__getitem__
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD116", "open-extent-as-number", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    # who calls a function gives what is None by default
    if event.mismatch.problem is Problem.OPEN_EXTENT and not event.rests_on_none:
        yield rejection(event)

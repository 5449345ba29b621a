'''A program computes with an extent that is None in the graph which TensorFlow traces.

## Why is this bad?
A layer or model that is called on `keras.Input` runs its call() once for a batch of any size: `x.shape[0]` is None
there, as is every axis that the input leaves open. So it is in what fit() traces, whatever the number of rows, in a
function that is mapped over a dataset, where pictures have no size until they are resized, and where an
`input_signature` says None. Python has no arithmetic with None, and TensorFlow makes no tensor of that shape. The same
code runs well on a real tensor, so that a test of the layer alone does not show it.

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

The whole shape of a tensor has that None, too:

```python
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Noisy(layers.Layer):
    def call(self, x):
        return x + tf.random.normal(x.shape)  # error: [open-extent-as-number]


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        shape = mean.shape
        return mean + tf.exp(0.5 * log_var) * tf.random.normal(shape=shape)  # error: [open-extent-as-number]


class Sampled(layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        return mean + tf.exp(0.5 * log_var) * tf.random.normal(shape=tf.shape(mean)) + tf.zeros(mean.shape[1:])


x = keras.Input((8,))
mean, log_var = layers.Dense(2)(x), layers.Dense(2)(x)
model = keras.Model(x, [Noisy()(x), Sampling()([mean, log_var]), Sampled()([mean, log_var])])
```

In what fit() and map() trace:

```python
import numpy as np
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(8)

    def call(self, x):
        hidden = self.dense(x)
        return hidden + tf.zeros((hidden.shape[0], 8))  # error: [open-extent-as-number]


def loss(y_true, y_pred):
    return tf.reduce_sum(tf.square(y_true - y_pred)) / y_true.shape[0]  # error: [open-extent-as-number]


net = Net()
net.compile("adam", "mse")
net.fit(np.zeros((6, 8)), np.zeros((6, 8)))
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(8)])
model.compile("adam", loss)
model.fit(np.zeros((6, 8)), np.zeros((6, 8)))


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    height, width = image.shape[0], image.shape[1]
    return tf.image.resize(image, (height // 2, width // 2))  # error: [open-extent-as-number]


images = tf.data.Dataset.from_tensor_slices(["a.jpg", "b.jpg"]).map(load)
```

```python
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32)])
def padded(x):
    return tf.concat([x, tf.zeros((x.shape[0], 2))], 1)  # error: [open-extent-as-number]


y = padded(tf.zeros((4, 8)))
inputs = tf.keras.Input((None, 3))
steps = [inputs[:, i] for i in range(inputs.shape[1])]  # error: [open-extent-as-number]
```

Of an Input of any size the height and the width are None as well:

```python
import keras
import numpy as np
from keras import layers

image = keras.Input((None, None, 3))
x = layers.Conv2D(8, 3)(image)
flat = layers.Reshape((int(np.prod(x.shape[1:])),))(x)  # error: [open-extent-as-number]
places = x.shape[1] * x.shape[2]  # error: [open-extent-as-number]
known = keras.Input((8, 8, 3))
flat = layers.Reshape((int(np.prod(known.shape[1:])),))(known)  # revealed: float32[B, 192]
```

`keras.ops.shape()` has the same None for a symbolic tensor of Keras 3, and what is made with it fails as the model is
run at the latest:

```python
import keras
import numpy as np
from keras import ops

image = keras.Input((None, None, 3))
shape = ops.shape(image)
half = shape[1] // 2  # error: [open-extent-as-number]
rows = ops.reshape(image, (ops.shape(image)[0], -1))  # error: [open-extent-as-number]
flat = ops.reshape(image, (-1, 3))  # revealed: float32[None, 3]


class Halved(keras.layers.Layer):
    def call(self, x):
        shape = ops.shape(x)
        return ops.reshape(x[:, : shape[1] // 2], (shape[0], -1, 3))


y = Halved()(image)
z = keras.Model(image, rows)(np.zeros((2, 4, 4, 3)))
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

So are batches that all have one size, and models that run eagerly:

```python
import numpy as np
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(8)

    def call(self, x):
        return self.dense(x) + tf.zeros((x.shape[0], 8))


pairs = tf.data.Dataset.from_tensor_slices((np.zeros((6, 8)), np.zeros((6, 8))))
net = Net()
net.compile("adam", "mse")
net.fit(pairs.batch(3, drop_remainder=True))
eager = Net()
eager.compile("adam", "mse", run_eagerly=True)
eager.fit(np.zeros((6, 8)), np.zeros((6, 8)))
```

## Where it fails
Everywhere with TensorFlow, when the model is built: TypeError "Failed to convert elements of (None, 8) to Tensor",
"Expected int32, but got None", "unsupported operand type(s) for *: 'NoneType' and 'int'", "'NoneType' object cannot be
interpreted as an integer", or ValueError "Cannot convert a partially known TensorShape (None, 8) to a Tensor", "None
values not supported", "Attempt to convert a value (None) with an unsupported type"; in fit(), map() and functions with
an input_signature the same, when the graph is traced (run with Keras 3.15 and tf_keras 2.21). Of a symbolic tensor of
Keras 3 `ops.reshape()`, `broadcast_to()`, `tile()` and `slice()` take the None as the model is built, and fail when it
is called (run with Keras 3.0, 3.3, 3.8 and 3.15).

## Known limits
Of what fit() is given, arrays and datasets are told of, not generators; evaluate() and predict() are left alone. Silent
in a layer with a compute_output_shape() of its own or of a layer that it derives from, which Keras 3 asks instead of
call(), and in files that name no TensorFlow: other backends of Keras 3 put numbers in place of None.

## References
* keras/src/ops/core.py: shape; keras/src/ops/numpy.py: Reshape.call
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

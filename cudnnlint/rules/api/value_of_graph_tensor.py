'''A tensor of a graph is asked for its value, which it does not have yet.

## Why is this bad?
Inside a `tf.function`, a function mapped over a dataset, the `call()` of a layer, a loss or a `train_step`, TensorFlow
runs the Python code once, on tensors that stand for what comes later, and keeps the operations. `numpy()`, functions of
NumPy and `int()` need numbers, `if` a truth and `a, b = x` a count of rows, and there are none. It often goes unseen at
first, since the same code works where it is called directly.

## Example

```python
import keras
import numpy as np
import tensorflow as tf


def rounded_accuracy(y_true, y_pred):
    hits = np.round(y_pred) == y_true  # error: [value-of-graph-tensor]
    return tf.reduce_mean(tf.cast(hits, tf.float32))


model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=[rounded_accuracy])
model.fit(np.zeros((32, 4)), np.zeros((32, 1)))
```

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss.numpy()  # error: [value-of-graph-tensor]


loss = train_step(tf.zeros((8, 4)), tf.zeros((8, 1)))
```

AutoGraph turns an `if` or a `for` on a tensor into operations, and leaves unpacking and comprehensions alone. Keras 3
has none of it: the `call()` of a layer, losses and metrics run as they are written.

```python
import tensorflow as tf


@tf.function
def resized(image):
    height, width, channels = tf.shape(image)  # error: [value-of-graph-tensor]
    return tf.image.resize(image, (height // 2, width // 2))


small = resized(tf.zeros((64, 64, 3)))
```

```python keras=3.15
import keras
import tensorflow as tf


class Gate(keras.layers.Layer):
    def call(self, x):
        if tf.reduce_mean(x) > 0:  # error: [value-of-graph-tensor]
            return x * 2
        return x


inputs = keras.Input((8,))
model = keras.Model(inputs, Gate()(inputs))
```

`tf.map_fn` asks AutoGraph itself to rewrite what it is given.

```python keras=3.15
import keras
import tensorflow as tf


class Channels(keras.layers.Layer):
    def call(self, x):
        def one(channel):
            if tf.shape(x)[0] == 1:
                return x[..., channel] * 2
            return x[..., channel]
        return tf.map_fn(one, tf.range(3), fn_output_signature=tf.float32)


inputs = keras.Input((8, 8, 3))
channels = Channels()(inputs)
```

```python keras=2.15 tensorflow=2.15
import keras
import tensorflow as tf


class Gate(keras.layers.Layer):
    def call(self, x):
        if tf.reduce_mean(x) > 0:
            return x * 2
        return x


inputs = keras.Input((8,))
model = keras.Model(inputs, Gate()(inputs))
```

What a module of PyTorch gives keeps the graph of its gradient:

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
scores = model(torch.randn(5, 3)).numpy()  # error: [value-of-graph-tensor]
```

Training steps are traced with the metrics that `compile()` was given:

```python
import tensorflow as tf


class Hits(tf.keras.metrics.Metric):
    def __init__(self):
        super().__init__(name="hits")
        self.total = self.add_weight(name="total", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        right = (y_pred.numpy() > 0.5).sum()  # error: [value-of-graph-tensor]
        self.total.assign_add(float(right))

    def result(self):
        return self.total


model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("sgd", "binary_crossentropy", metrics=[Hits()])
model.fit(tf.zeros((8, 3)), tf.zeros((8, 1)))
```

## Use instead
Operations of TensorFlow, and values where the graph has run:

```python
import keras
import numpy as np
import tensorflow as tf


def rounded_accuracy(y_true, y_pred):
    hits = tf.round(y_pred) == y_true
    return tf.reduce_mean(tf.cast(hits, tf.float32))


model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=[rounded_accuracy])
model.fit(np.zeros((32, 4)), np.zeros((32, 1)))
```

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


loss = train_step(tf.zeros((8, 4)), tf.zeros((8, 1))).numpy()
```

```python
import keras
import tensorflow as tf


class Gate(keras.layers.Layer):
    def call(self, x):
        return tf.where(tf.reduce_mean(x) > 0, x * 2, x)


@tf.function
def resized(image):
    size = tf.shape(image)[:2] // 2
    return tf.image.resize(image, size)


inputs = keras.Input((8,))
model = keras.Model(inputs, Gate()(inputs))
small = resized(tf.zeros((64, 64, 3)))
```

`tf.unstack(x)` gives the rows of a tensor as a list. What only Python can do goes into a `tf.py_function`; and
`compile(..., run_eagerly=True)` makes fit() run the code op by op, which is slow.

```python
import torch
from torch import nn

model = nn.Linear(3, 2)
x = torch.randn(5, 3)
scores = model(x).detach().numpy()
classes = model(x).argmax(1).numpy()
with torch.no_grad():
    more = model(x).numpy()
```

## Where it fails
Everywhere, when the function is traced: AttributeError "'SymbolicTensor' object has no attribute 'numpy'" (before
TensorFlow 2.14 "'Tensor' object"), NotImplementedError "Cannot convert a symbolic tf.Tensor to a numpy array",
OperatorNotAllowedInGraphError "Iterating over a symbolic `tf.Tensor` is not allowed".

With Keras 3, in call(), losses and metrics, and everywhere in train_step() and its kin: OperatorNotAllowedInGraphError
"Using a symbolic `tf.Tensor` as a Python `bool` is not allowed", TypeError "int() argument must be a string, a
bytes-like object or a real number, not 'SymbolicTensor'" (run with Keras 3.15 and tf_keras 2.21).

PyTorch: RuntimeError "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."

## Known limits
Silent in a file that asks `tf.executing_eagerly()`, and about tensors that do not come from what the graph is called
on. Where nothing names a version, the first place that only Keras 3 refuses is told of, and no other.

## References
* tensorflow/python/framework/tensor.py: Tensor.__getattr__, Tensor.__array__, Tensor.__bool__, Tensor.__iter__
* tf_keras/src/engine/base_layer.py: Layer.__call__, which converts call() with AutoGraph
* tensorflow/python/eager/polymorphic_function/polymorphic_function.py: Function
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD709", "value-of-graph-tensor", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.VALUELESS:
        yield rejection(event)

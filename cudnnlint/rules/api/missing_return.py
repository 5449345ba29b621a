'''What a function or method returns is used, and it returns nothing.

## Why is this bad?
A function that builds a model or loads data and ends without `return` gives None. The program stops where that is
unpacked, used as a model or given to a layer. So do methods that change their object and return nothing: `add()`,
`compile()`, `append()`, `random.shuffle()`.

## Example

```python
import keras


def build_model(width):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(width)])
    model.compile("sgd", "mse")


model = build_model(4)
model.summary()  # error: [missing-return]
```

```python
import keras


def load_data():
    (x_train, y_train), _ = keras.datasets.mnist.load_data()
    x_train = x_train / 255.0


x_train, y_train = load_data()  # error: [missing-return]
```

```python
import tensorflow as tf


class Linear(tf.keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 4))

    def call(self, x):
        tf.matmul(x, self.w)


y = Linear()(tf.ones((2, 8)))
print(y.shape)  # error: [missing-return]
```

```python
import keras
from keras import layers


def block(x, filters):
    x = layers.Conv2D(filters, 3, padding="same")(x)
    x = layers.ReLU()(x)


inputs = keras.Input((32, 32, 3))
x = block(inputs, 8)
x = layers.Flatten()(x)  # error: [missing-return]
```

```python
import random

import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model = model.compile("adam", "mse")
model.fit(np.zeros((8, 4)), np.zeros((8, 1)))  # error: [missing-return]
names = random.shuffle(["a", "b"])
first = names[0]  # error: [missing-return]
```

Functions that the library calls:

```python
import numpy as np
import tensorflow as tf


def scale(x, y):
    x = x / 255.0


def loss(y_true, y_pred):
    tf.reduce_mean(tf.square(y_true - y_pred))


data = tf.data.Dataset.from_tensor_slices((np.zeros((8, 4)), np.zeros((8, 1))))
scaled = data.map(scale)  # error: [missing-return]
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", loss)
model.fit(data.batch(4))  # error: [missing-return]
```

## Use instead

```python
import keras


def build_model(width):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(width)])
    model.compile("sgd", "mse")
    return model


model = build_model(4)
model.summary()
model.add(keras.layers.Dense(1))
names = ["b", "a"]
names.sort()
first = names[0]
```

## Where it fails
Everywhere: AttributeError "'NoneType' object has no attribute ...", TypeError "cannot unpack non-iterable NoneType
object", "'NoneType' object is not iterable", "is not subscriptable", "is not callable"; with layers and
tensors ValueError "Inputs to a layer should be tensors. Got 'None'", "All `outputs` values must be KerasTensors",
"Attempt to convert a value (None) with an unsupported type", "None values not supported". Run with Keras 3.15 and
tf_keras 2.21.

## Known limits
Told of functions in which no `return` has a value, or which come to their end without one though all of them have, and
of the methods above, where the program certainly comes by. A function that does nothing yet is left alone, and so is
one with a decorator.

## References
* https://docs.python.org/3/reference/simple_stmts.html#the-return-statement
* keras/src/layers/layer.py: Layer.__call__; keras/src/models/functional.py: Functional.__init__
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD715", "missing-return", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NOTHING:
        yield rejection(event)

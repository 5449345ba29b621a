"""summary() or count_params() is called on a model that does not know the shape of its input yet.

## Why is this bad?
Layers make their weights when they meet an input. A sequential model whose first layer has no `input_shape`, and a
model of a class of one's own, have none before the first batch, and in Keras 2 nothing to summarize or to give.

## Example

```python keras=2.15 tensorflow=2.15
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([layers.Flatten(), layers.Dense(10)])
model.compile("adam", "mse")
model.summary()  # error: [unbuilt-model]
initial = model.get_weights()  # error: [unbuilt-model]
```

```python keras=2.15 tensorflow=2.15
from tensorflow import keras
from tensorflow.keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(10)

    def call(self, x):
        return self.dense(x)


net = Net()
net.summary()  # error: [unbuilt-model]
size = net.count_params()  # error: [unbuilt-model]
```

## Use instead

```python keras=2.15 tensorflow=2.15
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(10)

    def call(self, x):
        return self.dense(x)


model = keras.Sequential([layers.Flatten(input_shape=(28, 28)), layers.Dense(10)])
model.summary()
later = keras.Sequential([layers.Dense(10)])
later.build((None, 8))
later.summary()
texts = keras.Sequential([layers.Embedding(100, 8), layers.LSTM(4)])
texts.summary()
net = Net()
scores = net(tf.zeros((1, 8)))
net.summary()
```

Keras 3 prints what it has, and counts nothing:

```python
import keras

model = keras.Sequential([keras.layers.Dense(10)])
model.summary()
size = model.count_params()  # error: [unbuilt-model]
```

## Where it fails
With Keras 2: ValueError "This model has not yet been built. Build the model first by calling `build()` or by calling
the model on a batch of data." from summary(), and from get_weights() "Weights for model 'sequential' have not yet been
created". Keras 3 prints question marks in place of the shapes, and its get_weights() gives an empty list.
count_params() raises ValueError "You tried to call `count_params` on layer 'sequential', but the layer isn't built" in
both. Run with tf_keras 2.21 and Keras 3.15.

## Known limits
Told where the program certainly comes by.

## References
* tf_keras/src/engine/training.py: Model.summary
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD726", "unbuilt-model", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNBUILT:
        yield rejection(event)

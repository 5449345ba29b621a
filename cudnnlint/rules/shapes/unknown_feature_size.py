'''A layer that makes weights gets an input whose feature axis has no known size.

## Why is this bad?
The kernel of a Dense layer has one row for each feature of its input, and its size must be known when the layer is
built. With images of free size, `Input((None, None, 3))`, Flatten gives as many features as the image has pixels,
which is no fixed number.

## Example

```python
import keras
from keras import layers

x = keras.Input((None, None, 3))
x = layers.Conv2D(16, 3)(x)
x = layers.Flatten()(x)  # revealed: float32[B, None]
x = layers.Dense(10)(x)  # error: [unknown-feature-size]
```

fit() builds the layers of a model in a graph, where a batch has the extents that its dataset declares:

```python
import tensorflow as tf

rows = tf.data.Dataset.from_generator(
    lambda: (([float(i)] * 10, [0.0]) for i in range(8)),
    output_signature=(tf.TensorSpec((None,), tf.float32), tf.TensorSpec((1,), tf.float32)),
)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.out = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.out(x)  # error: [unknown-feature-size]


net = Net()
net.compile("adam", "mse")
net.fit(rows.batch(4))
seen = Net()
seen.compile("adam", "mse", run_eagerly=True)
seen.fit(rows.batch(4))
built = Net()
built.compile("adam", "mse")
y = built(tf.zeros((1, 10)))
built.fit(rows.batch(4))
layer = tf.keras.layers.Dense(1)
for x, y in rows.batch(4):
    z = layer(x)
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((None, None, 3))
x = layers.Conv2D(16, 3)(x)
x = layers.GlobalAveragePooling2D()(x)  # revealed: float32[B, 16]
x = layers.Dense(10)(x)  # revealed: float32[B, 10]
```

## Where it fails
Everywhere, when the model is built: ValueError "The last dimension of the inputs to a Dense layer should be
defined. Found None" (Keras 2), "Shapes used to initialize variables must be fully-defined" or "Cannot convert
'(None, ...)' to a shape" (Keras 3).

## Known limits
A size that merely is not followed, such as that of a file, is no finding: only an axis that the program itself
leaves open (None) is. Nor is one that is None only as the default of a parameter of a function that nothing calls:
whoever calls it gives the size.

```python
from keras import Input, layers


def encoder(features=None, steps=16):
    return layers.Dense(8)(Input((steps, features)))
```

## References
* tf_keras/src/layers/core/dense.py: Dense.build
* keras/src/backend/common/variables.py: standardize_shape
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected, tensors
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD106", "unknown-feature-size", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    # who calls a function gives what is None by default
    if event.mismatch.problem is Problem.FEATURE_UNKNOWN and not event.rests_on_none:
        found = rejection(event)
        fed = [x for x in tensors(event.inputs) if x.kind == "tf"]
        yield found if not fed else replace(
            found, fails=found.fails.replace("when the layer is called", "in fit(), which builds it in a graph"),
            help="say the size where the dataset is made, in its output_signature or by tf.ensure_shape(x, ...)")

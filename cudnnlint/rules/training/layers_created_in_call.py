'''A layer is made inside a call() or a tf.function.

## Why is this bad?
Its variables are made each time the body runs: with fresh random weights for each batch, known to nobody, so that no
optimizer trains them. Where TensorFlow traces the body, as fit() does, it refuses.

## Example

```python
from tensorflow import keras


class Block(keras.layers.Layer):
    def call(self, x):
        x = keras.layers.Conv2D(16, 3, padding="same")(x)  # error: [layers-created-in-call]
        return keras.layers.ReLU()(x)


inputs = keras.Input((32, 32, 3))
model = keras.Model(inputs, Block()(inputs))
```

```python
import tensorflow as tf


@tf.function
def project(x):
    return tf.keras.layers.Dense(8)(x)  # error: [layers-created-in-call]


project(tf.ones((4, 16)))
```

With Keras 3 an attribute does not help, nor making it once:

```python
from tensorflow import keras


class Head(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = None

    def call(self, x):
        if self.dense is None:
            self.dense = keras.layers.Dense(10)  # error: [layers-created-in-call]
        return self.dense(x)


inputs = keras.Input((32,))
model = keras.Model(inputs, Head()(inputs))
```

PyTorch draws new weights at each call, of which no optimizer knows:

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)

    def forward(self, x):
        x = torch.flatten(self.conv(x), 1)
        fc = nn.Linear(x.shape[1], 10)  # error: [layers-created-in-call]
        return fc(x)


y = Net()(torch.rand(4, 1, 28, 28))
```

## Use instead
Layers are made in `__init__`, or in `build` where their size depends on the input:

```python
from tensorflow import keras


class Block(keras.layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.conv = keras.layers.Conv2D(filters, 3, padding="same")

    def build(self, input_shape):
        self.scale = keras.layers.Dense(input_shape[-1])
        super().build(input_shape)

    def call(self, x):
        return keras.layers.Activation("relu")(self.conv(self.scale(x)))


inputs = keras.Input((32, 32, 3))
model = keras.Model(inputs, Block(16)(inputs))
```

```python keras=2.15 tensorflow=2.15
from tensorflow import keras


class Head(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = None

    def call(self, x):
        if self.dense is None:
            self.dense = keras.layers.Dense(10)
        return self.dense(x)


inputs = keras.Input((32,))
model = keras.Model(inputs, Head()(inputs))
```

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc, self.late = nn.Conv2d(1, 8, 3), nn.LazyLinear(10), None

    def forward(self, x):
        x = nn.Dropout(0.1)(torch.flatten(self.conv(x), 1))
        if self.late is None:
            self.late = nn.Linear(x.shape[1], 10)
        return self.fc(x) + self.late(x)


class Edges(nn.Module):
    def forward(self, x):
        conv = nn.Conv2d(1, 1, 3, bias=False)
        conv.weight.data = torch.tensor([[[[1.0, 0, -1], [2, 0, -2], [1, 0, -1]]]])
        return conv(x)


y = Net()(Edges()(torch.rand(4, 1, 28, 28)))
```

## Where it fails
Run with Keras 3.12, Keras 3.15 and tf-keras 2.21: in `fit`, `evaluate` and `predict`, and in a tf.function at its first
call: ValueError "tf.function only supports singleton tf.Variables created on the first call". With Keras 3 a layer that
becomes an attribute there fails everywhere: ValueError "You cannot add new elements of state (variables or sub-layers)
to a layer that is already built". Run eagerly a local one does not fail: two calls of one layer on one tensor give two
different results, and `trainable_variables` is empty. With PyTorch it is the same, and nothing fails (run with PyTorch
2.15).

## Known limits
Layers without variables are silent (with Keras 3 a Dropout has one, its seed), and those that are made under a
condition that is not known, and in PyTorch where forward() sets weights by hand. With Keras 2 a layer that is kept in
an attribute is silent: it may be made once only.

## References
* keras/src/layers/layer.py: Layer.__setattr__, Layer._lock_state
* https://www.tensorflow.org/guide/function#creating_tfvariables
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerMadeInside
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD605", "layers-created-in-call", Level.ERROR, since="0.1")
def check(event: LayerMadeInside) -> Iterator[Finding]:
    inside = f"{event.owner}.{event.method}" if event.method else f"the tf.function {event.owner}"
    kept = f" as {event.attribute}" if event.attribute else ""
    yield event.finding(
        f"{event.layer.name} is made inside {inside}{kept}" + (
            ", which takes no new variables" if kept else _anew(event)),
        help="make it in __init__, and apply it here; nn.LazyLinear and its kin find out the width of their input"
        if event.method == "forward" else
        "make it in __init__ or build, and apply it here" if event.method else "make it before, and apply it here",
        fails=_locked() if event.attribute else
        "nowhere, silently wrong: the weights are drawn anew at each call, and model.parameters() has none of them"
        if event.method == "forward" else
        'in fit(), predict() and tf.function: ValueError "tf.function only supports singleton tf.Variables created on '
        f'the first call"{"" if _is_seeded(event) else "; run eagerly, silently wrong"}')


def _anew(event: LayerMadeInside) -> str:
    """What comes to be in each call; layers that draw random numbers have no weights, and yet a variable."""
    return ": the seed of its random numbers is a variable, new each time" if _is_seeded(event) else \
        ": its variables are new each time and never trained"


def _is_seeded(event: LayerMadeInside) -> bool:
    return event.layer.name.endswith("Dropout") or event.layer.name.startswith(SEEDED)


SEEDED = ("Dropout", "SpatialDropout", "Gaussian", "Random")
"""Layers whose only variable is the seed of their random numbers."""


def _locked() -> str:
    return ('with Keras 3, when it is called: ValueError "You cannot add new elements of state (variables or '
            'sub-layers) to a layer that is already built"')

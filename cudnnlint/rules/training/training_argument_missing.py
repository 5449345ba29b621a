'''A model with Dropout or BatchNormalization is trained whose call() has no training argument.

## Why is this bad?
With Keras 3 fit() tells a model that it trains only where its call() has an argument of that name. A model without one
trains with its layers as they are in use: Dropout drops nothing, and BatchNormalization normalizes by averages that it
never learns, those that it began with. No error tells of it. Keras 2 told the layers within all the same.

## Example

```python
import keras
import numpy as np


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.norm = keras.layers.BatchNormalization()
        self.drop = keras.layers.Dropout(0.5)
        self.head = keras.layers.Dense(1)

    def call(self, x):  # error: [training-argument-missing]
        return self.head(self.drop(self.norm(x)))


model = Net()
model.compile(optimizer="adam", loss="mse")
model.fit(np.zeros((64, 8)), np.zeros((64, 1)))
```

## Use instead
The argument alone is enough: the layers that call() applies are told of it.

```python
import keras
import numpy as np


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.norm = keras.layers.BatchNormalization()
        self.drop = keras.layers.Dropout(0.5)
        self.head = keras.layers.Dense(1)

    def call(self, x, training=None):
        return self.head(self.drop(self.norm(x)))


model = Net()
model.compile(optimizer="adam", loss="mse")
model.fit(np.zeros((64, 8)), np.zeros((64, 1)))
```

## Where it fails
Keras 3, without an error (run with Keras 3.15: moving_mean stays 0 through fit(); with tf_keras 2.21 it moves). The
same with `**kwargs` in place of the argument.

## Known limits
Models with a train_step() of their own, which may call the model with training=True, and models that say something of
training to a layer are not judged. Layers and blocks within functional and sequential models need no such argument:
those models hand on what they are told.

## References
* keras/src/backend/tensorflow/trainer.py: TensorFlowTrainer.train_step
* keras/src/layers/layer.py: Layer._resolve_and_populate_arg
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD627", "training-argument-missing", Level.WARNING, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNTOLD:
        yield rejection(event)

'''A layer or model of one's own is asked for an attribute that nothing gave it.

## Why is this bad?
`self.con1` where the constructor set `self.conv1` stops the program at the first call of the model, which may be after
the data are loaded.

## Example

```python
import keras
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(32, 3)
        self.dense = layers.Dense(10)

    def call(self, x):
        x = self.con1(x)  # error: [unknown-attribute]
        return self.dense(x)


y = Net()(keras.Input((28, 28, 1)))
```

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)

    def forward(self, x):
        return self.hiden(x)  # error: [unknown-attribute]


y = Net()(torch.zeros(4, 8))
```

## Use instead

```python
import keras
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(32, 3)
        self.dense = layers.Dense(10)

    def call(self, x):
        x = self.conv1(x)
        return self.dense(x)


y = Net()(keras.Input((28, 28, 1)))
```

## Where it fails
Everywhere: AttributeError "'Net' object has no attribute 'con1'".

## Known limits
Told where the program certainly comes by, of names that are nearly one which the object has, and that the module sets
on no object. Nothing is told of a class whose module has `setattr` or `__dict__`, nor of one with a base that is not
followed, other than those of Keras, TensorFlow and PyTorch, every name of which is known.

## References
* https://docs.python.org/3/reference/datamodel.html#object.__getattr__
* keras/src/layers/layer.py: Layer; torch/nn/modules/module.py: Module.__getattr__
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD714", "unknown-attribute", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NO_ATTRIBUTE:
        yield rejection(event)

'''A layer is called by a name that is nearly that of a layer.

## Why is this bad?
Names of layers are written in one way: `Conv2D` and not `Conv2d`, which is PyTorch's, `MaxPooling2D`,
`BatchNormalization` with a z.

## Example

```python
from tensorflow.keras import layers

conv = layers.Conv2d(32, 3)  # error: [unknown-layer]
norm = layers.BatchNormalisation()  # error: [unknown-layer]
head = layers.dense(10)  # error: [unknown-layer]
```

```python
from tensorflow.keras.layers import Dense, Droput  # error: [unknown-layer]
```

```python
from tensorflow import keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.dense(10)  # error: [unknown-layer]

    def call(self, x):
        return self.dense(x)


net = Net()
```

## Use instead

```python
from tensorflow.keras import layers

conv = layers.Conv2D(32, 3)
norm = layers.BatchNormalization()
head = layers.Dense(10)
```

## Where it fails
Everywhere, when it is read: AttributeError "module 'keras.layers' has no attribute 'Conv2d'", or ImportError "cannot
import name 'Conv2d' from 'keras.layers'".

## Known limits
Told of names that differ in their case or by a letter or two from that of a layer. Of other modules, unknown-name
tells.

## References
* keras/src/layers/__init__.py
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD713", "unknown-layer", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNKNOWN_NAME:
        yield rejection(event)

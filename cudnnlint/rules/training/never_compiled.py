'''A model is trained or evaluated that was never compiled.

## Why is this bad?
compile() is what gives a model its loss and its optimizer. A model that a function returns without it, in one of its
branches say, stops at the first fit().

## Example

```python
import keras
import numpy as np


def build(deep):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8 if deep else 1), keras.layers.Dense(1)])
    return model


model = build(True)
model.fit(np.zeros((30, 4)), np.zeros((30, 1)))  # error: [never-compiled]
```

Compiled without a loss, and without a layer that adds one:

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", metrics=["mae"])
model.fit(np.zeros((8, 4)), np.zeros((8, 1)))  # error: [never-compiled]
```

## Use instead

```python
import keras
import numpy as np


def build(deep):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8 if deep else 1), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


model = build(True)
model.fit(np.zeros((30, 4)), np.zeros((30, 1)))
```

## Where it fails
Everywhere, in fit(), evaluate() and their like for one batch: ValueError "You must call `compile()` before using the
model." (run with Keras 3.3 to 3.15), RuntimeError "You must compile your model before training/testing" (tf_keras
2.21). predict() needs no compile().

A clone is compiled as the model was with Keras from 3.9 on (run with 3.15), and not before:

```python keras=3.15
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.01), "mse")
clone = keras.models.clone_model(model)
model.fit(np.zeros((16, 8)), np.zeros((16, 1)))
clone.fit(np.zeros((16, 8)), np.zeros((16, 1)))
bare = keras.models.clone_model(keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)]))
bare.fit(np.zeros((16, 8)), np.zeros((16, 1)))  # error: [never-compiled]
```

```python keras=3.8
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
clone = keras.models.clone_model(model)
clone.fit(np.zeros((16, 8)), np.zeros((16, 1)))  # error: [never-compiled]
```

## Known limits
A model that code which is not followed was handed may have been compiled there, and is silent.

## References
* keras/src/trainers/trainer.py: Trainer._assert_compile_called
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD624", "never-compiled", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NOT_COMPILED:
        yield rejection(event)

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

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD106", "unknown-feature-size", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    # who calls a function gives what is None by default
    if event.mismatch.problem is Problem.FEATURE_UNKNOWN and not event.rests_on_none:
        yield rejection(event)

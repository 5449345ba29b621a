'''A model or layer is given weights of other shapes than it has.

## Why is this bad?
set_weights() and load_weights() take one array for each variable, of its shape. Weights of a model with another last
layer or another width do not fit; only the layers that both have in common can be handed over.

## Example

```python
import keras


def build(classes):
    return keras.Sequential([
        keras.Input((16,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(classes, activation="softmax"),
    ])


source, target = build(10), build(5)
target.set_weights(source.get_weights())  # error: [unfitting-weights]
source.save_weights("source.weights.h5")
target.load_weights("source.weights.h5")  # error: [unfitting-weights]
```

```python
import keras
import numpy as np

layer = keras.layers.Dense(4)
layer.build((None, 8))
layer.set_weights([np.zeros((8, 5)), np.zeros(5)])  # error: [unfitting-weights]
layer.set_weights([np.zeros((8, 4)), np.zeros(4)])
vectors = keras.layers.Embedding(1000, 50)
vectors.build((None, 10))
vectors.set_weights(np.zeros((1000, 50)))  # error: [unfitting-weights]
vectors.set_weights([np.zeros((1000, 50))])
```

A model without weights yet gives an empty list in Keras 3, and has them after the first fold:

```python keras=3.15
import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
initial = model.get_weights()
for fold in range(3):
    model.set_weights(initial)  # error: [unfitting-weights]
    model.fit(np.zeros((32, 4)), np.zeros((32, 1)))
```

## Use instead

```python
import keras


def build(classes):
    return keras.Sequential([
        keras.Input((16,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(classes, activation="softmax"),
    ])


source, target = build(10), build(5)
for given, taken in zip(source.layers[:-1], target.layers[:-1]):
    taken.set_weights(given.get_weights())
source.save_weights("source.weights.h5")
build(10).load_weights("source.weights.h5")
target.load_weights("source.weights.h5", skip_mismatch=True)
```

## Where it fails
Everywhere. set_weights(): ValueError "Layer sequential weight shape (32, 5) is not compatible with provided weight
shape (32, 10)." load_weights(), with Keras 3: ValueError "A total of 2 objects could not be loaded", "The shape of the
target variable and the shape of the target value in `variable.assign(value)` must match"; Keras 2 "Layer count
mismatch" or "Cannot assign value to variable", of a checkpoint "Received incompatible tensor with shape (10, 5) when
attempting to restore variable with shape (12, 5)" (run with Keras 3.15 and tf_keras 2.21).

load_state_dict() of PyTorch also compares the names of the parameters, those of a DataParallel begin with `module.`:
RuntimeError "Error(s) in loading state_dict"; that of an optimizer how many parameters there are (run with 2.14).

## Known limits
Compared are how many arrays there are and their shapes, whatever their order; files only where the same program has
saved them.

## References
* keras/src/layers/layer.py: Layer.set_weights
* keras/src/saving/saving_api.py: load_weights
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD625", "unfitting-weights", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.SET_WEIGHTS:
        yield rejection(event)

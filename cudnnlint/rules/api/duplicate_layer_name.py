'''Two layers of one model are given the same name.

## Why is this bad?
Keras finds layers, weights and losses by their names, and refuses a model in which two layers share one. It happens
where a function or a loop makes layers with a fixed name, where a block is copied, and where the same network of
keras.applications is put into a model twice.

## Example

```python
from keras import Input, Model, layers


def block(x, filters):
    x = layers.Conv2D(filters, 3, name="conv")(x)  # error: [duplicate-layer-name]
    return layers.ReLU()(x)


inputs = Input((32, 32, 3))
x = block(inputs, 16)
x = block(x, 32)
model = Model(inputs, x)
```

```python
import keras
from keras import layers

model = keras.Sequential([
    keras.Input((784,)),
    layers.Dense(128, activation="relu", name="hidden"),
    layers.Dense(64, activation="relu", name="hidden"),  # error: [duplicate-layer-name]
    layers.Dense(10, name="logits"),
])
```

Two networks of keras.applications have the same name as models, and the same names of layers inside:

```python
from keras import Input, Model, applications, layers

left, right = Input((64, 64, 3)), Input((64, 64, 3))
towers = [applications.VGG16(include_top=False, weights=None, input_shape=(64, 64, 3))  # error: [duplicate-layer-name]
          for _ in range(2)]
both = layers.Concatenate()([towers[0](left), towers[1](right)])
model = Model([left, right], layers.Flatten()(both))
```

## Use instead

```python
from keras import Input, Model, layers


def block(x, filters, name):
    x = layers.Conv2D(filters, 3, name=f"{name}_conv")(x)
    return layers.ReLU()(x)


inputs = Input((32, 32, 3))
x = block(inputs, 16, "block1")
x = block(x, 32, "block2")
model = Model(inputs, x)
```

One layer may be used any number of times:

```python
from keras import Input, Model, applications, layers

left, right = Input((64, 64, 3)), Input((64, 64, 3))
tower = applications.VGG16(include_top=False, weights=None, input_shape=(64, 64, 3))
both = layers.Concatenate()([tower(left), tower(right)])
model = Model([left, right], layers.Flatten()(both))
```

## Fix
The name of the second layer is taken out, where it stands in its call, and Keras gives it one. Unsafe: what asks for a
layer or loads weights by the name finds the first one only.

## Where it fails
Everywhere, when the model is built: ValueError "The name "conv" is used 2 times in the model. All operation names
should be unique." (Keras 3), "All layer names should be unique." (Keras 2); of a Sequential, ValueError "All layers
added to a Sequential model should have unique names." (run with Keras 3.15 and tf_keras 2.21). TensorFlow before 2.3
does not ask a Sequential that is not built yet (its wheels of 2.0 to 2.3 were read).

## Known limits
Names that Keras numbers itself are unique, but where a program gives a layer the name that Keras would give another.
Silent in a file that gives layers other names later (`layer._name = ...`).

## References
* keras/src/ops/function.py: map_graph; keras/src/models/sequential.py: Sequential.add
* tf_keras/src/engine/functional.py: _map_graph_network; tf_keras/src/engine/sequential.py: Sequential.add
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected
from cudnnlint.finding import Argument, Finding, Level, Recipe, RemoveArgument
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD708", "duplicate-layer-name", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NAMESAKES:
        yield replace(rejection(event), fix=_fix(event))


def _fix(event: Rejected) -> Recipe | None:
    """Only the layer whose call the finding points at has a name there."""
    if not event.mismatch.fact("layer"):
        return None
    return unsafe("leave the name to Keras", RemoveArgument(Argument(event.span, "name")))

'''The outputs of a functional model come from an Input that is not among its inputs.

## Why is this bad?
A functional model is the part of a graph between its inputs and its outputs. An Input that the outputs need and that is
not given leaves the graph without a beginning: one of two inputs was forgotten, inputs and outputs were given in the
wrong order, or a variable was used again for another Input.

## Example

```python
from keras import Input, Model, layers

image, label = Input((28, 28, 1)), Input((10,))
x = layers.Concatenate()([layers.Flatten()(image), label])
model = Model(image, layers.Dense(1)(x))  # error: [disconnected-model]
```

```python
from keras import Input, Model, layers

inputs = Input((64,))
x = layers.Dense(32, activation="relu")(inputs)
inputs = Input((64,))
model = Model(inputs, layers.Dense(10)(x))  # error: [disconnected-model]
```

Outputs before inputs:

```python
from keras import Input, Model, layers

inputs = Input((64,))
outputs = layers.Dense(10)(inputs)
model = Model(outputs, inputs)  # error: [disconnected-model]
```

## Use instead

```python
from keras import Input, Model, layers

image, label = Input((28, 28, 1)), Input((10,))
x = layers.Concatenate()([layers.Flatten()(image), label])
outputs = layers.Dense(1)(x)
model = Model([image, label], outputs)
```

A tensor in the middle may be an input, if all paths lead through it:

```python
from keras import Input, Model, layers

code = layers.Dense(8)(Input((64,)))
decoder = Model(code, layers.Dense(64)(code))
```

## Where it fails
Everywhere, when the model is made. Keras 3: ValueError "Output with path `` is not connected to `inputs`". Keras 2:
ValueError "Graph disconnected: cannot obtain value for tensor", and for outputs before inputs "Found unvisited input
tensors that are disconnected from the outputs".

## Known limits
Nothing is told where the tensors differ between branches of the program.

## References
* keras/src/ops/function.py: Function.__init__, map_graph
* tf_keras/src/engine/functional.py: _map_graph_network
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD712", "disconnected-model", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.DISCONNECTED:
        yield rejection(event)

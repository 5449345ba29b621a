'''An assert or a check of the program's own fails for the values that it is given.

## Why is this bad?
The author of a layer wrote down what it needs - heads that divide the width, images of whole patches, equal shapes -
and the program does not keep to it. It stops there, before any training.

## Example

```python
import tensorflow as tf
from tensorflow.keras import layers


class SelfAttention(layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        assert width % heads == 0  # error: [failing-assertion]
        self.project = layers.Dense(width)

    def call(self, x):
        return self.project(x)


attention = SelfAttention(100, 8)
```

```python
from keras import Input, layers


def patches(x, size):
    if x.shape[1] % size:
        raise ValueError(f"{x.shape[1]} rows are no whole patches of {size}")  # error: [failing-assertion]
    return layers.Conv2D(64, size, strides=size)(x)


x = patches(Input((224, 224, 3)), 15)
```

Of several conditions one is enough:

```python
from keras import Input, layers


def pyramid(shape, levels):
    rows, columns, _ = shape
    step = 2 ** levels
    assert rows % step == 0 and columns % step == 0, "no multiple of %d" % step  # error: [failing-assertion]
    return layers.Conv2D(8, 3)(Input(shape))


pyramid((360, 480, 3), 5)
```

## Use instead

```python
import tensorflow as tf
from keras import Input, layers


class SelfAttention(layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        assert width % heads == 0
        self.project = layers.Dense(width)

    def call(self, x):
        return self.project(x)


def patches(x, size):
    if x.shape[1] % size:
        raise ValueError(f"{x.shape[1]} rows are no whole patches of {size}")
    return layers.Conv2D(64, size, strides=size)(x)


attention = SelfAttention(96, 8)
x = patches(Input((224, 224, 3)), 16)  # revealed: float32[B, 14, 14, 64]
```

## Where it fails
Everywhere: AssertionError, or what is raised.

## Known limits
Told of numbers and shapes, where the program certainly comes by: no branch before it is open, no default of a command
line decides, and no `try` stands around it.

## References
* https://docs.python.org/3/reference/simple_stmts.html#the-assert-statement
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD710", "failing-assertion", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.ASSERTED:
        yield rejection(event)

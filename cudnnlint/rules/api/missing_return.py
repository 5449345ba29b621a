'''What a function returns is used, and it returns nothing.

## Why is this bad?
A function that builds a model or loads data and ends without `return` gives None. The program stops where that is
unpacked or used as a model.

## Example

```python
import keras


def build_model(width):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(width)])
    model.compile("sgd", "mse")


model = build_model(4)
model.summary()  # error: [missing-return]
```

```python
import keras


def load_data():
    (x_train, y_train), _ = keras.datasets.mnist.load_data()
    x_train = x_train / 255.0


x_train, y_train = load_data()  # error: [missing-return]
```

```python
import tensorflow as tf


class Linear(tf.keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 4))

    def call(self, x):
        tf.matmul(x, self.w)


y = Linear()(tf.ones((2, 8)))
print(y.shape)  # error: [missing-return]
```

## Use instead

```python
import keras


def build_model(width):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(width)])
    model.compile("sgd", "mse")
    return model


model = build_model(4)
model.summary()
```

## Where it fails
Everywhere: AttributeError "'NoneType' object has no attribute 'summary'", or TypeError "cannot unpack non-iterable
NoneType object".

## Known limits
Told of functions in which no `return` has a value, where the program certainly comes by. A function that does nothing
yet is left alone, and so is one with a decorator.

## References
* https://docs.python.org/3/reference/simple_stmts.html#the-return-statement
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD715", "missing-return", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NOTHING:
        yield rejection(event)

'''A tf.function makes a variable, an optimizer or a metric each time that it is traced.

## Why is this bad?
A tf.function is traced at its first call and again for other arguments; its variables must be made once, before or in
the first trace. One that is made without a condition would be another one in each trace, and TensorFlow refuses.

## Example

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])


@tf.function
def scaled(x):
    factor = tf.Variable(2.0)  # error: [variable-made-in-function]
    return x * factor


@tf.function
def train_step(x, y):
    optimizer = tf.keras.optimizers.Adam(1e-3)  # error: [variable-made-in-function]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


@tf.function
def accuracy(x, y):
    metric = tf.keras.metrics.BinaryAccuracy()  # error: [variable-made-in-function]
    metric.update_state(y, model(x))
    return metric.result()


scaled(tf.zeros((4,)))
train_step(tf.zeros((8, 3)), tf.zeros((8, 1)))
accuracy(tf.zeros((8, 3)), tf.zeros((8, 1)))
```

A loss that `fit()` calls is part of a tf.function too:

```python
import tensorflow as tf


def weighted(y_true, y_pred):
    weight = tf.Variable(2.0)  # error: [variable-made-in-function]
    return tf.reduce_mean(weight * tf.square(y_true - y_pred))


model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
model.compile("sgd", weighted)
model.fit(tf.zeros((8, 3)), tf.zeros((8, 1)))
```

## Use instead

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(1e-3)
factor = None


@tf.function
def scaled(x):
    global factor
    if factor is None:
        factor = tf.Variable(2.0)
    return x * factor


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


scaled(tf.zeros((4,)))
train_step(tf.zeros((8, 3)), tf.zeros((8, 1)))
```

## Where it fails
Everywhere, at the first call: ValueError "tf.function only supports singleton tf.Variables created on the first call"
(run with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21), in older ones "tf.function-decorated function tried to create
variables on non-first call". Functions that run eagerly are no graphs, and silent.

## Known limits
What stands in the function itself, under no condition. Layers are told of by layers-created-in-call.

## References
* https://www.tensorflow.org/guide/function#creating_tfvariables
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD622", "variable-made-in-function", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.VARIABLE_TRACED:
        yield rejection(event)

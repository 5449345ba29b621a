'''Gradients are applied of a loss that no tape can follow back to the model.

## Why is this bad?
A tape knows what happens while it is open. Of predictions that were made before `with tf.GradientTape()` it has seen
nothing, and it goes no further back than `tf.argmax`, a cast to integers or `.numpy()`. `gradient()` gives None for
each variable then, and the optimizer refuses that.

## Example

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
optimizer, loss_fn = tf.keras.optimizers.SGD(), tf.keras.losses.MeanSquaredError()
x, y = tf.zeros((16, 3)), tf.zeros((16, 1))
prediction = model(x, training=True)
with tf.GradientTape() as tape:
    loss = loss_fn(y, prediction)
grads = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(zip(grads, model.trainable_variables))  # error: [no-gradients]
with tf.GradientTape() as tape:
    wrong = tf.cast(tf.argmax(model(x), axis=1), tf.float32) - y[:, 0]
    loss = tf.reduce_mean(tf.abs(wrong))
grads = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(zip(grads, model.trainable_variables))  # error: [no-gradients]
```

## Use instead

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
optimizer, loss_fn = tf.keras.optimizers.SGD(), tf.keras.losses.MeanSquaredError()
x, y = tf.zeros((16, 3)), tf.zeros((16, 1))
with tf.GradientTape() as tape:
    loss = loss_fn(y, model(x, training=True))
grads = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(zip(grads, model.trainable_variables))
before = model(x)
with tf.GradientTape() as tape:
    loss = loss_fn(y, before) + sum(tf.nn.l2_loss(v) for v in model.trainable_variables)
grads = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(zip(grads, model.trainable_variables))
```

## Where it fails
Everywhere, in apply_gradients(): ValueError "No gradients provided for any variable" (run with Keras 3.3 to 3.15 and
tf_keras 2.21).

## Known limits
Told where no layer at all is applied under the tape, and where all that leads from the model to the loss is known and
goes through NumPy arrays or whole numbers. `tf.round` and `tf.stop_gradient` are not looked at.

## References
* keras/src/optimizers/base_optimizer.py: BaseOptimizer._filter_empty_gradients
* https://www.tensorflow.org/guide/autodiff#getting_a_gradient_of_none
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD621", "no-gradients", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NO_GRADIENTS:
        yield rejection(event)

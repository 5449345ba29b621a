'''One optimizer object trains two models that have no layer in common.

## Why is this bad?
An optimizer keeps momenta and other slots for the variables that it was built for, those of the first model that it
trained. Since Keras 2.11 it refuses others: models of a cross-validation or a search, and the two networks of a GAN,
need an optimizer each.

## Example

```python
import keras
import numpy as np

optimizer = keras.optimizers.Adam(1e-3)
x, y = np.zeros((90, 4)), np.zeros((90, 1))
first = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
first.compile(optimizer, "mse")
first.fit(x, y)
second = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
second.compile(optimizer, "mse")
second.fit(x, y)  # error: [optimizer-of-another-model]
```

```python
import tensorflow as tf

generator = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(2)])
critic = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(1e-4)
loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True)
with tf.GradientTape() as g_tape, tf.GradientTape() as c_tape:
    verdict = critic(generator(tf.zeros((16, 8))))
    g_loss = loss_fn(tf.ones((16, 1)), verdict)
    c_loss = loss_fn(tf.zeros((16, 1)), verdict)
g_grads = g_tape.gradient(g_loss, generator.trainable_variables)
c_grads = c_tape.gradient(c_loss, critic.trainable_variables)
optimizer.apply_gradients(zip(g_grads, generator.trainable_variables))
optimizer.apply_gradients(zip(c_grads, critic.trainable_variables))  # error: [optimizer-of-another-model]
```

## Use instead

```python
import keras
import numpy as np


def build():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(1e-3), "mse")
    return model


x, y = np.zeros((90, 4)), np.zeros((90, 1))
first, second = build(), build()
first.fit(x, y)
second.fit(x, y)
optimizer = keras.optimizers.Adam(1e-3)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
for rate in (1e-3, 1e-4):
    model.compile(optimizer, "mse")
    model.fit(x, y)
```

## Where it fails
Everywhere from Keras 2.11 on, in fit() and apply_gradients(), whichever optimizer it is: ValueError "Unknown variable:
... This optimizer can only be called for the variables it was originally built with" (run with Keras 3.8 and 3.15),
KeyError "The optimizer cannot recognize variable" (tf_keras 2.21). `keras.optimizers.legacy` takes any variables.

```python keras=2.10 tensorflow=2.10
import numpy as np
from tensorflow import keras

optimizer = keras.optimizers.Adam(1e-3)
for _ in range(2):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(optimizer, "mse")
    model.fit(np.zeros((90, 4)), np.zeros((90, 1)))
    keras.backend.clear_session()
```

## Known limits
Models that share a layer are silent, as is an optimizer that was built by hand for the variables of all.

## References
* keras/src/optimizers/base_optimizer.py: BaseOptimizer._check_variables_are_known
* tf_keras/src/optimizers/optimizer.py: _BaseOptimizer.update_step
* https://github.com/rstudio/ai-blog/issues/224, https://github.com/melobio/Concerto-reproducibility/issues/7
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD623", "optimizer-of-another-model", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.OPTIMIZER_REUSED:
        yield rejection(event)

'''A tape that is not persistent is asked for gradients a second time.

## Why is this bad?
`gradient()` gives back what the tape has recorded as it goes. A second call finds nothing there and raises: the two
networks of a GAN need a tape each, or one that is persistent.

## Example

```python
import tensorflow as tf

generator = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(2)])
critic = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True)
with tf.GradientTape() as tape:
    verdict = critic(generator(tf.zeros((16, 8))))
    g_loss = loss_fn(tf.ones((16, 1)), verdict)
    c_loss = loss_fn(tf.zeros((16, 1)), verdict)
g_grads = tape.gradient(g_loss, generator.trainable_variables)
c_grads = tape.gradient(c_loss, critic.trainable_variables)  # error: [spent-gradient-tape]
```

## Use instead

```python
import tensorflow as tf

generator = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(2)])
critic = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True)
with tf.GradientTape(persistent=True) as tape:
    verdict = critic(generator(tf.zeros((16, 8))))
    g_loss = loss_fn(tf.ones((16, 1)), verdict)
    c_loss = loss_fn(tf.zeros((16, 1)), verdict)
g_grads = tape.gradient(g_loss, generator.trainable_variables)
c_grads = tape.gradient(c_loss, critic.trainable_variables)
del tape
for _ in range(2):
    with tf.GradientTape() as once:
        loss = loss_fn(tf.ones((16, 1)), critic(tf.zeros((16, 2))))
    if loss > 1.0:
        grads = once.gradient(loss, critic.trainable_variables)
    else:
        grads = once.gradient(loss * 0.5, critic.trainable_variables)
```

## Where it fails
Everywhere, eagerly and in a tf.function: RuntimeError "A non-persistent GradientTape can only be used to compute one
set of gradients (or jacobians)" (run with TensorFlow 2.21).

## Known limits
A tape that `persistent` is given for by what is not known is silent; so are `jacobian()` and a tape that is reset().

## References
* tensorflow/python/eager/backprop.py: GradientTape.gradient
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD620", "spent-gradient-tape", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.TAPE_SPENT:
        yield rejection(event)

'''Gradients are asked of a loss that cannot be followed back to the model.

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
    wrong = tf.cast(model(x) > 0.5, tf.float32) - y
    loss = tf.reduce_mean(tf.abs(wrong))
grads = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(zip(grads, model.trainable_variables))  # error: [no-gradients]


def update(prediction, labels, decay=0.0):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, prediction)
        if decay:
            loss += decay * tf.add_n([tf.nn.l2_loss(each) for each in model.trainable_variables])
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))  # error: [no-gradients]


update(model(x), tf.ones((16, 1)), decay=0.1)
update(model(x), tf.ones((16, 1)))
```

Of tensors that are no variables a tape knows what it is told to watch:

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((24, 24, 3)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(5)])


def saliency(photos, index):
    images = tf.convert_to_tensor(photos)
    with tf.GradientTape() as tape:
        score = model(images)[:, index]
    grads = tape.gradient(score, images)  # error: [no-gradients]
    return tf.reduce_max(tf.abs(grads), axis=-1)


def penalty(real, fake):
    mixed = tf.random.uniform((8, 1, 1, 1)) * (real - fake) + fake
    with tf.GradientTape() as tape:
        score = model(mixed)
    grads = tape.gradient(score, [mixed])[0]  # error: [no-gradients]
    return tf.reduce_mean(tf.square(tf.sqrt(tf.reduce_sum(grads ** 2, axis=[1, 2, 3])) - 1))


def mean_of(photos):
    total, images = 0.0, tf.convert_to_tensor(photos)
    for _ in range(3):
        with tf.GradientTape() as tape:
            score = model(images)
        total += tape.gradient(score, images)  # error: [no-gradients]
    return total


def watched(photos, index):
    images = tf.convert_to_tensor(photos)
    with tf.GradientTape() as tape:
        tape.watch(images)
        score = model(images)[:, index]
    grads = tape.gradient(score, images)
    return tf.reduce_max(tf.abs(grads), axis=-1)


decoder = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1728), tf.keras.layers.Reshape((24, 24, 3))])


def of_made(codes):
    fake = decoder(codes)
    with tf.GradientTape() as tape:
        score = model(fake)
    return tf.abs(tape.gradient(score, fake))  # error: [no-gradients]


def of_made_under_it(codes):
    with tf.GradientTape() as tape:
        fake = decoder(codes)
        score = model(fake)
    return tf.abs(tape.gradient(score, fake))


of_made(tf.zeros((2, 4)))
of_made_under_it(tf.zeros((2, 4)))
saliency(np.zeros((8, 24, 24, 3), "float32"), 2)
mean_of(np.zeros((8, 24, 24, 3), "float32"))
penalty(tf.zeros((8, 24, 24, 3)), tf.ones((8, 24, 24, 3)))
watched(np.zeros((8, 24, 24, 3), "float32"), 2)
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
print(tape.gradient(y, x))
with tf.GradientTape() as tape:
    y = tf.Variable(x) * x
print(tape.gradient(y, x) is None)
```

So it is of a loss of the program's own that fit() goes by:

```python
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K


def f1_loss(y_true, y_pred):
    positive = K.cast(K.greater(y_pred, 0.5), "float32")
    return 1 - 2 * K.sum(y_true * positive) / (K.sum(y_true) + K.sum(positive) + K.epsilon())


def rounded(y_true, y_pred):
    return tf.reduce_mean(tf.abs(tf.round(y_pred) - y_true))


def soft_f1(y_true, y_pred):
    sure = K.cast(K.greater(y_pred, 0.9), "float32")
    return 1 - 2 * K.sum(y_true * y_pred * sure) / (K.sum(y_true) + K.sum(y_pred) + K.epsilon())


x, y = np.zeros((16, 4)), np.zeros((16, 1))
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", f1_loss)
model.fit(x, y)  # error: [no-gradients]
model.compile("adam", rounded)
model.fit(x, y)  # error: [no-gradients]
model.compile("adam", soft_f1, metrics=[f1_loss])
model.fit(x, y)
model.compile("adam", lambda y_true, y_pred: tf.reduce_mean(tf.square(y_true - y_true)))
model.fit(x, y)  # error: [no-gradients]
model.compile("adam", f1_loss)
scores = model.evaluate(x, y)
```

In PyTorch, `torch.no_grad()`, `detach()` and `argmax()` cut it off:

```python
import torch
from torch import nn

model, x, y = nn.Linear(5, 3), torch.randn(10, 5), torch.randint(0, 3, (10,))
with torch.no_grad():
    scores = model(x)
loss = nn.functional.cross_entropy(scores, y)
loss.backward()  # error: [no-gradients]
```

So does a network all of whose parameters were frozen, be it with the head that was to be trained:

```python
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.body(x))


model = Classifier()
for parameter in model.parameters():
    parameter.requires_grad = False
x, y = torch.rand(8, 3, 32, 32), torch.randint(0, 5, (8,))
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()  # error: [no-gradients]
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

What is trained is made, or asks for gradients again, after the rest was frozen:

```python
import torch
from torch import nn

body = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
body.requires_grad_(False)
model = nn.Sequential(body, nn.Linear(16, 3))
x, y = torch.randn(10, 6), torch.randint(0, 3, (10,))
nn.functional.cross_entropy(model(x), y).backward()
model.requires_grad_(False)
before = torch.randn(10, 6, requires_grad=True)
nn.functional.cross_entropy(model(before), y).backward()
for parameter in model[1].parameters():
    parameter.requires_grad = True
nn.functional.cross_entropy(model(x), y).backward()
model.requires_grad_(False)
for parameter in model[1].parameters():
    parameter.requires_grad_(True)
nn.functional.cross_entropy(model(x), y).backward()
model.requires_grad_(False)
model[1].weight.requires_grad_()
nn.functional.cross_entropy(model(x), y).backward()
for parameter in model.parameters():
    parameter.requires_grad_(False)
for name, parameter in model.named_parameters():
    if name.startswith("1."):
        parameter.requires_grad_(True)
nn.functional.cross_entropy(model(x), y).backward()
```

## Where it fails
Everywhere, in apply_gradients() and in fit(): ValueError "No gradients provided for any variable" (run with Keras 3.3
to 3.15 and tf_keras 2.21). What is done with the gradient of a tensor that is not watched: ValueError "Attempt to
convert a value (None) with an unsupported type", "None values not supported", or TypeError "unsupported operand
type(s)".

PyTorch: RuntimeError "element 0 of tensors does not require grad and does not have a grad_fn".

## Known limits
Told where no layer at all is applied under the tape, and where all that leads from the model to the loss is known and
goes through NumPy arrays, comparisons, whole numbers or `tf.round`, `tf.floor` and `tf.math.ceil`. `tf.stop_gradient`
is not looked at, nor a loss of one of several outputs, nor the loss of fit() where the program names regularizers. Of
PyTorch, silent where it is not known of all parameters on the way whether they were frozen: once the program sets
requires_grad of some by their names, say.

## References
* keras/src/optimizers/base_optimizer.py: BaseOptimizer._filter_empty_gradients
* torch/csrc/autograd/python_engine.cpp, torch/csrc/autograd/engine.cpp: validate_outputs
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

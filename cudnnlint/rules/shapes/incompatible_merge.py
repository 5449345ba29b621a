'''Tensors that are added, concatenated or otherwise combined do not fit each other.

## Why is this bad?
Add needs extents that are equal or 1, Concatenate needs equal extents on every axis but its own. In a residual
block a stride or a change of width on one branch only breaks it; in a U-Net an odd extent is lost by pooling
(7 -> 3) and does not come back (3 -> 6).

## Example

```python
import keras
from keras import layers

x = keras.Input((32, 32, 16))
y = layers.Conv2D(16, 3, strides=2, padding="same")(x)
z = layers.Add()([x, y])  # error: [incompatible-merge]
```

```python
import keras
from keras import layers

skip = keras.Input((7, 7, 64))
down = layers.MaxPooling2D(2)(skip)  # revealed: float32[B, 3, 3, 64]
up = layers.UpSampling2D(2)(down)  # revealed: float32[B, 6, 6, 64]
x = layers.Concatenate()([skip, up])  # error: [incompatible-merge]
```

Plain arithmetic follows the same rule:

```python
import tensorflow as tf

x = tf.zeros((8, 3)) + tf.zeros((8, 4))  # error: [incompatible-merge]
```

In a graph, what `tf.while_loop` carries from turn to turn keeps its shape:

```python
import tensorflow as tf


@tf.function
def sample(first):
    def body(i, tokens):
        return i + 1, tf.concat([tokens, tokens[:, -1:] + 1], axis=1)

    return tf.while_loop(lambda i, t: i < 5, body, [0, first])  # error: [incompatible-merge]


@tf.function
def told(first):
    def body(i, tokens):
        return i + 1, tf.concat([tokens, tokens[:, -1:] + 1], axis=1)

    shapes = [tf.TensorShape([]), tf.TensorShape([2, None])]
    return tf.while_loop(lambda i, t: i < 5, body, [0, first], shape_invariants=shapes)


@tf.function
def rolled(tokens, n):
    for i in tf.range(n):  # which AutoGraph makes a tf.while_loop of
        tokens = tf.concat([tokens, tokens[:, -1:] + 1], axis=1)  # error: [incompatible-merge]
    return tokens


sample(tf.constant([[1], [2]]))
rolled(tf.constant([[1], [2]]), tf.constant(5))
told(tf.constant([[1], [2]]))
```

```python
import torch
from torch import nn

skip = torch.randn(1, 64, 7, 7)
down = nn.MaxPool2d(2)(skip)
up = nn.ConvTranspose2d(64, 64, 2, stride=2)(down)  # revealed: float32[1, 64, 6, 6]
x = torch.cat([skip, up], dim=1)  # error: [incompatible-merge]
```

What `Input((None, None, 3))` leaves open, the data say:

```python
import keras
import numpy as np
from keras import layers

inputs = keras.Input((None, None, 3))
first = layers.Conv2D(8, 3, padding="same")(inputs)
second = layers.Conv2D(16, 3, padding="same")(layers.MaxPooling2D()(first))
joined = layers.concatenate([layers.UpSampling2D()(second), first])  # error: [incompatible-merge]
model = keras.Model(inputs, layers.Conv2D(1, 1)(joined))
model.compile("adam", "mse")
model.fit(np.zeros((8, 75, 75, 3)), np.zeros((8, 75, 75, 1)))
```

A mask is laid over the scores of an attention:

```python
import keras
import numpy as np
from keras import layers

tokens = keras.Input((48,), dtype="int32")
x = layers.Embedding(100, 32)(tokens)
causal = np.tril(np.ones((64, 64), dtype="bool"))
y = layers.MultiHeadAttention(4, 8)(x, x, attention_mask=causal)  # error: [incompatible-merge]
y = layers.MultiHeadAttention(4, 8)(x, x, attention_mask=causal[:48, :48])
```

```python
import torch

width, steps = 75, 50
encoding = torch.zeros(steps, width)
angles = torch.arange(steps).unsqueeze(1) * torch.arange(0, width, 2)
encoding[:, 0::2] = torch.sin(angles)
encoding[:, 1::2] = torch.cos(angles)  # error: [incompatible-merge]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((32, 32, 16))
y = layers.Conv2D(16, 3, strides=2, padding="same")(x)
shortcut = layers.Conv2D(16, 1, strides=2)(x)
z = layers.Add()([shortcut, y])  # revealed: float32[B, 16, 16, 16]
```

## Fix
Unsafe, since another shape may be meant: of what a loss of PyTorch is given, what has the shape (n, 1) beside (n,) gets
`.squeeze(1)`, and an output whose classes are last `.transpose(1, 2)`.

## Where it fails
Everywhere, when the model is built: ValueError "A `Concatenate` layer requires inputs with matching shapes except for
the concatenation axis", "Inputs have incompatible shapes" (Add and its kin; in older Keras 2 "Operands could not be
broadcast together with shapes"); on tensors InvalidArgumentError "Incompatible shapes: [32,28,28,64] vs.
[32,14,14,64]", in NumPy ValueError. Of tf.while_loop in a graph ValueError "enters the loop with shape (2, 1), but has
shape (2, 2) after one iteration", of a loop over a tensor "'tokens' has shape (2, 1) before the loop, but shape (2, 2)
after one iteration".

PyTorch: RuntimeError "The size of tensor a (4) must match the size of tensor b (8) at non-singleton dimension 3",
"Sizes of tensors must match except in dimension 1. Expected size 7 but got size 6 for tensor number 1 in the list.",
"Expected hidden[0] size (1, 5, 20), got [5, 1, 20]", "The expanded size of the tensor (37) must match the existing
size (38) at non-singleton dimension 1"; NumPy: ValueError "could not broadcast input array from shape (5,4) into shape
(5,3)".

## Known limits
Extents that neither the source nor the data of fit() tell are taken to fit: a U-Net over `Input((None, None, 3))`
fails at run time for images whose sides are not divisible by two to the number of its poolings.

## References
* keras/src/layers/merging/base_merge.py: Merge._compute_elemwise_op_output_shape
* keras/src/layers/merging/concatenate.py: Concatenate.build
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD104", "incompatible-merge", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem in (Problem.MERGE, Problem.BROADCAST) and event.stage in ("call", "constructor"):
        yield rejection(event)

'''A layer gets a tensor with too many or too few axes.

## Why is this bad?
Each layer reads its axes by position: Conv2D takes (batch, height, width, channels), LSTM (batch, time,
features). Too few axes are most often a pooled or flattened tensor, a sample without its batch axis, or a
recurrent layer that gave only its last step.

## Example

```python
import keras
from keras import layers

x = keras.Input((50, 8))
x = layers.LSTM(32)(x)  # revealed: float32[B, 32]
x = layers.LSTM(32)(x)  # error: [rank-mismatch]
```

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3))
x = layers.GlobalAveragePooling2D()(x)  # revealed: float32[B, 3]
x = layers.Conv2D(16, 3)(x)  # error: [rank-mismatch]
```

```python
import torch
from torch import nn

norm = nn.BatchNorm2d(8)
image = norm(torch.randn(8, 32, 32))  # error: [rank-mismatch]
images = norm(torch.randn(8, 32, 32).unsqueeze(0))  # revealed: float32[1, 8, 32, 32]
values, actions = nn.Linear(4, 2)(torch.randn(32, 4)), torch.randint(2, (32,))
chosen = values.gather(1, actions)  # error: [rank-mismatch]
taken = values.gather(1, actions.unsqueeze(1))  # revealed: float32[32, 1]
```

TextVectorization takes one text in each row. Of what Python code gives within map(), and of what a generator
yields, TensorFlow knows no axis at all unless it is told; what runs eagerly need not know:

```python
import numpy as np
import tensorflow as tf

words = tf.keras.layers.TextVectorization(max_tokens=1000, output_sequence_length=12)
pair = tf.keras.Input((2,), dtype="string")
indices = words(pair)  # error: [rank-mismatch]
one = words(tf.keras.Input((1,), dtype="string"))  # revealed: int64[B, 12]


def flipped(image, label):
    return tf.py_function(lambda x: x[:, ::-1], [image], tf.float32), label


def told(image, label):
    image = tf.numpy_function(lambda x: x[:, ::-1], [image], tf.float32)
    image.set_shape((64, 64, 3))
    return image, label


data = tf.data.Dataset.from_tensor_slices((np.zeros((32, 64, 64, 3), "float32"), np.zeros((32, 1))))
for_told = tf.keras.Sequential([tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(1)])
for_told.compile("adam", "mse")
for_told.fit(data.map(told).batch(8))
model = tf.keras.Sequential([tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(data.map(flipped).batch(8))  # error: [rank-mismatch]


def batches():
    for _ in range(4):
        yield np.zeros((8, 64, 64, 3), "float32"), np.zeros((8, 1), "float32")


typed = tf.data.Dataset.from_generator(batches, output_types=(tf.float32, tf.float32))
model = tf.keras.Sequential([tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(typed.prefetch(2))  # error: [rank-mismatch]
model = tf.keras.Sequential([tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(tf.data.Dataset.from_generator(batches, (tf.float32, tf.float32), ((None, 64, 64, 3), (None, 1))))
model.compile("adam", "mse", run_eagerly=True)
model.fit(typed)
model.fit(data.map(flipped).batch(8))
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((50, 8))
x = layers.LSTM(32, return_sequences=True)(x)  # revealed: float32[B, 50, 32]
x = layers.LSTM(32)(x)  # revealed: float32[B, 32]
```

## Fix
Unsafe, since the output may be what is wrong: class numbers of shape (n, 1) that a loss of PyTorch is given get
`.squeeze(1)`.

## Fix
Safe: `loss.data[0]` of a scalar, which was written before PyTorch 0.5, becomes `loss.item()`.

## Where it fails
Everywhere, when the model is built or the layer called: ValueError "expected ndim=3, found ndim=2" or "expected
min_ndim=4, found ndim=2"; of a convolution of Keras 3 that gets an axis too many, as of `input_shape=x.shape`,
"Kernel shape must have the same length as input, but received kernel of shape (3, 3, 1, 8) and input of shape (None,
50, 28, 28, 1)". With TensorFlow "the input rank must be 1 or the last shape dimension must be 1", with Keras 3 as the
model is run. With Keras 3, fit() and evaluate() of a dataset whose elements have no rank: "as_list() is not
defined on an unknown TensorShape", "Cannot take the length of shape with unknown rank"; Keras 2 trains where no layer
and no metric asks for it. Run with Keras 3.15 and tf_keras 2.21.

PyTorch, when the module is called: ValueError "expected 4D input (got 3D input)", RuntimeError "Expected 3D (unbatched)
or 4D (batched) input to conv2d, but got input of size: [8, 20]", before PyTorch 1.11 "Expected 4-dimensional input for
4-dimensional weight [64, 3, 7, 7], but got 3-dimensional input of size [3, 224, 224] instead", of backward() "grad can
be implicitly created only for scalar outputs", of item() "a Tensor with 8 elements cannot be converted to Scalar",
IndexError "invalid index of a 0-dim tensor"; gather() and scatter() "Index tensor must have the same number of
dimensions as input tensor", "as self tensor".

## Known limits
Keras 2 lets convolutions take several batch axes, (batch, time, height, width, channels): there, too many axes
are no error and the layer that follows decides.

## References
* keras/src/layers/input_spec.py: assert_input_compatibility
* tf_keras/src/layers/convolutional/base_conv.py: Conv.__init__ (min_ndim)
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, ItemOf, Level
from cudnnlint.rules.ancestry import ELEMENTWISE, PREFIX, chain, maker_of, within
from cudnnlint.rules.fixes import safe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem, Shape, Tensor


@rule("CUD103", "rank-mismatch", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.RANK:
        found = rejection(event)
        number = event.mismatch.fact("number of") == "torch"
        yield replace(found, help=_advice(event) or found.help,
                      fix=safe("its number with item()", ItemOf(event.span)) if number else found.fix)


RECURRENT = frozenset(PREFIX + name for name in ("LSTM", "GRU", "SimpleRNN", "CuDNNLSTM", "CuDNNGRU", "RNN"))


def _of_steps(rank: int) -> str:
    """How images, or what convolutions made of them, become vectors."""
    if rank == 4:
        return "one vector for each step is needed: Reshape((steps, features)) before it, or one axis less"
    return "one vector for each step is needed: TimeDistributed(Flatten()) before it, or pool each step globally"


def _advice(event: Rejected) -> str:
    """What a layer lacks one axis for: what gave the tensor, or which axis an input is short of."""
    x, expected = event.inputs, event.mismatch.fact("expected")
    if event.layer is None or not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return ""
    before = maker_of(x)
    given = "input_shape" in event.layer.base if before is None else before.path == f"{PREFIX}InputLayer"
    if expected == len(x.shape) - 1 and given:
        each = f"; TimeDistributed({event.layer.name}(...)) goes along an axis of steps" if expected > 3 else ""
        return f"an input's shape does not count the samples, x.shape[1:]{each}"
    if expected == 3 and len(x.shape) > 3 and within(event.layer).path in RECURRENT:
        return _of_steps(len(x.shape))
    pooled = before is not None and (before.name == "Flatten" or before.name.startswith("Global"))
    if expected != len(x.shape) + 1 and not (pooled and isinstance(expected, int) and expected > len(x.shape)):
        return ""
    source = next((layer for _, layer in chain(x) if layer is None or layer.path not in ELEMENTWISE), None)
    if source is not None and within(source).path in RECURRENT:
        return f"return_sequences=True for the {within(source).name} before gives each of its steps"
    if within(event.layer).name.startswith("ConvLSTM"):
        return f"an axis for the steps is lacking: (steps, {_listed(x.shape[1:])}) without the batch"
    if before is not None and before.name == "Dense":
        return f"bring what the {before.name} before it gives into shape with Reshape"
    if before is not None and pooled:
        return f"leave out the {before.name} before it, or bring what it gives into shape with Reshape"
    if expected == 2 and before is None and isinstance(x.shape[0], int):
        return f"one sample needs a batch axis: x[np.newaxis], (1, {x.shape[0]})"
    if expected == 4 and before is not None and before.name == "Embedding":
        return f"an axis for the channels is lacking: Reshape(({_listed(x.shape[1:])}, 1)) before it, or Conv1D" \
            if all(isinstance(extent, int) for extent in x.shape[1:]) else ""
    if expected < 4 or x.step is None or (before is not None and before.path != f"{PREFIX}InputLayer"):
        return ""
    if isinstance(x.shape[0], int) and x.shape[-1] in (1, 3):
        return f"one sample needs a batch axis: x[np.newaxis], (1, {', '.join(map(str, x.shape))})"
    return f"an axis for the channels is lacking: x[..., np.newaxis], ({_listed(x.shape[1:])}, 1) without the batch"


def _listed(extents: Shape) -> str:
    return ", ".join(map(str, extents))

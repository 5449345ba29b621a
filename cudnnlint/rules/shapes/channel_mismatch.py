'''A layer or filter meets a number of channels other than the one its weights were made for.

## Why is this bad?
Weights have a fixed shape from the first call on: a kernel made for 3 channels cannot be applied to 1. It
happens where one layer object is used twice, where a grey image meets a network for colour, or where a filter
for `tf.nn.conv2d` or a matrix was given by hand.

## Example

```python
import keras
from keras import layers

shared = layers.Conv2D(16, 3)
colour = shared(keras.Input((32, 32, 3)))
grey = shared(keras.Input((32, 32, 1)))  # error: [channel-mismatch]
```

A matrix product is the same thing with one axis:

```python
import tensorflow as tf

features = tf.zeros((8, 128))
weights = tf.zeros((64, 10))
logits = tf.matmul(features, weights)  # error: [channel-mismatch]
```

PyTorch makes weights with the module, for the numbers that it is given:

```python
import torch
from torch import nn

model = nn.Sequential(
    nn.Conv2d(3, 16, 3),
    nn.BatchNorm2d(32),  # error: [channel-mismatch]
)
y = model(torch.randn(8, 3, 32, 32))
head = nn.Linear(400, 10)
scores = head(torch.randn(8, 256))  # error: [channel-mismatch]
```

## Use instead

```python
import keras
from keras import layers

colour = layers.Conv2D(16, 3)(keras.Input((32, 32, 3)))
grey = layers.Conv2D(16, 3)(keras.Input((32, 32, 1)))  # revealed: float32[B, 30, 30, 16]
```

## Fix
Unsafe, since the input may be what is wrong: a Linear, LSTM, GRU or RNN whose number of features is a literal gets that
of its input.

## Where it fails
Everywhere, before cuDNN is reached: Keras raises ValueError "expected axis -1 of input shape to have value 3",
`tf.matmul` InvalidArgumentError "Matrix size-incompatible". cuDNN itself would answer CUDNN_STATUS_BAD_PARAM to
channels that are not groups times the filter's.

PyTorch, when the module is called: RuntimeError "Given groups=1, weight of size [16, 3, 3, 3], expected input[8, 1, 32,
32] to have 3 channels, but got 1 channels instead", before PyTorch 1.8 "size mismatch, m1: [8 x 256], m2: [400 x 10]",
since then "mat1 and mat2 shapes cannot be multiplied (8x256 and 400x10)",
"running_mean should contain 16 elements not 32", "input.size(-1) must be equal to input_size. Expected 28, got 784".

## Known limits
Weights that are loaded from a file are not read: a checkpoint made for other channels is not noticed.

## References
* keras/src/layers/input_spec.py: assert_input_compatibility
* tensorflow/core/framework/common_shape_fns.cc: Conv2DShape, MatMulShape
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level, Recipe
from cudnnlint.rules.fixes import giving, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem, Tensor


@rule("CUD102", "channel-mismatch", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.CHANNELS:
        found = rejection(event)
        if (event.mismatch.fact("built"), event.mismatch.fact("actual")) == (3, 1) and _is_image(event.inputs):
            found = replace(found, help="read the images with 3 channels, or make them of grey ones: "
                                        "tf.image.grayscale_to_rgb(x)")
        yield replace(found, fix=_fix(event))


def _is_image(inputs: object) -> bool:
    return isinstance(inputs, Tensor) and inputs.rank == 4


SIZES = {"torch.nn.Linear": "in_features", "torch.nn.LSTM": "input_size", "torch.nn.GRU": "input_size",
         "torch.nn.RNN": "input_size"}


def _fix(event: Rejected) -> Recipe | None:
    """The number of features that comes, where a literal says another."""
    layer, actual = event.layer, event.mismatch.fact("actual")
    if layer is None or layer.path not in SIZES or not isinstance(actual, int) or "flatten" in event.mismatch.help:
        return None
    name = SIZES[layer.path]
    return unsafe(f"{name}={actual}", giving(layer, name, str(actual)))

'''A convolution, pooling or cropping layer leaves an axis with no elements.

## Why is this bad?
The window is larger than what is left of the feature map, usually because an earlier pooling or stride
shrank it. Keras refuses to build the model; where an older version lets the empty axis pass, the next
layer or the gradient fails on the GPU.

## Example

```python
import keras
from keras import layers

x = keras.Input((12, 12, 3))
x = layers.MaxPooling2D(4)(x)
x = layers.Conv2D(64, 5)(x)  # error: [empty-feature-map]
```

A series comes as (steps, channels); the other way round it has one step:

```python
import keras
from keras import layers

model = keras.Sequential([
    keras.Input((1, 101)),
    layers.Conv1D(8, 10),  # error: [empty-feature-map]
])
```

Images come as (height, width, channels); as (channels, height, width), the way of Theano, they have three rows, unless
`data_format` says so:

```python
import keras
from keras import layers

model = keras.Sequential([
    keras.Input((3, 224, 224)),
    layers.ZeroPadding2D(1),
    layers.Conv2D(32, 3),
    layers.MaxPooling2D(2),
    layers.Conv2D(32, 3),  # error: [empty-feature-map]
])
```

A model of any size meets its limit in the data:

```python
import keras
import numpy as np
from keras import layers

x = inputs = keras.Input((None, None, 3))
for filters in (8, 16, 32, 64):
    x = layers.Conv2D(filters, 3, strides=2)(x)  # error: [empty-feature-map]
model = keras.Model(inputs, layers.GlobalAveragePooling2D()(x))
model.compile("adam", "mse")
model.fit(np.zeros((64, 16, 16, 3)), np.zeros((64, 64)))
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((12, 12, 3))
x = layers.MaxPooling2D(4)(x)  # revealed: float32[B, 3, 3, 3]
x = layers.Conv2D(64, 5, padding="same")(x)  # revealed: float32[B, 3, 3, 64]
```

Where the axis comes out as zero, Keras 3.0-3.13 say nothing:

```python keras=3.3 tensorflow=2.16
import keras
from keras import layers

x = keras.Input((2, 2, 3))
x = layers.Conv2D(4, 3)(x)  # error: [empty-feature-map]
```

## Fix
Unsafe, since it is one of several remedies: the layer gets `padding="same"` where that leaves anything.

## Where it fails
Keras 2 and Keras 3.14+ raise ValueError when the model is built: "Negative dimension size caused by subtracting 5 from
3" or "One of the dimensions in the output is <= 0 due to downsampling"
(Keras 2), "Computed output size would be zero or negative" (Keras 3). Keras 3.0-3.13 reject a negative extent,
"Computed output size would be negative", but accept zero for convolutions (pooling up to 3.14), and hand on a tensor
without elements. cuDNN answers CUDNN_STATUS_BAD_PARAM to any extent of zero: TensorFlow 1 ended in "could not convert
BatchDescriptor {count: 8 feature_map_count: 1024 spatial: 0 0} to cudnn tensor descriptor: CUDNN_STATUS_BAD_PARAM". A
pooling layer that is called on a tensor itself, outside of fit() and tf.function, fails otherwise: average pooling
hands on a tensor without elements, max pooling ends in AbortedError on the CPU.

PyTorch refuses such a window when the module is called, RuntimeError "Calculated padded input size per channel: (2 x
2). Kernel size: (5 x 5). Kernel size can't be greater than actual input size", pooling "Given input size: (3x2x9).
Calculated output size: (3x0x2). Output size is too small":

```python
import torch
from torch import nn

model = nn.Sequential(
    nn.Conv2d(3, 16, 3),
    nn.MaxPool2d(4),
    nn.Conv2d(16, 32, 5),  # error: [empty-feature-map]
)
y = model(torch.randn(8, 3, 14, 14))
```

## Known limits
Extents that the source leaves open (`Input((None, None, 3))`) are judged where the model is called or trained on data
whose extents are known.

## References
* keras/src/ops/operation_utils.py: compute_conv_output_shape, compute_pooling_output_shape
* tensorflow/core/framework/common_shape_fns.cc: GetWindowedOutputSizeFromDimsV2
* aten/src/ATen/native/Convolution.cpp: check_shape_forward; aten/src/ATen/native/Pool.h: pool2d_shape_check
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level, Recipe
from cudnnlint.rules.ancestry import CONVOLUTIONS, chain, is_first
from cudnnlint.rules.fixes import giving, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import fails
from cudnnlint.values import Problem, Tensor


@rule("CUD101", "empty-feature-map", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.EMPTY_DIM:
        yield event.finding(event.mismatch.message, help=_help(event), fails=_fails(event), fix=_fix(event))


def _help(event: Rejected) -> str:
    """A series of one step and many channels is likely the other way round, as are images of three rows."""
    x = event.inputs
    if _is_keras(event) and (images := _channels_first(x)):
        return f"the input is (height, width, channels): {images}; or {event.mismatch.help}"
    if _is_keras(event) and event.what.endswith("1D") and isinstance(x, Tensor) and x.rank == 3:
        _, steps, channels = x.shape  # type: ignore[misc]
        if steps == 1 and isinstance(channels, int) and channels > 1:
            return f"the input is (steps, channels): ({channels}, 1) for {channels} steps; or {event.mismatch.help}"
    return event.mismatch.help


def _channels_first(x: object) -> str:
    """What images come as that begin with (3, 224, 224) where their channels are last, or "" """
    if not isinstance(x, Tensor) or x.rank != 4:
        return ""
    first = x
    for tensor, layer in chain(x):
        if layer is not None and (layer.path in CONVOLUTIONS and is_first(layer) is not False):
            return ""
        first = tensor
    known = first.shape if isinstance(first.shape, tuple) else ()
    extents = [extent for extent in known[1:] if isinstance(extent, int)]
    if first.rank != 4 or len(extents) != 3:
        return ""
    channels, height, width = extents
    return f"({height}, {width}, {channels})" if channels in (1, 3) and min(height, width) >= LEAST_SIDE else ""


LEAST_SIDE = 16
"""Pixels on a side of an image, or more than there are colours."""


def _fix(event: Rejected) -> Recipe | None:
    """Where the layer itself says that it would leave something."""
    if event.layer is None or not _help(event).lower().startswith('padding="same"'):
        return None
    return unsafe('padding="same"', giving(event.layer, "padding", '"same"'))


def _is_keras(event: Rejected) -> bool:
    return event.layer is not None and not event.layer.path.startswith("torch.")


def _is_eager(inputs: object) -> bool:
    return isinstance(inputs, Tensor) and inputs.kind == "tf"


EAGER = "; outside of fit() and tf.function average pooling hands on a tensor without elements, and max pooling ends " \
    "in AbortedError on the CPU"
"""What becomes of a layer that is called on a tensor itself, without a graph (run with TensorFlow 2.21)."""


def _fails(event: Rejected) -> str:
    """Versions that hand the empty tensor on leave the failure to what follows."""
    if event.mismatch.error:
        told = fails(event)
        after = event.mismatch.fact("after") or ()
        only_zero = _is_keras(event) and event.stack.keras >= (3,) and all(extent == 0 for extent in after) \
            and "Computed" in event.mismatch.error
        path = event.layer.path if event.layer is not None else ""
        if path.startswith("keras.layers.") and "Pool" in path and _is_eager(event.inputs):
            return told + EAGER
        return told + "; Keras 3 before 3.14 (pooling: 3.15) hands on a tensor without elements" if only_zero else told
    return "later: this version hands on a tensor without elements, at which the next layer or the gradient fails"

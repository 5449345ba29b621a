'''A depthwise convolution has different strides along height and width, which only a CPU computes.

## Why is this bad?
TensorFlow's depthwise kernels take one stride for both axes. oneDNN, which TensorFlow uses on a CPU from 2.9 on,
takes any, so that the model trains on a laptop and fails on the GPU.

## Example

```python
import keras
from keras import layers

x = keras.Input((32, 64, 3))
x = layers.DepthwiseConv2D(3, strides=(1, 2), padding="same")(x)  # error: [unequal-strides]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((32, 64, 3))
x = layers.DepthwiseConv2D(3, padding="same")(x)
x = layers.MaxPooling2D((1, 2))(x)  # revealed: float32[B, 32, 32, 3]
```

## Where it fails
On a GPU, and on a CPU without oneDNN: InvalidArgumentError "Current implementation only supports equal length
strides in the row and column dimensions." It was seen on TensorFlow 2.0 and 2.4; TensorFlow 2.10 to 2.21 run it on
a CPU.

## Known limits
With XLA, which Keras 3 turns on for a GPU by itself, another kernel may be chosen.

## References
* tensorflow/core/kernels/depthwise_conv_op.cc: DepthwiseConv2dNativeOp
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Problem


@rule("CUD307", "unequal-strides", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNEQUAL_STRIDES:
        yield event.finding(event.mismatch.message, help=event.mismatch.help,
                            fails=f"on a GPU, and on a CPU without oneDNN: {event.mismatch.error}")

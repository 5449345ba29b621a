'''A convolution has both strides and dilation_rate above 1, which Keras does not allow.

## Why is this bad?
Keras up to 3.15 refuses the combination, on whatever axes the two stand. It is a restriction of Keras, not of cuDNN,
which takes it, as does `tf.nn.conv2d`.

## Example

```python
from keras import layers

conv = layers.Conv2D(64, 3, strides=2, dilation_rate=2)  # error: [strides-with-dilation]
```

The axes need not be the same:

```python
from keras import layers

conv = layers.Conv2D(64, 3, strides=(2, 1), dilation_rate=(1, 2))  # error: [strides-with-dilation]
```

## Use instead
Dilate first, then take every second element, or pool.

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3))
x = layers.Conv2D(64, 3, padding="same", dilation_rate=2)(x)
x = layers.MaxPooling2D(2)(x)  # revealed: float32[B, 16, 16, 64]
```

## Where it fails
ValueError "`strides > 1` not supported in conjunction with `dilation_rate > 1`": when the layer is made with Keras
3 up to 3.15 and Keras from 2.12 on, when it is called before. DepthwiseConv2D and SeparableConv2D take it in Keras
before 2.12 and from 3.15 on.

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3))
x = layers.DepthwiseConv2D(3, strides=2, dilation_rate=2)(x)
```

## Known limits
The version after Keras 3.15 takes it for all layers; until it is released nothing can be said of it.

## References
* keras/src/layers/convolutional/base_conv.py: BaseConv.__init__
* tf_keras/src/layers/convolutional/base_conv.py: Conv._validate_init
* keras pull request 23181
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD303", "strides-with-dilation", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.STRIDES_DILATION:
        yield rejection(event)

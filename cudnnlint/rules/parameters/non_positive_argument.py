'''A count or extent that must be positive is zero or negative.

## Why is this bad?
A layer without filters, or a window without extent, computes nothing. It is rarely written down: it comes out of
arithmetic such as `int(32 * width_multiplier)` or `filters // 4`, which is 0 for small numbers.

## Example

```python
import keras
from keras import layers

width_multiplier = 0.02
x = keras.Input((32, 32, 3))
x = layers.Conv2D(int(32 * width_multiplier), 3)(x)  # error: [non-positive-argument]
```

```python
from torch import nn

width = 128
attention = nn.MultiheadAttention(width, width // 256)  # error: [non-positive-argument]
```

## Use instead

```python
import keras
from keras import layers

width_multiplier = 0.02
x = keras.Input((32, 32, 3))
x = layers.Conv2D(max(8, int(32 * width_multiplier)), 3)(x)  # revealed: float32[B, 30, 30, 8]
```

## Where it fails
ValueError when the layer is made, with Keras from 2.9 on. Some counts are refused by some versions only, which the
finding names: `filters=0` passes before Keras 2.9, `Dense(0)` and `LSTM(0)` before Keras 3.13, `groups=0` in Keras
2. TensorFlow 1.15 and 2.0 then die of a division by zero (SIGFPE), and cuDNN answers CUDNN_STATUS_BAD_PARAM to a
tensor without channels. `nn.MultiheadAttention(128, 0)`: ValueError "embed_dim and num_heads must be greater than 0".

```python keras=3.12 tensorflow=2.20
import keras
from keras import layers

x = layers.Dense(0)(keras.Input((8,)))  # revealed: float32[B, 0]
```

## Known limits
Numbers that the program reads from elsewhere are not known.

## References
* keras/src/layers/convolutional/base_conv.py: BaseConv.__init__
* tf_keras/src/utils/conv_utils.py: normalize_tuple
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD301", "non-positive-argument", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NON_POSITIVE:
        yield rejection(event)

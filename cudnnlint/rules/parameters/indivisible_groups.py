'''Channels or filters cannot be divided into the number of groups.

## Why is this bad?
A grouped convolution splits the input channels and the filters into equal parts; GroupNormalization splits the
channels. A remainder has no group to go to.

## Example

```python
import keras
from keras import layers

x = keras.Input((32, 32, 30))
x = layers.Conv2D(64, 3, groups=4)(x)  # error: [indivisible-groups]
```

```python
from keras import layers

conv = layers.Conv2D(30, 3, groups=4)  # error: [indivisible-groups]
```

```python
from torch import nn

conv = nn.Conv2d(30, 64, 3, groups=4)  # error: [indivisible-groups]
attention = nn.MultiheadAttention(100, 8)  # error: [indivisible-groups]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((32, 32, 32))
x = layers.Conv2D(64, 3, groups=4)(x)  # revealed: float32[B, 30, 30, 64]
x = layers.GroupNormalization(groups=8)(x)
```

## Where it fails
Everywhere, when the layer is made (filters) or the model is built (channels): ValueError "The number of input
channels must be evenly divisible by the number of groups". The argument exists since TensorFlow 2.3.

PyTorch, when the module is made: ValueError "in_channels must be divisible by groups", "num_channels must be divisible
by num_groups", AssertionError "embed_dim must be divisible by num_heads".

## Known limits
Channels that are not known are not judged.

## References
* keras/src/layers/convolutional/base_conv.py: BaseConv.__init__, BaseConv.build
* keras/src/layers/normalization/group_normalization.py: GroupNormalization.build
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD302", "indivisible-groups", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.GROUPS:
        yield rejection(event)

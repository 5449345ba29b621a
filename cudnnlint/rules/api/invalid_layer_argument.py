'''A layer or function gets a value for one of its arguments that it does not accept.

## Why is this bad?
The argument exists, its value does not do: a padding that has another name, a rate above 1, a tuple of the wrong
length, an output_padding that is not smaller than the stride.

## Example

```python
from keras import layers

conv = layers.Conv2D(32, 3, padding="full")  # error: [invalid-layer-argument]
drop = layers.Dropout(25)  # error: [invalid-layer-argument]
pool = layers.MaxPooling2D((2, 2, 2))  # error: [invalid-layer-argument]
up = layers.Conv2DTranspose(32, 3, strides=2, output_padding=2)  # error: [invalid-layer-argument]
x = layers.Input(shape=8)  # error: [invalid-layer-argument]
```

PyTorch:

```python
import torch
from torch import nn

conv = nn.Conv2d(3, 8, 3, stride=2, padding="same")  # error: [invalid-layer-argument]
head = nn.Linear(16 * 5 * 5 / 2, 10)  # error: [invalid-layer-argument]
x = torch.randn(3, 5, 8)
packed = nn.utils.rnn.pack_padded_sequence(x, [5, 2, 0], batch_first=True)  # error: [invalid-layer-argument]
```

## Use instead

```python
from keras import layers

conv = layers.Conv2D(32, 3, padding="same")
drop = layers.Dropout(0.25)
pool = layers.MaxPooling2D((2, 2))
up = layers.Conv2DTranspose(32, 3, strides=2, padding="same", output_padding=1)
x = layers.Input(shape=(8,))
```

## Where it fails
As the finding says, mostly with a ValueError when the layer is made; a few values are refused by some versions only.

PyTorch: ValueError "padding='same' is not supported for strided convolutions", RuntimeError "Length of all samples has
to be greater than 0, but found an element in 'lengths' that is <= 0", "`lengths` array must be sorted in decreasing
order when `enforce_sorted` is True".

## Known limits
Only values that the program fixes are judged.

## References
* keras/src/utils/argument_validation.py: standardize_tuple, standardize_padding
* tf_keras/src/utils/conv_utils.py: deconv_output_length
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD702", "invalid-layer-argument", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem in (Problem.INVALID_ARGUMENT, Problem.OUTPUT_PADDING):
        yield rejection(event)

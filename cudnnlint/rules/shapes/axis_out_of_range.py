'''An operation is told to work along an axis that its input does not have.

## Why is this bad?
Axes count from 0 with the batch first, or from -1 at the end. An axis past either end is most often one that counts
the batch axis where it should not, or the other way round.

## Example

```python
import keras
from keras import layers

a, b = keras.Input((10,)), keras.Input((10,))
x = layers.Concatenate(axis=2)([a, b])  # error: [axis-out-of-range]
```

## Use instead

```python
import keras
from keras import layers

a, b = keras.Input((10,)), keras.Input((10,))
x = layers.Concatenate(axis=1)([a, b])  # revealed: float32[B, 20]
```

## Where it fails
Everywhere, when the model is built or the function runs: ValueError, IndexError or InvalidArgumentError, by library.

## Known limits
Batch normalisation has a rule of its own, batchnorm-axis-out-of-range.

## References
* keras/src/layers/merging/concatenate.py: Concatenate.build
* tensorflow/core/framework/common_shape_fns.cc: ConcatV2Shape
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD109", "axis-out-of-range", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.AXIS and not event.what.endswith("BatchNormalization"):
        yield rejection(event)

'''Batch normalisation is told to normalise along an axis that its input does not have.

## Why is this bad?
`axis` names the channels, counted with the batch axis as 0. Code for channels_first images (axis=1) or for volumes
(axis=4) fails on a tensor of another rank.

## Example

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3))
x = layers.BatchNormalization(axis=4)(x)  # error: [batchnorm-axis-out-of-range]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3))
x = layers.BatchNormalization(axis=-1)(x)
```

## Where it fails
Everywhere, when the model is built: IndexError or ValueError "Invalid axis", by version.

## Known limits
An axis that exists but is not the channels, such as axis=1 for channels_last images, is no finding: the layer runs,
and may be meant.

## References
* keras/src/layers/normalization/batch_normalization.py: BatchNormalization.build
* tf_keras/src/utils/tf_utils.py: validate_axis
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD305", "batchnorm-axis-out-of-range", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.AXIS and event.what.endswith("BatchNormalization"):
        yield rejection(event)

"""A tf.data.Dataset is subscripted, or calculated with, as if it were an array.

## Why is this bad?
A dataset gives its elements one after the other; it has no first one, no slices and no arithmetic. What was written for
arrays stops where their place is taken by a dataset.

## Example

```python
import tensorflow as tf

x, y = tf.random.normal((64, 8)), tf.zeros((64, 1))
train = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
first = train[0]  # error: [dataset-as-array]
scaled = train / 255.0  # error: [dataset-as-array]
```

## Use instead

```python
import tensorflow as tf

x, y = tf.random.normal((64, 8)), tf.zeros((64, 1))
train = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
first = next(iter(train))
scaled = train.map(lambda x, y: (x / 255.0, y))
```

## Where it fails
Everywhere: TypeError "'_BatchDataset' object is not subscriptable", TypeError "unsupported operand type(s) for /:
'_BatchDataset' and 'float'".

## Known limits
Told where the program certainly comes by.

## References
* tensorflow/python/data/ops/dataset_ops.py: DatasetV2
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD429", "dataset-as-array", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NO_ARRAY:
        yield rejection(event)

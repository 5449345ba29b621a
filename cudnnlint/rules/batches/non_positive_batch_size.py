'''A batch size is zero or negative.

## Why is this bad?
It is the result of an integer division: a global batch divided among more workers than it has rows. tf.data refuses
it; Keras takes 0 as "not given" and trains with 32, which is worse than an error.

## Example

```python
import tensorflow as tf

global_batch, replicas = 4, 8
dataset = tf.data.Dataset.range(100).batch(global_batch // replicas)  # error: [non-positive-batch-size]
```

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((8, 4)), np.zeros((8, 1)), batch_size=0)  # error: [non-positive-batch-size]
model.predict(np.zeros((8, 4)), batch_size=-1)  # error: [non-positive-batch-size]
```

```python
import torch
from torch.utils.data import DataLoader, TensorDataset

workers = 8
loader = DataLoader(TensorDataset(torch.zeros(100, 3)), batch_size=4 // workers)  # error: [non-positive-batch-size]
```

## Use instead

```python
import tensorflow as tf

global_batch, replicas = 4, 8
dataset = tf.data.Dataset.range(100).batch(max(1, global_batch // replicas))
```

## Where it fails
* `Dataset.batch(0)`: everywhere, InvalidArgumentError "Batch size must be greater than zero".
* `DataLoader(batch_size=0)`: everywhere, ValueError "batch_size should be a positive integer value".
* `fit(batch_size=0)`: silently 32 rows a batch with Keras 3 and Keras 2.4 to 2.16; ValueError "Expected batch_size
  to be positive" with tf_keras from 2.17 on; ZeroDivisionError before 2.2.
* `fit(batch_size=-1)`: ValueError or InvalidArgumentError "Invalid value in tensor used for shape: -8".

## Known limits
With a dataset or generator Keras from 2.2 on does not look at batch_size at all; nothing is said of it there.

## References
* tensorflow/core/kernels/data/batch_dataset_op.cc: BatchDatasetOp::MakeDataset
* torch/utils/data/sampler.py: BatchSampler.__init__
* keras/src/trainers/data_adapters/array_data_adapter.py: ArrayDataAdapter.__init__
* tf_keras/src/engine/data_adapter.py: TensorLikeDataAdapter.__init__
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import DatasetBatched, TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD403", "non-positive-batch-size", Level.ERROR, since="0.1")
def check(event: TrainingStarted | DatasetBatched) -> Iterator[Finding]:
    if isinstance(event, DatasetBatched):
        if _non_positive(event.batch_size):
            error = 'InvalidArgumentError "Batch size must be greater than zero"' if event.library == "tensorflow" \
                else 'ValueError "batch_size should be a positive integer value"'
            yield event.finding(f"a batch of {event.batch_size} rows", help=HELP, fails=f"everywhere: {error}")
        return
    size = event.arguments.get("batch_size")
    if "batch_size" in event.given and event.data.kind == "arrays" and _non_positive(size):
        yield event.finding(f"{event.method}() with batch_size {size}", help=HELP, fails=_fails(event, size))


HELP = "give at least 1: max(1, ...) around a division"


def _non_positive(size: object) -> bool:
    return isinstance(size, int) and not isinstance(size, bool) and size <= 0


def _fails(event: TrainingStarted, size: object) -> str:
    keras = event.stack.keras
    if (2, 17) <= keras < (3,):
        return f'with Keras 2 from 2.17 on, in {event.method}(): ValueError "Expected batch_size to be positive"'
    if keras < (2, 2) and size == 0:
        return f"with Keras before 2.2, in {event.method}(): ZeroDivisionError"
    if size == 0:
        return "silently: it is taken as not given, and batches have 32 rows"
    return f'everywhere, in {event.method}(): "Invalid value in tensor used for shape"'

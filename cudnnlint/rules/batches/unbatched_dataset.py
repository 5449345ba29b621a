'''A tf.data.Dataset of single samples is given to fit(), which takes batches.

## Why is this bad?
`from_tensor_slices` gives one sample at a time. Keras does not gather them: it takes each sample for a batch, so
that height becomes the batch axis and every layer is off by one.

## Example

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.Input((32, 32, 3)), tf.keras.layers.Conv2D(8, 3), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1),
])
model.compile("adam", "mse")
images, targets = np.zeros((100, 32, 32, 3)), np.zeros((100, 1))
dataset = tf.data.Dataset.from_tensor_slices((images, targets)).shuffle(100)
model.fit(dataset)  # error: [unbatched-dataset]
model.fit(dataset, batch_size=16)  # error: [unbatched-dataset]
```

## Use instead

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.Input((32, 32, 3)), tf.keras.layers.Conv2D(8, 3), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1),
])
model.compile("adam", "mse")
images, targets = np.zeros((100, 32, 32, 3)), np.zeros((100, 1))
dataset = tf.data.Dataset.from_tensor_slices((images, targets)).shuffle(100).batch(16)
model.fit(dataset)
```

## Where it fails
Everywhere, in fit(): ValueError "expected shape=(None, 32, 32, 3), found shape=(32, 32, 3)" (Keras 2), "Expected
shape (None, 32, 32, 3), but input has incompatible shape (32, 32, 3)" (Keras 3); images, vectors and sequences
alike, as run with Keras 3.15 and tf_keras 2.21. `batch_size` does not help: it is not looked at for datasets.

## Known limits
A dataset whose elements come from a Python generator may hold batches already: it is judged where the model's input
says what one sample is.

```python
import numpy as np
import tensorflow as tf


def samples():
    for kind in range(40):
        yield np.zeros((32, 32, 3), "float32"), kind % 3


spec = (tf.TensorSpec((32, 32, 3), tf.float32), tf.TensorSpec((), tf.int32))
dataset = tf.data.Dataset.from_generator(samples, output_signature=spec)
model = tf.keras.Sequential([
    tf.keras.Input((32, 32, 3)), tf.keras.layers.Conv2D(8, 3), tf.keras.layers.Flatten(), tf.keras.layers.Dense(3),
])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset)  # error: [unbatched-dataset]
model.fit(dataset.batch(8))
```

## References
* tf_keras/src/engine/data_adapter.py: DatasetAdapter
* keras/src/trainers/data_adapters/tf_dataset_adapter.py: TFDatasetAdapter
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import TrainingStarted, first_tensor
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.trace import provenance


@rule("CUD405", "unbatched-dataset", Level.ERROR, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    if event.method.endswith("_on_batch"):
        return
    for name, data in (("a dataset", event.data), ("validation_data", event.validation)):
        if data is not None and data.kind == "dataset" and data.batched is False:
            yield event.finding(_message(event, name, data.x), help="end the pipeline with .batch(batch_size)",
                                trace=provenance(data.x, event.span),
                                fails=f"everywhere, in {event.method}(): ValueError, each sample is taken for a batch")


def _message(event: TrainingStarted, name: str, x: object) -> str:
    told = f"{event.method}() on {name} that was never batched" if name == "a dataset" else f"{name} was never batched"
    first = first_tensor(x)
    return told if first is None else f"{told}: its elements are {first}"

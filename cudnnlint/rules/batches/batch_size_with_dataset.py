'''A batch_size beside data that comes in batches already: nothing looks at it.

## Why is this bad?
The batches of a tf.data.Dataset, a generator or a Sequence are as large as they are. `batch_size` in fit() changes
nothing, so that an experiment with another one, or a smaller one against "OOM when allocating tensor", does nothing.

## Example

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
dataset = tf.data.Dataset.from_tensor_slices((np.zeros((640, 4)), np.zeros((640, 1)))).batch(64)
model.fit(dataset, batch_size=8)  # error: [batch-size-with-dataset]
model.evaluate(dataset, batch_size=8)  # error: [batch-size-with-dataset]
```

TensorFlow before 2.2 takes no batch_size beside a dataset, whatever it is:

```python keras=2.2 tensorflow=2.1
import numpy as np
import tensorflow as tf

data = tf.data.Dataset.from_tensor_slices((np.zeros((64, 4)), np.zeros((64, 1)))).batch(32)
model = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(data, batch_size=32)  # error: [batch-size-with-dataset]
```

## Use instead

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
dataset = tf.data.Dataset.from_tensor_slices((np.zeros((640, 4)), np.zeros((640, 1)))).batch(8)
model.fit(dataset)
```

## Fix
Safe: `batch_size` is removed from the call.

## Where it fails
TensorFlow 1.15 to 2.1: ValueError "The `batch_size` argument must not be specified for the given input type". Since
2.2, and with Keras 3, silently ignored (run with tf_keras 2.21 and Keras 3.15; the boundary is from the sources of 2.1
and 2.2, which keeps the check in training_v1.py alone).

## Known limits
A batch_size that is the size of the batches anyway is not reported, nor is one beside a dataset that was never
batched, which is a mistake of its own.

## References
* keras/src/trainers/data_adapters/__init__.py: get_data_adapter, which hands batch_size to arrays only
* tf_keras/src/engine/data_adapter.py: DatasetAdapter
* tensorflow 2.1 tensorflow/python/keras/engine/training.py: _validate_or_infer_batch_size
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import TrainingStarted
from cudnnlint.finding import Argument, Finding, Level, RemoveArgument
from cudnnlint.rules.fixes import safe
from cudnnlint.rules.protocol import rule


@rule("CUD411", "batch-size-with-dataset", Level.WARNING, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    size = event.arguments.get("batch_size")
    if event.data.kind not in KINDS or event.data.batched is False or event.method.endswith("_on_batch"):
        return
    refused = event.stack.tensorflow < (2, 2)
    if isinstance(size, int) and not isinstance(size, bool) and (refused or size != event.batch_size):
        own = f", its batches have {event.batch_size} rows" if isinstance(event.batch_size, int) else ""
        yield event.finding(f"batch_size={size} beside {KINDS[event.data.kind]}{own}", fails=_fails(event),
                            trace=event.data_trace,
                            help="leave it out, and set the size where the batches are made",
                            fix=safe("remove batch_size", RemoveArgument(Argument(event.span, "batch_size"))))


KINDS = {"dataset": "a dataset", "generator": "a generator", "sequence": "a Sequence"}


def _fails(event: TrainingStarted) -> str:
    if event.stack.tensorflow < (2, 2):
        return (f'with TensorFlow before 2.2, in {event.method}(): ValueError "The `batch_size` argument must not be '
                'specified for the given input type"')
    return f"silently: {event.method}() ignores it"

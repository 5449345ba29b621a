'''fit() is asked for more steps than the data has batches.

## Why is this bad?
With `steps_per_epoch` the batches of all epochs come out of one pass, unless the data repeats itself. Where it ends,
Keras says so in a warning between two progress bars and goes on without: Keras 2 trains no further, Keras 3 makes the
epoch shorter. The learning rate schedule, `epochs` and every number per epoch mean something else then.

## Example
100 rows in batches of 8 are 13 batches.

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((np.zeros((100, 4)), np.zeros((100, 1)))).batch(8)
model.fit(data, steps_per_epoch=100, epochs=3)  # error: [steps-exceed-data]
```

A generator cannot start again:

```python
import keras
import numpy as np
from keras import layers


def batches():
    for _ in range(8):
        yield np.zeros((8, 4)), np.zeros((8, 1))


model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(batches(), steps_per_epoch=8, epochs=5)  # error: [steps-exceed-data]
```

With Keras 2 a dataset cannot either, once steps are given that are not all of it:

```python keras=2.15 tensorflow=2.15
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((np.zeros((64, 4)), np.zeros((64, 1)))).batch(8)
model.fit(data, steps_per_epoch=8, epochs=3)
model.fit(data, steps_per_epoch=5, epochs=3)  # error: [steps-exceed-data]
```

## Use instead

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((np.zeros((100, 4)), np.zeros((100, 1)))).batch(8)
model.fit(data, epochs=3)
model.fit(data, steps_per_epoch=5, epochs=3)
model.fit(data.repeat(), steps_per_epoch=100, epochs=3)
```

## Where it fails
Everywhere, silently but for 'UserWarning "Your input ran out of data; interrupting training"'. Batches by epoch of 8
batches under `steps_per_epoch=20, epochs=3`: 8, 8, 8 with Keras 3.15, 8 and no further epoch with tf_keras 2.21; of a
generator of 8 under `steps_per_epoch=4, epochs=3`: 4, 4, 0 with both.

## Known limits
The number of batches must follow from the program. Validation data is not judged.

## References
* keras/src/trainers/epoch_iterator.py: EpochIterator
* tf_keras/src/engine/data_adapter.py: DataHandler.catch_stop_iteration, DatasetAdapter.should_recreate_iterator
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values.dim import is_known


@rule("CUD419", "steps-exceed-data", Level.WARNING, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    steps, batches, kind = event.steps_per_epoch, event.data.batches, event.data.kind
    if event.method != "fit" or not is_known(steps) or not is_known(batches) or not batches or not steps:
        return
    epochs = event.arguments.get("epochs")
    keras_3 = event.stack.keras >= (3,)
    once = kind == "generator" or (kind == "dataset" and not keras_3 and steps != batches)
    if once and is_known(epochs) and steps * epochs > batches:
        told = f"steps_per_epoch={steps} for {epochs} epoch{'s' * (epochs != 1)} takes {steps * epochs} batches"
    elif steps > batches:
        told = f"steps_per_epoch={steps}"
    else:
        return
    yield event.finding(
        f"{told}, the data has {batches}", trace=event.data_trace,
        help="leave out steps_per_epoch, or let the data repeat itself: dataset.repeat(), while True in a generator",
        fails='silently but for UserWarning "Your input ran out of data; interrupting training": '
              + ("the epoch is shorter" if epochs == 1 else
                 "epochs are shorter" if keras_3 and kind != "generator" else "later epochs have no data"))

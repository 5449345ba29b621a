'''Data without end goes into a training run that does not say how many steps make an epoch.

## Why is this bad?
`repeat()` without a count, and a generator with `while True`, never end. fit() goes through its data once an epoch:
the first epoch goes on for ever, no validation, no callback, no checkpoint.

## Example

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
dataset = tf.data.Dataset.from_tensor_slices((np.zeros((64, 4)), np.zeros((64, 1)))).batch(8).repeat()
model.fit(dataset, epochs=10)  # error: [endless-training-data]
```

```python
import keras
import numpy as np
from keras import layers


def batches(data, labels, batch_size):
    while True:
        indices = np.random.permutation(len(data))
        for i in range(0, len(data), batch_size):
            chosen = indices[i:i + batch_size]
            yield data[chosen], labels[chosen]


x_train, y_train = np.zeros((640, 4)), np.zeros((640, 1))
model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(batches(x_train, y_train, 32), epochs=10)  # error: [endless-training-data]
```

```python
import itertools

import keras
import numpy as np
from keras import layers


def batches(data, labels, batch_size):
    for i in itertools.cycle(range(0, len(data), batch_size)):
        yield data[i:i + batch_size], labels[i:i + batch_size]


def first(count, data, labels):
    for _, batch in zip(range(count), batches(data, labels, 32)):
        yield batch


x_train, y_train = np.zeros((640, 4)), np.zeros((640, 1))
model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(batches(x_train, y_train, 32), epochs=10)  # error: [endless-training-data]
model.fit(first(20, x_train, y_train))
```

## Use instead

```python
import keras
import numpy as np
from keras import layers


def batches(data, labels, batch_size):
    while True:
        for i in range(0, len(data), batch_size):
            yield data[i:i + batch_size], labels[i:i + batch_size]


x_train, y_train = np.zeros((640, 4)), np.zeros((640, 1))
model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(batches(x_train, y_train, 32), epochs=10, steps_per_epoch=len(x_train) // 32)
```

## Where it fails
With Keras 3, and with a generator, nowhere: it hangs. Keras 2 asks a tf.data.Dataset whether it ends: ValueError "When
providing an infinite dataset, you must specify the number of steps to run" (run with tf_keras 2.21). TensorFlow 1.15
raises ValueError "you must specify steps_per_epoch". Keras 3 takes `steps_per_epoch=0` as not given. The same is true
of evaluate() and predict() without `steps`, and of endless validation_data without `validation_steps`.

## Known limits
A generator that ends by an exception, or by a `break` on a condition that is not known, is taken to end.

## References
* keras/src/trainers/epoch_iterator.py: EpochIterator
* tf_keras/src/engine/data_adapter.py: DataHandler.steps
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import INFINITE, Data, TrainingStarted
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.trace import provenance


@rule("CUD404", "endless-training-data", Level.ERROR, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    if event.method.endswith("_on_batch"):
        return
    name = "steps_per_epoch" if event.method == "fit" else "steps"
    if event.data.batches == INFINITE and _not_given(event, event.steps_per_epoch):
        none = f"with {name}=0, which Keras 3 takes for none" if event.steps_per_epoch == 0 else f"without {name}"
        yield event.finding(f"{event.method}() on endless data {none}", fails=_fails(event, event.data),
                            trace=_trace(event, event.data),
                            help=f"give {name}: the number of batches of one pass")
    validation = event.validation
    if validation is not None and validation.batches == INFINITE and \
            _not_given(event, event.arguments.get("validation_steps")):
        yield event.finding("validation_data is endless and validation_steps is not given",
                            fails=_fails(event, validation),
                            trace=_trace(event, validation),
                            help="give validation_steps: the number of batches to validate on")


def _trace(event: TrainingStarted, data: Data) -> tuple[Label, ...]:
    """Where the data came from, and what made it endless."""
    labels = provenance(data.x, event.span)
    if data.span is None or data.span.line == event.span.line:
        return labels
    path, line = data.span[:2]
    others = [label for label in labels if label.span[:2] != data.span[:2]]
    at = len(others)
    while at and others[at - 1].span.path == path and others[at - 1].span.line > line:
        at -= 1
    return *others[:at], Label(data.span, "endless from here"), *others[at:]


def _not_given(event: TrainingStarted, steps: object) -> bool:
    """None or -1; Keras 3 takes 0 for None too (epoch_iterator.py: EpochIterator.__init__)."""
    return steps is None or steps == -1 or (steps == 0 and not isinstance(steps, bool) and event.stack.keras >= (3,))


def _fails(event: TrainingStarted, data: Data) -> str:
    """Keras 2 asks a dataset whether it has an end (tf_keras/src/engine/data_adapter.py: DatasetAdapter)."""
    if event.stack.tensorflow < (2,):
        return f'in {event.method}(): ValueError "you must specify the steps"'
    if event.stack.keras < (3,) and data.kind == "dataset":
        return f'with Keras 2, in {event.method}(): ValueError "you must specify"'
    return f"silently: {event.method}() does not return"

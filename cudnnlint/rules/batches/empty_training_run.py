'''A training run gets no batch at all.

## Why is this bad?
fit() with nothing to do is an error in Keras 2 and silence in current Keras 3: the call returns at once with an
empty history and a model that was never trained. The data set is empty because drop_remainder drops its only batch,
because take() and skip() count batches where samples were meant, or because validation_split leaves nothing.

## Example

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
x, y = np.zeros((8, 4)), np.zeros((8, 1))
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(32, drop_remainder=True)  # error: [empty-training-run]
model.fit(dataset)
model.fit(x[:0], y[:0])  # error: [empty-training-run]
model.fit(x[:1], y[:1], validation_split=0.2)  # error: [empty-training-run]
model.fit(x, y, validation_split=20)  # error: [empty-training-run]
```

With data in batches of 4, there are 2 batches to skip, not 8:

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
dataset = tf.data.Dataset.from_tensor_slices((np.zeros((8, 4)), np.zeros((8, 1)))).batch(4)
train, test = dataset.take(6), dataset.skip(6)  # error: [empty-training-run]
model.fit(train)
model.evaluate(test)
```

The first batch of none:

```python
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(tf.zeros((8, 4))).batch(32, drop_remainder=True)
batch = next(iter(dataset))  # error: [empty-training-run]
```

Validation data are lost as well, and nothing is said but that "val_loss" is not there:

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
few = tf.data.Dataset.from_tensor_slices((np.zeros((8, 4)), np.zeros((8, 1))))
few = few.batch(32, drop_remainder=True)  # error: [empty-training-run]
model.fit(np.zeros((64, 4)), np.zeros((64, 1)), validation_data=few)
```

A loop of the program's own is passed over in silence:

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
x, y = np.zeros((20, 4)), np.zeros((20, 1))
batch_size = 32
for epoch in range(3):
    for i in range(len(x) // batch_size):  # error: [empty-training-run]
        rows = slice(i * batch_size, (i + 1) * batch_size)
        loss = model.train_on_batch(x[rows], y[rows])
```

## Use instead

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
samples = tf.data.Dataset.from_tensor_slices((np.zeros((8, 4)), np.zeros((8, 1))))
train, test = samples.take(6).batch(4), samples.skip(6).batch(4)
model.fit(train)
model.evaluate(test)
```

## Where it fails
* fit() with no rows or no batches: ValueError "Expect x to be a non-empty array or dataset" (Keras 2.4), "local
  variable 'logs' referenced before assignment" (TensorFlow 2.2), "Unexpected result of `train_function` (Empty Logs)"
  (2.10), "Expected input data to be non-empty" (2.15, tf_keras); TypeError
  "'NoneType' object is not iterable" (3.3); silence and an empty history (3.15). A Sequence whose `__len__` is 0:
  ValueError "The PyDataset has length 0" from Keras 3.7 on.
* predict(): ValueError "Unexpected result of `predict_function` (Empty batch_outputs)" in Keras 2, UnboundLocalError
  "cannot access local variable 'batch_outputs' where it is not associated with a value" in Keras 3.
* evaluate(): ValueError in Keras 2, [] in Keras 3.15.
* Validation data without a batch: silence in Keras 3.15, and a history without "val_loss".
* steps_per_epoch=0: ValueError in Keras 2; Keras 3 takes it as not given.
* validation_split: everywhere ValueError "Training data contains 1 samples, which is not sufficient to split it".

```python keras=2.15 tensorflow=2.15
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((8, 4)), np.zeros((8, 1)), steps_per_epoch=0)  # error: [empty-training-run]
```

## Known limits
The size of data that is read from files is not known, but for the data sets of keras.datasets.

## References
* keras/src/backend/tensorflow/trainer.py: TensorFlowTrainer.fit
* keras/src/trainers/data_adapters/array_slicing.py: train_validation_split
* tf_keras/src/engine/data_adapter.py: DataHandler._infer_steps
'''

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Data, Rejected, TrainingStarted
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.trace import provenance
from cudnnlint.values import Problem, Where


@rule("CUD402", "empty-training-run", Level.ERROR, since="0.1", earlier=(Where(keras="<3"),))
def check(event: TrainingStarted | Rejected) -> Iterator[Finding]:
    if isinstance(event, Rejected):
        if event.mismatch.problem is Problem.IDLE:
            told = rejection(event)
            yield replace(told, help=told.help or HELP) if event.mismatch.error else \
                replace(told, help=told.help or HELP, fails="silently: the loop is passed over")
        return
    steps = event.steps_per_epoch
    if (left := _split_leaves(event)) == 0:
        rows, split = event.data.rows, event.arguments.get("validation_split")
        whole = isinstance(split, int | float) and split >= 1
        yield event.finding(f"validation_split={split} of {rows} rows leaves none to train on",
                            fails=_fails_whole(event) if whole and split != 1 else _unsplittable(event),
                            help=SHARE if whole else "give more rows or validation_data")
    elif event.data.rows == 0:
        yield event.finding(f"{event.method}() gets data with 0 rows", fails=_fails(event), trace=event.data_trace,
                            help="check the slice or filter that made it")
    elif event.data.batches == 0 and left is None:
        yield _without_batches(event, event.data, "a dataset")
    elif event.validation is not None and event.validation.batches == 0 and event.validation.kind == "dataset":
        yield _without_batches(event, event.validation, "validation_data")
    elif steps == 0 and not isinstance(steps, bool) and event.stack.keras < (3,):
        name = "steps_per_epoch" if event.method == "fit" else "steps"
        yield event.finding(f"{event.method}() runs {name}=0 steps", help=f"{name} counts batches and must be positive",
                            fails=f"everywhere, in {event.method}(): ValueError")


def _without_batches(event: TrainingStarted, data: Data, name: str) -> Finding:
    """Where the dataset became empty, if that is known, with the call that gets it."""
    told, fails = f"{event.method}() gets {name} with 0 batches", _fails(event)
    if data is event.validation:
        fails = "silently: no val_loss is logged"
    elif data.kind == "sequence":
        told = f"{event.method}() gets a Sequence of 0 batches: what its __len__ gives"
        return event.finding(told, fails=fails, help="count the last batch too, math.ceil(rows / batch_size), or use a "
                             "smaller batch_size")
    if data.span is None or data.kind != "dataset":
        return event.finding(told, fails=fails, help=HELP)
    where = event.spoken(event.span, data.span)
    return event.finding(f"no batch is left here for {event.method}(){where}", fails=fails, help=HELP, span=data.span,
                         trace=(*provenance(data.x, event.span), Label(event.span, told)))


HELP = ("take(n) and skip(n) after batch() count batches; drop_remainder=True drops a last batch that is not full; "
        "use a smaller batch_size")


def _split_leaves(event: TrainingStarted) -> int | None:
    """Rows that validation_split leaves, or None (array_slicing.py: train_validation_split)."""
    split, rows = event.arguments.get("validation_split"), event.data.rows
    if event.method != "fit" or not isinstance(split, int | float) or not split > 0 or 1 < split < 2:
        return None  # between 1 and 2 it trains on some: array_slicing.py counts from the end
    return max(0, math.floor(rows * (1.0 - split))) if isinstance(rows, int) and rows else None


def _fails_whole(event: TrainingStarted) -> str:
    """Run with 3.15 and 2.21: Keras 3 goes on with all rows for validation."""
    return _fails(event) if event.stack.keras < (3,) else \
        "silently with Keras 3: all rows are validated on, and the model is not trained"


SHARE = "it is a share of the rows: 0.2 for 20 percent"


def _unsplittable(event: TrainingStarted) -> str:
    return (f'everywhere, in fit(): ValueError "Training data contains {event.data.rows} samples, which is not '
            f'sufficient to split it"')


FIT = (((2, 7), '"Expect x to be a non-empty array or dataset"'),
       ((2, 11), '"Unexpected result of `train_function` (Empty Logs)"'),
       ((3,), '"Expected input data to be non-empty"'))
"""Keras 2: versions before -> what fit() says."""


def _fails(event: TrainingStarted) -> str:
    keras, method = event.stack.keras, event.method
    if keras < (3,):
        text = next(text for before, text in FIT if keras < before) if method == "fit" else ""
        return f"everywhere, in {method}(): ValueError {text}".rstrip()
    if event.data.kind == "sequence" and keras >= (3, 7):
        return f'with Keras from 3.7 on, in {method}(): ValueError "The PyDataset has length 0"'
    if method == "predict":
        return "everywhere, in predict(): UnboundLocalError 'batch_outputs'"
    if keras < (3, 14):
        return f"{method}() returns at once, or with TypeError 'NoneType' object is not iterable, by version"
    return f"silently: {method}() returns at once and the model is not trained" if method == "fit" else \
        f"silently: {method}() returns without having seen a batch"

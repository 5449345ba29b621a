'''A stateful recurrent model is fed batches of another size than the one it was built for.

## Why is this bad?
With `stateful=True` a layer keeps one state for each row of a batch, whose number is fixed when it is built. Every
batch must have it, the last one of an epoch and those of predict() too.

## Example

```python
import numpy as np
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input(batch_shape=(16, 5, 3)), layers.LSTM(30, stateful=True), layers.Dense(1),
])
model.compile("adam", "mse")
x, y = np.zeros((500, 5, 3)), np.zeros((500, 1))
model.fit(x, y, batch_size=16)  # error: [stateful-uneven-batch]
model.predict(x[:1], batch_size=1)  # error: [stateful-uneven-batch]
model.predict(x[:496])  # error: [stateful-uneven-batch]
model.predict(x[:496], batch_size=16)
```

```python
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input(batch_shape=(16, 5, 3)), layers.LSTM(30, stateful=True), layers.Dense(1),
])
model.compile("adam", "mse")
data = tf.data.Dataset.from_tensor_slices((np.zeros((500, 5, 3)), np.zeros((500, 1)))).batch(16)
model.fit(data)  # error: [stateful-uneven-batch]
model.fit(data, steps_per_epoch=31)
```

```python
import keras
import numpy as np


class Readings(keras.utils.PyDataset):
    rows, batch = np.zeros((500, 5, 3)), 16

    def __len__(self):
        return -(-len(self.rows) // self.batch)

    def __getitem__(self, index):
        rows = self.rows[index * self.batch:(index + 1) * self.batch]
        return rows, rows[:, 0, :1]


class Whole(Readings):
    def __len__(self):
        return len(self.rows) // self.batch


inputs = keras.Input(batch_shape=(16, 5, 3))
model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.GRU(8, stateful=True)(inputs)))
model.compile("adam", "mse")
model.fit(Readings())  # error: [stateful-uneven-batch]
model.fit(Whole())
```

A model that was trained in batches is called on a single row:

```python
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.Input(batch_shape=(64, None)), tf.keras.layers.Embedding(80, 32),
    tf.keras.layers.GRU(128, stateful=True), tf.keras.layers.Dense(80),
])
logits = model(tf.constant([[3, 1, 4]]))  # error: [stateful-uneven-batch]
```

## Use instead
Drop the samples that do not fill a batch; for single predictions build the model again for a batch of 1 and copy the
weights.

```python
import numpy as np
from tensorflow.keras import layers, models


def build(batch):
    model = models.Sequential([
        layers.Input(batch_shape=(batch, 5, 3)), layers.LSTM(30, stateful=True), layers.Dense(1),
    ])
    model.compile("adam", "mse")
    return model


model, single = build(16), build(1)
x, y = np.zeros((500, 5, 3)), np.zeros((500, 1))
whole = len(x) // 16 * 16
model.fit(x[:whole], y[:whole], batch_size=16)
single.set_weights(model.get_weights())
single.predict(x[:1], batch_size=1)
```

## Fix
Unsafe, since samples are left out: `drop_remainder=True` is given to the batch() of a dataset whose last batch is the
one that differs.

## Where it fails
Everywhere, in fit() or predict(): ValueError "If an RNN is stateful, the batch size of the input sequences must be the
same as the batch size of the initial state. Expected batch size: 32, Received batch size: 1" where every batch differs,
InvalidArgumentError "Incompatible shapes: [4,30] vs. [16,30]" where the last one does. Keras 2 also says "In a stateful
network, you should only pass inputs with a number of samples that can be divided by the batch size"; a GPU "Invalid
input_h shape: [1,16,30] [1,4,30]". Keras 3.12 and 3.13 look at the size of the batch in the graph, and stop with
OperatorNotAllowedInGraphError.

## Known limits
A call of the model or of the layer itself is judged with Keras 2 and from Keras 3.12 on. Generators are not judged by
their last batch, nor are datasets and Sequences whose number of rows is not known.

## References
* keras/src/layers/rnn/rnn.py: RNN.call
* tf_keras/src/layers/rnn/base_rnn.py: RNN
* https://github.com/keras-team/keras/issues/1561
'''

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from cudnnlint.events import Rejected, TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import behind, within
from cudnnlint.rules.fixes import last_of, without_rest
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD415", "stateful-uneven-batch", Level.ERROR, since="0.1")
def check(event: TrainingStarted | Rejected) -> Iterator[Finding]:
    if isinstance(event, Rejected):
        if event.mismatch.problem is Problem.STATE_ROWS:
            yield rejection(event)
        return
    if event.method == "GradientTape" or (found := _stateful(event)) is None:
        return
    name, built = found
    size = event.batch_size
    if isinstance(size, int):
        if size != built:
            yield event.finding(f"batches of {size} row{'s' * (size != 1)} into a stateful {name} built for {built}",
                                help=f"give {built} rows, or build a model for {size} with the same weights",
                                fails='everywhere: ValueError "If an RNN is stateful, the batch size of the input '
                                      'sequences must be the same as the batch size of the initial state"')
    elif (rows := _rows(event)) and _is_default(event) and min(rows, DEFAULT) != built:
        why = "all there are" if rows < DEFAULT else f"the default of {event.method}()"
        yield event.finding(f"batches of {min(rows, DEFAULT)} rows, {why}, into a stateful {name} built for {built}",
                            help=f"give batch_size={built}", fails=FIRST)
    elif rows % built:
        yield event.finding(f"{rows} rows are not a multiple of {built}, the batch of the stateful {name}: "
                            f"the last batch has {rows % built}", help=f"drop the last {rows % built} rows",
                            fails=LAST)
    elif (last := last_of(event)) is not None and last != built:
        yield event.finding(f"the last batch of the dataset has {last} row{'s' * (last != 1)}, the stateful {name} was "
                            f"built for {built}", help="drop_remainder=True in batch()", fails=LAST,
                            fix=without_rest(event.data))
    elif event.data.kind == "sequence" and isinstance(rest := event.data.last, int) and 0 < rest < built \
            and event.arguments.get("steps_per_epoch") is None and event.arguments.get("steps") is None:
        yield event.finding(f"the last of {event.data.batches} batches has {rest} row{'s' * (rest != 1)}, the stateful "
                            f"{name} was built for {built}", help="leave it out of __len__()", fails=LAST)


DEFAULT = 32
"""batch_size of fit(), evaluate() and predict(), whatever batch a model is built for; before TensorFlow 2.2 it was that
of the model (keras/engine/training.py: Model._validate_or_infer_batch_size)."""
FIRST = (
    'everywhere: InvalidArgumentError "Incompatible shapes" or "Tried to append a tensor with incompatible shape to a '
    'list", ValueError "If an RNN is stateful, the batch size of the input sequences must be the same as the batch '
    'size of the initial state", "Dimensions must be equal" or "enters the loop with shape" (with Keras 3.12 and 3.13 '
    'OperatorNotAllowedInGraphError)')
LAST = ('everywhere: InvalidArgumentError "Incompatible shapes" (with Keras 3.12 and 3.13 '
        'OperatorNotAllowedInGraphError)')


def _stateful(event: TrainingStarted) -> tuple[str, int] | None:
    """A stateful layer and its fixed batch."""
    for layer, inputs, _ in behind(event.model.outputs):
        held = within(layer)
        shape = inputs[0].shape if inputs else None
        if held.arguments.get("stateful") is True and isinstance(shape, tuple) and shape and isinstance(shape[0], int):
            return held.name, shape[0]
    return None


def _is_default(event: TrainingStarted) -> bool:
    return event.stack.keras >= (2, 4) and event.arguments.get("batch_size") is None \
        and event.method in ("fit", "evaluate", "predict")


def _rows(event: TrainingStarted) -> int:
    """Rows of arrays that one pass takes; 0 when not known."""
    rows, split = event.data.rows, event.arguments.get("validation_split")
    size: Any = event.arguments.get("batch_size") or DEFAULT
    if event.data.kind != "arrays" or not isinstance(rows, int) or not isinstance(size, int):
        return 0
    if not split:
        return rows
    return math.floor(rows * (1.0 - split)) if isinstance(split, float) else 0

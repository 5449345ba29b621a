'''The first batch cannot be divided evenly among the replicas of a strategy.

## Why is this bad?
`batch_size` is that of all replicas together. Before the first step Keras 3 takes the mean of what the replicas get, to
build the model with it, and that needs parts of one shape. A smaller last batch does no harm, but data that is smaller
than one batch has no other.

## Example

```python
import keras
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2", "GPU:3"])
with strategy.scope():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
x, y = np.zeros((1000, 8)), np.zeros((1000, 1))
model.fit(x, y, batch_size=50)  # error: [indivisible-global-batch]
model.fit(x, y, batch_size=64, validation_data=(x[:30], y[:30]))  # error: [indivisible-global-batch]
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)
model.evaluate(data)  # error: [indivisible-global-batch]
```

## Use instead

```python
import keras
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2", "GPU:3"])
with strategy.scope():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
x, y = np.zeros((1001, 8)), np.zeros((1001, 1))
model.fit(x, y, batch_size=16 * strategy.num_replicas_in_sync)
model.predict(x, batch_size=50)
```

Keras 2 divides what there is:

```python keras=2.15 tensorflow=2.15
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
model.fit(np.zeros((100, 8)), np.zeros((100, 1)), batch_size=7)
```

## Where it fails
With Keras from 3.5 on, in fit() and evaluate(), before the first step: InvalidArgumentError "Inputs to operation AddN
of type AddN must have the same size and shape. Input 0: [4,5,3] != input 1: [3,5,3]". Run with Keras 3.12 and 3.15 on
two logical devices; predict(), train_on_batch() and tf_keras 2.21 work.

## Known limits
The number of replicas must be in the source: `MirroredStrategy()` takes all GPUs that there are.

## References
* keras/src/backend/tensorflow/trainer.py: TensorFlowTrainer._maybe_symbolic_build
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Data, TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD421", "indivisible-global-batch", Level.ERROR, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    replicas = event.model.replicas
    if event.stack.keras < (3, 5) or event.method not in ("fit", "evaluate") or not isinstance(replicas, int):
        return
    split = event.arguments.get("validation_split")
    size = event.arguments.get("batch_size")
    later = event.arguments.get("validation_batch_size") or size
    for what, data, given in (("batch", event.data, size), ("batch of validation data", event.validation, later)):
        rows = _first(data, given) if data is not None and not split else 0
        if replicas > 1 and rows % replicas:
            even = max(1, rows // replicas) * replicas
            yield event.finding(f"the first {what} has {rows} row{'s' * (rows != 1)}, to be divided among {replicas} "
                                "replicas", help=f"a batch_size that {replicas} divides, such as {even}",
                                fails=f'with Keras from 3.5 on, in {event.method}(): InvalidArgumentError "Inputs to '
                                      'operation AddN of type AddN must have the same size and shape"')
            return


def _first(data: Data, given: object) -> int:
    """Rows of the first batch; 0 when not known."""
    if data.kind == "arrays":
        size = 32 if given is None else given
        return min(size, data.rows) if isinstance(size, int) and isinstance(data.rows, int) and size > 0 else 0
    return data.full if data.kind == "dataset" and isinstance(data.full, int) else 0

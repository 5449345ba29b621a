'''validation_split beside a dataset, a generator or a Sequence: only arrays can be split.

## Why is this bad?
fit() takes the last rows of arrays for validation. It cannot do that to data that comes in batches, and refuses.

## Example

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
dataset = tf.data.Dataset.from_tensor_slices((np.zeros((640, 4)), np.zeros((640, 1)))).batch(64)
model.fit(dataset, validation_split=0.2)  # error: [validation-split-with-dataset]
```

## Use instead

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
x, y = np.zeros((640, 4)), np.zeros((640, 1))
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(64)
model.fit(dataset.skip(2), validation_data=dataset.take(2))
model.fit(x, y, validation_split=0.2)
```

## Where it fails
Everywhere, in fit(): ValueError "`validation_split` is only supported for Tensors or NumPy arrays, found following
types in the input" (tf_keras 2.21), "Argument `validation_split` is only supported for tensors or NumPy arrays"
(Keras 3.15); run with datasets and generators on both, with Sequences on Keras 3.

## Known limits
Objects of the user's own that fit() iterates over are not judged.

## References
* keras/src/trainers/data_adapters/array_slicing.py: train_validation_split
* tf_keras/src/engine/data_adapter.py: train_validation_split
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD412", "validation-split-with-dataset", Level.ERROR, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    share = event.arguments.get("validation_split")
    if event.method == "fit" and event.data.kind in KINDS and isinstance(share, float) and share \
            and event.arguments.get("validation_data") is None:
        yield event.finding(f"validation_split={share} beside {KINDS[event.data.kind]}", trace=event.data_trace,
                            help="split it yourself, with take() and skip(), and give validation_data",
                            fails='everywhere, in fit(): ValueError "`validation_split` is only supported for '
                                  'tensors or NumPy arrays"')


KINDS = {"dataset": "a dataset", "generator": "a generator", "sequence": "a Sequence"}

'''Labels or weights beside a dataset, a generator or a Sequence, which holds its own.

## Why is this bad?
Data that comes in batches brings its labels along, as pairs (x, y). fit() refuses a second source of them.

## Example

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
x, y = np.zeros((640, 4)), np.zeros((640, 1))
model.fit(tf.data.Dataset.from_tensor_slices(x).batch(64), y)  # error: [labels-with-dataset]
```

## Use instead

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
x, y = np.zeros((640, 4)), np.zeros((640, 1))
model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(64))
```

## Where it fails
Everywhere, in fit() and evaluate(): ValueError "`y` argument is not supported when using dataset as input" (tf_keras
2.21), "When providing `x` as a tf.data.Dataset, `y` should not be passed" (Keras 3.15); run with datasets and
generators on both, with Sequences on Keras 3.

## Known limits
Objects of the user's own that fit() iterates over are not judged.

## References
* keras/src/trainers/data_adapters/__init__.py: get_data_adapter, raise_unsupported_arg
* tf_keras/src/engine/data_adapter.py: DatasetAdapter, GeneratorDataAdapter, KerasSequenceAdapter
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Unknown


@rule("CUD413", "labels-with-dataset", Level.ERROR, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    if event.method not in ("fit", "evaluate") or event.data.kind not in KINDS:
        return
    for name in ("y", "sample_weight"):
        value = event.arguments.get(name)
        if name in event.given and value is not None and not isinstance(value, Unknown):
            yield event.finding(f"{name} beside {KINDS[event.data.kind]}", fails=_fails(event, name),
                                trace=event.data_trace,
                                help=f"make it yield {PAIRS[name]}, and leave {name} out")
            return


KINDS = {"dataset": "a dataset", "generator": "a generator", "sequence": "a Sequence"}
PAIRS = {"y": "(x, y)", "sample_weight": "(x, y, sample_weight)"}


def _fails(event: TrainingStarted, name: str) -> str:
    error = f"`{name}` should not be passed" if event.stack.keras >= (3,) else f"`{name}` argument is not supported"
    return f'everywhere, in {event.method}(): ValueError "{error}"'

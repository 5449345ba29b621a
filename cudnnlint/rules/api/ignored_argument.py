'''An argument is accepted and comes to nothing.

## Why is this bad?
Nothing fails, and what the argument asks for does not happen: the learning rate stays what it is, the data is not
shuffled. A warning, if there is one, scrolls by.

## Example

```python
import keras

optimizer = keras.optimizers.SGD(learning_rate=0.1, decay=1e-4)  # error: [ignored-argument]
```

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((np.zeros((64, 4)), np.zeros((64, 1)))).batch(8)
model.fit(data, shuffle=True)  # error: [ignored-argument]
```

## Use instead

```python
import keras
import numpy as np
import tensorflow as tf

rate = keras.optimizers.schedules.InverseTimeDecay(0.1, decay_steps=1, decay_rate=1e-4)
optimizer = keras.optimizers.SGD(learning_rate=rate)
constant = keras.optimizers.SGD(learning_rate=0.1, decay=0.0)
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
x, y = np.zeros((64, 4)), np.zeros((64, 1))
model.fit(tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64).batch(8))
model.fit(x, y, shuffle=True)
```

```python keras=2.10 tensorflow=2.10
import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(learning_rate=0.1, decay=1e-4)
```

## Where it fails
Nowhere. Optimizers of Keras 3 say 'UserWarning "Argument `decay` is no longer supported and will be ignored"'; Keras
2.11 to 2.15 refuse it (see removed-argument), earlier ones obey. fit() of Keras 3 says "`shuffle=True` was passed, but
will be ignored"; Keras 2 says nothing. Run with Keras 3.15 and tf_keras 2.21.

## Known limits
batch_size beside a dataset is told of by batch-size-with-dataset. Of datasets that the program shuffles itself nothing
is said.

## References
* keras/src/optimizers/base_optimizer.py: BaseOptimizer.__init__
* keras/src/trainers/epoch_iterator.py: EpochIterator; tf_keras/src/engine/data_adapter.py: DatasetAdapter
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import TrainingStarted
from cudnnlint.events.project import ApiChanged
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values.stack import dotted


@rule("CUD705", "ignored-argument", Level.WARNING, since="0.1")
def check(event: ApiChanged | TrainingStarted) -> Iterator[Finding]:
    if isinstance(event, ApiChanged):
        if event.what == "ignored":
            called = event.name.rpartition(".")[2]
            yield event.finding(f"{called} of Keras {dotted(event.stack.keras)} ignores its argument {event.argument}",
                                help=f"write {event.instead}", fails="silently, but for a UserWarning: no effect")
    elif event.method == "fit" and event.data.kind == "dataset" and "shuffle" in event.given \
            and event.arguments.get("shuffle") is True and event.data.shuffled is False:
        yield event.finding("shuffle=True beside a dataset, which is not shuffled",
                            help="dataset.shuffle(buffer_size) before batch()",
                            fails="silently: the rows come in their order in every epoch")

'''A model is made outside of the scope of the strategy that trains it.

## Why is this bad?
A strategy mirrors the variables that are made in its scope. A model that was made outside has its variables on one
device, and an optimizer that was made inside cannot update them: `fit` refuses at its first step.

## Example

```python
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
model = tf.keras.Sequential([  # error: [model-outside-strategy-scope]
    tf.keras.layers.Input((16,)), tf.keras.layers.Dense(1),
])
with strategy.scope():
    model.compile("adam", "mse")
model.fit(np.zeros((64, 16)), np.zeros((64, 1)))
```

```python
import numpy as np
import tensorflow as tf

several = len(tf.config.list_logical_devices("GPU")) > 1
strategy = tf.distribute.MirroredStrategy() if several else tf.distribute.OneDeviceStrategy("/gpu:0")
model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(1)])  # error: [model-outside-strategy-scope]
with strategy.scope():
    model.compile("adam", "mse")
model.fit(np.zeros((64, 16)), np.zeros((64, 1)))
```

With Keras 3 the optimizer must be made inside, too:

```python
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Input((16,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")  # error: [model-outside-strategy-scope]
model.fit(np.zeros((64, 16)), np.zeros((64, 1)))
```

## Use instead
Model and optimizer inside, fit() anywhere:

```python
import numpy as np
import tensorflow as tf


def make_model():
    model = tf.keras.Sequential([tf.keras.layers.Input((16,)), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


with tf.distribute.MirroredStrategy().scope():
    model = make_model()
model.fit(np.zeros((64, 16)), np.zeros((64, 1)))
```

```python keras=2.15 tensorflow=2.15
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Input((16,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((64, 16)), np.zeros((64, 1)))
```

SGD without momentum keeps nothing beside the model's variables, and may be made anywhere:

```python
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Input((16,)), tf.keras.layers.Dense(1)])
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
model.fit(np.zeros((64, 16)), np.zeros((64, 1)))
model.compile(tf.keras.optimizers.SGD(0.01, momentum=0.9), "mse")  # error: [model-outside-strategy-scope]
model.fit(np.zeros((64, 16)), np.zeros((64, 1)))
```

## Where it fails
In `fit`, run with two logical devices. Keras 3.15: RuntimeError "Need to be inside "with strategy.scope()" for" for a
model that is compiled inside only, ValueError "colocate_vars_with must only be passed a variable created in this
tf.distribute.Strategy.scope()" where only the model was made outside, RuntimeError "Mixing different
tf.distribute.Strategy objects" where only the model was made or only fit() was called inside. tf-keras 2.21:
ValueError "Variable (...) was not created in the distribution strategy scope" where the model was made outside and
compiled inside, ValueError "colocate_vars_with must only be passed a variable created in this
tf.distribute.Strategy.scope()" where only fit() was called inside; compiling outside is allowed. SGD without momentum:
AssertionError with Keras 3.15 where the model was made outside; where it was made inside all else runs.

## Known limits
Only models that have their variables when they are made are told of: those with an input. Strategies that come from
code that is not followed are silent.

## References
* tensorflow/python/distribute/distribute_lib.py: _require_strategy_scope_strategy, _wrong_strategy_scope
* tf_keras/src/engine/training.py: Model._validate_compile
* https://www.tensorflow.org/guide/distributed_training
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import ScopesMixed
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule


@rule("CUD606", "model-outside-strategy-scope", Level.ERROR, since="0.1")
def check(event: ScopesMixed) -> Iterator[Finding]:
    if event.made and (event.compiled or event.stack.keras < (3,)):
        return
    labels = [] if event.compiled_at is None else [Label(event.compiled_at, f"compiled {_where(event.compiled)}")]
    parts = f"made {_where(event.made)} the strategy's scope, compiled {_where(event.compiled)} and trained " \
            f"{_where(event.trained)}"
    yield event.finding(
        f"model {parts}", span=event.compiled_at if event.made and event.compiled_at else event.span,
        trace=(*event.trace, *labels, Label(event.trained_at, f"trained {_where(event.trained)}")),
        help="make and compile the model inside of strategy.scope(); fit() may be called anywhere",
        fails=f"{'with Keras from 3 on' if event.made else 'everywhere'}, in fit(): {_error(event)}")


COLOCATED = ('ValueError "colocate_vars_with must only be passed a variable created in this '
             'tf.distribute.Strategy.scope()"')


def _where(inside: bool | None) -> str:
    return "inside" if inside else "outside"


def _error(event: ScopesMixed) -> str:
    if event.stack.keras < (3,):
        return 'ValueError "Variable (...) was not created in the distribution strategy scope"' if event.compiled else \
            COLOCATED
    if event.compiled and event.trained:
        return COLOCATED
    if event.compiled:
        return 'RuntimeError "Need to be inside "with strategy.scope()""'
    return 'RuntimeError "Mixing different tf.distribute.Strategy objects"'

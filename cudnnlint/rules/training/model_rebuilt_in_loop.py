'''A loop makes a model anew in each of its turns and trains it.

## Why is this bad?
Each model brings variables, an optimizer's slots and traced functions, and TensorFlow does not give all of it back when
the next one takes its name. The program grows with every fold or trial, and long searches end in an out-of-memory
error that no single model explains.

## Example

```python
import numpy as np
from tensorflow import keras


def make_model(width):
    model = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(width), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


x, y = np.random.rand(300, 16), np.random.rand(300, 1)
scores = []
for fold in range(30):
    model = make_model(64)  # error: [model-rebuilt-in-loop]
    model.fit(x, y, verbose=0)
    scores.append(model.evaluate(x, y, verbose=0))
```

```python
import itertools
import numpy as np
from tensorflow import keras

x, y = np.random.rand(300, 16), np.random.rand(300, 1)
trials = itertools.product(np.logspace(-4, -1, 6), (16, 32, 64))
for rate, width in trials:
    model = keras.Sequential()  # error: [model-rebuilt-in-loop]
    model.add(keras.layers.Dense(int(width)))
    model.add(keras.layers.Dense(1))
    model.compile(keras.optimizers.Adam(rate), "mse")
    model.fit(x, y, verbose=0)
```

A search for hyperparameters is such a loop, too:

```python
import numpy as np
import optuna
from tensorflow import keras

x, y = np.random.rand(300, 16), np.random.rand(300, 1)


def objective(trial):
    model = keras.Sequential()  # error: [model-rebuilt-in-loop]
    model.add(keras.layers.Dense(trial.suggest_int("width", 8, 64)))
    model.add(keras.layers.Dense(1))
    model.compile("adam", "mse")
    model.fit(x, y, verbose=0)
    return model.evaluate(x, y, verbose=0)


study = optuna.create_study()
study.optimize(objective, n_trials=100)
```

## Use instead
One model, set back to where it began:

```python
import numpy as np
from tensorflow import keras

x, y = np.random.rand(300, 16), np.random.rand(300, 1)
model = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(64), keras.layers.Dense(1)])
model.compile("adam", "mse")
initial = model.get_weights()
for fold in range(30):
    model.set_weights(initial)
    model.fit(x, y, verbose=0)
```

Or one process for each model, whose memory ends with it:

```python
import multiprocessing
import numpy as np
from tensorflow import keras


def trial(width):
    x, y = np.random.rand(300, 16), np.random.rand(300, 1)
    model = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(width), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(x, y, verbose=0)


if __name__ == "__main__":
    for width in range(16, 512, 16):
        process = multiprocessing.get_context("spawn").Process(target=trial, args=(width,))
        process.start()
        process.join()
```

Or, with TensorFlow 1, a graph and a session for each, which go with all that is in them:

```python keras=2.2.4 tensorflow=1.13
import numpy as np
import tensorflow as tf
from tensorflow import keras

x, y = np.random.rand(300, 16), np.random.rand(300, 1)
for width in range(16, 512, 16):
    with tf.Graph().as_default(), tf.Session().as_default():
        model = keras.Sequential([keras.layers.Dense(width, input_shape=(16,)), keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(x, y, verbose=0)
```

A few configurations or folds side by side are no search:

```python
import numpy as np
from tensorflow import keras

x, y = np.random.rand(300, 16), np.random.rand(300, 1)
for width in (16, 64):
    model = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(width), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(x, y, verbose=0)
```

## Where it fails
With every version, sooner or later: the host's memory
grows by 4 MiB for each of the small models above with Keras 3.15 and TensorFlow 2.21 on a CPU, by 2 to 4 MiB with
tf-keras 2.21, by 3 MiB with TensorFlow 2.10; a model that is set back takes 0.05 MiB or less. Calling
`keras.backend.clear_session()` in each turn, often given as the remedy, left 3.6 MiB of the 4: it empties the global
graph of TensorFlow 1, which newer versions do not build.

## Known limits
Loops of fewer turns than `turns` (10) are silent, five folds say, which leave too little behind to fill anything. So
are models that are made under a condition that is not known, loaded from files, kept to be used together, or not
trained in the loop.

## References
* https://github.com/keras-team/keras/issues/2102
* https://github.com/tensorflow/tensorflow/issues/33030
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudnnlint.events.loops import ModelRebuilt
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule

TRAINING = frozenset({"fit", "train_on_batch", "GradientTape"})


@dataclass(frozen=True, slots=True)
class Options:
    """turns: loops that are known to take fewer are silent."""

    turns: int = 10


@rule("CUD601", "model-rebuilt-in-loop", Level.WARNING, since="0.1")
def check(event: ModelRebuilt, options: Options) -> Iterator[Finding]:
    if event.method not in TRAINING or (isinstance(event.turns, int) and event.turns < options.turns):
        return
    times = f"each of {event.turns} turns" if isinstance(event.turns, int) else "each turn of the loop"
    yield event.finding(
        f"a model is made and trained anew in {times}, and its memory is not all given back",
        trace=(*event.trace, Label(event.loop.span, "the loop"), Label(event.used, f"{event.method} here")),
        help="make one model and set_weights() to its initial weights in each turn, or run each trial in a process of "
             "its own; clear_session() alone does not give all memory back",
        fails="everywhere, after many turns: memory grows until the process or the GPU has none left")

'''predict() is called for one batch in each turn of a long loop.

## Why is this bad?
`predict` is made for many batches: each call makes a dataset, an iterator and callbacks around the one batch, which
takes far longer than a small model does. With older versions it also leaves memory behind each time, which a
reinforcement-learning run of many thousand steps does not survive. Short runs do not notice, so that this rule only
speaks when it is selected.

## Example

```python select=predict-in-loop
import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(24, "relu"), keras.layers.Dense(2)])
state = np.zeros((1, 4))
for episode in range(500):
    for step in range(200):
        action = np.argmax(model.predict(state)[0])  # error: [predict-in-loop]
        state = np.random.rand(1, 4)
```

A policy that explores at random asks its model in the other turns:

```python select=predict-in-loop
import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(24, "relu"), keras.layers.Dense(2)])
state, epsilon = np.zeros((1, 4)), 1.0
for step in range(100_000):
    if np.random.rand() < epsilon:
        action = np.random.randint(2)
    else:
        action = np.argmax(model.predict(state)[0])  # error: [predict-in-loop]
    state, epsilon = np.random.rand(1, 4), max(0.05, epsilon * 0.999)
    if step % 1000 == 0:
        print(model.predict(state))
```

A replay memory that is gone through state by state:

```python select=predict-in-loop
import random
from collections import deque

import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(24, "relu"), keras.layers.Dense(2)])
model.compile("adam", "mse")
memory = deque(maxlen=2000)


def replay(count):
    for state, action, reward, following, done in random.sample(memory, count):
        target = reward
        if not done:
            target = reward + 0.9 * np.amax(model.predict(following)[0])
        values = model.predict(state)  # error: [predict-in-loop]
        values[0][action] = target
        model.fit(state, values, verbose=0)


for episode in range(1000):
    state = np.random.rand(1, 4)
    for step in range(200):
        following = np.random.rand(1, 4)
        memory.append((state, np.random.randint(2), 1.0, following, bool(int(input()))))
        state = following
        if len(memory) > 32:
            replay(32)
```

## Use instead
Call the model; or gather the rows, and predict them all at once:

```python select=predict-in-loop
import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(24, "relu"), keras.layers.Dense(2)])
state = np.zeros((1, 4))
states = []
for step in range(100_000):
    action = np.argmax(model(state, training=False)[0])
    states.append(state[0])
values = model.predict(np.zeros((100_000, 4)), batch_size=1024)
for epoch in range(10):
    print(epoch, model.predict(np.zeros((8, 4))))
```

## Where it fails
Everywhere, slowly. Run with TensorFlow 2.21 on two busy CPU cores, the model above: 84 ms for a call of `predict`, 1 ms
for `predict_on_batch`, 2 ms for a call of the model. Each call of `predict` leaves 0.25 MiB behind with TensorFlow
2.10, 1 KB with Keras 3.15, and none in the long run with tf-keras 2.21; the others leave none.

## Known limits
Told of calls on no more rows than `batch_size`, in loops of at least `turns` (1000) turns; where the number of turns is
not known, for a single row in a while loop or in a loop over a range. Calls under a condition are silent,
unless a random number decides.

## References
* https://keras.io/api/models/model_training_apis/#predict-method
* https://github.com/keras-team/keras/issues/13118
* https://github.com/tensorflow/tensorflow/issues/44711
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudnnlint.events.loops import PredictedInLoop
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule


@dataclass(frozen=True, slots=True)
class Options:
    """turns: loops that are known to take fewer are silent."""

    turns: int = 1000


@rule("CUD608", "predict-in-loop", Level.WARNING, since="0.1", default=False)
def check(event: PredictedInLoop, options: Options) -> Iterator[Finding]:
    known = isinstance(event.turns, int)
    if event.turns < options.turns if known else event.rows != 1 or event.loop.over not in ("", "range"):
        return
    times = f"each of {event.turns} turns" if known else "each turn of the loop"
    if event.chance:
        times = f"{'those of ' + str(event.turns) if known else 'those'} turns that a random number picks"
    yield event.finding(
        f"predict() of {event.rows} row{'s' * (event.rows > 1)} in {times}: what a call sets up outweighs the model",
        trace=(*event.trace, Label(event.loop.span, "the loop")),
        help="call the model itself, model(x, training=False), or predict_on_batch(); or predict all rows at once",
        fails="everywhere, slowly: each call costs many times what a small model takes; up to TensorFlow 2.10 it also "
              "leaves 0.25 MiB behind")

'''A loop over batches, or one that trains, runs under one gradient tape.

## Why is this bad?
A tape keeps every layer's outputs until it is asked for gradients. Under a tape that is opened before the loop, those
of all batches are kept at once: memory grows with each batch, and a dataset that does not fit into the GPU ends the
program within its first epoch.

## Example

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)
dataset = tf.data.Dataset.from_tensor_slices((tf.ones((640, 32)), tf.ones((640, 1)))).batch(32)

with tf.GradientTape() as tape:  # error: [loop-under-one-tape]
    loss = 0.0
    for x, y in dataset:
        loss += tf.reduce_mean(tf.square(model(x) - y))
grads = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(zip(grads, model.trainable_variables))
```

So does one that a persistent tape is opened around, to train in each turn:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam()
x, y = tf.ones((640, 32)), tf.ones((640, 1))

with tf.GradientTape(persistent=True) as tape:  # error: [loop-under-one-tape]
    for epoch in range(1000):
        loss = tf.reduce_mean(tf.square(model(x) - y))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
```

So does one under which a loss is added up from very many terms, as one of pairs is:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(1)])
x, rank = tf.random.normal((40, 32)), tf.random.uniform((40,))

with tf.GradientTape() as tape:  # error: [loop-under-one-tape]
    scores, loss = model(x)[:, 0], 0.0
    for i in range(40):
        for j in range(40):
            loss += tf.nn.relu(1.0 - (scores[i] - scores[j])) * tf.cast(rank[i] > rank[j], tf.float32)
grads = tape.gradient(loss, model.trainable_variables)
```

## Use instead
A tape for each batch; gradients may be summed up, where all batches are to count as one:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)
dataset = tf.data.Dataset.from_tensor_slices((tf.ones((640, 32)), tf.ones((640, 1)))).batch(32)

for x, y in dataset:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
```

Steps of one sequence belong under one tape:

```python
import tensorflow as tf

cell = tf.keras.layers.SimpleRNNCell(8)
for batch in tf.data.Dataset.from_tensor_slices(tf.ones((640, 20, 4))).batch(32):
    with tf.GradientTape() as tape:
        state, loss = tf.zeros((32, 8)), 0.0
        for step in range(20):
            output, [state] = cell(batch[:, step], [state])
            loss += tf.reduce_mean(output)
    grads = tape.gradient(loss, cell.trainable_variables)
```

All pairs are one difference:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(1)])
x, rank = tf.random.normal((40, 32)), tf.random.uniform((40,))

with tf.GradientTape() as tape:
    scores = model(x)
    wanted = tf.cast(rank[:, None] > rank[None, :], tf.float32)
    loss = tf.reduce_sum(tf.nn.relu(1.0 - (scores - tf.transpose(scores))) * wanted)
grads = tape.gradient(loss, model.trainable_variables)
```

## Where it fails
Everywhere with TensorFlow 2, once the outputs of all batches exceed the memory: ResourceExhaustedError "OOM when
allocating tensor". Measured on a CPU with TensorFlow 2.21: a model whose first layer gives 64 numbers for each of the
20,000 rows of a batch, which are 5 MiB, leaves 5 MiB for each batch under one tape, and nothing with a tape each.
Where such a model is trained in each turn under a persistent tape, 15.6 MiB stay for each turn, and 0.01 MiB with a
tape each. Each term of the loss of pairs above keeps some 10 KiB, though it is one number, and takes 2 ms: those of
200 rows, 40,000, keep 0.4 GiB and take more than a minute, where one difference of all takes a moment.

## Known limits
Loops over datasets, loops that train and loops that add up terms are told of where they run eagerly, not those that
TensorFlow compiles. Those known to have fewer than `batches` (5) batches or turns are silent, and loops that add up
terms unless they are known to have `turns` (1000), those of the loops around them included.

## References
* https://github.com/tensorflow/tensorflow/issues/51354
* https://www.tensorflow.org/guide/autodiff
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudnnlint.events.loops import LoopTaped
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule


@dataclass(frozen=True, slots=True)
class Options:
    """batches  datasets that are known to have fewer are silent
    turns    loops that add up terms are silent unless they are known to take as many
    """

    batches: int = 5
    turns: int = 1000


USED = {"applies": "the model is applied here", "trains": "the model is trained here", "sums": "added up here"}
HELP = {"applies": "open the tape inside of the loop, one for each batch; sum the gradients up if all batches are to "
                   "count",
        "trains": "open the tape inside of the loop, one for each turn",
        "sums": "compute the terms of all turns at once, by broadcasting, or open a tape for each part of them"}


@rule("CUD607", "loop-under-one-tape", Level.WARNING, since="0.1")
def check(event: LoopTaped, options: Options) -> Iterator[Finding]:
    sums = event.does == "sums"
    if event.turns < (options.turns if sums else options.batches) if isinstance(event.turns, int) else sums:
        return
    batches = event.loop.over == "dataset"
    what = "batches" if batches else "turns"
    count = f"all {event.turns} {what}" if isinstance(event.turns, int) else f"all {what}"
    yield event.finding(
        f"this tape keeps the outputs of {count} of a loop that runs under it",
        trace=(*event.trace, Label(event.loop.span, "the loop"), Label(event.used, USED[event.does])),
        help=HELP["applies" if batches else event.does],
        fails=f'once the outputs of all {what} exceed the memory: ResourceExhaustedError "OOM when allocating tensor"')

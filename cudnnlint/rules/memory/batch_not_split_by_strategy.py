'''`strategy.run()` gets a batch that no one divided, so that every replica works on all of it.

## Why is this bad?
`fit()` divides each batch among the replicas of a strategy. A loop of one's own has to ask for it:
`strategy.experimental_distribute_dataset(data)` gives each replica its share, while a tensor of a plain dataset is
handed to all of them as it is. Each GPU then computes the same gradients, needs the memory of the whole batch besides
its own copy of weights and slots, which are never divided, and the run is no faster than on one GPU.

## Example

```python
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD()


def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x, training=True) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


data = tf.data.Dataset.from_tensor_slices(tf.zeros((640, 8))).batch(64)
for batch in data:
    strategy.run(train_step, args=(batch,))  # error: [batch-not-split-by-strategy]
```

## Use instead

```python
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD()


def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x, training=True) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


data = tf.data.Dataset.from_tensor_slices(tf.zeros((640, 8))).batch(64)
for batch in strategy.experimental_distribute_dataset(data):
    strategy.run(train_step, args=(batch,))
```

Or each replica makes a dataset of its own:

```python
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])


def data_of_one(context):
    size = context.get_per_replica_batch_size(64)
    return tf.data.Dataset.from_tensor_slices(tf.zeros((640, 8))).batch(size)


for batch in strategy.distribute_datasets_from_function(data_of_one):
    strategy.run(tf.reduce_mean, args=(batch,))
```

With one replica there is nothing to divide:

```python
import tensorflow as tf

strategy = tf.distribute.OneDeviceStrategy("GPU:0")
data = tf.data.Dataset.from_tensor_slices(tf.zeros((640, 8))).batch(64)
for batch in data:
    strategy.run(tf.reduce_mean, args=(batch,))
```

## Where it fails
Nowhere: each replica gets the same rows, and what it gives is added up as if they were others. Run with TensorFlow 2.21
on two logical devices: a batch of 16 rows has 16 on each replica, and 8 after `experimental_distribute_dataset`.

## Known limits
The number of replicas must be in the source: `MirroredStrategy()` takes all GPUs that there are. Told of batches of a
dataset that a loop goes through, not of those that `next()` gives.

## References
* tensorflow/python/distribute/distribute_lib.py: StrategyBase.run, experimental_distribute_dataset
* https://www.tensorflow.org/tutorials/distribute/custom_training
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.devices import BatchNotSplit
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD517", "batch-not-split-by-strategy", Level.WARNING, since="0.1")
def check(event: BatchNotSplit) -> Iterator[Finding]:
    rows = event.batch.shape[0] if isinstance(event.batch.shape, tuple) else "all"
    yield event.finding(
        f"each of {event.replicas} replicas gets the whole batch {event.batch}",
        help="for batch in strategy.experimental_distribute_dataset(data) gives each its share",
        fails=f"nowhere: each replica computes on the same {rows} rows, and needs the memory for them")

'''Batch normalisation has an epsilon of 0 and divides by the standard deviation alone.

## Why is this bad?
epsilon is there for channels that do not vary: a border of one colour, a relu that gives zeros throughout, a batch of
one row. Without it their output is 0 / 0, NaN, and after one step all weights are.

## Example

```python
from keras import layers

norm = layers.BatchNormalization(epsilon=0.0)  # error: [zero-batchnorm-epsilon]
```

## Use instead

```python
from keras import layers

norm = layers.BatchNormalization()
small = layers.BatchNormalization(epsilon=1e-7)
```

TensorFlow before 2.12 puts a small number in its place where it uses the fused kernel:

```python keras=2.10 tensorflow=2.10
import tensorflow as tf

norm = tf.keras.layers.BatchNormalization(epsilon=0.0)
```

## Where it fails
Silently, on every device, as soon as a channel has one value throughout a batch: NaN, seen as "loss: nan" (run with
Keras 3.15 and tf_keras 2.21). cuDNN has nothing against 0 since 7.5.

## Known limits
Whether a channel does not vary depends on the data; that it never happens is hard to know.

## References
* keras/src/backend/tensorflow/nn.py: batch_normalization
* tensorflow/python/ops/nn_impl.py: fused_batch_norm (min_epsilon, until 2.11)
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerCreated
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule

LAYERS = frozenset({"keras.layers.BatchNormalization", "keras.layers.experimental.SyncBatchNormalization"})


@rule("CUD314", "zero-batchnorm-epsilon", Level.WARNING, since="0.1", layers=LAYERS)
def check(event: LayerCreated) -> Iterator[Finding]:
    epsilon = event.layer.arguments.get("epsilon")
    clamped = event.stack.keras < (3,) and event.stack.tensorflow < (2, 12)
    if clamped or isinstance(epsilon, bool):
        return
    if isinstance(epsilon, (int, float)) and epsilon == 0:
        yield event.finding("epsilon is 0", help="leave it out: the default is 0.001",
                            fails="silently: NaN for every channel that has one value throughout a batch")


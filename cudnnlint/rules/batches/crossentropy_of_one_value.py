'''A crossentropy over classes is given the output of a single unit.

## Why is this bad?
`categorical_crossentropy` compares the shares of the classes along the last axis. One value has the whole share
whatever it is, so that the loss is 0 from the first step on, whatever the labels are, and what moves the weights has
nothing to do with them. `sparse_categorical_crossentropy` knows class 0 alone there. It is `binary_crossentropy` that
takes one unit for two classes.

## Example

```python
import keras
import numpy as np
from keras import layers

x, y = np.zeros((100, 20)), np.random.randint(0, 2, size=(100, 1))
model = keras.Sequential([keras.Input((20,)), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "categorical_crossentropy")
model.fit(x, y)  # error: [crossentropy-of-one-value]
```

The masks of a segmentation, and a loop of one's own:

```python
import keras
import numpy as np
from keras import layers

images, masks = np.zeros((8, 32, 32, 3), "float32"), np.zeros((8, 32, 32, 1), "float32")
model = keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(1, 3, padding="same", activation="sigmoid")])
loss = keras.losses.CategoricalCrossentropy()(masks, model(images))  # error: [crossentropy-of-one-value]
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

x, y = np.zeros((100, 20)), np.random.randint(0, 2, size=(100, 1))
model = keras.Sequential([keras.Input((20,)), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(x, y)

model = keras.Sequential([keras.Input((20,)), layers.Dense(2, activation="softmax")])
model.compile("adam", "categorical_crossentropy")
model.fit(x, keras.utils.to_categorical(y, 2))
```

## Where it fails
Nowhere: training goes on with a loss of 0 (run with Keras 3.15 and tf_keras 2.21). Keras from 3.0 on warns:
SyntaxWarning "In loss categorical_crossentropy, expected y_pred.shape to be (batch_size, num_classes) with num_classes
> 1".

## Known limits
An output that is a softmax already is a softmax-of-one-value, and labels above 0 that are known a label-out-of-range.

## References
* keras/src/losses/losses.py: categorical_crossentropy
* tensorflow/core/kernels/xent_op.h: XentEigenImpl (what flows back is softmax - label, 1 - label for one value)
'''

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from cudnnlint.events import LossCalled, TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import maker_of
from cudnnlint.rules.endings import ending_of
from cudnnlint.rules.losses import ONE_HOT, SPARSE
from cudnnlint.rules.outputs import triples
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor
from cudnnlint.values.bounds import bounds

TRAINING = ("fit", "train_on_batch")


@rule("CUD428", "crossentropy-of-one-value", Level.ERROR, since="0.1")
def check(event: TrainingStarted | LossCalled) -> Iterator[Finding]:
    if isinstance(event, LossCalled):
        yield from islice(_judged(event, event.output, event.losses, event.y), 1)
    elif event.method in TRAINING:
        labels = event.data.y if event.data is not None else None
        yield from islice(_judged(event, event.model.outputs, event.model.losses, labels), 1)


def _judged(event: TrainingStarted | LossCalled, outputs: object, losses: object, labels: object) -> Iterator[Finding]:
    for output, _, loss in triples(outputs, outputs, losses):
        if loss.name in (ONE_HOT, SPARSE) and _is_single(output) and not _is_told(output, loss.name, labels):
            always = "is always 0" if loss.name == ONE_HOT else "knows class 0 alone"
            yield event.finding(f"{loss.name} of one unit, {output}, {always}",
                                help='loss="binary_crossentropy" for one unit, or one unit for each class',
                                fails="silently: the loss is 0, whatever the labels are; Keras 3 warns")


def _is_single(output: Tensor) -> bool:
    return isinstance(output.shape, tuple) and len(output.shape) > 1 and output.shape[-1] == 1


def _is_told(output: Tensor, loss: str, labels: object) -> bool:
    """By softmax-of-one-value or label-out-of-range."""
    layer = maker_of(output)
    held = bounds(labels) if loss == SPARSE else None
    return (layer is not None and ending_of(layer) == "softmax") or (held is not None and held.high > 0)

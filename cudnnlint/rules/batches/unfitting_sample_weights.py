'''class_weight or sample_weight does not fit the labels and the loss.

## Why is this bad?
`class_weight` is a dict from class numbers to weights and gives each *sample* one weight: it is no use where there is a
label for each time step or pixel, or several outputs. `sample_weight` has one weight for each sample, or for each value
that the loss leaves: the labels' axes without the last one of the output.

## Example

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((15, 4)), keras.layers.Dense(3, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((60, 15, 4)), np.zeros((60, 15), "int32")
model.fit(x, y, class_weight={0: 0.2, 1: 1.0, 2: 3.0})  # error: [unfitting-sample-weights]
model.fit(x, y, sample_weight=np.ones((60,)))  # error: [unfitting-sample-weights]
```

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
x, y = np.zeros((60, 4)), np.zeros((60, 1))
model.fit(x, y, class_weight=np.array([0.5, 2.0]))  # error: [unfitting-sample-weights]
model.fit(x, y, sample_weight=np.ones((60, 10)))  # error: [unfitting-sample-weights]
```

## Use instead

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((15, 4)), keras.layers.Dense(3, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((60, 15, 4)), np.zeros((60, 15), "int32")
model.fit(x, y, sample_weight=np.array([0.2, 1.0, 3.0])[y])
whole = keras.Sequential([keras.Input((15, 4)), keras.layers.Flatten(), keras.layers.Dense(3, activation="softmax")])
whole.compile("adam", "categorical_crossentropy")
one_hot = keras.utils.to_categorical(y[:, 0], 3)
whole.fit(x, one_hot, class_weight=dict(enumerate([0.2, 1.0, 3.0])))
whole.fit(x, one_hot, sample_weight=np.ones(60))
```

## Where it fails
In fit() and evaluate(), run with Keras 3.3, 3.8 and 3.15 and tf_keras 2.21. Everywhere: a class_weight that is no
dict, AttributeError "'numpy.ndarray' object has no attribute 'get'" (Keras 2: ValueError, or "has no attribute
'keys'"); both together, ValueError "You cannot `class_weight` and `sample_weight` at the same time."; several outputs,
ValueError "`class_weight` is only supported for Models with a single output."; a sample_weight with more values than
the loss, ValueError "Dimensions must be equal" or InvalidArgumentError "Incompatible shapes". With Keras 2: classes
that are not counted from 0, ValueError "Expected `class_weight` to be a dict with keys from 0 to one less than the
number of classes"; Keras 3 weighs those that are left out by 1. With Keras 3:
class_weight for labels of more axes, and one weight a sample for a loss with several values a sample, which Keras 2
takes:

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.Input((15, 4)), keras.layers.Dense(3, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((60, 15, 4)), np.zeros((60, 15), "int32")
model.fit(x, y, sample_weight=np.ones((60,)))
```

## Known limits
Losses of the user's own and models with several outputs are not judged by the shape of sample_weight.

## References
* keras/src/losses/loss.py: reduce_weighted_values
* keras/src/trainers/data_adapters/data_adapter_utils.py: class_weight_to_sample_weights
* https://github.com/keras-team/keras/issues/7112, https://github.com/titu1994/LSTM-FCN/issues/25
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD426", "unfitting-sample-weights", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.SAMPLE_WEIGHTS:
        yield rejection(event)

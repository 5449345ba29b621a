'''A model in mixed precision ends in a softmax or sigmoid of float16.

## Why is this bad?
The policy "mixed_float16" is meant for the inside of a model. A probability below 6e-8 is 0 in float16, one above
0.9998 is 1, and the loss, which gets the rounded numbers, has no gradient there: exactly the samples that the model is
surely wrong about stop teaching it anything.

## Example

```python
import keras
import numpy as np
from keras import layers

keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential([
    keras.Input((64,)),
    layers.Dense(128, activation="relu"),
    layers.Dense(10, activation="softmax"),  # error: [output-in-float16]
])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros(100))
```

The last layer may lie within a model's `call()`:

```python
import keras
import numpy as np


class Classifier(keras.Model):
    def __init__(self):
        super().__init__()
        self.head = keras.layers.Dense(10, activation="softmax")  # error: [output-in-float16]

    def call(self, x):
        return self.head(x)


keras.mixed_precision.set_global_policy("mixed_float16")
model = Classifier()
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros(100))
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential([
    keras.Input((64,)),
    layers.Dense(128, activation="relu"),
    layers.Dense(10, activation="softmax", dtype="float32"),
])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros(100))
```

```python
import keras
import numpy as np
from keras import layers

keras.mixed_precision.set_global_policy("mixed_float16")
x = keras.Input((64,))
y = layers.Activation("softmax", dtype="float32")(layers.Dense(10)(x))
model = keras.Model(x, y)
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros(100))
```

Keras 2 computes the loss from what the activation was applied to:

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential([keras.Input((64,)), layers.Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros(100))
```

## Fix
Unsafe, since the loss becomes another number: the last layer gets `dtype="float32"`.

## Where it fails
Silently, with Keras 3 on TensorFlow. Run with Keras 3.15: a sigmoid of 8 for a label of 0 has a gradient of 0.0, in
float32 1.0; a softmax of (0, 10, 20) for the first class one of 0.00005, in float32 1.0. With tf_keras 2.21 both are
1.0: the loss finds the logits that the activation leaves with its result, which Keras 3 loses in its cast to float32.

## Known limits
Only crossentropies that compile() is given are judged, on the output of a layer whose activation is known. A linear
output is none of this rule's, though Keras' guide advises float32 there as well.

## References
* keras/src/losses/loss.py: Loss.__call__ (the cast); keras/src/backend/tensorflow/nn.py: _get_logits
* https://www.tensorflow.org/guide/mixed_precision#building_the_model
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.endings import ending_of, last_of, pairs
from cudnnlint.rules.fixes import giving, unsafe
from cudnnlint.rules.losses import BINARY, ONE_HOT, SPARSE
from cudnnlint.rules.protocol import rule


@rule("CUD203", "output-in-float16", Level.WARNING, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    if event.method not in ("fit", "train_on_batch") or event.stack.keras < (3,):
        return
    for output, loss in pairs(event.model):
        layer = last_of(output)
        ending = ending_of(layer) if layer is not None else None
        if layer is None or ending not in ("softmax", "sigmoid") or output.dtype != "float16":
            continue
        if loss.name in (SPARSE, ONE_HOT, BINARY):
            yield event.finding(
                f"the last layer {layer.name} gives a {ending} of float16 to {loss.name}", span=layer.span,
                help='dtype="float32" for the last activation',
                fix=None if "dtype" in layer.given else unsafe('dtype="float32"', giving(layer, "dtype", '"float32"')),
                fails="silently, with Keras from 3 on: what is surely wrong has no gradient, its probability rounds to "
                      "0 or 1")

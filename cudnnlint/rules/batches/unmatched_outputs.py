'''Losses, metrics or labels are given for other outputs than the model has.

## Why is this bad?
A model with several outputs takes a loss, metrics and labels for each of them: by the names of the layers that end
in them, or as lists in their order. A name that is no output's, or a list of another length, stops the first step of
fit(). Keras 2 gave one list of metrics to every output; Keras 3 takes it for one entry for each.

## Example

```python
import keras
import numpy as np
from keras import layers

image = keras.Input((32, 32, 3))
h = layers.GlobalAveragePooling2D()(layers.Conv2D(8, 3)(image))
age = layers.Dense(1, name="age")(h)
kind = layers.Dense(4, activation="softmax", name="kind")(h)
model = keras.Model(image, [age, kind])
x, ages, kinds = np.zeros((16, 32, 32, 3)), np.zeros((16, 1)), np.zeros((16, 4))

model.compile("adam", {"age": "mse", "kinds": "categorical_crossentropy"})
model.fit(x, [ages, kinds])  # error: [unmatched-outputs]
model.compile("adam", {"age": "mse", "kind": "categorical_crossentropy"}, metrics=["accuracy"])
model.fit(x, [ages, kinds])  # error: [unmatched-outputs]
model.compile("adam", ["mse", "categorical_crossentropy"])
model.fit(x, np.zeros((16, 5)))  # error: [unmatched-outputs]
model.fit(x, {"age": ages, "sort": kinds})  # error: [unmatched-outputs]
```

The third argument of compile() was `metrics` in Keras 2 and is `loss_weights` in Keras 3:

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", ["accuracy"])  # error: [unmatched-outputs]
model.fit(np.zeros((8, 4)), np.zeros((8, 1)))
```

A dict of losses names the outputs that there are, be it one:

```python
import keras
import numpy as np

inputs = keras.Input((4,))
model = keras.Model(inputs, keras.layers.Dense(1, name="price")(inputs))
model.compile("sgd", loss={"prize": "mse"})
model.fit(np.zeros((8, 4)), np.zeros((8, 1)))  # error: [unmatched-outputs]
model.compile("sgd", loss={"price": "mse"})
model.fit(np.zeros((8, 4)), np.zeros((8, 1)))
```

So it is with several outputs of a model that is a class:

```python
import keras
import numpy as np
from keras import layers


class Detector(keras.Model):
    def __init__(self):
        super().__init__()
        self.box, self.kind = layers.Dense(4), layers.Dense(3)

    def call(self, x):
        return self.box(x), self.kind(x)


x, boxes, kinds = np.zeros((8, 16)), np.zeros((8, 4)), np.zeros((8, 3))
model = Detector()
model.compile("adam", ["mse", "mse"])
model.fit(x, np.concatenate([boxes, kinds], axis=1))  # error: [unmatched-outputs]
model = Detector()
model.compile("adam", ["mse", "mse"])
model.fit(x, (boxes, kinds))
model = Detector()
model.compile("adam", ["mse", None])
model.fit(x, boxes)
```

A single output has its labels as they are; Keras from 3.8 on makes labels of a dict's first key:

```python
import keras
import numpy as np
from keras import layers

x = keras.Input((4,))
model = keras.Model(x, layers.Dense(1, name="price")(x))
model.compile("adam", {"price": "mse"})
model.fit(np.zeros((8, 4)), {"price": np.zeros((8, 1))})  # error: [unmatched-outputs]
model.compile("adam", {"price": "mse"})
model.fit(np.zeros((8, 4)), [np.zeros((8, 1))])
named = keras.Model(x, {"price": model(x)})
named.compile("adam", {"price": "mse"})
named.fit(np.zeros((8, 4)), {"price": np.zeros((8, 1))})
```

Outputs in a dict go by its keys, not by the names of their layers:

```python
import keras
import numpy as np

x = keras.Input((4,))
outputs = {"age": keras.layers.Dense(1, name="years")(x), "sex": keras.layers.Dense(1, name="kind")(x)}
model = keras.Model(x, outputs)
data, labels = np.zeros((8, 4)), {"age": np.zeros((8, 1)), "sex": np.zeros((8, 1))}
model.compile("sgd", loss={"years": "mse", "kind": "mse"})
model.fit(data, labels)  # error: [unmatched-outputs]
model.compile("sgd", loss={"age": "mse", "sex": "mse"}, metrics={"years": ["mae"]})
model.fit(data, labels)  # error: [unmatched-outputs]
model.compile("sgd", loss={"age": "mse", "sex": "mse"}, metrics={"age": ["mae"]})
model.fit(data, {"age": np.zeros((8, 1)), "kind": np.zeros((8, 1))})  # error: [unmatched-outputs]
model.compile("sgd", loss={"age": "mse"})
model.fit(data, labels)
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

image = keras.Input((32, 32, 3))
h = layers.GlobalAveragePooling2D()(layers.Conv2D(8, 3)(image))
age = layers.Dense(1, name="age")(h)
kind = layers.Dense(4, activation="softmax", name="kind")(h)
model = keras.Model(image, [age, kind])
x, ages, kinds = np.zeros((16, 32, 32, 3)), np.zeros((16, 1)), np.zeros((16, 4))

model.compile("adam", {"age": "mse", "kind": "categorical_crossentropy"}, metrics={"kind": ["accuracy"]})
model.fit(x, {"age": ages, "kind": kinds})
model.compile("adam", ["mse", "categorical_crossentropy"], metrics=[["mae"], ["accuracy"]])
model.fit(x, [ages, kinds])
```

## Where it fails
In fit() and evaluate(), run with Keras 3.3, 3.8 and 3.15 and tf_keras 2.21. A name that is no output's in `loss`,
`loss_weights` or `metrics`: everywhere, ValueError "Expected keys [...] in loss dict, but found loss.keys()=[...]",
"does not correspond to any model output" or, with Keras 2, "Found unexpected losses or metrics that do not correspond
to any Model output". A `loss` dict that leaves an output out, and labels of another structure: with Keras from 3.8 on,
ValueError "y_true and y_pred have different structures"; a dict of labels for one output: TypeError "Expected float32,
but got price of type 'str'". Keras 2 takes that, and one array of labels for all outputs.
`metrics=["accuracy"]` for two outputs: with Keras 3, ValueError "it should have as many entries as the model has
outputs" or "Invalid `metrics`". Metrics that are given as `loss_weights`: with Keras 3, ValueError "`loss_weights`
must match the number of losses" or "dtype='string' is not a valid dtype", or of objects TypeError "Failed to convert
elements of <BinaryAccuracy name=binary_accuracy> to Tensor".

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x = keras.Input((4,))
model = keras.Model(x, [layers.Dense(1, name="a")(x), layers.Dense(1, name="b")(x)])
model.compile("adam", "mse", metrics=["mae"])
model.fit(np.zeros((8, 4)), [np.zeros((8, 1)), np.zeros((8, 1))])
single = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
single.compile("adam", "mse", ["mae"])
print(single.fit(np.zeros((8, 4)), np.zeros((8, 1))).history["mae"])
model.compile("adam", {"a": "mse", "c": "mse"})
model.fit(np.zeros((8, 4)), [np.zeros((8, 1)), np.zeros((8, 1))])  # error: [unmatched-outputs]
```

A name of a metric as a loss weight: with Keras 3, ValueError "the `loss_weights` argument must be a Python float",
"`loss_weights` must match the number of losses" or "dtype='string' is not a valid dtype for Keras type promotion.".

## Known limits
Of models that are a class, labels in one array only. Names are compared where the program gives the layers theirs.

## References
* keras/src/trainers/compile_utils.py: CompileLoss.build, CompileLoss.call, CompileMetrics._build_metrics_set
* tf_keras/src/engine/compile_utils.py: map_to_output_names
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD425", "unmatched-outputs", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.OUTPUTS:
        yield rejection(event)

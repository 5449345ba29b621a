'''A model is loaded from a file that only names layers and functions of the program's own.

## Why is this bad?
A file of a model holds its weights and the names of its classes and functions. load_model() finds those of Keras, and
others if they were registered or are handed to it in `custom_objects`: without them hours of training end in a file
that cannot be read, in this program or in the next.

## Example

```python
import keras


class Scale(keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight(shape=(input_shape[-1],), initializer="ones")

    def call(self, x):
        return x * self.scale


inputs = keras.Input((8,))
model = keras.Model(inputs, keras.layers.Dense(1)(Scale()(inputs)))
model.save("scaled.keras")
again = keras.models.load_model("scaled.keras")  # error: [unregistered-object]
```

A loss or a metric, which compile() gave and the file keeps:

```python
import keras
import numpy as np
from keras import ops


def rmse(y_true, y_pred):
    return ops.sqrt(ops.mean(ops.square(y_true - y_pred)))


model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("adam", rmse)
best = keras.callbacks.ModelCheckpoint("best.keras", save_best_only=True, monitor="loss")
model.fit(np.zeros((16, 8)), np.zeros((16, 1)), callbacks=[best])
again = keras.models.load_model("best.keras")  # error: [unregistered-object]
```

In the older format of HDF5 the short names of losses are lost as well, in Keras 3:

```python keras=3.15
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("adam", "mse", metrics=["mae"])
model.fit(np.zeros((16, 8)), np.zeros((16, 1)))
model.save("prices.h5")
again = keras.models.load_model("prices.h5")  # error: [unregistered-object]
```

The function of a Lambda is code, which no file is trusted with:

```python
import keras

model = keras.Sequential([keras.Input((8,)), keras.layers.Lambda(lambda x: x * 2), keras.layers.Dense(1)])
model.save("doubled.keras")
again = keras.models.load_model("doubled.keras")  # error: [unregistered-object]
```

The same where the folder is not known:

```python
import os
import tempfile

import keras


def gap(y_true, y_pred):
    return keras.ops.mean(keras.ops.abs(y_true - y_pred))


path = os.path.join(tempfile.mkdtemp(), "price.keras")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", gap)
model.save(path)
model = keras.models.load_model(path)  # error: [unregistered-object]
model = keras.models.load_model(os.path.join(tempfile.mkdtemp(), "price.keras"))
```

## Use instead

```python
import keras
import numpy as np
from keras import ops


@keras.saving.register_keras_serializable()
class Scale(keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight(shape=(input_shape[-1],), initializer="ones")

    def call(self, x):
        return x * self.scale


def rmse(y_true, y_pred):
    return ops.sqrt(ops.mean(ops.square(y_true - y_pred)))


inputs = keras.Input((8,))
model = keras.Model(inputs, keras.layers.Dense(1)(Scale()(inputs)))
model.compile("adam", rmse)
model.fit(np.zeros((16, 8)), np.zeros((16, 1)))
model.save("scaled.keras")
again = keras.models.load_model("scaled.keras", custom_objects={"rmse": rmse})
only_to_predict = keras.models.load_model("scaled.keras", compile=False)
plain = keras.Sequential([keras.Input((8,)), keras.layers.Lambda(lambda x: x * 2), keras.layers.Dense(1)])
plain.compile("adam", "mean_squared_error")
plain.save("doubled.keras")
again = keras.models.load_model("doubled.keras", safe_mode=False)
```

## Where it fails
Everywhere, in load_model(), with `.keras` and with `.h5` files: ValueError "Unknown layer: 'Scale'. Please ensure you
are using a `keras.utils.custom_object_scope`", "Unknown loss function", TypeError "Could not locate class 'Scale'. Make
sure custom classes are decorated with `@keras.saving.register_keras_serializable()`", "Could not locate function
'rmse'", "Cannot deserialize object of type", "<class 'Functional'> could not be deserialized properly". A Lambda in a
`.keras` file: ValueError "Requested the deserialization of a `Lambda` layer whose `function` is a Python lambda".
"mse" in a
`.h5` file: with Keras 3, TypeError "Could not locate function 'mse'", since 3.12 ValueError "Could not deserialize
'keras.metrics.mse' because it is not a KerasSaveable subclass"; "mean_squared_error" is found. Run with Keras 3.3, 3.9
and 3.15, and tf_keras 2.21.

## Known limits
Only files that the same program saves, under the same name. What any decorator may have registered is not judged, nor a
program that tells Keras of objects, with get_custom_objects() or in a custom_object_scope. The folders that Keras 2
saves without an ending hold the layers' code.

## References
* keras/src/saving/serialization_lib.py: _retrieve_class_or_fn
* keras/src/legacy/saving/serialization.py: class_and_config_for_serialized_keras_object
* https://github.com/keras-team/keras/issues/19330, https://github.com/keras-team/keras/issues/19899
* https://github.com/tensorflow/tensorflow/issues/70263, https://github.com/tensorflow/tensorflow/issues/32612
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD722", "unregistered-object", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNREGISTERED:
        yield rejection(event)

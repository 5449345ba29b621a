'''A name of TensorFlow or Keras is used that the version at hand does not have any more.

## Why is this bad?
Code that is pasted from elsewhere is often older than what is installed: TensorFlow 2 left behind what TensorFlow 1
built graphs with, Keras 3 what Keras 2 had deprecated, and the `keras` package has closed the modules that were never
meant to be imported.

## Example

```python
import numpy as np
from keras import backend as K
from keras import layers, models

x = layers.Input((8,))
y = layers.Dense(4)(x)
norm = K.sqrt(K.sum(y))  # error: [removed-api]
model = models.Model(x, y)
model.compile("adam", "mse")
model.fit_generator(((np.zeros((2, 8)), np.zeros((2, 4))) for _ in range(9)))  # error: [removed-api]
```

```python
from keras.layers.core import Dense  # error: [removed-api]
from keras.utils.np_utils import to_categorical  # error: [removed-api]
from tensorflow.compat.v1.keras.layers import Flatten  # error: [removed-api]
```

Of losses and metrics, Keras 3 has the long names, and tf.keras of Keras 3 the short ones alone:

```python keras=3.15
import keras
import tensorflow as tf

x, y = tf.zeros((4, 1)), tf.ones((4, 1))
first = tf.keras.losses.mean_squared_error(x, y)  # error: [removed-api]
second = keras.losses.mse(x, y)  # error: [removed-api]
third = tf.keras.losses.mse(x, y) + keras.losses.mean_squared_error(x, y)
```

```python tensorflow=2.10
import tensorflow as tf

config = tf.ConfigProto()  # error: [removed-api]
policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")  # error: [removed-api]
```

A method that Keras 3 has in order to raise:

```python
from keras import Input, layers, ops


class Sparse(layers.Dense):
    def call(self, x):
        y = super().call(x)
        self.add_loss(0.01 * ops.mean(ops.abs(y)))
        self.add_metric(ops.mean(y), name="activity")  # error: [removed-api]
        return y


y = Sparse(4)(Input((8,)))
```

Another that only functional models have, in the way in which autoencoders were written for Keras 2:

```python
import keras
from keras import layers, ops

inputs = keras.Input((784,))
mean, spread = layers.Dense(2)(inputs), layers.Dense(2)(inputs)
model = keras.Model(inputs, layers.Dense(784, activation="sigmoid")(mean))
model.add_loss(-0.5 * ops.mean(1 + spread - ops.square(mean) - ops.exp(spread)))  # error: [removed-api]
```

Methods of optimizers, in a loop of the program's own:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(2)])
optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam())


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        scaled = optimizer.get_scaled_loss(loss)  # error: [removed-api]
    gradients = tape.gradient(scaled, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


train_step(tf.zeros((4, 8)), tf.zeros((4, 2)))
```

A symbolic tensor has a `shape`:

```python keras=3.15
import keras

x = keras.Input((8, 4))
channels = x.get_shape()[-1]  # error: [removed-api]
width = x.shape[1]
```

A metric is reset by `reset_state()`:

```python keras=3.15
import keras

accuracy = keras.metrics.SparseCategoricalAccuracy()
for epoch in range(3):
    accuracy.reset_states()  # error: [removed-api]
    accuracy.reset_state()
```

The learning rate of an optimizer goes by its whole name, in callbacks as well:

```python keras=3.15
import keras
import numpy as np


class Report(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(float(self.model.optimizer.lr))  # error: [removed-api]
        print(float(self.model.optimizer.learning_rate))


model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(1e-3), "mse")
model.fit(np.zeros((8, 4)), np.zeros((8, 1)), callbacks=[Report()])
```

An extent of a shape is a number:

```python
import tensorflow as tf

x = tf.zeros((4, 3))
rows = x.shape[0].value  # error: [removed-api]
columns = x.get_shape().as_list()[1]
```

tf.keras of Keras 3 has no `saving`, which can be imported by its name:

```python
import tensorflow as tf


@tf.keras.saving.register_keras_serializable()  # error: [removed-api]
class Scale(tf.keras.layers.Layer):
    def call(self, x):
        return x * 2
```

```python
import tensorflow as tf
from tensorflow.keras.saving import register_keras_serializable


@register_keras_serializable()
class Scale(tf.keras.layers.Layer):
    def call(self, x):
        return x * 2
```

The optimizers of before Keras 2.11:

```python
from tensorflow import keras

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile(keras.optimizers.legacy.Adam(1e-3), "mse")  # error: [removed-api]
```

What TensorFlow 1 had in `tf.layers` lies in Keras 2, and is told of once a file:

```python
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 8])
hidden = tf.layers.dense(x, 16)  # error: [removed-api]
scores = tf.layers.dense(hidden, 4)
```

## Use instead

```python
import tensorflow as tf
from keras import layers, ops
from keras.layers import Dense
from keras.utils import to_categorical

y = Dense(4)(layers.Input((8,)))
norm = ops.sqrt(ops.sum(y))
same = tf.keras.backend.sum(tf.ones((2, 4)))
session = tf.compat.v1.Session()
```

Code that looks for what there is, is left alone:

```python tensorflow=2.10
import tensorflow as tf

try:
    config = tf.ConfigProto()
except AttributeError:
    config = tf.compat.v1.ConfigProto()
if int(tf.__version__[0]) < 2:
    session = tf.Session()
if hasattr(tf, "GPUOptions"):
    options = tf.GPUOptions()
```

A program for TensorFlow 1, which its sessions tell where nothing else does, is told of once (see unpinned-old-api):

```python
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 8])  # error: [unpinned-old-api]
session = tf.Session(config=tf.ConfigProto())
```

## Fix
Safe if the project says its versions, unsafe otherwise, since `fit` of old versions takes no generators:
`fit_generator`, `evaluate_generator` and `predict_generator` become `fit`, `evaluate` and `predict`, their argument
`generator` becomes `x`; `mixed_precision.experimental.Policy` and `.set_policy` become `mixed_precision.Policy` and
`.set_global_policy`, also where `experimental` is imported under a name of its own.

## Where it fails
Where the version is at fault: AttributeError "module 'tensorflow' has no attribute 'ConfigProto'", or ImportError,
ModuleNotFoundError for what is imported, of "tensorflow.contrib" and "tensorflow.examples.tutorials" above all.
keras.optimizers.legacy: ImportError "`keras.optimizers.legacy` is not supported in Keras 3."
tf.compat.v1.layers: AttributeError "`dense` is not available with Keras 3." All names were looked for in TensorFlow
2.21, its compat.v1, Keras 3.15 and tf_keras 2.21.

## Known limits
A name is told of once a line, functions of keras.backend and of tf.layers once a file. What stands in a try block, or
in a branch that may never be taken, is not judged; the body of a loop is. Names that were never public are judged where
they were common.

## References
* https://www.tensorflow.org/guide/migrate, https://keras.io/guides/migrating_to_keras_3/
* tensorflow RELEASE.md 2.4.0 (multi_gpu_model), 2.9.0 (mixed_precision.experimental), 2.16.0 (tf.estimator)
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.project import ApiChanged
from cudnnlint.finding import Finding, Level, MoveImport, Recipe, RenameAttribute, RenameMethod
from cudnnlint.rules.fixes import safe_if_told
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import not_imported, stacks, written_now
from cudnnlint.values.stack import dotted


@rule("CUD703", "removed-api", Level.ERROR, since="0.1")
def check(event: ApiChanged) -> Iterator[Finding]:
    if event.what not in ("name", "method", "attribute"):
        return
    library = f"Keras {dotted(event.stack.keras)}" if event.exists.keras else \
        f"TensorFlow {dotted(event.stack.tensorflow)}"
    never = event.exists.tensorflow == "<1"
    raises = event.name.startswith(("Layer.", "Functional.")) if event.what == "method" else ".legacy." in event.name
    told = f"{event.name} is in no release of TensorFlow" if never else \
        f"{event.name} {'only raises' if raises else 'is not'} in {library}: it was there " \
        f"{stacks(event.exists)}"
    if (other := OTHERS.get(event.name.partition(".")[0])) and event.what == "name":
        told = f"{event.name} is gone: {library} does not go with a {other} that has it"
    yield event.finding(told, fails=_fails(event), help=written_now(event.instead),
                        fix=_fix(event))


OTHERS = {"numpy": "NumPy", "scipy": "SciPy", "sklearn": "scikit-learn"}
"""Packages that the library is used with."""


def _fix(event: ApiChanged) -> Recipe | None:
    """fit_generator() and its kin, whose arguments the method of today takes too."""
    if event.name == "tensorflow.keras.mixed_precision.experimental":
        change = (MoveImport if event.imported else RenameAttribute)(event.span, EXPERIMENTAL)
        return safe_if_told(event.stack, "write tf.keras.mixed_precision", change)
    old, new = event.name.rpartition(".")[2], event.instead.partition("(")[0]
    if event.what != "method" or not event.instead.endswith("(), which takes generators"):
        return None
    return safe_if_told(event.stack, f"write {new} instead of {old}", RenameMethod(event.span, old, new, KEYWORDS))


EXPERIMENTAL = (("Policy", "Policy"), ("set_policy", "set_global_policy"), ("global_policy", "global_policy"))
"""Of mixed_precision.experimental, where the arguments are the same (RELEASE.md of TensorFlow 2.4.0)."""
KEYWORDS = (("generator", "x"), ("nb_epoch", "epochs"))
"""Arguments of fit_generator() and its kin that fit() has under another name."""


def _fails(event: ApiChanged) -> str:
    owner, _, name = event.name.rpartition(".")
    if event.imported:
        return f"with this version, when it is imported: {not_imported(event.name)}"
    if event.what in ("method", "attribute"):
        when = "called" if event.what == "method" else "read"
        if owner == "Functional":
            return "with this version, when it is called: NotImplementedError"
        if owner == "Layer" and event.what == "method":
            return f'with this version, when it is called: NotImplementedError "Layer `{name}()` method is deprecated"'
        return f"with this version, when it is {when}: AttributeError \"object has no attribute '{name}'\""
    if owner == "tensorflow.compat.v1.layers":
        return f'with this version, when it is called: AttributeError "`{name}` is not available with Keras 3."'
    if owner == "keras.optimizers.legacy":
        return f'with this version, when it is made: ImportError "`{owner}` is not supported in Keras 3."'
    said = f"has no attribute '{name}'" if ".keras" in owner else f"module '{owner}' has no attribute '{name}'"
    return f'with this version, when it is used: AttributeError "{said}"'

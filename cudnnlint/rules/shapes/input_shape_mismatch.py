'''A model is fed data of a shape other than the one its inputs declare.

## Why is this bad?
A model that is built has its sizes fixed: its kernels and Dense layers were made for them. The usual causes are a
single sample without its batch axis, a missing channel axis, and images of another size. For `input_shape=X.shape` see
batch-axis-in-input-shape.

## Example

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((64, 64, 3)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(2)])
image = np.zeros((64, 64, 3))
model.predict(image)  # error: [input-shape-mismatch]
model.predict(np.zeros((10, 32, 32, 3)))  # error: [input-shape-mismatch]
```

```python
import keras
import numpy as np
from keras import layers

x, y = np.zeros((100, 20, 20)), np.zeros((100, 1))
model = keras.Sequential([keras.Input((20, 20, 3)), layers.Flatten(), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y)  # error: [input-shape-mismatch]
```

```python
import keras
import numpy as np
from keras import layers

left, right = keras.Input((4,)), keras.Input((4,))
model = keras.Model([left, right], layers.Dense(1)(layers.Concatenate()([left, right])))
model.predict(np.zeros((10, 4)))  # error: [input-shape-mismatch]
```

Grey images where the model was built for colours:

```python
import tensorflow as tf
from tensorflow.keras import layers


def read(path):
    image = tf.io.decode_png(tf.io.read_file(path), channels=1)
    return tf.image.resize(image, (64, 64)), 1


model = tf.keras.Sequential([
    tf.keras.Input((64, 64, 3)), layers.Conv2D(8, 3), layers.GlobalAveragePooling2D(), layers.Dense(1),
])
model.compile("adam", "mse")
model.fit(tf.data.Dataset.list_files("*.png").map(read).batch(8))  # error: [input-shape-mismatch]
```

A placeholder of TensorFlow 1 that is fed an array of another shape:

```python
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
images = tf.placeholder(tf.float32, [None, 784])
mean = tf.reduce_mean(images, axis=0)
with tf.Session() as session:
    session.run(mean, feed_dict={images: np.zeros((10, 28, 28))})  # error: [input-shape-mismatch]
    session.run(mean, feed_dict={images: np.zeros((10, 28, 28)).reshape(-1, 784)})
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((64, 64, 3)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(2)])
image = np.zeros((64, 64, 3))
model.predict(image[np.newaxis])  # revealed: nothing
```

A missing or superfluous last axis of 1 is put right by Keras itself:

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(2)])
scores = model(np.zeros((5, 28, 28)))  # revealed: float32[5, 2]
```

But a sample without its batch axis is no sample then:

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(2)])
model.predict(np.zeros((28, 28, 1)))  # error: [input-shape-mismatch]
```

## Where it fails
Everywhere: ValueError "Input 0 of layer is incompatible with the layer: expected shape=(None, 64, 64, 3), found
shape=(64, 64, 3)", or of another rank in a Sequential model of Keras 3 "Invalid input shape for input ... Expected
shape (None, 64, 64, 3), but input has incompatible shape (64, 64, 3)". The last axis of 1 is added since TensorFlow
2.4. A Sequential model of Keras 3 compares nothing but the rank with its Input when it is given data: its layers say
what does not fit, "expected axis -1 of input shape to have value 30752", and what fits them passes:

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([
    keras.Input((64, 64, 3)), layers.Conv2D(8, 3), layers.GlobalAveragePooling2D(), layers.Dense(2),
])
smaller = model.predict(np.zeros((10, 32, 32, 3)))  # revealed: float32[10, 2]
```

A Sequential model of Keras 3 without an Input is built by its first call, for that shape: what is symbolic may have no
other from then on, as the levels of a pyramid that share a head have.

```python
import keras
from keras import layers

near, far = keras.Input((32, 32, 16)), keras.Input((16, 16, 16))
head = keras.Sequential([layers.Conv2D(16, 3, padding="same", activation="relu"), layers.Conv2D(4, 1)])
scores = [head(near)]
scores.append(head(far))  # error: [input-shape-mismatch]
head.add(layers.Softmax())
scores.append(head(far))  # error: [input-shape-mismatch]

head = keras.Sequential([keras.Input((None, None, 16)), layers.Conv2D(16, 3, padding="same"), layers.Conv2D(4, 1)])
scores = [head(near), head(far)]
```

Keras 2 lets a lower or higher rank pass if the axes agree one by one, and looks at no symbolic input: a model without
Flatten or Dense can be built again on images of another size, which Keras 3 refuses.

```python
import tf_keras as keras
from tf_keras import layers

inputs = keras.Input((28, 28, 1))
model = keras.Model(inputs, layers.Conv2D(8, 3)(inputs))
larger = model(keras.Input((32, 32, 1)))  # revealed: float32[B, 30, 30, 8]
```

Its layers say then what does not fit, as of one sample without its batch axis: "expected min_ndim=2, found ndim=1".

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(12, input_dim=8), keras.layers.Dense(1)])
sample = np.array([6, 148, 72, 35, 0, 33.6, 0.627, 50])
model.predict(sample)  # error: [input-shape-mismatch]
score = model.predict(sample[np.newaxis])  # revealed: float32[1, 1]
```

Before TensorFlow 2.2 fit() adds no axis, ValueError "Error when checking input: expected conv2d_input to have 4
dimensions, but got array with shape (60, 28, 28)" (run with 2.0.4), and of a wrong extent says "Error when checking
input: expected dense_input to have shape (8,) but got array with shape (1,)":

```python keras=2.0 tensorflow=2.0
import numpy as np
from tensorflow.keras import Sequential, layers

model = Sequential([layers.Conv2D(8, 3, input_shape=(28, 28, 1)), layers.Flatten(), layers.Dense(10)])
model.compile("adam", "mse")
model.fit(np.zeros((60, 28, 28)), np.zeros((60, 10)))  # error: [input-shape-mismatch]
model.fit(np.zeros((60, 28, 28, 1)), np.zeros((60, 10)))
```

What a generator yields must have the shape that from_generator() was told, TypeError "`generator` yielded an element of
shape (28, 28) where an element of shape (28, 28, 1) was expected":

```python
import numpy as np
import tensorflow as tf


def digits():
    for label in range(10):
        yield np.zeros((28, 28), "float32"), label


def images():
    for image, label in digits():
        yield image[..., None], label


grey = tf.TensorSpec((28, 28, 1), tf.float32), tf.TensorSpec((), tf.int64)
data = tf.data.Dataset.from_generator(digits, output_signature=grey)  # error: [input-shape-mismatch]
data = tf.data.Dataset.from_generator(images, output_signature=grey)
open_ = tf.TensorSpec((None, None), tf.float32), tf.TensorSpec((), tf.int64)
data = tf.data.Dataset.from_generator(digits, output_signature=open_)
```

## Known limits
A subclassed model declares no shape: what it is fed is followed through its layers instead.

## References
* keras/src/models/functional.py: Functional._adjust_input_rank, Functional._standardize_inputs
* keras/src/layers/input_spec.py: assert_input_compatibility
* tf_keras/src/engine/functional.py: Functional.input_spec, _conform_to_reference_input
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected, tensors
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import counts_samples, moment, rejection
from cudnnlint.values import Problem, Shape, Unknown, show
from cudnnlint.values.dim import Dim, may_equal
from cudnnlint.values.unknown import Window


@rule("CUD108", "input-shape-mismatch", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    problem = event.mismatch.problem
    if problem in (Problem.INPUT_COUNT, Problem.FED):
        yield rejection(event)
    elif problem is Problem.INPUT_SHAPE and not counts_samples(event):
        expected, actual = event.mismatch.fact("expected"), event.mismatch.fact("actual")
        yield replace(rejection(event), help=event.mismatch.help or _help(expected, actual),
                      fails=f"{_stacks(event, expected, actual)}, {moment(event)}: {_error(event, expected, actual)}")


def _stacks(event: Rejected, expected: Shape, actual: Shape) -> str:
    """Keras 2 compares axis by axis from the first, as far as both go, and symbolic inputs not at all."""
    if told := event.mismatch.fact("stacks"):
        return str(told)
    symbolic = any(tensor.kind == "keras" for tensor in tensors(event.inputs))
    same = symbolic or all(_may_be(want, have) for want, have in zip(expected[1:], actual[1:], strict=False))
    return "with Keras 3" if same else "everywhere"


def _may_be(want: Dim, have: Dim) -> bool:
    return may_equal(want, have) and not (type(have) is Window and isinstance(want, int) and have.full < want)


def _is_grey(expected: Shape, actual: Shape) -> bool:
    """One channel for several or the reverse, which the first layer with weights finds out."""
    return len(expected) == len(actual) > 2 and _fit(expected[1:-1], actual[1:-1]) and 1 in (expected[-1], actual[-1])


def _error(event: Rejected, expected: Shape, actual: Shape) -> str:
    if said := event.mismatch.fact("said"):
        return str(said)
    if _is_grey(expected, actual):
        return f'ValueError "expected axis -1 of input shape to have value {expected[-1]}"'
    found = _python(actual)
    if event.stack.keras >= (3,) and len(actual) > 2 and actual[-1] == 1:  # is left out before it is printed
        found = found[:found.rindex(", 1)")]
    told = f"expected shape={_python(expected)}, found shape={found}"
    if event.stage in ("fit", "evaluate", "predict") and isinstance(actual[0], int):
        told = told.replace(f"found shape=({actual[0]}", "found shape=(...")  # a graph may be of any rows
    if event.stack.keras >= (3,):
        if len(actual) == len(expected) - 1 and expected[-1] == 1:  # what is fed gets a last axis, and runs on
            told += '" or "Negative dimension size'
        return f'ValueError "{told}" or "Expected shape {_python(expected)}, but input has incompatible shape"'
    return f'ValueError "{told}"'


def _python(shape: Shape) -> str:
    return str(tuple(dim if isinstance(dim, int) else None for dim in shape))


def _help(expected: Shape, actual: Shape) -> str:
    if len(actual) == len(expected) - 1 and _fit(expected[2:], actual[1:]):
        return ("one sample needs a batch axis, x[np.newaxis]; a model's input shape does not count the samples, "
                "x.shape[1:]")
    if len(actual) == len(expected) - 1 and _fit(expected[1:-1], actual[1:]):
        return f"the model takes {expected[-1]} channels on a last axis, which the data do not have"
    if len(actual) == len(expected) + 1 and _fit(expected[1:], actual[2:]):
        return "the data has one axis too many, as after batch() twice: give one batch at a time"
    if _is_grey(expected, actual) and len(actual) == 4:
        return (f"read the images with {expected[-1]} channel{'s' * (expected[-1] != 1)}, or build the model for "
                f"{actual[-1]}")
    if len(actual) == len(expected):
        lengths = (expected[0], *(have.full if type(have) is Window else have for have in actual[1:]))
        known = not any(isinstance(have, Unknown) for have in lengths[1:])
        return f"bring the data to {show(expected)}" + (f", or build the model for {show(lengths)}" if known else "")
    return ""


def _fit(expected: Shape, actual: Shape) -> bool:
    return len(expected) == len(actual) and all(map(may_equal, expected, actual))

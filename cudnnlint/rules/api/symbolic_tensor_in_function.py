'''A function of TensorFlow or NumPy is called on a symbolic tensor, a placeholder of Keras 3.

## Why is this bad?
What `keras.Input` and layers that are called on it return are placeholders for a shape and a dtype. In Keras 2 they
were tensors of TensorFlow, and functions of `tf` became layers of the model; Keras 3 has backends to choose from, and
its placeholders are tensors of none of them.

## Example

```python keras=3.15
import tensorflow as tf
from tensorflow.keras import Input, Model, layers

inputs = Input((32, 32, 3))
x = layers.Conv2D(8, 3, padding="same")(inputs)
y = tf.reduce_mean(x, axis=[1, 2])  # error: [symbolic-tensor-in-function]
model = Model(inputs, layers.Dense(10)(y))
```

```python keras=3.15
import keras
import numpy as np

inputs = keras.Input((10,))
scaled = np.sqrt(inputs)  # error: [symbolic-tensor-in-function]
```

```python
import tensorflow as tf
from tensorflow import keras

mean, spread = keras.layers.Dense(2)(keras.Input((8,))), keras.layers.Dense(2)(keras.Input((8,)))
noise = keras.random.normal((2,))  # which Keras 2 does not have
z = mean + tf.exp(0.5 * spread) * noise  # error: [symbolic-tensor-in-function]
```

Those of `tf.keras.backend` are functions of TensorFlow:

```python keras=3.15
from tensorflow.keras import Input, Model, backend as K, layers

left, right = Input((64,)), Input((64,))
distance = K.abs(left - right)  # error: [symbolic-tensor-in-function]
told = layers.Lambda(lambda pair: K.abs(pair[0] - pair[1]))([left, right])
shape = K.int_shape(told)
```

NumPy's functions are refused by tensors of Keras itself:

```python
import numpy as np
from tensorflow.keras import Input, layers

x = layers.Dense(8)(Input((4,)))
size = np.abs(x)  # error: [symbolic-tensor-in-function]
```

An array or a number of NumPy's own on the left of an operator is such a function too: NumPy is asked first.

```python keras=3.15
import keras
import numpy as np

queries = keras.Input((8, 64))
scaled = 1 / np.sqrt(64) * queries  # error: [symbolic-tensor-in-function]
```

## Use instead

```python keras=3.15
import keras
from keras import Input, Model, layers

inputs = Input((32, 32, 3))
x = layers.Conv2D(8, 3, padding="same")(inputs)
y = keras.ops.mean(x, axis=[1, 2])
model = Model(inputs, layers.Dense(10)(y))
```

or a layer whose `call()` does it, `layers.Lambda` among them:

```python keras=3.15
import tensorflow as tf
from tensorflow.keras import Input, Model, layers


class Mean(layers.Layer):
    def call(self, x):
        return tf.reduce_mean(x, axis=[1, 2])


inputs = Input((32, 32, 3))
x = layers.Conv2D(8, 3, padding="same")(inputs)
model = Model(inputs, layers.Dense(10)(Mean()(x)))
```

Operators between them are those of Keras, also beside a tensor of TensorFlow or with NumPy on the right, and a few
functions of NumPy ask no more than for a shape or an index:

```python keras=3.15
import keras
import numpy as np

x = keras.Input((32, 32, 3))
rank = np.ndim(x)
width = np.size(x, 2)
flipped = np.flip(x, 2)
scaled = (x - np.array([0.5, 0.4, 0.3])) / np.sqrt(64)
```

In Keras 2 the functions are fine:

```python keras=2.15 tensorflow=2.15
import tensorflow as tf
from tensorflow.keras import Input, Model, layers

inputs = Input((32, 32, 3))
y = tf.reduce_mean(inputs, axis=[1, 2])
model = Model(inputs, layers.Dense(10)(y))
```

## Where it fails
With Keras 3, when the model is built: ValueError "A KerasTensor cannot be used as input to a TensorFlow function", and
of NumPy's functions ValueError "A KerasTensor is symbolic: it's a placeholder for a shape an a dtype". Keras 2 refuses
these, from 2.4 on: TypeError "You are passing KerasTensor(...), an intermediate Keras symbolic input/output, to a TF
API", in 2.4 "Cannot convert a symbolic Keras input/output to a numpy array".

## Known limits
Of TensorFlow's functions, silent where nothing says that the program is for Keras 3: no requirement, no setting, no
name that only Keras 3 has.

## References
* keras/src/backend/common/keras_tensor.py: KerasTensor.__tf_tensor__, KerasTensor.__array__
* tf_keras/src/engine/keras_tensor.py: KerasTensor.__array__
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem, Where


@rule("CUD707", "symbolic-tensor-in-function", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.SYMBOLIC and (
            event.mismatch.where != KERAS_3 or all(stack.keras >= (3,) for stack in event.stack.before)):
        yield rejection(event)


KERAS_3 = Where(keras=">=3")

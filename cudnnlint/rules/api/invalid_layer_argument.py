'''A layer or function gets a value for one of its arguments that it does not accept.

## Why is this bad?
The argument exists, its value does not do: a padding that has another name, a rate above 1, a tuple of the wrong
length, an output_padding that is not smaller than the stride.

## Example

```python
from keras import layers

conv = layers.Conv2D(32, 3, padding="full")  # error: [invalid-layer-argument]
drop = layers.Dropout(25)  # error: [invalid-layer-argument]
pool = layers.MaxPooling2D((2, 2, 2))  # error: [invalid-layer-argument]
up = layers.Conv2DTranspose(32, 3, strides=2, output_padding=2)  # error: [invalid-layer-argument]
x = layers.Input(shape=8)  # error: [invalid-layer-argument]
```

A count that is no integer, as `/` of two integers gives it, and one of NumPy's, which is none to newer versions:

```python
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

shape, samples, batch_size = (28, 28, 1), 60000, 32
hidden = layers.Dense(256 / 2)  # error: [invalid-layer-argument]
head = layers.Dense(np.prod(shape), activation="sigmoid")  # error: [invalid-layer-argument]
noise = np.random.normal(0, 1, (batch_size / 2, 100))  # error: [invalid-layer-argument]
model = tf.keras.Sequential([layers.Input((8,)), layers.Dense(1)])
model.compile("adam", "mse")
x, y = np.zeros((samples, 8)), np.zeros((samples, 1))
model.fit(x, y, steps_per_epoch=samples / batch_size)  # error: [invalid-layer-argument]
model.fit(x, y, steps_per_epoch=np.ceil(samples / batch_size))  # error: [invalid-layer-argument]
data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1e4).batch(32)  # error: [invalid-layer-argument]
```

Height and width that are not two numbers:

```python
import tensorflow as tf

image = tf.zeros((48, 64, 3))
small = tf.image.resize(image, 24)  # error: [invalid-layer-argument]
small = tf.image.resize(image, (24, 32, 3))  # error: [invalid-layer-argument]
small = tf.image.resize(image, (24, 32))
```

What a function takes as one list, or not by that place:

```python
import numpy as np
import tensorflow as tf

x = np.zeros(8, 3)  # error: [invalid-layer-argument]
x = np.random.rand((8, 3))  # error: [invalid-layer-argument]
x = np.random.rand(8, 3)
both = np.concatenate(x, x)  # error: [invalid-layer-argument]
both = np.reshape(np.concatenate([x, x]), 3, 16)  # error: [invalid-layer-argument]
noise = tf.random.normal(8)  # error: [invalid-layer-argument]
noise = tf.random.normal([8, 3], dtype="flaot32")  # error: [invalid-layer-argument]
turned = tf.transpose(noise, 1, 0)  # error: [invalid-layer-argument]
labels = np.random.randint(10, 0, size=8)  # error: [invalid-layer-argument]
```

Names of activations, initializers, optimizers, losses and metrics that are none, and a text that is no number:

```python
from keras import Input, Sequential, layers, optimizers

adam = optimizers.Adam("1e-3")  # error: [invalid-layer-argument]
model = Sequential([Input((8,))])
model.add(layers.Dense(8, activation="rleu"))  # error: [invalid-layer-argument]
model.add(layers.Dense(8, kernel_initializer="he_nromal"))  # error: [invalid-layer-argument]
model.add(layers.Dense(8, dtype="fp16"))  # error: [invalid-layer-argument]
model.compile("adma", "mse")  # error: [invalid-layer-argument]
model.compile("mse")  # error: [invalid-layer-argument]
model.compile("adam", "binary_crossentropie")  # error: [invalid-layer-argument]
model.compile("adam", "mse", metrics=["mae", "acuracy"])  # error: [invalid-layer-argument]
```

Numbers outside of the range that is taken, two arguments of which one may be given, and texts that are none of a few:

```python
from keras import callbacks, initializers, layers, metrics, mixed_precision, optimizers

turned = layers.RandomRotation(20)  # error: [invalid-layer-argument]
turned = layers.RandomRotation(20 / 360)
lower = callbacks.ReduceLROnPlateau(factor=10)  # error: [invalid-layer-argument]
adam = optimizers.Adam(1e-3, clipnorm=1.0, clipvalue=0.5)  # error: [invalid-layer-argument]
plain = optimizers.SGD(1e-2, momentum=0)  # error: [invalid-layer-argument]
plain = optimizers.SGD(1e-2, momentum=0.0)
adam = optimizers.Adam(1e-3, gradient_accumulation_steps=1)  # error: [invalid-layer-argument]
rate = optimizers.schedules.PiecewiseConstantDecay([10, 20], [1e-3, 1e-4])  # error: [invalid-layer-argument]
found = metrics.Recall(thresholds=[0.3, 50])  # error: [invalid-layer-argument]
area = metrics.AUC(curve="PRC")  # error: [invalid-layer-argument]
scaled = initializers.VarianceScaling(2.0, mode="fan")  # error: [invalid-layer-argument]
mixed_precision.set_global_policy("mixed_fp16")  # error: [invalid-layer-argument]
```

A loss that a step of one's own calls on each replica of a strategy, with Keras 2:

```python keras=2.15 tensorflow=2.15
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
    mean = tf.keras.losses.MeanSquaredError()
    each = tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)
    model.compile("sgd", mean)


def score(x, y):
    fine = tf.nn.compute_average_loss(each(y, model(x)), global_batch_size=64)
    return fine, mean(y, model(x))  # error: [invalid-layer-argument]


x, y = tf.zeros((64, 4)), tf.zeros((64, 1))
strategy.run(score, args=(x, y))
model.fit(x, y, batch_size=64)
whole = mean(y, model(x))
```

A layer of a model that is itself a layer, asked for by its name, and one that is not there:

```python
import keras
from keras import layers

base = keras.applications.ResNet50(weights=None, include_top=False, input_shape=(224, 224, 3))
model = keras.Sequential([base, layers.GlobalAveragePooling2D(), layers.Dense(3)])
last = model.get_layer("conv5_block3_out")  # error: [invalid-layer-argument]
found = model.get_layer("resnet50").get_layer("conv5_block3_out")
scores = model.get_layer("scores")  # error: [invalid-layer-argument]
```

A callback sets a learning rate that a schedule gives:

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
rate = keras.optimizers.schedules.ExponentialDecay(1e-3, decay_steps=1000, decay_rate=0.9)
model.compile(keras.optimizers.Adam(rate), "mse")
x, y = np.zeros((64, 8)), np.zeros((64, 1))
plateau = keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=3)
model.fit(x, y, epochs=50, callbacks=[plateau])  # error: [invalid-layer-argument]
model.fit(x, y, epochs=3, callbacks=[plateau])
```

Beside tensors, Keras 3 takes nothing by position where a layer is called:

```python
from keras import Input, layers

x = layers.Dropout(0.5)(Input((8,)), True)  # error: [invalid-layer-argument]
```

```python
import numpy as np
from keras import Sequential, layers

block = Sequential([layers.Dense(4), layers.BatchNormalization()])
block(np.ones((2, 8), "float32"), False)  # error: [invalid-layer-argument]
```

A name with a slash in it, of which Keras 2 made a scope; told where the program is for Keras 3:

```python keras=3.15
from keras import Input, Model, layers

x = Input((8,))
y = layers.Dense(4, name="encoder/dense")(x)  # error: [invalid-layer-argument]
model = Model(x, layers.Dense(1, name="head")(y), name="models/small")  # error: [invalid-layer-argument]
```

PyTorch:

```python
import torch
from torch import nn

conv = nn.Conv2d(3, 8, 3, stride=2, padding="same")  # error: [invalid-layer-argument]
head = nn.Linear(16 * 5 * 5 / 2, 10)  # error: [invalid-layer-argument]
x = torch.randn(3, 5, 8)
packed = nn.utils.rnn.pack_padded_sequence(x, [5, 2, 0], batch_first=True)  # error: [invalid-layer-argument]
adam = torch.optim.Adam(nn.Linear(4, 2).parameters(), lr="1e-3")  # error: [invalid-layer-argument]
sgd = torch.optim.SGD(nn.Linear(4, 2).parameters(), lr=1e-3, weight_decay="1e-4")  # error: [invalid-layer-argument]
dropout = nn.Dropout("0.5")  # error: [invalid-layer-argument]
found, missed = [], []
for row in x:
    found.append(row)
rows = torch.cat(found)
rest = torch.cat(missed)  # error: [invalid-layer-argument]
```

The first argument of add_weight() is the name in Keras 2, and the shape in Keras 3:

```python keras=3.15
import keras


class Scale(keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight("scale", shape=(input_shape[-1],))  # error: [invalid-layer-argument]

    def call(self, x):
        return x * self.scale


y = Scale()(keras.ops.zeros((2, 3)))
```

The second argument of LossScaleOptimizer, from the time when it was experimental:

```python keras=2.15 tensorflow=2.15
import tensorflow as tf

inner = tf.keras.optimizers.Adam()
optimizer = tf.keras.mixed_precision.LossScaleOptimizer(inner, "dynamic")  # error: [invalid-layer-argument]
```

```python
import tensorflow as tf

optimizer = tf.keras.optimizers.Adam()
scaled = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, "dynamic")  # error: [invalid-layer-argument]
scaled.build([tf.keras.Variable([0.0, 0.0])])
```

## Use instead

```python
from keras import layers

conv = layers.Conv2D(32, 3, padding="same")
drop = layers.Dropout(0.25)
pool = layers.MaxPooling2D((2, 2))
up = layers.Conv2DTranspose(32, 3, strides=2, padding="same", output_padding=1)
x = layers.Input(shape=(8,))
```

```python
import math
import numpy as np
from tensorflow.keras import layers

shape, samples, batch_size = (28, 28, 1), 60000, 32
hidden = layers.Dense(256 // 2)
head = layers.Dense(int(np.prod(shape)), activation="sigmoid")
steps_per_epoch = math.ceil(samples / batch_size)  # revealed: 1875
```

Before Keras 3.13, `Dense(np.prod(shape))` passes, and Keras 2 takes floats for many counts:

```python keras=2.15 tensorflow=2.15
import numpy as np
from tensorflow.keras import layers

hidden = layers.Dense(256 / 2)
head = layers.Dense(np.prod((28, 28, 1)), activation="sigmoid")
```

## Fix
Safe: `"dynamic"` as the second argument of `LossScaleOptimizer`, which says what is so anyway, is left out.

## Where it fails
As the finding says, mostly with a ValueError when the layer is made; a few values are refused by some versions only.

PyTorch: ValueError "padding='same' is not supported for strided convolutions", RuntimeError "Length of all samples has
to be greater than 0, but found an element in 'lengths' that is <= 0", "`lengths` array must be sorted in decreasing
order when `enforce_sorted` is True", "expected a non-empty list of Tensors", "stack expects a non-empty TensorList".

A loss and a metric are looked up when fit() starts: ValueError "Could not interpret loss identifier: mean_sqared_error"
(Keras 3), "Unknown loss function: mean_sqared_error" (Keras 2).

## Known limits
Only values that the program fixes are judged. Where Keras also looks among the program's own objects, and in Keras 2
it always does, only what is nearly a name is told of, and nothing in a file that speaks of custom objects. Where
nothing names a version, the first call of a layer with more than tensors by position is told of, and no other.

## References
* keras/src/utils/argument_validation.py: standardize_tuple, standardize_padding
* keras/src/layers/core/dense.py: Dense.__init__; keras/src/layers/core/embedding.py: Embedding.__init__
* keras/src/backend/common/variables.py: standardize_shape
* keras/src/losses/__init__.py, metrics/__init__.py, optimizers/__init__.py, initializers/__init__.py: get
* keras/src/trainers/epoch_iterator.py: EpochIterator, whose steps are a range()
* tf_keras/src/utils/conv_utils.py: deconv_output_length
* keras/src/optimizers/base_optimizer.py: BaseOptimizer.learning_rate, which a schedule keeps from being set
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected
from cudnnlint.finding import Argument, Finding, Level, RemoveArgument
from cudnnlint.rules.fixes import safe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD702", "invalid-layer-argument", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem in (Problem.INVALID_ARGUMENT, Problem.OUTPUT_PADDING):
        found = rejection(event)
        place = event.mismatch.fact("needless")
        if place is None:
            yield found
        else:
            there = Argument(event.span, event.mismatch.argument, place)
            yield replace(found, fix=safe(f"remove {event.mismatch.argument}", RemoveArgument(there)))

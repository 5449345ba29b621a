'''An object is asked for an attribute that it does not have.

## Why is this bad?
`self.con1` where the constructor set `self.conv1` stops the program at the first call of the model, which may be after
the data are loaded. So does `model.fit_genrator()`, and a method that another kind of object has: `reshape()` is an
array's, not a tensor's, `predict()` the model's, not that of what fit() gives.

## Example

```python
import keras
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(32, 3)
        self.dense = layers.Dense(10)

    def call(self, x):
        x = self.con1(x)  # error: [unknown-attribute]
        return self.dense(x)


y = Net()(keras.Input((28, 28, 1)))
```

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)

    def forward(self, x):
        return self.hiden(x)  # error: [unknown-attribute]


y = Net()(torch.zeros(4, 8))
model = nn.DataParallel(Net())
width = model.hidden.in_features  # error: [unknown-attribute]
width = model.module.hidden.in_features
```

A part of a model or layer that nothing sets:

```python
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)

    def forward(self, x):
        return self.head(self.hidden(x))  # error: [unknown-attribute]


scores = Classifier()(torch.zeros(4, 8))
```

Tensors of TensorFlow have no items that are set:

```python
import tensorflow as tf

scores = tf.zeros((4, 10))
scores[0, 3] = 1.0  # error: [unknown-attribute]
array = scores.numpy()
array[0, 3] = 1.0
rest = tf.Variable(scores)
rest[0, 3].assign(1.0)
```

A method that nobody calls sets nothing:

```python
import tensorflow as tf


class Linear(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def _build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.units))

    def call(self, x):
        return tf.matmul(x, self.kernel)  # error: [unknown-attribute]


class Called(Linear):
    def __init__(self, units):
        super().__init__(units)
        self._make()

    def _make(self):
        self.dense = tf.keras.layers.Dense(2)

    def call(self, x):
        return self.dense(x)


x = tf.keras.Input((8,))
y = Linear(4)(x)
z = Called(4)(x)
```

Objects of the libraries:

```python
import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.complie("adam", "mse")  # error: [unknown-attribute]
model.compile("adam", "mse")
history = model.fit(np.zeros((8, 4)), np.zeros((8, 1)))
predicted = history.predict(np.zeros((2, 4)))  # error: [unknown-attribute]
rows = tf.zeros((2, 6)).reshape(3, 4)  # error: [unknown-attribute]
data = tf.data.Dataset.range(8).suffle(8)  # error: [unknown-attribute]
```

The last part of a model of torchvision, under the name that other families give it:

```python
from torch import nn
from torchvision import models

model = models.resnet50(weights="DEFAULT")
width = model.classifier.in_features  # error: [unknown-attribute]
model.classifier = nn.Linear(2048, 10)
print(model.classifier)
```

What a layer of another class has; an nn.Sequential has nothing of what its modules have:

```python
import keras
from torchvision import models

model = models.mobilenet_v2()
width = model.classifier.in_features  # error: [unknown-attribute]
width = model.classifier[1].in_feature  # error: [unknown-attribute]
width = model.classifier[1].in_features
for layer in keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Conv2D(8, 3), keras.layers.Flatten()]).layers:
    print(layer.kernel_size)  # error: [unknown-attribute]
```

An array of NumPy has nothing of tensors and lists; what predict() gives is one:

```python
import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
scores = model.predict(np.zeros((8, 4)))
best = scores.numpy().argmax(axis=-1)  # error: [unknown-attribute]
best = model(np.zeros((8, 4))).numpy().argmax(axis=-1)
scores.append(best)  # error: [unknown-attribute]
```

A list of arrays is no array, and `max()` along an axis of a tensor of PyTorch gives two tensors:

```python
import numpy as np
import torch

images = []
for _ in range(4):
    images.append(np.zeros((32, 32, 3)))
print(images.shape)  # error: [unknown-attribute]
images = np.array(images)
print(images.shape)
predicted = torch.zeros(8, 10).max(dim=1)
labels = predicted.cpu()  # error: [unknown-attribute]
labels = predicted.indices.cpu()
```

`item()` makes a number of Python of the loss, through which no gradients go:

```python
import torch
from torch import nn

loss = nn.functional.mse_loss(nn.Linear(4, 1)(torch.zeros(8, 4)), torch.zeros(8, 1))
loss.item().backward()  # error: [unknown-attribute]
total = loss.item()
total += loss.item()
total.backward()  # error: [unknown-attribute]
loss.backward()
```

With Keras 3, `input` and `output` of a Sequential are those of its own first call on a symbolic tensor, which it may
never have had; `inputs` and `outputs` are those that it was built with:

```python
import keras
from keras import layers

model = keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(8, 3, name="last"), layers.GlobalAveragePooling2D()])
maps = keras.Model(model.inputs, [model.get_layer("last").output, model.output])  # error: [unknown-attribute]
maps = keras.Model(model.inputs, [model.get_layer("last").output, model.outputs[0]])
```

## Use instead

```python
import keras
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(32, 3)
        self.dense = layers.Dense(10)

    def call(self, x):
        x = self.conv1(x)
        return self.dense(x)


y = Net()(keras.Input((28, 28, 1)))
```

```python
import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
history = model.fit(np.zeros((8, 4)), np.zeros((8, 1)))
predicted = model.predict(np.zeros((2, 4))).reshape(1, 2)
rows = tf.reshape(tf.zeros((2, 6)), (3, 4)).numpy().mean()
data = tf.data.Dataset.range(8).shuffle(8)
model.train = "of one's own"
kept = model.train
```

## Where it fails
Everywhere: AttributeError "'Net' object has no attribute 'con1'", "'Sequential' object has no attribute 'complie'",
"EagerTensor object has no attribute 'reshape'. If you are looking for numpy-related methods", "'History' object has no
attribute 'predict'", "'list' object has no attribute 'shape'". With Keras 3 only: "The layer sequential has never been
called and thus has no defined output.", in 3.3 a ValueError of that text, and "Sequential model 'sequential' has no
defined inputs yet." (run with 3.3.3, 3.15 and tf_keras 2.21).

## Known limits
Told where the program certainly comes by, of names that the module sets on no object, or only in a method that is
nearly called `build` or `__init__` and that nobody calls; of classes that are neither models nor layers only such as
are nearly one which the object has. Nothing is told of a class whose module has `setattr` or `__dict__`, nor of one
with a base that is not followed, other than those of Keras, TensorFlow and PyTorch, every name of which is known. Of
objects of the libraries: models, layers, datasets, tapes, what fit() gives, and tensors, of which only the methods that
arrays of NumPy and PyTorch have are told; nothing in a file that turns on NumPy's behaviour of tensors. Of
torchvision's models: `fc` and `classifier`. Of a library's layer: what layers of another class have, and what is nearly
a name of its own. The ends of a Sequential are told once a file where nothing names a
version.

## References
* https://docs.python.org/3/reference/datamodel.html#object.__getattr__
* tensorflow/python/framework/tensor.py: Tensor.__getattr__
* keras/src/ops/operation.py: Operation.output; keras/src/models/sequential.py: Sequential.inputs
* keras/src/layers/layer.py: Layer; torch/nn/modules/module.py: Module.__getattr__
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD714", "unknown-attribute", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NO_ATTRIBUTE:
        yield rejection(event)

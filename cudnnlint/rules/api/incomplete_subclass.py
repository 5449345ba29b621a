'''A Model or Module lacks call() or forward(), or its constructor what base and load_model() ask.

## Why is this bad?
`super().__init__()` sets up what Keras keeps of a layer; without it nothing that the constructor makes belongs to it.
What a model gives for its inputs is its method `call()`: predict(), evaluate(), a `model(x)` and a fit() without
`train_step()` all need it. For PyTorch it is `forward()`, which is easily indented into the constructor. A PyDataset or
Sequence is asked for its batches by `__getitem__()`, and by `__len__()` for how many there are.

## Example

```python
import keras
import numpy as np


class Net(keras.Model):
    def __init__(self):
        self.dense = keras.layers.Dense(4)

    def call(self, x):
        return self.dense(x)


y = Net()(np.zeros((2, 8)))  # error: [incomplete-subclass]
```

```python
import keras
import numpy as np


class Distiller(keras.Model):
    def __init__(self, student):
        super().__init__()
        self.student = student

    def train_step(self, data):
        x, y = data
        return {"loss": self.compute_loss(y=y, y_pred=self.student(x))}


student = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
distiller = Distiller(student)
distiller.compile("adam", "mse")
scores = distiller.predict(np.zeros((16, 8)))  # error: [incomplete-subclass]
```

A Sequential asks its layers for their names first:

```python
import keras
from keras import layers


class Twice(layers.Layer):
    def __init__(self, units):
        self.dense = layers.Dense(units)

    def call(self, x):
        return self.dense(x) * 2


net = keras.Sequential([keras.Input((8,)), Twice(4)])  # error: [incomplete-subclass]
```

So does a fit():

```python
import keras
import numpy as np


class Same(keras.Model):
    def __init__(self, scale):
        self.scale = scale

    def call(self, x):
        return x * self.scale


net = Same(2.0)
net.fit(np.zeros((8, 4)), np.zeros((8, 4)))  # error: [incomplete-subclass]


class Batches(keras.utils.PyDataset):
    def __getitem__(self, index):
        return np.zeros((8, 4)), np.zeros((8, 1))


model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(Batches())  # error: [incomplete-subclass]
```

`super(Scorer)` is bound to no object, its `__init__` is not that of the base:

```python
import keras
import numpy as np


class Scorer(keras.Model):
    def __init__(self):
        super(Scorer).__init__()
        self.dense = keras.layers.Dense(3)

    def call(self, x):
        return self.dense(x)


class Bound(Scorer):
    def __init__(self):
        super(Scorer, self).__init__()
        self.dense = keras.layers.Dense(3)


scores = Scorer()(np.zeros((2, 8)))  # error: [incomplete-subclass]
scores = Bound()(np.zeros((2, 8)))
```

Keras 2 takes no layer, and no list that is to hold them, before the base is set up:

```python keras=2.15 tensorflow=2.15
import tensorflow as tf
from tensorflow.keras import layers


class Early(tf.keras.Model):
    def __init__(self, units):
        self.units = units
        self.dense = layers.Dense(units)  # error: [incomplete-subclass]
        super().__init__()

    def call(self, x):
        return self.dense(x)


class Blocks(tf.keras.Model):
    def __init__(self):
        self.blocks = []
        super().__init__()  # error: [incomplete-subclass]


class Scaled(layers.Layer):
    def __init__(self):
        self.dense = layers.Dense(4)
        super().__init__()

    def call(self, x):
        return self.dense(x)


early, blocks = Early(4), Blocks()
y = Scaled()(tf.zeros((2, 8)))
```

A layer that is saved and loaded is made anew, with what was saved of it:

```python
import keras
import numpy as np
from keras import layers


@keras.saving.register_keras_serializable()
class Scale(layers.Layer):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def call(self, x):
        return x * self.factor


@keras.saving.register_keras_serializable()
class Twice(layers.Layer):
    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer

    def call(self, x):
        return self.layer(self.layer(x))


@keras.saving.register_keras_serializable()
class Shift(layers.Layer):
    def __init__(self, by, **kwargs):
        super().__init__(**kwargs)
        self.by = by

    def call(self, x):
        return x + self.by

    def get_config(self):
        return {**super().get_config(), "by": self.by}


inputs = keras.Input((8,))
scaled = keras.Model(inputs, layers.Dense(1)(Scale(2.0)(inputs)))
scaled.save("scaled.keras")
again = keras.models.load_model("scaled.keras")  # error: [incomplete-subclass]
shifted = keras.Model(inputs, layers.Dense(1)(Shift(2.0)(inputs)))
shifted.save("shifted.keras")
again = keras.models.load_model("shifted.keras")
twice = keras.Model(inputs, Twice(layers.Dense(8))(inputs))
twice.save("twice.keras")  # error: [incomplete-subclass]
```

```python
import torch
from torch import nn


class Unready(nn.Module):
    def __init__(self):
        self.linear = nn.Linear(4, 2)

    def forward(self, x):
        return self.linear(x)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

        def forward(self, x):
            return self.linear(x)


x = torch.zeros(3, 4)
inner = Inner()
y = inner(x)  # error: [incomplete-subclass]
unready = Unready()  # error: [incomplete-subclass]
z = unready(x)
```

## Use instead

```python
import keras
import numpy as np


class Distiller(keras.Model):
    def __init__(self, student):
        super().__init__()
        self.student = student

    def call(self, x):
        return self.student(x)


student = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
distiller = Distiller(student)
distiller.compile("adam", "mse")
distiller.fit(np.zeros((16, 8)), np.zeros((16, 1)))
scores = distiller.predict(np.zeros((16, 8)))
```

## Where it fails
Everywhere, when the model is called: RuntimeError "In layer 'Net', you forgot to call `super().__init__()` as the first
statement in the `__init__()` method", in Keras 2 as soon as a layer is set, "It looks like you are subclassing `Model`
and you forgot to call `super().__init__()`", in a Sequential of Keras 3 AttributeError "'Twice' object has no attribute
'name'"; NotImplementedError "When subclassing the `Model` class, you should implement a `call()` method", "Model Net
does not have a `call()` method implemented". A layer without call() gives what it is given in Keras 2. load_model() of
a constructor without `**kwargs`: TypeError "could not be deserialized properly", "Error when deserializing class",
"__init__() got an unexpected keyword argument 'trainable'", with Keras 2 only of a get_config() that has what the
base's has. save() of a layer that was given layers or tensors, without get_config(): NotImplementedError "was created
by passing non-serializable argument values in `__init__()`". Run with Keras 3.15 and tf_keras 2.21. With PyTorch
AttributeError "cannot assign module before Module.__init__() call" and NotImplementedError "Module [Inner] is missing
the required "forward" function". A PyDataset without one of its two methods, when fit() starts: NotImplementedError.

## Known limits
Classes with a base that is not known are not judged, nor a constructor that hands `self` to a function.

## References
* keras/src/ops/operation.py: Operation.get_config, Operation.from_config
* keras/src/layers/layer.py: Layer._check_super_called
* keras/src/models/model.py: Model.call
* torch/nn/modules/module.py: Module.__setattr__, _forward_unimplemented
* https://github.com/tensorflow/tensorflow/issues/43173, https://github.com/keras-team/keras/issues/15361
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD723", "incomplete-subclass", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.INCOMPLETE:
        yield rejection(event)

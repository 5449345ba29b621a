'''Something is handed to Keras that is of another kind than it takes, a class for a layer, say.

## Why is this bad?
A layer is an object that is called on tensors: `Dense` is the class, `Dense(8)` the layer and `Dense(8)(x)` its output.
Sequential takes layers, a layer takes tensors, and fit() of Keras 3 takes arrays, datasets and generators, where Keras
2 made arrays of lists as well. What is left out is often a pair of parentheses.

## Example

```python
import keras
from keras import layers

model = keras.Sequential()
model.add(layers.Input((32, 32, 3)))
model.add(layers.Conv2D(8, 3))
model.add(layers.Flatten)  # error: [unexpected-object]
```

```python
import keras
from keras import layers

inputs = keras.Input((16,))
x = layers.Dense(32, activation="relu")
outputs = layers.Dense(1)(x)  # error: [unexpected-object]
```

```python
import keras
from keras import layers

inputs = keras.Input((8, 8, 3))
x = layers.Flatten(inputs)  # error: [unexpected-object]
twice = layers.Dense(8)(inputs)(inputs)  # error: [unexpected-object]
Dense = layers.Dense(3)(inputs)
outputs = Dense(4)  # error: [unexpected-object]
model = keras.Sequential
model.add(layers.Dense(3))  # error: [unexpected-object]
stack = keras.Sequential(layers.Dense(3), layers.Dense(1))  # error: [unexpected-object]
```

PyTorch's chain takes its modules one by one:

```python
from torch import nn

modules = [nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)]
chain = nn.Sequential(modules)  # error: [unexpected-object]
chain = nn.Sequential(*modules)
```

Its modules take tensors alone:

```python
import numpy as np
import torch
from torch import nn

net, rows = nn.Linear(8, 2), np.random.rand(16, 8).astype("float32")
scores = net(rows)  # error: [unexpected-object]
scores = net(torch.from_numpy(rows))
```

```python
import keras
from keras import layers

first, second = keras.Input((4,)), keras.Input((4,))
both = layers.Concatenate()([first, layers.Dense(4)])  # error: [unexpected-object]
turned = layers.Bidirectional(layers.LSTM)  # error: [unexpected-object]
model = keras.Sequential([layers.Dense(4), layers.Dense(2)(first)])  # error: [unexpected-object]
late = keras.Sequential([layers.Dense(4), keras.Input((8,))])  # error: [unexpected-object]
```

`tf.map_fn` expects as many results as it goes through, unless it is told what it makes:

```python
import tensorflow as tf

left, right = tf.zeros((8, 3)), tf.zeros((8, 3))
dots = tf.map_fn(lambda pair: tf.reduce_sum(pair[0] * pair[1]), (left, right))  # error: [unexpected-object]
told = tf.map_fn(lambda pair: tf.reduce_sum(pair[0] * pair[1]), (left, right), fn_output_signature=tf.float32)
```

A tape wants the loss first, and then variables; an optimizer pairs of a gradient and its variable:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
optimizer, x, y = tf.keras.optimizers.SGD(), tf.zeros((16, 3)), tf.zeros((16, 1))
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_mean((model(x) - y) ** 2)
of_model = tape.gradient(loss, model)  # error: [unexpected-object]
turned = tape.gradient(model.trainable_variables, loss)  # error: [unexpected-object]
grads = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(grads)  # error: [unexpected-object]
optimizer.apply_gradients(zip(model.trainable_variables, grads))  # error: [unexpected-object]
optimizer.apply_gradients(zip(grads, model.trainable_variables))
```

Of two models under one step, the gradients of one do not fit the variables of the other, unless it is a copy:

```python
import tensorflow as tf

critic = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)])
generator = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(16)])
slow = tf.keras.models.clone_model(critic)
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(critic(generator(tf.zeros((32, 4)))))
grads = tape.gradient(loss, critic.trainable_variables)
optimizer = tf.keras.optimizers.Adam()
optimizer.apply_gradients(zip(grads, generator.trainable_variables))  # error: [unexpected-object]
optimizer = tf.keras.optimizers.Adam()
optimizer.apply_gradients(zip(grads, slow.trainable_variables))
```

Lists of numbers, which Keras 2 made arrays of, and a generator's function that is not called:

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
x = np.zeros((3, 2))


def batches():
    while True:
        yield x, np.zeros((3, 1))


model.fit([[0, 0], [0, 1], [1, 1]], [0, 1, 1])  # error: [unexpected-object]
model.fit(x, [0, 1, 1])  # error: [unexpected-object]
model.predict([[0, 1]])  # error: [unexpected-object]
model.fit(x, np.zeros((3, 1)).tolist())  # error: [unexpected-object]
model.fit(x, list(np.zeros(3)))  # error: [unexpected-object]
model.fit(x, np.zeros(3), validation_data=(x, [0, 1, 1]))  # error: [unexpected-object]
model.fit(batches, steps_per_epoch=10)  # error: [unexpected-object]
```

Keras 3 tells generators from other iterators, which Keras 2 took, images zipped with masks above all:

```python
import keras
import numpy as np


def pictures(channels):
    while True:
        yield np.zeros((8, 32, 32, channels))


model = keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Conv2D(1, 3, padding="same")])
model.compile("adam", "mse")
pairs = zip(pictures(3), pictures(1))
model.fit(pairs, steps_per_epoch=2)  # error: [unexpected-object]
model.fit((pair for pair in pairs), steps_per_epoch=2)
```

A dataset calls the function that makes a generator, once for each pass:

```python
import tensorflow as tf


def rows(count):
    for number in range(count):
        yield float(number)


spec = tf.TensorSpec((), tf.float32)
ds = tf.data.Dataset.from_generator(rows(8), output_signature=spec)  # error: [unexpected-object]
ds = tf.data.Dataset.from_generator(lambda: rows(8), output_signature=spec)
ds = tf.data.Dataset.from_generator(rows, args=(8,), output_signature=spec)
```

The metrics of compile() are a list, callbacks are objects:

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("adam", "mse", metrics="mae")  # error: [unexpected-object]
model.compile("adam", "mse", metrics=keras.metrics.MeanAbsoluteError())  # error: [unexpected-object]
model.compile(keras.optimizers.Adam, "mse")  # error: [unexpected-object]
model.compile("adam", "mse")
x, y = np.zeros((8, 2)), np.zeros((8, 1))
model.fit(x, y, callbacks=[keras.callbacks.EarlyStopping])  # error: [unexpected-object]


def halved(epoch, rate):
    return rate * 0.5


model.fit(x, y, callbacks=[halved])  # error: [unexpected-object]
model.fit(x, y, callbacks=[keras.callbacks.LearningRateScheduler(halved)])


class Stop(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.stop_training = logs["loss"] < 0.1


model.fit(x, y, callbacks=[Stop])  # error: [unexpected-object]
```

A function that makes a loss is called first:

```python
import keras
import numpy as np
from keras import ops


def focal_loss(gamma=2.0, alpha=0.25):
    def loss(y_true, y_pred):
        right = ops.where(ops.equal(y_true, 1), y_pred, 1 - y_pred)
        return -ops.mean(alpha * ops.power(1 - right, gamma) * ops.log(right))
    return loss


x, y = np.zeros((8, 2)), np.zeros((8, 1))
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", loss=focal_loss)
model.fit(x, y)  # error: [unexpected-object]
model.compile("adam", loss=focal_loss())
model.fit(x, y)
```

Both ends of a functional model are given, and are tensors, and tf.data takes one structure of arrays:

```python
import numpy as np
import tensorflow as tf
from keras import Input, Model, layers

inputs = Input((16,))
model = Model(inputs, layers.Dense(1))  # error: [unexpected-object]
model = Model(layers.Dense(1)(inputs))  # error: [unexpected-object]
x, y = np.zeros((64, 16)), np.zeros((64, 1))
pairs = tf.data.Dataset.from_tensor_slices(x, y)  # error: [unexpected-object]
```

A recurrent module of PyTorch gives a pair, which no module takes:

```python
import torch
from torch import nn

model = nn.Sequential(
    nn.LSTM(8, 16, batch_first=True),
    nn.Linear(16, 2),  # error: [unexpected-object]
)
y = model(torch.zeros(3, 5, 8))
```

Of a packed sequence it gives one, an LSTM starts from a pair, a GRU from one tensor, and a DataLoader is no iterator:

```python
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data import DataLoader, TensorDataset

x, h, c = torch.zeros(3, 5, 8), torch.zeros(1, 3, 16), torch.zeros(1, 3, 16)
lstm, gru, head = nn.LSTM(8, 16, batch_first=True), nn.GRU(8, 16, batch_first=True), nn.Linear(16, 2)
output, state = lstm(x, h)  # error: [unexpected-object]
output, state = gru(x, (h, c))  # error: [unexpected-object]
output, state = lstm(pack_padded_sequence(x, [5, 4, 2], batch_first=True), (h, c))
scores = head(output)  # error: [unexpected-object]
scores = head(output.data)
loader = DataLoader(TensorDataset(x), batch_size=2)
first = next(loader)  # error: [unexpected-object]
batches = iter(loader)
first = next(batches)
```

An nn.ModuleList only holds modules, a parameter is an nn.Parameter, and what an optimizer trains is not calculated:

```python
import torch
from torch import nn

stages = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
y = stages(torch.zeros(4, 8))  # error: [unexpected-object]
stages[0].weight = torch.eye(8) * 0.5  # error: [unexpected-object]
image = torch.rand(3, 64, 64, requires_grad=True) * 0.1
optimizer = torch.optim.Adam([image])  # error: [unexpected-object]
```

What is an attribute, and called; and a loss in the optimizer's place:

```python
import keras
import numpy as np
from keras import layers

x = np.zeros((8, 4))
rows, columns = x.shape()  # error: [unexpected-object]
rows = x.size()  # error: [unexpected-object]
model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
first = model.layers()[0]  # error: [unexpected-object]
model.compile(keras.losses.MeanSquaredError())  # error: [unexpected-object]
```

A list of numbers or an array, where a format writes one number:

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("adam", "mse", metrics=["mae"])
history = model.fit(np.zeros((8, 4)), np.zeros((8, 1)))
scores = model.evaluate(np.zeros((8, 4)), np.zeros((8, 1)))
print("error: %.3f" % scores)  # error: [unexpected-object]
print("error: %.3f" % scores[1])
print(f"loss: {history.history['loss']:.3f}")  # error: [unexpected-object]
print(f"loss: {history.history['loss'][-1]:.3f}")
```

```python
import torch

loss = torch.zeros(4, 8).pow(2).mean(dim=1)
print("loss: " + loss.mean())  # error: [unexpected-object]
print("loss: {:.3f}".format(loss))  # error: [unexpected-object]
print("loss: {:.3f}".format(loss.mean()), loss)
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

inputs = keras.Input((16,))
x = layers.Dense(32, activation="relu")(inputs)
model = keras.Model(inputs, layers.Dense(1)(x))
model.compile(keras.optimizers.Adam(), "mse", metrics=["mae"])
stack = keras.Sequential([layers.Input((32, 32, 3)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(1)])
small = keras.Sequential([keras.Input((2,)), layers.Dense(1)])
small.compile("adam", "mse")


def batches():
    while True:
        yield np.zeros((3, 2)), np.zeros((3, 1))


small.fit(np.array([[0, 0], [0, 1], [1, 1]]), np.array([0, 1, 1]))
small.fit(batches(), steps_per_epoch=10)
small.fit([np.zeros((3, 2))], [np.zeros((3, 1))])
```

## Fix
Unsafe: an iterator that fit() does not take is wrapped into a generator, `(batch for batch in zip(images, masks))`.

## Where it fails
Everywhere, when the call is made: ValueError "Only instances of `keras.Layer` can be added to a Sequential model" or
TypeError "The added layer must be an instance of class Layer"; ValueError "Only input tensors may be passed as
positional arguments", in Keras 2 TypeError "Inputs to a layer should be tensors" or ValueError "Layer dense was called
with an input that isn't a symbolic tensor"; ValueError "Unrecognized data type: x=... (of type <class 'function'>)",
in Keras 2 "Failed to find data adapter that can handle input". With Keras 3 only, lists of numbers, "Unrecognized
data type: x=[[0, 1]] (of type <class 'list'>)" (Keras 2 takes them if both, inputs and labels, are lists), of those of
NumPy IndexError "tuple index out of range", iterators, "x=<zip object at 0x7f05cf4c0640> (of type <class
'zip'>)", one metric that is no list, "Expected `metrics` argument to be a list, tuple, or dict", and an Input that is
not the first of a Sequential, "Layer InputLayer has no positional arguments", "has already been configured to use input
shape". "Could not interpret optimizer identifier: <class 'Adam'>" is what the class of an optimizer gives. Run with
Keras 3.15 and tf_keras 2.21. TypeError "'KerasTensor' object is not callable", "missing a required argument: 'inputs'",
"Callback.set_model() missing 1 required positional argument", AttributeError "'function' object has no attribute
'set_model'"; what the constructor of a layer says of a tensor goes by
the argument: "The `data_format` argument must be one of", "Iterating over a symbolic KerasTensor is not supported";
from_generator() says TypeError "`generator` must be a Python callable". Of
a function that a loss or metric gives: TypeError "Expected float32, but got <function loss at 0x7f7e601d4720> of type
'function'".

PyTorch: TypeError "linear(): argument 'input' (position 1) must be Tensor, not tuple", AttributeError "'tuple' object
has no attribute 'dim'", NotImplementedError "Module [ModuleList] is missing the required "forward" function", TypeError
"cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)", ValueError "can't
optimize a non-leaf Tensor", TypeError "'DataLoader' object is not an iterator". Run with torch 2.13 and 2.14.

```python keras=2.15 tensorflow=2.15
from tensorflow import keras

model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("adam", "mse", metrics="mae")
model.fit([[0, 0], [0, 1], [1, 1]], [0, 1, 1])
model.predict([[0, 0], [0, 1]])
```

## Known limits
Layers that prepare data take strings and lists, and are not judged, nor is what is given to layers of the program's
own.

## References
* keras/src/models/sequential.py: Sequential.add
* torch/nn/modules/rnn.py: LSTM.forward; module.py: Module.__setattr__; torch/optim/optimizer.py: add_param_group
* keras/src/layers/layer.py: Layer.__call__
* keras/src/trainers/data_adapters/__init__.py: get_data_adapter
* keras/src/trainers/compile_utils.py: CompileMetrics.__init__
* tf_keras/src/engine/input_spec.py: assert_input_compatibility
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD721", "unexpected-object", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNEXPECTED:
        yield rejection(event)

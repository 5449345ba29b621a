'''A layer, fit() or a function of the program gets an argument it does not have, or misses one.

## Why is this bad?
Keras refuses keyword arguments that it does not know. They come from typing errors, from other versions (Keras 3 has
some that Keras 2 has not, Keras 2 renamed those of Keras 1), and from texts that invent them: no layer lets you choose
cuDNN's algorithm.

## Example

```python
import tensorflow as tf

conv = tf.keras.layers.Conv2D(32, 3, convolution_algorithm="gemm")  # error: [unknown-layer-argument]
dense = tf.keras.layers.Dense(10, activaton="relu")  # error: [unknown-layer-argument]
pool = tf.keras.layers.AveragePooling2D()  # error: [unknown-layer-argument]
```

```python
import keras
from keras import layers

model = keras.Sequential([keras.Input((8,)), layers.Dense(1)])
model.compile(optimiser="adam", loss="mse")  # error: [unknown-layer-argument]
model.fit(data, per_gpu=2)  # error: [unknown-layer-argument]
```

The `call()` of a layer of your own may need an argument too. Keras 2 filled in `training`; Keras 3 does so only where
it has a default:

```python
from keras import Input, layers

class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.dropout = layers.Dropout(0.1)

    def call(self, inputs, training):
        return self.dropout(inputs, training=training)

x = Input((4,))
y = Block()(x)  # error: [unknown-layer-argument]
z = Block()(x, training=True)
```

What the `__init__` of such a class does not name and hands on, the library's has to take:

```python
import tensorflow as tf


class Squeeze(tf.keras.layers.Layer):
    def __init__(self, ratio=8, **kwargs):
        super().__init__(**kwargs)
        self.ratio = ratio

    def call(self, x):
        return x * tf.reduce_mean(x, axis=[1, 2], keepdims=True)


config = {"reduction": 4, "name": "squeeze"}
y = Squeeze(**config)(tf.zeros((1, 8, 8, 16)))  # error: [unknown-layer-argument]
z = Squeeze(ratio=4, name="squeeze", dtype="float32", trainable=False)(tf.zeros((1, 8, 8, 16)))
```

`add_weight()` of a layer of your own takes what it names, and no more:

```python
import tensorflow as tf


class Scale(tf.keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight(name="scale", shape=(1,), reguarizer="l2")  # error: [unknown-layer-argument]
        self.shift = self.add_weight(name="shift", shape=(1,), regularizer="l2")

    def call(self, x):
        return x * self.scale + self.shift


y = Scale()(tf.ones((2, 3)))
```

What one version lacks a later one may have (what an earlier one had is a removed-argument):

```python keras=2.15 tensorflow=2.15
import tensorflow as tf

norm = tf.keras.layers.BatchNormalization(fused=True)
lstm = tf.keras.layers.LSTM(8, use_cudnn=True)  # error: [unknown-layer-argument]
```

```python keras=3.15
from keras import layers

lstm = layers.LSTM(8, use_cudnn=True)
```

What is defined in the program is held to its own parameters:

```python
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self, units):
        super().__init__()
        self.dense = tf.keras.layers.Dense(units)

    def call(self, x):
        return self.dense(x)


def mse(y, predicted, scale):
    return scale * tf.reduce_mean((y - predicted) ** 2)


x = tf.ones((2, 8))
net = Net()  # error: [unknown-layer-argument]
net = Net(4)
y = net(x, temperature=2.0)  # error: [unknown-layer-argument]
scaled = mse(y, net(x, training=True), scales=1.0)  # error: [unknown-layer-argument]
loss = mse(y, y)  # error: [unknown-layer-argument]
twice = mse(y, y, 2.0, y_true=y)  # error: [unknown-layer-argument]
```

fit() gives a model's call() all inputs as one:

```python
import numpy as np
import tensorflow as tf


class Pair(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.score = tf.keras.layers.Dense(1)

    def call(self, left, right, training=None):  # error: [unknown-layer-argument]
        return self.score(tf.concat([left, right], axis=1))


left, right = np.zeros((8, 3), "float32"), np.zeros((8, 2), "float32")
model = Pair()
y = model(left, right)
model.compile("adam", "mse")
model.fit([left, right], np.zeros((8, 1)))
```

So is what fit() and its kin call, a loss or metric with labels and output, a callback with an epoch or batch and logs:

```python
import numpy as np
import tensorflow as tf


class Dots(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch):  # error: [unknown-layer-argument]
        print(".", end="")

    def on_train_end(self, logs=None):
        print()


def weighted(y_true, y_pred, weight):  # error: [unknown-layer-argument]
    return weight * tf.square(y_true - y_pred)


def scaled(y_true, y_pred, scale=0.5):
    return scale * tf.square(y_true - y_pred)


model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
model.compile("adam", weighted, metrics=[scaled])
model.fit(np.zeros((8, 3)), np.zeros((8, 1)), callbacks=[Dots()])
```

What every release of TensorFlow, Keras, NumPy and PyTorch lacks, functions, classes and methods:

```python
import numpy as np
import tensorflow as tf

x = np.zeros((8, 3))
both = np.vstack(x, x)  # error: [unknown-layer-argument]
rows = np.expand_dims(x)  # error: [unknown-layer-argument]
mean = np.mean(x, dim=0)  # error: [unknown-layer-argument]
y = tf.concat([x, x])  # error: [unknown-layer-argument]
z = tf.matmul(x, y, transpose_B=True)  # error: [unknown-layer-argument]
rows = tf.data.Dataset.from_tensor_slices(x).batch(4, drop_last=True)  # error: [unknown-layer-argument]
stop = tf.keras.callbacks.EarlyStopping(monitors="val_loss")  # error: [unknown-layer-argument]
loss = tf.keras.losses.BinaryCrossentropy(from_logit=True)  # error: [unknown-layer-argument]
```

And of PyTorch, whose `forward()` gets what the module is given:

```python
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 3)

    def forward(self, x):
        return F.softmax(self.linear(x), axis=1)  # error: [unknown-layer-argument]


x, y = torch.zeros(4, 8), torch.zeros(4, dtype=torch.long)
scores = nn.Linear(8, 3)(x)
loss = nn.CrossEntropyLoss()(scores)  # error: [unknown-layer-argument]
loss = nn.CrossEntropyLoss()(scores, y)
output = Net()(x, y)  # error: [unknown-layer-argument]
output = Net()(x)
torch.save(Net().state_dict())  # error: [unknown-layer-argument]
scaled = torch.nn.utils.clip_grad_norm_(Net().parameters(), max=1.0)  # error: [unknown-layer-argument]
mean = x.mean(axes=1)  # error: [unknown-layer-argument]
mean = x.mean(axis=1)
```

A scheduler that is not told when, or for how long:

```python
import torch
from torch.optim import lr_scheduler

optimizer = torch.optim.SGD(torch.nn.Linear(8, 3).parameters(), lr=0.1)
by_steps = lr_scheduler.StepLR(optimizer, gamma=0.5)  # error: [unknown-layer-argument]
cosine = lr_scheduler.CosineAnnealingLR(optimizer, eta_min=1e-5)  # error: [unknown-layer-argument]
one_cycle = lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, epochs=10)  # error: [unknown-layer-argument]
one_cycle = lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, epochs=10, steps_per_epoch=50)
```

And a callback that is not told where to save:

```python
from tensorflow import keras

best = keras.callbacks.ModelCheckpoint(save_best_only=True)  # error: [unknown-layer-argument]
best = keras.callbacks.ModelCheckpoint("best.keras", save_best_only=True)
```

An argument that PyTorch's schedulers had until 2.7:

```python
import torch

optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(3))], lr=0.1)
slower = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "min", verbose=True)  # error: [unknown-layer-argument]
slower = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "min", patience=3)
```

## Use instead

```python
import tensorflow as tf

conv = tf.keras.layers.Conv2D(32, 3, activation="relu")
pool = tf.keras.layers.AveragePooling2D(2)
```

## Fix
Safe: an argument of Keras 1 that has only got another name is renamed (`nb_epoch` to `epochs`, `border_mode` to
`padding`, `W_regularizer` to `kernel_regularizer`, `p` to `rate`, ...), one that nothing takes is removed
(`convolution_algorithm`, `use_gpu`, ...). Unsafe: a mistyped name becomes the nearest that the layer has.

## Where it fails
Everywhere, when the layer is made or the method called. Layers: TypeError "Keyword argument not understood:" (Keras 2),
ValueError "Unrecognized keyword arguments passed to Conv2D" (Keras 3). Optimizers of Keras 3: ValueError "Argument(s)
not recognized: {'esplon': 1e-08}". Methods, functions, classes of the program's own, and arguments that are missing:
TypeError "__init__() got an unexpected keyword argument 'unit'", "missing 1 required positional argument", "forward()
takes 2 positional arguments but 3 were given"; of a call() with a parameter for each input, in fit(), TypeError
"missing a required argument: 'y'" (Keras 3), "call() missing 1 required positional argument: 'y'" (Keras 2).
OneCycleLR: ValueError "You must define either total_steps OR (epochs AND steps_per_epoch)".

## Known limits
Arguments that come out of a dict that is not known (`**config`) are not judged, nor are those of layers that this
version of cudnnlint has no model of. Functions, classes and methods of the libraries are held to what any release takes
that was read, from Keras 2.0, TensorFlow 1.15, PyTorch 1.1 and NumPy 1.16 on; those that take any keyword are silent.

## References
* keras/src/layers/layer.py: Layer.__init__
* tf_keras/src/engine/base_layer.py: Layer.__init__ (allowed_kwargs)
* cudnnlint/facts/signatures.txt, generated by `python -m cudnnlint.devtools.signatures`
'''

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from cudnnlint.events import Rejected
from cudnnlint.finding import Argument, Finding, Level, Recipe, RemoveArgument, RenameArgument
from cudnnlint.rules.fixes import safe, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import enumerated, is_removed, missing, refused_class, spoken
from cudnnlint.values import Problem
from cudnnlint.values.stack import dotted


@rule("CUD701", "unknown-layer-argument", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNKNOWN_ARGUMENT and not is_removed(event):
        yield event.finding(_message(event), help=_help(event, event.mismatch.argument), fix=_fix(event),
                            fails=f"{_stacks(event)}, {_moment(event)}: {_error(event)}")
    elif event.mismatch.problem is Problem.MISSING_ARGUMENT:
        names = event.mismatch.fact("lacking") or (event.mismatch.argument,)
        told = enumerated(names)
        yield event.finding(f"{event.what} needs the argument{'s' * (len(names) > 1)} {told}",
                            help=event.mismatch.help or f"give {told}",
                            fails=f"{_lacking(event)}: {event.mismatch.error or missing(event, names)}")


def _lacking(event: Rejected) -> str:
    """A layer's call() may lack one as well; Keras 2 fills some of those in, and pools by 2 where it is not told."""
    called = event.layer is not None and event.stage == "call"
    where = "with Keras 3" if event.mismatch.where.keras == ">=3" else "everywhere"
    return f"{where}, {'when the layer is called' if called else _moment(event)}"


def _message(event: Rejected) -> str:
    name, versions = event.mismatch.argument, event.mismatch.fact("versions")
    if not name or event.mismatch.fact("twice"):
        return event.mismatch.message
    if versions:
        return f"{event.what} has no argument {name} in Keras {dotted(event.stack.keras)}"
    if event.mismatch.where.torch:
        return f"{event.what} has no argument {name} in PyTorch {dotted(event.stack.torch)}"
    return f"{event.what} has no argument {name}"


def _stacks(event: Rejected) -> str:
    """Some versions have the argument, or take any: then only the one at hand is spoken of."""
    if event.mismatch.where.torch:
        return f"with PyTorch {spoken(event.mismatch.where.torch)}"
    some = event.mismatch.fact("versions") or event.mismatch.where.keras
    return f"with Keras {dotted(event.stack.keras)}" if some else "everywhere"


def _moment(event: Rejected) -> str:
    if event.layer is None and event.stage == "called":
        return "when it is called"
    return "when the layer is made" if event.layer is not None else f"in {event.what.rpartition('.')[2]}()"


def _error(event: Rejected) -> str:
    name = event.mismatch.argument
    if not name:
        return 'TypeError "takes ... positional arguments"' if not event.mismatch.error else event.mismatch.error
    if event.mismatch.fact("twice"):
        return event.mismatch.error or f"TypeError \"got multiple values for argument '{name}'\""
    if event.stage == "compile" and event.stack.keras < (3,):
        return 'TypeError "Invalid keyword argument(s) in `compile()`"'
    if event.stage == "add_weight" and event.stack.keras < (3,):
        return f"TypeError \"('Unknown keyword argument:', '{name}')\""
    if event.layer is None or event.layer.path.startswith("torch."):
        return event.mismatch.error or f"TypeError \"got an unexpected keyword argument '{name}'\""
    if lacking := event.mismatch.fact("lacking"):
        return missing(event, lacking)
    if event.stack.keras >= (3,):
        return f'ValueError "Unrecognized keyword arguments passed to {refused_class(event)}"'
    return f"TypeError \"('Keyword argument not understood:', '{name}')\""


ALGORITHM = ("no layer chooses cuDNN's algorithm: TensorFlow times them and takes the fastest; leave it out "
             "(TF_CUDNN_USE_AUTOTUNE=0 turns the timing off)")
FOLK = {
    "convolution_algorithm": ALGORITHM, "cudnn_algorithm": ALGORITHM, "conv_algorithm": ALGORITHM, "algo": ALGORITHM,
    "algorithm": ALGORITHM, "cudnn_conv_algorithm": ALGORITHM,
    "use_cudnn_on_gpu": "an argument of TensorFlow 1's tf.nn.conv2d only; leave it out",
    "cudnn_benchmark": "a PyTorch setting (torch.backends.cudnn.benchmark); leave it out",
    "use_gpu": "TensorFlow uses the GPU that it sees; leave it out",
    "per_gpu": "use tf.distribute.MirroredStrategy, whose batch_size is the global one",
    "dim_ordering": "write data_format", "init": "write kernel_initializer",
    "samples_per_epoch": "write steps_per_epoch, in batches",
}
"""Arguments that people paste from elsewhere -> what to do instead."""
RENAMED = {
    "nb_epoch": "epochs", "nb_classes": "num_classes", "nb_filter": "filters", "border_mode": "padding",
    "subsample": "strides", "output_dim": "units",
    "W_regularizer": "kernel_regularizer", "b_regularizer": "bias_regularizer", "W_constraint": "kernel_constraint",
    "b_constraint": "bias_constraint", "U_regularizer": "recurrent_regularizer",
    "inner_activation": "recurrent_activation", "bias": "use_bias", "p": "rate", "learning_rate": "lr",
    "epsilon": "eps", "axis": "dim",
    "dropout_W": "dropout", "dropout_U": "recurrent_dropout",
}
"""Arguments of Keras 1 -> what they have been called since, with the same values (keras 2.0 legacy/interfaces.py),
and of Keras -> what PyTorch calls them."""


OF_INNER = frozenset({"return_sequences", "return_state", "stateful", "units", "activation", "dropout",
                      "recurrent_dropout", "go_backwards", "filters", "kernel_size", "strides", "padding"})
"""Arguments of layers that are wrapped, which are given to the wrapper."""


def _fix(event: Rejected) -> Recipe | None:
    """What has another name, what is mistyped, what no layer has."""
    name, known = event.mismatch.argument, event.mismatch.fact("parameters") or ()
    if not name or event.mismatch.fact("twice") or event.mismatch.fact("versions"):
        return None
    there = Argument(event.span, name)
    near = _near(name, known)
    if RENAMED.get(name) in known:
        return safe(f"write {RENAMED[name]} instead of {name}", RenameArgument(there, RENAMED[name]))
    if near:
        return unsafe(f"write {near} instead of {name}", RenameArgument(there, near))
    if FOLK.get(name, "").partition(" (")[0].endswith("leave it out") or event.mismatch.help.startswith("leave it out"):
        return safe(f"remove {name}", RemoveArgument(there))
    return None


def _near(name: str, known: Sequence[str]) -> str:
    if name in RENAMED or name in FOLK:
        return ""
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.75)), "")


def _help(event: Rejected, name: str) -> str:
    known = event.mismatch.fact("parameters") or ()
    versions = event.mismatch.fact("versions")
    if event.mismatch.fact("twice"):
        return f"give {name} once"
    near = _near(name, known)
    advice = [f"did you mean {near}?"] if near else []
    if RENAMED.get(name) in known:
        advice = [f"write {RENAMED[name]}"]
    elif name in FOLK:
        advice = [FOLK[name]]
    elif name in OF_INNER and event.what.rpartition(".")[2] in ("Bidirectional", "TimeDistributed"):
        advice = [f"give {name} to the layer within"]
    if versions:
        advice.append(f"Keras {spoken(versions)} has it")
    if not advice and (event.mismatch.help or not name):
        advice = [event.mismatch.help or "name the arguments"]
    if not advice and (own := event.mismatch.fact("own")):
        base = event.mismatch.fact("base")
        advice = [f"its __init__ takes {', '.join(own)}, and hands what else it is given on to {base}"]
    return "; ".join(advice)

'''The loss repeats labels along an axis in which the model's output has more numbers.

## Why is this bad?
`mse` and its kin broadcast: labels of shape (n, 1) against an output of (n, 4) are compared with each of the four
units, which all learn the same number, and nothing is said. What is meant is one unit, four columns of labels, or a
last recurrent layer without return_sequences.

## Example

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((20,)), layers.Dense(32, activation="relu"), layers.Dense(4)])
model.compile("adam", "mse")
model.fit(np.zeros((100, 20)), np.zeros((100, 1)))  # error: [broadcast-labels]
```

```python
import keras
import numpy as np
from keras import layers

inputs = keras.Input((10, 3))
outputs = layers.Dense(1)(layers.LSTM(16, return_sequences=True)(inputs))
model = keras.Model(inputs, outputs)
model.compile("adam", keras.losses.MeanAbsoluteError())
model.fit(np.zeros((64, 10, 3)), np.zeros((64, 1)))  # error: [broadcast-labels]
```

Labels of shape (n,) are not repeated for each step then, but each step is compared with the labels of all samples in
the batch, in Keras 2 and 3:

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((10, 3)), layers.LSTM(16, return_sequences=True), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((64, 10, 3)), np.zeros(64))  # error: [broadcast-labels]
data = keras.utils.timeseries_dataset_from_array(np.zeros((64, 3)), np.zeros(64), sequence_length=10)
model.fit(data)  # error: [broadcast-labels]
```

In Keras 2 also the crossentropies, of labels that a generator or Sequence gives: the iterators of ImageDataGenerator
give a column for each class unless `class_mode="binary"` is asked for, and one unit meets both.

```python keras=2.15 tensorflow=2.15
from tensorflow.keras import layers, models
from tensorflow.keras.preprocessing.image import ImageDataGenerator

train = ImageDataGenerator(rescale=1 / 255).flow_from_directory("data/train", target_size=(64, 64))
model = models.Sequential([layers.Conv2D(8, 3, input_shape=(64, 64, 3)), layers.Flatten(),
                           layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(train)  # error: [broadcast-labels]
binary = ImageDataGenerator(rescale=1 / 255).flow_from_directory("data/train", (64, 64), class_mode="binary")
model.fit(binary)
```

In PyTorch an output of shape (n, 1) against targets of shape (n,) becomes (n, n): every output is compared with the
targets of all rows, and the best that can be learned is their mean.

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(320, 13), torch.randn(320))
model, loss_fn = nn.Linear(13, 1), nn.MSELoss()
for x, y in DataLoader(data, batch_size=32):
    loss = loss_fn(model(x), y)  # error: [broadcast-labels]
    loss = nn.L1Loss()(y, model(x))  # error: [broadcast-labels]
```

A loss that the program writes out: (n, 1) minus (n,) is a table of each prediction against every label.

```python
import numpy as np
import tensorflow as tf

x, y = np.random.rand(128, 4).astype("float32"), np.random.rand(128).astype("float32")
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.01)
for rows, labels in tf.data.Dataset.from_tensor_slices((x, y)).batch(32):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(rows, training=True) - labels))  # error: [broadcast-labels]
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
```

```python
import numpy as np
import tensorflow as tf


class Regressor(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)

    def call(self, x):
        return self.out(self.hidden(x))


x, y = np.random.rand(128, 4).astype("float32"), np.random.rand(128).astype("float32")
model = Regressor()
for rows, labels in tf.data.Dataset.from_tensor_slices((x, y)).batch(32):
    loss = tf.reduce_mean((model(rows, training=True) - labels) ** 2)  # error: [broadcast-labels]
    loss = tf.reduce_mean((model(rows, training=True)[:, 0] - labels) ** 2)

played = [(np.random.rand(4).astype("float32"), float(np.random.rand())) for _ in range(300)]
states, returns = map(np.asarray, zip(*played))
error = returns.astype("float32") - model(states)  # error: [broadcast-labels]
```

## Use instead

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(320, 13), torch.randn(320))
model, loss_fn = nn.Linear(13, 1), nn.MSELoss()
for x, y in DataLoader(data, batch_size=32):
    loss = loss_fn(model(x).squeeze(1), y)
    loss = loss_fn(model(x), y.unsqueeze(1))
    loss = loss_fn(model(x), torch.zeros(1))
```

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((20,)), layers.Dense(32, activation="relu"), layers.Dense(4)])
model.compile("adam", "mse")
model.fit(np.zeros((100, 20)), np.zeros((100, 4)))

inputs = keras.Input((10, 3))
model = keras.Model(inputs, layers.Dense(1)(layers.LSTM(16)(inputs)))
model.compile("adam", "mae")
model.fit(np.zeros((64, 10, 3)), np.zeros((64, 1)))
```

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
rows, labels = tf.zeros((32, 4)), tf.zeros((32,))
with tf.GradientTape() as tape:
    scores = model(rows)
    loss = tf.reduce_mean(tf.square(scores[:, 0] - labels))
    each_against_each = scores - tf.squeeze(scores, -1)
```

## Fix
Unsafe, since another shape may be meant: of PyTorch's losses, what has the shape (n, 1) gets `.squeeze(1)`.

## Where it fails
Nowhere: training goes on, to no use. With Keras 3.15 and tf_keras 2.21, as 17 losses over 70 pairs of shapes were run.
Keras 3 refuses what its crossentropies would have to repeat; Keras 2 does so for arrays and tf.data, not for generators
and Sequences, of whose arrays it takes the rank alone (run with tf_keras 2.21).
PyTorch says 'UserWarning "Using a target size (torch.Size([32])) that is different to the input size (torch.Size([32,
1])). This will likely lead to incorrect results due to broadcasting"'. A linear problem of variance 51.6 that is
learned to an error of 0.0000001 stays at one of 49.5 with it (PyTorch 2.13, 30 epochs, the same seed).

## Known limits
Of a loss of the user's own only the difference between what a layer of Keras gave, (n, 1), and labels of shape (n,) is
judged, and nothing that Keras stretches along the batch otherwise. Of PyTorch's MSELoss, L1Loss, SmoothL1Loss and
HuberLoss only what repeats both the output and the targets is told.

## References
* keras/src/losses/losses.py: mean_squared_error, mean_absolute_error
* keras/src/losses/loss.py: squeeze_or_expand_to_same_rank
* tf_keras/src/engine/data_adapter.py: GeneratorDataAdapter._get_tensor_spec
* torch/nn/functional.py: mse_loss, l1_loss, smooth_l1_loss, huber_loss
* https://stackoverflow.com/questions/63859629, https://stackoverflow.com/questions/62643682
'''

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import FunctionApplied, LossCalled, TrainingStarted, tensors
from cudnnlint.events.losses import TargetsCompared
from cudnnlint.finding import Argument, Finding, Level, Recipe, WrapArgument
from cudnnlint.rules.ancestry import LONGEST, is_layer
from cudnnlint.rules.comparisons import METHODS, Case, cases_of, cases_of_fit
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.labels import gives_steps, help_of, trace_of
from cudnnlint.rules.losses import crosses
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Shape, Tensor, Unknown

DIFFERENCES = ("operator.-", "tensorflow.subtract", "tensorflow.math.subtract", "tensorflow.math.squared_difference")


@rule("CUD422", "broadcast-labels", Level.WARNING, since="0.1")
def check(event: TrainingStarted | LossCalled | TargetsCompared | FunctionApplied) -> Iterator[Finding]:
    if isinstance(event, TargetsCompared):
        yield from _of_torch(event)
        return
    if isinstance(event, FunctionApplied):
        yield from _crossed(event)
        return
    for case in _cases(event):
        if case.stretched():
            yield _stretched(event, case)
            return


def _stretched(event: TrainingStarted | LossCalled, case: Case) -> Finding:
    if crosses(case.t, case.o):
        return event.finding(
            f"each number of the output {case.output} meets the labels {case.y} of the whole batch under "
            f"{case.loss.name}",
            trace=trace_of(event, case), help=_help(case),
            fails="silently: the model learns the mean of the labels")
    if len(case.t) == len(case.o) and case.o[-1] == 1 != case.t[-1]:
        return event.finding(
            f"the output {case.output} is repeated to fit the labels {case.y} under {case.loss.name}",
            trace=trace_of(event, case), help=_help(case),
            fails="silently: the one number of the output meets every column of the labels")
    return event.finding(
        f"labels {case.y} are repeated to fit the output {case.output} under {case.loss.name}",
        trace=trace_of(event, case), help=_help(case),
        fails="silently: each number of the output learns the same label")


def _of_torch(event: TargetsCompared) -> Iterator[Finding]:
    """Both are repeated: each output is compared with the targets of other rows."""
    x, y = event.output.shape, event.target.shape
    if event.name not in TORCH or not isinstance(x, tuple) or not isinstance(y, tuple):
        return
    if _grows(x, y) and _grows(y, x):
        which = _column(x, y)
        yield event.finding(
            f"{event.name} of {event.output} and targets {event.target}: each output meets the targets of other rows",
            help=f"{which}.squeeze(1)" if which else "bring both to one shape", fix=_squeezed(event, which),
            fails="silently, with a UserWarning: what is learned is the mean of the targets")


TORCH = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")


def _grows(shape: Shape, other: Shape) -> bool:
    """Whether it is repeated along an axis to meet the other; a batch that varies has more than one row at times."""
    width = max(len(shape), len(other))
    pairs = zip((1,) * (width - len(shape)) + shape, (1,) * (width - len(other)) + other, strict=True)
    return any(own == 1 and has != 1 and not isinstance(has, Unknown) for own, has in pairs)


def _column(x: Shape, y: Shape) -> str:
    """Which of the two has an axis too many, if it is one of extent 1."""
    if len(x) + len(y) != 3:
        return ""
    return "output" if x[1:] == (1,) else "target" if y[1:] == (1,) else ""


def _squeezed(event: TargetsCompared, which: str) -> Recipe | None:
    if not which:
        return None
    there = Argument(event.span, "input", 0) if which == "output" else Argument(event.span, "target", 1)
    return unsafe(f".squeeze(1) of the {which}", WrapArgument(there, "{}.squeeze(1)"))


def _crossed(event: FunctionApplied) -> Iterator[Finding]:
    """The difference of a column that a layer gave and of a row that comes from no layer (interp/functions.py)."""
    found = sorted(tensors(list(event.arguments.values())), key=lambda tensor: tensor.rank or 0)
    if event.path not in DIFFERENCES or len(found) != 2:
        return
    row, column = found
    if _comes_from_layer(row, ()) or not _comes_from_layer(column, column.shape):
        return
    yield event.finding(
        f"{column} minus {row} is {event.output}: each prediction is compared with the labels of the whole batch",
        help="take the last axis away, predictions[:, 0], or give the labels one, "
             f"labels[:, {'None' if column.kind == 'torch' else 'tf.newaxis'}]",
        fails="silently: the model learns the mean of the labels")


def _comes_from_layer(tensor: Tensor, shape: Any) -> bool:
    """Whether a layer or model gave it, or what it was computed from; with a `shape`, through tensors of that only."""
    todo = [tensor]
    for _ in range(LONGEST):
        if not todo:
            return False
        step = todo.pop().step
        if step is not None and is_layer(step.maker):
            return True
        todo += [parent for parent in (step.parents if step is not None else ())
                 if parent.step is not None and shape in ((), parent.shape)]  # an array has as many as it has rows
    return True


def _cases(event: TrainingStarted | LossCalled) -> Iterator[Case]:
    if isinstance(event, LossCalled):
        yield from cases_of(event.y, event.output, event.losses, event, event.layer, form=event.form)
    elif event.method in METHODS:
        for data in (event.data, event.validation):
            yield from cases_of_fit(event, data)


def _help(case: Case) -> str:
    if case.several_to_one:
        return help_of(case)
    if len(case.o) > 2:
        return "leave return_sequences out of the last recurrent layer, or flatten, or give a label for each step" \
            if gives_steps(case.output) else "flatten or pool before the last layer, or give a label for each place"
    units = case.t[-1] if len(case.t) == len(case.o) else 1
    return (f"a last layer with {units} unit{'' if units == 1 else 's'}, or {case.o[-1]} "
            f"column{'' if case.o[-1] == 1 else 's'} of labels")

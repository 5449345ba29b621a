'''The labels do not fit the model's output under the loss that compares them.

## Why is this bad?
Each loss has its own idea of labels: `sparse_categorical_crossentropy` takes class numbers, one axis fewer than the
output; `categorical_crossentropy` one-hot rows as wide as the output; `binary_crossentropy` one number for each
unit. Labels of the other kind, a last layer with another number of units, and a missing Flatten or global pooling
all end here, in the first step of fit().

## Example

```python
import keras
import numpy as np
from keras import layers

(x, y), _ = keras.datasets.mnist.load_data()
model = keras.Sequential([keras.Input((28, 28)), layers.Flatten(), layers.Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, keras.utils.to_categorical(y, 10))  # error: [label-shape-mismatch]
model.compile("adam", "categorical_crossentropy")
model.fit(x, y)  # error: [label-shape-mismatch]
```

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((8,)), layers.Dense(2, activation="softmax")])
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((100, 8)), np.zeros((100, 1)))  # error: [label-shape-mismatch]
```

Dense works on the last axis: without Flatten this model answers with an image.

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(8, 3), layers.Dense(10, activation="softmax")])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy())
model.fit(np.zeros((60, 28, 28, 1)), np.zeros((60,)))  # error: [label-shape-mismatch]
```

Arrays of different length are told of here too:

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((8,)), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((100, 8)), np.zeros((90, 1)))  # error: [label-shape-mismatch]
```

Folders of classes, told apart as one-hot rows:

```python
import tensorflow as tf

train = tf.keras.utils.image_dataset_from_directory("flowers", label_mode="categorical", image_size=(64, 64))
model = tf.keras.Sequential([
    tf.keras.Input((64, 64, 3)), tf.keras.layers.Conv2D(8, 3), tf.keras.layers.Flatten(), tf.keras.layers.Dense(5)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(train)  # error: [label-shape-mismatch]

model = tf.keras.Sequential([
    tf.keras.Input((64, 64, 3)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(train)  # error: [label-shape-mismatch]
```

A loss that the program calls itself, in a loop of its own, is held to the same:

```python
import keras
import numpy as np
import tensorflow as tf
from keras import layers

(x, y), _ = keras.datasets.mnist.load_data()
model = keras.Sequential([keras.Input((28, 28)), layers.Flatten(), layers.Dense(10)])
optimizer = keras.optimizers.Adam()
loss_fn = keras.losses.CategoricalCrossentropy(from_logits=True)


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))  # error: [label-shape-mismatch]
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


for images, labels in tf.data.Dataset.from_tensor_slices((x, y)).batch(64):
    train_step(images, labels)
```

Batches that the program cuts itself, of a Sequence or a generator:

```python
import numpy as np
from tensorflow import keras


class Batches(keras.utils.Sequence):
    def __init__(self, x, y, size):
        super().__init__()
        self.x, self.y, self.size = x, y, size

    def __len__(self):
        return len(self.x) // self.size

    def __getitem__(self, index):
        start = index * self.size
        return self.x[start:start + self.size], self.y[start:start + 2 * self.size]


model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(Batches(np.zeros((32, 6)), np.zeros((32, 1)), 8))  # error: [label-shape-mismatch]
```

PyTorch's losses have their own ideas:

```python
import torch
from torch import nn

tags = nn.Sequential(nn.Embedding(200, 32), nn.Linear(32, 9))
words, answers = torch.randint(0, 200, (8, 25)), torch.randint(0, 9, (8, 25))
nn.CrossEntropyLoss()(tags(words), answers)  # error: [label-shape-mismatch]
nn.CrossEntropyLoss()(torch.zeros(2, 4, 64, 64), torch.zeros(2, 1, 64, 64).long())  # error: [label-shape-mismatch]
nn.BCELoss()(torch.sigmoid(nn.Linear(5, 1)(torch.zeros(64, 5))), torch.zeros(64))  # error: [label-shape-mismatch]
nn.MSELoss()(torch.zeros(8, 1, 27, 27), torch.zeros(8, 1, 28, 28))  # error: [label-shape-mismatch]
```

A number of rows that the model writes itself, for all batches that are full:

```python
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


class Noise(layers.Layer):
    def call(self, x):
        return x + tf.random.normal((32, 4))


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.noise, self.out = layers.Dense(4), Noise(), layers.Dense(1)

    def call(self, x):
        return self.out(self.noise(self.hidden(x)))


model = Net()
model.compile("adam", "mse")
model.fit(np.zeros((100, 8)), np.zeros((100, 1)), batch_size=32)  # error: [label-shape-mismatch]
```

An autoencoder whose decoder gives another size than its inputs have, whatever file those are in:

```python
import keras
import numpy as np
from keras import layers

np.save("frames.npy", np.zeros((100, 30, 30, 1)))
frames = np.load("frames.npy")
inputs = keras.Input((30, 30, 1))
code = layers.MaxPooling2D(4, padding="same")(layers.Conv2D(8, 3, padding="same")(inputs))
decoded = layers.Conv2D(1, 3, padding="same")(layers.UpSampling2D(4)(code))
model = keras.Model(inputs, decoded)
model.compile("adam", "mse")
model.fit(frames[:100], frames[:100], epochs=3)  # error: [label-shape-mismatch]
```

## Use instead

```python
import torch
from torch import nn

tags = nn.Sequential(nn.Embedding(200, 32), nn.Linear(32, 9))
words, answers = torch.randint(0, 200, (8, 25)), torch.randint(0, 9, (8, 25))
nn.CrossEntropyLoss()(tags(words).transpose(1, 2), answers)
nn.BCELoss()(torch.sigmoid(nn.Linear(5, 1)(torch.zeros(64, 5))), torch.zeros(64, 1))
```

```python
import keras
import numpy as np
from keras import layers

(x, y), _ = keras.datasets.mnist.load_data()
model = keras.Sequential([keras.Input((28, 28)), layers.Flatten(), layers.Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y)
unbuilt = keras.Sequential([layers.Flatten(), layers.Dense(10, activation="softmax")])
unbuilt.compile("adam", "sparse_categorical_crossentropy")
unbuilt.fit(x, y, batch_size=100, validation_data=(x[:20], y[:20]))
model.compile("adam", "categorical_crossentropy")
model.fit(x, keras.utils.to_categorical(y, 10))
```

## Fix
Unsafe, since the labels may be what is wrong: a loss that compile() is given by its name becomes
`sparse_categorical_crossentropy` for class numbers, `categorical_crossentropy` for one-hot labels.

## Where it fails
Everywhere, in fit() or evaluate() or where the loss is called. What is refused was found by running 17 losses over 70
pairs of shapes each with Keras 3.15 and tf_keras 2.21, in fit(), as objects and as functions; the rule answers like
them in every one, but for Keras 2's sparse loss on outputs of one axis, of which it says nothing.
* sparse: labels of one axis fewer than the output, or with a last axis of 1. ValueError "Argument `output` must have
  rank (ndim) `target.ndim - 1`" (Keras 3), "`labels.shape` must equal `logits.shape` except for the last dimension"
  (Keras 2).
* categorical: the shape of the output. ValueError "Arguments `target` and `output` must have the same shape" (Keras
  3), "Shapes (None, 1) and (None, 10) are incompatible" (Keras 2).
* binary: the same in Keras 3. Keras 2 broadcasts, unless the output comes straight from a sigmoid or softmax
  activation or the loss takes logits: ValueError "`logits` and `labels` must have the same shape".
* functions (`keras.losses.binary_crossentropy(y, y_pred)`) do not add or take a last axis of 1 as objects and fit() do;
  of Keras 3 those of errors, `huber`, `log_cosh` and `cosine_similarity` do.
* the others broadcast: only shapes that cannot be are refused, "Incompatible shapes: [32,3] vs. [32,4]".
* PyTorch, where the loss is called: class numbers without the axis of the classes, which is axis 1; binary losses take
  the shape of the output. "Expected target size", "only batches of spatial targets supported", "1D target tensor
  expected, multi-target not supported", "Expected input batch_size (64) to match target batch_size (4)", "Using a
  target size ... that is different to the input size".
* a number of rows written into the model: "Incompatible shapes: [4,4] vs. [32,4]", at the last batch.
* batches of a Sequence or a generator with more labels than rows: "Incompatible shapes: [8,1] vs. [16,1]", "logits and
  labels must have the same first dimension".
* arrays of different numbers of rows: "Data cardinality is ambiguous. Make sure all arrays contain the same number of
  samples".

In logs of a graph, "logits and labels must be broadcastable: logits_size=[32,5] labels_size=[32,2]" and "Can not
squeeze dim[1], expected a dimension of 1, got 10" of an accuracy; up to TensorFlow 2.1 "Error when checking target:
expected dense_1 to have shape (5,) but got array with shape (1,)", "A target array with shape (100, 1) was passed for
an output of shape (None, 4)", "You are passing a target array of shape (100, 1) while using as loss".

```python keras=2.15 tensorflow=2.15
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(2)])
model.compile("adam", tf.keras.losses.BinaryCrossentropy(from_logits=True))
model.fit(np.zeros((100, 8)), np.zeros((100, 1)))  # error: [label-shape-mismatch]
```

Keras 2 takes a last axis of 1 from an output that has one more axis than the labels, and no longer knows of its
sigmoid; these are repeated:

```python keras=2.15 tensorflow=2.15
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4, 8)), tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((64, 4, 8)), np.zeros((64, 1)))  # error: [broadcast-labels]
model.fit(np.zeros((64, 4, 8)), np.zeros((64, 4)))
other = tf.keras.Sequential([tf.keras.Input((4, 8)), tf.keras.layers.Dense(1, activation="sigmoid")])
other.compile("adam", "binary_crossentropy")
other.fit(np.zeros((64, 4, 8)), np.zeros((64,)))  # error: [label-shape-mismatch]
```

## Known limits
A loss of the user's own is not judged. That `mse` and its kin broadcast labels of shape (n, 1) against (n, k) is told
by broadcast-labels. Class numbers beyond the units are another matter.

## References
* keras/src/losses/loss.py: squeeze_or_expand_to_same_rank
* keras/src/backend/tensorflow/nn.py: categorical_crossentropy, sparse_categorical_crossentropy, binary_crossentropy
* aten/src/ATen/native/LossNLL.cpp, LossNLL2d.cpp; torch/nn/functional.py: binary_cross_entropy
* tf_keras/src/utils/losses_utils.py: squeeze_or_expand_dimensions
* tf_keras/src/engine/compile_utils.py: match_dtype_and_rank
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.events import Event, LossCalled, Rejected, TrainingStarted, tensors
from cudnnlint.finding import Argument, Finding, Label, Level, Recipe, SetArgument
from cudnnlint.rules.comparisons import METHODS, Case, cases_of, cases_of_fit, last_of_arrays
from cudnnlint.rules.fixes import last_of, unsafe
from cudnnlint.rules.labels import help_of, other_loss, trace_of
from cudnnlint.rules.losses import BINARY, COMPILED, ONE_HOT, SPARSE
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import BATCH, Problem


@rule("CUD107", "label-shape-mismatch", Level.ERROR, since="0.1")
def check(event: TrainingStarted | LossCalled | Rejected) -> Iterator[Finding]:
    if isinstance(event, Rejected):
        if event.mismatch.problem is Problem.TARGET or (event.mismatch.fact("rows") and event.stage in METHODS):
            yield rejection(event)
    elif isinstance(event, LossCalled):
        cases = cases_of(event.y, event.output, event.losses, event, event.layer, form=event.form)
        if (wrong := next((case for case in cases if not case.fits()), None)) is not None:
            yield _finding(event, "labels", wrong, "when the loss is called")
    elif event.method in METHODS:
        for word, data in (("labels", event.data), ("validation labels", event.validation)):
            wrong = next((case for case in cases_of_fit(event, data) if not case.fits()), None)
            if wrong is not None:
                yield _finding(event, word, wrong, f"in {event.method}()")
                return
        yield from _last_batch(event)


def _last_batch(event: TrainingStarted) -> Iterator[Finding]:
    """A number of rows that the model writes where those of its batch belong."""
    last = last_of(event) if event.data.kind != "arrays" else last_of_arrays(event)
    fed, declared = _batches(event.data.x), _batches(event.model.inputs)
    free = BATCH in fed and not any(isinstance(rows, int) for rows in declared)
    for case in cases_of_fit(event, event.data) if last is not None and last > 1 and free else ():
        rows = case.output.shape[0] if isinstance(case.output.shape, tuple) else None
        if isinstance(rows, int) and rows not in (1, last) and case.t[0] in (rows, None):
            yield event.finding(
                f"the last batch has {last} rows, the output {case.output} {rows} for every batch",
                help=f"tf.shape(x)[0], the rows that the batch has, where the model says {rows}, or only full batches",
                fails=f"everywhere, in {event.method}(), at the last batch: InvalidArgumentError "
                      '"Incompatible shapes"',
                trace=trace_of(event, case))
            return


def _batches(structure: Any) -> list[Any]:
    return [x.shape[0] for x in tensors(structure) if isinstance(x.shape, tuple) and x.shape]


def _finding(event: Event, word: str, wrong: Case, when: str) -> Finding:
    return event.finding(f"{word} {wrong.y} do not fit the output {wrong.output} under {wrong.loss.name}",
                         help=help_of(wrong), fails=_fails(wrong, when), trace=_trace(event, wrong), fix=_fix(wrong))


def _fix(case: Case) -> Recipe | None:
    """Where compile() is given the loss by its name."""
    other, loss = other_loss(case), case.loss
    if not other or case.form not in COMPILED or loss.made or loss.span is None:
        return None
    change = SetArgument(Argument(loss.span, "loss", 1), f'"{other}"', only=repr(loss.name))
    return unsafe(f'loss="{other}"', change)


def _fails(case: Case, when: str) -> str:
    stack = "everywhere" if not replace(case, keras_3=not case.keras_3).fits() else \
        "with Keras from 3 on" if case.keras_3 else "with Keras before 3"
    return f"{stack}, {when}: {_error(case)}"


def _error(case: Case) -> str:
    if case.keras_3 and case.loss.name == SPARSE and (
            len(case.t) == len(case.o) - 1 or (len(case.t) == len(case.o) and case.t[-1] == 1)):
        return 'ValueError "Arguments `target` and `output` must have the same shape up until the last dimension"'
    if case.keras_3 and case.loss.name in (ONE_HOT, BINARY) and len(case.t) != len(case.o):
        return 'ValueError "Arguments `target` and `output` must have the same rank (ndim)"'
    if case.form == "batches" and not case.keras_3 and case.loss.name != SPARSE and len(case.t) == len(case.o):
        return 'InvalidArgumentError "Incompatible shapes"'
    error = ERRORS.get((case.loss.name, case.keras_3), 'or InvalidArgumentError "Incompatible shapes"')
    return f"ValueError {error}"


ERRORS = {
    (SPARSE, True): '"Argument `output` must have rank (ndim) `target.ndim - 1`"',
    (SPARSE, False): '"`labels.shape` must equal `logits.shape` except for the last dimension" or '
                     'InvalidArgumentError "logits and labels must have the same first dimension"',
    (ONE_HOT, True): '"Arguments `target` and `output` must have the same shape"',
    (ONE_HOT, False): '"Shapes ... are incompatible"',
    (BINARY, True): '"Arguments `target` and `output` must have the same shape"',
    (BINARY, False): '"`logits` and `labels` must have the same shape"',
}
"""By loss and whether it is Keras 3."""


def _trace(event: Event, case: Case) -> tuple[Label, ...]:
    told = trace_of(event, case)
    if case.loss.span is None or case.loss.span == event.span:
        return told
    return *told, Label(case.loss.span, f"loss {case.loss.name}")

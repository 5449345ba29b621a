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

## Use instead

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
* the others broadcast: only shapes that cannot be are refused, "Incompatible shapes".
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

## Known limits
A loss of the user's own is not judged. That `mse` and its kin broadcast labels of shape (n, 1) against (n, k) is told
by broadcast-labels. Class numbers beyond the units are another matter.

## References
* keras/src/losses/loss.py: squeeze_or_expand_to_same_rank
* keras/src/backend/tensorflow/nn.py: categorical_crossentropy, sparse_categorical_crossentropy, binary_crossentropy
* tf_keras/src/utils/losses_utils.py: squeeze_or_expand_dimensions
* tf_keras/src/engine/compile_utils.py: match_dtype_and_rank
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Event, LossCalled, Rejected, TrainingStarted
from cudnnlint.finding import Argument, Finding, Label, Level, Recipe, SetArgument
from cudnnlint.rules.ancestry import behind, within
from cudnnlint.rules.comparisons import METHODS, Case, cases_of, cases_of_fit
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.losses import BINARY, ONE_HOT, SPARSE, Extents
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Tensor


@rule("CUD107", "label-shape-mismatch", Level.ERROR, since="0.1")
def check(event: TrainingStarted | LossCalled | Rejected) -> Iterator[Finding]:
    if isinstance(event, Rejected):
        if event.mismatch.fact("rows") and event.stage in METHODS:
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


def _finding(event: Event, word: str, wrong: Case, when: str) -> Finding:
    return event.finding(f"{word} {wrong.y} do not fit the output {wrong.output} under {wrong.loss.name}",
                         help=_help(wrong), fails=_fails(wrong, when), trace=_trace(event, wrong), fix=_fix(wrong))


def _other(case: Case) -> str:
    """The crossentropy that takes such labels, "" if neither does."""
    t, o, name = case.t, case.o, case.loss.name
    if name == SPARSE and len(t) == len(o) and t[1:-1] == o[1:-1] and t[-1] in (o[-1], None):
        return ONE_HOT
    return SPARSE if name == ONE_HOT and (len(t) == len(o) - 1 or t[-1] == 1) else ""


def _fix(case: Case) -> Recipe | None:
    """Where compile() is given the loss by its name."""
    other, loss = _other(case), case.loss
    if not other or case.form != "fit" or loss.made or loss.span is None:
        return None
    change = SetArgument(Argument(loss.span, "loss", 1), f'"{other}"', only=repr(loss.name))
    return unsafe(f'loss="{other}"', change)


def _help(case: Case) -> str:
    t, o, name = case.t, case.o, case.loss.name
    if _other(case) == ONE_HOT:
        return f'one-hot labels go with loss="{ONE_HOT}"; class numbers, without to_categorical, with this one'
    if _other(case) == SPARSE:
        return f'class numbers go with loss="{SPARSE}"; or make them one-hot: to_categorical(y, {o[-1]})'
    if name == BINARY and o[-1] == 2 and (len(t) == 1 or t[-1] == 1):
        return f'one unit with a sigmoid tells two classes apart; two units go with loss="{SPARSE}"'
    if len(t) == len(o) + 1 == 3 and name != SPARSE and t[-1] == o[-1] and _is_of_steps(case.output):
        return (f"return_sequences=True in the last recurrent layer gives an output for each of {t[1]} steps; or one "
                "label for each sample")
    if len(o) > max(2, len(t)):
        return ("flatten or pool before the last layer, or leave return_sequences out of the last recurrent one: the "
                f"output has {len(o)} axes")
    places = t[1:-1] if name == SPARSE and len(t) == len(o) and t[-1] == 1 else t[1:] if name == SPARSE else t[1:-1]
    if len(o) > 3 and (factor := _factor(places, o[1:-1])):
        return (f"the labels are {factor} times as large as the output: let the model enlarge it, by an upsampling or "
                f"strides of {factor} in a transposed convolution, or resize the labels")
    if len(t) == len(o) > 3 and t[-1] == o[-1]:
        return ("the decoder does not restore the size: crop what it gives, or start from extents that every halving "
                "divides")
    if len(o) > 3 and len(places) == len(o) - 2 and not _may_equal(places, o[1:-1]):
        return (f"the output has {_by(o[1:-1])} places, the labels have {_by(places)}: let the model restore the size, "
                "or make the labels as large as its output")
    if len(t) == len(o) and t[-1] != o[-1]:
        return f"the last layer has {_counted(o[-1], 'unit')}, the labels have {_counted(t[-1], 'column')}"
    return ""


def _is_of_steps(output: Tensor) -> bool:
    """Whether a recurrent layer made it, which gave its last step only."""
    return any(within(layer).arguments.get("return_sequences") is False for layer, _, _ in behind(output))


def _factor(places: Extents, others: Extents) -> int:
    """How many times as large the labels are as the output along each axis, from 2 on; 0 where that is not one number.

    >>> _factor((128, 96), (64, 48)), _factor((128, 96), (64, 96))
    (2, 0)
    """
    found = {a // b if a and b and a % b == 0 else 0 for a, b in zip(places, others, strict=False)}
    return found.pop() if len(places) == len(others) and len(found) == 1 and found != {1} else 0


def _may_equal(places: Extents, others: Extents) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(places, others, strict=True))


def _by(places: Extents) -> str:
    return "x".join("?" if each is None else str(each) for each in places)


def _counted(count: int | None, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _fails(case: Case, when: str) -> str:
    if case.keras_3 and case.loss.name == SPARSE and (
            len(case.t) == len(case.o) - 1 or (len(case.t) == len(case.o) and case.t[-1] == 1)):
        return (f'everywhere, {when}: ValueError "Arguments `target` and `output` must have the same shape up until '
                'the last dimension"')
    if case.keras_3 and case.loss.name in (ONE_HOT, BINARY) and len(case.t) != len(case.o):
        return f'everywhere, {when}: ValueError "Arguments `target` and `output` must have the same rank (ndim)"'
    error = ERRORS.get((case.loss.name, case.keras_3), 'or InvalidArgumentError "Incompatible shapes"')
    return f"everywhere, {when}: ValueError {error}"


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
    if case.loss.span is None or case.loss.span == event.span:
        return event.trace
    return *event.trace, Label(case.loss.span, f"loss {case.loss.name}")

'''A generator, Sequence or dataset gives batches that are not (x,), (x, y) or (x, y, sample_weight).

## Why is this bad?
Keras tells inputs from labels by their place in a tuple. A list counts as one from some sources and not from others,
a dict is all inputs, a fourth part has no meaning, and without a second one there is nothing to compare the output
with.

## Example

```python
import keras
import numpy as np
from keras import layers


def batches():
    while True:
        yield [np.zeros((8, 4)), np.zeros((8, 1))]


model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(batches(), steps_per_epoch=10)  # error: [wrong-batch-structure]
```

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(tf.data.Dataset.from_tensor_slices(tf.zeros((64, 4))).batch(8))  # error: [wrong-batch-structure]
```

```python
import keras
import numpy as np
from keras import layers


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return np.zeros((8, 4)), np.zeros((8, 1)), np.zeros(8), index


model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(Batches())  # error: [wrong-batch-structure]
```

Arrays without labels:

```python
import keras
import numpy as np
from keras import layers

x, y = np.zeros((64, 4)), np.zeros((64, 1))
model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x)  # error: [wrong-batch-structure]
model.fit(x, y, validation_data=x)  # error: [wrong-batch-structure]
model.fit(x, y, validation_data=[x])  # error: [wrong-batch-structure]
model.evaluate(x)  # error: [wrong-batch-structure]
model.fit((x, y))  # error: [wrong-batch-structure]
model.fit([x, y], validation_data=[x, y])  # error: [wrong-batch-structure]
```

Several inputs as a list were fine with Keras 2:

```python
import keras
import numpy as np
from keras import layers


def pairs():
    while True:
        yield [np.zeros((8, 4)), np.zeros((8, 2))], np.zeros((8, 1))


left, right = keras.Input((4,)), keras.Input((2,))
model = keras.Model([left, right], layers.Dense(1)(layers.Concatenate()([left, right])))
model.compile("sgd", "mse")
model.fit(pairs(), steps_per_epoch=10)  # error: [wrong-batch-structure]
```

## Use instead

```python
import keras
import numpy as np
from keras import layers


def batches():
    while True:
        yield np.zeros((8, 4)), np.zeros((8, 1))


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return [np.zeros((8, 4)), np.zeros((8, 1))]


model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(batches(), steps_per_epoch=10)
model.fit(Batches())
```

predict() needs no labels, and a model that brings its own loss needs none either:

```python
import keras
import numpy as np
import tensorflow as tf


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(4)

    def call(self, x):
        return self.inner(x)

    def train_step(self, x):
        return {"loss": tf.reduce_mean(self(x) - x)}


images = tf.data.Dataset.from_tensor_slices(tf.zeros((64, 4))).batch(8)
model = Autoencoder()
model.compile("sgd")
model.fit(images)
model.predict(images)
```

## Where it fails
Everywhere, in fit(). Four parts: ValueError "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y,
sample_weight)`". A generator that gives anything but a tuple, with Keras 3: ValueError "When passing a Python
generator to a Keras model, the generator must return a tuple"; Keras 2 takes a list as well. A list within the tuple,
with Keras 3 on TensorFlow, from a generator or a Sequence: TypeError "`output_signature` must contain objects that are
subclass of `tf.TypeSpec` but found <class 'list'> which is not". No labels: ValueError "None values not supported"
with Keras 3, with Keras 2 "Target data is missing". All run with Keras 3.15 and tf_keras 2.21, lists with Keras 3.12
as well.

## Known limits
Missing labels are told of where compile() was given a loss.

## References
* keras/src/trainers/data_adapters/generator_data_adapter.py: GeneratorDataAdapter
* keras/src/trainers/data_adapters/py_dataset_adapter.py: PyDatasetAdapter._standardize_batch
* keras/src/trainers/data_adapters/data_adapter_utils.py: unpack_x_y_sample_weight
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LossInfo, TrainingStarted, tensors
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor


@rule("CUD418", "wrong-batch-structure", Level.ERROR, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    kind, element = event.data.kind, event.data.element
    if event.method == "fit" and event.stack.keras >= (3,) and _is_pair_of_one(event):
        yield event.finding("validation_data holds inputs without labels, and the model was given a loss", help=LABELS,
                            fails='with Keras from 3 on, in fit(): ValueError "None values not supported"')
    if event.method in ("fit", "train_on_batch") and (place := _unlabelled(event)):
        yield event.finding(f"{place} without labels, and the model was given a loss",
                            help=LABELS if event.method == "fit" else "train_on_batch(x, y)",
                            fails=f'everywhere, in {event.method}(): ValueError "None values not supported", "Target '
                                  'data is missing" or "The truth value of an array with more than one element is '
                                  'ambiguous"')
    if event.method in ("evaluate", "test_on_batch") and event.stack.keras >= (3,) and (given := _evaluated(event)):
        instead = "predict" if event.method == "evaluate" else "predict_on_batch"
        yield event.finding(f"{event.method}() of {given} without labels, and the model was given a loss",
                            help=f"{event.method}(x, y); {instead}(x) needs no labels",
                            fails=f'with Keras from 3 on, in {event.method}(): ValueError "None values not supported"; '
                                  "Keras 2 gives a loss of 0")
    if kind not in ("generator", "sequence", "dataset") or event.method not in ("fit", "evaluate", "predict"):
        return
    source = {"generator": "the generator", "sequence": "the Sequence", "dataset": "the dataset"}[kind]
    if isinstance(element, tuple) and len(element) > 3:
        said = "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`"
        if kind == "sequence" and event.stack.keras >= (3,):
            said = "PyDataset.__getitem__() must return a tuple or a dict"
        yield event.finding(f"{source} gives {len(element)} parts, not (x, y) or (x, y, sample_weight)", help=TUPLE,
                            fails=f'everywhere, in {event.method}(): ValueError "{said}"')
    elif kind == "generator" and event.stack.keras >= (3,) and isinstance(element, list | dict | Tensor):
        given = "one array" if isinstance(element, Tensor) else f"a {type(element).__name__}"
        wanted = "(x,)" if event.method == "predict" else "(x, y)"
        yield event.finding(f"the generator gives {given}, not a tuple {wanted}", help=f"give a tuple: {wanted}",
                            fails=f'with Keras from 3 on, in {event.method}(): ValueError "the generator must return a '
                                  'tuple, either (input,) or (inputs, targets)"')
    elif kind != "dataset" and event.stack.keras >= (3,) and (count := _listed(element)):
        arrays = "1 array" if count == 1 else f"{count} arrays"
        yield event.finding(f"{source} gives {arrays} as a list within a batch, not as a tuple", help=INNER,
                            fails=f'with Keras from 3 on, on TensorFlow, in {event.method}(): TypeError '
                                  '"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but '
                                  'found <class \'list\'>"')
    elif event.method == "fit" and _lacks_labels(event, kind, element):
        error = "None values not supported" if event.stack.keras >= (3,) else "Target data is missing"
        yield event.finding(f"{source} gives inputs without labels, and the model was given a loss",
                            help="batches of the form (x, y)", fails=f'everywhere, in fit(): ValueError "{error}"')


LABELS = "the labels are the second argument of fit(), and of the tuple that is validation_data"
TUPLE = "give a tuple: (x, y)"
INNER = "tuples all through: several inputs or labels are (a, b), not [a, b]"


def _unlabelled(event: TrainingStarted) -> str:
    """What is arrays of inputs alone, of a model whose loss was given to compile()."""
    if not _has_loss(event):
        return ""
    if event.arguments.get("y") is None and (given := _arrays(event)):
        return f"{event.method}() of {given}"
    alone = isinstance(event.arguments.get("validation_data"), Tensor)
    held = event.validation
    if held is not None and held.kind == "dataset" and held.batched is True and _is_alone(held.element):
        return "validation_data is a dataset"
    return "validation_data is an array" if alone else ""


def _evaluated(event: TrainingStarted) -> str:
    """What evaluate() is given that has no labels."""
    kind = event.data.kind
    if not _has_loss(event) or event.arguments.get("y") is not None or event.arguments.get("x") is None:
        return ""
    if kind == "arrays":
        return _arrays(event)
    batched = kind == "dataset" and event.data.batched is True
    return "a dataset" if batched and _is_alone(event.data.element) else ""


def _arrays(event: TrainingStarted) -> str:
    """`x`, and `(x, y)` or `[x, y]` in its place."""
    x = event.data.x
    if event.data.kind != "arrays" or event.arguments.get("x") is None:
        return ""
    count = len(x) if isinstance(x, list | tuple) and all(isinstance(part, Tensor) for part in x) else 0
    return "an array" if isinstance(x, Tensor) else f"{count} arrays in one place" if count > 1 else ""


def _is_pair_of_one(event: TrainingStarted) -> bool:
    """`validation_data=(x_test,)`, which Keras 2 takes for nothing to evaluate."""
    given, held = event.arguments.get("validation_data"), event.validation
    items = getattr(given, "items", given)
    return isinstance(items, tuple | list) and len(items) == 1 and not getattr(given, "unknown", None) \
        and _has_loss(event) and held is not None and bool(tensors(held.x))


def _is_alone(element: object) -> bool:
    return isinstance(element, Tensor) or (isinstance(element, tuple) and len(element) == 1)


def _listed(element: object) -> int:
    """How many arrays a list has that is the inputs or the labels of a batch; 0 without one."""
    for part in element if isinstance(element, list | tuple) else ():
        if isinstance(part, list) and part and all(isinstance(item, Tensor) for item in part):
            return len(part)
    return 0


def _lacks_labels(event: TrainingStarted, kind: str, element: object) -> bool:
    told = _is_alone(element)
    given = event.arguments.get("y") is not None or (kind == "dataset" and event.data.batched is not True)
    return told and not given and _has_loss(event)


def _has_loss(event: TrainingStarted) -> bool:
    """Whether compile() was given one that needs labels: of a class of the program's own one of Keras' by name."""
    losses = event.model.losses
    return isinstance(losses, LossInfo) and (event.model.kind != "subclassed" or bool(losses.name))

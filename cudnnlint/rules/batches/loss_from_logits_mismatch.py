'''The loss reads the output as probabilities and gets logits, or the reverse.

## Why is this bad?
A crossentropy reads its predictions as probabilities, unless it is told `from_logits=True`. The output of a last layer
without an activation goes below 0 and beyond 1: the loss clips it, what is clipped has no gradient, and the model
trains badly without any message. A softmax under `from_logits=True` is applied twice.

## Example

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((64,)), layers.Dense(32, activation="relu"), layers.Dense(10)])
model.compile("adam", "sparse_categorical_crossentropy")  # error: [loss-from-logits-mismatch]
model.fit(np.zeros((100, 64)), np.zeros(100))
```

```python
import keras
import numpy as np
from keras import layers

x = keras.Input((32, 32, 3))
y = layers.Conv2D(1, 1)(layers.Conv2D(16, 3, padding="same")(x))
model = keras.Model(x, y)
model.compile("adam", keras.losses.BinaryCrossentropy())  # error: [loss-from-logits-mismatch]
model.fit(np.zeros((100, 32, 32, 3)), np.zeros((100, 32, 32, 1)))
```

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((64,)), layers.Dense(10, activation="softmax")])
loss = keras.losses.CategoricalCrossentropy(from_logits=True)  # error: [loss-from-logits-mismatch]
model.compile("adam", loss)
model.fit(np.zeros((100, 64)), np.zeros((100, 10)))
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((64,)), layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((100, 64)), np.zeros(100))
model = keras.Sequential([keras.Input((64,)), layers.Dense(10), layers.Softmax()])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros(100))
model = keras.Sequential([keras.Input((64,)), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros((100, 1)))
```

## Fix
Unsafe, since the model learns something else: a loss object gets `from_logits=True` where the last layer has no
activation, and loses it where that is a softmax or sigmoid. A loss that is given by its name is left alone.

## Where it fails
Nowhere: it trains worse. A linear problem of three classes, 8 epochs, the same seed: accuracy 0.96 with
`from_logits=True`, 0.90 without it and without an activation, 0.69 with relu (Keras 3.15; tf_keras 2.21: 0.96, 0.86,
0.60). With `from_logits=True` after a softmax or sigmoid activation, Keras since 2.6 finds on TensorFlow that the
output comes from that activation, undoes it and says 'UserWarning "received `from_logits=True`, but the `output`
argument was produced by a Softmax activation"'; it trains as it should. With the JAX and PyTorch backends, and where a
cast or a reshape follows the activation, nothing is undone.

## Known limits
Only a last layer whose activation is known is judged: Dense, a convolution, Activation, Softmax, ReLU. A custom layer,
a function, and models that say themselves how they train are not. A model that is compiled and never trained, as the
generator of a GAN, is not judged either.

## References
* keras/src/backend/tensorflow/nn.py: _get_logits, categorical_crossentropy, binary_crossentropy
* tf_keras/src/backend.py: _get_logits; keras 2.6 backend.py: sparse_categorical_crossentropy
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LossInfo, TrainingStarted
from cudnnlint.finding import Argument, Finding, Level, Recipe, RemoveArgument, SetArgument
from cudnnlint.rules.ancestry import maker_of
from cudnnlint.rules.endings import UNBOUNDED, ending_of, pairs
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.losses import BINARY, ONE_HOT, SPARSE
from cudnnlint.rules.protocol import rule


@rule("CUD409", "loss-from-logits-mismatch", Level.WARNING, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    if event.method not in ("fit", "train_on_batch"):
        return
    for output, loss in pairs(event.model):
        layer = maker_of(output)
        ending = ending_of(layer) if layer is not None else None
        if layer is None or ending is None or loss.name not in PROBABLE:
            continue
        if loss.from_logits is False and ending in UNBOUNDED:
            yield event.finding(
                f"{loss.name} takes probabilities, and the last layer {layer.name} ends in {_spoken(ending)}",
                span=loss.span or event.span, fails=f"silently, in {event.method}(): it trains worse",
                help=f"from_logits=True for a last layer without activation, or activation={ACTIVATION[loss.name]!r}",
                fix=_fix(loss) if ending == "linear" else None)
        elif loss.from_logits is True and ending in ("softmax", "sigmoid"):
            yield event.finding(
                f"from_logits=True, and the last layer {layer.name} ends in {_spoken(ending)}",
                span=loss.span or event.span, fails=_fails(ending, loss.name),
                help=f"leave out from_logits, or the {ending}", fix=_fix(loss))


PROBABLE = frozenset({SPARSE, ONE_HOT, BINARY})
ACTIVATION = {SPARSE: "softmax", ONE_HOT: "softmax", BINARY: "sigmoid"}


def _fix(loss: LossInfo) -> Recipe | None:
    """The loss is told what the model gives, if it is an object; a name cannot be told."""
    if not loss.made or loss.span is None:
        return None
    logits = Argument(loss.span, "from_logits", 0)
    if loss.from_logits is True:
        return unsafe("remove from_logits=True", RemoveArgument(logits, only="True"))
    return unsafe("from_logits=True", SetArgument(logits, "True"))


def _spoken(ending: str) -> str:
    return "no activation" if ending == "linear" else f"a {ending}"


def _fails(ending: str, loss: str) -> str:
    undone = (ending == "sigmoid") == (loss == BINARY)
    return (f'nowhere on TensorFlow, where Keras from 2.6 on undoes the {ending} with a UserWarning; with JAX and '
            "PyTorch it trains worse, silently" if undone else "silently, in fit(): it trains worse")

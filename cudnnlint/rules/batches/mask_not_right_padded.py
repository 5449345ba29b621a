'''Sequences padded in front are masked before an LSTM or GRU that runs on cuDNN.

## Why is this bad?
cuDNN takes the length of each sequence and not a mask, so that the padding must be at the end. `pad_sequences` puts
it in front unless told otherwise. Keras 3 does not fall back to its general kernel inside of fit() and predict(), but
stops there, on a GPU; on a CPU everything works.

## Example

```python
import numpy as np
from tensorflow.keras import layers, models
from tensorflow.keras.datasets import imdb
from tensorflow.keras.preprocessing.sequence import pad_sequences

(x_train, y_train), (x_test, y_test) = imdb.load_data(num_words=20000)
x_train = pad_sequences(x_train, maxlen=80)
model = models.Sequential([
    layers.Input((80,)), layers.Embedding(20000, 128, mask_zero=True), layers.LSTM(64),
    layers.Dense(1, activation="sigmoid"),
])
model.compile("adam", "binary_crossentropy")
model.fit(x_train, y_train)  # error: [mask-not-right-padded]
```

## Use instead

```python
import numpy as np
from tensorflow.keras import layers, models
from tensorflow.keras.datasets import imdb
from tensorflow.keras.preprocessing.sequence import pad_sequences

(x_train, y_train), (x_test, y_test) = imdb.load_data(num_words=20000)
x_front = pad_sequences(x_train, maxlen=80)
x_train = pad_sequences(x_train, maxlen=80, padding="post")


def build(**options):
    model = models.Sequential([
        layers.Input((80,)), layers.Embedding(20000, 128, mask_zero=True), layers.LSTM(64, **options),
        layers.Dense(1, activation="sigmoid"),
    ])
    model.compile("adam", "binary_crossentropy")
    return model


build().fit(x_train, y_train)
build(use_cudnn=False).fit(x_front, y_train)
```

Without a mask the padding is data like any other:

```python
import numpy as np
from tensorflow.keras import layers, models
from tensorflow.keras.datasets import imdb
from tensorflow.keras.preprocessing.sequence import pad_sequences

(x_train, y_train), (x_test, y_test) = imdb.load_data(num_words=20000)
x_train = pad_sequences(x_train, maxlen=80)
model = models.Sequential([
    layers.Input((80,)), layers.Embedding(20000, 128), layers.LSTM(64), layers.Dense(1, activation="sigmoid"),
])
model.compile("adam", "binary_crossentropy")
model.fit(x_train, y_train)
```

## Where it fails
On a GPU, with Keras from 3.2 on, in fit(), evaluate() and predict(), as soon as one sequence is shorter than the
padded length: InvalidArgumentError "You are passing a RNN mask that does not correspond to right-padded sequences,
while using cuDNN, which is not supported". Called eagerly, the layer falls back to the general kernel; so does Keras 2
from TensorFlow 2.4 on, slowly. TensorFlow 2.0 to 2.3 fail for a sequence that is padding only: "UnknownError:
CUDNN_STATUS_BAD_PARAM ... cudnnSetRNNDataDescriptor".

## Known limits
Where the data was padded must be in sight. Masks with holes and sequences that are empty depend on the data and are
not told of.

## References
* keras/src/backend/tensorflow/rnn.py: _assert_valid_mask
* keras/src/utils/sequence_utils.py: pad_sequences
* tf_keras/src/layers/rnn/gru_lstm_utils.py: is_cudnn_supported_inputs
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import TrainingStarted, tensors
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import PREFIX, behind, chain, runs_on_cudnn, within
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor


@rule("CUD416", "mask-not-right-padded", Level.ERROR, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    fed = tensors(event.data.x)
    if event.stack.keras < (3, 2) or len(fed) != 1 or not _is_padded_in_front(fed[0]):
        return
    for layer, inputs, _ in behind(event.model.outputs):
        if inputs and runs_on_cudnn(layer, event.stack) and (mask := _masked_by(inputs[0])):
            name = within(layer).name
            yield event.finding(
                f"sequences padded in front, masked by {mask}, into {name}: cuDNN needs the padding behind",
                help=f'pad_sequences(..., padding="post"), or {name}(..., use_cudnn=False)',
                fails='on a GPU: InvalidArgumentError "You are passing a RNN mask that does not correspond to '
                      'right-padded sequences"')
            return


KEEPING = frozenset(PREFIX + name for name in (
    "Dropout", "SpatialDropout1D", "GaussianNoise", "GaussianDropout", "Activation", "BatchNormalization",
    "LayerNormalization", "LSTM", "GRU", "SimpleRNN", "Bidirectional"))
"""Layers that hand the mask of their input on."""
PADDING = ("keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences")


def _masked_by(x: Tensor) -> str:
    """The layer that makes the mask which arrives with the tensor, "" if none does for certain."""
    for _, layer in chain(x):
        if layer is None:
            return ""
        if layer.path == f"{PREFIX}Masking":
            return "Masking"
        if layer.path == f"{PREFIX}Embedding":
            return "Embedding(mask_zero=True)" if layer.arguments.get("mask_zero") is True else ""
        if layer.path not in KEEPING:
            return ""
    return ""


def _is_padded_in_front(x: Tensor) -> bool:
    """Whether `pad_sequences` with its default padding made the data."""
    for made, _ in chain(x):
        if made.step is not None and made.step.maker in PADDING:
            args, kwargs = made.step.arguments
            return len(args) < 4 and kwargs.get("padding", "pre") == "pre" and "value" not in kwargs
    return False

'''Sequences padded in front, or nothing but padding, are masked before an LSTM or GRU on cuDNN.

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
    layers.Input((80,)), layers.Embedding(20000, 128, mask_zero=True),
    layers.LSTM(64),  # error: [mask-not-right-padded]
    layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(x_train, y_train)
```

```python
import numpy as np
from tensorflow.keras import layers, models
from tensorflow.keras.preprocessing.sequence import pad_sequences
from tensorflow.keras.preprocessing.text import Tokenizer

texts = ["it was good", "it was bad and long"]
tokenizer = Tokenizer(num_words=1000)
tokenizer.fit_on_texts(texts)
x = pad_sequences(tokenizer.texts_to_sequences(texts), maxlen=50)
model = models.Sequential()
model.add(layers.Embedding(1000, 32, mask_zero=True))
model.add(layers.Bidirectional(layers.LSTM(32)))  # error: [mask-not-right-padded]
model.add(layers.Dense(1, activation="sigmoid"))
model.compile("adam", "binary_crossentropy")
model.fit(x, np.array([1, 0]))
```

The mask comes along with what a nested model, an Add or a normalisation makes of the tensor:

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x = keras.utils.pad_sequences([[4, 2], [7, 1, 3]], maxlen=10)
words = keras.Input((10,))
encoder = keras.Sequential([layers.Embedding(100, 8, mask_zero=True), layers.LayerNormalization()])
first = encoder(words)
both = layers.Add()([first, layers.Dense(8)(first)])
model = keras.Model(words, layers.Dense(1)(layers.GRU(8)(both)))  # error: [mask-not-right-padded]
model.compile("adam", "mse")
model.fit(x, np.zeros((2, 1)))
```

Documents of up to 6 blocks, each block a sequence of its own, the blocks that a document does not have left zero:

```python
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

documents = np.zeros((32, 6, 12, 4))
for document in documents:
    for block in range(np.random.randint(1, 6)):
        document[block, :8] = np.random.rand(8, 4)
x = layers.Input((6, 12, 4))
blocks = layers.Lambda(lambda t: tf.reshape(t, (-1, 12, 4)), output_shape=(12, 4))(x)
y = layers.GRU(8)(layers.Masking()(blocks))  # error: [mask-not-right-padded]
y = layers.Lambda(lambda t: tf.reshape(t, (-1, 6, 8)), output_shape=(6, 8))(y)
model = tf.keras.Model(x, layers.Dense(1)(layers.GlobalAveragePooling1D()(y)))
model.compile("adam", "mse")
model.fit(documents, np.zeros((32, 1)))
```

Rows that are written to the end of an array of zeros:

```python
import numpy as np
from tensorflow.keras import layers, models

clips = [np.random.rand(np.random.randint(5, 40), 8) for _ in range(100)]
x = np.zeros((100, 40, 8))
for i, clip in enumerate(clips):
    x[i, -len(clip):] = clip
model = models.Sequential([layers.Input((40, 8)), layers.Masking(), layers.LSTM(16)])  # error: [mask-not-right-padded]
model.compile("adam", "mse")
model.fit(x, np.zeros((100, 16)))
```

Rows that hold nothing but the masked number, wherever the padding is:

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers, models



def trained(recurrent, tokens):
    model = models.Sequential([layers.Embedding(50, 8, mask_zero=True), recurrent, layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(tokens, np.zeros((len(tokens), 1)))


tokens = np.random.randint(1, 50, (16, 12))
tokens[4, :] = 0
trained(layers.GRU(8), tokens)  # error: [mask-not-right-padded]
empty = keras.utils.pad_sequences([[3, 1], [], [7]], maxlen=12, padding="post")
trained(layers.GRU(8), empty)  # error: [mask-not-right-padded]
turned = keras.utils.pad_sequences([[3, 1], [7]], maxlen=12, padding="post")[:, ::-1]
trained(layers.LSTM(8), turned)  # error: [mask-not-right-padded]
filled_up = np.concatenate([np.random.randint(1, 50, (14, 12)), np.zeros((2, 12), dtype=int)])
trained(layers.LSTM(8), filled_up)  # error: [mask-not-right-padded]
```

Documents of fewer sentences than the array has room for leave sequences of zeros alone, which a model under
TimeDistributed masks throughout:

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

SENTENCES, WORDS = 5, 20


def encoded(documents):
    x = np.zeros((len(documents), SENTENCES, WORDS), dtype="int32")
    for i, sentences in enumerate(documents):
        for j, words in enumerate(sentences[:SENTENCES]):
            x[i, j, :len(words)] = words
    return x


documents = [[[4, 9], [3, 1, 7]], [[2, 2, 6]]]
words = keras.Input((WORDS,))
encoder = keras.Model(words, layers.GRU(16)(  # error: [mask-not-right-padded]
    layers.Embedding(50, 8, mask_zero=True)(words)))
document = keras.Input((SENTENCES, WORDS))
sentences = layers.TimeDistributed(encoder)(document)
model = keras.Model(document, layers.Dense(1)(layers.GRU(16)(sentences)))
model.compile("adam", "mse")
model.fit(encoded(documents), np.zeros((2, 1)))
```

A model of several inputs, where one of them is padded in front:

```python
import numpy as np
import keras
from keras import layers

question, image = keras.Input((20,), dtype="int32"), keras.Input((64,))
words = layers.Embedding(500, 16, mask_zero=True)(question)
hidden = layers.concatenate([layers.LSTM(8)(words), layers.Dense(8)(image)])  # error: [mask-not-right-padded]
model = keras.Model({"question": question, "image": image}, layers.Dense(1)(hidden))
model.compile("adam", "mse")
asked = keras.utils.pad_sequences([[4, 9, 23], [6, 2]], maxlen=20)
model.fit({"question": asked, "image": np.zeros((2, 64))}, np.zeros((2, 1)))
```

## Use instead

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers, models

tokens = keras.utils.pad_sequences([[3, 1], [7, 4, 9]], maxlen=12, padding="post")
tokens[1, 2:] = 0
model = models.Sequential([layers.Embedding(50, 8, mask_zero=True), layers.GRU(8), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(tokens, np.zeros((2, 1)))
empty = keras.utils.pad_sequences([[3, 1], []], maxlen=12, padding="post")
model.fit(empty[:1], np.zeros((1, 1)))
front = keras.utils.pad_sequences([[3, 1], [7, 4, 9]], maxlen=12)
model.fit(front[:, ::-1], np.zeros((2, 1)))
```

```python
import numpy as np
from tensorflow.keras import layers, models

clips = [np.random.rand(np.random.randint(5, 40), 8) for _ in range(100)]
x, whole = np.zeros((100, 40, 8)), np.zeros((100, 40, 8))
for i, clip in enumerate(clips):
    x[i, :len(clip)] = clip
    whole[i, 0:] = np.random.rand(40, 8)
model = models.Sequential([layers.Input((40, 8)), layers.Masking(), layers.LSTM(16), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, np.zeros((100, 1)))
model.fit(whole, np.zeros((100, 1)))
```

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
        layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy")
    return model


build().fit(x_train, y_train)
build(use_cudnn=False).fit(x_front, y_train)
```

Where no block of a row is left out, none is empty:

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x = np.zeros((40, 5, 20), dtype="int32")
for i in range(40):
    for j in range(5):
        count = np.random.randint(1, 20)
        x[i, j, :count] = np.random.randint(1, 50, count)
words = keras.Input((20,))
encoder = keras.Model(words, layers.GRU(16)(layers.Embedding(50, 8, mask_zero=True)(words)))
document = keras.Input((5, 20))
sentences = layers.TimeDistributed(encoder)(document)
model = keras.Model(document, layers.Dense(1)(layers.GRU(16)(sentences)))
model.compile("adam", "mse")
model.fit(x, np.zeros((40, 1)))
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
    layers.Input((80,)), layers.Embedding(20000, 128), layers.LSTM(64), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(x_train, y_train)
```

## Fix
Unsafe, since the model gets other data: `padding="post"` is given to the `pad_sequences` that made the data, and to the
one that made the validation data. Pad what the model is asked about later the same way.

## Where it fails
On a GPU, with Keras from 3.2 on, in fit(), evaluate() and predict(), as soon as one sequence is shorter than the
padded length: InvalidArgumentError "You are passing a RNN mask that does not correspond to right-padded sequences,
while using cuDNN, which is not supported". Called eagerly, the layer falls back to the general kernel; so does Keras 2
from TensorFlow 2.4 on, slowly. TensorFlow 2.0 to 2.3 fail for a sequence that is padding only: UnknownError
"CUDNN_STATUS_BAD_PARAM in tensorflow/stream_executor/cuda/cuda_dnn.cc(1424): 'cudnnSetRNNDataDescriptor(
data_desc.get(), data_type, layout, max_seq_length, batch_size, data_size, seq_lengths_array, (void*)&padding_fill)'".

## Known limits
Where the data was padded must be in sight. Of empty sequences only those are told of that come of one array of zeros,
partly filled, whose second axis is folded into the batch before the mask or goes to a model under TimeDistributed,
rows that were set to 0 as a whole, empty lists that were padded, and rows of zeros that are joined to others; masks
with holes depend on the data.

## References
* keras/src/backend/tensorflow/rnn.py: _assert_valid_mask
* keras/src/utils/sequence_utils.py: pad_sequences
* tf_keras/src/layers/rnn/gru_lstm_utils.py: is_cudnn_supported_inputs
'''

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from cudnnlint.events import LayerInfo, TrainingStarted, tensors
from cudnnlint.events.masks import Mask, mask_of
from cudnnlint.finding import Argument, Finding, Label, Level, Recipe, SetArgument
from cudnnlint.rules.ancestry import PREFIX, behind, runs_on_cudnn, within
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.masked_rows import (
    Rows,
    fed_rows,
    folded,
    is_filled_in,
    leaves_blocks,
    padded_in_front,
    rows_before,
    unfolded,
)
from cudnnlint.rules.protocol import rule


@rule("CUD416", "mask-not-right-padded", Level.ERROR, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    asserts = event.stack.keras >= (3, 2)
    if not (asserts or (2,) <= event.stack.tensorflow < (2, 4)):
        return
    fed = fed_rows(event.model.inputs, event.data.x, asserts)
    for layer, inputs, _ in behind(event.model.outputs) if fed else ():
        found = mask_of(inputs[0], event.stack) if inputs and runs_on_cudnn(layer, event.stack) else None
        held = rows_before(inputs[0], fed) if isinstance(found, Mask) else None
        if held is None or not isinstance(found, Mask):
            continue
        padded, behind_zeros, empty = held.padded, held.behind, held.empty
        name, mask = within(layer).name, found.maker
        if padded and found.value == padded.value:
            how = "padded behind and turned around" if padded.turned else "padded in front"
            other = "turn them around before" if padded.turned else 'pad_sequences(..., padding="post")'
            yield _finding(event, layer, f"sequences {how}, masked by {mask}, into {name}: cuDNN needs the padding "
                           "behind", other, name, fix=None if padded.turned else _fix(event))
        elif empty and found.value == 0 and not folded(inputs[0]):
            yield _finding(event, layer, f"a sequence without a step, which {mask} masks throughout, into {name}: "
                           "cuDNN takes none of these", "leave such rows out", name, Label(empty, "a row of 0 alone"))
        elif behind_zeros and not folded(inputs[0]):
            yield _finding(event, layer, f"sequences are written behind zeros, which {mask} masks, into {name}: cuDNN "
                           "needs the padding behind", "write them from the first step on, x[i, :length] = ...", name)
        elif (blocks := folded(inputs[0])) and leaves_blocks(held.given, blocks) \
                and unfolded(event.model.outputs, blocks):
            yield _of_blocks(event, layer, blocks, found)
        else:
            continue
        return
    yield from islice(_in_each_step(event, fed), 1)


def _in_each_step(event: TrainingStarted, fed: list[Rows]) -> Iterator[Finding]:
    """A model on each sequence of a sample by TimeDistributed, which Keras 3 calls for one after another, and Keras 2
    for all at once."""
    for outer, inputs, _ in behind(event.model.outputs) if fed else ():
        if outer.path != f"{PREFIX}TimeDistributed" or len(inputs) != 1 or not isinstance(inputs[0].shape, tuple):
            continue
        held = rows_before(inputs[0], fed) if inputs[0].step is not None and not inputs[0].step.parents else None
        blocks = inputs[0].shape[1]
        if held is None or not isinstance(blocks, int) or not is_filled_in(held.given) \
                or not leaves_blocks(held.given, blocks):
            continue
        for layer, masked, _ in behind(getattr(outer.arguments.get("layer"), "outputs", None)):
            found = mask_of(masked[0], event.stack) if masked and runs_on_cudnn(layer, event.stack) else None
            if isinstance(found, Mask) and found.value == 0:
                yield _of_blocks(event, layer, blocks, found)


def _of_blocks(event: TrainingStarted, layer: LayerInfo, blocks: int, mask: Mask) -> Finding:
    name = within(layer).name
    return _finding(event, layer, f"{blocks} sequences of each sample, those that it lacks left zero, are masked by "
                    f"{mask.maker} and go into {name}: cuDNN takes none that is masked throughout",
                    f"drop the empty ones before the {name}", name)


def _finding(event: TrainingStarted, layer: LayerInfo, message: str, remedy: str, name: str,
             made: Label | None = None, fix: Recipe | None = None) -> Finding:
    """At the layer that cuDNN refuses."""
    if event.stack.keras >= (3, 2):
        other = "use_cudnn=False"
        error = ('InvalidArgumentError "You are passing a RNN mask that does not correspond to right-padded '
                 'sequences"')
    else:
        other = 'recurrent_activation="hard_sigmoid"'
        error = 'UnknownError "CUDNN_STATUS_BAD_PARAM ... cudnnSetRNNDataDescriptor"'
    ends = [Label(event.span, f"{event.method}()")] if made is None else [made, Label(event.span, f"{event.method}()")]
    trace = (*(label for label in event.trace if label.span not in (layer.span, event.span)), *ends)
    return event.finding(message, help=f"{remedy}, or {name}(..., {other})",
                         fails=f"on a GPU, in {event.method}(): {error}", fix=fix, span=layer.span, trace=trace)


def _fix(event: TrainingStarted) -> Recipe:
    """Training and validation data are padded alike."""
    held = [*tensors(event.data.x), *(tensors(event.validation.x) if event.validation is not None else ())]
    calls = dict.fromkeys(found.span for x in held if (found := padded_in_front(x)) is not None and not found.turned)
    return unsafe('padding="post" in pad_sequences()',
                  *(SetArgument(Argument(span, "padding", 3), '"post"') for span in calls))

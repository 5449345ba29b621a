'''Word indices that an Embedding has no row for.

## Why is this bad?
`Embedding(input_dim)` has rows 0 to `input_dim` - 1. Indices that count from 1, as those of a Tokenizer, need
`input_dim` to be one more than the number of words. A CPU refuses a larger index; a GPU gives zeros for it, and the
words that are looked up there are lost without a word.

## Example

```python
import keras
import numpy as np
from keras import layers

words = np.random.randint(1, 1001, size=(500, 20))
model = keras.Sequential([keras.Input((20,)), layers.Embedding(1000, 16), layers.Flatten(), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(words, np.zeros((500, 1)))  # error: [embedding-index-out-of-range]
```

```python
import keras
from keras import layers

(x, y), _ = keras.datasets.imdb.load_data(num_words=20000)
x = keras.utils.pad_sequences(x, maxlen=200)
inputs = keras.Input((200,))
hidden = layers.GlobalAveragePooling1D()(layers.Embedding(10000, 32)(inputs))
model = keras.Model(inputs, layers.Dense(1, activation="sigmoid")(hidden))
model.compile("adam", "binary_crossentropy")
model.fit(x, y)  # error: [embedding-index-out-of-range]
```

```python
import tensorflow as tf

embedded = tf.keras.layers.Embedding(6, 4)(tf.constant([[1, 2, 6]]))  # error: [embedding-index-out-of-range]
```

```python
import numpy as np
import tensorflow as tf

words = {word: number for number, word in enumerate(["<pad>", "<unk>", "the", "cat"])}
model = tf.keras.Sequential([tf.keras.layers.Embedding(3, 8), tf.keras.layers.GlobalAveragePooling1D()])
rows = np.array([[words[word] for word in "the cat".split()]])
vectors = model(rows)  # error: [embedding-index-out-of-range]
```

```python
import numpy as np
import tensorflow as tf

day, store = tf.keras.Input((1,), name="day", dtype="int32"), tf.keras.Input((1,), name="store", dtype="int32")
parts = [tf.keras.layers.Embedding(6, 4)(day), tf.keras.layers.Embedding(10, 4)(store)]
outputs = tf.keras.layers.Dense(1)(tf.keras.layers.Flatten()(tf.keras.layers.Concatenate()(parts)))
model = tf.keras.Model([day, store], outputs)
model.compile("adam", "mse")
rows = {"store": np.random.randint(0, 10, (200, 1)), "day": np.random.randint(0, 7, (200, 1))}
model.fit(rows, np.zeros((200, 1)))  # error: [embedding-index-out-of-range]
```

A look-up gives 0 to whatever is not among its words, and counts these from 1 on:

```python
import keras
from keras import layers

cities = ["Paris", "Rome", "Vienna"]
city = keras.Input((), dtype="string")
index = layers.StringLookup(vocabulary=cities)(city)
vector = layers.Embedding(len(cities), 8)(index)  # error: [embedding-index-out-of-range]
vector = layers.Embedding(len(cities) + 1, 8)(index)
exact = layers.StringLookup(vocabulary=cities, num_oov_indices=0)(city)
vector = layers.Embedding(len(cities), 8)(exact)
```

The indices of a Tokenizer run from 1 to the number of its words:

```python
import numpy as np
from tensorflow.keras import layers
from tensorflow.keras.preprocessing.text import Tokenizer

texts = ["the cat sat", "on the mat"]
tokenizer = Tokenizer()
tokenizer.fit_on_texts(texts)
table = layers.Embedding(len(tokenizer.word_index), 32)  # error: [embedding-index-out-of-range]
rows = table(np.array(tokenizer.texts_to_sequences(texts)))
```

So do those of one's own dictionary:

```python
import keras

texts = ["the cat sat", "on the mat"] * 40
index = {word: i + 1 for i, word in enumerate(sorted({word for text in texts for word in text.split()}))}
rows = keras.utils.pad_sequences([[index[word] for word in text.split()] for text in texts], maxlen=4)
model = keras.Sequential([keras.layers.Embedding(len(index), 8), keras.layers.Flatten(), keras.layers.Dense(1)])
scores = model.predict(rows)  # error: [embedding-index-out-of-range]
```

PyTorch raises on a CPU; on a GPU the kernel asserts, and what is reported is the next call:

```python
import torch
from torch import nn

table = nn.Embedding(1000, 16, padding_idx=0)
ids = torch.randint(1, 1001, (400, 120))
rows = table(ids)  # error: [embedding-index-out-of-range]

texts = ["the cat sat", "on the mat"]
index = {word: i + 1 for i, word in enumerate(sorted({word for text in texts for word in text.split()}))}
lines = [torch.tensor([index[word] for word in text.split()[:2 + n]]) for n, text in enumerate(texts)]
padded = nn.utils.rnn.pad_sequence(lines, batch_first=True)
rows = nn.Embedding(len(index), 16)(padded)  # error: [embedding-index-out-of-range]
rows = nn.Embedding(len(index) + 1, 16)(padded)
```

Columns of a table, each with numbers of its own:

```python
import keras
import numpy as np

user, item = np.random.randint(0, 50, 400), np.arange(1, 401)
ratings = np.stack([user, item], axis=1)
both = keras.Input((2,), dtype="int32")
users = keras.layers.Embedding(50, 8)(both[:, 0])
items = keras.layers.Embedding(400, 8)(both[:, 1])
model = keras.Model(both, keras.layers.Dot(1)([users, items]))
model.compile("adam", "mse")
model.fit(ratings, np.zeros((400, 1)))  # error: [embedding-index-out-of-range]
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

words = np.random.randint(1, 1001, size=(500, 20))
model = keras.Sequential([keras.Input((20,)), layers.Embedding(1000 + 1, 16), layers.Flatten(), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(words, np.zeros((500, 1)))
```

```python
from tensorflow.keras import layers
from tensorflow.keras.preprocessing.text import Tokenizer

texts = ["the cat sat", "on the mat"]
tokenizer = Tokenizer(num_words=5000)
tokenizer.fit_on_texts(texts)
bounded = layers.Embedding(5000, 32)
table = layers.Embedding(len(tokenizer.word_index) + 1, 32)
padded, loaded = Tokenizer(), Tokenizer()
padded.word_index[""] = 0
loaded.index_word = {0: "", **tokenizer.index_word}
layers.Embedding(len(padded.word_index), 32)
layers.Embedding(len(loaded.index_word), 32)
```

## Fix
Unsafe, since the indices may be what is wrong: the number of rows is raised to what the indices need. Where it stands
in a variable, that gets a `+ 1` if one row is missing, and is left alone otherwise.

## Where it fails
Everywhere. On a CPU InvalidArgumentError "indices[0,2] = 10 is not in [0, 10)" (run with Keras 3.15 and tf_keras
2.21: in a direct call, fit() and predict()). On a GPU the row is zeros and nothing is said. A negative index fails the
same way in Keras 2 and counts from the end in Keras 3 (run too), which is not reported.

PyTorch: IndexError "index out of range in self" on a CPU; on a GPU "Assertion `srcIndex < srcSelectDimSize` failed" of
indexSelectLargeIndex or indexSelectSmallIndex, and a later call reports "CUDA error: device-side assert triggered",
or cuDNN seems to fail: CUDNN_STATUS_MAPPING_ERROR, CUDNN_STATUS_EXECUTION_FAILED, CUDNN_STATUS_INTERNAL_ERROR.

## Known limits
Indices are followed where their values stand in the program: lists, arange(), np.random.randint(), `num_words` of
keras.datasets, the words that a look-up layer was given, and what is added to them. Of a Tokenizer only
`len(word_index)` itself is known, where it was made without num_words, no word was added and the module nowhere takes
1 away, as from indices that are to begin at 0. Only an Embedding that is applied to inputs of
the model, or to tensors, is judged.

## References
* tensorflow/core/kernels/gather_op.cc: GatherOp; gather_functor_gpu.cu.h: GatherOpKernel (zeros)
* keras/src/layers/core/embedding.py: Embedding.call
* aten/src/ATen/native/Embedding.cpp; https://github.com/pytorch/pytorch/issues/29966
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied, LayerCreated, LayerInfo, TrainingStarted
from cudnnlint.finding import Finding, Label, Level, RaiseArgument
from cudnnlint.rules.ancestry import MODELS, graph_of, maker_of
from cudnnlint.rules.fixes import argument, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.trace import provenance
from cudnnlint.values import Tensor
from cudnnlint.values.bounds import Bounds, bounds
from cudnnlint.values.columns import column
from cudnnlint.values.tensor import matched, tensors
from cudnnlint.values.unknown import WordCount

EMBEDDING, TORCH, INPUT = "keras.layers.Embedding", "torch.nn.Embedding", "keras.layers.InputLayer"
MOST = 500
"""Steps of a model that are looked at."""


@rule("CUD410", "embedding-index-out-of-range", Level.ERROR, since="0.1", layers=frozenset({EMBEDDING, TORCH, *MODELS}))
def check(event: LayerCreated | LayerApplied | TrainingStarted) -> Iterator[Finding]:
    if isinstance(event, LayerCreated):
        if event.layer.path == EMBEDDING and isinstance(event.layer.arguments.get("input_dim"), WordCount):
            yield _of_words(event)
        return
    if isinstance(event, LayerApplied):
        if event.layer.path in (EMBEDDING, TORCH):
            yield from _judge(event, event.layer, bounds(event.inputs), "when it runs")
        else:
            yield from _within(event, graph_of(event.output), event.inputs, "when it runs")
        return
    yield from _within(event, event.model.outputs, event.data.x, f"in {event.method}()")
    yield from _of_several(event)


def _of_several(event: TrainingStarted) -> Iterator[Finding]:
    """A model of several inputs: each Embedding that is applied to one of them, and what that one is fed."""
    inputs, given = tensors(event.model.inputs), event.data.x
    fed = matched(event.model.inputs, given)
    if len(inputs) < 2 or len(fed) != len(inputs):
        return
    names = event.model.inputs if isinstance(event.model.inputs, dict) else \
        [getattr(tensor.step.maker, "name", None) for tensor in inputs if tensor.step is not None]
    if isinstance(given, dict) and not all(name in given for name in names):
        return
    held = {id(tensor.step): bounds(have) for tensor, have in zip(inputs, fed, strict=True)}
    for layer, x in _embeddings(event.model.outputs)[0]:
        found = held.get(id(x.step))
        if found is not None:
            yield from _judge(event, layer, found, f"in {event.method}()")


def _within(event: LayerApplied | TrainingStarted, outputs: object, fed: object, when: str) -> Iterator[Finding]:
    for layer, held in _on_input(outputs, fed) if isinstance(fed, Tensor) else ():
        yield from _judge(event, layer, held, when)


def _of_words(event: LayerCreated) -> Finding:
    return event.finding(
        "the Embedding has a row for each word of a Tokenizer, whose indices run from 1 to their number",
        help="input_dim=len(tokenizer.word_index) + 1",
        fix=unsafe("one row more", RaiseArgument(argument(event.layer, "input_dim"), 1)),
        fails='everywhere, when it runs: InvalidArgumentError "indices[...] = ... is not in" on a CPU; zeros on a GPU, '
              'silently')


def _judge(event: LayerApplied | TrainingStarted, layer: LayerInfo, held: Bounds | None,
           when: str) -> Iterator[Finding]:
    rows = layer.arguments.get("num_embeddings" if layer.path == TORCH else "input_dim")
    if held is None or not isinstance(rows, int) or held.high < rows:
        return
    failure = (f'InvalidArgumentError "indices[...] = {held.high} is not in [0, {rows})" on a CPU; zeros on a GPU, '
               'silently')
    if layer.path == TORCH:
        failure = ('IndexError "index out of range in self" on a CPU; on a GPU "device-side assert triggered", which a '
                   "later call reports, often one of cuDNN")
    name = "num_embeddings" if layer.path == TORCH else "input_dim"
    there = layer.span != event.span
    told = provenance(event.data.x, event.span) if isinstance(event, TrainingStarted) else event.trace
    yield event.finding(
        f"indices run from {held}, the Embedding has {rows} rows: 0 to {rows - 1}",
        help=f"Embedding({held.high + 1}, ...)",
        trace=(*told, Label(layer.span, f"{rows} rows")) if there else told,
        fix=unsafe(f"{held.high + 1} rows", RaiseArgument(argument(layer, name), held.high + 1 - rows)),
        fails=f"everywhere, {when}: {failure}")


def _on_input(outputs: object, fed: Tensor) -> Iterator[tuple[LayerInfo, Bounds | None]]:
    """The Embeddings applied to the one input of a model, which is symbolic or what it was fed, or to a column of it,
    and the indices there. Those in layers of the user's are among them."""
    found, inputs = _embeddings(outputs)
    if inputs == 1:
        for layer, x in found:
            yield layer, bounds(fed if _is_input(x) else _column(x, fed) or x)


def _column(x: Tensor, fed: Tensor) -> Tensor | None:
    """What `inputs[:, 1]` is of what the model is fed."""
    step = x.step
    if step is None or step.maker != "operator.getitem" or step.arguments is None or not _is_input(step.parents[0]):
        return None
    return column(fed, step.arguments[0][1])


def _embeddings(outputs: object) -> tuple[list[tuple[LayerInfo, Tensor]], int]:
    """The Embeddings before some tensors with what each is applied to, and how many inputs there are."""
    todo, seen = list(tensors(outputs)), set[int]()
    found: list[tuple[LayerInfo, Tensor]] = []
    inputs = set[int]()
    while todo and len(seen) < MOST:
        tensor = todo.pop()
        if tensor.step is None or id(tensor.step) in seen:
            continue
        seen.add(id(tensor.step))
        parents = tensor.step.parents
        layer = maker_of(tensor)
        if not parents:
            inputs.add(id(tensor.step))
        if layer is not None and layer.path == EMBEDDING and len(parents) == 1:
            found.append((layer, parents[0]))
        todo += (*parents, *tensors(tensor.step.body))
    return found, len(inputs)


def _is_input(tensor: Tensor) -> bool:
    if tensor.step is not None and tensor.step.parents:
        return False
    return tensor.kind == "keras" or getattr(maker_of(tensor), "path", "") == INPUT  # within a call() it is a tf.Tensor

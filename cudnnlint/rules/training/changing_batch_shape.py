'''Batches of ever other lengths are fed to a model that XLA compiles.

## Why is this bad?
XLA compiles for one shape. `padded_batch` without `padded_shapes` pads each batch to its longest row, so that nearly
every batch has a length of its own, and training stops to compile for each new one; what it compiled is kept. With
Keras 3 that happens without being asked for: `jit_compile="auto"` means XLA on a GPU.

## Example

```python
import tensorflow as tf
from tensorflow import keras

rows = tf.data.Dataset.from_generator(
    lambda: (([[0.0] * 8] * n, 1.0) for n in range(1, 400)),
    output_signature=(tf.TensorSpec((None, 8)), tf.TensorSpec(())),
)
model = keras.Sequential([
    keras.layers.Input((None, 8)), keras.layers.Conv1D(16, 3, padding="same"),
    keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1),
])
model.compile("adam", "mse")
model.fit(rows.padded_batch(4))  # error: [changing-batch-shape]
```

## Use instead
One length, a few lengths, or no XLA:

```python
import tensorflow as tf
from tensorflow import keras

rows = tf.data.Dataset.from_generator(
    lambda: (([[0.0] * 8] * n, 1.0) for n in range(1, 400)),
    output_signature=(tf.TensorSpec((None, 8)), tf.TensorSpec(())),
)
model = keras.Sequential([
    keras.layers.Input((None, 8)), keras.layers.Conv1D(16, 3, padding="same"),
    keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1),
])
model.compile("adam", "mse")
model.fit(rows.padded_batch(4, padded_shapes=((400, 8), ())))
buckets = rows.bucket_by_sequence_length(
    lambda x, y: tf.shape(x)[0], [101, 201, 401], [4, 4, 4, 4], pad_to_bucket_boundary=True)
model.fit(buckets)
model.compile("adam", "mse", jit_compile=False)
model.fit(rows.padded_batch(4))
```

An LSTM that runs on cuDNN is not compiled by XLA:

```python
import tensorflow as tf
from tensorflow import keras

rows = tf.data.Dataset.from_generator(
    lambda: (([1] * n, 1.0) for n in range(1, 400)),
    output_signature=(tf.TensorSpec((None,), tf.int32), tf.TensorSpec(())),
)
model = keras.Sequential([keras.layers.Embedding(100, 8), keras.layers.LSTM(16), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(rows.padded_batch(4))
```

## Where it fails
Keras 3 on a GPU, or any version with `jit_compile=True`; slowly, and with memory that grows with the number of lengths.
Run with Keras 3.15 and `jit_compile=True` on a CPU, the model above: 40 batches of one length take 2 s, 40 batches of
40 lengths 37 s and 50 MiB, the same 40 batches once more 0.1 s; without XLA 40 lengths take 0.3 s.

## Known limits
Only lengths that `padded_batch` leaves open are told of, with a model that is known whole or is asked to compile by
`jit_compile=True`.

## References
* keras/src/trainers/trainer.py: Trainer.compile, model_supports_jit
* keras/src/layers/rnn/lstm.py: LSTM.__init__, supports_jit
* https://github.com/tensorflow/tensorflow/issues/124972
'''

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import TrainingStarted, tensors
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.ancestry import MODELS, behind
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Symbol, Tensor, Unknown

NEVER = frozenset(f"keras.layers.{name}" for name in (
    "LSTM", "GRU", "Bidirectional", "StringLookup", "IntegerLookup", "TextVectorization", "Hashing", "HashedCrossing",
    "RandomZoom", "RandomPerspective", "RandomCrop", "RandomTranslation", "RandomRotation", "RandomShear", "RNN",
    "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"))
"""Layers that keep a model from XLA, or may (keras/src/layers: supports_jit)."""


@rule("CUD609", "changing-batch-shape", Level.WARNING, since="0.1")
def check(event: TrainingStarted) -> Iterator[Finding]:
    if event.method != "fit" or event.data.padded is None or not _compiles(event):
        return
    open_ended = next((tensor for tensor in tensors(event.data.x) if _differs(tensor)), None)
    if open_ended is not None:
        yield event.finding(
            f"batches of other lengths, {open_ended}, for a model that XLA compiles anew for each length",
            trace=(*event.trace, Label(event.data.padded, "padded to the longest row of each batch")),
            help="give padded_batch() its padded_shapes, use bucket_by_sequence_length(pad_to_bucket_boundary=True), "
                 "or compile(jit_compile=False)",
            fails="with Keras 3 on a GPU, or with jit_compile=True: slowly, a compilation for each new length, and "
                  "memory that grows with their number")


def _differs(tensor: Tensor) -> bool:
    return isinstance(tensor.shape, tuple) and any(isinstance(extent, Symbol) for extent in tensor.shape[1:])


def _compiles(event: TrainingStarted) -> bool:
    """Whether XLA compiles the training step where there is a GPU (Trainer.compile, model_supports_jit)."""
    compiled: Any = event.model.compiled or {}
    asked = compiled.get("jit_compile")
    if compiled.get("run_eagerly") not in (None, False):
        return False
    if asked is True:
        return True
    if event.stack.keras < (3,) or asked not in (None, "auto") or event.model.replicas != 1:
        return False
    if isinstance(event.model.outputs, Unknown):
        return False
    layers = [layer.path for layer, _, _ in behind(event.model.outputs) if layer.path not in MODELS]
    return bool(layers) and all(path and path not in NEVER for path in layers)

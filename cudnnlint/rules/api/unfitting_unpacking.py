'''A tuple or tensor is unpacked to more or fewer names than it has values.

## Why is this bad?
`load_data()` gives two pairs and not four arrays, a recurrent layer gives its states only with `return_state=True`, an
LSTM has two of them and a GRU one, and a dataset of images alone has no labels to unpack.

## Example

```python
import keras
import numpy as np
import tensorflow as tf
from keras import layers

x_train, y_train, x_test, y_test = keras.datasets.mnist.load_data()  # error: [unfitting-unpacking]

inputs = keras.Input((20, 8))
output, state = layers.LSTM(16, return_state=True)(inputs)  # error: [unfitting-unpacking]
output, state = layers.GRU(16)(inputs)  # error: [unfitting-unpacking]

rows, columns = np.zeros((64, 28, 28)).shape  # error: [unfitting-unpacking]

for image, label in tf.data.Dataset.from_tensor_slices(np.zeros((64, 28, 28))):  # error: [unfitting-unpacking]
    print(label)
```

evaluate() gives the loss alone, unless compile() was given metrics:

```python
import keras
import numpy as np

x, y = np.zeros((8, 4)), np.zeros((8, 1))
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
loss, error = model.evaluate(x, y)  # error: [unfitting-unpacking]
model.compile("adam", "mse", metrics=["mae"])
loss, error = model.evaluate(x, y)
```

A packed sequence of PyTorch has four fields since 1.1, two before:

```python
import torch
from torch.nn.utils.rnn import pack_padded_sequence

scores, targets = torch.randn(3, 5, 8), torch.randint(0, 8, (3, 5))
scores, _ = pack_padded_sequence(scores, [5, 4, 2], batch_first=True)  # error: [unfitting-unpacking]
targets = pack_padded_sequence(targets, [5, 4, 2], batch_first=True).data
```

## Use instead

```python
import keras
import numpy as np
import tensorflow as tf
from keras import layers

(x_train, y_train), (x_test, y_test) = keras.datasets.mnist.load_data()

inputs = keras.Input((20, 8))
output, hidden, cell = layers.LSTM(16, return_state=True)(inputs)
output, state = layers.GRU(16, return_state=True)(inputs)

count, rows, columns = np.zeros((64, 28, 28)).shape

for image, label in tf.data.Dataset.from_tensor_slices((np.zeros((64, 28, 28)), np.zeros(64))):
    print(label)
```

## Where it fails
Everywhere: ValueError "not enough values to unpack (expected 4, got 2)" or "too many values to unpack (expected 2)". A
symbolic tensor: NotImplementedError "Iterating over a symbolic KerasTensor is not supported.", with Keras 2 TypeError
"Cannot iterate over a Tensor with unknown first dimension.". A loss alone: TypeError "cannot unpack non-iterable float
object".

## Known limits
Nothing is told within a try block that has handlers.

## References
* keras/src/datasets/mnist.py: load_data; keras/src/layers/rnn/lstm.py: LSTM.call
* keras/src/backend/common/keras_tensor.py: KerasTensor.__iter__
* keras/src/trainers/trainer.py: Trainer._flatten_metrics_in_order
* torch/nn/utils/rnn.py: PackedSequence
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD711", "unfitting-unpacking", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.UNPACKED:
        yield rejection(event)

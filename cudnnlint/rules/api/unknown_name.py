'''A module of TensorFlow, Keras, PyTorch or NumPy is asked for a name that is nearly one of its names.

## Why is this bad?
`tf.keras.utils.to_catagorical` stops the program where it is read, which may be after hours of training. Often it is
another library's name: `tf.concatenate` is NumPy's and Keras', `nn.Conv2D` TensorFlow's.

## Example

```python
import keras
import numpy as np
import tensorflow as tf

pixels = np.concatenated([np.zeros(3), np.ones(3)])  # error: [unknown-name]
labels = keras.utils.to_catagorical([0, 1, 2])  # error: [unknown-name]
optimizer = keras.optimizers.RMSProp(1e-3)  # error: [unknown-name]
loss = tf.keras.losses.SparseCategoricalCrossEntropy()  # error: [unknown-name]
images = tf.expand_dim(tf.zeros((28, 28)), 0)  # error: [unknown-name]
both = tf.concatenate([images, images], 0)  # error: [unknown-name]
```

```python
from tensorflow.keras.callback import EarlyStopping  # error: [unknown-name]
from tensorflow.keras.models import Sequental  # error: [unknown-name]
```

```python keras=3.15
import keras
from keras import ops

x = keras.Input((4,))
total = ops.reduce_sum(x)  # error: [unknown-name]
squares = ops.pow(x, 2)  # error: [unknown-name]
flat = keras.reshape(x, (-1, 2))  # error: [unknown-name]
stop = keras.EarlyStopping()  # error: [unknown-name]
```

```python
import torch
from torch import nn

conv = nn.Conv2D(3, 8, 3)  # error: [unknown-name]
x = torch.concatinate([torch.zeros(2), torch.ones(2)])  # error: [unknown-name]
```

## Use instead

```python
import keras
import numpy as np
import tensorflow as tf
from tensorflow.keras.callbacks import EarlyStopping
from tensorflow.keras.models import Sequential

pixels = np.concatenate([np.zeros(3), np.ones(3)])
labels = keras.utils.to_categorical([0, 1, 2])
optimizer = keras.optimizers.RMSprop(1e-3)
loss = tf.keras.losses.SparseCategoricalCrossentropy()
images = tf.expand_dims(tf.zeros((28, 28)), 0)
both = tf.concat([images, images], 0)
if hasattr(tf, "expand_dim"):
    images = tf.expand_dim(images, 0)
```

## Where it fails
Everywhere, when it is read: AttributeError "module 'keras.utils' has no attribute 'to_catagorical'", ImportError
"cannot import name 'Sequental' from 'tensorflow.keras.models'"; ModuleNotFoundError for a module that is imported,
as `tensorflow.keras.callback`.

## Known limits
Told of modules all of whose names are known, in Keras 2.2 to 3.15, TensorFlow 2.21 and its compat.v1, PyTorch 2.13
and NumPy 1.16 to 2.4, and of names that differ from one of these in their case or by a letter or two; of classes that
another module of Keras has, and of some names that NumPy or another library has. Of `keras.layers`, unknown-layer
tells. What was there once is told of by removed-api. Silent in a try block whose handlers may be there for just this,
in branches that need not be taken, and about names that the file sets itself or asks for with hasattr.

## References
* tensorflow/_api/v2, keras/__init__.py, keras/_tf_keras, torch/__init__.py
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD724", "unknown-name", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.MISSPELT:
        yield rejection(event)

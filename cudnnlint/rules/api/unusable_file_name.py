'''A model is saved in, or loaded from, a file whose name does not end as Keras 3 asks for.

## Why is this bad?
Keras 3 takes the format from the ending: `.keras` (or `.h5`) for models, `.weights.h5` for weights. A name without one,
which meant a SavedModel or a TensorFlow checkpoint in Keras 2, is refused: by `save()` after the training, and by
ModelCheckpoint as it is made.

## Example

```python keras=3.15
import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
best = keras.callbacks.ModelCheckpoint("best.h5", save_weights_only=True)  # error: [unusable-file-name]
each = keras.callbacks.ModelCheckpoint("epoch-{epoch:02d}.hdf5")  # error: [unusable-file-name]
model.save("exported/price_model")  # error: [unusable-file-name]
model.save_weights("weights.h5")  # error: [unusable-file-name]
```

The folder may be anything:

```python keras=3.15
import os
import tempfile

import keras

folder = tempfile.mkdtemp()
name = os.path.join(folder, "best.h5")
stop = [keras.callbacks.ModelCheckpoint(name, save_weights_only=True)]  # error: [unusable-file-name]
stop = [keras.callbacks.ModelCheckpoint(f"{folder}/best.ckpt")]  # error: [unusable-file-name]
stop = [keras.callbacks.ModelCheckpoint(folder + "/best")]  # error: [unusable-file-name]
stop = [keras.callbacks.ModelCheckpoint(f"{folder}/best.keras")]
stop = [keras.callbacks.ModelCheckpoint(folder + "keras"), keras.callbacks.ModelCheckpoint(folder)]
```

Neither does Keras 3 load the SavedModels that Keras 2 wrote into a folder:

```python keras=3.15
import keras

old = keras.models.load_model("exported/price_model")  # error: [unusable-file-name]
```

## Use instead

```python
import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
best = keras.callbacks.ModelCheckpoint("best.weights.h5", save_weights_only=True)
each = keras.callbacks.ModelCheckpoint("epoch-{epoch:02d}.keras")
model.save("exported/price_model.keras")
model.save_weights("last.weights.h5")
```

## Where it fails
With Keras 3 (run with 3.3, 3.8 and 3.15): ValueError "Invalid filepath extension for saving. Please add either a
`.keras` extension for the native Keras format (recommended) or a `.h5` extension", "The filename must end in
`.weights.h5`", "The filepath provided must end in `.keras` (Keras model format)", "File format not supported". Keras 2
takes any name:

```python keras=2.15 tensorflow=2.15
from tensorflow import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.save("exported/price_model")
model.save_weights("weights.h5")
```

## Known limits
Names whose end is known. Where nothing names a version, the first one in a program is told. Folders of Orbax, which
newer releases load, are known by their names alone.

## References
* keras/src/saving/saving_api.py: save_model, load_model, save_weights
* keras/src/callbacks/model_checkpoint.py: ModelCheckpoint.__init__
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD720", "unusable-file-name", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.FILE_NAME:
        yield rejection(event)

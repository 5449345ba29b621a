'''A callback monitors, or the program reads, a metric that fit() does not log.

## Why is this bad?
EarlyStopping that waits for "val_loss" without validation data never stops, ModelCheckpoint with `save_best_only`
never saves: a warning scrolls by in each epoch. What is logged is "loss", the metrics under the names that compile()
was given ("acc" stays "acc", BinaryAccuracy is "binary_accuracy"), and the same with "val_" of validation data.

## Example

```python
import keras
import numpy as np

x, y = np.zeros((200, 10)), np.zeros((200, 1))
model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=[keras.metrics.BinaryAccuracy()])
model.fit(x, y, callbacks=[keras.callbacks.EarlyStopping(patience=3)])  # error: [metric-not-logged]
best = keras.callbacks.ModelCheckpoint("best.keras", monitor="val_accuracy", save_best_only=True)
model.fit(x, y, validation_split=0.2, callbacks=[best])  # error: [metric-not-logged]
```

```python
import keras
import numpy as np

x, y = np.zeros((200, 10)), np.zeros((200, 1))
model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, validation_split=0.2)
print(history.history["loss"], history.history["acc"])  # error: [metric-not-logged]
```

## Use instead

```python
import keras
import numpy as np


class Own(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs["val_f1"] = 0.5


x, y = np.zeros((200, 10)), np.zeros((200, 1))
model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=[keras.metrics.BinaryAccuracy(), keras.metrics.AUC(), "acc"])
stop = keras.callbacks.EarlyStopping("val_binary_accuracy", patience=3)
best = keras.callbacks.ModelCheckpoint("best.keras", monitor="val_auc_1", mode="max", save_best_only=True)
history = model.fit(x, y, validation_split=0.2, callbacks=[stop, best])
print(history.history["val_acc"], history.history["val_loss"])
model.fit(x, y, callbacks=[keras.callbacks.EarlyStopping("loss"), keras.callbacks.ModelCheckpoint("each.keras")])
model.fit(x, y, callbacks=[Own(), keras.callbacks.EarlyStopping("val_f1", mode="max")])
```

## Where it fails
Everywhere, run with Keras 3.15 and tf_keras 2.21: "UserWarning: Early stopping conditioned on metric `val_loss` which
is not available", "Can save best model only with val_loss available." and nothing else. Without `mode`, EarlyStopping
of Keras 3 refuses a name that is that of no metric: ValueError "EarlyStopping callback received monitor=val_acc, but
Keras isn't able to automatically determine whether that metric should be maximized or minimized"; from Keras 3.11 on
ReduceLROnPlateau and ModelCheckpoint do so too, the latter even where it saves every epoch (run with 3.15, read in 3.10
and 3.11). The history: "KeyError: 'acc'", "KeyError: 'val_acc'". A file name "{epoch:02d}-{val_loss:.2f}.keras" without
validation data: KeyError "Failed to format this callback filepath".

## Known limits
That an unnamed metric was made before, of which the next one gets a number, is told of one that the same line made.
Models with one output, metrics by name or of the library, callbacks of the library: a callback of the user's own may
add to what is logged.

## References
* keras/src/callbacks/early_stopping.py: EarlyStopping.get_monitor_value
* keras/src/callbacks/monitor_callback.py: MonitorCallback._set_monitor_op
* keras/src/callbacks/model_checkpoint.py: ModelCheckpoint._save_model
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD626", "metric-not-logged", Level.WARNING, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NOT_LOGGED:
        yield rejection(event)

'''A metric is given labels of another kind than it compares.

## Why is this bad?
"accuracy" looks at the labels and chooses; metrics that are named do not. Precision, Recall and AUC compare each output
with a label of its own, F1Score wants two axes, MeanIoU class numbers on both sides: with class numbers as labels of a
softmax of several units they fail in the first step, or count wrong without a word.

## Example

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((15,)), keras.layers.Dense(4, activation="softmax")])
x, y = np.zeros((90, 15)), np.zeros((90,), "int32")
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy", keras.metrics.Precision()])
model.fit(x, y)  # error: [unfitting-metric]
model.compile("adam", "sparse_categorical_crossentropy", metrics=[keras.metrics.CategoricalAccuracy()])
model.fit(x, y)  # error: [unfitting-metric]
model.compile("adam", "sparse_categorical_crossentropy", metrics=["categorical_crossentropy"])
model.fit(x, y)  # error: [unfitting-metric]
```

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Conv2D(3, 1, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=[keras.metrics.MeanIoU(num_classes=3)])
model.fit(np.zeros((8, 32, 32, 3)), np.zeros((8, 32, 32, 1), "int32"))  # error: [unfitting-metric]
```

In a loop of one's own:

```python
import keras
import numpy as np

x, y = np.zeros((90, 15), "float32"), keras.utils.to_categorical(np.arange(90) % 4, 4)
model = keras.Sequential([keras.Input((15,)), keras.layers.Dense(4, activation="softmax")])
accuracy, squared = keras.metrics.SparseCategoricalAccuracy(), keras.metrics.MeanSquaredError()
for start in range(0, 90, 30):
    outputs = model(x[start:start + 30])
    accuracy.update_state(y[start:start + 30], outputs)  # error: [unfitting-metric]
    squared.update_state(y[start:start + 30], outputs)
```

## Use instead

```python
import keras
import numpy as np

model = keras.Sequential([keras.Input((15,)), keras.layers.Dense(4, activation="softmax")])
x, y = np.zeros((90, 15)), np.zeros((90,), "int32")
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy", "sparse_categorical_accuracy"])
model.fit(x, y)
model.compile("adam", "categorical_crossentropy", metrics=[keras.metrics.Precision(), keras.metrics.F1Score()])
model.fit(x, keras.utils.to_categorical(y, 4))
masks = keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Conv2D(3, 1, activation="softmax")])
masks.compile("adam", "sparse_categorical_crossentropy",
              metrics=[keras.metrics.MeanIoU(num_classes=3, sparse_y_pred=False)])
masks.fit(np.zeros((8, 32, 32, 3)), np.zeros((8, 32, 32, 1), "int32"))
```

## Where it fails
Everywhere, in fit() and evaluate(), run with Keras 3.3, 3.8 and 3.15 and tf_keras 2.21: InvalidArgumentError
"Incompatible shapes: [32,10] vs. [32,1]" or ValueError "Dimensions must be equal", with Keras 2 "Shapes (None, 4) and
(None, 1) are incompatible"; F1Score ValueError "FBetaScore expects 2D inputs with shape (batch_size, output_dim)."
Metrics that compare element by element, BinaryAccuracy and MeanSquaredError, fail with Keras 3 for labels of one axis.
CategoricalAccuracy of class numbers fails nowhere and counts class 0.

## Known limits
Models with one output. Metrics of the user's own are not judged, nor those that choose a class (`class_id`).

## References
* keras/src/metrics/metrics_utils.py: update_confusion_matrix_variables
* keras/src/metrics/f_score_metrics.py: FBetaScore._build
* keras/src/metrics/iou_metrics.py: MeanIoU
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD427", "unfitting-metric", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.METRIC:
        yield rejection(event)

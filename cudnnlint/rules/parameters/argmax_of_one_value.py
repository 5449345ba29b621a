"""argmax goes over an axis of one value, and gives 0 whatever comes in.

## Why is this bad?
A classifier of two classes that ends in one unit with a sigmoid gives the probability of class 1, one number a row.
`argmax` asks for the place of the greatest of these: there is one, at place 0. All rows are of class 0 then, the
confusion matrix has one column, and the accuracy is the share of class 0.

## Example

```python
import keras
import numpy as np

x, y = np.zeros((200, 8)), np.zeros(200)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(x, y)
scores = model.predict(x)
classes = np.argmax(scores, axis=1)  # error: [argmax-of-one-value]
one = model.predict(x[:1])[0].argmax()  # error: [argmax-of-one-value]
```

```python
import torch
from torch import nn

net = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 1))
out = torch.sigmoid(net(torch.zeros(32, 20)))
right = (out.argmax(dim=1) == torch.zeros(32)).sum()  # error: [argmax-of-one-value]
```

## Use instead

```python
import keras
import numpy as np

x = np.zeros((200, 8))
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1, activation="sigmoid")])
classes = (model.predict(x)[:, 0] > 0.5).astype("int64")
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2, activation="softmax")])
classes = np.argmax(model.predict(x), axis=1)
most_certain = np.argmax(model.predict(x)[:, 0])
```

## Where it fails
Nowhere: the program goes on with zeros.

## Known limits
Of what a model gave, and what was computed of it alone; none behind a test of what is not known in the same function.

## References
* numpy/_core/src/multiarray/calculation.c: _PyArray_ArgMinMaxCommon
* https://stackoverflow.com/questions/57062456, https://stackoverflow.com/questions/48987959
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import FunctionApplied, tensors
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import is_scored
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor


@rule("CUD317", "argmax-of-one-value", Level.WARNING, since="0.1")
def check(event: FunctionApplied) -> Iterator[Finding]:
    if event.path.rpartition(".")[2] != "argmax":
        return
    scores = next(iter(tensors(list(event.arguments.values()))), None)
    if scores is not None and _goes_last(event, scores) and is_scored(scores):
        yield event.finding(
            f"argmax over the last axis of {scores}, which has one value: it is always 0",
            help="compare it with a threshold, scores > 0.5, or give the model a unit for each class",
            fails="silently: every row is of class 0")


def _goes_last(event: FunctionApplied, scores: Tensor) -> bool:
    """Whether the places are counted along the last axis, which has one value."""
    if not isinstance(scores.shape, tuple) or scores.shape[-1:] != (1,):
        return False
    rank, axis = len(scores.shape), event.arguments.get("axis")
    axis = event.arguments.get("dim") if axis is None else axis
    if axis is None:
        return rank == 1
    return isinstance(axis, int) and axis in (-1, rank - 1)

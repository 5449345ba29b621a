'''A model is told the shape of the whole data for that of one sample, the number of samples included.

## Why is this bad?
`input_shape` and `keras.Input()` describe one sample. With `input_shape=x.shape` the model waits for batches of whole
data sets, and refuses the rows that it is fed.

## Example

```python
import keras
import numpy as np
from keras import layers

x, y = np.zeros((100, 20)), np.zeros((100, 1))
model = keras.Sequential([
    layers.Dense(8, activation="relu", input_shape=x.shape),  # error: [batch-axis-in-input-shape]
    layers.Dense(1),
])
model.compile("adam", "mse")
model.fit(x, y)
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

x, y = np.zeros((100, 20)), np.zeros((100, 1))
model = keras.Sequential([keras.Input(x.shape[1:]), layers.Dense(8, activation="relu"), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y)
```

## Where it fails
Everywhere, in fit() and predict(): ValueError "Expected shape (None, 100, 20), but input has incompatible shape
(None, 20)" with Keras 3, "expected shape=(None, 100, 20), found shape=(None, 20)" with Keras 2, and up to TensorFlow
2.1 "expected input_1 to have 3 dimensions, but got array with shape (100, 20)". A layer that needs a certain number of
axes, such as Conv2D or LSTM, refuses it before (see rank-mismatch).

## Known limits
Told where the data meets the model, so that both must be in sight.

## References
* keras/src/models/functional.py: Functional._standardize_inputs
* https://stackoverflow.com/questions/48951409, https://stackoverflow.com/questions/60226423
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected, tensors
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import counts_samples, moment
from cudnnlint.values import Tensor, show


@rule("CUD114", "batch-axis-in-input-shape", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if not counts_samples(event):
        return
    expected, actual = event.mismatch.fact("expected"), event.mismatch.fact("actual")
    declared = _declared(event)
    at = declared.step.span if declared is not None and declared.step is not None else event.span
    trace = (*(label for label in event.trace if label.span != at), Label(event.span, f"fed {show(actual)}"))
    yield event.finding(f"the input counts the {expected[1]} samples: {show(expected)} for data of {show(actual)}",
                        span=at, trace=trace, help="x.shape[1:], the shape of one sample",
                        fails=f'everywhere, {moment(event)}: ValueError "incompatible shape"')


def _declared(event: Rejected) -> Tensor | None:
    """The model's own input, which stands beside the data."""
    return next((tensor for tensor in tensors(event.about) if tensor.kind == "keras"), None)

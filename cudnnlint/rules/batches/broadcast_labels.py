'''The loss repeats labels along an axis in which the model's output has more numbers.

## Why is this bad?
`mse` and its kin broadcast: labels of shape (n, 1) against an output of (n, 4) are compared with each of the four
units, which all learn the same number, and nothing is said. What is meant is one unit, four columns of labels, or a
last recurrent layer without return_sequences.

## Example

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((20,)), layers.Dense(32, activation="relu"), layers.Dense(4)])
model.compile("adam", "mse")
model.fit(np.zeros((100, 20)), np.zeros((100, 1)))  # error: [broadcast-labels]
```

```python
import keras
import numpy as np
from keras import layers

inputs = keras.Input((10, 3))
outputs = layers.Dense(1)(layers.LSTM(16, return_sequences=True)(inputs))
model = keras.Model(inputs, outputs)
model.compile("adam", keras.losses.MeanAbsoluteError())
model.fit(np.zeros((64, 10, 3)), np.zeros((64, 1)))  # error: [broadcast-labels]
```

## Use instead

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((20,)), layers.Dense(32, activation="relu"), layers.Dense(4)])
model.compile("adam", "mse")
model.fit(np.zeros((100, 20)), np.zeros((100, 4)))

inputs = keras.Input((10, 3))
model = keras.Model(inputs, layers.Dense(1)(layers.LSTM(16)(inputs)))
model.compile("adam", "mae")
model.fit(np.zeros((64, 10, 3)), np.zeros((64, 1)))
```

## Where it fails
Nowhere: training goes on, to no use. With Keras 3.15 and tf_keras 2.21, as 17 losses over 70 pairs of shapes were run.

## Known limits
A loss of the user's own is not judged, nor what is stretched along the batch.

## References
* keras/src/losses/losses.py: mean_squared_error, mean_absolute_error
* keras/src/losses/loss.py: squeeze_or_expand_to_same_rank
* https://stackoverflow.com/questions/63859629, https://stackoverflow.com/questions/62643682
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LossCalled, TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.comparisons import METHODS, Case, batch_of, cases_of
from cudnnlint.rules.protocol import rule


@rule("CUD422", "broadcast-labels", Level.WARNING, since="0.1")
def check(event: TrainingStarted | LossCalled) -> Iterator[Finding]:
    for case in _cases(event):
        if case.stretched():
            yield event.finding(
                f"labels {case.y} are repeated to fit the output {case.output} under {case.loss.name}",
                help=_help(case), fails="silently: each number of the output learns the same label")
            return


def _cases(event: TrainingStarted | LossCalled) -> Iterator[Case]:
    if isinstance(event, LossCalled):
        yield from cases_of(event.y, event.output, event.losses, event, event.layer, form=event.form)
    elif event.method in METHODS:
        for data in (event.data, event.validation):
            yield from cases_of(data.y if data is not None else None, event.model.outputs, event.model.losses, event,
                                event.model.layer, batch_of(event, data))


def _help(case: Case) -> str:
    if len(case.o) > 2:
        return "leave return_sequences out of the last recurrent layer, or flatten, or give a label for each step"
    return f"a last layer with {case.t[-1]} units, or {case.o[-1]} columns of labels"

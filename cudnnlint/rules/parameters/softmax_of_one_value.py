'''A softmax goes over an axis of one value, and gives 1 whatever comes in.

## Why is this bad?
A softmax divides each value by the sum of all: of one value that is 1.0. A last layer of one unit with a softmax
answers 1 to everything, its gradient is 0, and nothing before it learns; the accuracy is the share of the class 1. One
unit goes with a sigmoid, a softmax with one unit for each class. As weights of an attention, made by `Dense(1,
activation="softmax")` on (batch, steps, 1), every step gets the weight 1: the softmax must go over the steps.

## Example

```python
import keras
from keras import layers

model = keras.Sequential([
    keras.Input((20,)), layers.Dense(32, activation="relu"),
    layers.Dense(1, activation="softmax"),  # error: [softmax-of-one-value]
])
model.compile("adam", "binary_crossentropy")
```

```python
from keras import Input, layers

steps = layers.LSTM(16, return_sequences=True)(Input((10, 3)))
weights = layers.Dense(1, activation="softmax")(steps)  # error: [softmax-of-one-value]
weights = layers.Activation("softmax")(layers.Dense(1)(steps))  # error: [softmax-of-one-value]
context = layers.Dot(1)([steps, weights])
```

## Use instead

```python
import keras
from keras import Input, layers

model = keras.Sequential([keras.Input((20,)), layers.Dense(1, activation="sigmoid")])
model = keras.Sequential([keras.Input((20,)), layers.Dense(2, activation="softmax")])

steps = layers.LSTM(16, return_sequences=True)(Input((10, 3)))
weights = layers.Softmax(axis=1)(layers.Dense(1)(steps))
context = layers.Dot(1)([steps, weights])
```

## Where it fails
Nowhere: training goes on, to no use. Keras from 3.0 on warns: UserWarning "You are using a softmax over axis -1 of a
tensor of shape (None, 1). This axis has size 1. The softmax operation will always return the value 1".

## Known limits
The layers of Keras are looked at, not `tf.nn.softmax`; none behind a test of what is not known in the same function.

## References
* keras/src/ops/nn.py: softmax
* https://stackoverflow.com/questions/59619015, https://stackoverflow.com/questions/61435176
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.endings import ALONE, WITH_ACTIVATION, ending_of
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor


@rule("CUD316", "softmax-of-one-value", Level.WARNING, since="0.1", layers=WITH_ACTIVATION | frozenset(ALONE))
def check(event: LayerApplied) -> Iterator[Finding]:
    made = event.output
    if event.tested or ending_of(event.layer) != "softmax" or event.layer.arguments.get("axis", -1) != -1:
        return  # what is tested, such as the loss, may go with the number of values
    if isinstance(made, Tensor) and isinstance(made.shape, tuple) and len(made.shape) > 1 and made.shape[-1] == 1:
        steps = len(made.shape) > 2
        yield event.finding(
            f"{event.layer.name} takes a softmax of one value, {made}: it is always 1", span=event.layer.span,
            help="a softmax over the steps, layers.Softmax(axis=1), or a sigmoid of each value" if steps else
            'activation="sigmoid" for one unit, or one unit for each class',
            fails="silently: its gradient is 0, and nothing is learned through it; Keras 3 warns")

'''A model of keras.applications is asked for an input that is smaller than it accepts.

## Why is this bad?
These models halve height and width five times or more: CIFAR's 32x32 images are the least that most of them take, and
less than InceptionV3 (75x75), InceptionResNetV2 (75x75) and Xception (71x71) take. Even where an input is
accepted, little is left of a small one: 32x32 ends as 1x1 in a ResNet.

## Example

```python
from tensorflow.keras.applications import InceptionV3, ResNet50, Xception

small = ResNet50(include_top=False, weights=None, input_shape=(28, 28, 3))  # error: [application-input-too-small]
cifar = InceptionV3(include_top=False, weights=None, input_shape=(32, 32, 3))  # error: [application-input-too-small]
tiny = Xception(include_top=False, weights=None, input_shape=(64, 64, 3))  # error: [application-input-too-small]
```

## Use instead

```python
from tensorflow.keras import Input, Model, layers
from tensorflow.keras.applications import InceptionV3

images = Input((32, 32, 3))
large = layers.Resizing(96, 96)(images)
inception = InceptionV3(include_top=False, weights=None, input_shape=(96, 96, 3), pooling="avg")
features = inception(large)  # revealed: float32[B, 2048]
model = Model(images, layers.Dense(10)(features))
```

## Where it fails
Everywhere, when the function is called: ValueError "Input size must be at least 75x75; Received: input_shape=(32, 32,
3)".

## Known limits
The size is not looked at by Keras where an `input_tensor` is given, nor where pretrained weights are loaded with
`include_top=True`, which fixes it: a layer inside that is left with nothing is an
[empty-feature-map](empty-feature-map.md) then.

## References
* keras/src/applications/imagenet_utils.py: obtain_input_shape
* keras/src/applications/mobilenet_v3.py: MobileNetV3
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD110", "application-input-too-small", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.INPUT_TOO_SMALL:
        yield rejection(event)

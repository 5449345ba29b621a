'''Batch normalisation among convolutions works along rows instead of channels.

## Why is this bad?
`axis` is the axis that keeps its own mean and variance: that of the channels. With `axis=1` after convolutions that
have their channels last, each row of the image gets a mean of its own, and the channels share it. Nothing fails; the
model trains worse, and its weights fit images of one height only. The same goes for the default, `axis=-1`, after
convolutions that have their channels first.

## Example

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3))
x = layers.Conv2D(8, 3)(x)
x = layers.BatchNormalization(axis=1)(x)  # error: [batchnorm-wrong-axis]
```

```python
from tensorflow.keras import layers, models

model = models.Sequential([
    layers.Input((3, 32, 32)),
    layers.Conv2D(8, 3, data_format="channels_first"),
    layers.Activation("relu"),
    layers.BatchNormalization(),  # error: [batchnorm-wrong-axis]
])
```

Along a sequence it is the steps that get a mean each:

```python
import keras
from keras import layers

x = keras.Input((1024, 3))
x = layers.Conv1D(8, 7, strides=2)(x)
x = layers.BatchNormalization(axis=1)(x)  # error: [batchnorm-wrong-axis]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3))
x = layers.Conv2D(8, 3)(x)
x = layers.BatchNormalization(axis=-1)(x)
```

```python
import keras
from keras import layers

axis = 1 if keras.config.image_data_format() == "channels_first" else -1
x = keras.Input((32, 32, 3))
x = layers.BatchNormalization(axis=2)(x)
x = layers.Conv2D(8, 3)(x)
x = layers.BatchNormalization(axis=axis)(x)
```

## Fix
Unsafe, since the model computes something else: `axis` becomes that of the channels.

## Where it fails
Nowhere at once, on any version, where the height is known. Where it is None (`Input((None, None, 3))`), the layer is
refused: "Input has undefined `axis` dimension", "Shapes used to initialize variables must be fully-defined".

## Known limits
Only the convolutions before the layer tell where the channels are: before the first one, every axis is accepted, since
spectrograms are normalised by frequency there. Axes between the first and the last are taken to be meant.

## References
* keras/src/layers/normalization/batch_normalization.py: BatchNormalization
* tf_keras/src/layers/normalization/batch_normalization.py: BatchNormalizationBase.build
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import layout_of, spelled
from cudnnlint.rules.fixes import giving, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Dim, Tensor
from cudnnlint.values.dim import is_known

BATCHNORM = "keras.layers.BatchNormalization"


@rule("CUD308", "batchnorm-wrong-axis", Level.WARNING, since="0.1", layers=frozenset({BATCHNORM}))
def check(event: LayerApplied) -> Iterator[Finding]:
    x = event.inputs
    if not isinstance(x, Tensor) or x.rank is None:
        return
    before, axis = layout_of(x), event.layer.arguments.get("axis")
    if before is None or not isinstance(axis, int) or isinstance(axis, bool) or not isinstance(x.shape, tuple):
        return
    place, right = axis % x.rank, 1 if before.first else x.rank - 1
    if place in (1, x.rank - 1) and place != right:
        extent = f", of extent {x.shape[place]} in {x}" if is_known(x.shape[place]) else ""
        give = "1" if before.first else "-1"
        rows = "step" if x.rank == 3 else "row"
        yield event.finding(
            f"axis is {axis}{extent}, but {before.layer.name} before it is {spelled(before.first)}",
            help=f"give axis={give}, the channels", fix=unsafe(f"axis={give}", giving(event.layer, "axis", give)),
            fails=f"silently: statistics for {_each(rows, x.shape[place])}, "
                  f"not for {_each('channel', x.shape[right])}")


def _each(what: str, count: Dim) -> str:
    return f"each of {count} {what}s" if is_known(count) else f"each {what}"

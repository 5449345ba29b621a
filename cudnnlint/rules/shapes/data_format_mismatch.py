'''A layer takes its channels first and gets them last, or the reverse.

## Why is this bad?
Nothing fails: height, width and channels are numbers, and a convolution or a pooling layer slides over whichever
two axes its `data_format` names. The model trains on windows that run across the channels.

The usual causes are a pooling layer that was left at the default among convolutions with
`data_format="channels_first"`, and an input shape copied from code for another order.

## Example

```python
import keras
from keras import layers

x = keras.Input((3, 32, 32))
x = layers.Conv2D(8, 3, data_format="channels_first")(x)
x = layers.MaxPooling2D(2)(x)  # error: [data-format-mismatch]
```

```python
import keras
from keras import layers

x = keras.Input((224, 224, 3))
x = layers.Conv2D(64, 3, data_format="channels_first")(x)  # error: [data-format-mismatch]
```

```python
import keras
from keras import layers

model = keras.Sequential([
    keras.Input((1, 28, 28)),
    layers.Conv2D(32, 3, padding="same"),  # error: [data-format-mismatch]
])
```

Data that are fed to layers for another order:

```python
import keras
import numpy as np
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.stack = [layers.Conv2D(f, 3, padding="same", data_format="channels_first") for f in (16, 32)]
        self.pool = layers.GlobalAveragePooling2D(data_format="channels_first")

    def call(self, x):
        for layer in self.stack:
            x = layer(x)  # error: [data-format-mismatch]
        return self.pool(x)


(x, y), _ = keras.datasets.cifar10.load_data()
net = Net()
features = net(x[:8] / 255.0)
moved = Net()(np.transpose(x[:8] / 255.0, (0, 3, 1, 2)))
```

## Use instead
One order throughout. channels_last is Keras' default, and the one that runs everywhere.

```python
import keras
from keras import layers

x = keras.Input((3, 32, 32))
x = layers.Conv2D(8, 3, data_format="channels_first")(x)
x = layers.MaxPooling2D(2, data_format="channels_first")(x)  # revealed: float32[B, 8, 15, 15]
x = layers.Permute((2, 3, 1))(x)
x = layers.MaxPooling2D(2)(x)  # revealed: float32[B, 7, 7, 8]
```

```python
import keras
from keras import layers

keras.config.set_image_data_format("channels_first")
x = keras.Input((3, 224, 224))
x = layers.Conv2D(64, 3)(x)
x = layers.MaxPooling2D(2)(x)  # revealed: float32[B, 64, 111, 111]
```

## Fix
Unsafe, since the model computes something else: a layer after a convolution gets that one's `data_format`.

## Where it fails
Nowhere at once, on any version: the output merely has other extents, `[B, 8, 222, 1]` for the second example. Where
an extent becomes too small for the window, the error is that of empty-feature-map, "Negative dimension size caused by
subtracting 3 from 1 for Conv2D with input shapes: [?,1,28,28], [3,3,28,32]".

## Known limits
An input is judged by its extents only if they leave no doubt: 1 or 3 at one end, and equal extents of at least 16
for the rest. A pooling layer whose `data_format` is written out is believed: pooling over channels is done that way.

channels_first on a CPU is no fault by itself: TensorFlow before 2.9 refused it ("The Conv2D op currently only
supports the NHWC tensor format on the CPU"), later ones run it.

## References
* keras/src/ops/operation_utils.py: compute_conv_output_shape, compute_pooling_output_shape
* keras/src/backend/config.py: image_data_format
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied, LayerInfo
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import CONVOLUTIONS, RESIZING, is_first, layout_of, spelled
from cudnnlint.rules.fixes import giving, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor, Unknown


@rule("CUD111", "data-format-mismatch", Level.WARNING, since="0.1", layers=CONVOLUTIONS | RESIZING)
def check(event: LayerApplied) -> Iterator[Finding]:
    layer, x = event.layer, event.inputs
    first = is_first(layer)
    if first is None or not isinstance(x, Tensor):
        return
    before = layout_of(x)
    if before is not None:
        if before.first is not first and _is_an_oversight(layer, before.layer):
            yield event.finding(f"{layer.name} takes {spelled(first)}, its input {x} comes {spelled(before.first)} "
                                f"from {before.layer.name}", fails=FAILS,
                                help=f'give {layer.name} data_format="{spelled(before.first)}", or permute the axes',
                                fix=unsafe(f'data_format="{spelled(before.first)}"',
                                           giving(layer, "data_format", f'"{spelled(before.first)}"')))
    elif layer.path in CONVOLUTIONS and _is_raw(event, x) and _looks_first(x) is (not first) and _slides(layer):
        yield event.finding(f"{layer.name} takes {spelled(first)}, its input {x} has its channels "
                            f"{'last' if first else 'first'}",
                            fails=REFUSED if _was_refused(event.output, first) else FAILS,
                            help="give images and layers one data_format; the default is channels_last")


FAILS = "silently, everywhere: the window runs across the channels"
REFUSED = "everywhere, where the layer is called: the window runs across the channels, which are too few for it"


def _was_refused(output: object, first: bool) -> bool:
    """What a layer gives that failed has no height and width that are known; why it failed is told beside it."""
    if not isinstance(output, Tensor) or not isinstance(output.shape, tuple):
        return True
    return any(isinstance(extent, Unknown) for extent in (output.shape[2:] if first else output.shape[1:-1]))


def _is_an_oversight(layer: LayerInfo, before: LayerInfo) -> bool:
    """Not two formats that were both written, nor pooling that says which axes it means."""
    written = "data_format" in layer.given
    return not (written and (layer.path in RESIZING or "data_format" in before.given))


def _is_raw(event: LayerApplied, x: Tensor) -> bool:
    """An input of the model, or what it was fed, not what something made of that."""
    if x.step is None:
        return False
    if x.kind == "keras":
        return not x.step.parents
    return event.fed is not None and any(x.step is given.step for given in event.fed[1])


def _looks_first(x: Tensor) -> bool | None:
    """Whether the extents are those of square images in one order and not in the other."""
    if not isinstance(x.shape, tuple) or not all(isinstance(extent, int) for extent in x.shape[1:]):
        return None
    for first, channels, space in ((True, x.shape[1], x.shape[2:]), (False, x.shape[-1], x.shape[1:-1])):
        if channels in (1, 3) and len(set(space)) == 1 and isinstance(space[0], int) and space[0] >= 16:
            return first
    return None


def _slides(layer: LayerInfo) -> bool:
    """A window of more than 1 along every axis: (1, 5) over (1, 64, 64) is a convolution along one axis."""
    size = layer.arguments.get("kernel_size")
    extents = size if isinstance(size, (list, tuple)) else (size,)
    return all(isinstance(extent, int) and extent > 1 for extent in extents)

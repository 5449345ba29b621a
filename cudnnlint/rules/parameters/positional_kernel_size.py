'''Conv2D(32, 3, 3) is a stride of 3, not a window of 3x3.

## Why is this bad?
Keras 1 took the rows and the columns of the window one after the other. Since Keras 2 the third argument is
`strides`: the same call makes a convolution that skips two of three pixels in each direction. Often nothing fails,
the feature map is a ninth of what it should be; after a few such layers nothing is left of it.

## Example

```python
import keras
from keras import layers

x = keras.Input((150, 150, 3))
x = layers.Conv2D(32, 3, 3)(x)  # error: [positional-kernel-size]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((150, 150, 3))
x = layers.Conv2D(32, (3, 3))(x)  # revealed: float32[B, 148, 148, 32]
```

Where strides are meant, name them; those that Keras 1 code could not have meant are left alone:

```python
import keras
from keras import layers

x = keras.Input((150, 150, 3))
x = layers.Conv2D(32, 3, strides=3)(x)  # revealed: float32[B, 50, 50, 32]
y = layers.Conv2D(32, 3, 2)(x)
z = layers.Conv2D(32, 4, 4)(x)
patch = 7
p = layers.Conv2D(32, patch, patch)(x)
```

## Fix
Unsafe, since the network becomes another: `Conv2D(32, 3, 3)` becomes `Conv2D(32, (3, 3))`.

## Where it fails
Keras 2 and 3, silently, until a window is larger than what is left: "Negative dimension size caused by subtracting 2
from 1", "Computed output size would be negative" (empty-feature-map).

## Known limits
Only windows of 3, 5, 7, 9 and 11 with a stride of the same number are told of: 2 and 4 are common strides of their own.
One variable for both is how patches are cut, and is left alone.

## References
* keras/src/layers/convolutional/conv2d.py: Conv2D.__init__
* https://github.com/keras-team/keras/wiki/Keras-2.0-release-notes
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerCreated, LayerInfo
from cudnnlint.finding import Finding, Level, Recipe, RemoveArgument
from cudnnlint.rules.fixes import argument, giving, unsafe
from cudnnlint.rules.protocol import rule

LAYERS = frozenset({"keras.layers.Conv2D", "keras.layers.Convolution2D"})


@rule("CUD310", "positional-kernel-size", Level.WARNING, since="0.1", layers=LAYERS)
def check(event: LayerCreated) -> Iterator[Finding]:
    layer = event.layer
    if layer.positional < 3 or layer.twice:
        return
    size, strides = layer.arguments.get("kernel_size"), layer.arguments.get("strides")
    if isinstance(size, int) and size in WINDOWS and strides == size and event.stack.keras >= (2,):
        filters = layer.arguments.get("filters")
        called = f"{layer.name}({filters if isinstance(filters, int) else '...'}, {size}, {size})"
        yield event.finding(f"{called} has strides of {size}, the third argument",
                            help=f"write ({size}, {size}) for the window, or strides={size} if that is meant",
                            fix=_fix(layer, size),
                            fails=f"silently: the feature map shrinks to 1/{size} in each direction")


def _fix(layer: LayerInfo, size: int) -> Recipe:
    """What Keras 1 meant."""
    return unsafe(f"write kernel_size ({size}, {size})", giving(layer, "kernel_size", f"({size}, {size})"),
                  RemoveArgument(argument(layer, "strides"), only=str(size)))


WINDOWS = (3, 5, 7, 9, 11)

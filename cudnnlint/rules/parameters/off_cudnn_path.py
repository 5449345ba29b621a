'''An argument keeps an LSTM or GRU from cuDNN's kernel.

## Why is this bad?
On a GPU cuDNN runs a whole sequence in one call. With any other activation, recurrent_dropout, unrolling, without a
bias, or for GRU with `reset_after=False`, Keras loops over the time steps instead, which is several times slower.
Nothing is wrong with that where the argument is wanted, so that this rule only speaks when it is selected.

## Example

```python select=off-cudnn-path
import keras
from keras import layers

x = keras.Input((50, 8))
y = layers.LSTM(32, recurrent_dropout=0.2)(x)  # error: [off-cudnn-path]
z = layers.GRU(32, activation="relu", reset_after=False)(x)  # error: [off-cudnn-path]
```

## Use instead

```python select=off-cudnn-path
import keras
from keras import layers

x = keras.Input((50, 8))
y = layers.LSTM(32, dropout=0.2)(x)
z = layers.GRU(32)(x)
```

## Where it fails
Nowhere: it is slower on a GPU. Masks, which may keep cuDNN out too, are another matter (see mask-not-right-padded).

## Known limits
A function given as activation may be tanh itself, and is not told of.

## References
* keras/src/backend/tensorflow/rnn.py: cudnn_ok
* tf_keras/src/layers/rnn/lstm.py: LSTM.__init__ (_could_use_gpu_kernel)
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerCreated
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD313", "off-cudnn-path", Level.INFO, since="0.1", default=False)
def check(event: LayerCreated) -> Iterator[Finding]:
    layer = event.layer
    found = getattr(layer.op, "hindrances", None)
    against = found(event.stack) if callable(found) and layer.name in ("LSTM", "GRU") else ()
    if isinstance(against, tuple) and against and "use_cudnn" not in against:
        text = ", ".join(f"{name}={layer.arguments.get(name)!r}" for name in against)
        yield event.finding(f"{text} keeps {layer.name} from cuDNN's kernel", help=f"leave out {', '.join(against)}",
                            fails="on a GPU: slower by several times, nothing else")

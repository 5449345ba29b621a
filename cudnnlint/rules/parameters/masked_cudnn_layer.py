'''CuDNNLSTM or CuDNNGRU gets a mask, which they refuse.

## Why is this bad?
These layers of Keras 2 hand sequences to cuDNN as they are and know no mask. Masking, or an Embedding with
`mask_zero=True`, before them makes one, and the model cannot be built.

## Example

```python keras=2.15 tensorflow=2.15
import tensorflow as tf
from tensorflow.compat.v1.keras.layers import CuDNNLSTM
from tensorflow.keras import layers

model = tf.keras.Sequential()
model.add(layers.Embedding(1000, 32, mask_zero=True, input_length=50))
model.add(CuDNNLSTM(64))  # error: [masked-cudnn-layer]
```

```python keras=2.15 tensorflow=2.15
import tensorflow as tf
from tensorflow.keras import layers

inputs = tf.keras.Input((None, 12))
x = layers.Masking()(inputs)
x = layers.Bidirectional(tf.compat.v1.keras.layers.CuDNNGRU(30))(x)  # error: [masked-cudnn-layer]
```

## Use instead
LSTM takes masks, and uses cuDNN where it can:

```python
import tensorflow as tf
from tensorflow.keras import layers

model = tf.keras.Sequential()
model.add(layers.Embedding(1000, 32, mask_zero=True))
model.add(layers.LSTM(64))
```

```python keras=2.15 tensorflow=2.15
import tensorflow as tf
from tensorflow.compat.v1.keras.layers import CuDNNLSTM
from tensorflow.keras import layers

model = tf.keras.Sequential()
model.add(layers.Embedding(1000, 32, input_length=50))
model.add(CuDNNLSTM(64))
```

## Where it fails
With Keras before 3, on every device, when the model is built: ValueError "Masking is not supported for CuDNN RNNs."
(run with tf_keras 2.21). Keras 3 has no such layers.

## Known limits
Masks that a layer of the user's own makes are not known.

## References
* tf_keras/src/layers/rnn/base_cudnn_rnn.py: _CuDNNRNN.call
* https://github.com/keras-team/keras/issues/8620
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied
from cudnnlint.events.makers import within
from cudnnlint.events.masks import masked_by
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import PREFIX
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor

LAYERS = frozenset({f"{PREFIX}CuDNNLSTM", f"{PREFIX}CuDNNGRU"})


@rule("CUD315", "masked-cudnn-layer", Level.ERROR, since="0.1", layers=LAYERS | {f"{PREFIX}Bidirectional"})
def check(event: LayerApplied) -> Iterator[Finding]:
    layer = within(event.layer)  # Bidirectional hands its mask on
    name = layer.name
    if layer.path not in LAYERS or not isinstance(event.inputs, Tensor) or event.stack.keras >= (3,):
        return
    if mask := masked_by(event.inputs, event.stack):
        yield event.finding(f"{name} gets the mask of {mask}", help=f"layers.{name.removeprefix('CuDNN')}, or no mask",
                            fails='with Keras before 3, when the model is built: ValueError "Masking is not supported '
                                  'for CuDNN RNNs"')

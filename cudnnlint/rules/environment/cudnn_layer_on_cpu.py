'''A recurrent layer that only cuDNN can run is used where the program has hidden all GPUs.

## Why is this bad?
CuDNNLSTM and CuDNNGRU, and LSTM and GRU with `use_cudnn=True`, have no other kernel than cuDNN's. On a CPU they fail
as soon as the model runs. LSTM and GRU as they are choose cuDNN's kernel on a GPU by themselves.

## Example

```python keras=2.15 tensorflow=2.15
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import tensorflow as tf
from tensorflow.compat.v1.keras.layers import CuDNNLSTM

model = tf.keras.models.Sequential()
model.add(CuDNNLSTM(50, input_shape=(60, 1)))  # error: [cudnn-layer-on-cpu]
model.add(tf.keras.layers.Dense(1))
```

```python
import keras
import tensorflow as tf

tf.config.set_visible_devices([], "GPU")
model = keras.Sequential([
    keras.Input((60, 1)),
    keras.layers.GRU(50, use_cudnn=True),  # error: [cudnn-layer-on-cpu]
])
```

## Use instead

```python
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import tensorflow as tf
from tensorflow.keras.layers import LSTM

model = tf.keras.models.Sequential()
model.add(LSTM(50, input_shape=(60, 1)))
model.add(tf.keras.layers.Dense(1))
```

One GPU is enough, and CuDNNLSTM fine then:

```python keras=2.15 tensorflow=2.15
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
import tensorflow as tf
from tensorflow.compat.v1.keras.layers import CuDNNLSTM

model = tf.keras.models.Sequential()
model.add(CuDNNLSTM(50, input_shape=(60, 1)))
model.add(tf.keras.layers.Dense(1))
```

## Where it fails
Keras 2, when the model runs: InvalidArgumentError "No OpKernel was registered to support Op 'CudnnRNN'" (CudnnRNNV3
from TensorFlow 2.1 on), "Registered devices: [CPU]" (run with tf_keras 2.21). Keras 3 from 3.2 on: ValueError
"use_cudnn=True was specified, but cuDNN is not supported for this layer configuration with this backend" (run with
3.15); it has no CuDNNLSTM.

## Known limits
That a machine has no GPU cannot be seen; the program must hide them, by CUDA_VISIBLE_DEVICES or set_visible_devices(),
before anything made TensorFlow take hold of them.

## References
* tf_keras/src/layers/rnn/cudnn_lstm.py: CuDNNLSTM
* keras/src/layers/rnn/lstm.py: LSTM.inner_loop
* https://github.com/tensorflow/tensorflow/issues/26600, https://github.com/tensorflow/tensorflow/issues/58866
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerCreated
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.ancestry import ON_CUDNN
from cudnnlint.rules.protocol import rule


@rule("CUD801", "cudnn-layer-on-cpu", Level.ERROR, since="0.1", layers=ON_CUDNN)
def check(event: LayerCreated) -> Iterator[Finding]:
    layer = event.layer
    if event.hidden is None:
        return
    here = Label(event.hidden, "all GPUs are hidden here")
    if layer.name in ("CuDNNLSTM", "CuDNNGRU"):
        plain = layer.name.removeprefix("CuDNN")
        yield event.finding(f"{layer.name} runs on a GPU only, and all of them are hidden", help=f"layers.{plain}",
                            trace=(here,), fails='with Keras before 3, when the model runs: InvalidArgumentError "No '
                            'OpKernel was registered to support Op \'CudnnRNN\'"')
    elif layer.arguments.get("use_cudnn") is True and event.stack.keras >= (3, 2):
        yield event.finding(f"{layer.name} with use_cudnn=True runs on a GPU only, and all of them are hidden",
                            help='use_cudnn="auto", the default', trace=(here,),
                            fails='with Keras from 3.2 on, when the model runs: ValueError "use_cudnn=True was '
                                  'specified, but cuDNN is not supported"')

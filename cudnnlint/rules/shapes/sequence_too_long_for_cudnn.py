'''A sequence has more time steps than cuDNN's LSTM and GRU take.

## Why is this bad?
cuDNN takes at most 65535 steps. LSTM and GRU with their usual arguments run on cuDNN wherever there is a GPU, so that
raw audio or a whole recording in one row fails there, and runs, slowly, on a CPU.

## Example

```python
import keras
from keras import layers

waveform = keras.Input((160000, 1))
x = layers.LSTM(32)(waveform)  # error: [sequence-too-long-for-cudnn]
```

```python
import keras
from keras import layers

waveform = keras.Input((160000, 1))
x = layers.Bidirectional(layers.GRU(32))(waveform)  # error: [sequence-too-long-for-cudnn]
```

## Use instead
Fewer steps, which a recurrent layer can also learn from; or a kernel without the limit.

```python
import keras
from keras import layers

waveform = keras.Input((160000, 1))
x = layers.Conv1D(32, 64, strides=16, activation="relu")(waveform)
x = layers.LSTM(32)(x)  # revealed: float32[B, 32]
slow = layers.LSTM(32, use_cudnn=False)(waveform)
other = layers.LSTM(32, activation="relu")(waveform)
```

## Where it fails
On a GPU with cuDNN from 8.9 on: CUDNN_STATUS_NOT_SUPPORTED from cudnnSetRNNDataDescriptor, with Keras 3.2 or newer
and tf_keras 2.18 or newer. Before, Keras used cuDNN that way for masked sequences only, which are not told of. A CPU
runs it.

```python keras=2.15 tensorflow=2.15
import keras
from keras import layers

waveform = keras.Input((160000, 1))
x = layers.LSTM(32)(waveform)
```

## Known limits
Sequences whose length the source leaves open are not judged.

## References
* cuDNN 9: cudnnSetRNNDataDescriptor ("maxSeqLength > (0x7fff*2+1)")
* tensorflow/core/kernels/cudnn_rnn_ops.cc: CudnnRNNV3
* keras/src/backend/tensorflow/rnn.py: _cudnn_lstm
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Problem


@rule("CUD112", "sequence-too-long-for-cudnn", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.LONG_SEQUENCE:
        yield event.finding(event.mismatch.message, help=event.mismatch.help,
                            fails=f"on a GPU: {event.mismatch.error}; a CPU runs it")

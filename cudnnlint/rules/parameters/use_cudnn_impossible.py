'''use_cudnn=True is asked of a recurrent layer that cuDNN cannot run.

## Why is this bad?
cuDNN's LSTM and GRU have one form: tanh, sigmoid, a bias, no recurrent_dropout, no unrolling, for GRU also
`reset_after=True`. With any other argument `use_cudnn=True` is an error, where the default "auto" takes the general
kernel. The model is built nevertheless, and fails when it first runs.

## Example

```python
import keras
from keras import layers

x = keras.Input((50, 8))
y = layers.LSTM(32, recurrent_dropout=0.2, use_cudnn=True)(x)  # error: [use-cudnn-impossible]
z = layers.GRU(32, reset_after=False, use_cudnn=True)(x)  # error: [use-cudnn-impossible]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((50, 8))
y = layers.LSTM(32, recurrent_dropout=0.2)(x)
z = layers.GRU(32, dropout=0.2, use_cudnn=True)(x)
```

## Fix
Safe: `use_cudnn="auto"`, as the error says, which runs the layer with the general kernel.

## Where it fails
Keras 3.2 and newer, on every device, in fit() or when it is called: ValueError "use_cudnn=True was specified, but
cuDNN is not supported for this layer configuration with this backend. Pass use_cudnn='auto' to fallback to a
non-cuDNN implementation". Older versions have no use_cudnn (see unknown-layer-argument).

## Known limits
That there is no GPU, where use_cudnn=True fails with the same error, cannot be seen. A function given as activation
may be the right one and is accepted.

## References
* keras/src/layers/rnn/lstm.py: LSTM.inner_loop
* keras/src/layers/rnn/gru.py: GRU.inner_loop
* keras/src/backend/tensorflow/rnn.py: cudnn_ok
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected
from cudnnlint.events.makers import within
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.fixes import giving, safe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD309", "use-cudnn-impossible", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.CUDNN_RNN:
        layer = within(event.layer) if event.layer is not None else None  # Bidirectional runs it both ways
        fix = safe('use_cudnn="auto"', giving(layer, "use_cudnn", '"auto"')) if layer is not None else None
        when = f'with Keras from 3.2 on, in fit() or when it is called: {event.mismatch.error}'
        found = replace(rejection(event), fix=fix, fails=when)
        if layer is not None and layer is not event.layer and layer.span != event.span:
            here = () if event.applied_at is not None else (Label(event.span, "applied here"),)
            found = replace(found, span=layer.span, trace=(*found.trace, *here))
        yield found

'''Mixed precision saves next to no memory: what is kept for the backward pass stays float32.

## Why is this bad?
`mixed_float16` is asked for to have room for a larger batch. BatchNormalization of Keras 3 works in float32 and keeps
its input so; only XLA computes that again from the float16 before it. In a network of convolutions that are each
followed by BatchNormalization nearly all that is kept is float32, without XLA. It may still be faster, so that this
rule only speaks when it is selected.

## Example

```python select=mixed-precision-saves-nothing
import numpy as np
import keras
from keras import layers

keras.mixed_precision.set_global_policy("mixed_float16")
x = inputs = keras.Input((128, 128, 3))
for filters in (64, 64, 128):
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
model = keras.Model(inputs, layers.Dense(10, dtype="float32")(layers.GlobalAveragePooling2D()(x)))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
model.fit(np.zeros((640, 128, 128, 3)), np.zeros(640), batch_size=64)  # error: [mixed-precision-saves-nothing]
```

## Use instead
XLA, which is the default where every layer allows it:

```python select=mixed-precision-saves-nothing
import numpy as np
import keras
from keras import layers

keras.mixed_precision.set_global_policy("mixed_float16")
x = inputs = keras.Input((128, 128, 3))
for filters in (64, 64, 128):
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
model = keras.Model(inputs, layers.Dense(10, dtype="float32")(layers.GlobalAveragePooling2D()(x)))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((640, 128, 128, 3)), np.zeros(640), batch_size=64)
```

## Where it fails
Nowhere: with TensorFlow 2.21 and Keras 3.15 a step of such a network took 7 % less than in float32; residual networks
and MobileNets, of which this rule does not tell, 16 and 20 % less, and networks without BatchNormalization half.

## Known limits
Told where at least nine tenths of what grows with the batch are float32 and take half a GiB or more (`least_mib`).
Without XLA only: there is no such thing in Keras 2, whose BatchNormalization takes float16.

## References
* keras/src/layers/normalization/batch_normalization.py: BatchNormalization.call, which casts to float32
* docs/memory.md: how the estimate is made and how it compares with measured steps
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudnnlint.events import TrainingStarted
from cudnnlint.finding import Finding, Level
from cudnnlint.memory.estimate import OP_BY_OP, Estimate
from cudnnlint.memory.gpus import MIB
from cudnnlint.rules.amounts import amount
from cudnnlint.rules.protocol import rule

MOST = 0.9


@dataclass(frozen=True, slots=True)
class Options:
    """least_mib  MiB of what grows with the batch from which on it is told"""

    least_mib: int = 512


@rule("CUD516", "mixed-precision-saves-nothing", Level.INFO, since="0.1", default=False)
def check(event: TrainingStarted, options: Options) -> Iterator[Finding]:
    if event.memory is None or getattr(event.model.policy, "compute", "") == "float32":
        return
    made: Estimate = event.memory()
    grows = made.terms.activations + made.terms.transient
    if made.regime != OP_BY_OP or made.lower_bound or not made.training or made.single < MOST:
        return
    if made.policy.startswith("mixed_") and grows >= options.least_mib * MIB:
        yield event.finding(
            f"{made.policy} saves next to nothing: {made.single:.0%} of the {amount(grows)} for the batch stay float32",
            help="compiled by XLA it keeps float16 only: jit_compile=True",
            fails="nowhere: it takes nearly the memory of float32")

'''An array that is larger than the GPU is made a dataset, and is copied there as a whole.

## Why is this bad?
`from_tensor_slices` turns its arrays into tensors, and TensorFlow puts tensors on the GPU if there is one: all of it,
whatever the batch size. No smaller batch helps.

## Example

```python
import numpy as np
import tensorflow as tf

frames = np.zeros((20000, 480, 640, 3), dtype="uint8")
dataset = tf.data.Dataset.from_tensor_slices(frames)  # error: [whole-dataset-on-gpu]
```

The same is true of one that is made a tensor:

```python
import numpy as np
import tensorflow as tf

clips = np.empty((2400, 32, 224, 224, 3), dtype="float16")
x = tf.convert_to_tensor(clips)  # error: [whole-dataset-on-gpu]
```

## Use instead
A generator, which hands over one element after the other, or the CPU as the place:

```python
import numpy as np
import tensorflow as tf

frames = np.zeros((20000, 480, 640, 3), dtype="uint8")
with tf.device("CPU"):
    dataset = tf.data.Dataset.from_tensor_slices(frames)
```

```python
import numpy as np
import tensorflow as tf


def each():
    for _ in range(20000):
        yield np.zeros((480, 640, 3), "uint8")


dataset = tf.data.Dataset.from_generator(each, output_signature=tf.TensorSpec((480, 640, 3), tf.uint8))
```

## Where it fails
On the GPU that is configured (`gpu`), or on a Tesla T4 of 16 GB, with eager execution: InternalError "Failed copying
input tensor from CPU:0 to GPU:0 in order to run _EagerConst: Dst tensor is not initialized". Without a GPU the array is
copied in the host's memory.

## Known limits
The size of the arrays must be in the source.

## References
* tensorflow/python/data/util/structure.py: normalize_element
* https://github.com/tensorflow/tensorflow/issues/71744
* https://github.com/tensorflow/tensorflow/issues/52086
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import DatasetMade
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.amounts import SURELY, OnGPU, amount, gpu_of, on, usable
from cudnnlint.rules.protocol import rule
from cudnnlint.values.sizes import bytes_of
from cudnnlint.values.tensor import tensors


class Options(OnGPU):
    __slots__ = ()


@rule("CUD513", "whole-dataset-on-gpu", Level.WARNING, since="0.1")
def check(event: DatasetMade, options: Options) -> Iterator[Finding]:
    gpu = gpu_of(options.gpu)
    size = sum(bytes_of(tensor) or 0 for tensor in tensors(event.arrays))
    if event.device == "" and size > gpu.usable * SURELY and event.stack.tensorflow >= (2,):
        shown = ", ".join(map(str, tensors(event.arrays)))
        yield event.finding(
            f"{shown} is {amount(size)} and copied to the GPU as a whole, which is more than {usable(gpu)}",
            help='under `with tf.device("CPU"):` it stays in the host\'s memory, from_generator copies row by row',
            fails=f"{on(gpu)}: InternalError \"Failed copying input tensor from CPU:0 to GPU:0\"")

'''Memory growth is turned on for one of the GPUs only.

## Why is this bad?
TensorFlow has one allocator setting for all GPUs that it sees. On a machine with one GPU the program runs; on one with
two it fails where the first tensor is made, in a line that has nothing to do with memory growth.

## Example

```python
import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
if gpus:
    tf.config.experimental.set_memory_growth(gpus[0], True)  # error: [memory-growth-on-some-gpus]
```

The same is true of the first one of all:

```python
import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU")[:1]:
    tf.config.experimental.set_memory_growth(gpu, True)  # error: [memory-growth-on-some-gpus]
```

Of the GPUs that a program chooses, all must grow or none:

```python
import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
used = [gpus[i] for i in (0, 1)]
tf.config.set_visible_devices(used, "GPU")
tf.config.experimental.set_memory_growth(used[0], True)  # error: [memory-growth-on-some-gpus]
```

## Use instead

```python
import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
```

The first one is all of them where there is one:

```python
import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
if len(gpus) == 1:
    tf.config.experimental.set_memory_growth(gpus[0], True)
```

Or one GPU only, of which the others are hidden:

```python
import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
if gpus:
    tf.config.set_visible_devices(gpus[0], "GPU")
    tf.config.experimental.set_memory_growth(gpus[0], True)
```

```python
import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
used = [gpus[i] for i in (0, 1)]
tf.config.set_visible_devices(used, "GPU")
for gpu in used:
    tf.config.experimental.set_memory_growth(gpu, True)
```

```python
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
tf.config.experimental.set_memory_growth(gpus[0], True)
```

## Where it fails
With TensorFlow 2 on a machine with two or more GPUs: ValueError "Memory growth cannot differ between GPU devices", as
TensorFlow takes hold of them.

## Known limits
Growth for two GPUs by their numbers is silent, as is any program that hides GPUs without saying which ones it leaves,
gives one of them logical devices or chooses the GPU by a number that is not known.

## References
* tensorflow/python/eager/context.py: Context._compute_device_options
* https://github.com/zzh8829/yolov3-tf2/pull/225
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.devices import GrowthUneven
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD503", "memory-growth-on-some-gpus", Level.WARNING, since="0.1")
def check(event: GrowthUneven) -> Iterator[Finding]:
    yield event.finding(
        f"memory growth is turned on for GPU {event.place} only, and must be the same for all that TensorFlow sees",
        help='turn it on in a loop over list_physical_devices("GPU"), or hide the others with set_visible_devices()',
        fails='on a machine with two or more GPUs, at the first tensor: ValueError "Memory growth cannot differ '
              'between GPU devices"')

'''A shuffle buffer or a cache of large elements takes more memory than the machine has.

## Why is this bad?
`shuffle(n)` and `prefetch(n)` keep n elements in the host's memory, as they are there, `cache()` all of them.
After images were decoded to floats that is hundreds of times what their files take, and the system kills the process
while the buffer fills.

## Example

```python
import tensorflow as tf


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.cast(tf.image.resize_with_crop_or_pad(image, 3000, 4000), tf.float32)


data = tf.data.Dataset.list_files("/data/*.jpg").map(load)
data = data.shuffle(1024)  # error: [shuffle-buffer-of-decoded-images]
```

`prefetch(n)` counts elements too, which are batches behind `batch()`:

```python
import tensorflow as tf


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, (600, 600))


data = tf.data.Dataset.list_files("/data/*.jpg").map(load).batch(64)
data = data.prefetch(1000)  # error: [shuffle-buffer-of-decoded-images]
quick = data.prefetch(tf.data.AUTOTUNE)
```

## Use instead
Shuffle what is small, the paths, and decode afterwards:

```python
import tensorflow as tf


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.cast(tf.image.resize_with_crop_or_pad(image, 3000, 4000), tf.float32)


data = tf.data.Dataset.list_files("/data/*.jpg").shuffle(1024).map(load)
```

## Where it fails
Everywhere, on machines with less memory than `host_gib` (64): the process is killed, "Killed" at most, often while
TensorFlow says "Filling up shuffle buffer (this may take a while): 257 of 2048".

## Known limits
The extents of the elements and the size of the buffer must be known, and behind `batch()`, for `shuffle()`, how many
batches there are: a folder of a few thousand images does not fill a buffer of ten thousand batches.

```python
import tensorflow as tf

data = tf.keras.utils.image_dataset_from_directory("/data", image_size=(600, 600), batch_size=32)
data = data.shuffle(10000)
```

## References
* tensorflow/core/kernels/data/shuffle_dataset_op.cc, prefetch_dataset_op.cc
* https://github.com/keras-team/keras/issues/19502
* https://github.com/tensorflow/tensorflow/issues/32376
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudnnlint.events import DatasetBuffered
from cudnnlint.finding import Finding, Level
from cudnnlint.memory.gpus import GIB
from cudnnlint.rules.amounts import amount
from cudnnlint.rules.protocol import rule
from cudnnlint.values.sizes import bytes_of
from cudnnlint.values.tensor import tensors


@dataclass(frozen=True, slots=True)
class Options:
    """host_gib  GiB of memory of the machine that feeds the GPU"""

    host_gib: int = 64


HELP = {"shuffle": "shuffle the paths or the records before they are decoded",
        "cache": "cache before decoding, or in a file: cache(path)",
        "prefetch": "prefetch() counts elements, which are whole batches here: tf.data.AUTOTUNE, or 1 or 2 of them"}


@rule("CUD514", "shuffle-buffer-of-decoded-images", Level.WARNING, since="0.1")
def check(event: DatasetBuffered, options: Options) -> Iterator[Finding]:
    each = sum(bytes_of(tensor, event.batch_size) or 0 for tensor in tensors(event.element))
    if not isinstance(event.count, int) or each * event.count <= options.host_gib * GIB:
        return
    what = f"{event.what}({event.count})" if event.what != "cache" else "cache()"
    yield event.finding(
        f"{what} keeps {event.count:,} elements of {amount(each)}: {amount(each * event.count)}, more than "
        f"{options.host_gib} GiB of memory",
        help=HELP[event.what],
        fails="everywhere, while the buffer fills: the process is killed")

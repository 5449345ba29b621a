"""A dataset without end is kept in memory, which grows with every step.

## Why is this bad?
`cache()` keeps the elements that come through it, so that the next pass need not make them again. Behind `repeat()`
there is no next pass: the one pass has no end, each repetition is kept once more, and nothing of it is ever read. The
memory of the host grows with every step until the program is killed.

## Example

```python
import tensorflow as tf

paths = tf.data.Dataset.from_tensor_slices(tf.zeros((200, 64, 64, 3)))
train = paths.map(lambda image: image / 255.0).repeat().cache().batch(32)  # error: [endless-cache]
```

## Use instead

```python
import tensorflow as tf

paths = tf.data.Dataset.from_tensor_slices(tf.zeros((200, 64, 64, 3)))
train = paths.map(lambda image: image / 255.0).cache().repeat().batch(32)
twice = paths.repeat(2).cache()
on_disk = paths.repeat().cache("/tmp/images")
```

## Where it fails
Everywhere, in a long training. 400 elements of 1 MiB of a dataset of 20 take 400 MiB this way, and 20 MiB with
`cache()` in front of `repeat()` (run with TensorFlow 2.21).

## Known limits
A cache in a file, which grows on the disk, is not told of.

## References
* tensorflow/core/kernels/data/cache_dataset_ops.cc: MemoryWriterIterator
* https://www.tensorflow.org/guide/data_performance#caching
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import INFINITE, DatasetBuffered
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD519", "endless-cache", Level.WARNING, since="0.1")
def check(event: DatasetBuffered) -> Iterator[Finding]:
    if event.what == "cache" and event.count == INFINITE:
        yield event.finding("cache() keeps every element of a dataset without end",
                            help="cache() before repeat()",
                            fails="everywhere, in a long training: memory grows with each step")

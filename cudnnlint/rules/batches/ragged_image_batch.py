'''Images of different sizes are put into one batch.

## Why is this bad?
A batch is one tensor, so that all its elements must have one shape. Photos have as many as there are cameras: they
must be resized, cropped or padded before `batch()`, not after it. Nothing is wrong until two neighbours differ, often
in the middle of an epoch.

## Example

```python
import tensorflow as tf
import tensorflow_datasets as tfds

train = tfds.load("cats_vs_dogs", split="train", as_supervised=True)
train = train.map(lambda image, label: (tf.cast(image, tf.float32) / 255.0, label))
train = train.batch(32)  # error: [ragged-image-batch]
train = train.map(lambda image, label: (tf.image.resize(image, (128, 128)), label))
```

```python
import numpy as np
import tensorflow as tf


def photos():
    for height, width in [(220, 195), (339, 460)]:
        yield np.zeros((height, width, 3), "uint8")


data = tf.data.Dataset.from_generator(photos, output_signature=tf.TensorSpec((None, None, 3), tf.uint8))
data = data.batch(2)  # error: [ragged-image-batch]
```

```python
import tensorflow as tf


def read(path):
    return tf.image.decode_jpeg(tf.io.read_file(path), channels=3) / 255


images = tf.data.Dataset.list_files("photos/*.jpg").map(read)
batches = images.batch(16)  # error: [ragged-image-batch]


def crop(image):
    """A cropped image of 128x128."""
    return tf.image.random_crop(image, (128, 128, 3))
```

A generator that reads files yields what they have:

```python
import glob

import cv2
import numpy as np
import tensorflow as tf
from PIL import Image


def photos():
    for path in glob.glob("photos/*.jpg"):
        yield cv2.imread(path) / 255


def scans():
    for number, path in enumerate(glob.glob("scans/*.png")):
        yield np.array(Image.open(path).convert("RGB")), number


def resized():
    for path in glob.glob("photos/*.jpg"):
        yield cv2.resize(cv2.imread(path), (224, 224)) / 255


def drawn():
    for _ in range(12):
        yield np.zeros((np.random.randint(60, 90), 64, 3))


size = tf.TensorSpec((None, None, 3), tf.float32)
data = tf.data.Dataset.from_generator(photos, output_signature=size).batch(8)  # error: [ragged-image-batch]
numbered = size, tf.TensorSpec((), tf.int32)
data = tf.data.Dataset.from_generator(scans, output_signature=numbered).batch(8)  # error: [ragged-image-batch]
data = tf.data.Dataset.from_generator(resized, output_signature=size).batch(8)
data = tf.data.Dataset.from_generator(drawn, output_signature=size).batch(8)  # error: [ragged-image-batch]
```

Texts have as many words as they have; only lines of numbers may be columns:

```python
import tensorflow as tf


def tokens(text):
    return tf.strings.to_hash_bucket_fast(tf.strings.split(tf.strings.lower(text)), 1000)


texts = tf.data.Dataset.from_tensor_slices(["a cat sat", "hello there", "no"])
batches = texts.map(tokens).batch(2)  # error: [ragged-image-batch]
padded = texts.map(tokens).padded_batch(2)
lines = tf.data.TextLineDataset("points.txt")
points = lines.map(lambda line: tf.strings.to_number(tf.strings.split(line))).batch(32)
cells = lines.map(lambda line: tf.strings.split(line, ",")).batch(32)
```

A DataLoader of PyTorch stacks rows as they are; `Resize` with one number brings the shorter side to it alone:

```python
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

prepare = transforms.Compose([transforms.Resize(224), transforms.ToTensor()])
train = DataLoader(datasets.ImageFolder("photos", prepare), batch_size=16)  # error: [ragged-image-batch]
```

A size within which images keep their proportions is not one size:

```python
import tensorflow as tf


def read(path):
    image = tf.image.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, (256, 256), preserve_aspect_ratio=True)


batches = tf.data.Dataset.list_files("photos/*.jpg").map(read).batch(16)  # error: [ragged-image-batch]
```

## Use instead

```python
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

prepare = transforms.Compose([transforms.Resize(224), transforms.CenterCrop(224), transforms.ToTensor()])
train = DataLoader(datasets.ImageFolder("photos", prepare), batch_size=16)
```

```python
import tensorflow as tf
import tensorflow_datasets as tfds

train = tfds.load("cats_vs_dogs", split="train", as_supervised=True)
train = train.map(lambda image, label: (tf.image.resize(image, (128, 128)), label))
train = train.batch(32)
```

Padding, or one image at a time, leaves them as they are:

```python
import tensorflow as tf


def read(path):
    return tf.image.decode_jpeg(tf.io.read_file(path), channels=3) / 255


images = tf.data.Dataset.list_files("photos/*.jpg").map(read)
single = images.batch(1)
padded = images.padded_batch(16, padded_shapes=(512, 512, 3))
cropped = images.map(lambda image: tf.image.random_crop(image, (64, 64, 3))).batch(16)
```

Files that all have one size say so:

```python
import tensorflow as tf


def read(path):
    image = tf.image.decode_png(tf.io.read_file(path), channels=3)
    image.set_shape((256, 256, 3))
    return image


images = tf.data.Dataset.list_files("tiles/*.png").map(read).batch(16)
```

## Where it fails
Everywhere, when the data is read: InvalidArgumentError "Cannot batch tensors with different shapes in component 0.
First element had shape [220,195,3] and element 1 had shape [339,460,3]." (run with TensorFlow 2.21).
PyTorch: RuntimeError "stack expects each tensor to be equal size, but got [3, 224, 224] at entry 0 and [3, 336, 224] at
entry 2" (run with PyTorch 2.15).

## Known limits
Of files it is not known that they differ: tell their shape with `set_shape()` or `ensure_shape()` where they do not.
Silent where a text of the program, as the name of a directory, says that they do not: CelebA, "resized", "128x128";
where MNIST, CIFAR and their kin are named, and where a comment tells a size, `# (3, 512, 512)`.
Datasets of tensorflow_datasets are known by name. What a custom pipeline pads is followed as far as its sizes are.

## References
* tensorflow/core/data/dataset_utils.cc: CopyBatch; torch/utils/data/_utils/collate.py: collate_tensor_fn
* https://github.com/tensorflow/tensorflow/issues/17102, https://github.com/tensorflow/datasets/issues/3035
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import DatasetBatched
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values.tensor import show


@rule("CUD417", "ragged-image-batch", Level.WARNING, since="0.1")
def check(event: DatasetBatched) -> Iterator[Finding]:
    found = event.differing
    if found is None or event.batch_size == 1 or event.rows == 1 or (not found.seen and _left_to_callers(event)):
        return
    first, second = found.shapes
    torch = event.library == "torch"
    told = f"elements of different sizes are batched: {show(first)} and {show(second)}" if found.seen \
        else "elements are batched that nothing brings to one size"
    yield event.finding(
        told,
        help="transforms.Resize((height, width)) or CenterCrop(), since Resize(number) keeps the aspect ratio, or a "
             "collate_fn that pads them" if torch else
             "bring them to one size before batch(), tf.image.resize(image, (height, width)), or use padded_batch()",
        fails=f'everywhere, when the data is read{"" if found.seen else " and sizes differ"}: ' + (
            'RuntimeError "stack expects each tensor to be equal size"' if torch else
            'InvalidArgumentError "Cannot batch tensors with different shapes" or "Cannot add tensor to the batch: '
            'number of elements does not match"'),
        trace=(Label(found.span, found.origin), *(label for label in event.trace if label.span != found.span)))


def _left_to_callers(event: DatasetBatched) -> bool:
    """Whether a function that nothing here calls leaves out what it may be given: `map_fn=None`, which may resize."""
    return event.uncalled and any(" = None (default of " in text for text in event.assumptions)

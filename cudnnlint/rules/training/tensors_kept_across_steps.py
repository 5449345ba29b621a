'''A list or dict keeps what a model gave in every step, as tensors.

## Why is this bad?
A tensor in a list keeps its memory, on the GPU where that is where it was computed. A loop that appends its losses or
predictions as they are holds a little more of the GPU with every step, in blocks between those that training needs, and
runs out of memory in a late epoch with a model that fitted before.

## Example

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


dataset = tf.data.Dataset.from_tensor_slices((tf.ones((640, 32)), tf.ones((640, 1)))).batch(32)
losses = []
for epoch in range(100):
    for x, y in dataset:
        losses.append(train_step(x, y))  # error: [tensors-kept-across-steps]
```

```python
import tensorflow as tf

backbone = tf.keras.Sequential([tf.keras.layers.Input((64, 64, 3)), tf.keras.layers.Conv2D(32, 3)])


def features(dataset: tf.data.Dataset):
    found = []
    for images in dataset.batch(16):
        found.append(backbone(tf.ensure_shape(images, (None, 64, 64, 3))))  # error: [tensors-kept-across-steps]
    return found
```

A dict with a key for each turn keeps them, too, and one tensor that each turn lengthens:

```python
import tensorflow as tf

backbone = tf.keras.Sequential([tf.keras.layers.Input((64, 64, 3)), tf.keras.layers.Conv2D(32, 3)])
images = tf.data.Dataset.from_tensor_slices(tf.ones((6400, 64, 64, 3))).batch(16)
found, rows, newest = {}, tf.zeros((0, 62, 62, 32)), {}
for step, batch in enumerate(images):
    maps = backbone(batch)
    found[step] = maps  # error: [tensors-kept-across-steps]
    rows = tf.concat([rows, backbone(batch)], axis=0)  # error: [tensors-kept-across-steps]
    newest["maps"] = maps
    both = backbone(batch)
    both = tf.concat([both, maps], axis=-1)
    tail = maps if step == 0 else tf.concat([tail[-32:], maps], axis=0)
```

With PyTorch each also keeps the graph that it was computed by, and a sum that of the whole epoch, though backward()
was called:

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(640, 8), torch.randn(640, 1)), batch_size=16)
losses, running = [], 0.0
for epoch in range(100):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)  # error: [tensors-kept-across-steps]
        running += loss  # error: [tensors-kept-across-steps]
```

## Use instead
NumPy arrays and Python numbers are in the host's memory, and a number needs little of that:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(1)])
dataset = tf.data.Dataset.from_tensor_slices(tf.ones((640, 32))).batch(32)
losses, predictions = [], []
for epoch in range(100):
    for x in dataset:
        y = model(x)
        predictions.append(y.numpy())
        losses.append(float(tf.reduce_mean(y)))
```

What the epoch gives back does not add up, and a pool that grows to a size does not either:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(1)])
dataset = tf.data.Dataset.from_tensor_slices(tf.ones((640, 32))).batch(32)
recent, pool = [], []
for epoch in range(100):
    losses = []
    for x in dataset:
        losses.append(tf.reduce_mean(model(x)))
        recent.append(tf.reduce_mean(model(x)))
        if len(pool) < 50:
            pool.append(model(x))
    print(epoch, float(tf.add_n(losses) / len(losses)))
    recent.clear()
```

Nor do steps of which all together take little:

```python
import tensorflow as tf

image, steps = tf.random.normal((1, 32, 32, 1)), []
for _ in range(1000):
    image = tf.clip_by_value(image + 0.1 * tf.random.normal(image.shape), -1.0, 1.0)
    steps.append(image)
film = tf.stack(steps)
```

## Fix
Unsafe, since what is done with the list may need tensors: `float(...)` around a number that is appended, `.numpy()`
after a larger tensor.

## Where it fails
With TensorFlow 2 where tensors are computed eagerly or by a tf.function; late, and sooner on a GPU:
ResourceExhaustedError "OOM when allocating tensor" in an epoch that is not the first. A scalar takes a block of 256
bytes of the GPU's memory and, measured with TensorFlow 2.21, nearly 1 KB of the host's; the feature maps above take 7.5
MiB a batch.

PyTorch, with every version: the nodes of each turn's graph stay. backward() frees the intermediate results that they
hold on the GPU, so that numbers and sums fill the host's memory instead, late in training, until the process is killed;
a list of larger outputs ends in RuntimeError "CUDA out of memory". Once backward() is done, .item() or .detach() is all
that is needed.

## Known limits
Scalars and tensors of few elements are told where the list is older than two loops, or than one of 1000 turns or a
while loop; what one pass over a dataset of unknown length gathers is silent. So are lists that the loop empties, and
what a surrounding tape needs.

## References
* xla/tsl/framework/bfc_allocator.h: kMinAllocationSize
* https://github.com/keras-team/keras/issues/5337
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.loops import GraphKept, LoopInfo, TensorsKept
from cudnnlint.finding import Argument, Finding, Label, Level, Recipe, WrapArgument
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.histories import history_kept
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor
from cudnnlint.values.sizes import bytes_of

OF_TENSORS = "with TensorFlow 2, late: ResourceExhaustedError once the GPU's memory is full of what the list holds"
OF_NUMBERS = "with TensorFlow 2, slowly: each takes 256 bytes on the GPU and nearly 1 KB on the host while it is listed"
PUT = {"list": "append", "dict": "keep", "tensor": "gather in a list"}
LARGE, MANY, LONG = 256, 100, 1000
"""Elements of a row that count, turns that keep many of them, and turns that add up whatever each of them keeps."""
LITTLE = 64 << 20
"""Bytes of large tensors that a list may hold in the end."""


@rule("CUD604", "tensors-kept-across-steps", Level.WARNING, since="0.1")
def check(event: TensorsKept | GraphKept) -> Iterator[Finding]:
    if isinstance(event, GraphKept):
        if event.trained:
            yield history_kept(event)
    elif (found := _told(event)) is not None:
        yield found


def _told(event: TensorsKept) -> Finding | None:
    if event.tensor.dtype == "string":  # on the host
        return None
    if not isinstance(event.turns, int) and all(loop.over in ("list", "rows") for loop in event.loops):
        return None  # of what the program lists itself there are few, and rows of a tensor are on the device already
    if event.form != "list" and not isinstance(event.turns, int) and event.loop.over not in ("dataset", "range", ""):
        return None
    if event.form == "tensor" and not _is_large(event.tensor):
        return None  # the tokens of a text that is being written
    if isinstance(event.turns, int) and (
            event.turns < (MANY if _is_large(event.tensor) else LONG) or _is_little(event.tensor, event.turns)):
        return None
    if not (isinstance(event.turns, int) or _is_large(event.tensor) or _adds_up(event.loops)):
        return None
    times = f"{event.turns} turns" if isinstance(event.turns, int) else "all turns"
    one, put = event.tensor.rank == 0, PUT[event.form]
    keeps = f"keeps {event.tensor} of each turn" if event.form != "tensor" else "takes in what each turn gives"
    return event.finding(
        f"a {event.form} {keeps} on the device, for {times} of the loop",
        trace=(*event.trace, *(Label(loop.span, f"a loop that the {event.form} is older than")
                               for loop in event.loops)),
        help=f"{put} float(...) of it" if one else f"{put} its .numpy(), or reduce it to what is needed first",
        fix=_fix(event, "float({})" if one else "{}.numpy()") if event.alone else None,
        fails=OF_NUMBERS if one else OF_TENSORS)


def _fix(event: TensorsKept, template: str) -> Recipe:
    """The only argument of append()."""
    return unsafe(f"append {template.format('...')}", WrapArgument(Argument(event.span, "object", 0, 1), template))


def _is_large(tensor: Tensor) -> bool:
    """Whether one row of it is much already."""
    count = 1
    for extent in tensor.shape[1:] if isinstance(tensor.shape, tuple) else ():
        count *= extent if isinstance(extent, int) else 1
    return count >= LARGE


def _is_little(tensor: Tensor, turns: int) -> bool:
    """Whether all that the loop gathers is little, and known; numbers cost their blocks and more of the host."""
    return _is_large(tensor) and (taken := bytes_of(tensor)) is not None and taken * turns < LITTLE


def _adds_up(loops: tuple[LoopInfo, ...]) -> bool:
    """Two loops, or one that ends when the program says so."""
    return len(loops) > 1 or loops[0].over == ""

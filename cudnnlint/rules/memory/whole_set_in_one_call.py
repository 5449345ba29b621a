'''A model is called on a whole data set at once.

## Why is this bad?
`model(x)` computes all rows in one go, and every layer's output has to be there for all of them: gigabytes where
`predict()`, which goes batch by batch, takes some megabytes. It is the out-of-memory error that is asked about most.

## Example

```python
import tensorflow as tf
from tensorflow.keras import layers

model = tf.keras.Sequential([
    layers.Input((28, 28, 1)),
    layers.Conv2D(32, 5, padding="same", activation="relu"),
    layers.MaxPooling2D(2), layers.Flatten(), layers.Dense(10),
])
(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
logits = model(x_test[..., None].astype("float32"), training=False)  # error: [whole-set-in-one-call]
```

```python
import tensorflow as tf
from tensorflow.keras import layers


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.body = [layers.Conv2D(filters, 3, padding="same", activation="relu") for filters in (32, 64)]
        self.pool, self.head = layers.GlobalMaxPooling2D(), layers.Dense(10)

    def call(self, x):
        for layer in self.body:
            x = layer(x)
        return self.head(self.pool(x))


(x_train, y_train), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
net = Net()
logits = net(x_test.astype("float32") / 255)  # error: [whole-set-in-one-call]
logits = net.predict(x_test.astype("float32") / 255)
logits = net(x_test[:64].astype("float32") / 255)
```

A batch that holds them all is no better:

```python
from tensorflow import keras
from tensorflow.keras import layers

(x_train, y_train), (x_test, y_test) = keras.datasets.cifar10.load_data()
model = keras.Sequential([layers.Input((32, 32, 3)), layers.Conv2D(128, 3), layers.Flatten(), layers.Dense(10)])
model.compile("adam", "sparse_categorical_crossentropy")
probs = model.predict(x_test, batch_size=len(x_test))  # error: [whole-set-in-one-call]
loss = model.evaluate(x_test, y_test, batch_size=10000)  # error: [whole-set-in-one-call]
probs = model.predict_on_batch(x_test)  # error: [whole-set-in-one-call]
probs = model.predict(x_test, batch_size=256)
probs = model.predict_on_batch(x_test[:64])
```

A session of TensorFlow 1 computes all rows that it is fed:

```python
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
images, labels = tf.placeholder(tf.float32, [None, 28, 28, 1]), tf.placeholder(tf.int64, [None])
kernel = tf.get_variable("kernel", [5, 5, 1, 32])
hidden = tf.nn.relu(tf.nn.conv2d(images, kernel, strides=[1, 1, 1, 1], padding="SAME"))
logits = tf.matmul(tf.reduce_max(hidden, axis=[1, 2]), tf.get_variable("head", [32, 10]))
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(accuracy, {images: x_test[..., None], labels: y_test}))  # error: [whole-set-in-one-call]
    print(accuracy.eval(feed_dict={images: x_test[..., None], labels: y_test}))  # error: [whole-set-in-one-call]
    print(sess.run(accuracy, {images: x_test[:256, ..., None], labels: y_test[:256]}))
```

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())

    def forward(self, x):
        return self.body(x)


images, device = torch.rand(10000, 3, 32, 32), torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device).eval()
with torch.no_grad():
    features = net(images.to(device))  # error: [whole-set-in-one-call]
    parts = torch.cat([net(part.to(device)) for part in images.split(256)])
```

```python
import torch
import torchvision

images = torch.rand(2000, 3, 224, 224)
resnet = torchvision.models.resnet18(num_classes=4).eval()
with torch.no_grad():
    on_cpu = resnet(images)
    resnet.to("cuda")
    scores = resnet(images.to("cuda"))  # error: [whole-set-in-one-call]
```

## Use instead

```python
import tensorflow as tf
from tensorflow.keras import layers

model = tf.keras.Sequential([
    layers.Input((28, 28, 1)),
    layers.Conv2D(32, 5, padding="same", activation="relu"),
    layers.MaxPooling2D(2), layers.Flatten(), layers.Dense(10),
])
(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
logits = model.predict(x_test[..., None].astype("float32"), batch_size=256)
```

## Fix
Unsafe, since predict() gives a NumPy array and does not remember how it was computed: the call becomes one of
predict().

## Where it fails
On GPUs with little memory, or with little left: ResourceExhaustedError "OOM when allocating tensor with
shape[10000,32,28,28]".

## Known limits
Told where the largest tensor that a layer in the model gives takes half a GiB or more (`least_mib`) for at least 1,000
rows; of a batch that the program asks for, where it is four times that, and out-of-memory is not told of the call.

## References
* https://github.com/tensorflow/models/issues/3046
* https://github.com/tensorflow/tensorflow/issues/136
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied, SetFed, TrainingStarted, first_tensor
from cudnnlint.finding import CallMethod, Finding, Level
from cudnnlint.memory.gpus import MIB
from cudnnlint.records import record
from cudnnlint.rules.amounts import SURELY, OnGPU, amount, gpu_of
from cudnnlint.rules.ancestry import MODELS, behind
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Symbol, Tensor
from cudnnlint.values.origins import GPU, PLACE
from cudnnlint.values.sizes import bytes_of

TORCH, CHAIN = "torch.nn.Module", "torch.nn.Sequential"
ROWS, MOST = 1000, 1000
"""Rows from which on it is told; tensors of a graph that are looked at."""


@record(frozen=True, slots=True)
class Options(OnGPU):
    """gpu        its name or memory, instead of the `gpu` of the settings
    least_mib  MiB of the largest tensor from which on it is told
    """

    least_mib: int = 512


def _fed(event: SetFed, options: Options) -> Iterator[Finding]:
    """The largest tensor that a graph computes on the way to what is asked for."""
    if event.rows < ROWS:
        return
    sizes = [(_bytes(made, event.rows), made) for made in _between(event.fetched)]
    size, out = max(sizes, key=lambda each: each[0], default=(0, None))
    if out is not None and size >= options.least_mib * MIB and isinstance(out.shape, tuple):
        shape = ", ".join(map(str, (event.rows, *out.shape[1:])))
        yield event.finding(
            f"the session computes {event.rows:,} rows at once: one tensor alone is {out.dtype}[{shape}], "
            f"{amount(size)}", help="feed it batch by batch, and take the mean of what comes",
            fails='on GPUs with little memory left: ResourceExhaustedError "OOM when allocating tensor"')


def _between(fetched: tuple[Tensor, ...]) -> Iterator[Tensor]:
    """The tensors that these are computed from, themselves included."""
    todo, seen = list(fetched), set[int]()
    while todo and len(seen) < MOST:
        made = todo.pop()
        if id(made) not in seen:
            seen.add(id(made))
            yield made
            todo += made.step.parents if made.step is not None else ()


def _bytes(made: Tensor, rows: int) -> int:
    """Of one whose rows are as many as are fed."""
    if not isinstance(made.shape, tuple) or not made.shape or not isinstance(made.shape[0], Symbol):
        return 0
    return bytes_of(made.with_(shape=(rows, *made.shape[1:]))) or 0


ENDING = {"predict": 1, "evaluate": 1, "predict_on_batch": 0, "test_on_batch": 0}
"""Methods of a model that keep nothing for gradients; 1 where the batch is a choice of the program's."""
TIMES = 4
"""What a batch that the program asks for may be larger than one that comes of a call."""


def _one_batch(event: TrainingStarted, options: Options) -> Iterator[Finding]:
    """`predict(x, batch_size=len(x))`, of which out-of-memory tells where it certainly does not fit."""
    data, rows = event.data, event.data.rows
    if event.method not in ENDING or event.model.replicas != 1:
        return
    if data.kind == "dataset":
        rows = data.full if data.batches == 1 else 0
    elif ENDING[event.method] and (data.kind != "arrays" or not isinstance(event.batch_size, int)
                                   or not isinstance(rows, int) or event.batch_size < rows):
        return
    if not isinstance(rows, int) or rows < ROWS:
        return
    sizes = [(_bytes(out, rows), layer.name, out) for layer, _, out in behind(event.model.outputs) if layer.path]
    size, name, out = max(sizes, key=lambda each: each[0], default=(0, "", None))
    if out is None or size < TIMES * options.least_mib * MIB or _is_told(event, options):
        return
    shape = ", ".join(map(str, (rows, *out.shape[1:]))) if isinstance(out.shape, tuple) else ""
    yield event.finding(
        f"{event.method}() takes {rows:,} rows as one batch: {name} alone gives {out.dtype}[{shape}], {amount(size)}",
        help="a batch_size of some hundred computes the same",
        fails='on GPUs with little memory left: ResourceExhaustedError "OOM when allocating tensor"')


def _is_told(event: TrainingStarted, options: Options) -> bool:
    """Whether out-of-memory says how much it needs."""
    gpu = gpu_of(options.gpu)
    made = event.memory(None, gpu.count) if event.memory is not None else None
    return made is not None and made.batch_size is not None and made.least(None) > gpu.usable * SURELY


@rule("CUD512", "whole-set-in-one-call", Level.WARNING, since="0.1")
def check(event: LayerApplied | SetFed | TrainingStarted, options: Options) -> Iterator[Finding]:
    if not isinstance(event, LayerApplied):
        yield from _one_batch(event, options) if isinstance(event, TrainingStarted) else _fed(event, options)
        return
    if not event.eager or event.training is True or event.around == "tape":
        return  # in a training step out-of-memory tells of it
    module = event.training is False and _is_module_there(event)
    own = (event.layer.derives in MODELS or module) and not event.within
    if not (own or event.layer.path in MODELS) or (x := first_tensor(event.inputs)) is None:
        return
    rows = x.shape[0] if isinstance(x.shape, tuple) and x.shape else None
    if not isinstance(rows, int) or rows < ROWS:
        return
    sizes = [(bytes_of(out, rows) or 0, layer.name, out) for layer, _, out in behind(event.output)
             if layer.path not in MODELS and layer.path and isinstance(out.shape, tuple) and out.shape]
    size, name, out = max(sizes, key=lambda each: each[0], default=(0, "", x))
    if size >= options.least_mib * MIB and isinstance(out.shape, tuple):
        shape = ", ".join(map(str, (rows, *out.shape[1:])))
        called = event.layer.name if event.layer.path != CHAIN else "the model"
        yield event.finding(
            f"{called} is called on {rows:,} rows at once: {name} alone gives {out.dtype}[{shape}], "
            f"{amount(size)}", help="go batch by batch, with a DataLoader" if module else
            "model.predict(x, batch_size=...) goes batch by batch",
            fix=None if event.around or module else
            unsafe("predict()", CallMethod(event.span, "predict", (("training", "False"),))),
            fails="on GPUs with little memory left: " + (
                'OutOfMemoryError "CUDA out of memory"' if module else
                'ResourceExhaustedError "OOM when allocating tensor"'))


def _is_module_there(event: LayerApplied) -> bool:
    """Whether the program moved a module of its own, or the layers of a chain, to the GPU, under no condition."""
    if event.layer.derives == TORCH:
        return _is_there(getattr(event.maker, "extra", None))
    return event.layer.path == CHAIN and any(
        _is_there(out.step.maker) for _, _, out in behind(event.output) if out.step is not None)


def _is_there(layer: object) -> bool:
    held = getattr(layer, "extra", None)
    return isinstance(held, dict) and held.get(PLACE) == GPU

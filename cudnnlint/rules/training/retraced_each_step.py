'''A tf.function is traced again in each turn of a loop.

## Why is this bad?
TensorFlow makes one graph for each combination of Python arguments and tensor shapes that a tf.function is called with,
and keeps them all. A step number or a learning rate passed as a Python number is another value in every step: each call
traces and optimizes a graph instead of running one, and memory grows until the process is killed.

## Example

```python
import tensorflow as tf


@tf.function
def train_step(x, step):
    return tf.reduce_sum(x) * tf.cast(step, tf.float32)


x = tf.ones((4, 32))
for step in range(1000):
    train_step(x, step)  # error: [retraced-each-step]
```

```python
import tensorflow as tf


@tf.function
def train_step(x, y, step):
    return tf.reduce_mean(x - y) * tf.cast(step, tf.float32)


def train(dataset: tf.data.Dataset, epochs):
    for epoch in range(epochs):
        for step, (x, y) in enumerate(dataset):
            train_step(x, y, step)  # error: [retraced-each-step]
```

A weight that warms up:

```python
import tensorflow as tf


class Trainer:
    def __init__(self):
        self.step = 0

    @tf.function
    def train_step(self, x, weight):
        return tf.reduce_sum(x) * weight

    def fit(self, dataset: tf.data.Dataset, epochs):
        for _ in range(epochs):
            for x in dataset:
                self.train_step(x, min(1.0, self.step / 1000))  # error: [retraced-each-step]
                self.step += 1


Trainer().fit(tf.data.Dataset.from_tensor_slices(tf.ones((640, 8))).batch(8), 10)
```

A learning rate that a schedule of the program's own computes, which takes few values where it falls by steps:

```python
import math

import tensorflow as tf


def falling(step, total, warmup=10):
    if step < warmup:
        return 0.01 * (step + 1) / warmup
    return 0.005 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@tf.function
def update(x, rate):
    return tf.reduce_sum(x) * rate


data = tf.data.Dataset.from_tensor_slices(tf.ones((1600, 8))).batch(16)
for step, x in enumerate(data):
    update(x, falling(step, 100))  # error: [retraced-each-step]
    update(x, tf.constant(falling(step, 100)))
    update(x, 0.01 * 0.5 ** math.floor(step / 50))
```

A function that is made in the loop is traced once for each time it is made:

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((32,)), tf.keras.layers.Dense(8)])


def train_one_epoch(data):
    @tf.function  # error: [retraced-each-step]
    def step(x):
        return tf.reduce_mean(model(x))

    for x in data:
        step(x)


for epoch in range(50):
    train_one_epoch(tf.data.Dataset.from_tensor_slices(tf.ones((64, 32))).batch(8))
```

Batches of a length that is drawn anew in each turn:

```python
import random

import numpy as np
import tensorflow as tf


@tf.function
def train_step(x):
    return tf.reduce_sum(x)


tokens = np.zeros((64, 500), "float32")
for step in range(1000):
    length = np.random.randint(5, 400)
    train_step(tf.random.normal((8, length)))  # error: [retraced-each-step]
    train_step(tokens[:, :random.randint(5, 400)])  # error: [retraced-each-step]
generator = np.random.default_rng()


def batches(count):
    for _ in range(count):
        words = int(generator.integers(5, 400))
        yield generator.integers(0, 1000, size=(8, words)), generator.integers(0, 2, size=8)


for x, y in batches(1000):
    train_step(tf.constant(x))  # error: [retraced-each-step]
once = np.random.randint(5, 400)
for step in range(1000):
    train_step(tf.zeros((8, once)))
    train_step(tokens[:, :once])
```

## Use instead
A tensor, whose value is not part of the graph:

```python
import tensorflow as tf


@tf.function
def train_step(x, step):
    return tf.reduce_sum(x) * tf.cast(step, tf.float32)


x = tf.ones((4, 32))
for step in range(1000):
    train_step(x, tf.constant(step))
for step in tf.range(1000):
    train_step(x, step)
```

Or a signature, by which numbers become tensors:

```python
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec((None, 32)), tf.TensorSpec((), tf.int32)])
def train_step(x, step):
    return tf.reduce_sum(x) * tf.cast(step, tf.float32)


for step in range(1000):
    train_step(tf.ones((4, 32)), step)
```

An argument that takes few values is traced that often and no more:

```python
import tensorflow as tf


@tf.function
def step(x, training, scale):
    return tf.reduce_sum(x) * scale if training else tf.reduce_sum(x)


for scale in (1, 2, 4):
    for training in (True, False):
        for _ in range(100):
            step(tf.ones((4, 32)), training, scale)
```

## Where it fails
Everywhere with TensorFlow 2; TensorFlow warns after five traces: "5 out of the last 5 calls to <function> triggered
tf.function retracing". Run with TensorFlow 2.21: ten calls with the numbers 0 to 9 make ten graphs,
`reduce_retracing=True` makes no difference to that, and a function of two operations leaves 0.13 MiB behind each time.
NumPy scalars and arrays count as tensors.

## Known limits
Fewer than `turns` (5) values are silent, as are values that come from code that is not followed. Shapes are compared
where they are known.

## References
* https://www.tensorflow.org/guide/function#controlling_retracing
* https://github.com/tensorflow/tensorflow/issues/31842
* tensorflow/core/function/trace_type/trace_type_builder.py: from_value
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudnnlint.events.loops import FunctionTraced
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor


@dataclass(frozen=True, slots=True)
class Options:
    """turns: loops that are known to take fewer are silent."""

    turns: int = 5


@rule("CUD602", "retraced-each-step", Level.WARNING, since="0.1")
def check(event: FunctionTraced, options: Options) -> Iterator[Finding]:
    if isinstance(event.turns, int) and event.turns < options.turns:
        return
    times = f"each of {event.turns} turns" if isinstance(event.turns, int) else "each turn of the loop"
    labels = [Label(event.loop.span, "the loop")]
    if event.made is not None and event.made != event.span:
        labels.append(Label(event.made, "made here"))
    yield event.finding(
        f"{event.name} is traced again in {times}: {_reason(event)}", trace=(*event.trace, *labels),
        help=HELP[event.cause].replace("{}", event.argument),
        fails='everywhere with TensorFlow 2: each trace takes time and memory that is not given back; TensorFlow warns '
              '"5 out of the last 5 calls to ... triggered tf.function retracing"')


HELP = {"number": "give {} as a tensor, tf.constant(...), or give the function an input_signature",
        "text": "pass what the text stands for as a tensor, or make one function for each",
        "shape": "pad to one shape, or give tf.function reduce_retracing=True or an input_signature",
        "made": "make the function once, before the loop"}


def _reason(event: FunctionTraced) -> str:
    if event.cause == "made":
        return "the function itself is made anew"
    examples = [_told(value) for value in event.values]
    such = f" ({examples[0]}, then {examples[1]})" if len({*examples}) == 2 else ""
    what = {"number": "a Python number", "text": "a text", "shape": "a tensor of another shape"}[event.cause]
    return f"{event.argument} is {what} that differs{such}" if event.cause != "shape" else \
        f"{event.argument} is {what}{such}"


def _told(value: object) -> str:
    if isinstance(value, Tensor) and isinstance(value.shape, tuple):
        return "[" + ", ".join(str(extent) if isinstance(extent, int) else "?" for extent in value.shape) + "]"
    return repr(value)

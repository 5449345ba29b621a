'''A loop adds operations to the graph that its session runs.

## Why is this bad?
In TensorFlow 1 each call of a tf function adds operations to the default graph, and nothing takes them out again. Where
that happens between the runs of a session, the graph grows with every turn: the session takes the whole graph in anew
before it runs, each turn is slower than the one before, and memory grows until the process is killed.

## Example

```python
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

a, b = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [4])
vectors = np.random.rand(100, 4)
with tf.Session() as sess:
    for vector in vectors:
        dot = tf.reduce_sum(tf.multiply(a, b))  # error: [graph-grows-in-session-loop]
        sess.run(dot, feed_dict={a: vector, b: vectors[0]})
```

```python
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def train(sess, train_op, rate, steps):
    value = 0.1
    for step in range(steps):
        if step % 1000 == 0:
            value *= 0.5
            sess.run(tf.assign(rate, value))  # error: [graph-grows-in-session-loop]
        sess.run(train_op)
```

Rates that decay are operations too, as is what does nothing:

```python
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x, step = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [])
total = tf.reduce_sum(x)
with tf.Session() as sess:
    for turn in range(1000):
        rate = tf.train.cosine_decay_restarts(0.1, step, 100)  # error: [graph-grows-in-session-loop]
        print(sess.run(rate, {step: turn}))
    for turn in range(1000):
        sess.run([total, tf.no_op()], {x: np.zeros((2, 4))})  # error: [graph-grows-in-session-loop]
```

A graph that is read from a file is added to the one that is there:

```python
import glob

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

for path in glob.glob("*.npy"):
    saver = tf.train.import_meta_graph("model.ckpt.meta")  # error: [graph-grows-in-session-loop]
    with tf.Session() as sess:
        saver.restore(sess, "model.ckpt")
        sess.run("probs:0")
```

An iterator that is begun anew in each epoch adds the operation that begins it each time:

```python
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

data = tf.data.Dataset.range(100).batch(10)
iterator = tf.data.Iterator.from_structure(tf.data.get_output_types(data), tf.data.get_output_shapes(data))
batch = iterator.get_next()
with tf.Session() as sess:
    for epoch in range(100):
        sess.run(iterator.make_initializer(data))  # error: [graph-grows-in-session-loop]
        sess.run(batch)
```

## Use instead
Build once, and feed what changes:

```python
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

a, b = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [4])
dot = tf.reduce_sum(tf.multiply(a, b))
rate = tf.Variable(0.1, trainable=False)
new_rate = tf.placeholder(tf.float32, [])
set_rate = tf.assign(rate, new_rate)
vectors = np.random.rand(100, 4)
with tf.Session() as sess:
    for vector in vectors:
        sess.run(dot, feed_dict={a: vector, b: vectors[0]})
        sess.run(set_rate, {new_rate: 0.05})
```

```python
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

data = tf.data.Dataset.range(100).batch(10)
iterator = tf.data.Iterator.from_structure(tf.data.get_output_types(data), tf.data.get_output_shapes(data))
batch, begin = iterator.get_next(), iterator.make_initializer(data)
with tf.Session() as sess:
    for epoch in range(100):
        sess.run(begin)
        sess.run(batch)
```

A graph of its own for each turn goes when the turn ends:

```python
import tensorflow.compat.v1 as tf

for name in ("a.pb", "b.pb", "c.pb", "d.pb", "e.pb", "f.pb"):
    with tf.Graph().as_default(), tf.Session() as sess:
        print(sess.run(tf.reduce_sum(tf.ones((3, 3)))))
```

What is looked up first, and built where it is not there yet, is built once:

```python
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x, y, known, graphs = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 4]), {}, {}


def accuracy(key):
    if key in known:
        correct = known[key]
    else:
        correct = tf.equal(tf.argmax(x, axis=-1), tf.argmax(y, axis=-1))
        known[key] = correct
    return correct


def build(key):
    graphs[key] = tf.reduce_sum(x)


def training(on, sess):
    switches = tf.get_collection("switches")
    if len(switches) == 0:
        mode = tf.get_variable("mode", shape=[], dtype=tf.bool)
        tf.add_to_collection("switches", tf.assign(mode, True))
        tf.add_to_collection("switches", tf.assign(mode, False))
    tf.get_collection("switches")[0 if on else 1].eval(session=sess)


with tf.Session() as sess:
    for epoch in range(100):
        training(epoch % 2 == 0, sess)
        sess.run(accuracy(input()), {x: [[0, 0, 0, 1]], y: [[0, 0, 0, 1]]})
        if input() not in graphs:
            build(input())
```

```python
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

places, summaries = {}, {}
with tf.Session() as sess:
    for epoch in range(100):
        for name, value in {"loss": 0.5, "accuracy": 0.9}.items():
            if name not in summaries:
                places[name] = tf.placeholder(tf.float32, [])
                summaries[name] = tf.summary.scalar(name, places[name])
            sess.run(summaries[name], {places[name]: value})
```

## Where it fails
Everywhere with TensorFlow 1 and `tf.compat.v1` without eager execution. `tf.get_default_graph().finalize()` before the
loop turns the next operation into RuntimeError "Graph is finalized and cannot be modified", which shows the place.
Run with TensorFlow 2.21: the dot product above takes 0.3 ms where it is built once; built in the loop it takes 20 ms
in the first 500 turns and 140 ms after 1500, and each turn leaves 0.05 MiB.

## Known limits
The first operation of a loop is told, with the number of others. Loops known to take fewer than `turns` (20) turns are
silent, as are loops in which a new graph begins (`tf.Graph()`, `tf.reset_default_graph()`, `clear_session()`), and
loops that assign to one variable after the other: they do so once, unless a loop around them comes back to it.

## References
* https://github.com/tensorflow/tensorflow/issues/1439
* https://github.com/tensorflow/tensorflow/issues/7127
* https://github.com/tensorflow/tensorflow/issues/10408
* https://github.com/smallcorgi/Faster-RCNN_TF/pull/16
* tensorflow/python/framework/ops.py: Graph.finalize, Graph._check_not_finalized
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudnnlint.events.loops import GraphGrown
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule

ASSIGNMENTS = frozenset({"tf.assign", "tf.Variable.assign"})


@dataclass(frozen=True, slots=True)
class Options:
    """turns: loops that are known to take fewer are silent."""

    turns: int = 20


@rule("CUD603", "graph-grows-in-session-loop", Level.WARNING, since="0.1")
def check(event: GraphGrown, options: Options) -> Iterator[Finding]:
    if isinstance(event.turns, int) and event.turns < options.turns:
        return
    if event.what in ASSIGNMENTS and not event.more and event.loop.over in ("items", "list", "rows"):
        return  # once for each of some variables
    loop = f"a loop of {event.turns} turns" if isinstance(event.turns, int) else "a loop"
    others = f" and {event.more} more operation{'s' * (event.more > 1)}" if event.more else ""
    yield event.finding(
        f"{event.what}{others} added to the graph in {loop} in which a session runs",
        trace=(*event.trace, Label(event.loop.span, "the loop"), Label(event.ran, "the session runs")),
        help="build it once before the loop, and feed what changes through a placeholder",
        fails="TensorFlow 1 and tf.compat.v1 graphs: each turn is slower than the one before, and memory grows until "
              "the process is killed")

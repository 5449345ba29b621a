'''What a condition picks out of a batch goes into a layer that cannot do without rows.

## Why is this bad?
`tf.boolean_mask()` and its like give as many rows as fulfil the condition: in some batch that is none. Batch
normalisation then takes the mean of nothing, and its moving statistics are NaN from there on, without any message;
cuDNN's recurrent kernels and the gradient of Conv3D refuse the tensor.

## Example

```python
import tensorflow as tf
from tensorflow.keras import layers


class Head(layers.Layer):
    def __init__(self):
        super().__init__()
        self.norm = layers.BatchNormalization()
        self.dense = layers.Dense(4)

    def call(self, regions, scores, training=None):
        chosen = tf.boolean_mask(regions, scores > 0.5)
        return self.dense(self.norm(chosen, training=training))  # error: [possibly-empty-batch]


head = Head()
boxes = head(tf.zeros((100, 256)), tf.random.uniform((100,)), training=True)
```

```python
import tensorflow as tf

lstm = tf.keras.layers.LSTM(16)


def encode(sequences, valid):
    kept = tf.gather(sequences, tf.where(valid)[:, 0])
    return lstm(kept)  # error: [possibly-empty-batch]


codes = encode(tf.zeros((8, 20, 4)), tf.random.uniform((8,)) > 0.5)
```

```python
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.Input((16,)), tf.keras.layers.Dense(8), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1),
])
model.compile("adam", "mse")
data = tf.data.Dataset.from_tensor_slices((tf.zeros((640, 16)), tf.random.uniform((640, 1)))).batch(8)
data = data.map(lambda x, y: (tf.boolean_mask(x, y[:, 0] > 0.9), tf.boolean_mask(y, y[:, 0] > 0.9)))
model.fit(data)  # error: [possibly-empty-batch]
```

Boxes with a score above a threshold, of which there may be none:

```python
import tensorflow as tf
from tensorflow.keras import layers

norm = layers.BatchNormalization()
image, boxes, scores = tf.zeros((1, 64, 64, 3)), tf.random.uniform((200, 4)), tf.random.uniform((200,))
best = tf.gather(boxes, tf.image.non_max_suppression(boxes, scores, 50))
kept = tf.gather(boxes, tf.image.non_max_suppression(boxes, scores, 50, score_threshold=0.6))
crops = tf.image.crop_and_resize(image, best, tf.zeros_like(best[:, 0], tf.int32), (24, 24))
few = tf.image.crop_and_resize(image, kept, tf.zeros_like(kept[:, 0], tf.int32), (24, 24))
features = norm(crops, training=True)
features = norm(few, training=True)  # error: [possibly-empty-batch]
```

A model hands `training` on to its layers:

```python
import tensorflow as tf
from tensorflow.keras import layers

head = tf.keras.Sequential([layers.Input((8, 8, 3)), layers.Conv2D(8, 3), layers.BatchNormalization()])
crops = tf.boolean_mask(tf.zeros((100, 8, 8, 3)), tf.random.uniform((100,)) > 0.5)
features = head(crops, training=True)  # error: [possibly-empty-batch]
scores = head(crops, training=False)
```

In a loop over batches, whose number is no test for rows:

```python
import tensorflow as tf
from tensorflow.keras import layers

head = tf.keras.Sequential([layers.Input((16,)), layers.Dense(8), layers.BatchNormalization(), layers.Dense(1)])


def refine(x):
    hard = tf.boolean_mask(x, tf.reduce_mean(x, axis=-1) > 0.2)
    return head(hard, training=True)  # error: [possibly-empty-batch]


def main():
    for x in tf.data.Dataset.from_tensor_slices(tf.random.normal((640, 16))).batch(32):
        refine(x)


main()
```

## Use instead
Test for it, in Python or in the graph:

```python
import tensorflow as tf

lstm = tf.keras.layers.LSTM(16)


def encode(sequences, valid):
    kept = tf.boolean_mask(sequences, valid)
    return tf.cond(tf.shape(kept)[0] > 0, lambda: lstm(kept), lambda: tf.zeros((0, 16)))


def encode_eagerly(sequences, valid):
    if not tf.reduce_any(valid):
        return tf.zeros((0, 16))
    return lstm(tf.boolean_mask(sequences, valid))


some = tf.random.uniform((8,)) > 0.5
codes = encode(tf.zeros((8, 20, 4)), some)
few = tf.boolean_mask(tf.zeros((8, 20, 4)), some)
others = tf.cond(tf.shape(few)[0] > 0, lambda: lstm(few), lambda: tf.zeros((0, 16)))
same = encode_eagerly(tf.zeros((8, 20, 4)), some)


def encode_rest(sequences, valid):
    kept = tf.boolean_mask(sequences, valid)
    while tf.shape(kept)[0] > 0:
        sequences = lstm(kept)
        kept = kept[1:]
    return sequences
```

Put rows beside what is picked, and there are some:

```python
import tensorflow as tf

boxes = tf.boolean_mask(tf.zeros((8, 20, 4)), tf.random.uniform((8,)) > 0.5)
codes = tf.keras.layers.LSTM(16)(tf.concat([boxes, tf.zeros((1, 20, 4))], 0))
```

Layers that digest no rows are no reason to worry:

```python
import tensorflow as tf

dense, conv = tf.keras.layers.Dense(4), tf.keras.layers.Conv2D(8, 3)
kept = tf.boolean_mask(tf.zeros((8, 16)), tf.random.uniform((8,)) > 0.5)
codes = dense(kept)
```

## Fix
Unsafe: where the layer is called on a plain name and the shape of its output is known, the call is put into
`tf.cond(tf.shape(x)[0] > 0, ...)`, with no rows for the other case.

## Where it fails
As soon as nothing is picked. Batch normalisation in training, silently, with every version (run with Keras 3.15 and
tf_keras 2.21), until it is used for evaluation: "val_loss: nan". On a GPU: LSTM and GRU that run on cuDNN with
"UnknownError: CUDNN_STATUS_BAD_PARAM ... cudnnSetRNNDataDescriptor", the gradient of Conv3D with
CUDNN_STATUS_BAD_PARAM.

## Known limits
Only tensors are judged, not NumPy arrays; and nothing is said where the functions under way test anything that is not
known before.

## References
* tensorflow/core/kernels/fused_batch_norm_op.cc: FusedBatchNormOpBase::Compute (NaN)
* tensorflow/core/kernels/cudnn_rnn_ops.cc: ExtractForwardInput; conv_grad_filter_ops_3d.cc
* https://github.com/tensorflow/tensorflow/issues/14657
'''

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnnlint.events import LayerApplied, LayerInfo, TrainingStarted, tensors
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import behind, runs_on_cudnn, within
from cudnnlint.rules.fixes import guarded
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor, Unknown

PICKING = {"tensorflow.boolean_mask": "tf.boolean_mask()", "tensorflow.where": "tf.where()",
           "tensorflow.compat.v1.boolean_mask": "tf.boolean_mask()", "operator.getitem": "a boolean index",
           "tensorflow.image.non_max_suppression": "tf.image.non_max_suppression() with a score_threshold"}
BY_DATA = "a count that depends on the data"
"""ops/functions/select.py: COUNT"""
DEEPEST = 32
NAN = "silently: moving_mean and moving_variance become NaN"
REFUSED = "on a GPU: CUDNN_STATUS_BAD_PARAM (cudnnSetRNNDataDescriptor)"
GRADIENT = "on a GPU, in the gradient: CUDNN_STATUS_BAD_PARAM"


@rule("CUD420", "possibly-empty-batch", Level.WARNING, since="0.1")
def check(event: LayerApplied | TrainingStarted) -> Iterator[Finding]:
    if isinstance(event, TrainingStarted):
        yield from _fed(event)
        return
    x = event.inputs
    if event.tested or event.layer.path == "" or not isinstance(x, Tensor) or x.kind == "numpy" or not _is_counted(x):
        return
    if (harm := _harm(event)) and (how := _picked_by(x)):
        yield event.finding(f"{event.layer.name} gets the rows that {how} picks: perhaps none",
                            help="test for it before: `if tf.shape(x)[0] == 0`, or tf.cond in a graph",
                            fix=guarded(event), fails=f"as soon as nothing is picked, {harm}")


def _fed(event: TrainingStarted) -> Iterator[Finding]:
    """A model that is fed what a condition picked: dataset.batch(8).map(lambda x: tf.boolean_mask(x, ...))."""
    fed = tensors(event.data.x)
    if event.data.kind != "dataset" or not fed or not _is_counted(fed[0]) or not (how := _picked_by(fed[0])):
        return
    for layer, _, _ in behind(event.model.outputs):
        if harm := _harm_in(layer, event):
            yield event.finding(f"batches are the rows that {how} picks, perhaps none, for {within(layer).name}",
                                help="pick before batch(): dataset.unbatch().filter(...).batch(...)",
                                fails=f"as soon as nothing is picked, {harm}")
            return


def _harm_in(layer: LayerInfo, event: TrainingStarted) -> str:
    inner, trains = within(layer), event.method == "fit"
    if inner.path == "keras.layers.BatchNormalization":
        return NAN if trains else ""
    if runs_on_cudnn(layer, event.stack):
        return REFUSED
    return GRADIENT if inner.path == "keras.layers.Conv3D" and trains else ""


def _is_counted(x: Tensor) -> bool:
    return isinstance(x.shape, tuple) and bool(x.shape) and isinstance(x.shape[0], Unknown) \
        and x.shape[0].why == BY_DATA


def _harm(event: LayerApplied) -> str:
    layer = within(event.layer)
    if layer.path == "keras.layers.BatchNormalization":
        trains = event.training is True or isinstance(event.training, Unknown) or (
            event.training is None and event.phase == "symbolic")
        return NAN if trains else ""
    if runs_on_cudnn(event.layer, event.stack):
        return REFUSED
    return GRADIENT if layer.path == "keras.layers.Conv3D" else ""


PADDING = frozenset({"pad", "pad_to_bounding_box"})
"""Functions that may add rows."""
JOINING = frozenset({"concat", "concatenate", "vstack", "append"})


def _adds_rows(function: str, parents: Sequence[Tensor]) -> bool:
    """Whether there are rows whatever is picked: `tf.concat([picked, tf.zeros((1, 8))], 0)`."""
    return function in PADDING or (function in JOINING and any(
        isinstance(each.shape, tuple) and (rows := each.shape[:1]) not in ((), (0,))
        and not isinstance(rows[0], Unknown) for each in parents))


def _picked_by(x: Tensor) -> str:
    """What made the count, looked for where it came along; "" if that is not in sight."""
    todo, seen = [x], 0
    while todo and seen < DEEPEST:
        made, seen = todo.pop(), seen + 1
        step = made.step
        if step is None or step.maker == "join":
            return ""
        if isinstance(step.maker, str) and step.maker in PICKING and not any(map(_is_counted, step.parents)):
            return PICKING[step.maker]
        if isinstance(step.maker, str) and _adds_rows(step.maker.rpartition(".")[2], step.parents):
            return ""
        todo += [parent for parent in step.parents if _is_counted(parent)]
    return ""

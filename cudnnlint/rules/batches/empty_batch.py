'''A batch without rows reaches a layer that cannot digest it.

## Why is this bad?
cuDNN accepts no tensor with an extent of zero. TensorFlow returns early for most layers, so that the plain claim "an
empty batch crashes the GPU" is wrong for Conv2D and pooling, but not for all: see below for the ones that crash, and
for BatchNormalization, which turns its moving statistics into NaN without a word.

## Example

```python
import tensorflow as tf

batch = tf.zeros((0, 28, 28, 3))
y = tf.keras.layers.Conv2D(32, 3, padding="same")(batch)  # error: [empty-batch]
z = tf.keras.layers.BatchNormalization()(batch, training=True)  # error: [empty-batch]
```

```python
import numpy as np
from keras import layers

sequences = np.zeros((0, 50, 8), dtype="float32")
y = layers.LSTM(32)(sequences)  # error: [empty-batch]
```

In a model it is the first layer that cannot:

```python
import tensorflow as tf

classifier = tf.keras.Sequential([
    tf.keras.Input((8, 8, 3)), tf.keras.layers.Conv2D(4, 3), tf.keras.layers.Flatten(), tf.keras.layers.Dense(2)])
boxes = []
crops = tf.stack([tf.zeros((8, 8, 3)) for box in boxes]) if boxes else tf.zeros((0, 8, 8, 3))
classes = classifier(crops)  # error: [empty-batch]
```

A Sequence that counts one batch too many, where the rows are a multiple of the batch size:

```python
import numpy as np
from tensorflow import keras


class Images(keras.utils.Sequence):
    def __init__(self, x, y, batch_size):
        super().__init__()
        self.x, self.y, self.batch_size = x, y, batch_size

    def __len__(self):
        return len(self.x) // self.batch_size + 1

    def __getitem__(self, i):
        rows = slice(i * self.batch_size, (i + 1) * self.batch_size)
        return self.x[rows], self.y[rows]


x, y = np.random.rand(96, 20, 20, 1).astype("float32"), np.zeros((96, 1), "float32")
model = keras.Sequential([
    keras.Input((20, 20, 1)), keras.layers.Conv2D(4, 3), keras.layers.Flatten(), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(Images(x, y, 32))  # error: [empty-batch]
model.fit(Images(x[:90], y[:90], 32))
```

## Use instead
Test for it where an empty batch can come about, in Python or in the graph.

```python
import numpy as np
import tensorflow as tf

conv = tf.keras.layers.Conv2D(32, 3, padding="same")


def guarded(batch):
    if tf.shape(batch)[0] == 0:
        return tf.zeros(conv.compute_output_shape(batch.shape))
    return conv(batch)


def in_graph(batch):
    return tf.cond(tf.shape(batch)[0] > 0, lambda: conv(batch), lambda: tf.zeros((0, 28, 28, 32)))


empty = tf.constant(np.zeros((0, 28, 28, 3), dtype=np.float32))
a = guarded(empty)
b = in_graph(empty)
c = guarded(tf.zeros((5, 28, 28, 3)))  # revealed: float32[5, 28, 28, 32]
```

Layers that digest it:

```python
import tensorflow as tf

batch = tf.zeros((0, 28, 28, 3))
a = tf.keras.layers.MaxPooling2D(2)(batch)  # revealed: float32[0, 14, 14, 3]
b = tf.keras.layers.Dense(4)(batch)  # revealed: float32[0, 28, 28, 4]
c = tf.keras.layers.BatchNormalization()(batch, training=False)
```

## Fix
Unsafe: where a layer is called on a plain name and the shape of its output is known, the call is put into
`tf.cond(tf.shape(x)[0] > 0, ...)`, with no rows for the other case.

## Where it fails
* Conv1D, Conv2D, Conv3D, SeparableConv and ConvLSTM: on a CPU with TensorFlow from 2.9 on (oneDNN) the empty result
  has the channels of the *input*, and adding the bias raises InvalidArgumentError "Incompatible shapes: [0,8,8,3]
  vs. [1,1,1,4]" (Keras 2: "Must provide as many biases as the last dimension of the input tensor"), the gradient
  InternalError "Missing 1-th output from ...Conv2DBackpropFilter". On a GPU the result is empty, and only the
  gradient of Conv3D goes to cuDNN: CUDNN_STATUS_BAD_PARAM.
* LSTM and GRU: on a GPU CUDNN_STATUS_BAD_PARAM from cudnnSetRNNDataDescriptor; on a CPU Keras 3 fails for LSTM with
  InvalidArgumentError "Biases must be 1D: [0,16]".
* BatchNormalization in training: moving_mean and moving_variance become NaN, on every device and version:
  "val_loss: nan".
* `tf.nn.local_response_normalization`: a GPU aborts the process.
* Pooling, Dense, Flatten, LayerNormalization, DepthwiseConv2D, Conv2DTranspose: nowhere; the result is empty.

The CPU rows were run with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21; the GPU rows are read in the source.

## Known limits
Empty batches that come about at run time, from a filter or a mask, are not seen; for replicas without rows see
replica-starved-batch.

## References
* tensorflow/core/kernels/mkl/mkl_conv_ops.cc: MklConvOp::Compute
* tensorflow/core/kernels/conv_grad_filter_ops_3d.cc: Conv3DBackpropFilterOp<GPUDevice>
* tensorflow/core/kernels/cudnn_rnn_ops.cc: ExtractForwardInput
* tensorflow/core/kernels/fused_batch_norm_op.cc: FusedBatchNormOpBase::Compute
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import FunctionApplied, LayerApplied, LayerInfo, TrainingStarted, tensors
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.ancestry import MODELS, behind, graph_of
from cudnnlint.rules.fixes import guarded
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Stack


@rule("CUD401", "empty-batch", Level.ERROR, since="0.1")
def check(event: LayerApplied | FunctionApplied | TrainingStarted) -> Iterator[Finding]:
    if isinstance(event, LayerApplied):
        if _is_empty(event.inputs) and (found := _undigested(event)) is not None:
            yield event.finding(_message(found[0]), help=HELP, fails=found[1], fix=guarded(event))
    elif isinstance(event, FunctionApplied):
        if event.path in LRN and _is_empty(event.output):
            yield event.finding(_message(event.path.replace("tensorflow.", "tf.")), help=HELP,
                                fails="on a GPU: the process aborts, CUDNN_STATUS_BAD_PARAM; a CPU returns nothing")
    elif (name := ON_ONE.get(event.method)) is not None and _is_empty(event.data.x):
        yield event.finding(_message(name), help=HELP, fails=ON_BATCH)
    elif event.data.kind == "sequence" and event.data.last == 0 and event.steps_per_epoch is None:
        yield event.finding(f"batch {event.data.batches} of {event.data.batches}, the last one, has 0 rows",
                            help="__len__ gives one batch too many: math.ceil(rows / batch_size)",
                            trace=_with_origin(event), fails=IN_FIT)


def _undigested(event: LayerApplied) -> tuple[str, str] | None:
    """The layer that cannot digest the batch and what then fails; in a model the one nearest to its inputs."""
    name = event.layer.name
    held = ((layer, f"{layer.name} in {name}") for layer, _, _ in behind(graph_of(event.output))) \
        if event.layer.path in MODELS else ((event.layer, name),)
    told = [(spoken, fails) for layer, spoken in held if (fails := _fails(layer, event.training, event.stack))]
    return told[-1] if told else None


def _with_origin(event: TrainingStarted) -> tuple[Label, ...]:
    return event.trace if event.data.span is None else (*event.trace, Label(event.data.span, "the Sequence"))


IN_FIT = ("in fit(): of a convolution on a CPU InternalError, of BatchNormalization InvalidArgumentError or, silently, "
          "NaN; elsewhere silently")
ON_ONE = {"train_on_batch": "train_on_batch()", "test_on_batch": "test_on_batch()",
          "GradientTape": "the training step"}
"""Methods that are given one batch -> how they are told of."""
HELP = "test for it before: `if tf.shape(x)[0] == 0`, or tf.cond in a graph"
ON_BATCH = "in a convolution's gradient on a CPU: InternalError; elsewhere silently: nothing is learned"
LRN = ("tensorflow.nn.local_response_normalization", "tensorflow.nn.lrn")
CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "Convolution1D", "Convolution2D", "Convolution3D", "SeparableConv1D",
                "SeparableConv2D", "SeparableConvolution1D", "SeparableConvolution2D", "ConvLSTM1D", "ConvLSTM2D",
                "ConvLSTM3D")


def _is_empty(structure: object) -> bool:
    found = tensors(structure)
    return bool(found) and isinstance(found[0].shape, tuple) and bool(found[0].shape) and found[0].shape[0] == 0


def _message(name: str) -> str:
    return f"{name} gets a batch of 0 rows"


def _fails(layer: LayerInfo, training: object, stack: Stack) -> str:
    """By layer; "" for those that return an empty tensor everywhere."""
    name = layer.path.removeprefix("keras.layers.")
    if name in CONVOLUTIONS:
        return _convolution(stack, name)
    if name.endswith("BatchNormalization") and training is True:
        return "silently: moving_mean and moving_variance become NaN"
    if name in ("LSTM", "GRU", "CuDNNLSTM", "CuDNNGRU"):
        cpu = ", on a CPU InvalidArgumentError" if name == "LSTM" and stack.keras >= (3,) else ""
        return f"on a GPU: CUDNN_STATUS_BAD_PARAM (cudnnSetRNNDataDescriptor){cpu}"
    return ""


def _convolution(stack: Stack, name: str) -> str:
    gpu = "on a GPU the gradient: CUDNN_STATUS_BAD_PARAM" if name == "Conv3D" else "a GPU returns an empty tensor"
    if stack.tensorflow < (2, 9):
        return gpu if name == "Conv3D" else "silently: the result is empty, nothing is learned from it"
    error = '"Incompatible shapes" where the bias is added' if stack.keras >= (3,) else \
        '"Must provide as many biases as the last dimension of the input tensor"'
    return f"on a CPU (oneDNN): InvalidArgumentError {error}; {gpu}"

'''A convolution is given integers, and no layer or model casts them to floats on the way.

## Why is this bad?
Images come as uint8. Convolutions multiply by float weights and take floats only; a model with a float Input casts
what it is fed, a layer on its own, a subclassed model and an integer Input do not. The error comes from Python or
TensorFlow, never from cuDNN, which does not get to see the tensor.

## Example

```python
import tensorflow as tf

images = tf.random.uniform((32, 32, 32, 3), 0, 255, dtype=tf.int32)
y = tf.keras.layers.Conv2D(16, 3)(images)  # error: [integer-conv-input]
```

```python
import keras
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = layers.Conv2D(16, 3)
        self.head = layers.Dense(10)

    def call(self, x):
        x = self.conv(x)
        return self.head(keras.ops.mean(x, axis=(1, 2)))


(x_train, y_train), _ = keras.datasets.cifar10.load_data()
model = Net()
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x_train, y_train)  # error: [integer-conv-input]
```

The finding is where the model is fed, and names the layer. What call() itself makes an integer is found there:

```python
import keras
import tensorflow as tf
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = layers.Conv2D(16, 3)

    def call(self, x):
        return self.conv(tf.cast(x, tf.int32))  # error: [integer-conv-input]


scores = Net()(tf.zeros((8, 32, 32, 3)))
```

An Input may be of integers; the convolution on it may not. Keras 3 builds such a model and fails when it runs:

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3), dtype="uint8")
y = layers.Conv2D(16, 3)(x)  # error: [integer-conv-input]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((32, 32, 3), dtype="uint8")
y = layers.Rescaling(1 / 255)(x)
y = layers.Conv2D(16, 3)(y)
```

A model with a float Input may be fed integers: it casts them.

```python
import keras
from keras import layers

(x_train, y_train), _ = keras.datasets.mnist.load_data()
model = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x_train, y_train)
```

So does a model inside another one:

```python
import keras
from keras import layers

backbone = keras.Sequential([keras.Input((None, None, 3)), layers.Conv2D(8, 3)])
features = backbone(keras.Input((32, 32, 3), dtype="uint8"))  # revealed: float32[B, 30, 30, 8]
```

A deferred Sequential depends on the version: Keras 3 gives it a float Input, Keras 2 passes the integers on.

```python keras=3.15
import keras
from keras import layers

(x_train, y_train), _ = keras.datasets.cifar10.load_data()
model = keras.Sequential([layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x_train, y_train)
```

```python keras=2.15 tensorflow=2.15
import tensorflow as tf
from tensorflow.keras import layers

(x_train, y_train), _ = tf.keras.datasets.cifar10.load_data()
model = tf.keras.Sequential([
    layers.Conv2D(8, 3),
    layers.Flatten(),
    layers.Dense(10),
])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x_train, y_train)  # error: [integer-conv-input]
```

## Fix
Unsafe, since a scale may be what is missing: what the layer is called on is cast, in `call()` if a model is fed it, by
`tf.cast(x, tf.float32)` or `keras.ops.cast(x, "float32")`, arrays by `x.astype("float32")`. A layer that is made where
it is called on an Input gets `layers.Rescaling` before it, by 1 / 255 for uint8. In PyTorch `.float()` is written where
an array becomes a tensor, or else around what the module is called on.

## Where it fails
Everywhere, on a CPU as on a GPU. Called on a tensor: ValueError "Incompatible type conversion requested to type
uint8 for `tf.Variable of type float32`" (Keras 3.4 and later), InvalidArgumentError (before). In fit(): TypeError
"Value passed to parameter 'input' has DataType uint8 not in list of allowed values". Keras 2 refuses an integer
Input when the model is built. Keras 3.0 to 3.3 cast NumPy arrays, not tensors.

PyTorch: RuntimeError "Input type (unsigned char) and bias type (float) should be the same", for every convolution and
Linear that meets integers:

```python
import torch
from torch import nn

images = torch.randint(0, 255, (8, 3, 32, 32), dtype=torch.uint8)
x = nn.Conv2d(3, 16, 3)(images)  # error: [integer-conv-input]
y = nn.Conv2d(3, 16, 3)(images.float() / 255)
```

## Known limits
Dense, BatchNormalization and recurrent layers cast integers in current versions and are no finding.

## References
* keras/src/backend/common/variables.py: Variable._convert_to_tensor
* tf_keras/src/engine/functional.py: Functional._conform_to_reference_input
* tensorflow/core/kernels/conv_ops_int32.cc
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied, Rejected
from cudnnlint.finding import Finding, Label, Level, Recipe
from cudnnlint.rules.ancestry import chain
from cudnnlint.rules.fixes import as_floats, as_weights
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import fails
from cudnnlint.source import Span
from cudnnlint.values import Problem, Tensor, is_integer

CONVOLUTIONS = frozenset(f"keras.layers.{name}" for name in (
    "Conv1D", "Conv2D", "Conv3D", "Convolution1D", "Convolution2D", "Convolution3D", "DepthwiseConv1D",
    "DepthwiseConv2D",
    "SeparableConv1D", "SeparableConv2D", "SeparableConvolution1D", "SeparableConvolution2D", "Conv1DTranspose",
    "Conv2DTranspose", "Conv3DTranspose", "Convolution2DTranspose", "Convolution3DTranspose"))


@rule("CUD201", "integer-conv-input", Level.ERROR, since="0.1", layers=CONVOLUTIONS)
def check(event: LayerApplied | Rejected) -> Iterator[Finding]:
    if isinstance(event, Rejected):
        if event.mismatch.problem is Problem.INTEGER_INPUT:
            dtype = str(event.mismatch.fact("dtype"))
            path = event.layer.path if event.layer is not None else event.what
            advice = event.mismatch.help if path.startswith("torch.") else HELP
            direct = event.layer is None or event.span != event.layer.span
            first = event.inputs[0] if isinstance(event.inputs, list) and event.inputs else event.inputs
            fix = as_weights(event) if path.startswith("torch.") else as_floats(event.span, first, event.stack) \
                if direct and isinstance(first, Tensor) else None
            yield event.finding(_message(event.what, dtype), help=advice, fails=fails(event), fix=fix)
        return
    x = event.inputs
    if isinstance(x, Tensor) and is_integer(x.dtype) and not _casts(event, x):
        message, where = _message(event.layer.name, str(x.dtype)), _fails(event, str(x.dtype))
        if (at := _fed_at(event, x)) is None:
            fix = as_floats(event.span, x, event.stack) if event.span != event.layer.span else None
            yield event.finding(message, help=HELP, fails=where, fix=fix)
        else:
            trace = (*(label for label in event.trace if label.span != at), Label(event.span, event.layer.name))
            yield event.finding(message, help=HELP, fails=where, span=at, trace=trace, fix=_cast_fed(event, x, at))


HELP = 'cast it, tf.cast(x, "float32"), or scale it with layers.Rescaling(1 / 255)'


def _message(name: str, dtype: str) -> str:
    return f"{name} on an input of dtype {dtype}, which takes floats only"


def _fed_at(event: LayerApplied, x: Tensor) -> Span | None:
    """Where the layer's model was given these integers; None if call() made them, or there is no such place."""
    if event.fed is None or event.layer.span == event.fed[0]:
        return None
    steps = {id(tensor.step) for tensor in event.fed[1] if tensor.step is not None}
    for made, _ in chain(x):
        if not is_integer(made.dtype):
            return None
        if id(made.step) in steps:
            return event.fed[0]
    return None


def _cast_fed(event: LayerApplied, x: Tensor, at: Span) -> Recipe | None:
    """In call(), for all that the model is given there; of a chain of layers the array that stands in fit() itself."""
    if event.span not in (event.layer.span, at):
        return as_floats(event.span, x.with_(kind="tf"), event.stack)
    first = event.fed[1][0] if event.fed is not None and event.fed[1] else None
    if first is None or first.step is None or first.step.span != at \
            or all(made.step is not first.step for made, _ in chain(x)):
        return None
    return as_floats(at, first, event.stack, "x")


def _casts(event: LayerApplied, x: Tensor) -> bool:
    """Keras 3.0 to 3.3 turn NumPy integers into floats (keras/src/layers/layer.py: Layer.__call__)."""
    return x.kind == "numpy" and (3,) <= event.stack.keras < (3, 4)


def _fails(event: LayerApplied, dtype: str) -> str:
    graph = f"TypeError \"Value passed to parameter 'input' has DataType {dtype} not in list of allowed values\""
    if dtype == "int32":  # which some of the kernels take
        graph += ' or "does not match type int32" or ValueError "Incompatible type conversion requested to type int32"'
    elif event.phase == "symbolic" and event.stack.keras >= (3, 4):
        graph += f' or eagerly ValueError "Incompatible type conversion requested to type {dtype}"'
    if event.phase == "symbolic":
        return f"everywhere, not when the model is built but in fit() or when it is called: {graph}"
    if event.phase == "call" and not event.fixed:
        return f"everywhere, in fit(): {graph}"
    eager = f"InvalidArgumentError, as {dtype} meets float32 weights" if event.stack.keras < (3, 4) else \
        f'ValueError "Incompatible type conversion requested to type {dtype} for `tf.Variable of type float32`"'
    told = f"everywhere, when the layer is called: {eager}"
    return told if event.phase == "eager" else f"{told}, in a graph {graph}"

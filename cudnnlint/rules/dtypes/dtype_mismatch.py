'''An operation gets tensors whose dtypes do not go together.

## Why is this bad?
TensorFlow converts Python numbers and NumPy arrays, never tensors: a float64 tensor, NumPy's default, does not meet
a float32 kernel. Keras layers cast floats themselves; plain `tf` functions do not.

## Example

```python
import tensorflow as tf

image = tf.zeros((1, 8, 8, 3), tf.float64)
kernel = tf.zeros((3, 3, 3, 4))
y = tf.nn.conv2d(image, kernel, 1, "SAME")  # error: [dtype-mismatch]
```

```python
import tensorflow as tf

total = tf.constant([1, 2]) + tf.constant([0.5, 1.5])  # error: [dtype-mismatch]
```

Nor does a float of Python's become an integer for a tensor of integers:

```python
import tensorflow as tf

image = tf.io.decode_png(tf.io.read_file("cat.png"), channels=3) / 255.0  # error: [dtype-mismatch]
half = tf.range(10) * 0.5  # error: [dtype-mismatch]
whole = tf.range(10) * 2  # revealed: int32[10]
rows = tf.gather(tf.zeros((10, 3)), [0.0, 4.0])  # error: [dtype-mismatch]
```

Roots, exponentials and the like have no integers, and differences no bools:

```python
import tensorflow as tf

keys = tf.zeros((2, 10, 64))
depth = tf.math.sqrt(tf.shape(keys)[-1])  # error: [dtype-mismatch]
scale = tf.math.sqrt(tf.cast(tf.shape(keys)[-1], tf.float32))
padding = tf.equal(tf.constant([[5, 3, 0]]), 0)
mask = 1 - padding  # error: [dtype-mismatch]
kept = 1 - tf.cast(padding, tf.float32)

labels, logits = tf.zeros((8,)), tf.zeros((8, 10))
loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)  # error: [dtype-mismatch]
```

```python
import torch

words = torch.tensor([[5, 3, 0]])
hidden, padding = torch.rand(1, 3), words.eq(0)
hidden.masked_fill(1 - padding, 0.0)  # error: [dtype-mismatch]
hidden.masked_fill(words, 0.0)  # error: [dtype-mismatch]
torch.where(words, hidden, 0.0)  # error: [dtype-mismatch]
torch.where(words > 0, hidden.masked_fill(~padding, 0.0), 1 - padding.float())
shares = torch.softmax(words, dim=1)  # error: [dtype-mismatch]
shares = torch.softmax(words.float(), dim=1)
first = hidden[:, :len(hidden) * 0.8]  # error: [dtype-mismatch]
first = hidden[:, :int(len(hidden) * 0.8)]
```

`tf.map_fn` makes room for results before there are any, of the dtype of the rows unless it is told another:

```python
import tensorflow as tf

boxes = tf.constant([[0, 0, 10, 20], [5, 5, 8, 9]])
areas = tf.map_fn(lambda box: tf.cast(box[2] * box[3], tf.float32), boxes)  # error: [dtype-mismatch]
sides = tf.map_fn(lambda box: tf.cast(box[2], tf.float32), boxes, fn_output_signature=tf.float32)
```

Keras 3 casts the labels for a loss, not for a metric; Keras 2 the reverse, where they are integers:

```python
import numpy as np
import tensorflow as tf


def dice(y_true, y_pred):
    return 2 * tf.reduce_sum(y_true * y_pred) / tf.reduce_sum(y_true + y_pred)  # error: [dtype-mismatch]


model = tf.keras.Sequential([tf.keras.Input((32, 32, 3)), tf.keras.layers.Conv2D(1, 1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=[dice])
model.fit(np.zeros((8, 32, 32, 3)), np.zeros((8, 32, 32, 1), "uint8"))
```

```python keras=2.15 tensorflow=2.15
import numpy as np
import tensorflow as tf


def weighted(y_true, y_pred):
    return tf.reduce_mean(y_true * tf.square(y_true - y_pred))  # error: [dtype-mismatch]


model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile("adam", weighted, metrics=[lambda y_true, y_pred: tf.reduce_mean(y_true - y_pred)])
model.fit(np.zeros((8, 4)), np.zeros(8, "int64"))
```

```python
import numpy as np
import torch
from torch import nn

x = torch.from_numpy(np.random.rand(10, 4))
y = nn.Linear(4, 2)(x)  # error: [dtype-mismatch]
z = nn.Linear(4, 2)(x.float())  # revealed: float32[10, 2]
```

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 1), nn.Sigmoid())
labels = torch.randint(0, 2, (32, 1))
loss = nn.BCELoss()(model(torch.randn(32, 10)), labels)  # error: [dtype-mismatch]
```

## Use instead

```python
import tensorflow as tf

image = tf.cast(tf.zeros((1, 8, 8, 3), tf.float64), tf.float32)
kernel = tf.zeros((3, 3, 3, 4))
y = tf.nn.conv2d(image, kernel, 1, "SAME")  # revealed: float32[1, 8, 8, 4]
```

```python
import numpy as np
import tensorflow as tf


def dice(y_true, y_pred):
    y_true = tf.cast(y_true, y_pred.dtype)
    return 2 * tf.reduce_sum(y_true * y_pred) / tf.reduce_sum(y_true + y_pred)


model = tf.keras.Sequential([tf.keras.Input((32, 32, 3)), tf.keras.layers.Conv2D(1, 1, activation="sigmoid")])
model.compile("adam", dice, metrics=[dice])
model.fit(np.zeros((8, 32, 32, 3)), np.zeros((8, 32, 32, 1), "uint8"))
```

## Fix
Unsafe, since float64 may be what is meant: where a function of `tf` or an operator gets a float32 tensor and one of
float64 or of integers, the latter is wrapped in `tf.cast(..., tf.float32)`. In PyTorch `.float()` is written where an
array becomes a tensor, or else around what the module is called on; class numbers get `.long()`.

## Where it fails
Everywhere, before cuDNN is reached: InvalidArgumentError "cannot compute Conv2D as input #1(zero-based) was
expected to be a double tensor but is a float tensor"; in a graph, that of fit() or a tf.function, TypeError "Input 'y'
of 'Mul' Op has type float64 that does not match type float32 of argument 'x'", "Tensors in list passed to 'inputs' of
'Einsum' Op have types [float16, float32] that don't all match". Of map_fn InvalidArgumentError "TensorArray dtype is
int32 but Op is trying to write dtype float", in a graph "Invalid data types; op elements float but list elements
int32". Of functions of floats InvalidArgumentError "Value for attr 'T' of int32 is not in the list of allowed values",
in a graph TypeError "has DataType int32 not in list of allowed values".

PyTorch: RuntimeError "Input type (double) and bias type (float) should be the same", "mat1 and mat2 must have the same
dtype, but got Double and Float", "Expected tensor for argument #1 'indices' to have one of the following scalar types:
Long, Int", "not implemented for 'Long'", "expected target dtype to be Long or Byte, but got Float", "Found dtype Long
but expected Float", "result type Float can't be cast to the desired output type Long", "Subtraction, the `-` operator,
with a bool tensor is not supported", "masked_fill_ only supports boolean masks". Floats in brackets: IndexError "only
integers, slices (`:`), ellipsis", of a slice TypeError "slice indices must be integers or None or have an __index__
method".

## Known limits
A NumPy array beside a tensor is converted to the tensor's dtype and is no finding.

## References
* keras/src/losses/loss.py: Loss.__call__; keras/src/metrics/reduction_metrics.py: MeanMetricWrapper.update_state
* tf_keras/src/engine/compile_utils.py: match_dtype_and_rank
* tensorflow/core/common_runtime/eager/execute.cc: ValidateInputTypeAndPlacement
* tensorflow/python/framework/op_def_library.py: _ApplyOpHelper
'''

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cudnnlint.events import Rejected, tensors
from cudnnlint.finding import Argument, Finding, Level, Recipe, WrapArgument, WrapOperand
from cudnnlint.rules.ancestry import LONGEST
from cudnnlint.rules.fixes import as_weights, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem, Tensor, is_integer

OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", ">=", "==", "!="})


@rule("CUD202", "dtype-mismatch", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.DTYPE:
        found = rejection(event)
        if event.what in OPERATORS and event.stack.keras >= (3,) and _is_of_keras(event.inputs):
            found = replace(found, fails=found.fails.replace("everywhere", "with Keras' TensorFlow backend", 1),
                            help=found.help.replace("tf.cast", "keras.ops.cast"))
        yield replace(found, fix=found.fix or _fix(event) or as_weights(event))


def _is_of_keras(inputs: object) -> bool:
    """Whether tensors of the backend come from Keras alone: JAX and PyTorch convert what TensorFlow does not (run with
    Keras 3.15 and PyTorch)."""
    todo, left, by_keras = list(tensors(inputs)), LONGEST, False
    if any(one.kind != "tf" for one in todo):
        return False
    while todo and left:
        step, left = todo.pop().step, left - 1
        if step is None:
            continue
        path = step.maker if isinstance(step.maker, str) else ""
        if path.startswith("tensorflow."):
            return False
        by_keras = by_keras or path.startswith("keras.ops.")
        todo += step.parents
    return by_keras and not todo


def _fix(event: Rejected) -> Recipe | None:
    """Of two tensors given by position, or on both sides of an operator, the one that is no float, or that is float64,
    is cast to what the other is."""
    operator = event.what in OPERATORS
    inputs = event.inputs if (operator or event.what.startswith("tf.")) and isinstance(event.inputs, list) else []
    held = [(place, x.dtype) for place, x in enumerate(inputs) if isinstance(x, Tensor)]
    if len(held) != 2:
        return None
    for (place, dtype), (_, other) in (held, held[::-1]):
        if other == "float32" and (dtype == "float64" or is_integer(dtype)):
            if operator:
                of_tensorflow = all(isinstance(x, Tensor) and x.kind == "tf" for x in inputs)
                return unsafe("cast to float32", WrapOperand(event.span, place, "tf.cast({}, tf.float32)", "tf")) \
                    if of_tensorflow else None
            there = Argument(event.span, "", place)
            return unsafe("cast to float32", WrapArgument(there, "tf.cast({}, tf.float32)", root="tf"))
    return None

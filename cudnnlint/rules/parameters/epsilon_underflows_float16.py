'''An epsilon is too small for float16, in which an optimizer keeps its averages or a layer computes.

## Why is this bad?
Adam divides by the root of the average of squared gradients, plus epsilon. In pure float16 that average is zero for
every gradient below about 0.005, so that epsilon is all that is left to divide by: with the default of 1e-7 a weight
moves by thousands of times the learning rate, the loss explodes or becomes NaN. `mixed_float16` keeps variables and
averages in float32 and has no such trouble.

What a layer computes is of float16 under `mixed_float16`, too, and 1e-8 is 0 there: `x / (norm + 1e-8)` divides by zero
where the norm is zero, and the NaN that comes of it spreads to all weights.

## Example

```python
import keras
from keras import layers

keras.backend.set_floatx("float16")
model = keras.Sequential([keras.Input((16,)), layers.Dense(1)])
model.compile(keras.optimizers.Adam(1e-3), "mse")  # error: [epsilon-underflows-float16]
```

```python
import keras
from keras import layers

keras.config.set_dtype_policy("float16")
model = keras.Sequential([keras.Input((16,)), layers.Dense(1)])
model.compile("nadam", "mse")  # error: [epsilon-underflows-float16]
```

```python
import tensorflow as tf

tf.keras.backend.set_floatx("float16")
model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adamax()  # error: [epsilon-underflows-float16]
for batch in tf.data.Dataset.from_tensor_slices(tf.zeros((64, 16), tf.float16)).batch(8):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(batch) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
```

```python
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")


class Normalized(tf.keras.layers.Layer):
    def __init__(self, epsilon=1e-8):
        super().__init__()
        self.epsilon = epsilon

    def call(self, x):
        return x / (tf.norm(x, axis=-1, keepdims=True) + self.epsilon)  # error: [epsilon-underflows-float16]


model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(8, "relu"), Normalized()])
```

## Use instead

```python
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")


class Normalized(tf.keras.layers.Layer):
    def call(self, x):
        x = tf.cast(x, "float32")
        return x / (tf.norm(x, axis=-1, keepdims=True) + 1e-8)


class Bounded(tf.keras.layers.Layer):
    def call(self, x):
        return x / (tf.norm(x, axis=-1, keepdims=True) + 1e-4)


model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(8, "relu"), Normalized(), Bounded()])
```

```python
import keras
from keras import layers

keras.mixed_precision.set_dtype_policy("mixed_float16")
model = keras.Sequential([keras.Input((16,)), layers.Dense(1, dtype="float32")])
model.compile(keras.optimizers.Adam(1e-3), "mse")
```

```python
import keras
from keras import layers

keras.backend.set_floatx("float16")
model = keras.Sequential([keras.Input((16,)), layers.Dense(1)])
model.compile(keras.optimizers.Adam(1e-3, epsilon=1e-4), "mse")
plain = keras.Sequential([keras.Input((16,)), layers.Dense(1)])
plain.compile("sgd", "mse")
```

## Fix
Unsafe, since mixed_float16 is another remedy: an optimizer that is an object gets `epsilon=1e-4`.

## Where it fails
Silently, on every device. One step over a gradient of 0.001 at a learning rate of 0.001, run on Keras 3.15 and
tf_keras 2.21: Adam moves a weight of 0.5 to -1, Nadam to -21, Adamax gives NaN; with epsilon 1e-4 they move it by
0.0015, 0.026 and 0.003. RMSprop, Adagrad, Adadelta and SGD are not affected. `x + 1e-8` of float16 zeros is zero, and
`x / (x + 1e-8)` NaN (run with TensorFlow 2.21). What is seen is "loss: nan".

## Known limits
Of what is added, only numbers up to 2**-25 are told of, which float16 rounds to zero, in `+` and `maximum`.
A model is judged where compile() is called, or in a loop of the program's own where gradients are applied, and where
all its layers are of float16. An epsilon from 2**-14, the smallest
normal float16, is accepted; how large it must be depends on the gradients.

## References
* keras/src/optimizers/adam.py: Adam.update_step; nadam.py, adamax.py
* https://github.com/keras-team/keras/issues/11832, https://github.com/keras-team/keras/issues/9582
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import FunctionApplied, ModelCompiled, TrainingStarted, tensors
from cudnnlint.finding import Argument, Finding, Level, Recipe, SetArgument
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.source import Span

SMALLEST = 2.0 ** -14
"""The smallest normal number of float16 (IEEE 754)."""
ROUNDED = 2.0 ** -25
"""What is no more than that becomes 0 in float16, whose smallest number is twice that (IEEE 754)."""
DEFAULT = 1e-7
"""keras/src/optimizers/adam.py: Adam.__init__; tf_keras the same."""
POSITIONS = {"adam": 3, "nadam": 3, "adamax": 3}
"""Optimizers that underflow -> position of `epsilon` in their constructors, learning_rate, beta_1, beta_2 before."""


@rule("CUD311", "epsilon-underflows-float16", Level.WARNING, since="0.1")
def check(event: ModelCompiled | TrainingStarted | FunctionApplied) -> Iterator[Finding]:
    if isinstance(event, FunctionApplied):
        yield from _zero(event)
        return
    if getattr(event.model.policy, "variable", None) != "float16":
        return
    if isinstance(event, TrainingStarted) and event.method != "GradientTape":
        return
    given = event.arguments.get("optimizer")
    name, epsilon = _optimizer(given)
    if name.lower() not in POSITIONS or not isinstance(epsilon, (int, float)) or not epsilon < SMALLEST:
        return
    at = getattr(given, "span", None)
    yield event.finding(
        f"epsilon of {name} is {epsilon:g}, its averages are float16, whose smallest normal number is {SMALLEST:.2g}",
        span=at if isinstance(at, Span) else event.span,
        fix=_fix(at, name) if isinstance(at, Span) else None,
        help='set_dtype_policy("mixed_float16"), which keeps variables in float32, or epsilon=1e-4',
        fails="silently: weights jump by many times the learning rate, the loss becomes NaN")


def _zero(event: FunctionApplied) -> Iterator[Finding]:
    """A number that float16 makes zero (interp/functions.py: FLOORS)."""
    values = [value for value in event.arguments.values() if isinstance(value, float)]
    dtypes = {tensor.dtype for tensor in tensors(list(event.arguments.values()))}
    is_torch = any(tensor.kind == "torch" for tensor in tensors(list(event.arguments.values())))
    cast = "x.float()" if is_torch else 'tf.cast(x, "float32")'
    if event.path in FLOORS and len(values) == 1 and 0 < abs(values[0]) <= ROUNDED and dtypes == {"float16"}:
        yield event.finding(
            f"{values[0]:g} is 0 in float16, whose smallest number is {2 * ROUNDED:.1g}: {event.output} is as before",
            help=f"1e-4 or more, or compute this in float32: {cast}",
            fails="silently: where the rest is zero, a division by it gives NaN or infinity")


FLOORS = frozenset({"operator.+", "tensorflow.add", "tensorflow.math.add", "tensorflow.maximum",
                    "tensorflow.math.maximum", "keras.ops.add", "keras.ops.maximum"})


def _fix(at: Span, name: str) -> Recipe:
    there = Argument(at, "epsilon", POSITIONS[name.lower()])
    return unsafe("epsilon=1e-4", SetArgument(there, "1e-4"))


def _optimizer(given: object) -> tuple[str, object]:
    """Name and epsilon of what compile() was given."""
    if isinstance(given, str):
        return given, DEFAULT
    path, kwargs = getattr(given, "path", ""), getattr(given, "kwargs", {})
    args = getattr(given, "args", ())
    if not isinstance(path, str) or not path.startswith("keras.optimizers.") or "**" in kwargs:
        return "", None
    name = path.rpartition(".")[2]
    place = POSITIONS.get(name.lower(), 0)
    value = args[place] if len(args) > place else kwargs.get("epsilon", DEFAULT)
    return name, getattr(value, "value", value)

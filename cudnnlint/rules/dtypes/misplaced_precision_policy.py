'''A mixed-precision policy is set where it does nothing.

## Why is this bad?
A layer takes the global policy when it is made. One that is set after that changes nothing: the model goes on in
float32, with the memory and the speed of float32, and nothing says so. `tf.config.optimizer` takes no policies at all.

## Example

```python
import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.layers.Input((32,)), keras.layers.Dense(64), keras.layers.Dense(1)])
keras.mixed_precision.set_global_policy("mixed_float16")  # error: [misplaced-precision-policy]
model.compile("adam", "mse")
model.fit(np.zeros((64, 32)), np.zeros((64, 1)))
```

```python
import keras
import numpy as np


class Experiment:
    def build(self):
        self.model = keras.Sequential([
            keras.Input((16,)), keras.layers.Dense(32), keras.layers.Dense(1, dtype="float32")])

    def run(self):
        self.build()
        keras.config.set_dtype_policy("mixed_bfloat16")  # error: [misplaced-precision-policy]
        self.model.compile("adam", "mse")
        self.model.fit(np.zeros((32, 16)), np.zeros((32, 1)))


Experiment().run()
```

```python
import tensorflow as tf

policy = tf.keras.mixed_precision.Policy("mixed_float16")
tf.config.optimizer.set_experimental_options(policy)  # error: [misplaced-precision-policy]
tf.config.optimizer.set_experimental_options({"policy": "mixed_float16"})  # error: [misplaced-precision-policy]
tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
```

## Use instead
Before the first layer, with the last one in float32:

```python
import numpy as np
from tensorflow import keras

keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential([
    keras.layers.Input((32,)), keras.layers.Dense(64), keras.layers.Dense(1, dtype="float32"),
])
model.compile("adam", "mse")
model.fit(np.zeros((64, 32)), np.zeros((64, 1)))
```

Two models, each with the policy of its time:

```python
import numpy as np
from tensorflow import keras

for policy in ("float32", "mixed_float16"):
    keras.mixed_precision.set_global_policy(policy)
    model = keras.Sequential([keras.layers.Input((32,)), keras.layers.Dense(1, dtype="float32")])
    model.compile("adam", "mse")
    model.fit(np.zeros((64, 32)), np.zeros((64, 1)))
```

## Where it fails
With every version, silently. Run with Keras 3.15 and tf-keras 2.21: a layer made before has the policy float32, one
made after mixed_float16. `set_experimental_options` takes a dict: TypeError "'DTypePolicy' object is not iterable"
(tf-keras: "'Policy' object is not iterable"). A dict may have any keys: run with TensorFlow 2.21, {"policy":
"mixed_float16"} is taken, and get_experimental_options() knows nothing of it.

## Known limits
It is told where such a model is trained. One that was trained before as well is silent, as are models whose layers are
not all known or have a `dtype` of their own, other than a float32 for the output.

## References
* keras/src/layers/layer.py: Layer.__init__, dtype_policies.get
* tensorflow/python/eager/context.py: Context.set_optimizer_experimental_options
* https://www.tensorflow.org/guide/mixed_precision
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import PolicyMisplaced
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule


@rule("CUD204", "misplaced-precision-policy", Level.WARNING, since="0.1")
def check(event: PolicyMisplaced) -> Iterator[Finding]:
    if event.key:
        yield event.finding(
            f"set_experimental_options() has no option {event.key!r}, and ignores {event.policy!r}",
            help=f"keras.mixed_precision.set_global_policy({event.policy!r}), before the first layer is made",
            fails="everywhere, silently: what follows goes on in float32")
        return
    if event.cause == "options":
        given = repr(event.policy) if event.text else f"the dtype policy {event.policy!r}"
        yield event.finding(
            f"set_experimental_options() is given {given} where it takes a dict of grappler options",
            help=f"keras.mixed_precision.set_global_policy({event.policy!r}), before the first layer is made",
            fails='everywhere: ValueError "dictionary update sequence element #0 has length 1; 2 is required"'
            if event.text else f"everywhere: TypeError \"'{_policy(event)}' object is not iterable\"")
        return
    labels = [Label(span, text) for span, text in ((event.made, "made before"), (event.used, "trained here"))
              if span is not None]
    part = f"{event.early} of the model's {event.layers} layers with variables" \
        if event.early < event.layers else f"all {event.layers} layers with variables of the model"
    yield event.finding(
        f"{event.policy} is set after {part} were made, and does not change them",
        trace=(*event.trace, *labels), help="set the policy before the first layer is made",
        fails="everywhere, silently: these layers go on in float32")


def _policy(event: PolicyMisplaced) -> str:
    """The class of a policy."""
    return "DTypePolicy" if event.stack.keras >= (3,) else "Policy"

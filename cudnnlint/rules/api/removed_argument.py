'''An argument is given that an earlier version took and the version at hand refuses.

## Why is this bad?
Keras 3 dropped many arguments of Keras 2, TensorFlow 2 renamed those of TensorFlow 1: the call stops with an error.

## Example

```python
import keras
from keras import layers

norm = layers.BatchNormalization(fused=True)  # error: [removed-argument]
dense = layers.Dense(8, batch_input_shape=(16, 4))  # error: [removed-argument]
optimizer = keras.optimizers.Adam(lr=0.001)  # error: [removed-argument]
model = keras.Sequential([keras.Input((8,)), layers.Dense(1)])
model.compile(optimizer, "mse")
model.fit(data, workers=4)  # error: [removed-argument]
```

```python
import tensorflow as tf

x = tf.zeros((8, 4))
y = tf.reduce_mean(x, 1, keep_dims=True)  # error: [removed-argument]
z = tf.nn.dropout(x, keep_prob=0.5)  # error: [removed-argument]
```

```python keras=2.15 tensorflow=2.15
import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(0.1, decay=1e-6)  # error: [removed-argument]
scaled = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, loss_scale=128.0)  # error: [removed-argument]
```

## Use instead

```python
import keras
import tensorflow as tf
from keras import layers

norm = layers.BatchNormalization()
optimizer = keras.optimizers.Adam(learning_rate=0.001)
x = tf.zeros((8, 4))
y = tf.reduce_mean(x, 1, keepdims=True)
z = tf.nn.dropout(x, rate=0.5)
w = tf.compat.v1.nn.dropout(x, keep_prob=0.5)
```

```python keras=2.10 tensorflow=2.10
import tensorflow as tf

norm = tf.keras.layers.BatchNormalization(fused=True)
optimizer = tf.keras.optimizers.Adam(lr=0.001, decay=1e-6)
scaled = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=128.0)
```

## Fix
Safe: an argument that has only got another name is renamed (`lr` to `learning_rate`, `keep_dims` to `keepdims`, ...);
`fused` and `time_major=False`, which say what is so anyway, and arguments without a successor are removed. Unsafe:
`workers`, `use_multiprocessing` and `max_queue_size` are removed from fit() and its kin; a PyDataset takes them.

## Where it fails
With the version at hand, when it is called. Layers of Keras 3: ValueError "Unrecognized keyword arguments passed to
BatchNormalization". Optimizers of Keras 3: ValueError "Argument(s) not recognized: {'lr': 0.001}", of Keras 2.11 to
2.15 "decay is deprecated in the new Keras optimizer, please check the docstring for valid arguments, or use the legacy
optimizer", of tf_keras "in the new TF-Keras optimizer". TensorFlow 2: TypeError "Got an unexpected keyword argument
'keep_dims'". All run with TensorFlow 2.21, Keras 3.15, tf_keras 2.21.

## Known limits
Besides layers and the methods of models, arguments are known of the functions that people meet: see
cudnnlint/facts/changes.py.

## References
* keras/src/optimizers/base_optimizer.py: BaseOptimizer.__init__
* tf_keras/src/optimizers/optimizer.py: _BaseOptimizer._process_kwargs
* keras/src/trainers/trainer.py: Trainer.fit
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.events.project import ApiChanged
from cudnnlint.finding import Argument, Finding, Level, Recipe, RemoveArgument, RenameArgument
from cudnnlint.rules.fixes import safe, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import is_removed, missing, refused_class, spoken, stacks
from cudnnlint.values.stack import dotted


@rule("CUD704", "removed-argument", Level.ERROR, since="0.1")
def check(event: ApiChanged | Rejected) -> Iterator[Finding]:
    if isinstance(event, ApiChanged):
        if event.what == "argument":
            yield event.finding(_message(event), help=f"write {event.instead}", fails=_fails(event), fix=_fix(event))
    elif is_removed(event):
        name, keras = event.mismatch.argument, dotted(event.stack.keras)
        versions = spoken(event.mismatch.fact("versions"))
        advice = [INSTEAD[name]] if name in INSTEAD else []
        yield event.finding(f"{event.what} has no argument {name} in Keras {keras}",
                            help="; ".join([*advice, f"Keras {versions} has it"]), fix=_without(event, name),
                            fails=f"with Keras {keras}, {_error(event, name)}")


def _fix(event: ApiChanged) -> Recipe | None:
    """Where the argument has only got another name, or none at all."""
    there = Argument(event.span, event.argument)
    if event.instead.isidentifier():
        return safe(f"write {event.instead} instead of {event.argument}", RenameArgument(there, event.instead))
    return safe(f"remove {event.argument}", RemoveArgument(there)) if event.instead == NOTHING else None


def _without(event: Rejected, name: str) -> Recipe | None:
    """`fused` and `time_major=False` say what is so anyway; threads that feed a model are now asked for elsewhere."""
    there = Argument(event.span, name)
    if name in ("fused", "time_major"):
        return safe(f"remove {name}", RemoveArgument(there, only="" if name == "fused" else "False"))
    threads = name in ("workers", "use_multiprocessing", "max_queue_size")
    return unsafe(f"remove {name}", RemoveArgument(there)) if threads else None


NOTHING = "nothing: leave it out"
INSTEAD = {
    "workers": "set workers on the keras.utils.PyDataset",
    "use_multiprocessing": "set use_multiprocessing on the keras.utils.PyDataset",
    "max_queue_size": "set max_queue_size on the keras.utils.PyDataset",
    "fused": "leave it out: Keras 3 never uses the fused kernel",
    "time_major": "swap the axes of the input instead",
    "kernel_initializer": "write depthwise_initializer", "kernel_regularizer": "write depthwise_regularizer",
    "kernel_constraint": "write depthwise_constraint",
    "mask_value": "write mask_token", "oov_value": "write oov_token", "max_values": "write max_tokens",
    "batch_input_shape": "write keras.Input(batch_shape=...) before the layer",
}


def _message(event: ApiChanged) -> str:
    called = event.name.rpartition(".")[2]
    clause = event.exists.keras or event.exists.tensorflow
    if clause == "<1":
        return f"{called} has no argument {event.argument}"
    library = f"Keras {dotted(event.stack.keras)}" if event.exists.keras else \
        f"TensorFlow {dotted(event.stack.tensorflow)}"
    return f"{called} has no argument {event.argument} in {library}: it was there {stacks(event.exists)}"


def _fails(event: ApiChanged) -> str:
    package, _, called = event.name.rpartition(".")
    keras_3, name = event.stack.keras >= (3,), event.argument
    if package.endswith("optimizers"):
        said = f"Argument(s) not recognized: {{'{name}'" if keras_3 else \
            f'{name} is deprecated in the new Keras optimizer" or "{name} is deprecated in the new TF-Keras optimizer'
        return f'with this version, when the optimizer is made: ValueError "{said}"'
    if keras_3 and called in OF_KERAS_3:
        return f'with this version, when it is made: ValueError "{OF_KERAS_3[called].format(name)}"'
    return f"with this version, when it is called: \"got an unexpected keyword argument '{name}'\""


OF_KERAS_3 = {
    "LossScaleOptimizer": "LossScaleOptimizer does not support arguments: `{}`",
    "Model": "Unrecognized keyword arguments passed to Model: {{'{}'",
}
"""Classes that say it in words of their own (run with Keras 3.15)."""


def _error(event: Rejected, name: str) -> str:
    if event.layer is None:
        return f"in {event.what.rpartition('.')[2]}(): TypeError \"got an unexpected keyword argument '{name}'\""
    if lacking := event.mismatch.fact("lacking"):
        return f"when the layer is made: {missing(event, lacking)}"
    if event.stack.keras >= (3,):
        return f'when the layer is made: ValueError "Unrecognized keyword arguments passed to {refused_class(event)}"'
    return f"when the layer is made: TypeError \"('Keyword argument not understood:', '{name}')\""

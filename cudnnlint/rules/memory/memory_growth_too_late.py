'''The GPUs' memory is set up after TensorFlow took hold of them.

## Why is this bad?
The first tensor, variable or dataset makes TensorFlow take the GPUs, with all their memory. After that neither memory
growth nor a limit can be set. Where the RuntimeError is caught and printed, as many texts do it, the program goes on
with all of the memory taken, and cuDNN or a second process finds none.

## Example

```python
import tensorflow as tf

ANCHORS = tf.constant([[12, 16], [19, 36]])

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)  # error: [memory-growth-too-late]
```

```python
import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
print(len(gpus), "physical", len(tf.config.list_logical_devices("GPU")), "logical")
if gpus:
    limit = tf.config.LogicalDeviceConfiguration(memory_limit=4096)
    tf.config.set_logical_device_configuration(gpus[0], [limit])  # error: [memory-growth-too-late]
```

A strategy takes the GPUs, and which ones are seen cannot be changed then either:

```python
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
gpus = tf.config.list_physical_devices("GPU")
tf.config.set_visible_devices(gpus[0], "GPU")  # error: [memory-growth-too-late]
```

```python
import tensorflow as tf

base = tf.keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3))
tf.config.set_visible_devices([], "GPU")  # error: [memory-growth-too-late]
```

A model that has its weights has them on the GPU already, although no data was seen:

```python
import tensorflow as tf


def set_growth():
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)  # error: [memory-growth-too-late]


inputs = tf.keras.Input((16,))
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(inputs))
set_growth()
```

## Use instead

```python
import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)

ANCHORS = tf.constant([[12, 16], [19, 36]])
```

What is set already may be set again:

```python
import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
if gpus:
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    print(len(gpus), "physical", len(tf.config.list_logical_devices("GPU")), "logical")
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
```

Without eager execution a constant is a node of a graph:

```python
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
ANCHORS = tf.constant([[12, 16], [19, 36]])

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
```

## Where it fails
With TensorFlow 2 on a machine with a GPU: RuntimeError "Physical devices cannot be modified after being initialized",
"Virtual devices cannot be modified after being initialized" for limits, "Visible devices cannot be modified after being
initialized" where the GPUs that are seen become other ones. On a machine without one the loop has nothing to do and
nothing fails.

## Known limits
Only what certainly happens before counts: functions that make tensors (tf.constant, tf.Variable, tf.zeros, tf.ones,
tf.fill, tf.convert_to_tensor, tf.random), layers that get their weights, models of keras.applications, load_model(),
strategies of tf.distribute, Dataset.from_tensor_slices and list_logical_devices(), not in a branch. Optimizers and
metrics take the GPUs too, on most versions, and do not count. What the modules of other packages do as they are
imported is not known. Turning growth off where it is off already does no harm and is silent.

## References
* tensorflow/python/eager/context.py: Context.set_memory_growth, set_logical_device_configuration, ensure_initialized
* https://www.tensorflow.org/guide/gpu#limiting_gpu_memory_growth
* https://github.com/hunglc007/tensorflow-yolov4-tflite/issues/171
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.devices import DeviceConfigured
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule

SPOKEN = {"memory_growth": ("memory growth is", "Physical"), "logical_devices": ("logical devices are", "Virtual"),
          "visible_devices": ("visible devices are", "Visible")}


@rule("CUD501", "memory-growth-too-late", Level.ERROR, since="0.1")
def check(event: DeviceConfigured) -> Iterator[Finding]:
    if event.started is None or event.value is False or event.limited is not None:
        return
    what, devices = SPOKEN[event.what]
    yield event.finding(
        f"{what} set after TensorFlow took the GPUs{event.spoken(event.started)}",
        trace=(*event.trace, Label(event.started, "the GPUs are taken here")),
        help="set it right after import tensorflow, before anything makes a tensor",
        fails=f'on a machine with {"several GPUs" if devices == "Visible" else "a GPU"}: RuntimeError "{devices} '
        'devices cannot be modified after being initialized"')

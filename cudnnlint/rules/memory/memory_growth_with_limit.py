'''A GPU that was given a memory limit is told to let its memory grow.

## Why is this bad?
Memory growth and logical devices with a limit exclude each other: the second call is refused.

## Example

```python
import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
if gpus:
    limit = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
    tf.config.set_logical_device_configuration(gpus[0], [limit])
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)  # error: [memory-growth-with-limit]
```

## Use instead

```python
import tensorflow as tf

GROW = input() == "grow"
gpus = tf.config.list_physical_devices("GPU")
if gpus and GROW:
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
elif gpus:
    limit = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
    tf.config.set_logical_device_configuration(gpus[0], [limit])
```

## Where it fails
With TensorFlow 2 on a machine with a GPU: ValueError "Cannot set memory growth on device when virtual devices
configured".

## Known limits
The other order, growth first and a limit after it, is accepted; the limit wins.

## References
* tensorflow/python/eager/context.py: Context.set_memory_growth
* https://github.com/keras-team/keras/issues/10634
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.devices import DeviceConfigured
from cudnnlint.finding import Finding, Label, Level
from cudnnlint.rules.protocol import rule


@rule("CUD502", "memory-growth-with-limit", Level.ERROR, since="0.1")
def check(event: DeviceConfigured) -> Iterator[Finding]:
    if event.what == "memory_growth" and event.limited is not None:
        yield event.finding(
            f"memory growth for a GPU that was given logical devices before{event.spoken(event.limited)}",
            trace=(*event.trace, Label(event.limited, "logical devices")),
            help="choose one: a limit, or growth",
            fails='on a machine with a GPU: ValueError "Cannot set memory growth on device when virtual devices '
                  'configured"')

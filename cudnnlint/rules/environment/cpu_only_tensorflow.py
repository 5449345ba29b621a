"""A build of TensorFlow that knows no GPU is required by a program, or beside libraries, for one.

## Why is this bad?
tensorflow-cpu is built without CUDA, and so is every TensorFlow for Windows from 2.11 on (tensorflow-intel). NVIDIA's
libraries beside it are of no use to it: the program runs on the CPU, without any message. A layer that only cuDNN can
run fails.

## Example

```requirements file=requirements.txt
tensorflow-cpu==2.15.0  # error: [cpu-only-tensorflow]
nvidia-cudnn-cu12==8.9.4.25
```

What `pip freeze` says on Windows:

```requirements file=requirements.txt
tensorflow==2.15.0
tensorflow-intel==2.15.0  # error: [cpu-only-tensorflow]
nvidia-cudnn-cu12==8.9.4.25
```

A program that needs cuDNN, in a project that requires the build without it:

```requirements file=requirements.txt
tensorflow-cpu==2.15.0
```

```python
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.Input((60, 1)),
    tf.compat.v1.keras.layers.CuDNNLSTM(50),  # error: [cpu-only-tensorflow]
    tf.keras.layers.Dense(1),
])
```

## Use instead

```requirements file=requirements.txt
tensorflow[and-cuda]==2.15.0
```

On Windows, TensorFlow 2.10 or WSL 2. LSTM and GRU as they are take cuDNN's kernel where there is one:

```requirements file=requirements.txt
tensorflow-cpu==2.15.0
```

```python
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.Input((60, 1)),
    tf.keras.layers.LSTM(50),
    tf.keras.layers.Dense(1),
])
```

A project that has another build as well says nothing about which of them runs:

```requirements file=requirements-gpu.txt
tensorflow==2.15.0
```

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((60, 1)), tf.compat.v1.keras.layers.CuDNNLSTM(50)])
```

## Where it fails
`tf.config.list_physical_devices("GPU")` is empty, and everything runs on the CPU: nothing fails but layers that have no
other kernel than cuDNN's, when the model runs. InvalidArgumentError "No OpKernel was registered to support Op
'CudnnRNNV3'" with Keras 2, and with Keras from 3.2 on, for `use_cudnn=True`, ValueError "use_cudnn=True was specified,
but cuDNN is not supported". TensorFlow for Windows from 2.11 on; tensorflow-cpu on all platforms.

## Known limits
Of libraries only files that list both are told of. Beside PyTorch, JAX and others that use the same libraries nothing
is said. Code that asks for GPUs and goes on without is not told of.

## References
* https://www.tensorflow.org/install/pip: "TensorFlow 2.10 was the last TensorFlow release that supported GPU on
  native-Windows"
* https://pypi.org/project/tensorflow-cpu
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerCreated
from cudnnlint.events.project import RequirementsClash
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.ancestry import ON_CUDNN
from cudnnlint.rules.protocol import rule


@rule("CUD803", "cpu-only-tensorflow", Level.WARNING, since="0.1", layers=ON_CUDNN)
def check(event: RequirementsClash | LayerCreated) -> Iterator[Finding]:
    if isinstance(event, LayerCreated):
        yield from _needs_cudnn(event)
    elif event.what == "cpu":
        windows = event.asked.startswith("tensorflow-intel")
        yield event.finding(f"{event.asked} runs on CPUs only, whatever {event.by} brings",
                            help="TensorFlow 2.10, or WSL 2" if windows else "tensorflow[and-cuda]",
                            fails="nowhere: all GPUs are left alone, without any message")


def _needs_cudnn(event: LayerCreated) -> Iterator[Finding]:
    """A layer that has no kernel in the required build."""
    layer, build = event.layer, event.stack.without_gpu
    if not build or event.hidden is not None:
        return
    if layer.name in ("CuDNNLSTM", "CuDNNGRU"):
        yield event.finding(f"{layer.name} runs on a GPU only, and {build} knows none",
                            help=f"layers.{layer.name.removeprefix('CuDNN')}, or tensorflow[and-cuda]",
                            fails='with Keras before 3, when the model runs: InvalidArgumentError "No OpKernel was '
                                  'registered to support Op \'CudnnRNN\'"')
    elif layer.arguments.get("use_cudnn") is True and event.stack.keras >= (3, 2):
        yield event.finding(f"{layer.name} with use_cudnn=True runs on a GPU only, and {build} knows none",
                            help='use_cudnn="auto", the default, or tensorflow[and-cuda]',
                            fails='with Keras from 3.2 on, when the model runs: ValueError "use_cudnn=True was '
                                  'specified, but cuDNN is not supported"')

"""A build of TensorFlow that knows no GPU is installed beside libraries for one.

## Why is this bad?
tensorflow-cpu is built without CUDA, and so is every TensorFlow for Windows from 2.11 on (tensorflow-intel). NVIDIA's
libraries beside it are of no use to it: the program runs on the CPU, without any message.

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

## Use instead

```requirements file=requirements.txt
tensorflow[and-cuda]==2.15.0
```

On Windows, TensorFlow 2.10 or WSL 2.

## Where it fails
Nowhere: `tf.config.list_physical_devices("GPU")` is empty, and everything runs on the CPU. TensorFlow for Windows from
2.11 on; tensorflow-cpu on all platforms.

## Known limits
Only files that list both are told of. Beside PyTorch, JAX and others that use the same libraries nothing is said.

## References
* https://www.tensorflow.org/install/pip: "TensorFlow 2.10 was the last TensorFlow release that supported GPU on
  native-Windows"
* https://pypi.org/project/tensorflow-cpu
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import RequirementsClash
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD803", "cpu-only-tensorflow", Level.WARNING, since="0.1")
def check(event: RequirementsClash) -> Iterator[Finding]:
    if event.what == "cpu":
        windows = event.asked.startswith("tensorflow-intel")
        yield event.finding(f"{event.asked} runs on CPUs only, whatever {event.by} brings",
                            help="TensorFlow 2.10, or WSL 2" if windows else "tensorflow[and-cuda]",
                            fails="nowhere: all GPUs are left alone, without any message")

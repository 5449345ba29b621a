"""A wheel of NVIDIA's is pinned to a version that the pinned TensorFlow was not built for.

## Why is this bad?
TensorFlow loads the cuDNN and CUDA libraries of exactly the versions that it was built with. Beside others, either pip
refuses to install the requirements, or TensorFlow says "Cannot dlopen some GPU libraries" and goes on with the CPU.

## Example
The extra `and-cuda` requires one version of each library:

```requirements file=requirements.txt
tensorflow[and-cuda]==2.16.1
nvidia-cudnn-cu12==9.1.0.70  # error: [incompatible-cuda-stack]
```

Without it, nobody requires any, and TensorFlow 2.16 looks for cuDNN 8:

```requirements file=requirements.txt
tensorflow==2.16.1
nvidia-cudnn-cu12==9.1.0.70  # error: [incompatible-cuda-stack]
```

An older minor version is refused when the first convolution runs:

```requirements file=requirements.txt
tensorflow==2.18.0
nvidia-cudnn-cu12==9.1.0.70  # error: [incompatible-cuda-stack]
```

## Use instead
Leave the choice to the extra:

```requirements file=requirements.txt
tensorflow[and-cuda]==2.16.1
```

Newer minor versions are fine, and beside PyTorch or JAX, whose wheels these may be, nothing is said:

```requirements file=requirements.txt
tensorflow==2.18.0
nvidia-cudnn-cu12==9.5.0.50
```

```requirements file=requirements.txt
tensorflow==2.18.0
torch==2.1.0
nvidia-cudnn-cu12==8.9.2.26
```

## Where it fails
With the extra, when pip (from 20.3 on) installs: "ResolutionImpossible". Without it, on Linux: "Could not find cuda
drivers" or "Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed
properly if you would like to use GPU" with another major version, above it, where the log has it, "Could not load
dynamic library 'libcudnn.so.8'"; and with an older minor one "Loaded runtime CuDNN library: 9.1.0 but source was
compiled with: 9.3.0. CuDNN library needs to have matching major version and equal or higher minor version", then
FAILED_PRECONDITION "DNN library initialization failed".

## Known limits
Requirements files, `[project]` and Poetry's tables in `pyproject.toml`, Pipfiles and the pip part of conda
environments are read, not lock files, which a resolver has checked already. TensorFlow before 2.14 does not say in its
wheels which cuDNN it wants. A cuDNN of the system's is not seen.

## References
* the METADATA of TensorFlow's wheels: `Requires-Dist: nvidia-cudnn-cu12; extra == "and-cuda"`
* xla/stream_executor/cuda/cuda_dnn.cc: CudnnSupport::Init
* https://www.tensorflow.org/install/pip
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.project import RequirementsClash
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD802", "incompatible-cuda-stack", Level.ERROR, since="0.1")
def check(event: RequirementsClash) -> Iterator[Finding]:
    if event.what == "cuda":
        yield event.finding(f"{event.release} with the extra and-cuda requires {event.wanted}, not {event.asked}",
                            help="leave it out: the extra installs what fits",
                            fails='when pip installs the requirements: "ResolutionImpossible"')
    elif event.what == "cudnn":
        yield event.finding(f"{event.release} was built with {event.wanted}, not for {event.asked}",
                            help="tensorflow[and-cuda], which installs what fits",
                            fails='on Linux, when a GPU is looked for: "Cannot dlopen some GPU libraries"; or when a '
                                  'layer runs: "Loaded runtime CuDNN library ... but source was compiled with"')

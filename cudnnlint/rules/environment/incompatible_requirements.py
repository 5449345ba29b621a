"""A requirement is pinned to a version that the pinned TensorFlow or PyTorch cannot be installed with.

## Why is this bad?
The wheels of TensorFlow say which Keras, NumPy and protobuf they need and are made for some versions of Python only;
those of torchvision, torchaudio and tensorflow-text are built for one release of their framework and say which. pip
does not install requirements that contradict each other; put together by other means, they fail when they are imported.

## Example
Keras 3 needs TensorFlow 2.16, since tf.keras is Keras 3 there:

```requirements file=requirements.txt
tensorflow==2.15.0
keras==3.3.3  # error: [incompatible-requirements]
```

tf_keras belongs to the TensorFlow of the same number:

```requirements file=requirements.txt
tensorflow==2.18.0  # error: [incompatible-requirements]
tf_keras==2.16.0
```

torchvision is built for one release of PyTorch, as are its wheels for one CUDA (`0.15.2+cu118`):

```requirements file=requirements.txt
torch==2.1.0  # error: [incompatible-requirements]
torchvision==0.15.2
```

No wheel of TensorFlow 2.15 is for Python 3.12:

```toml file=pyproject.toml
[project]
name = "train"
requires-python = ">=3.12"
dependencies = [
    "tensorflow==2.15.0",  # error: [incompatible-requirements]
    "pillow",
]
```

## Use instead

```requirements file=requirements.txt
tensorflow==2.16.1
keras==3.3.3
tf_keras~=2.16.0
numpy<2
torch==2.4.0+cu118
torchvision==0.19.0+cu118
```

What is not pinned is left to pip:

```requirements file=requirements.txt
tensorflow>=2.10
keras>=3
numpy
```

## Where it fails
When pip (from 20.3 on) installs: "ResolutionImpossible", "these package versions have conflicting dependencies"; for a
Python without wheels "No matching distribution found for tensorflow==2.15.0".

## Known limits
Requirements files, `[project]` and Poetry's tables in `pyproject.toml`, Pipfiles and the pip part of conda
environments are read, for Linux; requirements with a marker count where it holds on every Python from 3.8 to 3.13.
Lock files are not read: a resolver has checked them already. Where uv overrides dependencies, nothing is said.

## References
* the METADATA of the wheels on https://pypi.org/project/tensorflow, tf-keras, tensorflow-text, torchvision, torchaudio
* https://github.com/pytorch/vision#installation: the table of versions that belong together
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.project import RequirementsClash
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD804", "incompatible-requirements", Level.ERROR, since="0.1")
def check(event: RequirementsClash) -> Iterator[Finding]:
    if event.what == "package":
        yield event.finding(f"{event.release} requires {event.wanted}, not {event.asked}",
                            fails='when pip installs the requirements: "ResolutionImpossible"')
    elif event.what == "python":
        yield event.finding(f"{event.release} has wheels for {event.wanted}, not for {event.by}",
                            fails=f'when pip installs it: "No matching distribution found for {event.asked}"')

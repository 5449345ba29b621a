"""The requirements ask for tensorflow-gpu, whose last release is nothing but an error.

## Why is this bad?
tensorflow has had GPU support on Linux by itself since 2.1, and tensorflow-gpu was given up. Its release 2.12.0 has no
code; where nothing below it is asked for, pip takes it and fails.

## Example

```requirements file=requirements.txt
tensorflow-gpu  # error: [removed-tensorflow-gpu]
```

```requirements file=requirements.txt
tensorflow-gpu>=2.4  # error: [removed-tensorflow-gpu]
```

## Use instead

```requirements file=requirements.txt
tensorflow[and-cuda]>=2.14
```

The releases before are still there:

```requirements file=requirements.txt
tensorflow-gpu==2.4.1
```

## Where it fails
When pip installs it: "The "tensorflow-gpu" package has been removed!", or since Python 3.7 an error about the
requirement `python_version>"3.7"`: "Getting requirements to build wheel did not run successfully" (run with pip 23.2).

## Known limits
A constraint that pip is given elsewhere is not seen.

## References
* https://pypi.org/project/tensorflow-gpu
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.project import RequirementsClash
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD805", "removed-tensorflow-gpu", Level.ERROR, since="0.1")
def check(event: RequirementsClash) -> Iterator[Finding]:
    if event.what == "removed":
        is_exact = event.asked.replace(" ", "").endswith("==2.12.0")
        yield event.finding(f"{event.asked} cannot be installed" if is_exact else
                            f"{event.asked} means tensorflow-gpu 2.12.0, which cannot be installed",
                            help="tensorflow[and-cuda]",
                            fails='when pip installs it: "Getting requirements to build wheel did not run '
                                  'successfully"')

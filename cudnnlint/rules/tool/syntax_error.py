"""A file, or a cell of a notebook, cannot be read as Python and is not checked.

## Why is this bad?
Nothing in the file is looked at, so that its silence means nothing. The other files, and the other cells
of a notebook, are checked all the same.

## Example
A bracket that is never closed, in `train.py`:

```text
model.add(layers.Conv2D(32, 3)
model.compile()
```

```text
train.py:1:10: CUD901 syntax-error: '(' was never closed
```

## Use instead

```python
import keras
from keras import layers

model = keras.Sequential([keras.Input((28, 28, 1))])
model.add(layers.Conv2D(32, 3))
```

## Where it fails
The interpreter refuses the file when it is imported or run. A file is read with the grammar of the Python that
runs cudnnlint, which the finding names: newer syntax needs a newer Python here too. Reported as well: bytes that
are not text in the file's encoding (PEP 263), binary files, and notebooks that are not JSON. A file that cannot be
opened is an `unreadable-file`.

## Known limits
Files that name no framework are not parsed, so that their errors are not seen. Selecting other rules does not
turn this one off; ignoring it does.

## References
* https://docs.python.org/3/reference/lexical_analysis.html#encoding-declarations
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from cudnnlint.events import SourceBroken
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD901", "syntax-error", Level.ERROR, since="0.1")
def check(event: SourceBroken) -> Iterator[Finding]:
    if event.unread:
        return
    what = "cell is run" if event.span.path.endswith(".ipynb") else "file is imported or run"
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    yield event.finding(event.message, fails=f"in Python {here}, when the {what}")

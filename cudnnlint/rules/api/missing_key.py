"""A dict is asked for a key that it does not have.

## Why is this bad?
Inputs, features and batches go by name. `features["agee"]` stops the program, which may be in the first batch, after
the data are loaded.

## Example

```python
import numpy as np
import tensorflow as tf

features = {"age": np.zeros((64, 1)), "pressure": np.zeros((64, 1))}
x = tf.concat([features["age"], features["presure"]], axis=1)  # error: [missing-key]
```

## Use instead

```python
import numpy as np
import tensorflow as tf

features = {"age": np.zeros((64, 1)), "pressure": np.zeros((64, 1))}
x = tf.concat([features["age"], features["pressure"]], axis=1)  # revealed: float64[64, 2]
```

## Where it fails
Everywhere: KeyError "'presure'".

## Known limits
Told of texts, where all keys are known and the program certainly comes by; not of a key that another module of the
project sets somewhere.

## References
* https://docs.python.org/3/library/exceptions.html#KeyError
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD725", "missing-key", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.NO_KEY:
        yield rejection(event)

'''Local response normalisation is given numbers that a CPU takes and a GPU refuses.

## Why is this bad?
cuDNN's LRN has fixed limits: depth_radius from 1 to 7, beta of at least 0.01, bias of at least 1e-5. The CPU kernel
has none of them, so that tests on a CPU pass.

## Example

```python
import tensorflow as tf

x = tf.zeros((8, 32, 32, 64))
y = tf.nn.local_response_normalization(x, depth_radius=8)  # error: [lrn-out-of-range]
```

## Use instead

```python
import tensorflow as tf

x = tf.zeros((8, 32, 32, 64))
y = tf.nn.local_response_normalization(x, depth_radius=5, bias=2.0, alpha=1e-4, beta=0.75)
```

## Where it fails
On a GPU, with every TensorFlow since 2016: InvalidArgumentError "cuDNN requires depth_radius in [1, 7]" (likewise
beta and bias). cuDNN sees a window of 2 * depth_radius + 1 channels and answers CUDNN_STATUS_BAD_PARAM outside of
1..16. On a CPU it runs.

## Known limits
A depth_radius of 0 or above 7 on a machine without GPU is no fault; ignore the rule there.

## References
* tensorflow/core/kernels/lrn_op.cc: LaunchLRN<GPUDevice>
* cuDNN 9: cudnnSetLRNDescriptor
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Problem


@rule("CUD306", "lrn-out-of-range", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.LRN:
        yield event.finding(event.mismatch.message, help=event.mismatch.help, fails=f"on a GPU: {_error(event)}")


def _error(event: Rejected) -> str:
    return event.mismatch.error.removesuffix(" on a GPU")

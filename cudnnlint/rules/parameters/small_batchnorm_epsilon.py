'''The fused batch normalisation kernel gets an epsilon that cuDNN before 7.5 refuses.

## Why is this bad?
cuDNN took no epsilon below 1e-5 until 7.4. `tf.nn.fused_batch_norm` sees to that; the kernel that is called by its own
name, `tf.raw_ops.FusedBatchNorm`, does not.

## Example

```python tensorflow=1.15
import tensorflow as tf

x = tf.zeros([2, 8, 8, 4])
y, mean, variance, *_ = tf.raw_ops.FusedBatchNorm(  # error: [small-batchnorm-epsilon]
    x=x, scale=tf.ones([4]), offset=tf.zeros([4]), mean=[], variance=[], epsilon=1e-8)
```

## Use instead

```python tensorflow=1.15
import tensorflow as tf

x = tf.zeros([2, 8, 8, 4])
y, mean, variance, *_ = tf.raw_ops.FusedBatchNorm(
    x=x, scale=tf.ones([4]), offset=tf.zeros([4]), mean=[], variance=[], epsilon=1e-5)
z = tf.nn.fused_batch_norm(x, tf.ones([4]), tf.zeros([4]), epsilon=1e-8)
```

A cuDNN of today takes any epsilon that is not negative:

```python tensorflow=2.21
import tensorflow as tf

x = tf.zeros([2, 8, 8, 4])
y, mean, variance, *_ = tf.raw_ops.FusedBatchNorm(
    x=x, scale=tf.ones([4]), offset=tf.zeros([4]), mean=[], variance=[], epsilon=1e-8)
```

Where nothing names a version it is only told, as advice, to who selects this rule:

```python select=small-batchnorm-epsilon
import tensorflow as tf

x = tf.zeros([2, 8, 8, 4])
y, mean, variance, *_ = tf.raw_ops.FusedBatchNorm(  # error: [small-batchnorm-epsilon]
    x=x, scale=tf.ones([4]), offset=tf.zeros([4]), mean=[], variance=[], epsilon=1e-8)
```

## Where it fails
On a GPU with cuDNN before 7.5, which is what TensorFlow until 2.0 was built for: CUDNN_STATUS_BAD_PARAM from
cudnnBatchNormalizationForwardTraining. Nowhere else.

## Known limits
cuDNN's version is taken from the configuration or from the version of TensorFlow; a newer one that was installed
beside it is not seen.

## References
* cuDNN 7.5.0 release notes: CUDNN_BN_MIN_EPSILON is 0.0
* tensorflow/python/ops/nn_impl.py: fused_batch_norm (min_epsilon)
* https://github.com/tensorflow/tensorflow/issues/8090, https://github.com/tensorflow/tensorflow/issues/37768
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import Rejected
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import rejection
from cudnnlint.values import Problem


@rule("CUD312", "small-batchnorm-epsilon", Level.ERROR, since="0.1")
def check(event: Rejected) -> Iterator[Finding]:
    if event.mismatch.problem is Problem.SMALL_EPSILON:
        yield rejection(event)

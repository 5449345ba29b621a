'''Batch normalisation divides by the square root of variance plus a negative epsilon.

## Why is this bad?
epsilon keeps the root away from zero. A negative one makes it NaN for every channel whose variance is smaller than
its size, and cuDNN refuses it outright.

## Example

```python
from keras import layers

norm = layers.BatchNormalization(epsilon=-1e-5)  # error: [negative-batchnorm-epsilon]
```

```python
import tf_keras

norm = tf_keras.layers.BatchNormalization(epsilon=-1e-5)  # error: [negative-batchnorm-epsilon]
```

## Use instead
Any positive number will do; a large one is no fault either, and neither is a small one on a current stack.

```python
from keras import layers

norm = layers.BatchNormalization(epsilon=1e-5)
soft = layers.BatchNormalization(epsilon=1.0)
small = layers.BatchNormalization(epsilon=1e-7)
```

## Fix
Unsafe, since a model that ran computes something else without it: the minus is taken off the number. Safe with PyTorch
from 2.10 on, which refuses such an `eps`.

## Where it fails
* Keras 3: nowhere at once. It never uses cuDNN's batch normalisation; channels with a small variance become NaN,
  seen as "loss: nan".
* Keras 2 with TensorFlow from 2.12 on: on a GPU, for inputs with 4 or 5 axes, the fused kernel hands epsilon to
  cuDNN, which refuses `epsilon < 0.0` (CUDNN_STATUS_BAD_PARAM). On a CPU and for other inputs NaN as above.
* Keras 2 with TensorFlow before 2.12: the fused kernel takes 1.001e-5 instead, harmless; NaN where it is not fused,
  which is the only case told of there.

```python keras=2.10 tensorflow=2.10
import tensorflow as tf
from tensorflow.keras import layers

image = layers.BatchNormalization(epsilon=-1e-5)(tf.keras.Input((32, 32, 3)))
vector = layers.BatchNormalization(epsilon=-1e-5)(tf.keras.Input((32,)))  # error: [negative-batchnorm-epsilon]
```

* PyTorch from 2.10 on: ValueError "batch_norm eps must be positive during training, but got -1.0", or else "batch_norm
  eps must be non-negative, but got -1.0". Before, cuDNN was passed by for such a value, and the native kernel gave NaN.

```python
import torch
from torch import nn

norm = nn.BatchNorm2d(16, eps=-1e-5)  # error: [negative-batchnorm-epsilon]
x, mean, variance = torch.randn(2, 16, 8, 8), torch.zeros(16), torch.ones(16)
y = nn.functional.batch_norm(x, mean, variance, eps=-1.0)  # error: [negative-batchnorm-epsilon]
z = norm(x)
```

## Known limits
That a positive epsilon below 1e-5 is refused was true of cuDNN before 7.5 only and is not told of.

## References
* cuDNN 9: cudnnBatchNormalizationForwardTraining ("epsilon < 0.0")
* tensorflow/python/ops/nn_impl.py: fused_batch_norm (min_epsilon, until 2.11)
* keras/src/backend/tensorflow/nn.py: batch_normalization
* torch/nn/functional.py: batch_norm; aten/src/ATen/native/Normalization.cpp
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerCreated, LayerInfo, Rejected
from cudnnlint.finding import Finding, Level, Recipe, RemoveSign
from cudnnlint.rules.fixes import argument, safe, unsafe
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Problem, Stack


@rule("CUD304", "negative-batchnorm-epsilon", Level.ERROR, since="0.1")
def check(event: LayerCreated | Rejected) -> Iterator[Finding]:
    if isinstance(event, LayerCreated) and event.layer.path.startswith("torch."):
        eps = event.layer.arguments.get("eps")
        if "BatchNorm" in event.layer.name and _negative(eps):
            yield event.finding(f"eps is {eps}", help=TORCH_HELP, fails=_torch_fails(event.stack, eps),
                                fix=_fix(event.layer, "eps", raises=event.stack.torch >= (2, 10)))
    elif isinstance(event, LayerCreated):
        epsilon = event.layer.arguments.get("epsilon")
        if event.layer.name.endswith("BatchNormalization") and _negative(epsilon) and not _clamps(event.stack):
            yield event.finding(f"epsilon is {epsilon}", help=HELP, fails=_fails(event.stack, epsilon),
                                fix=_fix(event.layer, "epsilon"))
    elif event.mismatch.problem is Problem.EPSILON and _tells(event):
        epsilon = event.mismatch.fact("epsilon")
        if event.what.startswith("torch."):
            yield event.finding(f"eps is {epsilon}", help=TORCH_HELP,
                                fails=_torch_fails(event.stack, epsilon, called=True))
            return
        yield event.finding(f"epsilon is {epsilon}", help=HELP, fails=_fails(event.stack, epsilon))


def _fix(layer: LayerInfo, name: str, *, raises: bool = False) -> Recipe:
    """A model that ran with it computes something else without the minus."""
    return (safe if raises else unsafe)(f"take the minus off {name}", RemoveSign(argument(layer, name)))


HELP = "give a positive epsilon; the default is 0.001"


TORCH_HELP = "give a positive eps; the default is 1e-05"


def _torch_fails(stack: Stack, eps: object, *, called: bool = False) -> str:
    """torch/nn/functional.py: batch_norm; before 2.10 the native kernel ran where cuDNN does not take such an eps."""
    nan = f"NaN for channels whose variance is below {-eps:g}"  # type: ignore[operator]
    if stack.torch >= (2, 10):
        error = f'"batch_norm eps must be non-negative, but got {eps}" or ' * called + \
            f'"batch_norm eps must be positive during training, but got {eps}"'
        when = "when it is called" if called else "when the module is called"
        return f"everywhere, {when}: ValueError {error} (before PyTorch 2.10 silently {nan})"
    return f"silently: {nan}; from PyTorch 2.10 on ValueError"


def _negative(value: object) -> bool:
    return isinstance(value, (int, float)) and value < 0


def _clamps(stack: Stack) -> bool:
    """Whether the fused kernel replaces a small epsilon (nn_impl.py: fused_batch_norm)."""
    return stack.keras < (3,) and stack.tensorflow < (2, 12)


def _tells(event: Rejected) -> bool:
    """A layer is told of where it is made, but where only its input tells what becomes of epsilon."""
    return event.layer is None or (_clamps(event.stack) and event.mismatch.fact("fused") is False)


def _fails(stack: Stack, epsilon: object) -> str:
    nan = f"NaN for channels whose variance is below {-epsilon:g}"  # type: ignore[operator]
    if stack.keras >= (3,):
        return f"silently: {nan} (Keras 3 does not use cuDNN's batch normalisation)"
    if _clamps(stack):
        return f"silently: {nan} (not fused for this input)"
    return f"on a GPU, for 4 or 5 axes: CUDNN_STATUS_BAD_PARAM from cuDNN; elsewhere {nan}"

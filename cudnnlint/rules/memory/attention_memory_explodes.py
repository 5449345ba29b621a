'''The scores of an attention layer take more memory than the GPU has.

## Why is this bad?
Attention compares every query with every key: its scores grow with the square of the length, times the heads, times the
batch. Flattened images are long sequences: 256 x 256 pixels are 65,536 positions, and 4,294,967,296 scores for each
head.

## Example

```python
from tensorflow import keras
from tensorflow.keras import layers

inputs = keras.Input((256, 256, 64))
x = layers.Reshape((256 * 256, 64))(inputs)
x = layers.MultiHeadAttention(4, 16)(x, x)  # error: [attention-memory-explodes]
model = keras.Model(inputs, x)
```

Written by hand it takes the same:

```python
import tensorflow as tf

query = key = tf.random.normal((8, 256 * 256, 8))
scores = tf.matmul(query, key, transpose_b=True)  # error: [attention-memory-explodes]
```

```python
import torch
from torch import nn

to_query, to_key = nn.Linear(64, 64).cuda(), nn.Linear(64, 64).cuda()
x = torch.randn(16, 32768, 64, device="cuda")
weights = torch.softmax(to_query(x) @ to_key(x).transpose(1, 2), dim=-1)  # error: [attention-memory-explodes]
```

## Use instead
Attend over patches, or after the feature maps have become small:

```python
from tensorflow import keras
from tensorflow.keras import layers

inputs = keras.Input((256, 256, 64))
x = layers.Conv2D(64, 8, strides=8)(inputs)
x = layers.Reshape((32 * 32, 64))(x)
x = layers.MultiHeadAttention(4, 16)(x, x)
model = keras.Model(inputs, x)
```

## Where it fails
On the GPU that is configured (`gpu`), or on a Tesla T4 of 16 GB: ResourceExhaustedError "OOM when allocating tensor
with shape[B,4,65536,65536]". TensorFlow has no attention kernel that does without the scores. With PyTorch, of what
follows a module that was moved to a GPU: OutOfMemoryError "CUDA out of memory".

## Known limits
Where the batch is not known, the scores of one sample are counted.

## References
* keras/src/backend/tensorflow/nn.py: _dot_product_attention_xla
'''

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import FunctionApplied, LayerApplied
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.amounts import SURELY, OnGPU, amount, gpu_of, on, usable
from cudnnlint.rules.protocol import rule
from cudnnlint.values.origins import GPU, PLACE
from cudnnlint.values.sizes import BYTES, bytes_of
from cudnnlint.values.tensor import Tensor, tensors

HEADS = {"keras.layers.MultiHeadAttention": "num_heads", "keras.layers.GroupQueryAttention": "num_query_heads",
         "keras.layers.Attention": "", "keras.layers.AdditiveAttention": ""}


class Options(OnGPU):
    __slots__ = ()


@rule("CUD515", "attention-memory-explodes", Level.WARNING, since="0.1", layers=frozenset(HEADS))
def check(event: LayerApplied | FunctionApplied, options: Options) -> Iterator[Finding]:
    if isinstance(event, FunctionApplied):
        yield from _product(event, options)
        return
    shape = _scores(event)
    if shape is None or event.layer.arguments.get("attention_axes") is not None:
        return
    gpu, output = gpu_of(options.gpu), tensors(event.output)
    width = BYTES.get(output[0].dtype, 4) if output and isinstance(output[0].dtype, str) else 4
    size = width
    for extent in shape:
        size *= extent
    if size > gpu.usable * SURELY:
        yield event.finding(
            f"{event.layer.name} over {shape[-2]:,} queries and {shape[-1]:,} keys has {amount(size)} of scores for "
            f"{f'a batch of {shape[0]}' if shape[0] > 1 else 'one sample'}, more than {usable(gpu)}",
            help="attend over fewer positions: patches, pooled feature maps, windows",
            fails=f'{on(gpu)}: ResourceExhaustedError "OOM when allocating tensor"')


PRODUCTS = frozenset({"tensorflow.matmul", "tensorflow.linalg.matmul", "tensorflow.einsum", "keras.ops.matmul",
                      "keras.ops.einsum"})
TORCH = frozenset({"operator.@", "torch.matmul", "torch.bmm", "torch.baddbmm", "torch.einsum"})
FAR = 100
"""Tensors that are looked at, back from the scores."""
LONG = 1024
"""Positions from which on a product of two sequences is taken for scores."""


def _product(event: FunctionApplied, options: Options) -> Iterator[Finding]:
    """query @ key, whose last two extents are positions."""
    made, gpu = event.output, gpu_of(options.gpu)
    if event.path not in PRODUCTS | TORCH or not isinstance(made, Tensor) or not isinstance(made.shape, tuple) \
            or len(made.shape) < 3 or not all(isinstance(dim, int) and dim >= LONG for dim in made.shape[-2:]):
        return
    size, torch = bytes_of(made, 1) or 0, made.kind == "torch"
    if (event.path in TORCH) != torch or size <= gpu.usable * SURELY or (
            torch and not _on_gpu(event.about)):
        return
    yield event.finding(
        f"{event.path.rpartition('.')[2]} gives {made}: {amount(size)} of scores, more than {usable(gpu)}",
        help="attend over fewer positions: patches, pooled feature maps, windows"
        + ("; or torch.nn.functional.scaled_dot_product_attention, which keeps no scores" if torch else ""),
        fails=f'{on(gpu)}: OutOfMemoryError "CUDA out of memory"' if torch else
        f'{on(gpu)}: ResourceExhaustedError "OOM when allocating tensor"')


def _on_gpu(operands: tuple[Any, ...]) -> bool:
    """Whether they come of a module of PyTorch that the program moved to a GPU."""
    todo, seen = list(tensors(operands)), set[int]()
    while todo and len(seen) < FAR:
        step = todo.pop().step
        if step is None or id(step) in seen:
            continue
        seen.add(id(step))
        if isinstance(held := getattr(step.maker, "extra", None), dict) and held.get(PLACE) == GPU:
            return True
        todo += step.parents
    return False


def _scores(event: LayerApplied) -> tuple[int, ...] | None:
    """(batch, heads, queries, keys); an open batch counts as 1."""
    operands = [tensor for tensor in event.about if isinstance(tensor, Tensor)]
    name = HEADS[event.layer.path]
    heads: Any = event.layer.arguments.get(name) if name else 1
    if not operands or not isinstance(heads, int):
        return None
    query, value = operands[0].shape, operands[min(1, len(operands) - 1)].shape
    if not isinstance(query, tuple) or not isinstance(value, tuple) or len(query) != 3 or len(value) != 3:
        return None
    if not isinstance(query[1], int) or not isinstance(value[1], int):
        return None
    return (query[0] if isinstance(query[0], int) else 1, heads, query[1], value[1])

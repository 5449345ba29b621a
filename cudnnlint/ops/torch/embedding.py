"""Lookup tables of PyTorch: Embedding and EmbeddingBag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arith import is_known
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._core import Module, count, dtype_of, negative
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class Embedding(Module):
    """(...) -> (..., embedding_dim); weight (num_embeddings, embedding_dim) (torch/nn/modules/sparse.py)."""

    num_embeddings: Any
    embedding_dim: Any
    padding_idx: Any = None
    dtype: Any = "float32"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        for name in ("num_embeddings", "embedding_dim"):
            if wrong := negative(name, getattr(self, name)):
                yield wrong
        rows, pad = self.num_embeddings, self.padding_idx
        if is_known(rows) and is_known(pad) and rows > 0 and not -rows <= pad < rows:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"padding_idx {pad} of {rows} embeddings", argument="padding_idx",
                           help=f"a padding_idx from 0 to {rows - 1}",
                           error='AssertionError "Padding_idx must be within num_embeddings"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        dtype = self.dtype if isinstance(self.dtype, str) else Unknown("dtype")
        if wrong := refused(x):
            return wrong
        if isinstance(x.shape, Unknown):
            return x.with_(dtype=dtype)
        return x.with_(shape=(*x.shape, count(self.embedding_dim)), dtype=dtype)

    def variables(self) -> tuple[Weight, ...] | Unknown:
        return (Weight("weight", (count(self.num_embeddings), count(self.embedding_dim))),)


def refused(x: Tensor) -> Mismatch | None:
    """Indices must be integers (aten/src/ATen/native/Embedding.cpp: embedding_symint)."""
    if isinstance(x.dtype, Unknown) or not x.dtype.startswith(("float", "bfloat", "bool", "complex")):
        return None
    return Mismatch(Problem.DTYPE, f"indices of dtype {x.dtype}, they must be int64 or int32", help="x.long()",
                    error="RuntimeError \"Expected tensor for argument #1 'indices' to have one of the following "
                          'scalar types: Long, Int"', facts=(("dtype", x.dtype),))


@record(frozen=True, slots=True)
class EmbeddingBag(Module):
    """(B, n) -> (B, embedding_dim)."""

    num_embeddings: Any
    embedding_dim: Any
    dtype: Any = "float32"

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        rows = x.shape[0] if isinstance(x.shape, tuple) and len(x.shape) == 2 else Unknown("bags")
        dtype = self.dtype if isinstance(self.dtype, str) else Unknown("dtype")
        return x.with_(shape=(rows, count(self.embedding_dim)), dtype=dtype)

    def variables(self) -> tuple[Weight, ...] | Unknown:
        return (Weight("weight", (count(self.num_embeddings), count(self.embedding_dim))),)


@layer("torch.nn.Embedding")
def embedding(num_embeddings: Any, embedding_dim: Any, padding_idx: Any = None, max_norm: Any = None,
              norm_type: Any = 2.0, scale_grad_by_freq: Any = False, sparse: Any = False, _weight: Any = None,
              _freeze: Any = False, device: Any = None, dtype: Any = None) -> Embedding:
    return Embedding(num_embeddings, embedding_dim, padding_idx, dtype_of(dtype))


@layer("torch.nn.EmbeddingBag")
def embedding_bag(num_embeddings: Any, embedding_dim: Any, max_norm: Any = None, norm_type: Any = 2.0,
                  scale_grad_by_freq: Any = False, mode: Any = "mean", sparse: Any = False, _weight: Any = None,
                  include_last_offset: Any = False, padding_idx: Any = None, device: Any = None,
                  dtype: Any = None) -> EmbeddingBag:
    return EmbeddingBag(num_embeddings, embedding_dim, dtype_of(dtype))


@function("torch.nn.functional.embedding")
def called_embedding(input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0,
                     scale_grad_by_freq: Any = False, sparse: Any = False) -> Outcome:
    if not isinstance(weight, Tensor) or not isinstance(weight.shape, tuple) or len(weight.shape) != 2:
        return Unknown("weight")
    return Embedding(weight.shape[0], weight.shape[1], None, weight.dtype).infer(LayerCall(input))


@function("torch.nn.functional.one_hot")
def one_hot(input: Any, num_classes: Any = -1) -> Outcome:
    if not isinstance(input, Tensor) or isinstance(input.shape, Unknown):
        return input if isinstance(input, Tensor) else Unknown("input")
    classes = count(num_classes)
    known = isinstance(classes, int) and classes > 0
    return input.with_(shape=(*input.shape, classes if known else Unknown("num_classes")), dtype="int64")

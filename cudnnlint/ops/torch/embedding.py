"""Lookup tables of PyTorch: Embedding and EmbeddingBag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arith import is_known
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._core import Module, count, dtype_of, negative
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Stack, Tensor, Unknown


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
    """(B, n) -> (B, embedding_dim), (n,) with offsets of (B,) -> (B, embedding_dim)."""

    num_embeddings: Any
    embedding_dim: Any
    include_last_offset: Any = False
    dtype: Any = "float32"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        for name in ("num_embeddings", "embedding_dim"):
            if wrong := negative(name, getattr(self, name)):
                yield wrong

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        offsets = call.args[0] if call.args else call.kwargs.get("offsets")
        if wrong := refused(x) or _misplaced(x, offsets):
            return wrong
        dtype = self.dtype if isinstance(self.dtype, str) else Unknown("dtype")
        return x.with_(shape=(self._bags(x, offsets), count(self.embedding_dim)), dtype=dtype)

    def _bags(self, x: Tensor, offsets: Any) -> Dim:
        if isinstance(x.shape, tuple) and len(x.shape) == 2:
            return x.shape[0]
        given = offsets.shape if isinstance(offsets, Tensor) else None
        known = isinstance(given, tuple) and len(given) == 1 and self.include_last_offset is False
        return given[0] if known and isinstance(given, tuple) else Unknown("bags")

    def variables(self) -> tuple[Weight, ...] | Unknown:
        return (Weight("weight", (count(self.num_embeddings), count(self.embedding_dim))),)


def _misplaced(x: Tensor, offsets: Any) -> Mismatch | None:
    """torch/nn/functional.py: embedding_bag"""
    rank = len(x.shape) if isinstance(x.shape, tuple) else None
    if rank == 1 and offsets is None:
        return Mismatch(Problem.RANK, f"EmbeddingBag is given a 1-D input, {x}, and no offsets, which tell where bags "
                        "start", help="offsets, or one bag a row: x.unsqueeze(0)",
                        error='ValueError "offsets has to be a 1D Tensor but got None"')
    if rank == 2 and isinstance(offsets, Tensor):
        return Mismatch(Problem.RANK, f"EmbeddingBag is given a 2-D input, {x}, whose rows are bags, and offsets",
                        help="leave the offsets out", error='ValueError "if input is 2D, then offsets has to be None"')
    if rank is not None and rank not in (1, 2):
        return Mismatch(Problem.RANK, f"EmbeddingBag takes a 1-D or 2-D input, got {rank}-D: {x}",
                        error=f'ValueError "input has to be 1D or 2D Tensor, but got Tensor of dimension {rank}"')
    return None


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
    return EmbeddingBag(num_embeddings, embedding_dim, include_last_offset, dtype_of(dtype))


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

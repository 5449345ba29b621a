"""Losses of PyTorch that are no comparison of one tensor with another: of three, of margins, of counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.functions.elementwise import binary
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.torch.losses import reduced
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown, is_floating


@record(frozen=True, slots=True)
class Several:
    """Tensors -> a number, with reduction="none" one for each row or element (torch/nn/modules/loss.py)."""

    reduction: Any = "mean"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        return iter(())

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        x = call.inputs
        if wrong := self.unlike(x, call):
            return wrong
        dtype = x.dtype if isinstance(x, Tensor) and is_floating(x.dtype) else Unknown("dtype")
        shape = () if self.reduction in ("mean", "sum") else Unknown("a loss for each")
        return x.with_(shape=shape, dtype=dtype) if isinstance(x, Tensor) else Tensor(shape, dtype, "torch")

    def unlike(self, x: Any, call: LayerCall) -> Mismatch | None:
        """What it is given beside the first does not go with it."""
        return None


@record(frozen=True, slots=True)
class Compared(Several):
    """Of vectors that are compared, broadcast (aten/src/ATen/native/Loss.cpp: triplet_margin_loss,
    cosine_embedding_loss, margin_ranking_loss).

    names  of what is given beside the first
    """

    title: str = ""
    names: tuple[str, ...] = ()

    def unlike(self, x: Any, call: LayerCall) -> Mismatch | None:
        for place, name in enumerate(self.names):
            other = call.args[place] if len(call.args) > place else call.kwargs.get(name)
            if not isinstance(x, Tensor) or not isinstance(other, Tensor):
                continue
            met = binary("-", x, other, "torch", self.title)
            if isinstance(met, Mismatch) and met.problem is Problem.BROADCAST:
                return replace(met, message=f"{self.title}: {x} and {other}, its {name}, cannot be broadcast",
                               error=f'{met.error} or RuntimeError "same number of dimensions"')
        return None


@layer("torch.nn.TripletMarginLoss")
def triplet_margin_loss(margin: Any = 1.0, p: Any = 2.0, eps: Any = 1e-6, swap: Any = False, size_average: Any = None,
                        reduce: Any = None, reduction: Any = "mean") -> Several:
    return Compared(reduced(size_average, reduce, reduction), "TripletMarginLoss", ("positive", "negative"))


@layer("torch.nn.MarginRankingLoss")
def margin_loss(margin: Any = 0.0, size_average: Any = None, reduce: Any = None, reduction: Any = "mean") -> Several:
    return Compared(reduced(size_average, reduce, reduction), "MarginRankingLoss", ("input2",))


@layer("torch.nn.CosineEmbeddingLoss")
def cosine_loss(margin: Any = 0.0, size_average: Any = None, reduce: Any = None, reduction: Any = "mean") -> Several:
    return Compared(reduced(size_average, reduce, reduction), "CosineEmbeddingLoss", ("input2",))


@layer("torch.nn.HingeEmbeddingLoss")
def hinge_embedding_loss(margin: Any = 1.0, size_average: Any = None, reduce: Any = None,
                         reduction: Any = "mean") -> Several:
    return Several(reduced(size_average, reduce, reduction))


@layer("torch.nn.GaussianNLLLoss")
def gaussian_nll_loss(*, full: Any = False, eps: Any = 1e-6, reduction: Any = "mean") -> Several:
    return Several(reduction)


@layer("torch.nn.PoissonNLLLoss")
def poisson_nll_loss(log_input: Any = True, full: Any = False, size_average: Any = None, eps: Any = 1e-8,
                     reduce: Any = None, reduction: Any = "mean") -> Several:
    return Several(reduced(size_average, reduce, reduction))


@layer("torch.nn.MultiMarginLoss")
def multi_margin_loss(p: Any = 1, margin: Any = 1.0, weight: Any = None, size_average: Any = None, reduce: Any = None,
                      reduction: Any = "mean") -> Several:
    return Several(reduced(size_average, reduce, reduction))

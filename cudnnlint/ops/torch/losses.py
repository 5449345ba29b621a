"""Losses of PyTorch: CrossEntropyLoss and NLLLoss look at classes, the others compare two tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal
from cudnnlint.ops.functions.elementwise import broadcast_problem
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._core import torch_size
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown
from cudnnlint.values.bounds import bounds

REFUSED = ("float", "bfloat", "int32", "int16", "int8")
INTEGERS = ("int64", "uint8")
"""What class indices may be (aten/src/ATen/native/LossNLL.cpp)."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Two tensors -> a number, or one loss each with reduction="none" (torch/nn/modules/loss.py)."""

    name: str
    reduction: Any = "mean"
    ignore_index: Any = -100

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        return iter(())

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        x = call.inputs
        target = call.args[0] if call.args else call.kwargs.get("target", Unknown("no target"))
        if not isinstance(x, Tensor):
            return Tensor((), "float32", "torch") if self.reduction in ("mean", "sum") else Unknown("input of a loss")
        wrong = self._wrong(x, target) if isinstance(target, Tensor) else None
        return wrong or self._given(x, target)

    def _given(self, x: Tensor, target: Any) -> Outcome:
        if self.reduction in ("mean", "sum"):
            return x.with_(shape=())
        known = isinstance(target, Tensor) and x.shape == target.shape and not isinstance(x.shape, Unknown)
        return x.with_() if known and not self._by_class() else x.with_(shape=Unknown("losses one by one"))

    def _by_class(self) -> bool:
        return self.name in ("CrossEntropyLoss", "NLLLoss")

    def _wrong(self, x: Tensor, target: Tensor) -> Mismatch | None:
        if self._by_class():
            return self._classes(x, target)
        if self.name in ("BCELoss", "BCEWithLogitsLoss"):
            return self._binary(x, target)
        if self.name in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss") and isinstance(x.shape, tuple) \
                and isinstance(target.shape, tuple) and broadcast(x.shape, target.shape) is None:
            return broadcast_problem(x.with_(kind="torch"), target.with_(kind="torch"), self.name)
        return None

    def _binary(self, x: Tensor, target: Tensor) -> Mismatch | None:
        """Equal shapes and a floating target (torch/nn/functional.py: binary_cross_entropy)."""
        if isinstance(x.shape, Unknown) or isinstance(target.shape, Unknown):
            return None
        if len(x.shape) != len(target.shape) or not all(map(may_equal, x.shape, target.shape)):
            told = "must be the same as input size" if "Logits" in self.name else "that is different to the input size"
            return Mismatch(Problem.BROADCAST, f"{self.name} of {x} and targets {target}: shapes must be equal",
                            help="bring both to one shape, logits.squeeze(1) or target.unsqueeze(1)",
                            error=f'ValueError "target size ({torch_size(target.shape)}) {told} '
                                  f'({torch_size(x.shape)})"', facts=(("shapes", (x.shape, target.shape)),))
        return None

    def _classes(self, x: Tensor, target: Tensor) -> Mismatch | None:
        """(N, C, ...) against class indices (N, ...) or probabilities (N, C, ...)."""
        if isinstance(x.shape, Unknown) or not x.shape:
            return None
        known = isinstance(target.shape, tuple) and isinstance(target.dtype, str)
        return (self._shapes(x, target) if known else None) or self._range(x, target)

    def _shapes(self, x: Tensor, target: Tensor) -> Mismatch | None:
        assert isinstance(x.shape, tuple) and isinstance(target.shape, tuple) and isinstance(target.dtype, str)
        if x.shape == target.shape and len(x.shape) > 1:
            return self._probabilities(x, target)
        if x.shape == target.shape:
            return None
        rank = len(x.shape) - 1 if len(x.shape) > 1 else 0
        if target.dtype.startswith(REFUSED) and len(target.shape) == rank:
            return self._wanted(x, target, f"class indices of dtype {target.dtype}", "target.long()",
                                'RuntimeError "expected target dtype to be Long or Byte"', Problem.DTYPE)
        if len(target.shape) != rank and target.dtype in INTEGERS and len(target.shape) != len(x.shape):
            return self._wanted(x, target, f"targets with {len(target.shape)} axes", f"targets with {rank} axes",
                                'RuntimeError "0D or 1D target tensor expected, multi-target not supported" or "only '
                                'batches of spatial targets supported"', Problem.RANK)
        if len(target.shape) == len(x.shape) and target.dtype in INTEGERS and len(x.shape) > 1:
            hint = "target.squeeze(1)" if target.shape[1] == 1 else "class indices without the class axis"
            return self._wanted(x, target, f"targets with {len(target.shape)} axes", hint,
                                'RuntimeError "0D or 1D target tensor expected, multi-target not supported" or "only '
                                'batches of spatial targets supported"', Problem.RANK)
        wanted = (x.shape[0], *x.shape[2:])
        if len(target.shape) == rank and rank and not all(map(may_equal, wanted, target.shape)):
            return self._wanted(x, target, f"targets {list(map(str, target.shape))}", "one target for each row",
                                f'ValueError "Expected input batch_size ({x.shape[0]}) to match target batch_size '
                                f'({target.shape[0]})."')
        return None

    def _probabilities(self, x: Tensor, target: Tensor) -> Mismatch | None:
        """Targets of the shape of the input: for CrossEntropyLoss probabilities of the classes."""
        if self.name == "NLLLoss":
            return self._wanted(x, target, "targets of the same shape", "class indices, without the class axis",
                                'RuntimeError "0D or 1D target tensor expected, multi-target not supported" or "only '
                                'batches of spatial targets supported"', Problem.RANK)
        if not isinstance(target.dtype, str) or target.dtype.startswith(("float", "bfloat")):
            return None
        return self._wanted(x, target, f"probabilities of dtype {target.dtype}", "class indices without the class "
                            "axis, or target.float()", 'RuntimeError "Expected floating point type for target with '
                            'class probabilities"', Problem.DTYPE)

    def _wanted(self, x: Tensor, target: Tensor, what: str, hint: str, error: str,
                problem: Problem = Problem.BROADCAST) -> Mismatch:
        return Mismatch(problem, f"{self.name} of {x} with {what}: {target}", help=hint, error=error,
                        facts=(("shapes", (x.shape, target.shape)), ("expected", x.rank), ("actual", target.rank)))

    def _range(self, x: Tensor, target: Tensor) -> Mismatch | None:
        """A class index must be one of the classes, or ignore_index (aten/src/ATen/native/LossNLL.cpp)."""
        assert isinstance(x.shape, tuple)
        classes = x.shape[1] if len(x.shape) > 1 else x.shape[0]
        held = bounds(target)
        if held is None or not isinstance(classes, int):
            return None
        if target.rank is not None and target.rank >= len(x.shape) > 1:
            return None
        wrong = next((one for one in (held.high, held.low) if not 0 <= one < classes), None)
        if wrong is None or not isinstance(self.ignore_index, int) or wrong == self.ignore_index:
            return None
        hint = "count from 0, target - 1" if held.low == 1 and held.high == classes else \
            f"give the last layer {held.high + 1} outputs" if wrong > 0 else "class numbers count from 0"
        return Mismatch(Problem.LABEL, f"classes run from {held}, the output has {classes}: 0 to {classes - 1}",
                        help=hint, error=f'IndexError "Target {wrong} is out of bounds." on a CPU; on a GPU '
                                         '"device-side assert triggered", reported by a later call')


def _register() -> None:
    for name in ("MSELoss", "L1Loss", "SoftMarginLoss", "MultiLabelMarginLoss"):
        layer(f"torch.nn.{name}")(_plain(name))
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        function(f"torch.nn.functional.{name}")(_called(name))


def _plain(name: str) -> Any:
    def loss(size_average: Any = None, reduce: Any = None, reduction: Any = "mean") -> Loss:
        return Loss(name, _reduction(size_average, reduce, reduction))

    return loss


CLASSES = {"mse_loss": "MSELoss", "l1_loss": "L1Loss", "smooth_l1_loss": "SmoothL1Loss", "huber_loss": "HuberLoss"}


def _called(name: str) -> Any:
    def loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean",
             weight: Any = None, beta: Any = 1.0, delta: Any = 1.0) -> Outcome:
        return Loss(CLASSES[name], _reduction(size_average, reduce, reduction)).infer(LayerCall(input, (target,)))

    return loss


def _reduction(size_average: Any, reduce: Any, reduction: Any) -> Any:
    return reduction if size_average is None and reduce is None else Unknown("size_average")


@layer("torch.nn.CrossEntropyLoss")
def cross_entropy_loss(weight: Any = None, size_average: Any = None, ignore_index: Any = -100, reduce: Any = None,
                       reduction: Any = "mean", label_smoothing: Any = 0.0) -> Loss:
    return Loss("CrossEntropyLoss", _reduction(size_average, reduce, reduction), ignore_index)


@layer("torch.nn.NLLLoss", "torch.nn.NLLLoss2d")
def nll_loss(weight: Any = None, size_average: Any = None, ignore_index: Any = -100, reduce: Any = None,
             reduction: Any = "mean") -> Loss:
    return Loss("NLLLoss", _reduction(size_average, reduce, reduction), ignore_index)


@layer("torch.nn.BCELoss")
def bce_loss(weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = "mean") -> Loss:
    return Loss("BCELoss", _reduction(size_average, reduce, reduction))


@layer("torch.nn.BCEWithLogitsLoss")
def bce_with_logits_loss(weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = "mean",
                         pos_weight: Any = None) -> Loss:
    return Loss("BCEWithLogitsLoss", _reduction(size_average, reduce, reduction))


@layer("torch.nn.SmoothL1Loss")
def smooth_l1_loss(size_average: Any = None, reduce: Any = None, reduction: Any = "mean", beta: Any = 1.0) -> Loss:
    return Loss("SmoothL1Loss", _reduction(size_average, reduce, reduction))


@layer("torch.nn.HuberLoss")
def huber_loss(reduction: Any = "mean", delta: Any = 1.0) -> Loss:
    return Loss("HuberLoss", reduction)


@layer("torch.nn.KLDivLoss")
def kl_div_loss(size_average: Any = None, reduce: Any = None, reduction: Any = "mean", log_target: Any = False) -> Loss:
    return Loss("KLDivLoss", _reduction(size_average, reduce, reduction) if reduction != "batchmean" else "mean")


@function("torch.nn.functional.cross_entropy")
def called_cross_entropy(input: Any, target: Any, weight: Any = None, size_average: Any = None,
                         ignore_index: Any = -100, reduce: Any = None, reduction: Any = "mean",
                         label_smoothing: Any = 0.0) -> Outcome:
    op = Loss("CrossEntropyLoss", _reduction(size_average, reduce, reduction), ignore_index)
    return op.infer(LayerCall(input, (target,)))


@function("torch.nn.functional.nll_loss")
def called_nll_loss(input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: Any = -100,
                    reduce: Any = None, reduction: Any = "mean") -> Outcome:
    return Loss("NLLLoss", _reduction(size_average, reduce, reduction), ignore_index).infer(LayerCall(input, (target,)))


@function("torch.nn.functional.binary_cross_entropy")
def called_bce(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
               reduction: Any = "mean") -> Outcome:
    return Loss("BCELoss", _reduction(size_average, reduce, reduction)).infer(LayerCall(input, (target,)))


@function("torch.nn.functional.binary_cross_entropy_with_logits")
def called_bce_with_logits(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
                           reduction: Any = "mean", pos_weight: Any = None) -> Outcome:
    return Loss("BCEWithLogitsLoss", _reduction(size_average, reduce, reduction)).infer(LayerCall(input, (target,)))


_register()

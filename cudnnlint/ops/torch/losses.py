"""Losses of PyTorch: CrossEntropyLoss and NLLLoss look at classes, the others compare two tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.functions.elementwise import broadcast_problem
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.ops.torch._targets import binary_targets, class_targets
from cudnnlint.ops.torch._weights import binary_weights, class_weights, no_tensor, whole_numbers
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class Loss:
    """Two tensors -> a number, or one loss each with reduction="none" (torch/nn/modules/loss.py)."""

    name: str
    reduction: Any = "mean"
    ignore_index: Any = -100
    weight: Any = None
    pos_weight: Any = None
    compares: ClassVar[bool] = True

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        """torch/nn/_reduction.py: legacy_get_string, which asks size_average whether it is true"""
        if isinstance(self.reduction, Tensor) and self.reduction.shape not in ((), (1,)):
            yield Mismatch(Problem.UNEXPECTED, f"{self.name} is made with tensors, which it takes where it is called",
                           help=f"nn.{self.name}()(output, target)",
                           error='RuntimeError "Boolean value of Tensor with more than one value is ambiguous"')
        for name in ("weight", "pos_weight"):
            if wrong := no_tensor(self.name, name, getattr(self, name)):
                yield wrong

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        if isinstance(self.reduction, str) and self.reduction not in REDUCTIONS:
            return Mismatch(Problem.INVALID_ARGUMENT, f"{self.name} with reduction={self.reduction!r}",
                            argument="reduction", help='"mean", "sum" or "none"',
                            error=f'ValueError "{self.reduction} is not a valid value for reduction"')
        x = call.inputs
        target = call.args[0] if call.args else call.kwargs.get("target", Unknown("no target"))
        if not isinstance(x, Tensor):
            whole = self.reduction in ("mean", "sum")
            return Tensor((), Unknown("dtype"), "torch") if whole else Unknown("input of a loss")
        wrong = self._wrong(x, target) if isinstance(target, Tensor) else self._no_target(target)
        return wrong or self._given(x, target)

    def _no_target(self, target: Any) -> Mismatch | None:
        """torch/nn/functional.py: mse_loss asks a target for its size; cross_entropy hands it on."""
        if not isinstance(target, tuple | list):
            return None
        kind = type(target).__name__
        return Mismatch(Problem.UNEXPECTED, f"{self.name} is given a {kind} for its targets, not a tensor",
                        argument="target", help="torch.tensor(...) of numbers, torch.stack(...) of tensors",
                        error=f'TypeError "argument \'target\' (position 2) must be Tensor, not {kind}" or '
                              f"AttributeError \"'{kind}' object has no attribute 'size'\"")

    def _given(self, x: Tensor, target: Any) -> Outcome:
        if self.reduction in ("mean", "sum"):
            return x.with_(shape=())
        if isinstance(self.reduction, Unknown):
            return x.with_(shape=self.reduction)
        return x.with_(shape=self._one_by_one(x.shape, target))

    def _one_by_one(self, shape: Shape | Unknown, target: Any) -> Shape | Unknown:
        """(N, C, ...) -> (N, ...) of classes, (C,) -> (); else the shape that both are brought to.

        >>> Loss("CrossEntropyLoss", "none")._one_by_one((8, 21, 64, 64), None)
        (8, 64, 64)
        """
        if isinstance(shape, Unknown):
            return shape
        if self._by_class():
            return (*shape[:1], *shape[2:]) if len(shape) > 1 else ()
        if self.name in ("BCELoss", "BCEWithLogitsLoss"):
            return shape
        both = isinstance(target, Tensor) and isinstance(target.shape, tuple)
        met = broadcast(shape, target.shape) if both else None
        return Unknown("losses one by one") if met is None else met

    def _by_class(self) -> bool:
        return self.name in ("CrossEntropyLoss", "NLLLoss")

    def _wrong(self, x: Tensor, target: Tensor) -> Mismatch | None:
        if self._by_class():
            return whole_numbers(self.name, x) or class_targets(self.name, x, target, self.ignore_index) \
                or class_weights(self.name, x, self.weight)
        if self.name in ("BCELoss", "BCEWithLogitsLoss"):
            return binary_targets(self.name, x, target) or binary_weights(self.name, x, self.weight, self.pos_weight)
        if self.name in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "KLDivLoss") and isinstance(x.shape, tuple) \
                and isinstance(target.shape, tuple) and broadcast(x.shape, target.shape) is None:
            both = x.with_(kind="torch"), target.with_(kind="torch")
            wrong, turned = broadcast_problem(*both, self.name), broadcast_problem(*both[::-1], self.name)
            error = turned.error if self.name == "KLDivLoss" else wrong.error  # target.xlogy() comes first
            return replace(wrong, problem=Problem.TARGET, error=error)
        return None


def _register() -> None:
    for name in ("MSELoss", "L1Loss", "SoftMarginLoss", "MultiLabelMarginLoss"):
        layer(f"torch.nn.{name}")(_plain(name))
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        function(f"torch.nn.functional.{name}")(_called(name))


def _plain(name: str) -> Any:
    def loss(size_average: Any = None, reduce: Any = None, reduction: Any = "mean") -> Loss:
        return Loss(name, reduced(size_average, reduce, reduction))

    return loss


REDUCTIONS = ("mean", "sum", "none", "elementwise_mean")
"""Those that are taken, "batchmean" by KLDivLoss alone (torch/nn/_reduction.py: get_enum)."""
CLASSES = {"mse_loss": "MSELoss", "l1_loss": "L1Loss", "smooth_l1_loss": "SmoothL1Loss", "huber_loss": "HuberLoss"}


def _called(name: str) -> Any:
    def loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean",
             weight: Any = None, beta: Any = 1.0, delta: Any = 1.0) -> Outcome:
        return Loss(CLASSES[name], reduced(size_average, reduce, reduction)).infer(LayerCall(input, (target,)))

    return loss


def reduced(size_average: Any, reduce: Any, reduction: Any) -> Any:
    """torch/nn/_reduction.py: legacy_get_string

    >>> reduced(None, None, "none"), reduced(False, None, "mean"), reduced(None, False, "mean")
    ('none', 'sum', 'none')
    """
    if isinstance(size_average, Tensor):
        return size_average
    if size_average is None and reduce is None:
        return reduction
    if isinstance(size_average, Unknown) or isinstance(reduce, Unknown):
        return Unknown("size_average")
    if not (reduce is None or reduce):
        return "none"
    return "mean" if size_average is None or size_average else "sum"


@layer("torch.nn.CrossEntropyLoss")
def cross_entropy_loss(weight: Any = None, size_average: Any = None, ignore_index: Any = -100, reduce: Any = None,
                       reduction: Any = "mean", label_smoothing: Any = 0.0) -> Loss:
    return Loss("CrossEntropyLoss", reduced(size_average, reduce, reduction), ignore_index, weight)


@layer("torch.nn.NLLLoss", "torch.nn.NLLLoss2d")
def nll_loss(weight: Any = None, size_average: Any = None, ignore_index: Any = -100, reduce: Any = None,
             reduction: Any = "mean") -> Loss:
    return Loss("NLLLoss", reduced(size_average, reduce, reduction), ignore_index, weight)


@layer("torch.nn.BCELoss")
def bce_loss(weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = "mean") -> Loss:
    return Loss("BCELoss", reduced(size_average, reduce, reduction), weight=weight)


@layer("torch.nn.BCEWithLogitsLoss")
def bce_with_logits_loss(weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = "mean",
                         pos_weight: Any = None) -> Loss:
    return Loss("BCEWithLogitsLoss", reduced(size_average, reduce, reduction), weight=weight, pos_weight=pos_weight)


@layer("torch.nn.SmoothL1Loss")
def smooth_l1_loss(size_average: Any = None, reduce: Any = None, reduction: Any = "mean", beta: Any = 1.0) -> Loss:
    return Loss("SmoothL1Loss", reduced(size_average, reduce, reduction))


@layer("torch.nn.HuberLoss")
def huber_loss(reduction: Any = "mean", delta: Any = 1.0) -> Loss:
    return Loss("HuberLoss", reduction)


@layer("torch.nn.KLDivLoss")
def kl_div_loss(size_average: Any = None, reduce: Any = None, reduction: Any = "mean", log_target: Any = False) -> Loss:
    return Loss("KLDivLoss", reduced(size_average, reduce, reduction) if reduction != "batchmean" else "mean")


@function("torch.nn.functional.kl_div")
def called_kl_div(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean",
                  log_target: Any = False) -> Outcome:
    return kl_div_loss(size_average, reduce, reduction, log_target).infer(LayerCall(input, (target,)))


@function("torch.nn.functional.cross_entropy")
def called_cross_entropy(input: Any, target: Any, weight: Any = None, size_average: Any = None,
                         ignore_index: Any = -100, reduce: Any = None, reduction: Any = "mean",
                         label_smoothing: Any = 0.0) -> Outcome:
    op = Loss("CrossEntropyLoss", reduced(size_average, reduce, reduction), ignore_index, weight)
    return op.infer(LayerCall(input, (target,)))


@function("torch.nn.functional.nll_loss")
def called_nll_loss(input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: Any = -100,
                    reduce: Any = None, reduction: Any = "mean") -> Outcome:
    op = Loss("NLLLoss", reduced(size_average, reduce, reduction), ignore_index, weight)
    return op.infer(LayerCall(input, (target,)))


@function("torch.nn.functional.binary_cross_entropy")
def called_bce(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
               reduction: Any = "mean") -> Outcome:
    op = Loss("BCELoss", reduced(size_average, reduce, reduction), weight=weight)
    return op.infer(LayerCall(input, (target,)))


@function("torch.nn.functional.binary_cross_entropy_with_logits")
def called_bce_with_logits(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
                           reduction: Any = "mean", pos_weight: Any = None) -> Outcome:
    op = Loss("BCEWithLogitsLoss", reduced(size_average, reduce, reduction), weight=weight, pos_weight=pos_weight)
    return op.infer(LayerCall(input, (target,)))


_register()

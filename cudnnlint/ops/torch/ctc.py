"""CTC loss of PyTorch: (T, N, C) against targets and the lengths of both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, function, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown
from cudnnlint.values.dim import is_known


@record(frozen=True, slots=True)
class CTC:
    """(T, N, C), targets (N, S) or (sum,), lengths (N,) -> a number, or (N,) with reduction="none".

    aten/src/ATen/native/LossCTC.cpp: ctc_loss_allocate_outputs
    """

    reduction: Any = "mean"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        return iter(())

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        x, names = call.inputs, ("targets", "input_lengths", "target_lengths")
        if not isinstance(x, Tensor):
            return Unknown("log-probabilities")
        given = {name: call.args[place] if place < len(call.args) else call.kwargs.get(name)
                 for place, name in enumerate(names)}
        steps, rows = x.shape[:2] if isinstance(x.shape, tuple) and len(x.shape) == 3 else (Unknown("rank"),) * 2
        for name in names[1:]:
            count = _count(given[name])
            if is_known(rows) and is_known(count) and rows != count:
                return Mismatch(
                    Problem.BROADCAST, f"CTCLoss of {x}, {steps} steps of {rows} rows, needs {rows} {name}, it is "
                    f"given {count}", help="log-probabilities are (T, N, C): logp.transpose(0, 1)"
                    if steps == count else f"{rows} {name}",
                    error=f'RuntimeError "{name} must be of size batch_size"',
                    facts=(("expected", rows), ("actual", count)))
        if (wrong := _too_long(x, steps, given)) is not None:
            return wrong
        return x.with_(shape=() if self.reduction in ("mean", "sum") else (rows,) if self.reduction == "none" else
                       Unknown("reduction"))


def _too_long(x: Tensor, steps: Any, given: dict[str, Any]) -> Mismatch | None:
    """A length beyond what there is of it (the same function: "Expected input_lengths to have value at most ...")."""
    targets = given["targets"]
    wide = targets.shape[1] if isinstance(targets, Tensor) and targets.rank == 2 and isinstance(
        targets.shape, tuple) else Unknown("targets")
    longest = _longest(given["input_lengths"])
    if isinstance(steps, int) and longest > steps:
        return Mismatch(
            Problem.BROADCAST, f"CTCLoss of {x}, which has {steps} steps, is given input_lengths of {longest}",
            help="the steps of what the network gives, not those of its input: log_probs.size(0)",
            error=f'RuntimeError "Expected input_lengths to have value at most {steps}, but got value {longest}"',
            facts=(("expected", steps), ("actual", longest)))
    longest = _longest(given["target_lengths"])
    if isinstance(wide, int) and longest > wide:
        return Mismatch(
            Problem.BROADCAST, f"CTCLoss of targets {targets} is given target_lengths of {longest}",
            help="the length of each row of targets", error=f'RuntimeError "Expected tensor to have size at least '
            f'{longest} at dimension 1, but got size {wide} for argument #2 \'targets\'"',
            facts=(("expected", wide), ("actual", longest)))
    return None


def _longest(lengths: Any) -> int:
    """The greatest of lengths that are all known, 0 of others."""
    values = lengths.content if isinstance(lengths, Tensor) else lengths
    known = isinstance(values, (list, tuple)) and values and all(type(one) is int for one in values)
    return max(values) if known else 0


def _count(lengths: Any) -> Any:
    """How many lengths there are."""
    if isinstance(lengths, Tensor):
        return lengths.shape[0] if isinstance(lengths.shape, tuple) and len(lengths.shape) == 1 else Unknown("lengths")
    return len(lengths) if isinstance(lengths, (list, tuple)) else Unknown("lengths")


@layer("torch.nn.CTCLoss")
def ctc_loss(blank: Any = 0, reduction: Any = "mean", zero_infinity: Any = False) -> CTC:
    return CTC(reduction)


@function("torch.nn.functional.ctc_loss")
def called_ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any = 0,
                    reduction: Any = "mean", zero_infinity: Any = False) -> Outcome:
    return CTC(reduction).infer(LayerCall(log_probs, (targets, input_lengths, target_lengths)))

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
        return x.with_(shape=() if self.reduction in ("mean", "sum") else (rows,) if self.reduction == "none" else
                       Unknown("reduction"))


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

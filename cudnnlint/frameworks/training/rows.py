"""Arrays that go through a model together, and are not of one length."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import LossInfo, Rejected, tensors
from cudnnlint.frameworks.training.feeding import SEQUENCES, batch_at
from cudnnlint.frameworks.training.model_views import holder_of, resolve_losses
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import FunctionV, GeneratorV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Unknown, Where
from cudnnlint.values.dim import is_known
from cudnnlint.values.mismatch import ONE_BATCH

AMBIGUOUS = 'ValueError "Data cardinality is ambiguous"'
"""keras/src/trainers/data_adapters/data_adapter_utils.py: check_data_cardinality."""
IN_GRAPH = ('InvalidArgumentError "Incompatible shapes" or "logits and labels must have the same first dimension", or '
            'ValueError "Dimensions must be equal", by the loss')
NOT_ALIKE = ('ValueError "Dimensions must be equal" or "Arguments `target` and `output` must have the same shape", by '
             "the loss")
"""Keras 3 compares nothing itself in train_on_batch(): the loss does. One row is repeated by those that broadcast."""


def check_rows(c: Call, arguments: dict[str, Any], method: str) -> None:
    """x, y and sample_weight must have one number of rows, and those of validation_data."""
    given = [strip(arguments.get(name)) for name in ("x", "y", "sample_weight")]
    by_loss = method.endswith("_on_batch") and c.machine.stack.keras >= (3,)
    if not by_loss or _compared(c, method):
        wrong = uneven(*given, on_batch=by_loss)
        if wrong is not None and method.endswith("_on_batch") and 1 in (wrong.fact("rows") or ()):
            wrong = replace(wrong, where=Where(keras="<3"))  # Keras 3 repeats the one row
        _tell(c, given, wrong, method)
    validation = strip(arguments.get("validation_data")) if method == "fit" else None
    if isinstance(validation, list | tuple) and len(validation) in (2, 3):
        _tell(c, list(validation), uneven(*validation, where="the validation "), method)


def check_batches(c: Call, source: Any) -> None:
    """Batches that the program makes itself; how they are compared is the loss's matter."""
    m, held, batches = c.machine, plain(source), list[Any]()
    if not _compared(c, "train_on_batch"):
        return
    if isinstance(held, GeneratorV):
        batches = [] if held.elements.unknown else held.elements.items[:1]
    elif isinstance(held, InstanceV) and held.cls.external_base() in SEQUENCES:
        batches = [batch_at(m, held, 0)]
    for batch in map(strip, batches):
        wrong = uneven(*batch, on_batch=True) if isinstance(batch, tuple) and len(batch) in (2, 3) else None
        if wrong is not None:
            told = replace(wrong, message=f"of the first batch {wrong.message}", error=IN_GRAPH,
                           facts=(*wrong.facts, *ONE_BATCH))
            _tell(c, list(batch), told, "fit")


def _compared(c: Call, method: str) -> bool:
    """Whether losses of the library compare labels and outputs, row by row."""
    compiled, held = getattr(holder_of(c.receiver), "compiled", None), plain(c.receiver)
    if isinstance(held, InstanceV) and isinstance(held.cls.lookup("compute_loss"), FunctionV | Unknown):
        return False
    if not method.startswith(("train", "test")) or not compiled or own_step(c.receiver, method) is not None:
        return False
    losses = resolve_losses(c.machine, compiled.get("loss"), compiled.get("span"))
    each = losses if isinstance(losses, list) else list(losses.values()) if isinstance(losses, dict) else [losses]
    return all(isinstance(loss, LossInfo) and loss.name for loss in each)


def _tell(c: Call, given: list[Any], wrong: Mismatch | None, method: str) -> None:
    if wrong is not None:
        c.machine.say(Rejected, c.span, about=tensors(given), what=f"Model.{method}", mismatch=wrong, inputs=given,
                      stage=method)


def uneven(x: Any, y: Any = None, weights: Any = None, *, where: str = "", on_batch: bool = False) -> Mismatch | None:
    """Arrays with different numbers of rows; `on_batch` where one row may stand for all."""
    seen: dict[int, str] = {}
    for name, part in (("x", x), ("y", y), ("sample_weight", weights)):
        parts = tensors(strip(part))
        for index, tensor in enumerate(parts):
            if isinstance(tensor.shape, tuple) and tensor.shape and is_known(tensor.shape[0]):
                which = f"{name}[{index}]" if len(parts) > 1 and isinstance(part, list | tuple) else name
                seen.setdefault(int(tensor.shape[0]), which)  # type: ignore[arg-type]
    if len(seen) < 2 or (on_batch and 1 in seen):
        return None
    text = ", ".join(f"{where}{name} has {rows} row{'s' * (rows != 1)}" for rows, name in seen.items())
    return Mismatch(Problem.MERGE, text, help=f"give {' and '.join(seen.values())} the same number of rows",
                    error=NOT_ALIKE if on_batch else AMBIGUOUS, facts=(("rows", tuple(seen)),))


__all__ = ["check_batches", "check_rows", "uneven"]

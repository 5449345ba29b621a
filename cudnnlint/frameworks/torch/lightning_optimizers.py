"""What configure_optimizers() of a LightningModule gives, as the Trainer reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem

SCHEDULERS = "torch.optim.lr_scheduler."
PLATEAU = SCHEDULERS + "ReduceLROnPlateau"
SHOWN = '{"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}'


def tell_of_configured(c: Call, model: InstanceV, made: Any) -> None:
    """lightning/pytorch/core/optimizer.py: _configure_optimizers, _configure_schedulers_automatic_opt; run with
    Lightning 2.6."""
    m, given = c.machine, plain(made)
    own = plain(model.items.get("automatic_optimization", True)), model.cls.lookup("automatic_optimization")
    if not is_meant(m) or m.handlers or m.uncalled or own != (True, MISSING):
        return
    if isinstance(given, tuple) and len(given) == 2 and _is_scheduler(given[1]) and not isinstance(
            plain(given[0]), ListV):
        refuse(m, plain(given[1]).span, Mismatch(
            Problem.UNEXPECTED, "configure_optimizers() gives an optimizer and a scheduler side by side, which is none "
            "of its forms", help="return [optimizer], [scheduler]",
            error='MisconfigurationException "Unknown configuration for model optimizers"'),
            what="configure_optimizers()")
        return
    for scheduler in _unmonitored(given):
        refuse(m, scheduler.span, Mismatch(
            Problem.INVALID_ARGUMENT, "ReduceLROnPlateau in what configure_optimizers() gives, without a monitor",
            argument="monitor", help=f"return {SHOWN}",
            error='MisconfigurationException "must include a monitor when a `ReduceLROnPlateau` scheduler is used"'),
            what="configure_optimizers()")


def _is_scheduler(value: Any) -> bool:
    held = plain(value)
    return isinstance(held, ObjectV) and held.path.startswith(SCHEDULERS)


def _unmonitored(given: Any) -> Iterator[Any]:
    """The schedulers that wait for a metric of which nothing says which."""
    if isinstance(given, DictV):
        if not given.unknown and "monitor" not in given.items:
            yield from _bare(given.items.get("lr_scheduler"))
        elif not given.unknown:
            yield from _bare(given.items.get("lr_scheduler"), dicts_only=True)
    elif isinstance(given, tuple | ListV):
        items = given if isinstance(given, tuple) else () if given.unknown else given.items
        held = [plain(item) for item in items]
        if len(held) == 2 and isinstance(held[0], ListV):
            several = held[1].items if isinstance(held[1], ListV) and not held[1].unknown else [held[1]]
            for one in several:
                yield from _bare(one)


def _bare(value: Any, *, dicts_only: bool = False) -> Iterator[Any]:
    held = plain(value)
    if isinstance(held, DictV) and not held.unknown and "monitor" not in held.items \
            and "reduce_on_plateau" not in held.items:
        held = plain(held.items.get("scheduler"))
    elif dicts_only:
        return
    if isinstance(held, ObjectV) and held.path == PLATEAU:
        yield held


__all__ = ["tell_of_configured"]

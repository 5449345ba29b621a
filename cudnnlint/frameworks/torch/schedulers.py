"""torch.optim.lr_scheduler: what a scheduler is made without."""

from __future__ import annotations

from typing import Any

from cudnnlint.facts.torch_arguments import SCHEDULERS
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.needed import tell_of_missing
from cudnnlint.frameworks.torch.optimizers import module_of
from cudnnlint.frameworks.torch.scheduler_steps import TOTALS, note_made
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.forget import forget_closures
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Where

HERE = "torch.optim.lr_scheduler."


def _made(name: str) -> Any:
    def scheduler(c: Call) -> ObjectV:
        """torch/optim/lr_scheduler.py"""
        if STAR not in c.kwargs and is_meant(c.machine) and not c.machine.uncalled and not c.machine.handlers:
            _check(c, name)
        forget_closures(c.machine, c)
        made = ObjectV(f"{HERE}{name}", tuple(c.args), dict(c.kwargs), c.span)
        if name == "OneCycleLR" and STAR not in c.kwargs:
            note_made(c.machine, made)
        return made

    return scheduler


def _check(c: Call, name: str) -> None:
    if tell_of_missing(c, name, SCHEDULERS[name]):
        return
    if "verbose" in c.kwargs:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNKNOWN_ARGUMENT, f"{name} has no argument verbose since PyTorch 2.7", argument="verbose",
            help="leave it out; get_last_lr() gives what to print", where=Where(torch=">=2.7"),
            error=f"TypeError \"{name}.__init__() got an unexpected keyword argument 'verbose'\""), what=name,
            stage="called")
    elif module := module_of(plain(c.get(0, "optimizer"))):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is given the module {module}, not an optimizer", argument="optimizer",
            help="the optimizer that is given its parameters", error=f'TypeError "{module} is not an Optimizer"'),
            what=name)
    elif name in ("LambdaLR", "MultiplicativeLR") and type(given := plain(c.get(1, "lr_lambda"))) in (int, float):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is given {given}, not a function of the epoch",
            help=f"lambda epoch: {given} ** epoch" if name == "LambdaLR" else f"lambda epoch: {given}",
            error=f"TypeError \"'{type(given).__name__}' object is not callable\""), what=name)
    elif name == "MultiStepLR" and type(given := plain(c.get(1, "milestones"))) in (int, float):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is given {given} for its milestones, which are several", argument="milestones",
            help=f"[{given}]", error=f"TypeError \"'{type(given).__name__}' object is not iterable\""), what=name)
    elif name == "OneCycleLR" and _lasts_unknown(c):
        refuse(c.machine, c.span, Mismatch(
            Problem.MISSING_ARGUMENT, "OneCycleLR misses total_steps", argument="total_steps",
            help="total_steps, or epochs and steps_per_epoch",
            error='ValueError "You must define either total_steps OR (epochs AND steps_per_epoch)"'),
            what=name, stage="called")


def _lasts_unknown(c: Call) -> bool:
    """Whether neither the steps are given nor both that they are the product of."""
    total, epochs, steps = (plain(c.get(place, name)) for place, name in enumerate(TOTALS, 2))
    return total is None and (epochs is None or steps is None)


for _name in SCHEDULERS:
    FRAMEWORK.on(f"{HERE}{_name}")(_made(_name))

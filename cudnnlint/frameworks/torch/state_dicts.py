"""state_dict() of a module handed straight to load_state_dict() of another one."""

from __future__ import annotations

import ast
from typing import Any, ClassVar

from cudnnlint.frameworks.keras.weights_moved import difference, shapes_of
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_meant, of_line, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Unknown


@record(frozen=True, slots=True)
class StateDictV:
    """What state_dict() gave: what the program does with its keys is not followed."""

    module: InstanceV
    always_true: ClassVar[bool] = True

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown("names of parts of a module")

    def iterated(self, m: Machine) -> Any:
        return Unknown("names of parts of a module")

    def length(self, m: Machine) -> Any:
        return Unknown("how many tensors a module has")

    def item(self, m: Machine, key: Any, node: ast.AST) -> Any:
        return Unknown("a tensor of a module")


@FRAMEWORK.on("torch.save")
def save(c: Call) -> None:
    """torch/serialization.py: save"""
    if len(c.args) == 1 and "f" not in c.kwargs and STAR not in c.kwargs and is_meant(c.machine) \
            and not (c.machine.handlers or c.machine.uncalled):
        refuse(c.machine, c.span, Mismatch(
            Problem.MISSING_ARGUMENT, "torch.save misses its argument f", argument="f",
            help='where to save it: torch.save(model.state_dict(), "model.pt")',
            error="TypeError \"save() missing 1 required positional argument: 'f'\""), what="torch.save",
            stage="called")


@FRAMEWORK.on("torch.nn.Module.state_dict")
def state_dict(c: Call) -> Any:
    module = plain(c.receiver)
    return StateDictV(module) if isinstance(module, InstanceV) and not c.args and not c.kwargs \
        else Unknown("names of parts of a module")


@FRAMEWORK.on("torch.nn.Module.load_state_dict")
def load_state_dict(c: Call) -> Any:
    """Keys that one of them lacks may be passed over, shapes that differ never (torch/nn/modules/module.py:
    Module._load_from_state_dict): told where both are of one class and have as many tensors."""
    given, module = plain(c.get(0, "state_dict")), plain(c.receiver)
    if isinstance(given, str) and is_meant(c.machine) and not c.machine.uncalled:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"load_state_dict() is given the text {given!r}", help=f"torch.load({given!r})",
            error='TypeError "Expected state_dict to be dict-like, got <class \'str\'>"'), what="load_state_dict")
        return Unknown("a call that fails")
    written = getattr(c.node, "args", None)
    if isinstance(given, StateDictV) and isinstance(module, InstanceV) and given.module.cls is module.cls \
            and written and isinstance(written[0], ast.Call) and not (c.machine.trying or c.machine.handlers):
        theirs, own = shapes_of(given.module), shapes_of(module)
        if theirs and own and len(theirs) == len(own) and (told := difference(theirs, own)):
            refuse(c.machine, c.span, Mismatch(
                Problem.SET_WEIGHTS, f"the weights{of_line(c.span, given.module.span or c.span)} do not fit: {told}",
                help="leave out what differs: {k: v for k, v in state.items() if v.shape == own[k].shape}, with "
                     "strict=False", error='RuntimeError "Error(s) in loading state_dict ... size mismatch for"'),
                what="load_state_dict", stage="load_state_dict")
    return Unknown("keys that are missing or not expected")

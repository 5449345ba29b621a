"""torch.optim: optimizers without parameters, their steps, and schedulers that are stepped without what they go by."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.facts.torch_arguments import OPTIMIZERS
from cudnnlint.frameworks.torch.containers import Chain, ModuleListV
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.state_dicts import StateDictV
from cudnnlint.frameworks.torch.uncleared import note_born, tell_of_uncleared
from cudnnlint.frameworks.torch.unregistered import tell_of_unregistered
from cudnnlint.frameworks.torch.updated import note_updated
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.forget import forget_closures
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import walk_parts, weights_of
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, BoundV, GeneratorV, InstanceV, MethodV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.frozen import OWNED, Parameters
from cudnnlint.interp.torch.parameters import tell_of_computed
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

PLATEAU = "torch.optim.lr_scheduler.ReduceLROnPlateau"


def _made(name: str) -> Any:
    def optimizer(c: Call) -> ObjectV:
        """torch/optim/optimizer.py: Optimizer.__init__"""
        given = plain(c.get(0, "params"))
        _tell_of_arguments(c, name, given)
        if isinstance(given, ListV):
            tell_of_computed(c.machine, name, given.items, c.span)
        chosen = isinstance(given, GeneratorV) and given.complete
        held = given.elements if isinstance(given, GeneratorV) and chosen else given
        if isinstance(held, ListV) and not held.unknown and not held.items and not c.machine.trying \
                and not c.machine.uncalled and not c.machine.frames[0].module.source.says("._modules"):
            refuse(c.machine, c.span, Mismatch(
                Problem.INCOMPLETE, f"{name} is given no parameters", help=FROZEN_ALL if chosen or _is_filtered(c) else
                "layers that a module keeps in a list of Python's are none of its parameters: nn.ModuleList(...)",
                error='ValueError "optimizer got an empty parameter list"'), what=name)
        made = ObjectV(f"torch.optim.{name}", tuple(c.args), dict(c.kwargs), c.span)
        note_born(c.machine, made)
        return made

    return optimizer


FROZEN_ALL = "leave requires_grad of what is to be trained, or put a new head in place after the others were frozen"


def _is_filtered(c: Call) -> bool:
    """Whether it is written that some of them are left out."""
    written = getattr(c.node, "args", None)
    first = written[0] if written else None
    return isinstance(first, ast.ListComp | ast.GeneratorExp) and any(each.ifs for each in first.generators)


def module_of(value: Any) -> str:
    """The name of a module; "" of anything else."""
    if isinstance(value, InstanceV) and value.cls.external_base() == "torch.nn.Module":
        return value.cls.name
    if isinstance(value, ModelV):
        return "Sequential" if value.path == "torch.nn.Sequential" else ""
    return value.display if isinstance(value, LayerV) and value.path.startswith("torch.nn.") else ""


def _part_of(given: Any) -> str:
    """The first module of an nn.Sequential or nn.ModuleList, which are gone through module by module
    (torch/optim/optimizer.py: Optimizer.add_param_group)."""
    if isinstance(given, ModuleListV) and not given.unknown:
        return module_of(plain(given.items[0])) if given.items else ""
    held = given.layers.items if isinstance(given, Chain) and not given.layers.unknown else ()
    return module_of(plain(held[0])) if held else ""


def _without_parameters(groups: Any) -> str:
    """The keys of a group that has no parameters (torch/optim/optimizer.py: Optimizer.add_param_group)."""
    for one in groups.items if isinstance(groups, ListV) and not groups.unknown else ():
        group = plain(one)
        if isinstance(group, DictV) and not group.is_set and not group.open and group.items \
                and "params" not in group.items:
            return ", ".join(map(repr, group.items))
    return ""


def _tell_of_arguments(c: Call, name: str, given: Any) -> None:
    """A module in place of its parameters, or nothing at all."""
    m = c.machine
    if STAR in c.kwargs or not is_meant(m) or m.uncalled:
        return
    module = module_of(given)
    if module and not (isinstance(given, InstanceV) and given.cls.lookup("__iter__") is not MISSING) \
            and module not in ("Sequential", "ModuleList", "ParameterList", "ModuleDict"):
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is given the module {module}, not its parameters",
            help=f"{name}(module.parameters())", error=f"TypeError \"'{module}' object is not iterable\""), what=name)
    elif isinstance(given, StateDictV):
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is given the state of a module, not its parameters",
            help=f"{name}(module.parameters())",
            error='TypeError "optimizer can only optimize Tensors, but one of the params is str"'), what=name)
    elif (keys := _without_parameters(given)):
        refuse(m, c.span, Mismatch(
            Problem.MISSING_ARGUMENT, f"a group of {name} has no 'params', only {keys}", argument="params",
            help="'params' names the parameters of a group", error="KeyError \"'params'\""), what=name)
    elif isinstance(given, Tensor) and given.kind == "torch":
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is given one tensor, not several", help="[tensor]",
            error='TypeError "params argument given to the optimizer should be an iterable of Tensors or dicts"'),
            what=name, about=(given,))
    elif (part := _part_of(given)):
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is given the modules of a container, not its parameters",
            help=f"{name}(container.parameters())",
            error='TypeError "optimizer can only optimize Tensors, but one of the params is torch.nn.modules...'
                  f'{part}"'), what=name)
    if isinstance(given, MethodV | BoundV):
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is given a method that is not called", help="module.parameters()",
            error="TypeError \"'method' object is not iterable\""), what=name)
    if isinstance(given, ListV) and (shared := _shared(given)):
        refuse(m, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"{name} is given the parameters of {shared} in two groups", argument="params",
            help="leave them out of the other group: [p for name, p in model.named_parameters() if not "
                 "name.startswith(...)]", error='ValueError "some parameters appear in more than one parameter group"'),
            what=name)
    if not c.args and "params" not in c.kwargs:
        refuse(m, c.span, Mismatch(Problem.MISSING_ARGUMENT, f"{name} misses its argument params", argument="params",
                                   help="module.parameters()"), what=name, stage="called")
    rate = plain(c.get(1, "lr"))
    text = next((one for one in NUMBERS if isinstance(rate if one == "lr" else plain(c.kwargs.get(one)), str)), "")
    if text and name != "LBFGS":  # old versions of which take any
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"{name} is given a text as {text}", argument=text, help=AS_NUMBER,
            error='TypeError "not supported between instances of"'), what=name)
    if type(betas := plain(c.kwargs.get("betas"))) in (int, float):
        refuse(m, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"{name} is given betas={betas}, not a pair", argument="betas",
            error=f"TypeError \"'{type(betas).__name__}' object is not subscriptable\"", help=f"({betas}, 0.999)"),
            what=name)
    if name == "SGD" and plain(c.kwargs.get("nesterov")) is True and plain(c.get(2, "momentum", 0)) == 0:
        refuse(m, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, "SGD is given nesterov=True and no momentum", argument="nesterov",
            help="momentum=0.9", error='ValueError "Nesterov momentum requires a momentum and zero dampening"'),
            what=name)
    if type(rate) in (int, float) and rate < 0:
        refuse(m, c.span, Mismatch(Problem.INVALID_ARGUMENT, f"{name} is given lr={rate}", argument="lr",
                                   help=f"lr={-rate}", error=f'ValueError "Invalid learning rate: {rate}"'), what=name)


def _shared(groups: ListV) -> str:
    """What it is whose parameters stand in two groups, all of them in each (torch/optim/optimizer.py: Optimizer.
    add_param_group); "" where that is not certain."""
    modules = [module for one in groups.items if not groups.unknown
               and (module := _whole(plain(one))) is not None]
    for place, outer in enumerate(modules):
        inside = {id(part) for part in walk_parts(outer) if not isinstance(part, Unknown)}
        for other in (*modules[:place], *modules[place + 1:]):
            weights = weights_of(other)
            if id(other) in inside and isinstance(weights, tuple) and weights:
                return getattr(other, "display", "") or getattr(getattr(other, "cls", None), "name", "a module")
    return ""


def _whole(group: Any) -> Any:
    """The module all of whose parameters are those of a group."""
    given = plain(group.items.get("params")) if isinstance(group, DictV) and not group.is_set else None
    if isinstance(given, Parameters):
        step, many = given.step, None
    elif isinstance(given, ListV) and given.items and not given.unknown and isinstance(
            first := plain(given.items[0]), Tensor):
        step, many = first.step, len(given.items)
    else:
        return None
    if step is None or step.maker != OWNED or not step.arguments:
        return None
    module = step.arguments[0][0]
    weights = weights_of(module)
    return module if many is None or (isinstance(weights, tuple) and len(weights) == many) else None


NUMBERS = ("lr", "weight_decay", "momentum", "eps")
"""What each optimizer compares with 0 as it is made."""
AS_NUMBER = "float(...) of it; PyYAML reads 1e-3 as a text, 1.0e-3 as a number"
STEPPED = "torch.stepped"
"""Key of how often each optimizer changed its weights, by id."""
WALKED = "torch.backwards"
"""Key of what backward() went through."""


def stepped(c: Call) -> Any:
    """`optimizer.step()`; a closure may do anything."""
    if c.args or c.kwargs:
        forget_closures(c.machine, c)
    else:
        tell_of_uncleared(c.machine, plain(c.receiver), c.span)
        _tell_of_no_closure(c)
    note_step(c.machine, plain(c.receiver), c.span)
    return Unknown("optimizer.step()")


def _tell_of_no_closure(c: Call) -> None:
    """torch/optim/lbfgs.py: LBFGS.step, which calculates the loss several times."""
    if getattr(plain(c.receiver), "path", "") == "torch.optim.LBFGS" and is_meant(c.machine) and not (
            c.machine.handlers or c.machine.uncalled):
        refuse(c.machine, c.span, Mismatch(
            Problem.MISSING_ARGUMENT, "LBFGS.step misses its argument closure", argument="closure",
            help="a function that clears the gradients, calls backward() and returns the loss: optimizer.step(closure)",
            error="TypeError \"step() missing 1 required positional argument: 'closure'\""), what="LBFGS.step",
            stage="called")


def note_step(m: Machine, optimizer: Any, span: Span) -> None:
    counts: dict[int, int] = m.state.get(STEPPED, {})
    m.state[STEPPED] = {**counts, id(optimizer): counts.get(id(optimizer), 0) + 1}
    if known := m.state.get(WALKED):
        note_updated(m, optimizer, known, span)
        tell_of_unregistered(m, optimizer, {id(walked.step.maker) for walked in known.values()})


for _name in OPTIMIZERS:
    FRAMEWORK.on(f"torch.optim.{_name}")(_made(_name))
    FRAMEWORK.on(f"torch.optim.{_name}.step")(stepped)


@FRAMEWORK.on(f"{PLATEAU}.step")
def step(c: Call) -> None:
    """torch/optim/lr_scheduler.py: ReduceLROnPlateau.step"""
    if not c.args and "metrics" not in c.kwargs and STAR not in c.kwargs and not c.machine.trying \
            and not isinstance(plain(c.receiver), InstanceV):
        refuse(c.machine, c.span, Mismatch(
            Problem.MISSING_ARGUMENT, "ReduceLROnPlateau.step misses its argument metrics", argument="metrics",
            help="the loss that it watches: scheduler.step(loss)"), what="ReduceLROnPlateau.step", stage="called")

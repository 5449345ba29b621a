"""state_dict() of a module or an optimizer that comes to load_state_dict() of another one, by way of a file too."""

from __future__ import annotations

import ast
from typing import Any, ClassVar

from cudnnlint.facts.torch_arguments import OPTIMIZERS
from cudnnlint.frameworks.keras.weights_moved import difference, shapes_of
from cudnnlint.frameworks.torch.backbones import Backbone
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.wrapped_modules import COMPILED, PARALLEL, wrapper_of
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_certain, is_meant, of_line, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, Where
from cudnnlint.values.tensor import Shape

SAVED = "torch.saved"
"""Key of what torch.save() wrote: pairs of a path and what is known of its content."""


HOOKED = ("load_state_dict_pre_hook", "load_state_dict_post_hook", "_load_from_state_dict", "state_dict_hook")
"""What a program says that changes states on their way."""


@record(frozen=True, slots=True)
class StateDictV:
    """What state_dict() gave: what the program does with its keys is not followed.

    module  what it is the state of: a module, or the optimizer
    shapes  of its parameters at the time, None where they are not all known; of a model of torchvision those of its
            last part
    prefix  the class around the module whose keys begin with `module.`, or ""
    """

    module: Any
    shapes: tuple[Shape, ...] | None
    span: Span
    prefix: str = ""
    always_true: ClassVar[bool] = True

    lacks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("eval", "train", "parameters", "to", "cuda", "forward", "state_dict", "load_state_dict", "modules",
         "zero_grad"), "make the module, and load_state_dict(...) of this")
    name: ClassVar[str] = "state of a module"
    class_name: ClassVar[str] = "collections.OrderedDict"

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown("names of parts of a module")

    def iterated(self, m: Machine) -> Any:
        return Unknown("names of parts of a module")

    def length(self, m: Machine) -> Any:
        return Unknown("how many tensors a module has")

    def item(self, m: Machine, key: Any, node: ast.AST) -> Any:
        return Unknown("a tensor of a module")


@record(frozen=True, slots=True)
class WholeV:
    """A module that was saved itself, by pickle (torch/serialization.py: load, weights_only=True since 2.6)."""

    name: str


@record(frozen=True, slots=True)
class OptimizerStateV:
    """What state_dict() of an optimizer gave, that was made of so many parameters, in one group."""

    parameters: int
    span: Span
    always_true: ClassVar[bool] = True

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown("state of an optimizer")

    def iterated(self, m: Machine) -> Any:
        return Unknown("state of an optimizer")

    def length(self, m: Machine) -> Any:
        return 2

    def item(self, m: Machine, key: Any, node: ast.AST) -> Any:
        return Unknown("state of an optimizer")


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
    _tell_of_order(c)
    _keep(c.machine, c.get(1, "f"), _content(c.get(0, "obj")))


def _tell_of_order(c: Call) -> None:
    """`torch.save("net.pt", net.state_dict())`"""
    first, second = plain(c.get(0, "obj")), plain(c.get(1, "f"))
    if isinstance(first, str) and len(c.args) > 1 and is_meant(c.machine) and not c.machine.handlers and (
            isinstance(second, StateDictV | DictV | Tensor) or _content(second) is not None):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"torch.save is given the name {first!r} first, and what to save as the file",
            help="the object comes first: torch.save(model.state_dict(), path)",
            error="AttributeError \"expected 'f' to be string, path, or a file-like object with a 'write' attribute\""),
            what="torch.save", stage="called")


def _content(value: Any) -> Any:
    """States alone, and in a dict under their names: whatever else is there may have changed before it is read."""
    held = plain(value)
    if isinstance(held, StateDictV | OptimizerStateV):
        return held
    if isinstance(held, InstanceV) and held.cls.external_base() == "torch.nn.Module":
        return WholeV(held.cls.name)
    if isinstance(held, LayerV | ModelV) and held.path.startswith("torch.nn."):
        return WholeV(held.path.rpartition(".")[2])
    if not isinstance(held, DictV) or held.is_set or held.open:
        return None
    return DictV({key: one if isinstance(one := plain(item), StateDictV | OptimizerStateV)
                  else Unknown("what else was saved") for key, item in held.items.items()})


def _keep(m: Machine, path: Any, content: Any) -> None:
    """A file that is written on some paths only, or under a name that is not known, may be any of them."""
    file = plain(path)
    kept = [] if m.uncertain or isinstance(file, Unknown) else [
        one for one in m.state.get(SAVED, ()) if one[0] is not file and one[0] != file]
    m.state[SAVED] = [*kept, (file, content)] if content is not None and not m.uncertain else kept


@FRAMEWORK.on("torch.load")
def load(c: Call) -> Any:
    """What the same program wrote there."""
    file, m = plain(c.get(0, "f")), c.machine
    whole = next((content for path, content in m.state.get(SAVED, ()) if isinstance(content, WholeV) and (
        path is file or (isinstance(file, str) and path == file))), None)
    if whole is not None:
        if "weights_only" not in c.kwargs and STAR not in c.kwargs and is_meant(m) and not m.handlers \
                and not m.frame.module.source.says("safe_globals"):
            refuse(m, c.span, Mismatch(
                Problem.INVALID_ARGUMENT, f"torch.load() of a whole {whole.name}, which torch.save() wrote, not of its "
                "state", argument="weights_only", where=Where(torch=">=2.6"),
                help="save model.state_dict(), or weights_only=False for a file of your own",
                error='UnpicklingError "Weights only load failed"'), what="torch.load")
        return Unknown("a module that was saved")
    return next((content for path, content in c.machine.state.get(SAVED, ())
                 if path is file or (isinstance(file, str) and path == file)), Unknown("what is in a file"))


@FRAMEWORK.on("torch.nn.Module.state_dict")
def state_dict(c: Call) -> Any:
    module = plain(c.receiver)
    if not isinstance(module, InstanceV | LayerV | ModelV) or c.args or c.kwargs:
        return Unknown("names of parts of a module")
    return StateDictV(module, _shapes(module), c.span, wrapper_of(c.machine, module, c.node))


def _shapes(module: Any) -> tuple[Shape, ...] | None:
    return shapes_of(module.last) if isinstance(module, Backbone) else shapes_of(module)


@FRAMEWORK.on("torch.nn.Module.load_state_dict")
def load_state_dict(c: Call) -> Any:
    """Keys that one of them lacks may be passed over, shapes that differ never (torch/nn/modules/module.py:
    Module.load_state_dict): of two classes, or with parts that one of them lacks, told of what must be the same."""
    given, module = plain(c.get(0, "state_dict")), plain(c.receiver)
    if isinstance(given, str) and is_meant(c.machine) and not c.machine.uncalled:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"load_state_dict() is given the text {given!r}", help=f"torch.load({given!r})",
            error='TypeError "Expected state_dict to be dict-like, got <class \'str\'>"'), what="load_state_dict")
        return Unknown("a call that fails")
    if isinstance(given, LayerV | ModelV) and is_meant(c.machine) and not c.machine.uncalled:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, "load_state_dict() is given a module, not its state", help="module.state_dict()",
            error='TypeError "Expected state_dict to be dict-like, got <class"'), what="load_state_dict")
        return Unknown("a call that fails")
    if isinstance(given, DictV):
        _tell_of_checkpoint(c, given)
    if isinstance(given, StateDictV) and not (c.machine.trying or c.machine.handlers) and _is_as_it_was(c):
        _tell_of_difference(c, given, module)
    return Unknown("keys that are missing or not expected")


def _tell_of_checkpoint(c: Call, given: DictV) -> None:
    """A dict in which a state is one value among others, in place of that state."""
    inside = next((key for key, one in given.items.items() if isinstance(plain(one), StateDictV)), None)
    if not isinstance(inside, str) or given.open or plain(c.get(1, "strict", True)) is not True or STAR in c.kwargs \
            or not is_certain(c.machine):
        return
    refuse(c.machine, c.span, Mismatch(
        Problem.SET_WEIGHTS, f"load_state_dict() is given a dict of {', '.join(map(repr, [*given.items][:4]))}, not "
        "the state in it", help=f"load_state_dict(checkpoint[{inside!r}])", error=LACKING), what="load_state_dict",
        stage="load_state_dict")


def _tell_of_difference(c: Call, given: StateDictV, module: Any) -> None:
    m, strict = c.machine, plain(c.get(1, "strict", True)) is True and STAR not in c.kwargs
    theirs, own = given.shapes, _shapes(module)
    whose, kept = _whose(c, given), "_orig_mod" if given.prefix == COMPILED else "module"
    if strict and given.prefix and m.notes.get(PARALLEL, {}).get(id(module)) is None:
        refuse(m, c.span, Mismatch(
            Problem.SET_WEIGHTS,
            f"the names of the state{whose} begin with '{kept}.', as those of {'an' if kept != 'module' else 'a'} "
            f"{given.prefix} do",
            help=f"save model.{kept}.state_dict(), or take the prefix away: {{k.removeprefix('{kept}.'): v for k, v in "
                 "state.items()}", error=LACKING), what="load_state_dict", stage="load_state_dict")
    elif theirs and own and (told := difference(theirs, own)) and isinstance(module, Backbone) == isinstance(
            given.module, Backbone) and (strict or (_alike(given.module, module) and len(theirs) == len(own))):
        fits = _alike(given.module, module) and len(theirs) == len(own)
        refuse(m, c.span, Mismatch(
            Problem.SET_WEIGHTS, f"the weights{whose} do not fit: {told}",
            help="leave out what differs: {k: v for k, v in state.items() if v.shape == own[k].shape}, with "
                 "strict=False", error=f'{LOADING} ... size mismatch for"' if fits else LACKING + f' or {LOADING} ... '
                 'size mismatch for"'), what="load_state_dict", stage="load_state_dict")


def _whose(c: Call, given: StateDictV | OptimizerStateV) -> str:
    return of_line(c.span, given.span) if given.span.line != c.span.line else ""


LOADING = 'RuntimeError "Error(s) in loading state_dict'
LACKING = f'{LOADING} ... Missing key(s) in state_dict" or {LOADING} ... Unexpected key(s) in state_dict"'


def _alike(one: Any, other: Any) -> bool:
    """Whether their parameters have the same names, as far as there are as many."""
    if isinstance(one, Backbone) and isinstance(other, Backbone):
        return one.name == other.name and one.head == other.head
    return isinstance(one, InstanceV) and isinstance(other, InstanceV) and one.cls is other.cls


def _is_as_it_was(c: Call) -> bool:
    """Whether the state is handed over straight, or by a name that stands for nothing else and is used for nothing
    else: a program may leave out of it what does not fit."""
    written = getattr(c.node, "args", None)
    node = written[0] if written else None
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        node = node.value
    source = c.machine.frame.module.source
    if source is None or any(map(source.says, HOOKED)):
        return False
    if isinstance(node, ast.Call):
        return True
    if not isinstance(node, ast.Name):
        return False
    uses = [one for one in walk(source.tree()) if isinstance(one, ast.Name) and one.id == node.id]
    read = {id(one.value) for one in walk(source.tree()) if isinstance(one, ast.Subscript)
            and isinstance(one.ctx, ast.Load) and isinstance(one.slice, ast.Constant)}
    return sum(isinstance(one.ctx, ast.Store) for one in uses) == 1 and all(
        isinstance(one.ctx, ast.Store) or one is node or id(one) in read for one in uses)


def _parameters(optimizer: Any) -> int | None:
    """How many tensors an optimizer was given, in one group."""
    held = plain(optimizer)
    given = plain(held.kwargs.get("params", held.args[0] if held.args else None)) if isinstance(held, ObjectV) else None
    if not isinstance(given, ListV) or given.unknown or not given.items:
        return None
    return len(given.items) if all(isinstance(plain(one), Tensor) for one in given.items) else None


def optimizer_state(c: Call) -> Any:
    return OptimizerStateV(many, c.span) if (many := _parameters(c.receiver)) else Unknown("state of an optimizer")


def load_optimizer_state(c: Call) -> Any:
    """torch/optim/optimizer.py: Optimizer.load_state_dict"""
    given, own = plain(c.get(0, "state_dict")), _parameters(c.receiver)
    if isinstance(given, OptimizerStateV) and own and own != given.parameters and is_meant(c.machine) \
            and not (c.machine.handlers or c.machine.uncalled) and _is_as_it_was(c):
        refuse(c.machine, c.span, Mismatch(
            Problem.SET_WEIGHTS, f"the state{_whose(c, given)} is of {given.parameters} parameters, the optimizer has "
            f"{own}", help="the optimizer of a model with the same parameters, or a new one without its state",
            error='ValueError "loaded state dict contains a parameter group that doesn\'t match the size of '
                  'optimizer\'s group"'), what="load_state_dict", stage="load_state_dict")
    return None


for _name in OPTIMIZERS:
    FRAMEWORK.on(f"torch.optim.{_name}.state_dict")(optimizer_state)
    FRAMEWORK.on(f"torch.optim.{_name}.load_state_dict")(load_optimizer_state)

"""Methods of every nn.Module: train(), eval(), to(), parameters(), apply() and their kin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.frameworks.torch.containers import Chain
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.methods import may_be_dtype
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.forget import forget_closures
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import PARAMETER, children, registered, weights_of
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.frozen import OWNED, Parameters
from cudnnlint.interp.torch.leaves import HELD
from cudnnlint.interp.torch.named import tell_of_given, tell_of_named
from cudnnlint.interp.torch.places import BUFFERS, CPU, buffers_of, device_of, put
from cudnnlint.ops.torch._core import NAMES
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown, is_floating
from cudnnlint.values.origins import GPU

MOST = 4096
"""Modules of a model that are gone through."""


def within(value: Any) -> Iterator[Any]:
    """A module and all below it."""
    todo, seen = [plain(value)], set[int]()
    while todo and len(seen) < MOST:
        held = plain(todo.pop())
        if id(held) in seen or not isinstance(held, (LayerV, ModelV, InstanceV)):
            continue
        seen.add(id(held))
        yield held
        if isinstance(held, InstanceV) and isinstance(held.extra, LayerV) and held.extra.model is not None:
            todo.append(held.extra.model)
        parts = children(held)
        todo += [] if isinstance(parts, Unknown) else parts
        if isinstance(held, InstanceV):
            if isinstance(parts, Unknown):  # there are others beside those that are known
                todo += [part for value in held.items.values() for part in registered(value)]
            todo += [part for part in map(plain, held.items.values()) if _may_be_module(part)]


def _may_be_module(value: Any) -> bool:
    """Whether it is of a class of the program's that derives from another library's, which may be one of modules:
    torchvision.models.ResNet."""
    base = value.cls.external_base() if isinstance(value, InstanceV) else None
    return base is not None and not base.startswith(("torch.", "keras.", "builtins."))


def set_mode(m: Machine, value: Any, mode: Any) -> None:
    for held in within(value):
        if isinstance(held, InstanceV):
            m.set_item(held, "training", mode)
        elif isinstance(held, (LayerV, Chain)):
            m.heap.touch(held)
            held.mode = mode


@FRAMEWORK.on("torch.nn.Module.train")
def train(c: Call) -> Any:
    if c.receiver is None and c.args:  # nn.Module.train(self, mode), as a train() of the class's own calls it
        c = replace(c, receiver=c.args[0], args=list(c.args[1:]))
    mode = plain(c.get(0, "mode", True))
    switched = mode if isinstance(mode, bool) else Unknown("training or not")
    set_mode(c.machine, c.receiver, switched)
    for part in list(within(c.receiver)):
        if part is not plain(c.receiver) and (own := _train_of(part)) is not MISSING:
            c.machine.call(own, [switched], {}, c.node)
    return c.receiver


def _train_of(module: Any) -> Any:
    """The train() that a user's class has instead of that of nn.Module, or MISSING."""
    return method_of(module, "train") if isinstance(module, InstanceV) else MISSING


@FRAMEWORK.on("torch.nn.Module.eval")
def eval_(c: Call) -> Any:
    """self.train(False), which a class may have changed (torch/nn/modules/module.py: Module.eval)."""
    if (own := _train_of(plain(c.receiver))) is not MISSING:
        return c.machine.call(own, [False], {}, c.node)
    return train(replace(c, args=[False], kwargs={}))


@FRAMEWORK.on("torch.nn.Module.cuda", "torch.nn.Module.cpu")
def placed(c: Call) -> Any:
    name = c.path
    put(c.machine, list(within(c.receiver)), GPU if name.endswith("cuda") else CPU if name.endswith("cpu") else None,
        c.span)
    return c.receiver


@FRAMEWORK.on("torch.nn.Module.share_memory", "torch.nn.Module.ipu", "torch.nn.Module.xpu", "torch.nn.Module.to_empty")
def itself(c: Call) -> Any:
    put(c.machine, list(within(c.receiver)), None)
    return c.receiver


CAST = "torch.cast"
"""Key of whether the weights of a module were cast."""


def recast(m: Machine, value: Any, dtype: Any) -> None:
    """The weights are of another dtype from here on. One that is Unknown, as where another path may leave them as they
    are, is not followed any further, not on that other path either: their shapes are the same on both."""
    parts = list(within(value))
    held_in_lists = any(isinstance(item, Tensor) for part in parts if isinstance(part, InstanceV)
                        for table in part.items.values() if isinstance(table, ListV) for item in table.items)
    if m.uncertain or held_in_lists:
        dtype = Unknown("the module may be cast")
    m.state[CAST] = True
    for held in parts:
        layer = held.extra if isinstance(held, InstanceV) else held
        if isinstance(layer, LayerV) and hasattr(layer.op, "dtype"):
            if not isinstance(dtype, Unknown):
                m.heap.touch(layer)
            layer.become(replace(layer.op, dtype=dtype))
        if isinstance(held, InstanceV):
            _recast_own(m, held, dtype)


def _recast_own(m: Machine, module: InstanceV, dtype: Any) -> None:
    """Its parameters and buffers become of that dtype; other tensors that it holds may be buffers and do, too."""
    buffers = buffers_of(module.extra) if isinstance(module.extra, LayerV) else ()
    for name, value in list(module.items.items()):
        tensor = plain(value)
        if isinstance(tensor, Tensor) and is_floating(tensor.dtype) is not False:
            own = name in buffers or (tensor.step is not None and tensor.step.maker == PARAMETER)
            m.set_item(module, name, tensor.with_(dtype=dtype if own else Unknown("a buffer that may be cast")))


CASTS = {"half": "float16", "double": "float64", "bfloat16": "bfloat16", "float": "float32"}


@FRAMEWORK.on("torch.nn.Module.type", *(f"torch.nn.Module.{name}" for name in CASTS))
def cast(c: Call) -> Any:
    name = c.path.rpartition(".")[2]
    recast(c.machine, c.receiver, CASTS.get(name, Unknown("the module was cast")))
    return c.receiver


@FRAMEWORK.on("deepspeed.initialize", "deepspeed.init_inference", "apex.amp.initialize",
              "intel_extension_for_pytorch.optimize")
def handed_over(c: Call) -> Any:
    """Who takes a module to train it in another precision casts its weights."""
    for value in (*c.args, *c.kwargs.values()):
        recast(c.machine, value, Unknown("the module was handed over"))
    forget_closures(c.machine, c)
    return Unknown(f"{plain(c.callee).path}()")


@FRAMEWORK.on("torch.nn.Module.to")
def to(c: Call) -> Any:
    """To a device; with a dtype the weights change theirs, with a memory format their order."""
    values = [plain(value) for value in (*c.args, *c.kwargs.values())]
    for at, arg in enumerate(c.args):
        tell_of_given(c.machine, at, arg, c.node)
    tell_of_named(c.machine, c.kwargs, c.node)
    if (dtype := _only_dtype(c)) is not None:
        recast(c.machine, c.receiver, dtype)
    elif c.kwargs.keys() & {"dtype", "memory_format"} \
            or any(value in NAMES for value in values if isinstance(value, str)) \
            or any(isinstance(value, Tensor) for value in values) \
            or any(may_be_dtype(c, place, plain(arg)) for place, arg in enumerate(c.args)):
        recast(c.machine, c.receiver, Unknown("the module was cast"))
    where = next((place for value in values if (place := device_of(value)) is not None), None)
    put(c.machine, list(within(c.receiver)), where, c.span)
    return c.receiver


def _only_dtype(c: Call) -> str | None:
    """The dtype that to() is given, alone or beside a device."""
    named = plain(c.kwargs.get("dtype"))
    given = [named] if named is not None else [value for arg in c.args if isinstance(value := plain(arg), str)
                                               and value in NAMES]
    one = given[0] if len(given) == 1 and c.kwargs.keys() <= {"dtype", "device"} else None
    return one if isinstance(one, str) and is_floating(one) is True and not any(
        isinstance(plain(arg), Tensor) for arg in c.args) else None


@FRAMEWORK.on("torch.nn.Module.zero_grad", "torch.nn.Module.extra_repr")
def nothing(c: Call) -> Any:
    forget_closures(c.machine, c)
    return Unknown("what it gives")


@FRAMEWORK.on("torch.nn.Module.apply")
def apply(c: Call) -> Any:
    """A function over all modules: it sets their weights, not their shapes."""
    forget_closures(c.machine, c)
    return c.receiver


@FRAMEWORK.on("torch.nn.Module.__setattr__")
def set_named(c: Call) -> Any:
    return c.machine.call(BUILTINS["setattr"], [c.receiver, *c.args], {}, c.node)


@FRAMEWORK.on("torch.nn.Module.__getattr__")
def get_named(c: Call) -> Any:
    return c.machine.call(BUILTINS["getattr"], [c.receiver, *c.args[:1]], {}, c.node)


def _tell_of_taken(c: Call, receiver: Any, name: Any) -> None:
    """torch/nn/modules/module.py: Module.register_buffer, register_parameter"""
    if not isinstance(receiver, InstanceV) or receiver.unknown or not is_certain(c.machine):
        return
    held, kind = plain(receiver.items.get(name, MISSING)), c.path.rpartition(".")[2]
    before = buffers_of(receiver.extra) if isinstance(receiver.extra, LayerV) else ()
    if (held is None or isinstance(held, int | float | str)) and name not in before and kind == "register_buffer":
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"register_buffer() of {name}, which is an attribute already", argument="name",
            help=f"leave out self.{name} = {held}", error=f"KeyError \"attribute '{name}' already exists\""),
            what="register_buffer", stage="called")


@FRAMEWORK.on("torch.nn.Module.register_buffer", "torch.nn.Module.register_parameter")
def register(c: Call) -> Any:
    name, value = plain(c.get(0, "name")), c.get(1, "tensor", c.kwargs.get("param", Unknown("a buffer")))
    receiver = plain(c.receiver)
    _tell_of_taken(c, receiver, name)
    if isinstance(receiver, InstanceV) and isinstance(receiver.extra, LayerV):
        receiver.extra.extra[BUFFERS] = {*buffers_of(receiver.extra), name if isinstance(name, str) else None}
    if isinstance(receiver, InstanceV) and isinstance(name, str):
        c.machine.set_item(receiver, name, value)
    return None


@FRAMEWORK.on("torch.nn.Module.parameters")
def parameters(c: Call) -> Any:
    """The parameters as tensors; where they are not all known, what each is like."""
    found = weights_of(c.receiver)
    cast_ = _dtype_of(c.receiver) if CAST in c.machine.state or _made_in(c.receiver) - {"float32"} else None
    step = Step(c.span, (), OWNED, ((plain(c.receiver),), {}))
    if isinstance(found, Unknown):
        return Parameters(found.why, step=step)
    return ListV([Tensor(weight.shape, cast_ or weight.dtype or "float32", "torch", None, step) for weight in found])


def _made_in(value: Any, unsaid: str | None = "float32") -> set[Any]:
    """The dtypes of the parts of a module that have weights; `unsaid` for those whose op does not keep it."""
    return {getattr(held.op, "dtype", unsaid) for part in within(value)
            if isinstance(held := part.extra if isinstance(part, InstanceV) else part, LayerV)
            and held.weights != () and held.op is not None}


def _dtype_of(value: Any) -> Any:
    """The dtype of all weights of a module, some of which are not of the default one."""
    found = _made_in(value, None)
    found |= {item.dtype for part in within(value) if isinstance(part, InstanceV) for each in part.items.values()
              if isinstance(item := plain(each), Tensor) and item.step is not None and item.step.maker == PARAMETER}
    one = next(iter(found)) if len(found) == 1 else None
    return one if isinstance(one, str) else Unknown("weights that may be cast")


@FRAMEWORK.on("torch.nn.Module.named_parameters", "torch.nn.Module.named_modules", "torch.nn.Module.named_buffers",
              "torch.nn.Module.buffers", "torch.nn.Module.named_children", "torch.nn.Module.get_submodule")
def not_followed(c: Call) -> Any:
    return Unknown("names of parts of a module")


@FRAMEWORK.on("torch.nn.Module.children")
def children_of(c: Call) -> Any:
    found = children(c.receiver)
    return found if isinstance(found, Unknown) else ListV(found)


@FRAMEWORK.on("torch.nn.Module.modules")
def modules(c: Call) -> Any:
    return ListV(list(within(c.receiver)))


def _parameter(name: str) -> Any:
    def attribute(m: Machine, value: Any) -> Any:
        layer = value.extra if isinstance(value, InstanceV) else value
        weights = getattr(layer, "weights", None)
        if weights is None and isinstance(layer, LayerV) and layer.op is not None:
            weights = layer.op.variables()  # there from the start, before it is called
        if not isinstance(weights, tuple):
            return Unknown(name)
        found = next((weight for weight in weights if weight.name == name), None)
        if found is None:
            return None if any(weight.name == "weight" for weight in weights) else Unknown(name)
        dtype = getattr(layer.op, "dtype", Unknown("weights that may be cast, or made in another dtype"))
        return Tensor(found.shape, dtype or "float32", "torch", None, Step(layer.span, (), HELD, ((layer,), {})))

    return attribute


for _name in ("weight", "bias"):
    FRAMEWORK.attribute(f"torch.nn.Module.{_name}")(_parameter(_name))


@FRAMEWORK.attribute("torch.nn.Module.training")
def training(m: Machine, value: Any) -> Any:
    return getattr(value, "mode", Unknown("training or not"))

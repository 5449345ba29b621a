"""nn.Sequential, nn.ModuleList and nn.ModuleDict."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cudnnlint.events import LayerApplied, LayerInfo, ModelMade
from cudnnlint.frameworks.torch.grad import untracked
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.convert import as_given, strip, wrap
from cudnnlint.interp.functions import PLACED
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.application import CHAINED, apply_layer
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import registered, told_params
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.forwards import ONE, misgiven
from cudnnlint.interp.torch.places import tell_of_input, watches
from cudnnlint.interp.torch.tuples_given import tell_of_array, tell_of_tuple
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.packed import Packed
from cudnnlint.values.tensor import tensors


class ModuleListV(ListV):
    """nn.ModuleList: a list whose modules are those of its owner."""

    __slots__ = ()
    registers = True

    def sliced(self, items: Sequence[Any]) -> ModuleListV:
        """torch/nn/modules/container.py: ModuleList.__getitem__"""
        return ModuleListV(items)


class ModuleDictV(DictV):
    """nn.ModuleDict."""

    __slots__ = ()
    registers = True


class Chain(ModelV):
    """nn.Sequential: `keys` are the names of its modules, "0", "1" ... or those of an OrderedDict."""

    def __init__(self, m: Machine, span: Span) -> None:
        super().__init__("sequential", "torch.nn.Sequential", m.unique_name("sequential"), span)
        self.keys: list[str] = []
        self.mode: Any = True
        self.part = False
        """The library part of a module of the user's, which tells of itself."""

    def snapshot(self) -> Any:
        return super().snapshot(), tuple(self.keys), self.mode

    def restore(self, state: Any) -> None:
        super().restore(state[0])
        self.keys, self.mode = list(state[1]), state[2]

    def merge(self, states: Any) -> None:
        super().merge([state[0] for state in states])
        same = all(state[1] == states[0][1] for state in states)
        self.keys = list(states[0][1]) if same else []
        self.mode = states[0][2] if all(state[2] == states[0][2] for state in states) else Unknown("training or not")

    def copied(self, copy: Callable[[Any], Any]) -> Chain:
        made = super().copied(copy)
        assert isinstance(made, Chain)
        made.keys = list(self.keys)
        return made

    @property
    def display(self) -> str:
        return "Sequential"

    def info(self) -> LayerInfo:
        return LayerInfo(path=self.path, name=self.display, span=self.span)

    def add(self, m: Machine, key: str, module: Any) -> None:
        m.heap.touch(self)
        held = plain(module)
        if key in self.keys:
            self.layers.items[self.keys.index(key)] = held
            return
        self.keys.append(key)
        self.layers.items.append(held)

    def attribute(self, m: Machine, name: str) -> Any:
        if name in self.keys and not self.layers.unknown:
            return self.layers.items[self.keys.index(name)]
        if name == "training":
            return self.mode
        return self.extra.get(name, MISSING)

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        if isinstance(plain(value), (LayerV, ModelV, InstanceV)):
            self.add(m, name, value)
        else:
            self.extra[name] = value

    def iterated(self, m: Machine) -> Sequence[Any] | Unknown:
        return self.layers.unknown or list(self.layers.items)

    def length(self, m: Machine) -> Any:
        return self.layers.unknown or len(self.layers.items)

    def item(self, m: Machine, key: Any, node: ast.AST) -> Any:
        index = strip(key)
        if self.layers.unknown:
            return self.layers.unknown
        if isinstance(index, slice):
            bounds = [plain(part) for part in (index.start, index.stop, index.step)]
            if not all(part is None or isinstance(part, int) for part in bounds) or bounds[2] == 0:
                return Unknown("an unknown slice")
            part = Chain(m, m.span(node))
            for place, module in enumerate(self.layers.items[slice(*bounds)]):
                part.add(m, str(place), module)
            return part
        self.check_key(m, key, m.span(node))
        if not isinstance(index, int) or not -len(self.layers.items) <= index < len(self.layers.items):
            return Unknown("an unknown index")
        return self.layers.items[index]

    def check_key(self, m: Machine, key: Any, span: Span) -> None:
        """torch/nn/modules/container.py: Sequential._get_item_by_idx"""
        index, size = strip(key), len(self.layers.items)
        if isinstance(index, int) and size and not self.layers.unknown and not -size <= index < size and is_certain(m):
            refuse(m, span, Mismatch(
                Problem.INDEX, f"index {index} of a Sequential of {size} module{'' if size == 1 else 's'}",
                error=f'IndexError "index {index} is out of range"', facts=(("size", size), ("index", index))),
                what="index", stage="call")

    def set_item(self, m: Machine, key: Any, value: Any) -> None:
        index = strip(key)
        m.heap.touch(self)
        if isinstance(index, int) and -len(self.layers.items) <= index < len(self.layers.items):
            self.layers.items[index] = plain(value)
        elif not isinstance(index, int):
            self.layers.unknown = Unknown("an unknown module was set")

    def apply(self, m: Machine, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
        """One module after the other, each told of where it was made."""
        given = args[0] if args else kwargs.get("input", Unknown("no input"))
        if not self.part and (why := misgiven(m, self.display, ONE, args, kwargs, span)):
            return why
        if self.layers.unknown:
            return self.layers.unknown
        inputs = strip(given)
        about = tensors(inputs)
        if PLACED in m.state and watches(m) and tell_of_input(m, self, about, span):
            return Unknown("tensors on two devices")
        self.ran = self.ran or bool(about)
        number, outer = m.begin(), m.state.get(CHAINED)
        m.state[CHAINED] = outer or span
        try:
            value = given
            for module in self.layers.items:
                value = apply_at(m, module, value, span)
        finally:
            m.applying.pop()
            m.state[CHAINED] = outer
        result = told(strip(value), Step(span, about, self, as_given(args, kwargs)))
        result = untracked(m, result, span)
        if about and not self.part:
            m.say(LayerApplied, span, about=about, layer=self.info(), inputs=inputs, output=result, eager=True,
                  training=self.mode, params=told_params(m, self), maker=self, number=number,
                  within=tuple(m.applying))
        return wrap(result)


def told(value: Any, step: Step, index: tuple[Any, ...] = ()) -> Any:
    if isinstance(value, Tensor):
        made = Step(step.span, step.parents, step.maker, step.arguments, index, body=value)
        return Tensor(value.shape, value.dtype, value.kind, value.content, made, value.assumptions)
    if isinstance(value, (list, tuple)):
        return type(value)(told(item, step, (*index, i)) for i, item in enumerate(value))
    return value


def apply_at(m: Machine, module: Any, value: Any, span: Span) -> Any:
    """A module of a container applied: what it refuses stands where it was made."""
    held = plain(module)
    if isinstance(held, LayerV):
        given = plain(value)
        if type(given) in (tuple, Packed) and tell_of_tuple(m, held, given, held.span):
            return Unknown("a module that is given a tuple")
        if type(given) is Tensor and given.kind == "numpy":
            tell_of_array(m, held, given, held.span)
        return apply_layer(m, held, [value], {}, held.span)
    if isinstance(held, Chain):
        return held.apply(m, [value], {}, held.span)
    if isinstance(held, InstanceV):
        from cudnnlint.frameworks.torch.modules import apply_module

        if (why := misgiven(m, held.cls.name, taken(held), [value], {}, held.span or span)) is not None:
            return why
        return apply_module(m, held, [value], {}, ast.Constant(value=None), held.span or span)
    if isinstance(held, Unknown):
        return held
    return m.call(held, [value], {}, ast.Constant(value=None))


def taken(module: InstanceV) -> tuple[str, ...]:
    """What forward() of a user's module takes, with an = where there is a default, or ONE where that is left open."""
    method = module.cls.lookup("forward")
    if not isinstance(method, FunctionV) or method.kind != "function" or "forward" in module.items \
            or not isinstance(method.node, ast.FunctionDef) or method.node.decorator_list:
        return ONE
    given = method.node.args
    names = [each.arg for each in (*given.posonlyargs, *given.args)][1:]
    required = len(names) - len(given.defaults)
    if given.vararg is not None or required < 1:
        return ONE
    return tuple(name if place < required else f"{name}=" for place, name in enumerate(names))


def chain_of(m: Machine, c: Call, span: Span) -> Chain:
    """The modules of nn.Sequential(...): one by one, or an OrderedDict of them."""
    chain = Chain(m, span)
    first = plain(c.args[0]) if len(c.args) == 1 else None
    if "*" in c.kwargs or "**" in c.kwargs:
        chain.layers.unknown = Unknown("modules that are not known")
    elif isinstance(first, ListV | tuple):
        kind = "list" if isinstance(first, ListV) else "tuple"
        chain.layers.unknown = Unknown(f"a {kind} that is no module")
        if not m.trying:
            refuse(m, c.span, Mismatch(
                Problem.UNEXPECTED, f"a {kind} is given to nn.Sequential, which takes the modules one by one",
                help="nn.Sequential(*modules)", error=f'TypeError "{kind} is not a Module subclass"',
                facts=(("moment", "when it is made"),)), what="Sequential")
    elif isinstance(first, DictV):
        chain.layers.unknown = first.unknown
        for key, module in first.items.items():
            chain.add(m, str(key), module)
    else:
        for place, module in enumerate(c.args):
            _tell_of_other(m, module, c, "Sequential")
            chain.add(m, str(place), module)
    return chain


def _tell_of_other(m: Machine, given: Any, c: Call, container: str) -> None:
    """`nn.Sequential(nn.Linear(8, 4), nn.ReLU)`, `..., F.relu)` (torch/nn/modules/module.py: Module.add_module)."""
    held = plain(given)
    if (name := _class_name(held)) and is_meant(m):
        told, help_, said = f"the class {name}, not a module of it", f"{name}(...)", name
    elif (name := _function_name(held)) and is_meant(m):
        module = next((path for path in LAYERS if path.lower() == f"torch.nn.{name.rpartition('.')[2]}"), "")
        told, help_, said = f"the function {name}, which is no module", f"{module}()".replace("torch.", "") \
            if module else "a class with a forward() that calls it", name
    else:
        return
    refuse(m, c.span, Mismatch(
        Problem.UNEXPECTED, f"nn.{container} is given {told}", help=help_,
        error=f'TypeError "{said} is not a Module subclass"', facts=(("moment", "when it is made"),)), what=container)


def _class_name(held: Any) -> str:
    return held.path.rpartition(".")[2] if isinstance(held, External) and held.path in LAYERS else \
        held.name if isinstance(held, ClassV) and held.external_base() == "torch.nn.Module" else ""


def _function_name(held: Any) -> str:
    if isinstance(held, External):
        return held.path if held.path in FUNCTIONS and held.path.startswith("torch.") else ""
    return held.name if isinstance(held, FunctionV) else ""


@FRAMEWORK.on("torch.nn.Sequential")
def sequential(c: Call) -> Any:
    chain = chain_of(c.machine, c, c.span)
    c.machine.created += 1
    c.machine.say(ModelMade, c.span, model=chain)
    return chain


@FRAMEWORK.on("torch.nn.ModuleList")
def module_list(c: Call) -> Any:
    """torch/nn/modules/container.py: ModuleList.extend"""
    only = plain(c.args[0]) if c.args else None
    if isinstance(only, LayerV) and only.user is None and is_meant(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"{only.display} is given to nn.ModuleList, not a list of modules",
            help="nn.ModuleList([...])", error='TypeError "ModuleList.extend should be called with an iterable, but '
            f'got {only.display}"', facts=(("moment", "when it is made"),)), what="ModuleList")
        return ModuleListV((), Unknown("a list that is none"))
    found = elements(c.machine, c.args[0]) if c.args else ()
    for module in () if isinstance(found, Unknown) else found:
        _tell_of_other(c.machine, module, c, "ModuleList")
    return ModuleListV((), found) if isinstance(found, Unknown) else ModuleListV(found)


@FRAMEWORK.on("torch.nn.ModuleDict")
def module_dict(c: Call) -> Any:
    given = plain(c.args[0]) if c.args else DictV()
    if isinstance(given, DictV):
        return ModuleDictV(dict(given.items), given.unknown)
    found = elements(c.machine, given)
    first = None if isinstance(found, Unknown) or not found else plain(found[0])
    if isinstance(first, LayerV | Chain) and is_meant(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, "nn.ModuleDict is given a list of modules, not a dict of them",
            help="nn.ModuleDict({name: module}), or an nn.ModuleList", error="TypeError \"ModuleDict update sequence "
            f'element #0 should be Iterable; is{first.display}"', facts=(("moment", "when it is made"),)),
            what="ModuleDict")
    pairs = dict(_pairs(found)) if not isinstance(found, Unknown) else {}
    return ModuleDictV(pairs, found if isinstance(found, Unknown) else None)


def _own_modules(c: Call) -> dict[str, Any] | Unknown:
    """Those of a user's class that derives from nn.ModuleDict, in the order in which they were added."""
    instance = plain(c.receiver)
    if not isinstance(instance, InstanceV) or instance.unknown:
        return Unknown("modules of a ModuleDict")
    found = {name: value for name, value in instance.items.items() if registered(value)}
    return found if all(len(registered(value)) == 1 for value in found.values()) else Unknown("lists of modules")


@FRAMEWORK.on("torch.nn.ModuleDict.items", "torch.nn.ModuleDict.values", "torch.nn.ModuleDict.keys")
def own_modules(c: Call) -> Any:
    """torch/nn/modules/container.py: ModuleDict.items"""
    found = _own_modules(c)
    if isinstance(found, Unknown):
        return found
    name = c.path.rpartition(".")[2]
    return ListV(list(found.items()) if name == "items" else list(found if name == "keys" else found.values()))


@FRAMEWORK.on("torch.nn.ModuleDict.update", "torch.nn.ModuleDict.pop", "torch.nn.ModuleDict.clear")
def change_modules(c: Call) -> Any:
    """Of a user's class: what is added is known, if it is."""
    receiver, name = plain(c.receiver), c.path.rpartition(".")[2]
    if isinstance(receiver, InstanceV):
        if name == "update" and len(c.args) == 1:
            add_modules(c.machine, receiver, c.args[0])
        else:
            c.machine.heap.touch(receiver)
            receiver.unknown = Unknown("a changed ModuleDict")
    return Unknown("a module that was taken out")


def add_modules(m: Machine, instance: InstanceV, given: Any) -> None:
    """What a user's class that derives from nn.ModuleDict is given: a dict, or pairs."""
    made = plain(given)
    if not isinstance(made, DictV):
        found = elements(m, made)
        made = DictV({}, found) if isinstance(found, Unknown) else DictV(dict(_pairs(found)))
    if made.unknown:
        m.heap.touch(instance)
        instance.unknown = made.unknown
        return
    for name, module in made.items.items():
        m.set_item(instance, name, module)


def _pairs(found: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    for item in found:
        held = plain(item)
        pair = held if isinstance(held, tuple) else held.items if isinstance(held, ListV) else ()
        if len(pair) == 2 and isinstance(plain(pair[0]), str):
            yield plain(pair[0]), pair[1]


def _chain(value: Any) -> Chain | None:
    """The container, also of a user's class that derives from it."""
    held = plain(value)
    if isinstance(held, InstanceV):
        held = getattr(held.extra, "model", None)
    return held if isinstance(held, Chain) else None


@FRAMEWORK.on("torch.nn.Sequential.append")
def append(c: Call) -> Any:
    chain = _chain(c.receiver)
    if chain is not None and c.args:
        chain.add(c.machine, str(len(chain.layers.items)), c.args[0])
    return c.receiver


@FRAMEWORK.on("torch.nn.Sequential.extend", "torch.nn.Sequential.insert", "torch.nn.Sequential.pop")
def change(c: Call) -> Any:
    chain = _chain(c.receiver)
    if chain is not None:
        c.machine.heap.touch(chain)
        found = elements(c.machine, c.args[0]) if len(c.args) == 1 else Unknown("a changed Sequential")
        if isinstance(found, Unknown):
            chain.layers.unknown = Unknown("a changed Sequential")
        else:
            for module in found:
                chain.add(c.machine, str(len(chain.layers.items)), module)
    return c.receiver


@FRAMEWORK.on("torch.nn.Module.add_module", "torch.nn.Module.register_module")
def add_module(c: Call) -> Any:
    """A module under a name: an attribute, and in a Sequential the next one."""
    name, module = plain(c.get(0, "name")), c.get(1, "module")
    receiver = plain(c.receiver)
    if isinstance(receiver, ModuleListV):
        c.machine.heap.touch(receiver)
        receiver.items.append(module)
        return None
    if isinstance(receiver, ModuleDictV):
        c.machine.set_item(receiver, name, module)
        return None
    chain = _chain(receiver)
    if not isinstance(name, str):
        if chain is not None:
            c.machine.heap.touch(chain)
            chain.layers.unknown = Unknown("a module under a name that is not known")
        elif isinstance(receiver, InstanceV):
            c.machine.heap.touch(receiver)
            receiver.unknown = Unknown("a module under a name that is not known")
        return None
    if chain is not None:
        chain.add(c.machine, name, module)
    if isinstance(receiver, InstanceV):
        c.machine.set_item(receiver, name, module)
    return None

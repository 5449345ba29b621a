"""keras.models.clone_model: the same layers anew, with weights of their own."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.building import functional
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.replay import Replay, run_chain
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown

NO_CLONE = Unknown("a cloned model")
COMPILES = (3, 9)
"""From here on clone_model() compiles as the model was (keras/src/models/cloning.py: 3.8.0 does not, 3.9.2 does)."""


class Copying:
    """How layers are copied: as they are configured, or as the program's `clone_function` has it."""

    def __init__(self, m: Machine, span: Span, function: Any = None, node: Any = None) -> None:
        self.m, self.span, self.function, self.node = m, span, function, node
        self.made = set[int]()

    def of(self, layer: Any) -> Any:
        if self.function is None:
            return copy_of(self.m, layer, self.span)
        made = plain(self.m.call(self.function, [layer], {}, self.node))
        if made is not layer:
            self.made.add(id(made))
        return made if isinstance(made, LayerV | InstanceV | ModelV) else None

    def is_new(self, layer: Any) -> bool:
        """Whether the function made it, so that nothing was told of it with the model that is copied."""
        return id(layer) in self.made


class Cloning(Replay):
    """The graph computed for other inputs, by copies of the layers: one copy each, however often it is applied."""

    def __init__(self, m: Machine, given: dict[int, Tensor], span: Span, copying: Copying) -> None:
        super().__init__(m, given, span)
        self.copies: dict[int, Any] = {}
        self.copying = copying

    def _call(self, step: Step) -> Any:
        if isinstance(step.maker, str):
            return super()._call(step)
        if (made := self.copy(step.maker)) is None:
            return NO_CLONE
        anew = Step(step.span, step.parents, made, step.arguments, step.index, step.body)
        return super()._call(anew) if self.copying.is_new(made) else _quietly(self.m, lambda: Replay._call(self, anew))

    def copy(self, layer: Any) -> Any:
        held = plain(layer)
        if id(held) not in self.copies:
            self.kept.append(held)
            self.copies[id(held)] = self.copying.of(held)
        return self.copies[id(held)]


def copy_of(m: Machine, layer: Any, span: Span) -> Any:
    """A layer with the same configuration; None where it is not known how to make one."""
    m.tick()  # a model of models may have more layers than anyone could count
    if isinstance(layer, ModelV):
        made = clone(m, layer, span)
        return None if isinstance(made, Unknown) else made
    return duplicate(layer, {}) if isinstance(layer, LayerV | InstanceV) else None


def duplicate(value: Any, known: dict[int, Any]) -> Any:
    """A layer with all that it holds: layers anew, values as they are."""
    held = plain(value)
    if id(held) in known:
        return known[id(held)]
    if isinstance(held, LayerV):
        known[id(held)] = made = held.copied(lambda item: duplicate(item, known))
        return made
    if isinstance(held, InstanceV) and (held.extra is None or isinstance(held.extra, LayerV)):
        known[id(held)] = other = InstanceV(held.cls, held.span)
        other.unknown, other.assumptions = held.unknown, held.assumptions
        other.items = {key: duplicate(item, known) for key, item in held.items.items()}
        if isinstance(held.extra, LayerV):
            other.extra = duplicate(held.extra, known)
            other.extra.user = other
        return other
    if isinstance(held, ListV):
        known[id(held)] = ListV([duplicate(item, known) for item in held.items], held.unknown)
        return known[id(held)]
    if isinstance(held, DictV):
        known[id(held)] = DictV({key: duplicate(item, known) for key, item in held.items.items()}, held.unknown)
        return known[id(held)]
    return tuple(duplicate(item, known) for item in held) if isinstance(held, tuple) else value


def clone(m: Machine, model: ModelV, span: Span, copying: Copying | None = None, inputs: Any = None) -> Any:
    """keras/src/models/cloning.py: _clone_sequential_model, _clone_functional_model.

    inputs  the tensors that the copy takes, if not such as the model
    """
    copying = copying or Copying(m, span)
    if model.kind == "sequential":
        return _sequential(m, model, copying) if inputs is None else NO_CLONE
    if model.kind != "functional" or isinstance(model.outputs, Unknown) or model.inputs is None:
        return NO_CLONE
    own = tensors(model.inputs)
    taken = [_same_input(m, tensor, span) for tensor in own] if inputs is None else tensors(strip(inputs))
    if len(taken) != len(own):
        return NO_CLONE
    cloning = Cloning(m, {id(tensor): other for tensor, other in zip(own, taken, strict=True)}, span, copying)
    outputs = cloning.run(model.outputs)
    return functional(m, wrap(cloning.run(model.inputs)), wrap(outputs), model.path, model.name, span)


def _same_input(m: Machine, tensor: Tensor, span: Span) -> Tensor:
    maker = tensor.step.maker if tensor.step is not None else None
    made = duplicate(maker, {}) if isinstance(maker, LayerV) else maker
    same = tensor.with_(step=Step(span, (), made))
    if isinstance(made, LayerV) and "tensor" in made.extra:
        made.stand_for(m, same)  # which the .input and .output of the copy are
    return same


def _sequential(m: Machine, model: ModelV, copying: Copying) -> Any:
    span = copying.span
    copies = [copying.of(plain(layer)) for layer in model.layers.items]
    if model.layers.unknown or None in copies:
        return NO_CLONE
    made = ModelV("sequential", model.path, model.name, span)
    made.layers = ListV(copies)
    if isinstance(model.inputs, Tensor) and isinstance(model.outputs, Tensor):
        made.inputs = _same_input(m, model.inputs, span)
        made.outputs = _quietly(m, lambda: strip(run_chain(m, made.layers, made.inputs, span)))
    return made


def _quietly(m: Machine, run: Any) -> Any:
    """What the layers do was told when the model was made."""
    emit, m.emit = m.emit, lambda event: None
    try:
        return run()
    finally:
        m.emit = emit


@FRAMEWORK.on("keras.models.clone_model")
def clone_model(c: Call) -> Any:
    model = plain(c.get(0, "model"))
    if len(c.args) > 3 or set(c.kwargs) - {"model", "input_tensors", "clone_function"} or not isinstance(model, ModelV):
        return NO_CLONE
    function, inputs = plain(c.get(2, "clone_function", None)), c.get(1, "input_tensors", None)
    made = clone(c.machine, model, c.span, Copying(c.machine, c.span, function, c.node), inputs)
    if isinstance(made, ModelV) and model.compiled is not None and c.machine.stack.keras >= COMPILES:
        made.compiled = compiled_anew(model.compiled)
    return made


def compiled_anew(given: dict[str, Any]) -> dict[str, Any]:
    """What a clone or a loaded model is compiled with: the same, written down and read again, so that its
    optimizer is another one. What comes of the program's own functions is not known."""
    loss, optimizer = plain(given.get("loss")), plain(given.get("optimizer"))
    if not isinstance(loss, str | ObjectV):
        return {}
    if isinstance(optimizer, ObjectV):
        optimizer = ObjectV(optimizer.path, optimizer.args, optimizer.kwargs, optimizer.span)
    return {**given, "optimizer": optimizer if isinstance(optimizer, str | ObjectV) else Unknown("that of a clone")}

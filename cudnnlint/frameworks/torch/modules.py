"""nn.Module: classes of the user's made and called by following their methods."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import LayerApplied, ModelMade
from cudnnlint.frameworks.torch.containers import Chain, add_modules, chain_of
from cudnnlint.frameworks.torch.grad import untracked
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.modules_in_forward import tell_of_made
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import clock
from cudnnlint.interp.keras.application import CHAINED, apply_layer
from cudnnlint.interp.keras.creation import build_op
from cudnnlint.interp.keras.incomplete import tell_of_early_module, tell_of_no_forward
from cudnnlint.interp.keras.layer_inputs import split_inputs
from cudnnlint.interp.keras.layers import LayerV, phase_of, snake
from cudnnlint.interp.keras.parts import told_params
from cudnnlint.interp.keras.subclass import input_names
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import MISSING, BoundV, External, FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import LAYERS, LayerCall
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.tensor import tensors

MODULE = "torch.nn.Module"


@FRAMEWORK.on("torch.nn.Module.__init__")
def init(c: Call) -> Any:
    """`super().__init__(...)`, or `nn.Module.__init__(self, ...)`, reached the library class; the latter makes none of
    what nn.BatchNorm2d would, where the program derives from that."""
    instance = c.receiver
    if not isinstance(instance, InstanceV):
        instance = plain(c.args.pop(0)) if c.args else None
    if isinstance(instance, InstanceV):
        base = instance.cls.external_base() or MODULE
        bare = base in LAYERS and isinstance(asked := plain(c.callee), External) and asked.path == f"{MODULE}.__init__"
        init_instance(c.machine, instance, MODULE if bare else base, c)


def init_instance(m: Machine, instance: InstanceV, base: str, c: Call) -> None:
    """The framework part of a user's module."""
    m.created += 1
    if "training" not in instance.items:
        tell_of_early_module(m, instance, c.span)
    layer = LayerV(base, m.unique_name(snake(instance.cls.name)), instance.span or c.span)
    layer.user = instance
    if base in LAYERS:
        made = build_op(m, base, c)
        if isinstance(made, LayerV):
            layer.op, layer.arguments, layer.given, layer.assumptions = made.op, made.arguments, made.given, \
                made.assumptions
            layer.weights = made.op.weights(LayerCall(Unknown("no input yet")))
    elif base == "torch.nn.Sequential":
        layer.model = chain_of(m, c, layer.span)
        layer.model.part = True
    elif base == "torch.nn.ModuleDict" and (c.args or c.kwargs):
        add_modules(m, instance, c.get(0, "modules"))
    m.set_item(instance, "training", True)
    instance.extra = layer
    m.say(ModelMade, layer.span, model=instance)


def layer_of(m: Machine, instance: InstanceV) -> LayerV:
    """The framework part, made if `super().__init__` was not reached."""
    if not isinstance(instance.extra, LayerV):
        instance.extra = LayerV(instance.cls.external_base() or MODULE, m.unique_name(snake(instance.cls.name)),
                                instance.span or Span(m.linted, 1, 0, 1, 0))
        instance.extra.user = instance
    layer: LayerV = instance.extra
    return layer


@FRAMEWORK.on("torch.nn.Module.__call__", "torch.nn.Module.forward")
def call(c: Call) -> Any:
    """A module called: one of the user's, or by `super().forward(x)` what it derives from."""
    method = plain(c.callee)
    receiver = plain(c.receiver)
    forward = getattr(method, "name", "").endswith(".forward")
    if isinstance(receiver, InstanceV):
        if forward:
            return library_part(c.machine, receiver, c.args, c.kwargs, c.span)
        return apply_module(c.machine, receiver, c.args, c.kwargs, c.node, c.span)
    if isinstance(receiver, (LayerV, Chain)):
        return receiver.called(c)
    return Unknown("a module that is not known")


def library_part(m: Machine, instance: InstanceV, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
    """What the library class that the user's derives from does."""
    layer = layer_of(m, instance)
    if layer.model is not None:
        return layer.model.apply(m, args, kwargs, span)
    if layer.op is not None:
        layer.mode = plain(instance.items.get("training", True))
        return apply_layer(m, layer, args, kwargs, span)
    return Unknown(f"{layer.display} has no forward()")


def apply_module(m: Machine, instance: InstanceV, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
                 span: Span) -> Any:
    """forward() followed; its result is what this module made."""
    layer = layer_of(m, instance)
    found: set[Any] = set(layer.assumptions)
    method, own = instance.cls.lookup("forward"), instance.items.get("forward", MISSING)
    first, _, named = split_inputs(args, kwargs, () if args else input_names(method))
    inputs = strip(first, found)
    about = tensors([inputs, *(strip(arg) for arg in args[1:]), *(strip(arg) for arg in named.values())])
    if method is MISSING:
        tell_of_no_forward(m, instance, span)
    number, born, created = m.begin(), next(clock), m.created
    outer, m.visited = m.visited, set()
    phase, m.phase = m.phase, "call"
    chained, m.state[CHAINED] = m.state.get(CHAINED), None
    try:
        if own is not MISSING:  # set on the object itself: torch/nn/modules/module.py: Module._call_impl
            output = m.call(own, args, kwargs, node)
        elif isinstance(method, FunctionV):
            output = m.call(BoundV(method, instance), args, kwargs, node)
        elif layer.model is None and layer.op is not None:
            m.phase = phase
            return library_part(m, instance, args, kwargs, span)
        else:
            output = library_part(m, instance, args, kwargs, span)
    finally:
        m.applying.pop()
        m.visited, m.phase, m.state[CHAINED] = outer, phase, chained
        if phase == "call":
            outer.add(id(instance))
    raw = strip(output, found)
    if m.created != created and isinstance(method, FunctionV):
        tell_of_made(m, instance, method, raw, born)
    step = Step(span, about, instance, (tuple(args), dict(kwargs)))
    result = assume(untracked(m, outside(raw, step), span), frozenset(found))
    if about:
        layer.note_call(m, inputs, result)
        m.say(LayerApplied, span, about=about, assumptions=frozenset(found), layer=layer.info(), inputs=inputs,
              output=result, phase=phase_of(m, about), eager=True, training=plain(instance.items.get("training")),
              params=told_params(m, instance), maker=instance, number=number, within=tuple(m.applying))
    return wrap(result)


def outside(value: Any, step: Step, index: tuple[Any, ...] = ()) -> Any:
    """Outputs as the caller sees them: made by this module, not by what it is made of."""
    if isinstance(value, Tensor):
        made = Step(step.span, step.parents, step.maker, step.arguments, index, body=value)
        return Tensor(value.shape, value.dtype, value.kind, None, made, value.assumptions)
    if isinstance(value, (list, tuple)):
        return type(value)(outside(item, step, (*index, i)) for i, item in enumerate(value))
    if isinstance(value, dict):
        return {key: outside(item, step, (*index, key)) for key, item in value.items()}
    return value

"""Optimizers in loops of the program's own: where gradients are applied, a model is trained."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import Any

from cudnnlint.events import Data, LayerApplied, LossCalled, StepContinued, TrainingStarted, tensors
from cudnnlint.facts.changes import LEGACY, OPTIMIZER_METHODS, OPTIMIZERS
from cudnnlint.frameworks.gradients.crossed import check_crossed
from cudnnlint.frameworks.gradients.optimizers_built import forgotten, made_in_graph, trained_by
from cudnnlint.frameworks.gradients.stepped import Trained, goes_on, note
from cudnnlint.frameworks.gradients.tapes import Descent, TapeV, descents_of, owners_of
from cudnnlint.frameworks.gradients.tapes_turned import check_applied
from cudnnlint.frameworks.gradients.unreached import check_reached
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.keras.policies import trained
from cudnnlint.frameworks.tensorflow.strategies import replicas
from cudnnlint.frameworks.tfdata.dataset import called_as
from cudnnlint.frameworks.training.estimates import Request
from cudnnlint.frameworks.training.model_views import holder_of, last_layer, view
from cudnnlint.frameworks.training.rebuilt import used
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.convert import strip
from cudnnlint.interp.graphs.bodies import variable_made
from cudnnlint.interp.graphs.placeholders import EAGERLY
from cudnnlint.interp.graphs.sessions import built
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.loops.turns import in_graph
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes.changes import check_legacy, check_method
from cudnnlint.interp.mistakes.miscalled import OF_OPTIMIZER
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV, PartialV
from cudnnlint.interp.registry import PARENTS, PREFIXES, Call, ancestry
from cudnnlint.values import Tensor, Unknown

BASE = "keras.optimizers.Optimizer"
NAMES = ("SGD", "RMSprop", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "Adafactor", "Nadam", "Ftrl", "Lion",
         "Lamb", "Muon", "ScheduleFreeAdamW", "LossScaleOptimizer")
PARENTS.update({f"{room}.{name}": BASE for name in NAMES for room in (
    "keras.optimizers", "keras.optimizers.legacy", "keras.optimizers.experimental", "keras.mixed_precision",
    "keras.mixed_precision.experimental")})
PREFIXES["tensorflow.optimizers"] = "keras.optimizers"  # the same module, from TensorFlow 2 on
PARENTS.update({f"tensorflow.train.{name}Optimizer": BASE for name in (
    "Adam", "GradientDescent", "RMSProp", "Adagrad", "Adadelta", "Momentum", "Ftrl")})


def _legacy(name: str) -> Any:
    def optimizer(c: Call) -> ObjectV:
        check_legacy(c, name)
        return ObjectV(f"{LEGACY}.{name}", tuple(c.args), dict(c.kwargs), c.span)

    return optimizer


for _name in ("Adagrad", "Adam", "Ftrl", "RMSprop", "SGD"):
    FRAMEWORK.on(f"{LEGACY}.{_name}")(_legacy(_name))


@FRAMEWORK.on(f"{BASE}.apply_gradients", "*.apply_gradients")
def apply_gradients(c: Call) -> Any:
    """`optimizer.apply_gradients(zip(gradients, variables))`"""
    pairs = c.get(0, "grads_and_vars")
    check_applied(c)
    check_crossed(c)
    _descend(c, _matching(c.machine, descents_of(pairs, in_graph(c.machine)), owners_of(pairs)))
    return None


@FRAMEWORK.on(f"{BASE}.apply")
def apply(c: Call) -> Any:
    """`optimizer.apply(gradients, variables)` of Keras 3."""
    grads = c.get(0, "grads")
    found = descents_of(grads, in_graph(c.machine))
    _descend(c, _matching(c.machine, found, owners_of(c.get(1, "trainable_variables"))))
    return None


@FRAMEWORK.on(f"{BASE}.minimize")
def minimize(c: Call) -> Any:
    """`optimizer.minimize(loss, variables, tape=tape)`; a loss that is a function runs under a tape of its own."""
    m, loss, tape = c.machine, plain(c.get(0, "loss")), plain(c.kwargs.get("tape"))
    if getattr(plain(c.receiver), "path", "") in OPTIMIZERS:
        check_method(c, "minimize", "Optimizer")
    if isinstance(loss, FunctionV | BoundV | PartialV):
        tape = TapeV()
        tape.entered(m)
        try:
            loss = m.call(loss, [], {}, c.node)
        finally:
            tape.left(m)
    if isinstance(tape, TapeV):
        variables = plain(c.get(1, "var_list"))
        if isinstance(variables, FunctionV | BoundV):
            variables = m.call(variables, [], {}, c.node)
        _descend(c, [Descent(tape, owners_of(variables), c.span, strip(loss))])
    else:
        built(m, "tensorflow.train.Optimizer.minimize", c.span)
    return None


@FRAMEWORK.on(f"{BASE}.get_scaled_loss", f"{BASE}.scale_loss", f"{BASE}.get_unscaled_gradients")
def scaled(c: Call) -> Any:
    """LossScaleOptimizer: another value of the same shape."""
    if (name := called_as(c).rpartition(".")[2]) in OPTIMIZER_METHODS:
        check_method(c, name)
    return c.args[0] if c.args else Unknown("a scaled loss")


@FRAMEWORK.attribute(f"{BASE}.variables")
def variables(m: Machine, value: Any) -> Any:
    return ListV((), OF_OPTIMIZER) if m.stack.keras >= (3,) and value.path in OPTIMIZERS else OF_OPTIMIZER


@FRAMEWORK.on(f"{BASE}.build")
def build(c: Call) -> Any:
    forgotten(c.machine, c.receiver)
    return None


def _matching(m: Machine, found: list[Descent], owners: tuple[Any, ...]) -> list[Descent]:
    """The gradients that are applied: those that are known, else the last ones for these variables, else what waits.

    Gradients that were accumulated or clipped by code that is not followed have lost where they are from.
    """
    if found:
        return [replace_owners(descent, owners) for descent in found]
    waiting: list[Descent] = [descent for descent in m.state.get("descents", ()) if not descent.applied]
    if owners:
        own = [descent for descent in waiting if _same(descent.owners, owners)]
        return own[-1:]
    return waiting


def replace_owners(descent: Descent, owners: tuple[Any, ...]) -> Descent:
    return descent if descent.owners or not owners else replace(descent, owners=owners, stands_for=(descent,))


def _same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return {id(one) for one in a} == {id(one) for one in b}


def _descend(c: Call, descents: list[Descent]) -> None:
    """One TrainingStarted for each model that is trained here."""
    sure, optimizer = len(descents) == 1, _called_of(c)
    if made_in_graph(c.machine, c.receiver, c.span):
        variable_made(c.machine, plain(c.receiver).span, "an optimizer, with its variables,")
    owners_of_all = [owner for descent in descents for owner in descent.owners or _only_model(descent)]
    trained_by(c.machine, c.receiver, tuple(map(plain, owners_of_all)), c.span, "apply_gradients")
    for descent in descents:
        descent.tape.stepped(c)
        check_reached(c, descent)
        descent.mark_applied()
        owners = [one for one in descent.owners or _only_model(descent) if isinstance(one, ModelV | LayerV | InstanceV)]
        for owner in owners:
            _tell(c, descent, owner, optimizer if sure else Unknown("one of several optimizers"), owner is owners[-1])


def _called_of(c: Call) -> Any:
    """Whose method is called: a name is read once more where no handler knows the object, one of another package."""
    named = getattr(getattr(c.node, "func", None), "value", None)
    if c.receiver is None and isinstance(named, ast.Name | ast.Attribute):
        return c.machine.eval(named)
    return c.receiver if c.receiver is not None else Unknown("an optimizer that is not known")


def _only_model(descent: Descent) -> tuple[Any, ...]:
    """The model under the tape, if there is but one."""
    makers = {id(event.maker): event.maker for event in descent.tape.applications if _is_model(event.maker)}
    return tuple(makers.values()) if len(makers) == 1 else ()


def _is_model(value: Any) -> bool:
    base = value.cls.external_base() if isinstance(value, InstanceV) else None
    return isinstance(value, ModelV) or (base is not None and "keras.Model" in ancestry(base))


def _tell(c: Call, descent: Descent, owner: Any, optimizer: Any, is_last: bool) -> None:
    """The memory is that of all that are trained here: told with the last of them."""
    m = c.machine
    key = (c.span, tuple(m.calls), id(owner))
    told: dict[Any, Any] = m.state.setdefault("told_loops", {})
    tape = descent.tape
    own = next((event for event in tape.applications if event.maker is owner), None)
    fed = own or next(iter(tape.applications), None)
    used(m, owner, _method(m), c.span)
    trained(m, owner, c.span)
    outputs = own.output if own is not None else Unknown("outputs of a model that is not called itself")
    loss = _loss(tape, owner, own)
    infos = loss.losses if loss is not None else None
    steps = note(m, Trained(c.span, descent, owner, plain(optimizer), outputs, infos))
    if key in told:
        return
    told[key] = owner  # kept, so that its id is not given to another
    known = view(m, owner, outputs)
    seen = replace(known, compiled={**(known.compiled or {}), **_how(m), "optimizer": plain(optimizer)},
                   losses=infos, replicas=plain(replicas(m)),
                   layer=last_layer(outputs))
    x = _bare(fed.inputs) if fed is not None else Unknown("inputs of a model that is not followed")
    data = Data(x=x, y=loss.y if loss is not None else Unknown("labels"), kind="batch", batched=Unknown("a batch"),
                element=x)
    told_of = {"about": tensors([data.x, data.y, outputs]), "assumptions": assumptions_of(replicas(m)),
               "method": _method(m), "model": seen, "data": data, "batch_size": _rows(data.x),
               "arguments": {"optimizer": plain(optimizer)}}
    asks = partial(Request, m, c.span, _method(m), owner, seen, data, {})
    if steps is None or not is_last:
        m.say(TrainingStarted, c.span, **told_of)
        return
    m.say(TrainingStarted, c.span, **told_of, memory=asks(steps))
    goes_on(m, lambda moves: m.say(StepContinued, c.span, started=m.event(
        TrainingStarted, c.span, **told_of, memory=asks((*steps, *moves)))))


def _bare(value: Any) -> Any:
    return over(strip(value), lambda item: item if isinstance(item, Tensor | Unknown) else Unknown("not a tensor"))


def _rows(x: Any) -> Any:
    found = tensors(x)
    shape = found[0].shape if found else ()
    return shape[0] if isinstance(shape, tuple) and shape else Unknown("batch size")


def _loss(tape: TapeV, owner: Any, own: LayerApplied | None) -> LossCalled | None:
    """The loss on what the model made: the first, where there are several."""
    if own is not None:
        outputs = tensors(own.output)
        for loss in tape.losses:
            if any(_came(tensor, outputs, owner) for tensor in tensors(loss.output)):
                return loss
        return None
    return tape.losses[0] if len(tape.losses) == 1 else None


def _came(tensor: Tensor, outputs: tuple[Tensor, ...], owner: Any) -> bool:
    todo = [tensor]
    for _ in range(64):
        if not todo:
            return False
        current = todo.pop()
        if any(current is output for output in outputs) or (current.step is not None and current.step.maker is owner):
            return True
        todo += current.step.parents if current.step is not None else ()
    return False


def _method(m: Machine) -> str:
    """"train_step" inside the method of a model that fit() calls."""
    return "GradientTape" if _stepping(m) is None else "train_step"


def _stepping(m: Machine) -> Any:
    """The model whose train_step runs."""
    for frame in reversed(m.frames):
        if frame.function is not None and frame.function.name == "train_step" and model_of_class(frame.receiver):
            return frame.receiver
    return None


def _how(m: Machine) -> dict[str, Any]:
    """How compile() of that model says its step is run: the models inside are not asked. A loop of the program's own is
    compiled where it runs in a tf.function that says so."""
    if _stepping(m) is None:
        told = [frame.function.traced.compiled for frame in m.frames
                if frame.function is not None and frame.function.traced is not None]
        return {"jit_compile": True in told and not m.state.get(EAGERLY)}
    compiled = getattr(holder_of(_stepping(m)), "compiled", None) or {}
    return {name: compiled[name] for name in ("jit_compile", "run_eagerly") if name in compiled}


def model_of_class(value: Any) -> bool:
    return isinstance(value, InstanceV) and _is_model(value)


__all__ = ["apply_gradients", "minimize"]

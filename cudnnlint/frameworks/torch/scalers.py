"""torch.amp.GradScaler: gradients of weights that are float16 themselves cannot be unscaled; the order of its calls."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.optimizers import module_of
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.refusals import is_meant, of_line, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

SCALER = "torch.amp.GradScaler"
TOLD = "torch.unscaled"
"""Key of the optimizers that it was told of, and where."""


SCALED = "torch.amp scaled"
"""Key of the scalers that scaled anything."""
CLIPPED = "torch.amp clipped"
"""Key of the scalers that scaled a loss since update(), by id: those, and where gradients were clipped after that."""
STAGES = "torch.amp stages"
"""Key of what was done since update() by each scaler for each optimizer, by their ids."""
UNSCALED, STEPPED, ANY = "unscale_()", "step()", ""


@record(frozen=True, slots=True)
class Stage:
    """The last call for an optimizer since update(); ANY where it may be another one."""

    held: tuple[ObjectV, Any]
    last: str
    span: Span


@FRAMEWORK.on(SCALER)
def scaler(c: Call) -> ObjectV:
    return ObjectV(SCALER, tuple(c.args), dict(c.kwargs), c.span)


@FRAMEWORK.on(f"{SCALER}.scale")
def scaled(c: Call) -> Any:
    """The loss by a number; losses one by one, in whatever holds them (GradScaler.scale)."""
    held = plain(c.receiver)
    c.machine.notes.setdefault(SCALED, {})[id(held)] = c.receiver
    clipped: dict[int, tuple[Any, Span | None]] = c.machine.notes.setdefault(CLIPPED, {})
    clipped.pop(id(held), None)
    if isinstance(held, ObjectV) and _is_certain(c):
        clipped[id(held)] = (held, None)
    return _times(c, c.get(0, "outputs"))


def _times(c: Call, given: Any) -> Any:
    held = plain(given)
    if isinstance(held, Tensor):
        return apply_function(c.machine, "operator.*", [given, Tensor((), "float32", "torch")], {}, c.node)
    if isinstance(held, tuple):
        return tuple(_times(c, each) for each in held)
    return Unknown("what a scaler makes of a loss")


@FRAMEWORK.on(f"{SCALER}.unscale_", f"{SCALER}.step")
def unscaled(c: Call) -> None:
    """torch/amp/grad_scaler.py: GradScaler._unscale_grads_; step() unscales what unscale_() has not."""
    held, optimizer = plain(c.receiver), plain(c.get(0, "optimizer"))
    if not isinstance(held, ObjectV) or not isinstance(optimizer, ObjectV) \
            or plain(held.kwargs.get("enabled", True)) is False:
        return
    _tell_of_clipped(c, held, optimizer)
    if not _enabled(held):
        return
    if _in_half(optimizer):
        _tell_of_half(c, optimizer)
    else:
        _tell_of_order(c, held, optimizer, UNSCALED if c.path.endswith("unscale_") else STEPPED)


@FRAMEWORK.on(f"{SCALER}.update")
def updated(c: Call) -> None:
    """All optimizers may be unscaled and stepped again."""
    _tell_of_no_step(c)
    stages: dict[tuple[int, int], Stage] = c.machine.notes.get(STAGES, {})
    for key, stage in list(stages.items()):
        if stage.held[0] is plain(c.receiver):
            stages[key] = Stage(stage.held, ANY, c.span)
    c.machine.notes.get(CLIPPED, {}).pop(id(plain(c.receiver)), None)


@FRAMEWORK.on("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad_norm")
def clipped(c: Call) -> Any:
    """Gradients in place."""
    _tell_of_module(c)
    held: dict[int, tuple[Any, Span | None]] = c.machine.notes.get(CLIPPED, {})
    if held and _is_certain(c) and not _asks_for_scale(c):
        held.update({key: (one, span or c.span) for key, (one, span) in held.items()})
    return Unknown("the norm of gradients") if c.path.rpartition(".")[2] != "clip_grad_value_" else None


ITERATED = ("__iter__", "__getitem__")


def _tell_of_module(c: Call) -> None:
    """`clip_grad_norm_(model, 1.0)` (torch/nn/utils/clip_grad.py: a module cannot be gone through, an nn.Sequential
    gives modules, which have no gradient)."""
    module, name = module_of(plain(c.get(0, "parameters"))), c.path.rpartition(".")[2]
    if not module or not _is_certain(c) or module in ("ParameterList", "ModuleDict", "ParameterDict"):
        return
    given = plain(c.get(0, "parameters"))
    if isinstance(given, InstanceV) and any(given.cls.lookup(one) is not MISSING for one in ITERATED):
        return
    refuse(c.machine, c.span, Mismatch(
        Problem.UNEXPECTED, f"{name} is given the module {module}, not its parameters", argument="parameters",
        help="model.parameters()", error=f"TypeError \"'{module}' object is not iterable\" or AttributeError "
        "\"object has no attribute 'grad'\""), what=name)


def _asks_for_scale(c: Call) -> bool:
    """Whether the program goes by the scale itself."""
    sources = {frame.module.source for frame in c.machine.frames}
    return any(source.says(word) for source in sources for word in ("get_scale", "._scale", "inv_scale"))


def _tell_of_clipped(c: Call, held: ObjectV, optimizer: ObjectV) -> None:
    """step() of the only optimizer of a scaler, whose gradients nothing unscaled before they were clipped."""
    _, span = c.machine.notes.get(CLIPPED, {}).pop(id(held), (None, None))
    stages: dict[tuple[int, int], Stage] = c.machine.notes.get(STAGES, {})
    others = any(scaler == id(held) and key != id(optimizer) for scaler, key in stages)
    if span is not None and not others and c.path.endswith("step") and _is_certain(c):
        refuse(c.machine, span, Mismatch(
            Problem.CLIPPED, f"gradients are clipped while they are scaled: nothing unscales them before the step()"
            f"{of_line(span, c.span)}", help="scaler.unscale_(optimizer) before it"), what="GradScaler", inputs=None)


def _is_certain(c: Call) -> bool:
    return is_meant(c.machine) and not c.machine.handlers and not c.machine.uncalled


def _tell_of_no_step(c: Call) -> None:
    """`optimizer.step()` in place of `scaler.step(optimizer)`, of which nothing else is written (GradScaler.update)."""
    held, node = plain(c.receiver), getattr(getattr(c.node, "func", None), "value", None)
    if not isinstance(held, ObjectV) or not _enabled(held) or c.args or c.kwargs or not _is_certain(c) \
            or id(held) not in c.machine.notes.get(SCALED, {}) or not isinstance(node, ast.expr):
        return
    sources = {frame.module.source for frame in c.machine.frames}
    name = ast.unparse(node).rpartition(".")[2]
    if not any(source.says(f"{name}.step(") or source.says("unscale_") for source in sources):
        refuse(c.machine, c.span, Mismatch(
            Problem.SCALER, "update() of a GradScaler that nothing was unscaled or stepped by",
            help="scaler.step(optimizer) in place of optimizer.step(), which takes gradients as they are scaled",
            error='AssertionError "No inf checks were recorded prior to update."'), what="GradScaler", inputs=None)


def _enabled(held: ObjectV) -> bool:
    return plain(held.kwargs.get("enabled", True)) is True and len(held.args) <= 1


def _tell_of_half(c: Call, optimizer: ObjectV) -> None:
    m = c.machine
    if m.handlers or not is_meant(m):
        return
    told: dict[int, Any] = m.notes.setdefault(TOLD, {})
    if told.setdefault(id(optimizer), (c.span, optimizer))[0] != c.span:
        return
    refuse(m, c.span, Mismatch(
        Problem.DTYPE, "gradients of float16 weights are unscaled: the optimizer's parameters are float16",
        help="leave the weights in float32, torch.autocast casts what may be float16: no model.half()",
        error='ValueError "Attempting to unscale FP16 gradients."'), what="GradScaler", inputs=None)


def _tell_of_order(c: Call, held: ObjectV, optimizer: ObjectV, now: str) -> None:
    """torch/amp/grad_scaler.py: GradScaler.unscale_, step, _check_scale_growth_tracker"""
    m, key = c.machine, (id(held), id(optimizer))
    stages: dict[tuple[int, int], Stage] = m.notes.setdefault(STAGES, {})
    certain = _is_certain(c)
    before = stages.get(key)
    stages[key] = Stage((held, optimizer), now if certain else ANY, c.span)
    if not certain:
        return
    if id(held) not in m.notes.get(SCALED, {}) and _unscaled_backward(c):
        stages[key] = Stage((held, optimizer), ANY, c.span)
        refuse(m, c.span, Mismatch(
            Problem.SCALER, f"{now} of a GradScaler that scaled no loss", help="scaler.scale(loss).backward()",
            error=f'AssertionError "Attempted {now[:-2]} but _scale is None."'), what="GradScaler", inputs=None)
    elif before is not None and before.last and (now, before.last) != (STEPPED, UNSCALED):
        place = " of the turn before" if before.span == c.span else of_line(c.span, before.span)
        refuse(m, c.span, Mismatch(
            Problem.SCALER, f"{now} after the {before.last}{place}, with no update() of the GradScaler between them",
            help="once for each optimizer and step: unscale_() before step(), and scaler.update() after all of them",
            error=_error(now, before.last)), what="GradScaler", inputs=None)


def _unscaled_backward(c: Call) -> bool:
    """Whether all that is written calls backward() itself, and scales nothing."""
    sources = {frame.module.source for frame in c.machine.frames}
    return not any(source.says(".scale(") for source in sources) and any(
        source.says(".backward(") for source in sources)


def _error(now: str, last: str) -> str:
    if now == STEPPED:
        return 'RuntimeError "step() has already been called since the last update()."'
    if last == STEPPED:
        return 'RuntimeError "unscale_() is being called after step()."'
    return 'RuntimeError "unscale_() has already been called on this optimizer since the last update()."'


def _in_half(optimizer: ObjectV) -> bool:
    """Whether all parameters that it was given are float16."""
    given = plain(optimizer.args[0] if optimizer.args else optimizer.kwargs.get("params"))
    if not isinstance(given, ListV) or given.unknown or not given.items:
        return False
    return all(isinstance(one := plain(item), Tensor) and one.dtype == "float16" for item in given.items)


__all__ = ["clipped", "scaler", "unscaled"]

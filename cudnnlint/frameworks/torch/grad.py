"""Autograd: where no graph is kept, and which tensors have one."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.backwards_refused import without
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.functions import AUTOCAST, ON_GPU, PLACED
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.frozen import any_frozen, freeze, freeze_wholly, thaw
from cudnnlint.interp.torch.histories import GRAD, NO_GRAD, PAUSED, tracks
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown


def untracked(m: Machine, value: Any, span: Span) -> Any:
    """Results of a module: under no_grad() they have no graph behind them."""
    mode = tracks(m)
    return value if mode is True else without_graph(value, span, certain=mode is False)


def without_graph(value: Any, span: Span, *, certain: bool) -> Any:
    if isinstance(value, Tensor):
        step = Step(span, (value,), NO_GRAD, ((), {"certain": certain}))
        return Tensor(value.shape, value.dtype, value.kind, value.content, step, value.assumptions)
    if isinstance(value, (list, tuple)):
        return type(value)(without_graph(item, span, certain=certain) for item in value)
    if isinstance(value, dict):
        return {key: without_graph(item, span, certain=certain) for key, item in value.items()}
    return value


class StateV:
    """A context manager, also a decorator, under which one of the interpreter's states has another value."""

    always_true = True

    def __init__(self, path: str, key: str, value: Any) -> None:
        self.path, self.key, self.value = path, key, value
        self.before: list[Any] = []
        self.begun = False
        """Whether it took effect where it was made, so that what `with` ends began before."""

    def entered(self, m: Machine) -> Any:
        if not self.begun:
            self.before.append(m.state.get(self.key))
        self.begun = False
        m.state[self.key] = self.value
        m.state.setdefault(PAUSED, {})
        return self

    def left(self, m: Machine) -> None:
        before = self.before.pop() if self.before else None
        if before is None:
            m.state.pop(self.key, None)
        else:
            m.state[self.key] = before

    def called(self, c: Call) -> Any:
        function = plain(c.args[0]) if c.args else None
        if isinstance(function, FunctionV) and self.key == GRAD and self.value is False:
            function.node.cudnnlint_untracked = True  # type: ignore[union-attr]
            c.machine.state.setdefault(PAUSED, {})
        return c.args[0] if c.args else Unknown("decorator")


@FRAMEWORK.on("torch.no_grad", "torch.inference_mode")
def no_grad(c: Call) -> Any:
    mode = plain(c.get(0, "mode", True))
    return StateV("torch.no_grad", GRAD, False if mode is True else True if mode is False else Unknown("mode"))


@FRAMEWORK.on("torch.enable_grad")
def enable_grad(c: Call) -> Any:
    return StateV("torch.enable_grad", GRAD, True)


@FRAMEWORK.on("torch.set_grad_enabled")
def set_grad_enabled(c: Call) -> Any:
    """A context manager, and a statement that takes effect at once."""
    mode = plain(c.get(0, "mode"))
    made = StateV("torch.set_grad_enabled", GRAD, mode if isinstance(mode, bool) else Unknown("mode"))
    made.before.append(c.machine.state.get(GRAD))
    made.begun = True
    c.machine.state[GRAD] = made.value
    c.machine.state.setdefault(PAUSED, {})
    return made


@FRAMEWORK.on("torch.autocast")
def autocast(c: Call) -> Any:
    """torch.autocast(device_type), or torch.cuda.amp.autocast(), whose first argument is `enabled`."""
    first = plain(c.get(0, "device_type", "cuda"))
    device = "cuda" if isinstance(first, bool) else first
    enabled = first if isinstance(first, bool) else plain(c.get(2, "enabled", True))
    certain = enabled is True and isinstance(device, str) and device.startswith("cuda")
    return StateV("torch.autocast", AUTOCAST, ON_GPU if certain else True)


@FRAMEWORK.on("torch.set_default_dtype", "torch.set_default_tensor_type")
def set_default_dtype(c: Call) -> Any:
    """From here on the dtypes of what is made are not followed, nor where it lies."""
    c.machine.state[PLACED] = False
    if plain(c.get(0, "d")) != "float32":
        c.machine.state[AUTOCAST] = True


@FRAMEWORK.on("torch.set_default_device")
def set_default_device(c: Call) -> Any:
    c.machine.state[PLACED] = False


@FRAMEWORK.on("torch.is_grad_enabled")
def is_grad_enabled(c: Call) -> Any:
    return tracks(c.machine)


@FRAMEWORK.on("torch.nn.Module.requires_grad_")
def requires_grad(c: Call) -> Any:
    """Where it asks for none, what the modules give may have no graph."""
    asked = plain(c.get(0, "requires_grad", True))
    if asked is not True:
        freeze(c.machine, c.receiver)
    if asked is False:
        freeze_wholly(c.machine, c.receiver)
    else:
        thaw(c.machine, c.receiver)
    return c.receiver


@FRAMEWORK.on("torch.autograd.grad")
def gradients(c: Call) -> Any:
    """One tensor like each input (torch/autograd/__init__.py: grad); None for one that is not used, where it may be."""
    _tell_of_no_graph(c)
    held, created = plain(c.get(1, "inputs")), plain(c.get(4, "create_graph", False))
    if isinstance(held, ListV):
        held = held.unknown or tuple(held.items)
    inputs = (held,) if isinstance(held, Tensor) else held
    if not isinstance(inputs, tuple) or plain(c.get(6, "allow_unused", None)) or len(c.args) > 6 \
            or "is_grads_batched" in c.kwargs:
        return Unknown("gradients, some of which may be None")
    made = (NO_GRAD, ((), {"certain": True})) if created is False else ("torch.autograd.grad", None)
    return tuple(Tensor(one.shape, one.dtype, "torch", None, Step(c.span, (), *made))
                 if isinstance(one := plain(item), Tensor) else Unknown("a gradient") for item in inputs)


def _tell_of_no_graph(c: Call) -> None:
    """A gradient of a gradient that was calculated without create_graph=True."""
    m, output = c.machine, plain(c.get(0, "outputs"))
    if isinstance(output, ListV) and len(output.items) == 1:
        output = plain(output.items[0])
    if not isinstance(output, Tensor) or m.trying or m.handlers or m.uncalled or m.uncertain or any_frozen(m) \
            or not without(m, output):
        return
    again = output.step is not None and output.step.maker == NO_GRAD
    refuse(m, c.span, Mismatch(
        Problem.NO_GRADIENTS, f"torch.autograd.grad() of {output}, of which autograd keeps no graph",
        help="create_graph=True in the call of torch.autograd.grad() that gave it" if again else
        "requires_grad_() on what the gradients are for, before anything is calculated of it",
        error='RuntimeError "element 0 of tensors does not require grad and does not have a grad_fn"'),
        about=(output,), what="torch.autograd.grad()", inputs=output)

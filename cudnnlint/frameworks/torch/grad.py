"""Autograd: where no graph is kept, and which tensors have one."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.functions import AUTOCAST, ON_GPU, PLACED
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.frozen import freeze, freeze_wholly, thaw
from cudnnlint.interp.torch.histories import GRAD, NO_GRAD, PAUSED, tracks
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown


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

"""PyTorch: which modules the program asks for no gradients of."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import is_meant
from cudnnlint.records import record
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.tensor import tensors

FROZEN = "torch.frozen"
"""Key of the modules whose parameters may ask for no gradients, by id; True where that may be any."""
WHOLLY = "torch.wholly frozen"
"""Key of those whose parameters certainly ask for none, by id, and how often each was applied before."""
ASKED = "torch.frozen one by one"
"""Key of the parameters of a module that were set to ask for none, by the step of the call that gave them."""
OWNED = "torch.nn.Module.parameters"
"""Maker of a parameter, whose only argument is the module."""


@record(frozen=True, slots=True)
class Parameters(Unknown):
    """Parameters of a module that are not all known; each is made by `step`."""

    step: Step | None = field(default=None, compare=False, repr=False)
    each: ClassVar[bool] = True
    """One that is like all of them stands for each."""

    def sample(self, m: Machine) -> Tensor:
        return Tensor(Unknown("a parameter"), Unknown("a parameter"), "torch", None, self.step)


def freeze(m: Machine, module: Any) -> None:
    """`module.requires_grad_(False)`: nothing is told of its graphs from here on, on no path."""
    held: dict[int, Any] | bool = m.state.get(FROZEN, {})
    if isinstance(held, bool):
        return
    if isinstance(plain(module), Unknown):
        m.state[FROZEN] = True
        return
    m.state[FROZEN] = {**held, **_below(module)}


def freeze_wholly(m: Machine, module: Any) -> None:
    """All parameters of a module ask for no gradients, if this is certain."""
    if is_meant(m) and not m.uncalled:
        now = {key: (one, len(getattr(one, "calls", ()))) for key, one in _below(module).items()}
        m.state[WHOLLY] = {**now, **m.state.get(WHOLLY, {})}


def is_wholly_frozen(m: Machine, module: Any) -> bool:
    """Whether all parameters that it has now, in all of its parts, certainly ask for no gradients."""
    from cudnnlint.interp.keras.parts import walk_parts

    frozen_now: dict[int, Any] = m.state.get(WHOLLY, {})
    return bool(frozen_now) and not any_frozen(m) and all(not isinstance(part, Unknown) and id(part) in frozen_now
                                    for part in walk_parts(module))


def thaw(m: Machine, module: Any) -> None:
    """Some of its parameters may ask for gradients again."""
    thawed = _below(module)
    m.state[WHOLLY] = {key: one for key, one in m.state.get(WHOLLY, {}).items() if key not in thawed}


def _below(module: Any) -> dict[int, Any]:
    """The module and all that is known to be in it, by id."""
    from cudnnlint.interp.keras.parts import layer_of, walk_parts

    parts = [part for part in walk_parts(module) if not isinstance(part, Unknown)]
    layers = [layer for part in parts if (layer := layer_of(part)) is not None]
    return {id(one): one for one in (*parts, *layers)}


def set_required(m: Machine, base: Any, value: Any) -> None:
    """`parameter.requires_grad = value`"""
    held, asked = plain(base), plain(value)
    if not isinstance(held, Tensor) or held.step is None or held.step.maker != OWNED or not held.step.arguments:
        m.state[FROZEN] = True
        return
    module = held.step.arguments[0][0]
    if asked is not True:
        freeze(m, module)
    if asked is not False:
        thaw(m, module)
    elif _was_last(m, held, held.step, module):
        freeze_wholly(m, module)


def ask(m: Machine, base: Any) -> None:
    """`parameter.requires_grad_()`: where it is not known whose it is, nothing is certainly frozen any more."""
    held = plain(base)
    owned = isinstance(held, Tensor) and held.step is not None and held.step.maker == OWNED and held.step.arguments
    if owned:
        thaw(m, held.step.arguments[0][0])
    else:
        m.state.pop(WHOLLY, None)


def _was_last(m: Machine, parameter: Tensor, step: Step, module: Any) -> bool:
    """Whether each of the parameters that one call gave was set to ask for none."""
    from cudnnlint.interp.keras.parts import weights_of

    if isinstance(parameter.shape, Unknown):  # it stands for each of them
        return True
    asked: dict[int, tuple[Step, dict[int, Tensor]]] = m.state.setdefault(ASKED, {})
    those = asked.setdefault(id(step), (step, {}))[1]
    those[id(parameter)] = parameter
    found = weights_of(module)
    return isinstance(found, (list, tuple)) and len(those) == len(found)


def any_frozen(m: Machine) -> bool:
    """Whether any tensor at all may ask for gradients or for none."""
    return m.state.get(FROZEN) is True


def frozen(m: Machine, module: Any) -> bool:
    """Whether the parameters of a module, but for those of modules in it, may ask for no gradients."""
    held: dict[int, Any] | bool = m.state.get(FROZEN, {})
    return held is True or (isinstance(held, dict) and id(module) in held)


def was_frozen(m: Machine, layer: Any, step: Step) -> bool:
    """Whether the parameters of a module certainly asked for no gradients when this application of it was made."""
    _, before = m.state.get(WHOLLY, {}).get(id(layer), (None, None))
    if before is None or any(weight.name in layer.extra for weight in layer.weights or ()):
        return False  # or it was given another parameter since
    return any(one.step is step for _, output in layer.calls[before:] for one in tensors(output))


__all__ = ["FROZEN", "OWNED", "WHOLLY", "Parameters", "any_frozen", "ask", "freeze", "freeze_wholly", "frozen",
           "is_wholly_frozen", "set_required", "thaw", "was_frozen"]

"""PyTorch: which modules the program asks for no gradients of."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.records import record
from cudnnlint.values import Step, Tensor, Unknown

FROZEN = "torch.frozen"
"""Key of the modules whose parameters may ask for no gradients, by id; True where that may be any."""
OWNED = "torch.nn.Module.parameters"
"""Maker of a parameter, whose only argument is the module."""


@record(frozen=True, slots=True)
class Parameters(Unknown):
    """Parameters of a module that are not all known; each is made by `step`."""

    step: Step | None = field(default=None, compare=False, repr=False)

    def sample(self, m: Machine) -> Tensor:
        return Tensor(Unknown("a parameter"), Unknown("a parameter"), "torch", None, self.step)


def freeze(m: Machine, module: Any) -> None:
    """`module.requires_grad_(False)`: nothing is told of its graphs from here on, on no path."""
    from cudnnlint.interp.keras.parts import layer_of, walk_parts

    held: dict[int, Any] | bool = m.state.get(FROZEN, {})
    if isinstance(held, bool):
        return
    if isinstance(plain(module), Unknown):
        m.state[FROZEN] = True
        return
    parts = [part for part in walk_parts(module) if not isinstance(part, Unknown)]
    layers = [layer for part in parts if (layer := layer_of(part)) is not None]
    m.state[FROZEN] = {**held, **{id(one): one for one in (*parts, *layers)}}


def set_required(m: Machine, base: Any, value: Any) -> None:
    """`parameter.requires_grad = value`"""
    held = plain(base)
    if isinstance(held, Tensor) and held.step is not None and held.step.maker == OWNED and held.step.arguments:
        if plain(value) is not True:
            freeze(m, held.step.arguments[0][0])
    else:
        m.state[FROZEN] = True


def any_frozen(m: Machine) -> bool:
    """Whether any tensor at all may ask for gradients or for none."""
    return m.state.get(FROZEN) is True


def frozen(m: Machine, module: Any) -> bool:
    """Whether the parameters of a module, but for those of modules in it, may ask for no gradients."""
    held: dict[int, Any] | bool = m.state.get(FROZEN, {})
    return held is True or (isinstance(held, dict) and id(module) in held)


__all__ = ["FROZEN", "OWNED", "Parameters", "any_frozen", "freeze", "frozen", "set_required"]

"""Modules that a module keeps in a list of Python's: gradients are calculated for them, and no optimizer has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.frameworks.torch.uncleared import BORN
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import ChoiceV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.keras.parts import layer_of, sublayers, within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.torch.frozen import OWNED
from cudnnlint.values import Mismatch, Problem, Unknown

TOLD = "torch.unregistered"
"""Note of the modules that somebody was told of, by id."""


def tell_of_unregistered(m: Machine, optimizer: Any, learnt: set[int]) -> None:
    """`self.layers = [nn.Linear(8, 8), ...]`, once the optimizer of the whole takes a step (torch/nn/modules/module.py:
    Module.__setattr__ registers modules, not lists of them).

    learnt  the modules that backward() went through, by id
    """
    seen: dict[int, Any] = m.notes.setdefault(TOLD, {})
    if id(optimizer) in seen or m.handlers or m.uncalled or not is_meant(m) or not isinstance(optimizer, ObjectV):
        return
    seen[id(optimizer)] = optimizer
    made = [one for one, _ in m.notes.get(BORN, {}).values()]
    owned = [owners for one in made if (owners := _owners(one)) is not None]
    held = {id(layer_of(part)) for owners in owned for owner in owners for part in within(owner)}
    if len(owned) < len(made):  # another has what is not known
        return
    for owner in _owners(optimizer) or ():
        for name, module in _in_lists(owner):
            parts = [layer for part in within(module) if (layer := layer_of(part)) is not None]
            if module.span is None or module.span in seen or any(id(part) in held for part in parts) \
                    or not any(id(part) in learnt for part in parts):
                continue
            seen[module.span] = module
            refuse(m, module.span, Mismatch(
                Problem.UNREGISTERED_PART, f"the list {name} keeps modules of which parameters() knows nothing: "
                f"{optimizer.path.rpartition('.')[2]} trains none of them", help=f"self.{name} = nn.ModuleList(...)"),
                what=name)


def _owners(optimizer: ObjectV) -> list[Any] | None:
    """The modules whose parameters it has; None where some of them may be another's."""
    given = plain(optimizer.args[0] if optimizer.args else optimizer.kwargs.get("params"))
    items = given.items if isinstance(given, ListV) and not given.unknown else [given]
    owners: dict[int, Any] = {}
    for item in items:
        step = getattr(plain(item), "step", None)
        if step is None or step.maker != OWNED or not step.arguments:
            return None
        owners[id(step.arguments[0][0])] = step.arguments[0][0]
    return None if any(isinstance(part, Unknown) for one in owners.values() for part in within(one)) \
        else list(owners.values())


def _in_lists(owner: Any) -> Iterator[tuple[str, Any]]:
    """Modules within lists and dicts of the user's modules, with the name of the attribute."""
    for part in within(owner):
        for name, value in part.items.items() if isinstance(part, InstanceV) else ():
            held = plain(value)
            if isinstance(held, ListV | DictV | tuple) and not getattr(held, "registers", False):
                yield from ((name, module) for module in sublayers(held) if not isinstance(module, ChoiceV))


__all__ = ["tell_of_unregistered"]

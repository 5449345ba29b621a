"""Weights that an optimizer's step changed while a loss that waits for its backward() needs them as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.keras.parts import within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.torch.frozen import OWNED, any_frozen
from cudnnlint.interp.torch.leaves import tell_of_needed
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor

if TYPE_CHECKING:
    from cudnnlint.frameworks.torch.backwards import Walked

OUTDATED = "torch.outdated"
"""Key of the applications whose weights were changed since, by their steps: those and where."""
SAVING = frozenset(f"torch.nn.{name}" for name in (
    "Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"))
"""Modules that calculate the gradient of what they were given from their weights (tools/autograd/derivatives.yaml)."""


def note_updated(m: Machine, optimizer: Any, known: dict[int, Walked], span: Span) -> None:
    """`optimizer.step()`: what was applied before it, of the modules that it trains, and is held by a name still.

    known  what backward() went through so far: of other weights there is no gradient, and the step leaves them
    """
    turns = {id(loop): loop.turn for loop in m.loops}
    learnt = {id(walked.step.maker) for walked in known.values() if all(
        turns.get(loop) == turn for loop, turn in walked.turns.items())}
    certain = m.uncertain == (m.loops[-1].uncertain if m.loops else 0)
    if not learnt or not certain or any_frozen(m) or m.trying or m.uncalled:
        return
    changed = {id(layer) for layer in _trained(optimizer)} & learnt
    if not changed:
        return
    from cudnnlint.frameworks.torch.backwards import learning

    found: dict[int, tuple[Step, Span]] = {}
    for tensor in _held(m):
        for step in learning(m, tensor):
            if id(step.maker) in changed and step.maker.path in SAVING and any(
                    True for parent in step.parents for _ in learning(m, parent)):
                found[id(step)] = step, span
    if found:
        m.state[OUTDATED] = {**m.state.get(OUTDATED, {}), **found}


def tell_of_outdated(m: Machine, span: Span, tensor: Tensor, steps: list[Step]) -> None:
    """backward() through one of them."""
    outdated: dict[int, tuple[Step, Span]] = m.state.get(OUTDATED, {})
    for step in steps if outdated else ():
        if (one := outdated.get(id(step))) is not None:
            tell_of_needed(m, span, tensor, step, one[1])
            return


def _trained(optimizer: Any) -> Iterator[LayerV]:
    """The modules of the library whose parameters it was given."""
    if not isinstance(optimizer, ObjectV):
        return
    given = plain(optimizer.args[0] if optimizer.args else optimizer.kwargs.get("params"))
    seen: set[int] = set()
    for item in given.items if isinstance(given, ListV) else ():
        step = getattr(plain(item), "step", None)
        if step is None or step.maker != OWNED or id(owner := step.arguments[0][0]) in seen:
            continue
        seen.add(id(owner))
        for part in within(owner):
            layer = part.extra if isinstance(part, InstanceV) else part
            if isinstance(layer, LayerV):
                yield layer


def _held(m: Machine) -> Iterator[Tensor]:
    """Tensors that local names hold, here and where it was called from, and attributes of what they hold."""
    for frame in m.frames:
        for value in list(frame.scope.items.values()):
            held = plain(value)
            inner = held.items.values() if isinstance(held, InstanceV) else (held,)
            for one in list(inner):
                if isinstance(tensor := plain(one), Tensor) and tensor.kind == "torch":
                    yield tensor


__all__ = ["note_updated", "tell_of_outdated"]

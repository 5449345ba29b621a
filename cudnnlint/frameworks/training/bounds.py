"""Whether a step could take more than a GPU has, told quickly: of most it is clear that it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.frameworks.training.graph_sizes import LARGEST, made_by
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.parts import known_params
from cudnnlint.interp.machine import plain
from cudnnlint.values.sizes import BYTES, bytes_of
from cudnnlint.values.tensor import tensors

if TYPE_CHECKING:
    from cudnnlint.frameworks.training.estimates import Request

WEIGHTS, MADE = 12, 5
"""More than what a step takes, as multiples of its weights (slots, gradients, what optimizers compute) and of what its
layers give, and compute within (`hidden`)."""
ONCE = 2
"""The same where nothing is trained, and nothing is kept that is not needed any more."""
BEFORE = "what steps take"
"""Where in the state: [what the key names, an upper bound, the least that an estimate told] of steps by key."""
TRAINING = ("fit", "train_on_batch", "GradientTape", "train_step")


def exceeds(asked: Request, usable: int) -> bool:
    """Not told anew of a step that was told of: of the same model, compiled as it was, on batches as large."""
    batch = asked.batch()
    if batch is None:
        return False
    if (key := _key(asked, batch)) is None:
        return _bound(asked, batch) > usable
    before = asked.machine.state.setdefault(BEFORE, {})
    if key not in before:
        before[key] = [(asked.model, asked.view), _bound(asked, batch), None]
    _, bound, least = before[key]
    return bool((bound if least is None else min(bound, least)) > usable)


def told(asked: Request, least: int) -> None:
    """What an estimate told of a step."""
    batch = asked.batch()
    known = asked.machine.state.get(BEFORE, {}).get(_key(asked, batch)) if batch is not None else None
    if known is not None:
        known[2] = least


def _key(asked: Request, batch: int) -> tuple[Any, ...] | None:
    """None for a step of the program's own, which is made anew each time."""
    made = tensors(asked.view.outputs)
    if asked.steps or not made:
        return None
    given = (bytes_of(asked.data.x, batch), bytes_of(asked.data.y, batch))
    return (id(asked.model), id(asked.view.compiled), *(id(one.step) for one in made), asked.method, batch, given,
            asked.device, str(plain(asked.view.replicas)))


def _bound(asked: Request, batch: int) -> int:
    width = BYTES.get(getattr(asked.view.policy, "variable", ""), LARGEST)
    outputs = asked.view.outputs
    of_all = [outputs, *getattr(outputs, "of", ()), *asked.added(outputs),
              *(strip(one.asked.loss) for one in asked.steps)]
    most, times = (WEIGHTS, MADE) if asked.method in TRAINING else (ONCE, ONCE)
    return most * known_params(asked.model) * width + times * made_by(of_all, batch) + (
        bytes_of(asked.data.x, batch) or 0)

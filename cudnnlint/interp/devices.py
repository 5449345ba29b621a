"""What is known of TensorFlow's devices, and what makes it take hold of them."""

from __future__ import annotations

from cudnnlint.events import Event
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.machine import Machine
from cudnnlint.records import record
from cudnnlint.source import Span

DEVICES = "devices"
"""Key of what is known of the devices, in the global state."""
EAGER = "eager"
"""Key of the span that made TensorFlow take hold of the devices."""
WITHIN = "within a function"
"""Key of whether that was in a function: it may come later than another that nothing calls."""
HIDDEN = "hidden"
"""Key of the span that hid all GPUs from TensorFlow before it took hold of them."""


def hidden(m: Machine) -> Span | None:
    at = runtime(m).items.get(HIDDEN)
    return at if isinstance(at, Span) else None


STARTING = frozenset(f"tensorflow.{name}" for name in (
    "constant", "Variable", "zeros", "ones", "fill", "convert_to_tensor", "random.normal", "random.uniform"))
"""Functions that make tensors of plain values; called outside of a graph they make TensorFlow take hold of the GPUs."""


def runtime(m: Machine) -> DictV:
    """What is known of the devices, taken back and joined like everything on the heap."""
    table: DictV | None = m.state.get(DEVICES)
    if table is None:
        table = m.state[DEVICES] = DictV()
    return table


SHARERS = "gpu sharers"
"""Key of the functions that run in several processes at a time, by their nodes."""


@record(slots=True)
class Worker:
    """What such a function is told of, and whether it makes TensorFlow take hold of the GPUs."""

    event: Event
    started: bool


def start(m: Machine, span: Span) -> None:
    if (workers := m.notes.get(SHARERS)) is not None and m.stack.tensorflow >= (2,):
        for frame in m.frames:
            if frame.function is not None and (worker := workers.get(id(frame.function.node))) is not None:
                worker.started = True
    table = runtime(m)
    if m.recording is not None:
        m.recording.refused = True  # another time it may be the first to take hold of them
    if m.stack.tensorflow >= (2,) and not m.uncalled and m.phase == "symbolic" and EAGER not in table.items:
        m.set_item(table, EAGER, span)
        m.set_item(table, WITHIN, bool(m.calls))

"""keras.backend.rnn, with which people write attention decoders: a step called for each moment of a sequence."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.tensorflow.folds_of_tensors import count, row_of, stacked
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor, Unknown

LATER = ("go_backwards", "mask", "constants", "unroll", "input_length", "time_major", "zero_output_for_mask",
         "return_all_outputs")
"""tf_keras/src/backend.py: rnn, its parameters after step_function, inputs and initial_states."""


@FRAMEWORK.on("keras.backend.rnn")
def rnn(c: Call) -> Any:
    """(last (batch, ...), all (batch, time, ...), states): the states keep their shapes (tf_keras/src/backend.py)."""
    inputs, states = strip(c.get(1, "inputs")), strip(c.get(2, "initial_states"))
    given = {name: strip(c.get(place, name, None)) for place, name in enumerate(LATER, 3)}
    major, whole = given["time_major"], given["return_all_outputs"]
    if major not in (None, True, False) or whole not in (None, True, False) or not isinstance(states, list | tuple):
        return Unknown("keras.backend.rnn with options that are not known")
    swapped = inputs if major else _swapped(inputs)
    many = count(swapped)
    if many is None:
        return Unknown("keras.backend.rnn over an unknown value")
    carried = (*states, *(given["constants"] or ()))
    made = strip(c.machine.call(c.get(0, "step_function"), [wrap(row_of(swapped)), wrap(carried)], {}, c.node))
    if not isinstance(made, tuple | list) or len(made) != 2 or not tensors(made[0]):
        return Unknown("what the step gives")
    outputs = stacked(made[0], 1 if whole is False else many)
    return wrap((_bare(made[0]), outputs if major else _swapped(outputs), tuple(_bare(states))))


def _swapped(value: Any) -> Any:
    """A structure with the first two axes of each tensor exchanged."""
    if isinstance(value, Tensor):
        shape = value.shape
        return value.with_(shape=(shape[1], shape[0], *shape[2:])) if isinstance(shape, tuple) and len(shape) > 1 \
            else Unknown("a sequence without moments")
    return type(value)(map(_swapped, value)) if isinstance(value, list | tuple) else Unknown("a sequence")


def _bare(value: Any) -> Any:
    """Without contents: each moment has others."""
    if isinstance(value, Tensor):
        return value.with_()
    return type(value)(map(_bare, value)) if isinstance(value, list | tuple) else value

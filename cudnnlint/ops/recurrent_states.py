"""The states of recurrent layers: how many a cell keeps, and which initial ones cannot work."""

from __future__ import annotations

from typing import Any

from cudnnlint.values import Mismatch, Problem, Symbol, Tensor, Unknown
from cudnnlint.values.dim import Dim


def sizes_of(cell: Any) -> tuple[Any, ...]:
    """Extents of a cell's states at the top level: one entry a state, itself a tuple for a stacked cell of several."""
    size = cell.state_size
    return size if isinstance(size, tuple) else (size,)


def as_states(states: Any) -> Any:
    """`initial_state` as a tuple; None when not given, Unknown when not known or an object of the program's own.

    >>> as_states([1, 2]), as_states(None)
    ((1, 2), None)
    """
    if states is None or isinstance(states, Unknown):
        return states
    if isinstance(states, (list, tuple)):
        return tuple(states)
    return (states,) if isinstance(states, Tensor) else Unknown("initial states that are neither tensors nor a list")


def open_batch(states: Any) -> Dim | None:
    """The batch of initial states that is open: what a loop of TensorFlow hands on from turn to turn keeps it open,
    whatever the sequence has (tf_keras/src/backend.py: rnn)."""
    first = states[0] if isinstance(states, tuple) and states else None
    if not isinstance(first, Tensor) or not isinstance(first.shape, tuple) or len(first.shape) != 2:
        return None
    return first.shape[0] if isinstance(first.shape[0], Symbol) else None


def state_mismatch(name: str, sizes: tuple[Any, ...], states: Any, batch: Dim, *, exact: bool) -> Mismatch | None:
    """Why states of a cell with `sizes` cannot be these; Keras 2 counts them (`exact`), Keras 3 ignores further ones.

    tf_keras/src/layers/rnn/base_rnn.py: _process_inputs, _validate_state_spec; in Keras 3 the step's matmul fails.
    """
    if not isinstance(states, tuple) or any(isinstance(size, tuple) for size in sizes):
        return None
    if len(states) < len(sizes) or (exact and len(states) != len(sizes)):
        return Mismatch(Problem.INPUT_COUNT, f"{name} has {len(sizes)} states, {len(states)} given",
                        help=f"pass {_counted(len(sizes))} in initial_state", argument="initial_state",
                        error=f'ValueError "Layer has {len(sizes)} states but was passed {len(states)} initial states"'
                        if exact else 'IndexError "list index out of range"')
    for index, (size, state) in enumerate(zip(sizes, states, strict=False)):
        if wrong := _misfit(name, index, size, state, batch, exact=exact):
            return wrong
    return None


def _counted(count: int) -> str:
    return "one tensor" if count == 1 else f"a list of {count} tensors"


def _misfit(name: str, index: int, size: Dim, state: Any, batch: Dim, *, exact: bool) -> Mismatch | None:
    """The first state is multiplied by a matrix; where nothing compares them before, a carry of width 1 broadcasts."""
    if not isinstance(state, Tensor) or state.rank is None or state.rank < 2:
        return None
    if state.rank > 2:
        return Mismatch(Problem.RANK, f"state {index} of {name} has {state.rank} axes: {state}",
                        help="a state is (batch, units): what return_state=True gives after the output", facts=(
                            ("expected", 2), ("actual", state.rank)), argument="initial_state",
                        error='ValueError "An `initial_state` was passed that is not compatible with '
                              '`cell.state_size`"' if exact else 'InvalidArgumentError "Incompatible shapes"')
    rows, width = state.shape  # type: ignore[misc]
    passes = not exact and index > 0 and 1 in (width, size)
    if isinstance(width, int) and isinstance(size, int) and width != size and not passes:
        return Mismatch(Problem.CHANNELS, f"state {index} of {name} has {width} features, units is {size}",
                        help=f"a state must be (batch, {size}): give both layers the same units", facts=(
                            ("built", size), ("actual", width)), argument="initial_state",
                        error='ValueError "An `initial_state` was passed that is not compatible with '
                              '`cell.state_size`"' if exact else 'InvalidArgumentError "Matrix size-incompatible" or '
                              'in a graph ValueError "Dimensions must be equal"')
    if isinstance(rows, int) and isinstance(batch, int) and rows != batch and 1 not in (rows, batch):
        return Mismatch(Problem.BROADCAST, f"state {index} of {name} has a batch of {rows}, its input one of {batch}",
                        help="make both batches the same", argument="initial_state",
                        error='InvalidArgumentError "Incompatible shapes"')
    return None

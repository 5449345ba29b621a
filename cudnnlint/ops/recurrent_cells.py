"""Recurrent cells: what one time step computes, the states it hands on and the variables it owns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cudnnlint.ops.arguments import NOT_DEFINED
from cudnnlint.ops.arith import as_dim, is_known, lift
from cudnnlint.ops.own_cell import OwnCell
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.ops.recurrent_states import as_states, sizes_of, state_mismatch
from cudnnlint.ops.windows import refused_dtype
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim


def times(size: Dim, count: int) -> Dim:
    """
    >>> times(4, 3)
    12
    """
    return lift(lambda n: n * count, size)


@record(frozen=True, slots=True)
class UnitCell(SingleInput):
    """(B, C) and states (B, units) -> (B, units) and new states: SimpleRNNCell, GRUCell, LSTMCell.

    kernel (C, gates * units), recurrent_kernel (units, gates * units); bias (gates * units,), with `reset_after`
    (2, gates * units), and in the layers that only cuDNN runs (`flat`) (2 * gates * units,).
    keras/src/layers/rnn/{simple_rnn,gru,lstm}.py: build; tf_keras/src/layers/rnn/cudnn_{gru,lstm}.py: build
    """

    name: str
    units: Any
    gates: int = 1
    use_bias: Any = True
    reset_after: Any = False
    flat: bool = False
    activation: Any = "tanh"
    recurrent_activation: Any = None
    recurrent_dropout: Any = 0.0

    @property
    def state_size(self) -> Any:
        """Extents of the states: one, or a tuple; nested for a stack of cells."""
        size = as_dim(self.units)
        return (size, size) if self.gates == 4 else size

    @property
    def output_size(self) -> Dim:
        return as_dim(self.units)

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from check_units(self.units)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        """As a layer of its own: cell(x, states) -> (output, [states])."""
        states = call.args[0] if call.args else call.kwargs.get("states")
        if states is None:
            return Mismatch(Problem.MISSING_ARGUMENT, f"{self.name} is called without states", argument="states",
                            help="pass the states, cell(x, states), or wrap the cell in keras.layers.RNN",
                            error="TypeError \"call() missing 1 required positional argument: 'states'\"")
        if x.rank != 2:
            return Unknown("a recurrent cell on an input that is not (batch, features)")
        if wrong := undefined_features(x, self.name, call.stack) or refused_dtype(x, call, self.name):
            return wrong
        if wrong := state_mismatch(self.name, sizes_of(self), as_states(states), x.shape[0],  # type: ignore[index]
                                   exact=False):
            return wrong
        out = x.with_(shape=(x.shape[0], self.output_size), dtype=call.policy.compute)  # type: ignore[index]
        nested = self.gates == 4 or isinstance(states, (list, tuple))
        new = [out] * len(sizes_of(self)) if nested else out
        return Unknown("states") if isinstance(states, Unknown) else (out, new)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return self.owned(x.shape[-1]) if isinstance(x.shape, tuple) and x.shape else Unknown("input rank")

    def owned(self, features: Dim) -> tuple[Weight, ...] | Unknown:
        """The variables of a cell whose step input has `features`."""
        for flag in (self.use_bias, self.reset_after):
            if isinstance(flag, Unknown):
                return flag
        units = as_dim(self.units)
        width = times(units, self.gates)
        kernels = (Weight("kernel", (features, width)), Weight("recurrent_kernel", (units, width)))
        if not self.use_bias:
            return kernels
        bias = (times(width, 2),) if self.flat else (2, width) if self.reset_after else (width,)
        return (*kernels, Weight("bias", bias))


@record(frozen=True, slots=True)
class StackedCells:
    """Cells one upon another, as one cell (keras/src/layers/rnn/stacked_rnn_cells.py)."""

    cells: tuple[Any, ...] | Unknown | Mismatch
    name: str = "StackedRNNCells"

    @property
    def state_size(self) -> Any:
        return tuple(cell.state_size for cell in self._known())

    @property
    def output_size(self) -> Dim:
        cells = self._known()
        return cells[-1].output_size if cells else Unknown("cells")

    def _known(self) -> tuple[Any, ...]:
        return self.cells if isinstance(self.cells, tuple) else ()

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return (self.cells,) if isinstance(self.cells, Mismatch) else ()

    def infer(self, call: LayerCall) -> Outcome:
        """As RNN calls it, with the states of each cell, which come back as they are."""
        x, states = call.inputs, call.args[0] if call.args else None
        if not isinstance(x, Tensor) or x.rank != 2 or not isinstance(states, list | tuple) \
                or len(states) != len(self._known()):
            return Unknown("a stack of cells called by itself")
        return x.with_(shape=(x.shape[0], self.output_size), dtype=call.policy.compute), states  # type: ignore[index]

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        x = call.inputs
        known = isinstance(x, Tensor) and isinstance(x.shape, tuple) and x.shape
        return self.owned(x.shape[-1]) if known else Unknown("input rank")

    def owned(self, features: Dim) -> tuple[Weight, ...] | Unknown:
        if not isinstance(self.cells, tuple):
            return Unknown("cells")
        found: list[Weight] = []
        for cell in self.cells:
            weights = cell.owned(features)
            if isinstance(weights, Unknown):
                return weights
            found += weights
            features = cell.output_size
        return tuple(found)


def cell_of(value: Any) -> Any:
    """The cell behind a constructor argument: UnitCell, StackedCells, OwnCell, Unknown, or the Mismatch of no cell."""
    if isinstance(value, (list, tuple)):
        cells = tuple(map(cell_of, value))
        odd = next((cell for cell in cells if isinstance(cell, Mismatch | Unknown)), None)
        if any(isinstance(cell, OwnCell) for cell in cells):
            return OwnCell(tuple(value)) if all(isinstance(cell, OwnCell) for cell in cells) else Unknown(
                "cells of the user's own beside others")
        return odd or (StackedCells(cells) if cells else Unknown("no cells"))
    op = value if isinstance(value, UnitCell | StackedCells) else getattr(value, "op", None)
    if isinstance(op, StackedCells) and not isinstance(op.cells, tuple):
        return Unknown("cells")
    if isinstance(op, UnitCell | StackedCells):
        return op
    plain = value is None or isinstance(value, (bool, int, float, str, dict))
    if plain or (op is not None and not hasattr(op, "return_sequences") and getattr(value, "user", None) is None):
        what = value if plain else getattr(op, "name", type(op).__name__)
        return Mismatch(Problem.INVALID_ARGUMENT, f"cell is {what}, which is no recurrent cell", argument="cell",
                        help="pass LSTMCell, GRUCell, SimpleRNNCell, or a list of them",
                        error='ValueError "The RNN cell should have a `state_size` attribute"')
    return value if isinstance(value, Unknown) else OwnCell(value)


def run_cells(held: Any, x: Tensor, time_major: bool, call: LayerCall) -> None:
    """Have the library's cells that RNN(cell) or RNN([cell, cell]) was given take one step of (B, T, C), one upon the
    other, and the stack of them that it was given: they are layers too. Keras 3 does so when data come, or within
    call() of another layer."""
    stacked = held if isinstance(getattr(held, "op", None), StackedCells) else None
    inner = held if stacked is None else getattr(stacked, "arguments", {}).get("cells")
    cells = inner if isinstance(inner, list | tuple) else (inner,)
    if x.rank != 3 or not all(isinstance(getattr(cell, "op", None), UnitCell) for cell in cells):
        return
    batch, features = x.shape[1 if time_major else 0], x.shape[2]  # type: ignore[index]
    first = step = Tensor((batch, features), x.dtype, x.kind, None, x.step, x.assumptions)
    given = []
    for cell in cells:
        states = [step.with_(shape=(batch, size), dtype=call.policy.compute) for size in sizes_of(cell.op)]
        given.append(states if len(states) > 1 else states[0])
        made = call.apply(cell, step, states)
        if not isinstance(made, tuple) or not isinstance(made[0], Tensor):
            return
        step = made[0]
    if stacked is not None:
        call.apply(stacked, first, given)


def check_units(units: Any) -> Iterator[Mismatch]:
    """Keras 2.7 on; before, zero units made an empty layer (keras/layers/recurrent.py)."""
    if units is None or (is_known(units) and units <= 0):
        zero = Where(keras=">=2.7") if units == 0 else Where()
        yield Mismatch(Problem.NON_POSITIVE if units is not None else Problem.INVALID_ARGUMENT, f"units is {units}",
                       help="units must be a positive integer", argument="units", where=zero,
                       error=f'ValueError "Received an invalid value for argument `units`, expected a positive '
                             f'integer, got {units}"')


def undefined_features(x: Tensor, name: str, stack: Stack) -> Mismatch | None:
    """The last axis sizes the kernel, so it must be a number."""
    if not (isinstance(x.shape, tuple) and x.shape and isinstance(x.shape[-1], Symbol)):
        return None
    return Mismatch(Problem.FEATURE_UNKNOWN, f"{name} needs the last axis of its input, which is None in {x}",
                    help="give the number of features in the input shape, only the time axis may be None",
                    error=NOT_DEFINED if stack.keras >= (3,) else "TypeError")


EXTRA = {"enable_caching_device": "<3"}


@layer("keras.layers.SimpleRNNCell", versions=EXTRA)
def simple_rnn_cell(
        units: Any, activation: Any = "tanh", use_bias: Any = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, dropout: Any = 0.0,
        recurrent_dropout: Any = 0.0, *, seed: Any = None, enable_caching_device: Any = True) -> UnitCell:
    return UnitCell("SimpleRNNCell", units, 1, use_bias, activation=activation, recurrent_dropout=recurrent_dropout)


@layer("keras.layers.GRUCell", versions=EXTRA)
def gru_cell(
        units: Any, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: Any = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
        bias_regularizer: Any = None, kernel_constraint: Any = None, recurrent_constraint: Any = None,
        bias_constraint: Any = None, dropout: Any = 0.0, recurrent_dropout: Any = 0.0, reset_after: Any = True,
        *, seed: Any = None, implementation: Any = 2, enable_caching_device: Any = True) -> UnitCell:
    return UnitCell("GRUCell", units, 3, use_bias, reset_after, activation=activation,
                    recurrent_activation=recurrent_activation, recurrent_dropout=recurrent_dropout)


@layer("keras.layers.LSTMCell", versions=EXTRA)
def lstm_cell(
        units: Any, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: Any = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: Any = True, kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, dropout: Any = 0.0,
        recurrent_dropout: Any = 0.0, *, seed: Any = None, implementation: Any = 2,
        enable_caching_device: Any = True) -> UnitCell:
    return UnitCell("LSTMCell", units, 4, use_bias, activation=activation, recurrent_activation=recurrent_activation,
                    recurrent_dropout=recurrent_dropout)


@layer("keras.layers.StackedRNNCells", versions={"reverse_state_order": "<3"})
def stacked_rnn_cells(cells: Any, *, reverse_state_order: Any = False) -> StackedCells:
    found = cell_of(cells) if isinstance(cells, (list, tuple)) else Unknown("cells")
    if reverse_state_order is not False:
        return StackedCells(Unknown("reverse_state_order"))
    return StackedCells(found.cells if isinstance(found, StackedCells) else found)

"""Recurrent layers over (batch, time, features): a cell run along the time axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import rank_mismatch
from cudnnlint.ops.cudnn_rnn import cudnn_eligible, obstacles
from cudnnlint.ops.flags import flag
from cudnnlint.ops.kernels.recurrent import looped
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.own_cell import OwnCell
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.recurrent_cells import StackedCells, UnitCell, cell_of, run_cells, undefined_features
from cudnnlint.ops.recurrent_states import as_states, open_batch, sizes_of, state_mismatch
from cudnnlint.ops.windows import refused_dtype
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim

NO_NESTED_STATES = Where(keras=">=3,<3.3")
"""Where compute_output_shape takes each state for one tensor (keras/src/layers/rnn/rnn.py: RNN)."""
LONGEST = 65535
ALWAYS_V3 = Where(keras=">=2.18,<3|>=3.2", cudnn=">=8.9")
"""keras/src/backend/tensorflow/rnn.py: _cudnn_lstm; tf_keras/src/layers/rnn/lstm.py: gpu_lstm"""


@record(frozen=True, slots=True)
class Recurrent:
    """(B, T, C) -> (B, units), or (B, T, units) with return_sequences; return_state adds the final states.

    keras/src/layers/rnn/rnn.py: RNN.compute_output_shape, tf_keras/src/layers/rnn/base_rnn.py: RNN.call;
    (T, B, C) with Keras 2's time_major. Keras 3 hands several outputs out as a tuple, Keras 2 as a list.
    """

    name: str
    cell: Any
    return_sequences: Any = False
    return_state: Any = False
    go_backwards: Any = False
    stateful: Any = False
    unroll: Any = False
    time_major: Any = False
    use_cudnn: Any = "auto"
    held: Any = None
    """Of RNN(cell) the layer, or list of layers, that it calls at each step."""

    @property
    def own(self) -> bool:
        """A layer that makes its cell itself, and so knows its rank: all but RNN(cell)."""
        return self.name != "RNN"

    def fused(self, stack: Stack) -> bool:
        """Whether a GPU certainly runs it through cuDNN, masks apart."""
        return cudnn_eligible(self, stack) is True

    def hindrances(self, stack: Stack) -> tuple[str, ...] | Unknown:
        """The arguments that keep cuDNN's kernel out."""
        return obstacles(self, stack)

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        if isinstance(self.cell, Mismatch):
            yield self.cell
        elif self.own and isinstance(self.cell, UnitCell):
            yield from self.cell.check(stack)
        if isinstance(self.use_cudnn, str) and self.use_cudnn != "auto":
            yield Mismatch(Problem.INVALID_ARGUMENT, f'use_cudnn is "{self.use_cudnn}"', argument="use_cudnn",
                           help='use_cudnn must be "auto", True or False', where=Where(keras=">=3.2"),
                           error='ValueError "Expected one of {\'auto\', True, False}"')

    def infer(self, call: LayerCall) -> Outcome:
        if isinstance(self.cell, OwnCell):
            known = flag(self.time_major) is False
            return self.cell.run(call, self.return_sequences, self.return_state) if known else Unknown("time_major")
        x, states = operands(call)
        if not isinstance(self.cell, UnitCell | StackedCells):  # it may take several inputs
            return self.cell if isinstance(self.cell, Unknown) else Unknown("the cell is not known")
        if isinstance(x, Mismatch | Unknown):
            return x
        unchecked = not self.own or (states is not None and call.stack.keras < (3,))  # base_rnn.py: __call__
        if x.rank is not None and x.rank > 3 and unchecked:
            return Unknown(f"{self.cell.name} over steps of several axes")
        for wrong in self._faults(x, states, call):
            return wrong
        out = self._outputs(x, states, call)
        if (late := next(iter(self._late_faults(x, states, call, out)), None)) is not None:
            return late
        if self.held is not None:
            run_cells(self.held, x, flag(self.time_major) is True, call)
        return out

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        if isinstance(self.cell, OwnCell):
            return self.cell.weights(call)
        x, _ = operands(call)
        if not isinstance(x, Tensor) or x.rank is None or x.rank < 2:
            return Unknown("input rank")
        if not isinstance(self.cell, UnitCell | StackedCells):
            return Unknown("the cell is not known")
        return self.cell.owned(x.shape[-1])  # type: ignore[index]

    def _faults(self, x: Tensor, states: Any, call: LayerCall) -> Iterator[Mismatch]:
        """Why the layer cannot be built on `x`."""
        if wrong := rank_mismatch(x, 3, self.name):
            # RNN(cell) builds on (2, C) in Keras 3, and fails on its first run
            yield replace(wrong, help=rank_help(x), otherwise=None if self.own else Unknown("no time axis"))
        symbolic = x.kind == "keras"
        if wrong := undefined_features(x, self.name, call.stack) or refused_dtype(x, call, self.name):
            yield wrong
        batch = self._axis(x, "batch")
        if symbolic and flag(self.stateful) and isinstance(batch, Symbol):
            yield Mismatch(Problem.FEATURE_UNKNOWN, f"stateful=True needs a fixed batch size, which is None in {x}",
                           help="give the batch size: keras.Input(batch_shape=(...))", argument="stateful",
                           error='ValueError "When using `stateful=True` in a RNN, the batch size must be static"')
        if call.stack.keras >= (3,):
            return
        if symbolic and flag(self.unroll) and isinstance(self._axis(x, "time"), Symbol):
            yield Mismatch(Problem.FEATURE_UNKNOWN, f"unroll=True needs a known time axis, which is None in {x}",
                           help="give the number of time steps in the input shape", argument="unroll",
                           error='ValueError "Cannot unroll a RNN if the time dimension is undefined"',
                           where=Where(keras="<3"))
        if wrong := state_mismatch(self.name, sizes_of(self.cell), states, self._state_rows(batch), exact=True):
            yield wrong

    def _late_faults(self, x: Tensor, states: Any, call: LayerCall, out: Outcome) -> Iterable[Mismatch]:
        """What Keras 3 builds and no run survives: its build never calls the layer (compute_output_spec)."""
        if wrong := self._too_long(x, call, out):
            yield wrong
        if call.stack.keras < (3,):
            return
        if NO_NESTED_STATES.holds(call.stack) and x.kind == "keras" and flag(self.return_state) and any(
                isinstance(size, tuple) for size in sizes_of(self.cell)):
            yield Mismatch(Problem.INVALID_ARGUMENT, "return_state=True over stacked cells of several states each",
                           help="leave return_state off, or use Keras 3.3 or newer", argument="return_state",
                           error='ValueError "Cannot map function to unknown object"', where=NO_NESTED_STATES,
                           otherwise=out)
        if wrong := state_mismatch(self.name, sizes_of(self.cell), states, self._axis(x, "batch"), exact=False):
            yield replace(wrong, otherwise=out)
        against = obstacles(self, call.stack) if self.use_cudnn is True and self.own else ()
        if against and not isinstance(against, Unknown):
            yield Mismatch(Problem.CUDNN_RNN, f"use_cudnn=True, but {against[0]} rules cuDNN out",
                           help='use_cudnn="auto" falls back to the general kernel', argument="use_cudnn",
                           error='ValueError "use_cudnn=True was specified, but cuDNN is not supported for this '
                                 'layer configuration"', otherwise=out, where=Where(keras=">=3.2"))

    def _too_long(self, x: Tensor, call: LayerCall, out: Outcome) -> Mismatch | None:
        """cudnnSetRNNDataDescriptor of cuDNN 8.9 and newer refuses more steps; the op that calls it
        (tensorflow/core/kernels/cudnn_rnn_ops.cc: CudnnRNNV3) is used for all sequences in later Keras only."""
        steps = self._axis(x, "time")
        if not isinstance(steps, int) or steps <= LONGEST or not self.fused(call.stack):
            return None
        remedy = "cut the sequence into shorter ones, or pool it first"
        return Mismatch(Problem.LONG_SEQUENCE, f"{steps} time steps into {self.name}, cuDNN takes {LONGEST}",
                        help=f"{remedy}; use_cudnn=False falls back to the general kernel"
                        if call.stack.keras >= (3,) else remedy, where=ALWAYS_V3, otherwise=out,
                        error="CUDNN_STATUS_NOT_SUPPORTED from cudnnSetRNNDataDescriptor", facts=(("steps", steps),))

    def _state_rows(self, batch: Dim) -> Dim:
        """The batch that states must have, where Keras 2 compares it when it builds."""
        late = flag(self.stateful) is not False or (isinstance(self.cell, UnitCell) and self.cell.flat)
        return Unknown("compared when it runs") if late else batch

    def _axis(self, x: Tensor, name: str) -> Dim:
        major = flag(self.time_major)
        if isinstance(x.shape, Unknown) or len(x.shape) < 2 or major is None:
            return Unknown("time_major" if major is None else "input rank")
        return x.shape[major] if name == "batch" else x.shape[1 - major]

    def _outputs(self, x: Tensor, states: Any, call: LayerCall) -> Outcome:
        batch, dtype = self._axis(x, "batch"), call.policy.compute
        shape = self._sequence_shape(x, self.cell.output_size)
        if call.stack.keras < (3,) and (free := open_batch(states)) is not None:
            if isinstance(shape, tuple) and len(shape) == 2 and batch == 1:  # which broadcasts to whatever it is
                shape = (free, *shape[1:])
            batch = free
        main = x.with_(shape=shape, dtype=dtype)
        with_states = flag(self.return_state)
        if with_states is None:
            return Unknown("return_state is not known")

        states = [_state(main, batch, size) for size in sizes_of(self.cell)]
        if isinstance(self.cell, StackedCells) and call.stack.keras >= (3,):  # stacked_rnn_cells.py: call
            states = [each if isinstance(each, list) else [each] for each in states]
        return several((main, *states), call.stack) if with_states else main

    def _sequence_shape(self, x: Tensor, size: Dim) -> Shape | Unknown:
        whole, major = flag(self.return_sequences), flag(self.time_major)
        if whole is None or major is None:
            return Unknown("return_sequences" if whole is None else "time_major")
        batch, time = self._axis(x, "batch"), self._axis(x, "time")
        if not whole:
            return (batch, size)
        return (time, batch, size) if major else (batch, time, size)

    def lower(self, at: Site) -> Value:
        return looped(at, self)


def _state(x: Tensor, batch: Dim, size: Any) -> Any:
    """States of a cell of that size; of stacked ones, a list for each."""
    if isinstance(size, tuple):
        return [_state(x, batch, each) for each in size]
    return x.with_(shape=(batch, size))


def several(outputs: tuple[Any, ...], stack: Stack) -> Any:
    """Several outputs as the library hands them out."""
    return outputs if stack.keras >= (3,) else list(outputs)


def operands(call: LayerCall) -> tuple[Any, Any]:
    """(sequence, states): the sequence a Tensor, Unknown or Mismatch; states as `as_states` gives them.

    Keras 2 also takes [sequence, *states] (rnn_utils.py: standardize_args); Keras 3 wants initial_state=.
    """
    inputs = call.inputs
    states = as_states(call.args[0] if call.args else call.kwargs.get("initial_state"))
    if isinstance(inputs, Tensor | Unknown):
        return inputs, states
    if not isinstance(inputs, (list, tuple)) or not inputs or not all(isinstance(one, Tensor) for one in inputs):
        return Unknown("inputs are not tensors"), None
    if len(inputs) == 1:
        return inputs[0], states
    if call.stack.keras < (3,):
        return inputs[0], tuple(inputs[1:])
    return Mismatch(Problem.INPUT_COUNT, f"expected 1 input tensor, received {len(inputs)}", where=Where(keras=">=3"),
                    help="pass the states by keyword: initial_state=[...]",
                    error=f'ValueError "expects 1 input(s), but it received {len(inputs)} input tensors"'), None


def rank_help(x: Tensor) -> str:
    """The remedy for an input without time axis: return_sequences, if a recurrent layer dropped it."""
    at: Any = x
    for _ in range(8):
        step = getattr(at, "step", None)
        op = getattr(getattr(step, "maker", None), "op", None)
        if getattr(op, "return_sequences", None) is False:
            return "set return_sequences=True on the previous recurrent layer"
        parents = tuple(getattr(step, "parents", ()))
        if len(parents) != 1 or getattr(parents[0], "rank", None) != x.rank:
            break
        at = parents[0]
    return "the input must be (batch, time, features)"


@layer("keras.layers.RNN", versions={"time_major": "<3", "input_length": "<3"})
def rnn(cell: Any, return_sequences: Any = False, return_state: Any = False, go_backwards: Any = False,
        stateful: Any = False, unroll: Any = False, time_major: Any = False, zero_output_for_mask: Any = False, *,
        input_length: Any = None) -> Recurrent:
    return Recurrent("RNN", cell_of(cell), return_sequences, return_state, go_backwards, stateful, unroll, time_major,
                     held=cell)

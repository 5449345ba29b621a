"""Recurrent cells of the user's own, run by keras.layers.RNN: one step is followed, its output holds for all."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.flags import flag
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight
from cudnnlint.ops.recurrent_states import as_states
from cudnnlint.ops.wrapped import each_tensor, weigh_inner
from cudnnlint.records import record
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.dim import Dim


@record(frozen=True, slots=True)
class OwnCell:
    """A layer with `state_size` whose call(inputs, states) gives (output, new states).

    keras/src/layers/rnn/rnn.py: RNN.inner_loop
    """

    cell: Any
    """The layer, or a list of layers one upon another."""

    def run(self, call: LayerCall, return_sequences: Any, return_state: Any) -> Outcome:
        """(B, T, ...) -> what the cell gives for (B, ...), along the time axis with `return_sequences`."""
        whole, with_states = flag(return_sequences), flag(return_state)
        first = _first(call.inputs)
        if whole is None or with_states is None or first is None or not isinstance(first.shape, tuple) \
                or len(first.shape) < 2:
            return Unknown("steps of a cell of the user's own")
        given = as_states(call.args[0] if call.args else call.kwargs.get("initial_state"))
        time = first.shape[1]
        several = isinstance(self.cell, list | tuple)
        if several and (given is not None or (with_states and call.stack.keras < (3,))):
            return Unknown("the states of several cells")
        made: Any = (each_tensor(call.inputs, _step), ())
        for cell in self.cell if several else (self.cell,):
            made = self._step_of(cell, made[0], given, call)
            if not isinstance(made, (list, tuple)) or len(made) != 2:
                return made if isinstance(made, Unknown) else Unknown("what a cell of the user's own gives")
        out = each_tensor(made[0], lambda x: _along(x, time)) if whole else made[0]
        if not with_states:
            return out
        if several:
            return (out, *(_told(call.attribute(cell, "state_size"), first, call) for cell in self.cell))
        last = made[1] if isinstance(made[1], (list, tuple)) else (made[1],)
        return (out, *last) if call.stack.keras >= (3,) else [out, *last]

    def _step_of(self, cell: Any, x: Any, states: Any, call: LayerCall) -> Any:
        first = _first(x)
        if first is None or not isinstance(first.shape, tuple) or not first.shape:
            return Unknown("steps of a cell of the user's own")
        if states is None:
            states = _initial(cell, first.shape[0], call) or _zeros(
                call.attribute(cell, "state_size"), first.shape[0], first, call)
        return states if isinstance(states, Unknown) else call.apply(cell, x, list(states))

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        """Cells that a class of the user's defines were built as the layer was run."""
        found: list[Weight] = []
        first = _first(call.inputs)
        for cell in self.cell if isinstance(self.cell, list | tuple) else (self.cell,):
            if call.attribute(cell, "built") is not True:
                return Unknown("the cell is not known")
            if isinstance(weights := weigh_inner(cell, call.inputs, call), Unknown):
                return weights
            if first is not None and first.kind == "keras" and call.stack.keras >= (3,) \
                    and len(weights) != _count_own(cell, len(weights)):
                return Unknown("layers within the cell are built when it runs")
            found += weights
        return tuple(found)


def _first(inputs: Any) -> Tensor | None:
    while isinstance(inputs, (list, tuple, dict)) and inputs:
        inputs = next(iter(inputs.values() if isinstance(inputs, dict) else inputs))
    return inputs if isinstance(inputs, Tensor) else None


def _step(x: Tensor) -> Any:
    if not isinstance(x.shape, tuple) or len(x.shape) < 2:
        return Unknown("no time axis")
    return Tensor((x.shape[0], *x.shape[2:]), x.dtype, x.kind, None, x.step, x.assumptions)


def _count_own(cell: Any, known: int) -> int:
    """How many variables a cell of the user's has itself: those of the library's cell that it derives from, and what it
    adds; of one of the library's `known`."""
    layer: Any = getattr(cell, "extra", None)
    if not hasattr(layer, "added"):
        return known
    of_library = layer.weights if layer.op is not None and isinstance(layer.weights, tuple) else ()
    return len(layer.added) + len(of_library)


def _along(x: Tensor, time: Dim) -> Any:
    return x.with_(shape=(x.shape[0], time, *x.shape[1:])) if isinstance(x.shape, tuple) and x.shape \
        else Unknown("a step without a batch axis")


def _told(sizes: Any, first: Tensor, call: LayerCall) -> Any:
    """What is left of one of several cells: a tensor, or a list of them (keras/src/layers/rnn/rnn.py:
    RNN.compute_output_shape)."""
    batch = first.shape[0] if isinstance(first.shape, tuple) else Unknown("batch")
    states = _zeros(sizes, batch, first, call)
    return states if isinstance(states, Unknown) else list(states) if isinstance(sizes, list | tuple) else states[0]


def _initial(cell: Any, batch: Dim, call: LayerCall) -> Any:
    """The initial states that the cell's own get_initial_state() gives, whatever its state_size says; None where it has
    none (keras/src/layers/rnn/rnn.py, tf_keras/src/layers/rnn/base_rnn.py: RNN.get_initial_state)."""
    method = call.attribute(cell, "get_initial_state")
    if method is None or isinstance(method, Unknown):
        return None
    rows = Tensor((), "int32", "tf", batch)
    more = {"inputs": None, "dtype": call.policy.compute} if call.stack.keras < (3,) else {}
    made = call.apply(method, **more, batch_size=rows)
    if isinstance(made, Unknown):
        return made
    return tuple(made) if isinstance(made, list | tuple) else (made,)


def _zeros(sizes: Any, batch: Dim, like: Tensor, call: LayerCall) -> Any:
    """The initial states, each (B, size) or (B, *shape)."""
    # a tuple of numbers may be a tf.TensorShape, of one state
    if isinstance(sizes, Unknown) or sizes is None or (
            isinstance(sizes, tuple) and len(sizes) > 1 and all(isinstance(size, int) for size in sizes)):
        return Unknown("state_size of a cell of the user's own")
    states: list[Any] = []
    for size in sizes if isinstance(sizes, (list, tuple)) else (sizes,):
        rest = tuple(size) if isinstance(size, (list, tuple)) else (size,)
        if not all(isinstance(extent, int) for extent in rest):
            return Unknown("state_size of a cell of the user's own")
        states.append(Tensor((batch, *rest), call.policy.compute, like.kind, None, like.step, like.assumptions))
    return tuple(states)

"""Bidirectional: a recurrent layer over the sequence and over its reverse, merged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import broadcast, lift, meet
from cudnnlint.ops.flags import flag
from cudnnlint.ops.kernels.recurrent import both_ways
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.recurrent import operands, several
from cudnnlint.ops.recurrent_cells import StackedCells, UnitCell
from cudnnlint.ops.wrapped import apply_inner, check_layer, op_of, weigh_inner
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where

MODES = ("sum", "mul", "ave", "concat")
COMMON = ("stateful", "return_sequences", "return_state")
STATES_LOST = Where(keras=">=3,<3.2")
"""Where compute_output_shape adds the states, a tuple, to a list (keras/src/layers/rnn/bidirectional.py)."""


@record(frozen=True, slots=True)
class Bidirectional:
    """What the layer gives, with its last axis doubled ("concat"), merged in place, or twice (None).

    keras/src/layers/rnn/bidirectional.py, tf_keras/src/layers/rnn/bidirectional.py
    """

    layer: Any
    merge_mode: Any = "concat"
    backward_layer: Any = None
    name: str = "Bidirectional"

    @property
    def return_sequences(self) -> Any:
        return getattr(op_of(self.layer), "return_sequences", None)

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        yield from check_layer(self.name, self.layer)
        if self.backward_layer is not None:
            yield from check_layer(self.name, self.backward_layer, "backward_layer")
        mode = self.merge_mode
        if mode is not None and (isinstance(mode, (bool, int, float)) or (isinstance(mode, str) and mode not in MODES)):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"merge_mode is {mode}", argument="merge_mode",
                           help='merge_mode must be "sum", "mul", "ave", "concat" or None',
                           error='ValueError "Merge mode should be one of {"sum", "mul", "ave", "concat", None}"')
        op = op_of(self.layer)
        if op is not None and not hasattr(op, "go_backwards"):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"Bidirectional wraps {_name(op)}, which is not recurrent",
                           help="wrap LSTM, GRU, SimpleRNN, RNN or ConvLSTM", argument="layer",
                           error="TypeError" if stack.keras >= (3,) else "KeyError")
        elif op is not None:
            yield from self._directions(op, op_of(self.backward_layer))

    def _directions(self, forward: Any, backward: Any) -> Iterator[Mismatch]:
        """Bidirectional._verify_layer_config; Keras 2 flips go_backwards in its copy, Keras 3 sets it."""
        if self.backward_layer is None:
            same = flag(forward.go_backwards) is True
        else:
            ways = flag(forward.go_backwards), flag(getattr(backward, "go_backwards", Unknown()))
            same = None not in ways and ways[0] == ways[1]
        if same:
            yield Mismatch(Problem.INVALID_ARGUMENT, "both layers of Bidirectional have the same go_backwards",
                           help="leave go_backwards off the forward layer, and set it on backward_layer",
                           error='ValueError "Forward layer and backward layer should have different `go_backwards` '
                                 'value"', argument="layer" if self.backward_layer is None else "backward_layer",
                           where=Where(keras=">=3") if self.backward_layer is None else Where())
        for name in COMMON if backward is not None else ():
            values = getattr(forward, name), getattr(backward, name, Unknown())
            if all(isinstance(value, bool) for value in values) and values[0] != values[1]:
                yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {values[0]} forwards and {values[1]} backwards",
                               help=f"give both layers the same {name}", argument="backward_layer",
                               error='ValueError "Forward layer and backward layer are expected to have the same value '
                                     f'for attribute "{name}""')

    def infer(self, call: LayerCall) -> Outcome:
        x, states = operands(call)
        if isinstance(x, Mismatch) and op_of(self.layer) is None:
            return Unknown("a wrapped layer of the program's own may take several inputs")
        if isinstance(x, Mismatch | Unknown):
            return x
        if isinstance(states, tuple) and len(states) % 2 and call.stack.keras < (3,):
            return Mismatch(Problem.INPUT_COUNT, f"Bidirectional has two halves of states, {len(states)} given",
                            help="give the forward layer's states, then the backward layer's", argument="initial_state",
                            error='ValueError "the state should be a list containing the states of the underlying '
                                  'RNNs"', where=Where(keras="<3"))
        if isinstance(getattr(op_of(self.layer), "cell", None), UnitCell | StackedCells):
            call = replace(call, apply=_copied)
        forward = apply_inner(self.layer, x, call, **_half(states, 0))
        if isinstance(forward, Mismatch) and forward.problem is Problem.INPUT_COUNT and isinstance(states, tuple):
            forward = replace(forward, message=f"Bidirectional hands {len(states) // 2} of the {len(states)} states to "
                              f"each way: {forward.message}", help="those of the forward layer, then those of the "
                              "backward one: [forward_h, forward_c, backward_h, backward_c] of an LSTM")
        if isinstance(forward, Mismatch) and forward.otherwise is None:
            return forward
        backward = apply_inner(self._other, x, call, **_half(states, 1))
        if isinstance(backward, Mismatch) and backward.otherwise is None:
            return backward
        merged = self._merge(_going_on(forward), _going_on(backward), call)
        late = next((side for side in (forward, backward) if isinstance(side, Mismatch)), None)
        if late is None and x.kind == "keras" and STATES_LOST.holds(call.stack) and _apart(forward)[1]:
            return Mismatch(Problem.INVALID_ARGUMENT, "Bidirectional of a layer with return_state=True",
                            where=STATES_LOST, help="use Keras 3.2 or newer", argument="layer",
                            error='TypeError "can only concatenate list (not "tuple") to list"', otherwise=merged)
        return merged if late is None else replace(late, otherwise=merged)

    @property
    def _other(self) -> Any:
        return self.layer if self.backward_layer is None else self.backward_layer

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        x, _ = operands(call)
        if not isinstance(x, Tensor):
            return Unknown("inputs are not one tensor")
        found: list[Weight] = []
        for way, inner in (("forward", self.layer), ("backward", self._other)):
            weights = weigh_inner(inner, x, call)
            if isinstance(weights, Unknown):
                return weights
            found += (replace(weight, name=f"{way}/{weight.name}") for weight in weights)
        return tuple(found)

    def _merge(self, forward: Outcome, backward: Outcome, call: LayerCall) -> Outcome:
        (y, states), (z, more) = _apart(forward), _apart(backward)
        if not isinstance(y, Tensor) or not isinstance(z, Tensor):
            return Unknown("output of the wrapped layer")
        unlike = y.kind == "keras" and call.stack.keras >= (3,) and (y.shape, states) != (z.shape, more)
        if unlike:  # compute_output_shape gives what comes of the forward layer twice
            more = (Unknown("the two directions differ"),) * len(states)
        if self.merge_mode is None:
            return several((y, Unknown("the two directions differ") if unlike else z, *states, *more), call.stack)
        if self.merge_mode not in MODES:
            return Unknown("merge_mode")
        out = _concatenated(y, z, call) if self.merge_mode == "concat" else _combined(y, z, self.merge_mode, call)
        if not states:
            return out
        whole = several((out.otherwise if isinstance(out, Mismatch) else out, *states, *more), call.stack)
        return replace(out, otherwise=whole) if isinstance(out, Mismatch) else whole

    def lower(self, at: Site) -> Value:
        return both_ways(at, op_of(self.layer), op_of(self._other), self.merge_mode)


def _name(op: Any) -> str:
    return getattr(op, "name", type(op).__name__)


def _going_on(outcome: Outcome) -> Outcome:
    return outcome.otherwise if isinstance(outcome, Mismatch) else outcome


def _copied(cell: Any, *args: Any) -> Unknown:
    """Both layers are copies, whose cells are made by them."""
    return Unknown("a copy of the cell")


def _half(states: Any, which: int) -> dict[str, Any]:
    if not isinstance(states, tuple):
        return {} if states is None else {"initial_state": states}
    middle = len(states) // 2
    return {"initial_state": list(states[middle:] if which else states[:middle])}


def _apart(outcome: Outcome) -> tuple[Any, tuple[Any, ...]]:
    """(sequence, states) of a recurrent layer's outputs."""
    if isinstance(outcome, (list, tuple)) and outcome:
        return outcome[0], tuple(outcome[1:])
    return outcome, ()


def _joined(y: Tensor, z: Tensor) -> Shape | Unknown:
    if isinstance(y.shape, Unknown) or isinstance(z.shape, Unknown) or len(y.shape) != len(z.shape) or not y.shape:
        return Unknown("outputs of the wrapped layer")
    return tuple(map(meet, y.shape, z.shape))


def _concatenated(y: Tensor, z: Tensor, call: LayerCall) -> Tensor:
    """Keras 3 takes both widths for equal when it builds (compute_output_shape), and concatenates when it runs."""
    shape = _joined(y, z)
    if isinstance(shape, Unknown):
        return y.with_(shape=shape)
    width = lift(lambda a, b: a + b, y.shape[-1], z.shape[-1])  # type: ignore[index]
    if y.kind == "keras" and call.stack.keras >= (3,) and y.shape[-1] != z.shape[-1]:  # type: ignore[index]
        width = Unknown("the two directions differ in width")
    return y.with_(shape=(*shape[:-1], width))


def _combined(y: Tensor, z: Tensor, mode: str, call: LayerCall) -> Any:
    shape = broadcast(y.shape, z.shape)
    late = y if call.stack.keras >= (3,) and y.kind == "keras" else None
    if shape is None:
        return Mismatch(Problem.MERGE, f'merge_mode "{mode}" of {y} and {z}', otherwise=late, argument="merge_mode",
                        help='give both layers the same units, or merge_mode="concat"',
                        error='InvalidArgumentError "Incompatible shapes"')
    return y.with_(shape=shape if late is None or shape == y.shape else Unknown("the two directions differ in width"))


@layer("keras.layers.Bidirectional")
def bidirectional(layer: Any, merge_mode: Any = "concat", weights: Any = None,
                  backward_layer: Any = None) -> Bidirectional:
    return Bidirectional(layer, merge_mode, backward_layer)

"""TimeDistributed: a layer or model on every time step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import rank_mismatch
from cudnnlint.ops.kernels.recurrent import stepwise
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.windows import symbolic_dtype
from cudnnlint.ops.wrapped import apply_inner, check_layer, each_tensor, op_of, weigh_inner
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where
from cudnnlint.values.dim import is_known


@record(frozen=True, slots=True)
class TimeDistributed:
    """(B, T, *rest) -> (B, T, *out) where the layer makes (B, *out) of (B, *rest).

    keras/src/layers/rnn/time_distributed.py; Keras 2 takes and gives structures of tensors too.
    """

    layer: Any
    name: str = "TimeDistributed"

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return check_layer(self.name, self.layer)

    def infer(self, call: LayerCall) -> Outcome:
        inputs = _alone(call)
        if isinstance(inputs, Tensor):
            return self._steps(inputs, inputs, call)
        if isinstance(inputs, Unknown) or call.stack.keras >= (3,):
            return _several(inputs) or Unknown("inputs are not one tensor")
        first = next((item for item in _items(inputs) if isinstance(item, Tensor)), None)
        return self._steps(inputs, first, call) if first is not None else Unknown("inputs are not tensors")

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        child = each_tensor(_alone(call), _step)
        return Unknown("input rank") if isinstance(child, Unknown) else weigh_inner(self.layer, child, call)

    def _steps(self, inputs: Any, first: Tensor, call: LayerCall) -> Outcome:
        for item in _items(inputs):
            if isinstance(item, Tensor) and (wrong := rank_mismatch(item, 3, self.name, at_least=True)):
                return replace(wrong, error='ValueError "should be passed an `input_shape` with at least 3 dimensions"')
        if isinstance(first.shape, Unknown):
            return Unknown("input rank")
        batch, time = first.shape[:2]

        def whole(out: Tensor) -> Tensor:
            dtype = symbolic_dtype(out, call)
            if isinstance(out.shape, Unknown) or not out.shape or out.shape[0] != batch:
                return out.with_(shape=Unknown("shape of one time step"), dtype=dtype)
            return out.with_(shape=(batch, time, *out.shape[1:]), dtype=dtype)

        child = each_tensor(inputs, _step)
        out = apply_inner(self.layer, child, call)
        if isinstance(out, Mismatch) and out.problem is Problem.RANK:
            out = replace(out, help=_of_steps(first.shape))
        if isinstance(out, Mismatch) and out.problem is Problem.RANK and call.stack.keras >= (3,):
            # the layer's own rank check is passed by; only what has weights is sure to fail when it runs
            late = replace(out, otherwise=Unknown("shape of one time step"))
            if getattr(op_of(self.layer), "name", "").startswith(("Conv1D", "Conv2D", "Conv3D")):
                return replace(out, error='ValueError "Kernel shape must have the same length as input"')
            return late if weigh_inner(self.layer, child, call) != () else late.otherwise
        if isinstance(out, (list, tuple, dict)) and call.stack.keras >= (3,):
            return Unknown("several outputs of a time step")
        return each_tensor(out, whole)

    def lower(self, at: Site) -> Value:
        return stepwise(at, self.layer, op_of(self.layer))


def _several(inputs: Any) -> Mismatch | None:
    """A list of tensors, a recurrent layer's states among them (keras/src/layers/rnn/time_distributed.py: build)."""
    if not isinstance(inputs, list | tuple) or len(inputs) < 2 or not all(isinstance(item, Tensor) for item in inputs):
        return None
    return Mismatch(Problem.INPUT_COUNT, f"expected 1 input tensor, received {len(inputs)}", where=Where(keras=">=3"),
                    help="leave out return_state of the layer before, or take the first of what it gives",
                    error='ValueError "Cannot convert to a shape. Found invalid dimension" or "Invalid input shape"')


def _of_steps(shape: Shape) -> str:
    """
    >>> _of_steps((None, 32, 32, 3))
    'the axis after the batch is time, and taken away: (time, 32, 32, 3) without the batch'
    """
    rest = ", ".join(str(dim) if is_known(dim) else "None" for dim in shape[1:])
    return f"the axis after the batch is time, and taken away: (time, {rest}) without the batch"


def _step(x: Tensor) -> Tensor:
    if isinstance(x.shape, Unknown) or len(x.shape) < 2:
        return x.with_(shape=Unknown("input rank"))
    return x.with_(shape=(x.shape[0], *x.shape[2:]))


def _alone(call: LayerCall) -> Any:
    inputs = call.inputs
    return inputs[0] if isinstance(inputs, (list, tuple)) and len(inputs) == 1 else inputs


def _items(inputs: Any) -> tuple[Any, ...]:
    if isinstance(inputs, dict):
        return tuple(inputs.values())
    return tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)


@layer("keras.layers.TimeDistributed")
def time_distributed(layer: Any) -> TimeDistributed:  # the library's own parameter name
    return TimeDistributed(layer)

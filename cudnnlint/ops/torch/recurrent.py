"""Recurrent modules of PyTorch: RNN, LSTM, GRU, and their cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import is_known, lift, may_equal
from cudnnlint.ops.functions._core import flag
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.torch._core import NAMES, count, dtype_of, negative
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Stack, Tensor, Unknown
from cudnnlint.values.packed import Packed

GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}


def _given(call: LayerCall) -> Any:
    return call.args[0] if call.args else call.kwargs.get("hx")


def _state_of(call: LayerCall) -> Any:
    """The state that it starts from, of an LSTM the first of the two."""
    state = _given(call)
    return state[0] if isinstance(state, (list, tuple)) and state else state


def wrong_kind(name: str, call: LayerCall) -> Mismatch | None:
    """An LSTM starts from (h, c), the others from a tensor (torch/nn/modules/rnn.py: LSTM.forward, GRU.forward)."""
    state = _given(call)
    if name == "LSTM" and isinstance(state, Tensor) and isinstance(call.inputs, Tensor) \
            and (call.inputs.rank, state.rank) == (3, 3):
        return Mismatch(
            Problem.UNEXPECTED, f"LSTM is given the tensor {state} as its state, which is a pair", help="(h, c)",
            error='IndexError "index 1 is out of bounds for dimension 0 with size 1" or RuntimeError "For batched 3-D '
                  'input, hx and cx should also be 3-D but got (2-D, 2-D) tensors"')
    if name != "LSTM" and isinstance(state, tuple) and state and all(isinstance(one, Tensor) for one in state):
        return Mismatch(
            Problem.UNEXPECTED, f"{name} is given a tuple as its state, which is one tensor",
            help="h alone: a cell state is an LSTM's", error='AttributeError "\'tuple\' object has no attribute"')
    return None


def wrong_dtype(name: str, weights: Any, x: Tensor, state: Any) -> Mismatch | None:
    """Input and state have the dtype of the weights (torch/nn/modules/rnn.py: RNNBase.check_input)."""
    for what, given in (("input", x), ("a state", state)):
        if isinstance(given, Tensor) and isinstance(given.dtype, str) and isinstance(weights, str) \
                and given.dtype != weights and {given.dtype, weights} <= NAMES.keys():
            return Mismatch(
                Problem.DTYPE, f"{name}: {what} of dtype {given.dtype}, weights of dtype {weights}",
                help=f"{'x.float()' if weights == 'float32' else f'x.to(torch.{weights})'}" if what == "input" else
                f"make the state with dtype=torch.{weights}", facts=(("dtype", given.dtype),),
                error=f'ValueError "RNN input dtype (torch.{given.dtype}) does not match weight dtype '
                      f'(torch.{weights})"' if what == "input" and not name.endswith("Cell") else
                      'RuntimeError "mat1 and mat2 must have the same dtype"')
    return None


@record(frozen=True, slots=True)
class Recurrent:
    """(T, N, in) -> ((T, N, D * out), state (D * layers, N, out)); batch_first swaps T and N of input and output only.

    torch/nn/modules/rnn.py: RNNBase; without a batch (T, in). An LSTM's state is (h, c).
    """

    name: str
    input_size: Any
    hidden_size: Any
    num_layers: Any = 1
    bias: Any = True
    batch_first: Any = False
    dropout: Any = 0.0
    bidirectional: Any = False
    proj_size: Any = 0
    dtype: Any = "float32"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        for name in ("input_size", "hidden_size", "num_layers"):
            value = getattr(self, name)
            if isinstance(value, float | str | tuple | list | dict) and (wrong := negative(name, value)):
                yield replace(wrong, error=f'TypeError "{name} should be of type int, got: {type(value).__name__}"' if
                              name != "num_layers" else 'TypeError "cannot be interpreted as an integer" or "not '
                              'supported between instances"')
            elif name != "input_size" and is_known(value) and value <= 0:
                yield Mismatch(Problem.NON_POSITIVE, f"{name} is {value}", argument=name,
                               help=f"{name} must be positive", error=f'ValueError "{name} must be greater than zero"')
        if isinstance(self.dropout, (int, float)) and not isinstance(self.dropout, bool) \
                and not 0 <= self.dropout <= 1:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"dropout is {self.dropout}, not a probability",
                           argument="dropout", help="dropout must lie between 0 and 1",
                           error='ValueError "dropout should be a number in range [0, 1] representing the probability '
                                 'of an element being zeroed"')

    def infer(self, call: LayerCall) -> Outcome:
        x = call.inputs
        if isinstance(x, Packed) and x.data is not None:
            return self._packed(x, x.data, call)
        if not isinstance(x, Tensor):
            return self._blind(x)
        if isinstance(x.shape, Unknown):
            state = _state_of(call)
            unbatched = isinstance(state, Tensor) and state.rank == 2
            return self._shaped(x, (x.shape,) * (2 if unbatched else 3))
        if len(x.shape) not in (2, 3):
            return Mismatch(Problem.RANK, f"{self.name} needs 2 or 3 axes, its input has {len(x.shape)}: {x}",
                            error=f'ValueError "{self.name}: Expected input to be 2D or 3D, got {len(x.shape)}D '
                                  'instead"', facts=(("expected", 3), ("actual", len(x.shape))))
        return self._wrong_features(x) or wrong_kind(self.name, call) or self._wrong_state(x.shape, call) \
            or wrong_dtype(self.name, self.dtype, x, _state_of(call)) or self._shaped(x, x.shape)

    def _packed(self, x: Packed, data: Tensor, call: LayerCall) -> Outcome:
        """A packed sequence gives one; the state has the sequences as its batch, in the order that they had."""
        if not isinstance(data.shape, tuple) or len(data.shape) != 2:
            data = data.with_(shape=(Unknown("the steps of all sequences"), Unknown("features")))
        assert isinstance(data.shape, tuple)
        out = self._shaped(data, data.shape)[0]
        state = data.with_(shape=self._state((x.rows,) * 3), dtype=self._dtype())
        return self._wrong_features(data) or wrong_kind(self.name, call) or self._wrong_packed(x, call) \
            or wrong_dtype(self.name, self.dtype, data, _state_of(call)) \
            or (Packed((out, *x[1:])), self._whole(state))

    def _wrong_packed(self, x: Packed, call: LayerCall) -> Mismatch | None:
        """Of a state for more sequences than there are, those that there are may be taken; a PyTorch that does not
        compare them first fails when it adds them up."""
        given = _state_of(call)
        rows = given.shape[1] if isinstance(given, Tensor) and isinstance(given.shape, tuple) and given.rank == 3 else 0
        fewer = isinstance(rows, int) and isinstance(x.rows, int) and 0 < rows < x.rows
        found = self._wrong_state((x.rows if fewer else Unknown("sequences"),) * 3, call)
        return replace(found, error=f'{found.error}, "must match the size of tensor" or "out of"') \
            if found is not None and fewer else found

    def _wrong_features(self, x: Tensor) -> Mismatch | None:
        assert isinstance(x.shape, tuple)
        if may_equal(count(self.input_size), x.shape[-1]):
            return None
        return Mismatch(Problem.CHANNELS, f"{self.name} takes {self.input_size} features, its input has "
                        f"{x.shape[-1]}: {x}", help="an axis for the feature is lacking: x.unsqueeze(-1)"
                        if self.input_size == 1 and len(x.shape) == 2 else f"input_size={x.shape[-1]}",
                        error='RuntimeError "input.size(-1) must be equal to input_size. Expected '
                              f'{self.input_size}, got {x.shape[-1]}"',
                        facts=(("expected", self.input_size), ("actual", x.shape[-1])))

    def _wrong_state(self, shape: tuple[Dim, ...], call: LayerCall) -> Mismatch | None:
        given, wanted = _state_of(call), self._state(shape)
        if not isinstance(given, Tensor) or isinstance(given.shape, Unknown):
            return None
        if len(given.shape) != len(wanted):
            return self._wrong_state_rank(given, len(wanted))
        if all(map(may_equal, given.shape, wanted)):
            return None
        told = "(" + ", ".join(str(dim) if isinstance(dim, int) else "..." for dim in wanted) + ")"
        have = "[" + ", ".join(str(dim) if isinstance(dim, int) else "..." for dim in given.shape) + "]"
        part = "hidden[0]" if self.name == "LSTM" else "hidden"
        return Mismatch(Problem.BROADCAST, f"{self.name} needs a state of {told}, it is given {have}",
                        help="state axes are (layers * directions, batch, hidden_size), with batch_first too",
                        error=f'RuntimeError "Expected {part} size {told}, got {have}"',
                        facts=(("expected", wanted), ("actual", given.shape)))

    def _wrong_state_rank(self, given: Tensor, wanted: int) -> Mismatch:
        """torch/nn/modules/rnn.py: RNN.forward, LSTM.forward, GRU.forward"""
        have = given.rank
        batched = "batched" if wanted == 3 else "unbatched"
        both = self.name == "LSTM"
        told = f"({have}-D, {have}-D) tensors" if both else f"{have}-D tensor"
        return Mismatch(
            Problem.RANK, f"{self.name} of {batched} input needs a state of {wanted} axes, it is given {have}: {given}",
            help="the first axis of the state is for the layers: h.unsqueeze(0)" if (have, wanted) == (2, 3) else
            "state axes are (layers * directions, batch, hidden_size), with batch_first too; input without a batch "
            "takes a state without one",
            error=f'RuntimeError "For {batched} {wanted}-D input, hx {"and cx " if both else ""}should also be '
                  f'{wanted}-D but got {told}"', facts=(("expected", wanted), ("actual", have)))

    def _blind(self, x: Any) -> Outcome:
        why = x if isinstance(x, Unknown) else Unknown("a packed sequence")
        state = Tensor(self._state((why,) * 3), self._dtype(), "torch")
        return (why, self._whole(state))

    def _shaped(self, x: Tensor, shape: tuple[Dim, ...]) -> tuple[Tensor, Any]:
        out = x.with_(shape=(*shape[:-1], self._directed(self._projected())), dtype=self._dtype())
        return (out, self._whole(x.with_(shape=self._state(shape), dtype=self._dtype())))

    def _whole(self, state: Tensor) -> Outcome:
        if self.name != "LSTM":
            return state
        assert isinstance(state.shape, tuple)
        return (state, state.with_(shape=(*state.shape[:-1], count(self.hidden_size))))

    def _state(self, shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
        first = flag(self.batch_first)
        batch = () if len(shape) == 2 else (Unknown("batch_first") if first is None else shape[0 if first else 1],)
        return (self._directed(count(self.num_layers)), *batch, self._projected())

    def _projected(self) -> Dim:
        size = count(self.proj_size)
        return count(self.hidden_size) if size == 0 else size

    def _directed(self, extent: Dim) -> Dim:
        both = flag(self.bidirectional)
        return Unknown("bidirectional") if both is None else lift(lambda n: 2 * n if both else n, extent)

    def _dtype(self) -> Any:
        return self.dtype if isinstance(self.dtype, str) else Unknown("dtype")

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        layers, both, biased = self.num_layers, flag(self.bidirectional), flag(self.bias)
        if not is_known(layers) or not 0 < layers <= 64 or both is None or biased is None or self.proj_size != 0:
            return Unknown("layers that are not known")
        rows = lift(lambda n: GATES[self.name] * n, count(self.hidden_size))
        found: list[Weight] = []
        for level in range(layers):
            size = count(self.input_size) if level == 0 else self._directed(count(self.hidden_size))
            for way in ("", "_reverse")[:2 if both else 1]:
                found += [Weight(f"weight_ih_l{level}{way}", (rows, size)),
                          Weight(f"weight_hh_l{level}{way}", (rows, count(self.hidden_size)))]
                found += [Weight(f"bias_{kind}_l{level}{way}", (rows,)) for kind in ("ih", "hh") if biased]
        return tuple(found)


@record(frozen=True, slots=True)
class Cell:
    """(N, in), (in,) -> (N, out); an LSTM's cell gives (h, c)."""

    name: str
    input_size: Any
    hidden_size: Any
    bias: Any = True
    dtype: Any = "float32"

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        for name in ("input_size", "hidden_size"):
            if wrong := negative(name, getattr(self, name)):
                yield wrong

    def infer(self, call: LayerCall) -> Outcome:
        x, dtype = call.inputs, self.dtype if isinstance(self.dtype, str) else Unknown("dtype")
        if not isinstance(x, Tensor) or isinstance(x.shape, Unknown) or not x.shape:
            made = Tensor((Unknown("input"), count(self.hidden_size)), dtype, "torch")
            return (made, made) if self.name == "LSTMCell" else made
        if len(x.shape) > 2:
            return Mismatch(Problem.RANK, f"{self.name} takes one step, a 2-D input (1-D of one sample), got "
                            f"{len(x.shape)}-D: {x}", help="one step after the other: cell(x[:, step], state), or "
                            f"nn.{self.name.removesuffix('Cell')} for all of them",
                            error=f'ValueError "{self.name}: Expected input to be 1D or 2D, got {len(x.shape)}D '
                                  'instead"')
        if not may_equal(count(self.input_size), x.shape[-1]):
            return Mismatch(Problem.CHANNELS, f"{self.name} takes {self.input_size} features, its input has "
                            f"{x.shape[-1]}: {x}", help=f"input_size={x.shape[-1]}",
                            error=f'RuntimeError "input has inconsistent input_size: got {x.shape[-1]} expected '
                                  f'{self.input_size}"',
                            facts=(("expected", self.input_size), ("actual", x.shape[-1])))
        if self.name == "LSTMCell" and isinstance(state := _given(call), Tensor):
            return Mismatch(Problem.UNEXPECTED, f"LSTMCell is given the tensor {state} as its state, which is a pair",
                            help="(h, c)", error="TypeError \"lstm_cell(): argument 'hx' (position 2) must be tuple of "
                                                 'Tensors, not Tensor"')
        if wrong := wrong_dtype(self.name, self.dtype, x, _state_of(call)):
            return wrong
        made = x.with_(shape=(*x.shape[:-1], count(self.hidden_size)))
        return (made, made) if self.name == "LSTMCell" else made

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        biased = flag(self.bias)
        if biased is None:
            return Unknown("bias")
        rows = lift(lambda n: GATES[self.name.removesuffix("Cell")] * n, count(self.hidden_size))
        own = (Weight("weight_ih", (rows, count(self.input_size))),
               Weight("weight_hh", (rows, count(self.hidden_size))))
        return (*own, Weight("bias_ih", (rows,)), Weight("bias_hh", (rows,))) if biased else own


@layer("torch.nn.RNN")
def rnn(input_size: Any, hidden_size: Any, num_layers: Any = 1, nonlinearity: Any = "tanh", bias: Any = True,
        batch_first: Any = False, dropout: Any = 0.0, bidirectional: Any = False, device: Any = None,
        dtype: Any = None) -> Recurrent:
    return Recurrent("RNN", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0,
                     dtype_of(dtype))


@layer("torch.nn.LSTM")
def lstm(input_size: Any, hidden_size: Any, num_layers: Any = 1, bias: Any = True, batch_first: Any = False,
         dropout: Any = 0.0, bidirectional: Any = False, proj_size: Any = 0, device: Any = None,
         dtype: Any = None) -> Recurrent:
    return Recurrent("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size,
                     dtype_of(dtype))


@layer("torch.nn.GRU")
def gru(input_size: Any, hidden_size: Any, num_layers: Any = 1, bias: Any = True, batch_first: Any = False,
        dropout: Any = 0.0, bidirectional: Any = False, device: Any = None, dtype: Any = None) -> Recurrent:
    return Recurrent("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0,
                     dtype_of(dtype))


@layer("torch.nn.RNNCell")
def rnn_cell(input_size: Any, hidden_size: Any, bias: Any = True, nonlinearity: Any = "tanh", device: Any = None,
             dtype: Any = None) -> Cell:
    return Cell("RNNCell", input_size, hidden_size, bias, dtype_of(dtype))


@layer("torch.nn.LSTMCell")
def lstm_cell(input_size: Any, hidden_size: Any, bias: Any = True, device: Any = None, dtype: Any = None) -> Cell:
    return Cell("LSTMCell", input_size, hidden_size, bias, dtype_of(dtype))


@layer("torch.nn.GRUCell")
def gru_cell(input_size: Any, hidden_size: Any, bias: Any = True, device: Any = None, dtype: Any = None) -> Cell:
    return Cell("GRUCell", input_size, hidden_size, bias, dtype_of(dtype))

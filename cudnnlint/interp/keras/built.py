"""What a layer holds to once it is built: the features of its variables, the rows of its states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown, Where
from cudnnlint.values.dim import is_known
from cudnnlint.values.mismatch import LATE

NORMALIZATION = "keras.layers.Normalization"
"""Its statistics are subtracted (keras/src/layers/preprocessing/normalization.py: Normalization.call)."""
COMPARED = Where(keras="<3|>=3.12")
"""keras/src/layers/rnn/rnn.py: RNN.call looks at `_expected_batch_size`; before, unequal rows may broadcast. Keras 2
holds to the whole shape (tf_keras/src/layers/rnn/base_rnn.py: RNN.build, get_input_spec)."""


def contradiction(m: Machine, layer: LayerV, inputs: Any, weights: Any) -> Mismatch | None:
    """Why this application cannot follow the first one."""
    wrong = clash(layer, weights)
    found = other_rows(layer, inputs) if wrong is None else _as_compared(wrong, layer, inputs, m.stack)
    return found if found is None or found.where.holds(m.stack) else None


UNCOMPARED = frozenset(f"keras.layers.{name}" for name in (
    "LayerNormalization", "EinsumDense", "PReLU", "MultiHeadAttention", "LSTM", "GRU", "SimpleRNN", "RNN",
    "Bidirectional"))
"""Layers of Keras 3 without an input_spec of their channels: symbolic inputs go through (each was run with 3.15)."""


def _as_compared(wrong: Mismatch, layer: LayerV, inputs: Any, stack: Stack) -> Mismatch:
    """When it fails, and how: Keras 2 compares the channels of symbolic inputs with nothing before an operation of
    TensorFlow does."""
    symbolic = any(tensor.kind == "keras" for tensor in tensors(inputs))
    if stack.keras < (3,):
        built, given = wrong.fact("built"), wrong.fact("actual")
        return wrong if not symbolic else replace(
            wrong, error=f'ValueError "Dimensions must be equal, but are {given} and {built}", "Depth of input '
                         f'({given}) is not a multiple of input depth of filter ({built})" or "expected axis"')
    if layer.path not in UNCOMPARED:
        return wrong
    error = wrong.error if layer.path in RECURRENT else "InvalidArgumentError or ValueError"
    return replace(wrong, error=error, facts=(*wrong.facts, *(LATE if symbolic else ())))


def other_rows(layer: LayerV, inputs: Any) -> Mismatch | None:
    """A stateful recurrent layer keeps one state for each row of the batch that it was built on."""
    if layer.arguments.get("stateful") is not True or not layer.calls:
        return None
    built, given = {_rows(before) for before, _ in layer.calls}, _rows(inputs)
    rows = built.pop() if len(built) == 1 else None
    if rows is None or given is None or rows == given:
        return None
    return Mismatch(Problem.STATE_ROWS, f"a batch of {given} into a stateful {layer.display} built for {rows}",
                    help=f"give {rows} rows, or build a model for {given} with the same weights", where=COMPARED,
                    error='ValueError "If an RNN is stateful, the batch size of the input sequences must be the same '
                          'as the batch size of the initial state" or "incompatible with the layer"',
                    facts=(("built", rows), ("actual", given)))


def keeps_states(layers: ListV) -> bool:
    """Whether a model has a stateful layer at its top level."""
    return any(isinstance(layer, LayerV) and layer.arguments.get("stateful") is True for layer in layers.items)


def _rows(inputs: Any) -> int | None:
    first = inputs[0] if isinstance(inputs, (list, tuple)) and inputs else inputs
    shape = first.shape if isinstance(first, Tensor) else None
    return shape[0] if isinstance(shape, tuple) and shape and isinstance(shape[0], int) else None


RECURRENT = frozenset(f"keras.layers.{name}" for name in ("LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional"))


RUNNING = {NORMALIZATION: (("moment", "when it runs"),)}
"""Layers whose symbolic call goes through, since nothing is compared in it."""


def _unequal(layer: LayerV, built: Any, given: Any) -> str:
    """Recurrent layers compare nothing before they multiply (keras/src/layers/rnn/lstm.py: LSTMCell.call), nor does a
    Normalization before it subtracts (keras/src/layers/preprocessing/normalization.py: call)."""
    if layer.path == NORMALIZATION:
        return 'InvalidArgumentError "Incompatible shapes" or in a graph ValueError "Dimensions must be equal"'
    if layer.path in RECURRENT:
        return f'ValueError "Dimensions must be equal, but are {given} and {built}" or eagerly InvalidArgumentError'
    return f'ValueError "expected axis {1 if _is_channels_first(layer) else -1} of input shape to have value {built}"'


def _first(layer: LayerV) -> tuple[tuple[Span, str], ...]:
    """Where what it was built on comes from."""
    found = tensors(layer.calls[0][0]) if layer.calls else ()
    return tuple((each.step.span, f"built on {each}") for each in found[:1] if each.step is not None)


def _is_channels_first(layer: LayerV) -> bool:
    return layer.arguments.get("data_format") == "channels_first"


def clash(layer: LayerV, weights: Any) -> Mismatch | None:
    """A layer built for other channels: its variables cannot change shape on a later call."""
    if not isinstance(layer.weights, tuple) or not isinstance(weights, tuple) or len(weights) != len(layer.weights):
        return None
    for old, new in zip(layer.weights, weights, strict=True):
        if len(old.shape) != len(new.shape):
            return None
        for axis, (a, b) in enumerate(zip(old.shape, new.shape, strict=True)):
            broadcasts = layer.path == NORMALIZATION and 1 in (a, b)
            if is_known(a) and is_known(b) and a != b and not broadcasts:
                return Mismatch(Problem.CHANNELS,
                                f"{layer.display} was built for {a} input features, this input has {b}",
                                help="channels_first reads the channels from axis 1 of the input"
                                if _is_channels_first(layer) else
                                "use a separate layer for each width, or the same number of features",
                                error=_unequal(layer, a, b),
                                facts=(("axis", axis), ("built", a), ("actual", b), ("origins", _first(layer)),
                                       *RUNNING.get(layer.path, ())))
    return None


def widened(layer: LayerV, outcome: Any, weights: Any) -> Any:
    """What a Normalization gives that was built for other features: one of them becomes as many as it was built for
    when it runs, and stays one while a model is put together (keras/src/layers/preprocessing/normalization.py: call,
    compute_output_shape; run with Keras 3.15). Grey images into an EfficientNet for colours go through."""
    if isinstance(outcome, Mismatch):
        is_one = outcome.problem is Problem.CHANNELS and outcome.fact("actual") == 1
        return Unknown("features that were broadcast") if is_one else outcome
    if not isinstance(outcome, Tensor) or not isinstance(layer.weights, tuple) or not isinstance(weights, tuple) \
            or [each.shape for each in weights] == [each.shape for each in layer.weights]:
        return outcome
    return outcome.with_(shape=Unknown("features that were broadcast"))

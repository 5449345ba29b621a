"""What a user is told of recurrent layers, and how several outputs are handed out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cudnnlint.ops.lambda_ import Lambda
from cudnnlint.ops.multi_head_attention import multi_head_attention
from cudnnlint.ops.protocol import LayerCall
from cudnnlint.ops.recurrent import Recurrent, rnn
from cudnnlint.ops.recurrent_cells import lstm_cell
from cudnnlint.ops.recurrent_layers import gru, lstm
from cudnnlint.ops.wrapped import op_of
from cudnnlint.source import Span
from cudnnlint.values import BATCH, FREE, Mismatch, Problem, Stack, Step, Tensor, Unknown

KERAS_2 = Stack(keras=(2, 15), tensorflow=(2, 15))
HERE = Span("model.py", 1, 0, 1, 1)
SEQUENCE = Tensor((BATCH, 10, 8), kind="keras")


def made_by(op: Any, out: Tensor, *parents: Tensor) -> Tensor:
    return out.with_(step=Step(HERE, parents, SimpleNamespace(op=op)))


def rejected(op: Any, *inputs: Any, stack: Stack | None = None, **kwargs: Any) -> Mismatch:
    out = op.infer(LayerCall(inputs[0], inputs[1:], kwargs, stack=stack or Stack()))
    assert isinstance(out, Mismatch)
    return out


def test_a_dropped_time_axis_is_blamed_on_return_sequences() -> None:
    first = lstm(32)
    last = made_by(first, first.infer(LayerCall(SEQUENCE)), SEQUENCE)
    assert rejected(lstm(16), last).help == "set return_sequences=True on the previous recurrent layer"
    dropped = made_by(SimpleNamespace(), last, last)
    assert rejected(lstm(16), dropped).help == "set return_sequences=True on the previous recurrent layer"


def test_another_missing_time_axis_is_not_blamed_on_a_layer() -> None:
    wrong = rejected(lstm(16), Tensor((BATCH, 32)))
    assert wrong.message == "LSTM needs 3 axes, its input has 2: float32[B, 32]"
    assert wrong.help == "the input must be (batch, time, features)"


@pytest.mark.parametrize(("stack", "kind"), [(Stack(), tuple), (KERAS_2, list)])
def test_states_come_in_the_librarys_own_container(stack: Stack, kind: type) -> None:
    out = lstm(4, return_state=True).infer(LayerCall(SEQUENCE, stack=stack))
    assert type(out) is kind
    assert [str(tensor) for tensor in out] == ["float32[B, 4]"] * 3


def test_keras_3_refuses_states_in_the_input_list() -> None:
    state = Tensor((BATCH, 4), kind="keras")
    assert rejected(gru(4), [SEQUENCE, state]).help == "pass the states by keyword: initial_state=[...]"
    assert isinstance(gru(4).infer(LayerCall([SEQUENCE, state], stack=KERAS_2)), Tensor)


def test_states_of_other_units_are_named_with_both_numbers() -> None:
    states = [Tensor((BATCH, 4)), Tensor((BATCH, 7))]
    wrong = rejected(lstm(4), SEQUENCE, initial_state=states)
    assert (wrong.problem, wrong.message) == (Problem.CHANNELS, "state 1 of LSTM has 7 features, units is 4")


def test_a_cell_of_the_users_own_without_known_states_is_unknown() -> None:
    out = rnn(SimpleNamespace(user=object(), op=None)).infer(LayerCall(SEQUENCE))
    assert isinstance(out, Unknown) and out.why == "state_size of a cell of the user's own"


def test_a_layer_class_of_the_users_is_not_taken_for_its_base() -> None:
    assert op_of(SimpleNamespace(user=object(), op=lstm(3))) is None
    assert isinstance(op_of(SimpleNamespace(user=None, op=lstm(3))), Recurrent)


def test_an_unrolled_layer_needs_its_time_axis_in_keras_2_only() -> None:
    open_time = Tensor((BATCH, FREE, 8), kind="keras")
    assert rejected(lstm(4, unroll=True), open_time, stack=KERAS_2).problem is Problem.FEATURE_UNKNOWN
    assert isinstance(lstm(4, unroll=True).infer(LayerCall(open_time)), Tensor)


def test_attention_on_a_list_asks_for_value() -> None:
    wrong = rejected(multi_head_attention(2, 4), [SEQUENCE, SEQUENCE])
    assert wrong.help == "call it as layer(query, value), for self-attention layer(x, x)"


def test_a_cell_without_states_asks_for_them() -> None:
    assert rejected(lstm_cell(3), Tensor((2, 8))).problem is Problem.MISSING_ARGUMENT


def test_lambda_prefers_what_its_function_does_to_what_it_declares() -> None:
    def run(function: Any, x: Tensor) -> Tensor:
        return x.with_(shape=(x.shape[0], 3))  # type: ignore[index]

    call = LayerCall(Tensor((4, 8)), apply=run)
    assert str(Lambda(object(), output_shape=(5,)).infer(call)) == "float32[4, 3]"
    contradicted = Lambda(object(), output_shape=(5,)).infer(LayerCall(Tensor((4, 8), kind="keras"), apply=run))
    assert isinstance(contradicted, Unknown)

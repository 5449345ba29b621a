"""The recurrent layers that bring their own cell: SimpleRNN, GRU, LSTM, and the two that only cuDNN runs."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.protocol import layer
from cudnnlint.ops.recurrent import Recurrent
from cudnnlint.ops.recurrent_cells import UnitCell

EXTRA = {"use_cudnn": ">=3.2", "time_major": "<3", "input_length": "<3", "enable_caching_device": "<3",
         "return_runtime": "<3"}
"""By keyword only: what the libraries order differently, far behind, or take through **kwargs (base_rnn.py)."""
OLD = {"seed": ">=3", **{key: EXTRA[key] for key in ("time_major", "input_length", "enable_caching_device")}}


@layer("keras.layers.SimpleRNN", versions=OLD)
def simple_rnn(
        units: Any, activation: Any = "tanh", use_bias: Any = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None, bias_constraint: Any = None,
        dropout: Any = 0.0, recurrent_dropout: Any = 0.0, return_sequences: Any = False, return_state: Any = False,
        go_backwards: Any = False, stateful: Any = False, unroll: Any = False, seed: Any = None, *,
        zero_output_for_mask: Any = False, time_major: Any = False, input_length: Any = None,
        enable_caching_device: Any = True) -> Recurrent:
    cell = UnitCell("SimpleRNNCell", units, 1, use_bias, activation=activation, recurrent_dropout=recurrent_dropout)
    return Recurrent("SimpleRNN", cell, return_sequences, return_state, go_backwards, stateful, unroll, time_major)


@layer("keras.layers.GRU", versions=EXTRA)
def gru(units: Any, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: Any = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, dropout: Any = 0.0,
        recurrent_dropout: Any = 0.0, *, seed: Any = None, return_sequences: Any = False, return_state: Any = False,
        go_backwards: Any = False, stateful: Any = False, unroll: Any = False, time_major: Any = False,
        reset_after: Any = True, use_cudnn: Any = "auto", implementation: Any = 2,
        zero_output_for_mask: Any = False, input_length: Any = None, enable_caching_device: Any = True,
        return_runtime: Any = False) -> Recurrent:
    cell = UnitCell("GRUCell", units, 3, use_bias, reset_after, activation=activation,
                    recurrent_activation=recurrent_activation, recurrent_dropout=recurrent_dropout)
    return Recurrent("GRU", cell, return_sequences, return_state, go_backwards, stateful, unroll, time_major, use_cudnn)


@layer("keras.layers.LSTM", versions=EXTRA)
def lstm(units: Any, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: Any = True,
         kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
         bias_initializer: Any = "zeros", unit_forget_bias: Any = True, kernel_regularizer: Any = None,
         recurrent_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
         kernel_constraint: Any = None, recurrent_constraint: Any = None, bias_constraint: Any = None,
         dropout: Any = 0.0, recurrent_dropout: Any = 0.0, *, seed: Any = None, return_sequences: Any = False,
         return_state: Any = False, go_backwards: Any = False, stateful: Any = False, time_major: Any = False,
         unroll: Any = False, use_cudnn: Any = "auto", implementation: Any = 2, zero_output_for_mask: Any = False,
         input_length: Any = None, enable_caching_device: Any = True, return_runtime: Any = False) -> Recurrent:
    cell = UnitCell("LSTMCell", units, 4, use_bias, activation=activation, recurrent_activation=recurrent_activation,
                    recurrent_dropout=recurrent_dropout)
    return Recurrent("LSTM", cell, return_sequences, return_state, go_backwards, stateful, unroll, time_major,
                     use_cudnn)


CUDNN = {"": "<3"}
"""`tf.compat.v1.keras.layers` and Keras before 2.4 only."""


@layer("keras.layers.CuDNNLSTM", versions=CUDNN)
def cudnn_lstm(
        units: Any, kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: Any = True, kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None, bias_constraint: Any = None,
        return_sequences: Any = False, return_state: Any = False, go_backwards: Any = False, stateful: Any = False, *,
        time_major: Any = False) -> Recurrent:
    cell = UnitCell("CuDNNLSTM cell", units, 4, flat=True, recurrent_activation="sigmoid")
    return Recurrent("CuDNNLSTM", cell, return_sequences, return_state, go_backwards, stateful, False, time_major)


@layer("keras.layers.CuDNNGRU", versions=CUDNN)
def cudnn_gru(
        units: Any, kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, return_sequences: Any = False,
        return_state: Any = False, go_backwards: Any = False, stateful: Any = False, *,
        time_major: Any = False) -> Recurrent:
    cell = UnitCell("CuDNNGRU cell", units, 3, flat=True, recurrent_activation="sigmoid")
    return Recurrent("CuDNNGRU", cell, return_sequences, return_state, go_backwards, stateful, False, time_major)

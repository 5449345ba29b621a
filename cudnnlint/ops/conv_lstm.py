"""Convolutional LSTM layers over (batch, time, *spatial, channels): ConvLSTM1D, ConvLSTM2D, ConvLSTM3D."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arguments import check_data_format, check_extents, check_padding, check_positive, padded_by_sides
from cudnnlint.ops.arith import as_dim, rank_mismatch, spread
from cudnnlint.ops.conv import check_dilation
from cudnnlint.ops.flags import flag
from cudnnlint.ops.kernels.recurrent import convolved_over_time
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.recurrent import operands, several
from cudnnlint.ops.recurrent_cells import times
from cudnnlint.ops.windows import Window, refused_dtype, split, undefined_channels
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Symbol, Tensor, Unknown, Where

DILATED = Where(keras="<3|>=3.14")
"""Where strides with dilation_rate are refused; between, they run (keras/src/layers/rnn/conv_lstm.py: ConvLSTMCell)."""


@record(frozen=True, slots=True)
class ConvLSTM:
    """(B, T, *spatial, C) -> (B, *windowed, filters), with T after B under return_sequences; either data_format.

    kernel (*kernel_size, C, 4 * filters), recurrent_kernel (*kernel_size, filters, 4 * filters), bias (4 * filters,).
    keras/src/layers/rnn/conv_lstm.py; tf_keras/src/layers/rnn/base_conv_lstm.py, base_conv_rnn.py
    """

    name: str
    window: Window
    filters: Any
    data_format: Any = None
    use_bias: Any = True
    return_sequences: Any = False
    return_state: Any = False
    go_backwards: Any = False
    stateful: Any = False

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        slide = self.window
        if self.filters is not None:  # as in conv.py
            yield from check_positive("filters", self.filters)
        yield from check_extents("kernel_size", slide.extent, slide.rank)
        yield from check_extents("strides", slide.strides, slide.rank)
        yield from check_extents("dilation_rate", slide.dilation_rate, slide.rank)
        yield from check_padding(slide.padding, "valid", "same")
        yield from check_data_format(self.data_format)
        yield from check_dilation(slide.strides, slide.dilation_rate, DILATED)

    def infer(self, call: LayerCall) -> Outcome:
        x, _ = operands(call)
        if not isinstance(x, Tensor):
            return x
        if wrong := rank_mismatch(x, self.window.rank + 3, self.name) \
                or padded_by_sides(self.window.padding, call.stack):
            return wrong
        step = self._step(x)
        if isinstance(step, Unknown):
            return step
        at = split(step, self.window.rank, self.data_format)
        if isinstance(at, Unknown):
            return at
        if wrong := undefined_channels(x, self.name, at.channel) or refused_dtype(x, call, self.name):
            return wrong
        for wrong in self._unknown_extents(x, at.spatial, call):
            return wrong
        after = self.window.over(at.spatial)
        last = step.with_(shape=at.shape(after, as_dim(self.filters)), dtype=call.policy.compute)
        out = self._outputs(x, last, call)
        return self.window.reject(at, after, out, call, (3, 14)) or out

    def _step(self, x: Tensor) -> Tensor | Unknown:
        """`x` at one time."""
        if isinstance(x.shape, Unknown):
            return Unknown("input rank")
        return x.with_(shape=(x.shape[0], *x.shape[2:]))

    def _unknown_extents(self, x: Tensor, spatial: tuple[Any, ...], call: LayerCall) -> Iterator[Mismatch]:
        if call.stack.keras >= (3,) and any(isinstance(size, Symbol) for size in spatial):
            yield Mismatch(Problem.FEATURE_UNKNOWN, f"{self.name} needs its spatial axes, of which one is None in {x}",
                           help="give the spatial extents in the input shape, only the time axis may be None",
                           error='ValueError "ConvLSTM layers only support static input shapes for the spatial '
                                 'dimension"', where=Where(keras=">=3"))
        if flag(self.stateful) and x.kind == "keras" and any(isinstance(n, Symbol) for n in (x.shape[0], *spatial)):  # type: ignore[index]
            yield Mismatch(Problem.FEATURE_UNKNOWN, f"stateful=True needs a fixed batch and extents, None in {x}",
                           help="give the batch size: keras.Input(batch_shape=(...))", argument="stateful",
                           error='ValueError "If a RNN is stateful, it needs to know its batch size"')

    def _outputs(self, x: Tensor, last: Tensor, call: LayerCall) -> Outcome:
        whole, with_states = flag(self.return_sequences), flag(self.return_state)
        if whole is None or with_states is None:
            return Unknown("return_sequences" if whole is None else "return_state")
        main = last
        if whole:
            main = last.with_(shape=(last.shape[0], x.shape[1], *last.shape[1:]))  # type: ignore[index]
        return several((main, last, last), call.stack) if with_states else main

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        x, _ = operands(call)
        rank = self.window.rank
        if not isinstance(x, Tensor) or x.rank != rank + 3:
            return Unknown("input rank")
        step = self._step(x)
        at = split(step, rank, self.data_format) if isinstance(step, Tensor) else step
        kernel = spread(self.window.extent, rank)
        for unknown in (at, kernel, self.use_bias):
            if isinstance(unknown, Unknown):
                return unknown
        filters = as_dim(self.filters)
        width = times(filters, 4)
        found = (Weight("kernel", (*kernel, at.channel, width)),  # type: ignore[misc, union-attr]
                 Weight("recurrent_kernel", (*kernel, filters, width)))  # type: ignore[misc]
        return (*found, Weight("bias", (width,))) if self.use_bias else found

    def lower(self, at: Site) -> Value:
        return convolved_over_time(at, self.filters)


def _conv_lstm(name: str, rank: int, given: dict[str, Any]) -> ConvLSTM:
    """The op of the spelling whose arguments are `given`."""
    window = Window(rank, given["kernel_size"], given["strides"], given["padding"], given["dilation_rate"])
    names = ("filters", "data_format", "use_bias", "return_sequences", "return_state", "go_backwards", "stateful")
    return ConvLSTM(name, window, **{each: given[each] for each in names})


EXTRA = {"seed": ">=3", "time_major": "<3", "input_length": "<3"}
"""From `dropout` on by keyword only: the order of the rest differs between Keras 2 and 3."""


@layer("keras.layers.ConvLSTM1D", versions=EXTRA)
def conv_lstm1d(
        filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
        dilation_rate: Any = 1, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: Any = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: Any = True, kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None, bias_constraint: Any = None, *,
        dropout: Any = 0.0, recurrent_dropout: Any = 0.0, seed: Any = None, return_sequences: Any = False,
        return_state: Any = False, go_backwards: Any = False, stateful: Any = False,
        zero_output_for_mask: Any = False, unroll: Any = False, time_major: Any = False,
        input_length: Any = None) -> ConvLSTM:
    return _conv_lstm("ConvLSTM1D", 1, locals())


@layer("keras.layers.ConvLSTM2D", versions=EXTRA)
def conv_lstm2d(
        filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
        dilation_rate: Any = 1, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: Any = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: Any = True, kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None, bias_constraint: Any = None, *,
        dropout: Any = 0.0, recurrent_dropout: Any = 0.0, seed: Any = None, return_sequences: Any = False,
        return_state: Any = False, go_backwards: Any = False, stateful: Any = False,
        zero_output_for_mask: Any = False, unroll: Any = False, time_major: Any = False,
        input_length: Any = None) -> ConvLSTM:
    return _conv_lstm("ConvLSTM2D", 2, locals())


@layer("keras.layers.ConvLSTM3D", versions=EXTRA)
def conv_lstm3d(
        filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
        dilation_rate: Any = 1, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: Any = True,
        kernel_initializer: Any = "glorot_uniform", recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros", unit_forget_bias: Any = True, kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None, bias_constraint: Any = None, *,
        dropout: Any = 0.0, recurrent_dropout: Any = 0.0, seed: Any = None, return_sequences: Any = False,
        return_state: Any = False, go_backwards: Any = False, stateful: Any = False,
        zero_output_for_mask: Any = False, unroll: Any = False, time_major: Any = False,
        input_length: Any = None) -> ConvLSTM:
    return _conv_lstm("ConvLSTM3D", 3, locals())

"""Convolutions whose kernel differs from place to place: LocallyConnected1D and 2D (Keras 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arguments import check_data_format, check_extents, check_padding
from cudnnlint.ops.arith import as_dim, is_known, product, rank_mismatch, spread
from cudnnlint.ops.elementwise import refused
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.ops.windows import AXES, Split, Window, blank, split
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown

ERROR = 'ValueError "One of the dimensions in the output is <= 0 due to downsampling"'


@record(frozen=True, slots=True)
class LocallyConnected(SingleInput):
    """(N, *spatial, C) -> (N, *spatial', filters); every output place has its own kernel.

    tf_keras/src/layers/locally_connected/locally_connected2d.py: build
    """

    window: Window
    filters: Dim
    data_format: Any
    use_bias: Any
    implementation: Any

    @property
    def name(self) -> str:
        return f"LocallyConnected{self.window.rank}D"

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from check_extents("kernel_size", self.window.extent, self.window.rank)
        yield from check_extents("strides", self.window.strides, self.window.rank, least=0)
        yield from check_padding(self.window.padding, "valid", "same")
        yield from check_data_format(self.data_format)
        if self.implementation == 1 and self.window.padding == "same":
            yield Mismatch(Problem.INVALID_ARGUMENT, f'{self.name} with padding "same" and implementation 1',
                           argument="padding", help='padding="valid", or implementation=2',
                           error='ValueError "Invalid border mode for LocallyConnected"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        rank = self.window.rank
        if wrong := rank_mismatch(x, rank + 2, self.name):
            return wrong
        at = split(x, rank, self.data_format)
        if isinstance(at, Unknown):
            return blank(x, rank, call.policy.compute)
        if wrong := self._free(at, x):
            return wrong
        after = self.window.over(at.spatial)
        if rejected := self.window.reject(at, after, x, call, (2,)):
            return replace(rejected, error=ERROR)
        filters: Dim = self.filters if not isinstance(self.filters, int) or self.filters >= 0 else Unknown("filters")
        return refused(x, call, self.name) or x.with_(
            shape=at.shape(after, filters), dtype=call.policy.compute)

    def _free(self, at: Split, x: Tensor) -> Mismatch | None:
        named = zip(("channels", *AXES[self.window.rank]), (at.channel, *at.spatial), strict=True)
        names = [name for name, size in named if isinstance(size, Symbol)]
        if not names:
            return None
        return Mismatch(Problem.FEATURE_UNKNOWN, f"{self.name} needs the {names[0]} of its input, which is None in {x}",
                        help="give the full input shape: each output place has its own weights",
                        error='ValueError "The spatial dimensions of the inputs should be fully-defined"')

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        at = split(x, self.window.rank, self.data_format)
        kernel = spread(self.window.extent, self.window.rank)
        if isinstance(at, Unknown) or isinstance(kernel, Unknown) or isinstance(self.use_bias, Unknown):
            return Unknown("data_format, kernel_size or use_bias")
        if x.rank != self.window.rank + 2:
            return Unknown("input rank")
        after = self.window.over(at.spatial)
        bias = (Weight("bias", (*after, self.filters)),) if self.use_bias else ()
        if self.implementation == 1:
            shape: Shape = (product(after), product((*kernel, at.channel)), self.filters)
        elif self.implementation == 2:
            inner = (at.channel, *at.spatial) if at.first else (*at.spatial, at.channel)
            shape = (*inner, *((self.filters, *after) if at.first else (*after, self.filters)))
        else:
            return Unknown("implementation")
        return (Weight("kernel", shape), *bias)


def _built(rank: int, filters: Any, kernel_size: Any, strides: Any, padding: Any, data_format: Any, use_bias: Any,
           implementation: Any) -> LocallyConnected:
    count = as_dim(filters)
    known = count if is_known(count) else Unknown("filters")
    return LocallyConnected(Window(rank, kernel_size, strides, padding), known, data_format, use_bias, implementation)


@layer("keras.layers.LocallyConnected1D", versions={"": "<3"})
def locally_connected1d(filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid",
                        data_format: Any = None, activation: Any = None, use_bias: Any = True,
                        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                        kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
                        kernel_constraint: Any = None, bias_constraint: Any = None,
                        implementation: Any = 1) -> LocallyConnected:
    return _built(1, filters, kernel_size, strides, padding, data_format, use_bias, implementation)


@layer("keras.layers.LocallyConnected2D", versions={"": "<3"})
def locally_connected2d(filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = "valid",
                        data_format: Any = None, activation: Any = None, use_bias: Any = True,
                        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                        kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
                        kernel_constraint: Any = None, bias_constraint: Any = None,
                        implementation: Any = 1) -> LocallyConnected:
    return _built(2, filters, kernel_size, strides, padding, data_format, use_bias, implementation)

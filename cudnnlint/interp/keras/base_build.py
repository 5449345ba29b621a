"""What build(input_shape) of a library layer makes: its variables, of a shape alone."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.keras.application import judge
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine
from cudnnlint.ops.arith import as_shape
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Step, Symbol, Tensor, Unknown


def as_input(shape: Any, span: Span) -> Any:
    """A symbolic tensor of a shape, batch first; of a list of shapes, one each; Unknown if it is neither."""
    if isinstance(shape, (list, tuple)) and shape and all(isinstance(item, (list, tuple)) for item in shape):
        return [as_input(item, span) for item in shape]
    dims = as_shape(shape)
    if not isinstance(dims, tuple) or not dims:
        return Unknown("input_shape")
    batch = BATCH if isinstance(dims[0], Symbol) else dims[0]
    return Tensor((batch, *dims[1:]), "float32", "keras", None, Step(span))


def build_base(m: Machine, layer: LayerV, inputs: Any, span: Span, more: tuple[Any, ...] = (),
               options: dict[str, Any] | None = None) -> None:
    """A class derived from a library layer is built as that is: its variables are there now."""
    if layer.op is None or layer.weights is not None or isinstance(inputs, Unknown):
        return
    weights = judge(m, layer, inputs, span, more, options)[1]
    if isinstance(weights, tuple):  # else they hang on what else it is called on
        m.heap.touch(layer)
        layer.weights = weights

"""What classes derived from MultiHeadAttention call of it: its projections, and attention between them."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.attributes import layer_policy
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.keras.own_attributes import layer_within
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import assume
from cudnnlint.interp.registry import Call
from cudnnlint.values import Shape, Step, Tensor, Unknown
from cudnnlint.values.tensor import tensors

BASE = "keras.layers.MultiHeadAttention"
PROJECTED = {"_query_dense": "query", "_key_dense": "key", "_value_dense": "value", "_output_dense": "attention_output"}
"""Layers of its own -> the first part of the names of their weights (keras/src/layers/attention/
multi_head_attention.py: build)."""

SHARED = ("kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint",
          "kernel_initializer", "bias_initializer")
"""MultiHeadAttention._get_common_kwargs_for_sublayer, beside the dtype."""


@FRAMEWORK.on(*(f"{BASE}.{name}" for name in PROJECTED))
def project(c: Call) -> Any:
    """(B, T, C) -> (B, T, heads, size), and back for `_output_dense`: with the kernel that was built."""
    layer = layer_within(c.receiver)
    found: set[Any] = set()
    x = strip(c.get(0, "inputs"), found)
    name = str(getattr(c.callee, "name", "")).rpartition(".")[2]
    kernel = _kernel(layer, PROJECTED.get(name, ""))
    taken = 2 if name == "_output_dense" else 1
    if layer is None or kernel is None or not isinstance(x, Tensor) or not isinstance(x.shape, tuple) \
            or len(x.shape) <= taken:
        return Unknown(f"{name} of MultiHeadAttention")
    shape = (*x.shape[:-taken], *kernel[taken:])
    return assume(Tensor(shape, layer.policy.compute, x.kind, None, Step(c.span, (x,))), frozenset(found))


@FRAMEWORK.on(f"{BASE}._get_common_kwargs_for_sublayer")
def shared_by_parts(c: Call) -> Any:
    """What each projection is given; which regularizers they are changes no shape."""
    layer = layer_within(c.receiver)
    if layer is None:
        return Unknown("arguments of a MultiHeadAttention's parts")
    given = {name: layer.arguments.get(name) for name in SHARED}
    return wrap({**given, "dtype": layer_policy(c.machine, layer)})


def _kernel(layer: LayerV | None, part: str) -> Shape | None:
    weights = layer.weights if layer is not None and isinstance(layer.weights, tuple) else ()
    return next((weight.shape for weight in weights if weight.name == f"{part}/kernel"), None)


@FRAMEWORK.on(f"{BASE}._compute_attention")
def compute_attention(c: Call) -> Any:
    """(B, T, N, H), (B, S, N, H), (B, S, N, V) -> (B, T, N, V) and the scores (MultiHeadAttention._compute_attention).

    The scores are None where a fused kernel computes them.
    """
    found: set[Any] = set()
    query, key, value = (strip(c.get(at, name), found) for at, name in enumerate(("query", "key", "value")))
    layer = layer_within(c.receiver)
    shapes = [part.shape for part in (query, key, value) if isinstance(part, Tensor) and isinstance(part.shape, tuple)]
    if layer is None or len(shapes) < 3 or {len(shape) for shape in shapes} != {4} \
            or layer.arguments.get("attention_axes") is not None:
        return Unknown("attention computed")
    step = Step(c.span, tensors([query, key, value]))
    made = Tensor((*shapes[0][:-1], shapes[2][-1]), layer.policy.compute, query.kind, None, step)
    return wrap((assume(made, frozenset(found)), Unknown("scores of attention, or none")))

"""Ends of a Sequential that Keras 3 does not know: those of its own call on a symbolic tensor."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.refusals import is_meant, refuse, told_once
from cudnnlint.values import Mismatch, Problem, Where

KERAS_3 = Where(keras=">=3")
ENDS = frozenset({"input", "output", "inputs", "outputs"})


def tell_of_ends(m: Machine, base: Any, node: ast.Attribute) -> None:
    """`Model(model.inputs, model.output)` of a Sequential: its input and output are those of its first node, which no
    build(), fit() or call on arrays makes (keras/src/ops/operation.py: Operation._get_node_attribute_at_index), its
    inputs and outputs those that it was built with (keras/src/models/sequential.py: Sequential.inputs)."""
    model, name = plain(base), node.attr
    if not isinstance(model, ModelV) or model.kind != "sequential" or m.stack.keras < (3,) or model.layers.unknown \
            or model.instance is not None or not model.path.startswith("keras.") or not isinstance(node.ctx, ast.Load):
        return
    lacks = model.node is None if name in ("input", "output") else name in ("inputs", "outputs") and _is_open(model)
    if not lacks or not is_meant(m) or m.uncalled or m.uncertain or m.frame.module.source.says("hasattr") \
            or told_once(m, "node", KERAS_3, m.span(node)):
        return
    one, first = name.rstrip("s"), "keras.Input(...) as its first layer"
    end = f"The layer sequential has never been called and thus has no defined {one}." if one == name else \
        f"Sequential model 'sequential' has no defined {name} yet."
    refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"a Sequential that is called on no symbolic tensor has no {one}" if one == name else
        f"a Sequential that does not know the shape of its input has no {name}", where=KERAS_3,
        help=first if one != name else f"{ast.unparse(node.value)}.{one}s[0]" if model.outputs is not None else
        f"{first}, and {one}s[0]",
        error=f'AttributeError "{end}"', facts=(("moment", "when it is read"),)), what=name,
        assumptions=assumptions_of(base))


def _is_open(model: ModelV) -> bool:
    """Whether nothing told it the shape of its input."""
    layers = [plain(layer) for layer in model.layers.items]
    return model.inputs is None and model.outputs is None and not model.ran and not model.asked and bool(layers) \
        and all(isinstance(layer, LayerV) and not layer.built and not layer.calls and layer.user is None
                for layer in layers)

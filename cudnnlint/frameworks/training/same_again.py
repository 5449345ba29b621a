"""Autoencoders: labels that are the inputs have the shape that the model takes, wherever the data came from."""

from __future__ import annotations

import ast
from dataclasses import replace

from cudnnlint.events import Data
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.registry import Call
from cudnnlint.values import BATCH, Step, Symbol, Tensor, Unknown


def same_again(c: Call, model: ModelV | None, data: Data) -> Data:
    """fit(x, x) of data that are not known, by a model of one input that is told its sizes.

    A functional model refuses other sizes (keras/src/models/functional.py: Functional.call, input_spec), and the last
    axis of 1 that it may add is compared by no loss; a sequential one may take them.
    """
    x = data.x
    if model is None or model.kind != "functional" or not (
            isinstance(x, Unknown) or (isinstance(x, Tensor) and isinstance(x.shape, Unknown))):
        return data
    wanted = model.inputs
    if not isinstance(wanted, Tensor) or not isinstance(wanted.shape, tuple) or len(wanted.shape) < 2 or not _twice(c):
        return data
    sizes = tuple(Unknown("extent of the input") if isinstance(dim, Symbol) else dim for dim in wanted.shape[1:])
    dtype = Unknown("dtype of the data")
    return replace(data, y=Tensor((BATCH, *sizes), dtype, "numpy", None, Step(c.span, (wanted,))))


def _twice(c: Call) -> bool:
    """Whether x and y are one expression, of names, their attributes, indices and nothing that is called."""
    if not isinstance(c.node, ast.Call) or any(isinstance(arg, ast.Starred) for arg in c.node.args):
        return False
    named = {word.arg: word.value for word in c.node.keywords}
    x, y = (c.node.args[place] if len(c.node.args) > place else named.get(name) for place, name in enumerate("xy"))
    return x is not None and y is not None and ast.dump(x) == ast.dump(y) and all(
        isinstance(part, SAME) for part in ast.walk(x)) and isinstance(x, ast.Name | ast.Attribute | ast.Subscript)


SAME = (ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Constant, ast.expr_context, ast.UnaryOp, ast.unaryop,
        ast.BinOp, ast.operator)

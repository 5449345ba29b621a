"""Which parameters of a function the inputs of the command line fill, judged by their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.objects import FunctionV
from cudnnlint.values import Tensor

Extents = tuple[int | None, ...]

EXTENTS = {"height": 0, "img_height": 0, "image_height": 0, "img_rows": 0, "rows": 0, "h": 0, "img_h": 0,
           "width": 1, "img_width": 1, "image_width": 1, "img_cols": 1, "cols": 1, "w": 1, "img_w": 1,
           "channels": -1, "n_channels": -1, "num_channels": -1, "in_channels": -1, "input_channels": -1,
           "img_channels": -1, "image_channels": -1}
SIZES = frozenset({"image_size", "img_size", "input_size", "size", "resolution", "img_dim", "image_dim"})
TENSORS = frozenset({"x", "inp", "image", "images", "img", "features", "data", "sequence", "sequences", "query"})
LENGTHS = frozenset({"input_dim", "input_dims", "n_features", "num_features", "features_dim"})


def filled(function: FunctionV, inputs: Sequence[Extents], tensors: Sequence[Tensor]) -> Iterator[tuple[str, Any]]:
    """The parameters that the inputs fill, judged by their names: shapes, extents, sizes or tensors."""
    arguments = function.node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    if not inputs:
        return
    shapes = [name for name in names if "shape" in name and not any(word in name for word in ("out", "target"))]
    both = {0, 1} <= {EXTENTS.get(name) for name in names}  # a width alone may be that of a layer
    numbers = [name for name in names if name in SIZES or name in LENGTHS
               or (name in EXTENTS and (both or (EXTENTS[name] < 0 and SIZES & set(names))))]
    first = inputs[0]
    for name, extents in zip(shapes, inputs, strict=False):
        yield name, extents
    for name in [] if shapes else numbers:
        value = _number(function, name, first)
        if value is not None:
            yield name, value
    if not shapes and not numbers:
        takers = [name for name in names if name in TENSORS or "input" in name or "tensor" in name]
        given: list[Any] = list(tensors)
        yield from zip(takers, given if len(takers) > 1 or len(given) == 1 else [ListV(given)], strict=False)


def _number(function: FunctionV, name: str, extents: tuple[int | None, ...]) -> Any:
    """What one of the extents is, under the parameter's name; a size is a pair where the body takes it apart."""
    if name in LENGTHS:
        return extents[-1] if len(extents) == 1 else extents if name.endswith("s") else None
    if len(extents) < 2:
        return None
    if name in EXTENTS:
        return extents[EXTENTS[name]]
    if any(_is_taken_apart(node, name) for node in ast.walk(function.node)):
        return extents[:2]
    return extents[0] if extents[0] == extents[1] else None


def _is_taken_apart(node: ast.AST, name: str) -> bool:
    """`size[0]`, `*size`, `size + (3,)`, `h, w = size`."""
    parts: list[Any] = []
    if isinstance(node, ast.Subscript | ast.Starred):
        parts = [node.value]
    elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Tuple):
        parts = [node.left]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
        parts = [node.value]
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)

"""Indices that a list or tuple does not take: numbers that are not whole, places past the end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.uncalled.left_open import has_left_open
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Tensor, Unknown, Where
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.packed import Packed


def tell_of_float(m: Machine, value: Any, key: Any, taken: Assumptions, node: ast.AST) -> None:
    """`files[:0.8 * len(files)]` and `model.layers["conv"]`: a list takes whole numbers (Objects/listobject.c:
    list_subscript)."""
    held = plain(key)
    if isinstance(held, str):
        _tell_of_text(m, value, held, taken, node)
    elif isinstance(held, tuple):
        _tell_of_several(m, value, taken, node)
    parts = (held.start, held.stop, held.step) if isinstance(held, slice) else (held,)
    part = next((one for one in map(plain, parts) if type(one) is float), None)
    if part is None or not is_meant(m) or m.handlers or not isinstance(value, tuple | ListV | str):
        return
    kind = "list" if isinstance(value, ListV) else type(value).__name__
    refuse(m, m.span(node), Mismatch(
        Problem.DTYPE, f"a {kind} indexed by {part}, which is no whole number", help="int(...) of it",
        error='TypeError "slice indices must be integers or None or have an __index__ method"'
        if isinstance(held, slice) else f'TypeError "{kind} indices must be integers"', facts=(("dtype", "float"),)),
        what="index", assumptions=taken, stage="call")


def _tell_of_text(m: Machine, value: Any, key: str, taken: Assumptions, node: ast.AST) -> None:
    """Not where the list may stand for something else, as the default of a parameter does."""
    if taken or m.uncalled or m.handlers or not is_meant(m) or not isinstance(value, tuple | ListV):
        return
    kind, of_layers = "list" if isinstance(value, ListV) else "tuple", getattr(node, "value", None)
    named = isinstance(of_layers, ast.Attribute) and of_layers.attr == "layers"
    refuse(m, m.span(node), Mismatch(
        Problem.UNEXPECTED, f"a {kind} indexed by the text {key!r}", help=f"get_layer({key!r})" if named else
        "an integer; a dict has names", error=f'TypeError "{kind} indices must be integers or slices, not str"'),
        what="index", stage="call")


def _tell_of_several(m: Machine, value: Any, taken: Assumptions, node: ast.AST) -> None:
    """`self.lstm(x)[:, -1]`, of a tuple, or of a list of rows that is no array."""
    several = isinstance(value, tuple) and any(isinstance(plain(one), Tensor) for one in value)
    listed = type(value) is ListV and not value.unknown and bool(value.items) \
        and not any(map(has_left_open, value.items))
    if taken or m.uncalled or m.handlers or not is_meant(m) or not (several or listed):
        return
    packed, kind = isinstance(value, Packed), "tuple" if several else "list"
    refuse(m, m.span(node), Mismatch(
        Problem.UNEXPECTED, "a packed sequence indexed by several axes" if packed else
        f"a {kind} indexed by several axes", help="pad_packed_sequence() gives the tensor" if packed else
        "the tensor in it: output, state = module(x)" if several else "np.array(...) makes an array of it",
        error=f'TypeError "{kind} indices must be integers or slices, not tuple"'), what="index", stage="call")


def tell_of_index(m: Machine, value: tuple[Any, ...] | ListV, index: int, taken: Assumptions, node: ast.AST) -> None:
    """`model.layers[20]` of a model of 5. A list may have been filled by what was not followed: one that is empty, or
    is met where it is not certain what ran before, is left alone."""
    items = value.items if isinstance(value, ListV) else value
    if m.trying or m.handlers or m.uncertain or not items or (isinstance(value, ListV) and m.uncalled) \
            or not _all_there(m, items, node):
        return
    kind = "list" if isinstance(value, ListV) else "tuple"
    refuse(m, m.span(node), Mismatch(
        Problem.INDEX, f"index {index} of a {kind} of {len(items)} element{'' if len(items) == 1 else 's'}",
        error=f'IndexError "{kind} index out of range"',
        facts=(("size", len(items)), ("index", index), ("origins", tuple(_origins(m, node)))),
        where=Where(keras=">=3") if len(items) == 1 and _is_end(node) else EVERYWHERE),
        what="index", assumptions=taken, stage="call")


def _origins(m: Machine, node: ast.AST) -> Iterator[tuple[Span, str]]:
    """Where the list is written, if that is one place, and the loop that counts past its end."""
    value, index, frame = getattr(node, "value", None), getattr(node, "slice", None), m.frame
    source = frame.module.source
    bodies = [frame.function.node] if frame.function is not None else []
    name = value.id if isinstance(value, ast.Name) else ""
    for body in [*bodies, *([source.tree()] if source is not None else [])] if name else []:
        given = [each for each in walk(body) if isinstance(each, ast.Name) and each.id == name
                 and not isinstance(each.ctx, ast.Load)]
        made = [each for each in walk(body) if isinstance(each, ast.Assign) and each.targets == given]
        if given and made and isinstance(made[0].value, ast.List | ast.Tuple):
            yield m.span(made[0]), f"{len(made[0].value.elts)} elements"
        if given:
            break
    if m.loops and index is not None and any(isinstance(part, ast.Name) for part in ast.walk(index)):
        yield m.loops[-1].span, f"the loop, in turn {m.loops[-1].turn + 1}"


def _is_end(node: ast.AST) -> bool:
    """`model.output[1]`: of a list of one output Keras 2 gives the tensor itself (tf_keras/src/engine/base_layer.py:
    Layer.output)."""
    read = getattr(node, "value", None)
    return isinstance(read, ast.Attribute) and read.attr in ("input", "output")


def _all_there(m: Machine, items: Any, node: ast.AST) -> bool:
    """Whether a list of layers is that of a library's model, with all that it is made of; others hold no layers."""
    from cudnnlint.interp.keras.layers import LayerV
    from cudnnlint.interp.keras.models import ModelV
    from cudnnlint.interp.keras.parts import holes_of

    if not any(isinstance(plain(item), LayerV | ModelV | InstanceV | Unknown) for item in items):
        return True
    read = node.value if isinstance(node, ast.Subscript) else None
    if isinstance(read, ast.Attribute) and read.attr == "shape" and isinstance(items, tuple):
        return True  # how many there are is known
    model = plain(m.eval(read.value)) if isinstance(read, ast.Attribute) and read.attr == "layers" else None
    return isinstance(model, ModelV) and not holes_of(model) and not model.layers.unknown \
        and all(isinstance(plain(item), LayerV | ModelV | InstanceV) for item in items)

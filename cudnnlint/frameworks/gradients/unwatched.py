"""Gradients with respect to tensors that no tape follows by itself: images, in a saliency map or an attack."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Tensor

if TYPE_CHECKING:
    from cudnnlint.frameworks.gradients.tapes import TapeV

PLAIN = ("tensorflow.", "numpy.", "operator.", "keras.ops.", "keras.utils.", "keras.applications.", "cv2.", "PIL.")
"""Rooms of functions that make tensors of tensors and nothing else."""
FAR = 64
"""Tensors of a history that are looked at."""


def check_watched(c: Call, tape: TapeV) -> bool:
    """Whether the gradient is None since the tape was not told to watch the tensors, which are no variables and come
    from none while it is open (tensorflow/python/eager/backprop.py: GradientTape.watch), and something is done with
    it."""
    m, sources = c.machine, plain(c.get(1, "sources"))
    asked = [plain(item) for item in sources.items] if isinstance(sources, ListV) and not sources.unknown else [sources]
    node: Any = c.node
    name = ast.unparse(node.args[1])[:40] if len(node.args) > 1 else "them"
    if m.handlers or not is_meant(m) or len(c.args) > 2 or c.kwargs.keys() - {"target", "sources"} or not asked:
        return False
    if all(isinstance(one, Tensor) and one.kind == "tf" and _is_whole(one) for one in asked) and is_used(m, c.node):
        return tell_of_none(
            c, f"the gradient with respect to {name} of {asked[0].dtype} is None: whole numbers have none",
            "floats: tf.Variable(3.0), or tf.cast(x, tf.float32) before it is differentiated")
    if tape.watches:
        return False
    if _is_read(asked, strip(c.get(0, "target"))) and is_used(m, c.node):
        return tell_of_none(c, f"the loss comes from {name} through a NumPy array alone: the gradient is None",
                            "operations of TensorFlow on the variable itself, without numpy()")
    under = {id(event.maker) for event in tape.applications}
    if not all(isinstance(one, Tensor) and _is_plain(one, under) for one in asked) or not is_used(m, c.node):
        return False
    return tell_of_none(c, f"the tape does not watch {name}: the gradient is None",
                        f"tape.watch({name}) before anything is computed from it", tuple(asked))


def _is_read(asked: list[Any], loss: Any) -> bool:
    """Whether values of the variables go into the loss, and none of them itself."""
    from cudnnlint.frameworks.gradients.unreached import ARRAY, between

    makers = [one.step for one in asked if isinstance(one, Tensor) and one.step is not None]
    return len(makers) == len(asked) and between(loss, lambda step: any(step is one for one in makers)) == ARRAY


def _is_whole(tensor: Tensor) -> bool:
    """tensorflow/python/eager/backprop.py: GradientTape.gradient, backprop_util.py: IsTrainable"""
    return isinstance(tensor.dtype, str) and tensor.dtype.startswith(("int", "uint", "bool"))


def tell_of_none(c: Call, message: str, advice: str, about: tuple[Any, ...] = ()) -> bool:
    return refuse(c.machine, c.span, Mismatch(
        Problem.NO_GRADIENTS, message, help=advice,
        error='ValueError "Attempt to convert a value (None)" or "None values not supported", TypeError "unsupported '
              'operand type(s)"', facts=(("moment", "when something is done with it"),)),
        what="GradientTape.gradient", stage="call", about=about)


def _is_plain(tensor: Tensor, under: set[int]) -> bool:
    """Whether it is a tensor of TensorFlow that comes from no variable, from no layer that was applied under the tape
    (`under`), and from no function that is not followed."""
    todo, seen = [tensor], 0
    while todo:
        one, seen = todo.pop(), seen + 1
        step = one.step
        if seen > FAR or (step is None and one.kind != "numpy"):
            return False
        if step is None:
            continue
        if isinstance(step.maker, LayerV | ModelV):
            if id(step.maker) in under:
                return False
        elif step.maker is not None and (not isinstance(step.maker, str) or not step.maker.startswith(PLAIN)
                                         or "ariable" in step.maker):
            return False
        todo += step.parents
    return tensor.kind == "tf"


def is_used(m: Machine, call: ast.AST) -> bool:
    """Whether the program computes with what the call gives: it is not only shown."""
    function = m.frame.function
    source = m.frame.module.source
    body: Any = function.node if isinstance(function, FunctionV) else source.tree() if source is not None else None
    if body is None:
        return False
    nodes = list(walk(body))
    found = {call, *(node for node in nodes if isinstance(node, ast.Subscript) and node.value is call)}
    names = {part.id for node in nodes if isinstance(node, ast.Assign) and node.value in found
             for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    if function is None and not m.loops:
        nodes = list(_until_given(nodes, call, names))
    return any(_takes(node, found, names) for node in nodes)


def _until_given(nodes: list[ast.AST], call: Any, names: set[str]) -> Iterator[ast.AST]:
    """Those that stand behind the call, until its names are given something else, as by a later cell of a notebook."""
    after = [(node.lineno, node.col_offset) for node in nodes if isinstance(node, ast.Name) and node.id in names
             and not isinstance(node.ctx, ast.Load) and node.lineno > call.end_lineno]
    end = min(after, default=(sys.maxsize, 0))
    for node in nodes:
        line = getattr(node, "lineno", 0)
        if line >= call.lineno and (line, 0) <= (end[0], 0):
            yield node


def _takes(node: ast.AST, found: set[ast.AST], names: set[str]) -> bool:
    """Whether it computes with one of these; showing it is nothing."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Call):
        shown = isinstance(node.func, ast.Name) and node.func.id in ("print", "repr", "str", "type")
        parts = [] if shown else [*node.args, *(keyword.value for keyword in node.keywords)]
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.AugAssign):
        parts = [node.value]
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        parts = [node.operand]
    elif isinstance(node, ast.Attribute):
        parts = [node.value]
    return any(part in found or (isinstance(part, ast.Name) and part.id in names) for part in _within(parts))


def _within(parts: list[ast.expr]) -> Iterator[ast.expr]:
    """What stands in a list or tuple too: `[(grad, image)]`."""
    for part in parts:
        yield part
        if isinstance(part, ast.List | ast.Tuple):
            yield from _within(part.elts)


__all__ = ["check_watched", "is_used", "tell_of_none"]

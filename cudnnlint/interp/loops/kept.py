"""Lists that hold a model's outputs from one turn of a loop to the next."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.devices import EAGER, runtime
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import JOIN
from cudnnlint.interp.loops import turns
from cudnnlint.interp.loops.resets import is_set_again
from cudnnlint.interp.machine import plain
from cudnnlint.interp.telling import TURNS
from cudnnlint.interp.torch import histories
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.tensor import tensors

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

TAPES = "tapes"
"""Key of the times at which the tapes that are open now were entered."""
ASSIGNED = "assigned"
"""Key of what is to be told where a typical variable of a model is assigned."""
FAR = 64
"""How many steps back a tensor's history is followed."""
SHRINKING = frozenset({"pop", "clear", "remove"})
GROWING = frozenset({"append", "extend", "insert"})


def around(m: Machine) -> str:
    """What is made of the operations that are followed, other than their results."""
    return "tape" if m.state.get(TAPES) else "graph" if m.tracing else ""


def changed(m: Machine, value: Any, method: str, args: list[Any], span: Span) -> None:
    """A method of a list is called in a loop."""
    if method in SHRINKING:
        dropped(m, value)
    elif method in GROWING and args:
        histories.appended(m, value, args[-1], span)
        kept(m, value, args[-1], span)
        turns.collected(m, plain(args[-1]))


def dropped(m: Machine, value: Any) -> None:
    """A list gives back what it holds, or may do so: nothing is told of it in these loops."""
    for each in m.loops:
        each.facts["dropped", id(value)] = value
        for key in [key for key in each.notes if key[0] == "kept" and key[2] == id(value)]:
            del each.notes[key]


def kept(m: Machine, value: ListV, item: Any, span: Span, *, listed: bool = False) -> None:
    """A list that is older than the loop gets something that a model made; `listed`: what is in the list `item`."""
    loops = [each for each in m.loops if value.born < each.born]
    if not loops or loops[-1] is not m.loops[-1] or turns.in_graph(m) or _is_graph(m):
        return
    if any(("dropped", id(value)) in each.facts for each in m.loops):
        return
    if any(opened < loops[-1].born for opened in m.state.get(TAPES, ())):
        return  # what the tape is asked for in the end
    tensor = next((one for one in tensors(strip(item)) if _of_model(one)), None)
    if tensor is None or _bounded(m, span):
        return
    from cudnnlint.events.loops import TensorsKept

    held = strip(item)
    if listed and isinstance(held, list | tuple) and len(held) == 1:
        held = held[0]
    event = m.event(TensorsKept, span, about=tensor, loop=loops[-1].info(), turns=turns.product(loops),
                    tensor=tensor, loops=tuple(each.info() for each in loops), alone=isinstance(held, Tensor))
    loops[0].note(("kept", span, id(value)), event, lasting=True)


def kept_by_key(m: Machine, value: DictV, key: Any, item: Any, node: ast.AST) -> None:
    """A dict that is older than the loop gets something that a model made, under another key in each turn."""
    loop, held, span = m.loops[-1], plain(item), m.span(node)
    if isinstance(held, Tensor) and held.kind == "tf" and value.born < loop.born and _is_new(loop, key, span) \
            and isinstance(node, ast.Subscript) and all(reason == TURNS for reason in m.conditions[loop.conditions:]):
        name, text = re.escape(ast.unparse(node.value)), m.frame.module.source.text
        if not re.search(rf"{name}\.(pop|popitem|clear)\b|del {name}\b", text):
            _note(m, loop, value, held, span, "dict")


def joined(m: Machine, node: ast.Assign, name: ast.Name, tensor: Tensor) -> None:
    """`rows = tf.concat([rows, model(x)], 0)` in each turn of a loop, which sets the name nowhere else."""
    given = node.value.args[0] if isinstance(node.value, ast.Call) and node.value.args else None
    if isinstance(given, ast.List | ast.Tuple) and any(
            isinstance(part, ast.Name) and part.id == name.id for part in given.elts) \
            and _of_model(tensor) and not is_set_again(m, name, m.span(node)):
        _note(m, m.loops[-1], name.id, tensor, m.span(node), "tensor")


JOINING = frozenset({"tensorflow.concat", "tensorflow.stack"})
"""Makers of what holds all that it is made of."""


def _note(m: Machine, loop: turns.Loop, holder: Any, tensor: Tensor, span: Span, form: str) -> None:
    if turns.in_graph(m) or _is_graph(m) or not _of_model(tensor) or _bounded(m, span) \
            or any(opened < loop.born for opened in m.state.get(TAPES, ())):
        return
    from cudnnlint.events.loops import TensorsKept

    event = m.event(TensorsKept, span, about=tensor, loop=loop.info(), turns=loop.turns, tensor=tensor,
                    loops=(loop.info(),), form=form)
    loop.note(("kept", span, id(holder)), event, lasting=True)


def _is_new(loop: turns.Loop, key: Any, span: Span) -> bool:
    """Whether a turn puts it under a key that none did before."""
    seen: set[Any] = loop.facts.setdefault(("keys", span), set())
    if isinstance(key, Unknown):
        return True
    known = key in seen
    seen.add(key)
    return not known


def _bounded(m: Machine, span: Span) -> bool:
    """Whether a test of a length or of a count of its own decides that the list grows: `if len(items) < size:`,
    `while rows and count < most:`."""
    ranges, source = m.notes.setdefault("bounded", {}), m.frame.module.source
    if source.path not in ranges:
        ranges[source.path] = [
            range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1) for node in walk(source.tree())
            if (isinstance(node, ast.If) and any(map(_is_length, walk(node.test))))
            or (isinstance(node, ast.If | ast.While) and _counts(node))]
    return any(span.line in lines for lines in ranges[source.path])


def _is_length(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def _counts(node: ast.If | ast.While) -> bool:
    """Whether the body counts what its test compares: `count += 1` under `count < most`."""
    compared = {ast.unparse(part.left) for part in walk(node.test)
                if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Lt | ast.LtE | ast.NotEq)}
    return bool(compared) and any(
        ast.unparse(target) in compared for statement in node.body for inner in walk(statement)
        for target in (inner.targets if isinstance(inner, ast.Assign) else
                       [inner.target] if isinstance(inner, ast.AugAssign) else []))


def _is_graph(m: Machine) -> bool:
    return m.stack.tensorflow < (2,) or isinstance(runtime(m).items.get(EAGER), Unknown)


def _of_model(tensor: Tensor) -> bool:
    """A tensor on a device, computed from what a layer or model gave; one applied to who knows what may be symbolic."""
    todo, found = [tensor], False
    for _ in range(FAR if tensor.kind == "tf" else 0):
        if not todo:
            break
        if (step := todo.pop().step) is None:
            continue
        if step.maker is not None and not isinstance(step.maker, str):
            found = True
            if not step.parents:
                return False
        elif step.arguments and any(map(_open, step.arguments[0])):
            return False
        todo += [parent for parent in step.parents if parent.kind == "tf" or step.maker == JOIN]
    return found


def _open(value: Any) -> bool:
    """What a function gets that nothing calls: a tensor of a model that is being built, for all that is known."""
    held = plain(value)
    unknown = held.shape if isinstance(held, Tensor) else held
    return isinstance(unknown, Unknown) and unknown.why.startswith(("parameter", "an element of an unknown list"))

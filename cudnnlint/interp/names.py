"""Names: where they are looked up and what assignment targets do."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.attribute_setting import delete_attribute, set_attribute
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.changed_arrays import lose_elements
from cudnnlint.interp.graphs.placeholders import refuse_turns
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import all_in_order
from cudnnlint.interp.keras.reset import reweighted
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.mistakes.assigned import tell_of_assigned
from cudnnlint.interp.mistakes.read_only import READ_ONLY, tell_of_read_only
from cudnnlint.interp.objects import External, Scope
from cudnnlint.interp.registry import canonical
from cudnnlint.interp.several import one_of_many
from cudnnlint.interp.subscript import delete_item, lose_items, set_item
from cudnnlint.interp.torch.leaves import note_changed, tell_of_leaf, written_into
from cudnnlint.interp.torch.parameters import tell_of_parameter
from cudnnlint.interp.unpacking import tell_of_number, tell_of_symbolic, tell_of_unpacking
from cudnnlint.ops.functions import contents
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.assumption import NONE
from cudnnlint.values.unknown import NOTHING_KNOWN, UNHELD, Unset

OF_PYTHON_2 = frozenset({"basestring", "buffer", "cmp", "execfile", "file", "long", "raw_input", "reduce", "reload",
                         "unichr", "unicode", "xrange"})
"""Names that a program asks for to learn which Python runs it."""


def load(m: Machine, name: str) -> Any:
    scope: Scope | None = m.frames[-1].scope
    first = scope
    while scope is not None:
        items = scope.items
        if name in items and (scope is first or scope.kind != "class"):
            if m.recording is not None and scope is not first:
                m.recording.read(scope, name, items[name])
            found = items[name]
            if type(found) is Unset:
                if found.held is not UNHELD and not m.loops and name not in BUILTINS and scope.kind != "class":
                    return found.held  # a path that has not set it does not get here: NameError
                m.doubts += scope is not first
            return found
        if scope.unknown and scope.kind == "module":
            break
        scope = scope.parent
    if name in BUILTINS:
        return BUILTINS[name]
    m.doubts += 1
    if scope is not None and scope.unknown:
        return Unknown(f"name {name}")
    if name in OF_PYTHON_2:
        from cudnnlint.interp.raising import would_raise

        would_raise(m, NameError)
    return Unknown(f"name {name} is not defined here")


def target_scope(m: Machine, name: str) -> Scope:
    """The scope an assignment to `name` writes to: the current one, or that of a global/nonlocal statement."""
    scope = m.frames[-1].scope
    if scope.globals_ and name in scope.globals_:
        return m.frame.module.scope
    if scope.nonlocals and name in scope.nonlocals:
        outer = scope.parent
        while outer is not None and outer.kind == "function":
            if name in outer.items:
                return outer
            outer = outer.parent
    return scope


def assign(m: Machine, target: ast.expr, value: Any) -> None:
    """Bind `value` to a name, attribute, subscript or pattern of them."""
    if type(target) is ast.Name:
        m.set_item(target_scope(m, target.id), target.id, value)
    elif type(target) is ast.Attribute:
        _assign_attribute(m, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(m, target.elts, value)
    elif isinstance(target, ast.Subscript):
        base, key = m.eval(target.value), m.eval(target.slice)
        if type(base) in NOTHING_KNOWN:
            lose_items(m, target.value)
        set_item(m, one_of_many(m, target.value, base) if type(target.value) is ast.Subscript else base, key, value,
                 target)
        if isinstance(plain(base), Tensor):
            lose_elements(m, plain(base))
            tell_of_assigned(m, plain(base), key, value, target)
            if not tell_of_leaf(m, plain(base), m.span(target), "an item's assignment", part=True):
                note_changed(m, plain(base), m.span(target), "an item's assignment")
        if isinstance(changed := plain(base), Tensor) and isinstance(target.value, ast.Name | ast.Attribute):
            assign(m, target.value, _written(m, changed, target, key, value))
        elif isinstance(changed, Tensor) and isinstance(target.value, ast.Subscript):
            _write_through(m, target, value)
        elif (stored := getattr(plain(base), "stored", None)) is not None and isinstance(target.value, ast.Name):
            assign(m, target.value, stored())
    elif isinstance(target, ast.Starred):
        assign(m, target.value, value)


def _assign_attribute(m: Machine, target: ast.Attribute, value: Any) -> None:
    base = m.eval(target.value)
    if target.attr == "shape" and isinstance(plain(base), Tensor) and \
            isinstance(target.value, ast.Name | ast.Attribute):
        from cudnnlint.interp.functions import apply_function

        assign(m, target.value, apply_function(m, "numpy.reshape", [base, value], {}, target))  # in place
        return
    if target.attr == "data" and isinstance(target.value, ast.Attribute) and target.value.attr == "weight" \
            and isinstance(plain(base), Tensor):
        reweighted(m, plain(m.eval(target.value.value)), plain(value))
        return
    if target.attr == "data" and isinstance(held := plain(base), Tensor) and held.kind == "torch":
        _hold(m, target.value, held, plain(value))
        return
    if type(given := plain(value)) is Tensor and given.kind == "torch":
        tell_of_parameter(m, plain(base), target.attr, given, m.span(target))
    if value is None and m.uncalled:
        value = assume(None, m.frame.control)  # because nothing was given: other methods find what is given
    if target.attr in READ_ONLY:
        tell_of_read_only(m, plain(base), target.attr, m.span(target))
    set_attribute(m, base, target.attr, value)


def _hold(m: Machine, target: ast.expr, held: Tensor, data: Any) -> None:
    """`x.data = y`: the tensor itself is of the shape and dtype of y from here on."""
    shape, dtype = (data.shape, data.dtype) if isinstance(data, Tensor) else (Unknown(DATA), Unknown(DATA))
    if (shape, dtype) == (held.shape, held.dtype):
        return
    made = held.with_(shape=shape, dtype=dtype, content=None)
    if isinstance(target, ast.Name):
        assign(m, target, made)
    elif isinstance(target, ast.Attribute):
        set_attribute(m, m.eval(target.value), target.attr, made)


DATA = "what x.data is made"
WRITTEN = "item assignment"
"""Maker of a tensor some of whose elements were replaced."""


def _written(m: Machine, tensor: Tensor, target: ast.expr, key: Any, value: Any) -> Tensor:
    """The same tensor with elements that are not known any more, but for one of an array that is given by its place."""
    content = contents.replaced(tensor.content, plain(key), plain(value), tensor.dtype) \
        if tensor.kind == "numpy" else None
    told = assumptions_of(key) | assumptions_of(value) if content is not None else NONE
    made = tensor.with_(step=Step(m.span(target), (tensor,), WRITTEN, ((key, value), {})), content=content,
                        assumptions=tensor.assumptions | told)
    return written_into(tensor, made)


def _write_through(m: Machine, target: ast.Subscript, value: Any) -> None:
    """`x[i][j] = y` of PyTorch writes into x, of which x[i] is a view, and its graph is that of x from then on."""
    root = target.value
    while isinstance(root, ast.Subscript):
        root = root.value
    whole = plain(m.eval(root)) if isinstance(root, ast.Name) else None
    if isinstance(whole, Tensor) and whole.kind == "torch":
        assign(m, root, _written(m, whole, target, Unknown("a part of a part"), value))


def _unpack(m: Machine, targets: list[ast.expr], value: Any) -> None:
    refused = bool(m.placeholders and targets) and refuse_turns(m, value, targets[0])
    found = all_in_order(m, value)
    star = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    if isinstance(found, Unknown):
        tell_of_symbolic(m, targets, value)
        tell_of_number(m, targets, value)
        for target in targets:
            assign(m, target, Unknown(found.why or "an element of an unknown value"))
        return
    items = [assume(item, assumptions_of(value)) for item in found]
    if star is None:
        if len(items) != len(targets):
            if not refused:
                tell_of_unpacking(m, targets, value, len(items))
            items = [Unknown("unpacking that does not fit")] * len(targets)
        for target, item in zip(targets, items, strict=True):
            assign(m, target, item)
        return
    after = len(targets) - star - 1
    if len(items) < star + after:
        tell_of_unpacking(m, targets, value, len(items))
        items = [Unknown("unpacking that does not fit")] * len(targets)
    for target, item in zip(targets[:star], items[:star], strict=True):
        assign(m, target, item)
    assign(m, targets[star], ListV(items[star: len(items) - after]))
    for target, item in zip(targets[star + 1:], items[len(items) - after:], strict=True):
        assign(m, target, item)


def delete(m: Machine, target: ast.expr) -> None:
    if isinstance(target, ast.Name):
        scope = target_scope(m, target.id)
        m.heap.touch(scope)
        scope.items.pop(target.id, None)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            delete(m, item)
    elif isinstance(target, ast.Attribute):
        delete_attribute(m, m.eval(target.value), target.attr)
    elif isinstance(target, ast.Subscript):
        delete_item(m, m.eval(target.value), m.eval(target.slice))


def external(path: str) -> External:
    return External(canonical(path), path)

"""`with` and `try`: contexts entered, and what handlers make of a body that may raise."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.caught import caught_by
from cudnnlint.interp.functions import HANDLED
from cudnnlint.interp.heap import NEXT, RETURN, STOP, Delta, Raised, RaisedAs
from cudnnlint.interp.machine import Machine, executes, plain
from cudnnlint.interp.names import assign, target_scope
from cudnnlint.interp.objects import MISSING, External, InstanceV
from cudnnlint.interp.raising import handler_of, lets_through, only_raises
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Unknown


@executes(ast.With, ast.AsyncWith)
def with_(m: Machine, node: ast.With) -> int:
    entered: list[tuple[Any, ast.AST]] = []
    for item in node.items:
        manager = m.eval(item.context_expr)
        value = enter(m, manager, item.context_expr)
        entered.append((manager, item.context_expr))
        if item.optional_vars is not None:
            assign(m, item.optional_vars, value)
    expected = any(_expects_error(item.context_expr) for item in node.items)
    m.expecting += expected
    try:
        return try_(m, _suppressing(node)) if expected and _name(node.items[-1].context_expr) == "suppress" \
            else m.run_block(node.body)
    except Raised:
        if not expected:
            raise
        return NEXT
    finally:
        m.expecting -= expected
        for manager, at in reversed(entered):
            leave(m, manager, at)


EXPECTING = frozenset({"assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "assertRaisesWithLiteralMatch",
                       "assertRaisesWithPredicateMatch", "assertRaisesIncompatibleShapesError", "assert_raises",
                       "assert_raises_regex", "raises", "suppress", "warns", "assertWarns", "assertWarnsRegex"})
"""Context managers under which a failure, or what is warned of, is what the program wants."""


def _expects_error(node: ast.expr) -> bool:
    return _name(node) in EXPECTING


def _name(manager: ast.expr) -> str:
    """`suppress` of `contextlib.suppress(KeyError)`."""
    function = manager.func if isinstance(manager, ast.Call) else manager
    return function.attr if isinstance(function, ast.Attribute) else \
        function.id if isinstance(function, ast.Name) else ""


def _suppressing(node: ast.With) -> ast.Try:
    """`with suppress(KeyError): ...` as the try block that it is."""
    manager = node.items[-1].context_expr
    types = ast.Tuple(manager.args, ast.Load()) if isinstance(manager, ast.Call) else None
    handler = ast.copy_location(ast.ExceptHandler(types, None, [ast.copy_location(ast.Pass(), node)]), node)
    return ast.copy_location(ast.Try(node.body, [handler], [], []), node)


def leave(m: Machine, manager: Any, node: ast.AST) -> None:
    """The block under a context manager is over, however it was left."""
    value = plain(manager)
    if (left := getattr(value, "left", None)) is not None:
        left(m)
        return
    if isinstance(value, InstanceV) and (method := method_of(value, "__exit__")) is not MISSING:
        m.call(method, [None, None, None], {}, node)


def enter(m: Machine, manager: Any, node: ast.AST) -> Any:
    value = plain(manager)
    if (enter := getattr(value, "entered", None)) is not None:
        return enter(m)
    if isinstance(value, InstanceV) and (method := method_of(value, "__enter__")) is not MISSING:
        return m.call(method, [], {}, node)
    if not isinstance(value, External):
        return value
    _tell_of_class(m, value.path, node)
    return Unknown("a context manager")


ENTERED = frozenset({"torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.set_grad_enabled",
                     "torch.autocast", "tensorflow.GradientTape"})
"""Classes of context managers, that are made before they are entered."""


def _tell_of_class(m: Machine, path: str, node: ast.AST) -> None:
    """`with torch.no_grad:`"""
    if path in ENTERED and is_meant(m) and not m.handlers:
        name = ast.unparse(node)[:40]
        refuse(m, m.span(node), Mismatch(
            Problem.UNEXPECTED, f"{name} is entered, and not what it makes", help=f"with {name}(...):"
            if path in ("torch.autocast", "torch.set_grad_enabled") else f"with {name}():",
            error="TypeError \"'type' object does not support the context manager protocol\" or AttributeError "
                  '"__enter__"', facts=(("moment", "when it runs"),)), what=name)


@executes(ast.Try)
def try_(m: Machine, node: ast.Try) -> int:
    """The body, joined with what each handler makes of it: a handler may start anywhere in a body that may raise."""
    mark = len(m.frame.pendings)
    m.heap.open()
    try:
        try:
            code = _with_handlers(m, node)
        except Raised:
            left = m.run_block(node.finalbody)
            if left == NEXT:
                raise
            return left
        return _finally(m, node.finalbody, code, mark)
    finally:
        m.heap.close(m.frame.pendings[mark:])


def _finally(m: Machine, body: Sequence[ast.stmt], code: int, mark: int) -> int:
    """What a try block does last, on the path that ends with `code` and on those that left it before."""
    early = m.frame.pendings[mark:]
    if not (body and early):
        final = m.run_block(body)
        return final if final != NEXT else code
    value = m.frame.value
    start = m.heap.journals[-1]

    def path(kind: int, given: Any, state: Delta) -> Callable[[], int]:
        def run() -> int:
            for obj, there in state.values():
                m.heap.touch(obj)
                obj.restore(there)
            m.frame.value = given
            final = m.run_block(body)
            return final if final != NEXT else kind
        return run

    del m.frame.pendings[mark:]
    now = [] if code == STOP else [path(code, value, {})]
    return m.fork([*now, *(path(one.kind, one.value, {**start, **one.delta}) for one in early)])


def _with_handlers(m: Machine, node: ast.Try) -> int:
    if not node.handlers:
        code = m.run_block(node.body)
        return m.run_block(node.orelse) if code == NEXT else code
    doubts, raised = m.doubts, list[Delta]()
    ready = not all(map(lets_through, node.handlers))
    try:
        m.trying += ready
        m.caught.append(caught_by(m, node))
        m.handlers += [node.handlers] * ready
        m.raised.append(raised)
        try:
            code = m.run_block(node.body)
        finally:
            m.trying -= ready
            m.caught.pop()
            del m.handlers[len(m.handlers) - ready:]
            m.raised.pop()
        certain = m.doubts == doubts
        if code == NEXT:
            code = m.run_block(node.orelse)
    except RaisedAs as error:
        certain, taken = m.doubts == doubts, handler_of(node.handlers, error.kind)
        if taken is not None and (certain or len(node.handlers) == 1):
            return int(_handler(m, taken, raised, certain=certain)())
        if certain:
            raise
        return m.fork([_handler(m, handler, raised) for handler in node.handlers])  # or it raised before
    except Raised:
        return m.fork([_handler(m, handler, raised) for handler in node.handlers])
    if code == STOP and raised:
        return m.fork([_handler(m, handler, raised) for handler in node.handlers])
    handlers = [handler for handler in node.handlers if not _import_error(handler) and not only_raises(handler.body)]
    if certain or not handlers or code not in (NEXT, RETURN):
        return code
    value = m.frame.value

    def body() -> int:
        m.frame.value = value
        return code

    return m.fork([body, *(_handler(m, handler, raised) for handler in handlers)])


def _handler(m: Machine, handler: ast.ExceptHandler, raised: Sequence[Delta], certain: bool = False) -> Any:
    """A handler's body, from a state between the start of the try and its end, or one of those in which a path of it
    `raised`; `certain`: from the state now."""
    journal = m.heap.journals[-1]

    def run() -> int:
        for obj, start in list(journal.values()) if not certain else ():
            m.heap.touch(obj)
            obj.merge([start, obj.snapshot()])
        for obj, state in (entry for delta in raised for entry in delta.values()):
            m.heap.touch(obj)
            obj.merge([state, obj.snapshot()])
        if handler.name:
            m.set_item(target_scope(m, handler.name), handler.name, Unknown("an exception"))
        m.conditions += [HANDLED] * (not certain)
        try:
            return m.run_block(handler.body)
        finally:
            del m.conditions[len(m.conditions) - (not certain):]

    return run


def _import_error(handler: ast.ExceptHandler) -> bool:
    """Imports of the libraries that are modelled are taken to succeed."""
    names = {getattr(part, "id", None) or getattr(part, "attr", None) for part in walk(handler.type)} \
        if handler.type is not None else set[str]()
    return not names.isdisjoint(("ImportError", "ModuleNotFoundError"))

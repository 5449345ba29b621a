"""Statements: assignment, branches, loops, with, try, and definitions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.classes import define_class
from cudnnlint.interp.functions import make_function
from cudnnlint.interp.heap import BREAK, CONTINUE, NEXT, RETURN, ListV, Raised
from cudnnlint.interp.machine import Machine, assumptions_of, executes, plain
from cudnnlint.interp.names import assign, delete, load, target_scope
from cudnnlint.interp.objects import MISSING, External, FunctionV, InstanceV
from cudnnlint.interp.operators import binary, truth
from cudnnlint.values import Assumed, Unknown


@executes(ast.Expr)
def expression(m: Machine, node: ast.Expr) -> int:
    m.eval(node.value)
    return NEXT


@executes(ast.Assign)
def assignment(m: Machine, node: ast.Assign) -> int:
    value = m.eval(node.value)
    m.note(node, value)
    for target in node.targets:
        assign(m, target, value)
    return NEXT


@executes(ast.AnnAssign)
def annotated(m: Machine, node: ast.AnnAssign) -> int:
    if node.value is not None:
        value = m.eval(node.value)
        m.note(node, value)
        assign(m, node.target, value)
    return NEXT


@executes(ast.AugAssign)
def augmented(m: Machine, node: ast.AugAssign) -> int:
    target = node.target
    if isinstance(target, ast.Name):
        current = load(m, target.id)
    elif isinstance(target, ast.Attribute):
        current = get_attribute(m, m.eval(target.value), target.attr, target)
    else:
        current = m.eval(ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load()))
    operand = m.eval(node.value)
    held = plain(current)
    if isinstance(held, ListV) and isinstance(node.op, ast.Add):
        _extend(m, held, operand)
        return NEXT
    value = binary(m, node.op, current, operand, node)
    m.note(node, value)
    assign(m, target, value)
    return NEXT


def _extend(m: Machine, target: ListV, operand: Any) -> None:
    from cudnnlint.interp.iterate import elements

    m.heap.touch(target)
    found = elements(m, operand)
    if isinstance(found, Unknown):
        target.unknown = found
    else:
        target.items.extend(found)


@executes(ast.Delete)
def deletion(m: Machine, node: ast.Delete) -> int:
    for target in node.targets:
        delete(m, target)
    return NEXT


@executes(ast.Return)
def return_(m: Machine, node: ast.Return) -> int:
    m.frame.value = m.eval(node.value) if node.value is not None else None
    return RETURN


@executes(ast.Break)
def break_(m: Machine, node: ast.Break) -> int:
    return BREAK


@executes(ast.Continue)
def continue_(m: Machine, node: ast.Continue) -> int:
    return CONTINUE


@executes(ast.Raise)
def raise_(m: Machine, node: ast.Raise) -> int:
    if node.exc is not None:
        m.eval(node.exc)
    raise Raised


@executes(ast.Assert)
def assert_(m: Machine, node: ast.Assert) -> int:
    test = m.eval(node.test)
    verdict = truth(test)
    if verdict is False and not isinstance(test, Assumed) and not m.frame.control:
        raise Raised
    if not verdict:
        m.doubts += 1
    return NEXT


@executes(ast.Global)
def global_(m: Machine, node: ast.Global) -> int:
    m.frame.scope.globals_.update(node.names)
    return NEXT


@executes(ast.Nonlocal)
def nonlocal_(m: Machine, node: ast.Nonlocal) -> int:
    m.frame.scope.nonlocals.update(node.names)
    return NEXT


@executes(ast.If)
def if_(m: Machine, node: ast.If) -> int:
    test = m.eval(node.test)
    verdict = truth(test)
    if verdict is None:
        return m.fork([lambda: m.run_block(node.body), lambda: m.run_block(node.orelse)], plain(test))
    taken, other = (node.body, node.orelse) if verdict else (node.orelse, node.body)
    assumed = assumptions_of(test)
    if not assumed:
        return m.run_block(taken)
    if _only_raises(taken):
        # the default would stop here: then nobody runs with it, and the value is another one
        m.doubts += 1
        return m.run_block(other)
    m.frame.control |= assumed
    return m.run_block(taken)


def _only_raises(body: Sequence[ast.stmt]) -> bool:
    """A block that ends the program: its last statement raises or exits."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        function = last.value.func
        return ((isinstance(function, ast.Name) and function.id in ("exit", "quit"))
                or (isinstance(function, ast.Attribute)
                    and function.attr in ("exit", "_exit", "error", "fail", "abort")))
    return False


@executes(ast.With, ast.AsyncWith)
def with_(m: Machine, node: ast.With) -> int:
    entered: list[Any] = []
    for item in node.items:
        manager = m.eval(item.context_expr)
        value = _enter(m, manager, item.context_expr)
        entered.append(manager)
        if item.optional_vars is not None:
            assign(m, item.optional_vars, value)
    expected = any(_expects_error(item.context_expr) for item in node.items)
    m.expecting += expected
    try:
        return m.run_block(node.body)
    except Raised:
        if not expected:
            raise
        return NEXT
    finally:
        m.expecting -= expected
        for manager in reversed(entered):
            if (leave := getattr(plain(manager), "left", None)) is not None:
                leave(m)


EXPECTING = frozenset({"assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "assertRaisesWithLiteralMatch",
                       "assertRaisesWithPredicateMatch", "assertRaisesIncompatibleShapesError", "assert_raises",
                       "assert_raises_regex", "raises", "suppress"})
"""Context managers under which a failure is what the program wants."""


def _expects_error(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else node
    name = (function.attr if isinstance(function, ast.Attribute)
            else function.id if isinstance(function, ast.Name) else "")
    return name in EXPECTING


def _enter(m: Machine, manager: Any, node: ast.AST) -> Any:
    value = plain(manager)
    if (enter := getattr(value, "entered", None)) is not None:
        return enter(m)
    from cudnnlint.interp.attributes import method_of

    if isinstance(value, InstanceV) and (method := method_of(value, "__enter__")) is not MISSING:
        return m.call(method, [], {}, node)
    return value if not isinstance(value, External) else Unknown("a context manager")


@executes(ast.Try)
def try_(m: Machine, node: ast.Try) -> int:
    """The body, joined with what each handler makes of it: a handler may start anywhere in a body that may raise."""
    mark = len(m.frame.pendings)
    m.heap.open()
    try:
        code = _with_handlers(m, node)
    finally:
        m.heap.close(m.frame.pendings[mark:])
    final = m.run_block(node.finalbody)
    return final if final != NEXT else code


def _with_handlers(m: Machine, node: ast.Try) -> int:
    doubts = m.doubts
    try:
        code = m.run_block(node.body)
        certain = m.doubts == doubts
        if code == NEXT:
            code = m.run_block(node.orelse)
    except Raised:
        if not node.handlers:
            raise
        return m.fork([_handler(m, handler) for handler in node.handlers])
    handlers = [handler for handler in node.handlers if not _import_error(handler) and not _only_raises(handler.body)]
    if certain or not handlers or code not in (NEXT, RETURN):
        return code
    value = m.frame.value

    def body() -> int:
        m.frame.value = value
        return code

    return m.fork([body, *(_handler(m, handler) for handler in handlers)])


def _handler(m: Machine, handler: ast.ExceptHandler) -> Any:
    """A handler's body, from a state between the start of the try and its end."""
    journal = m.heap.journals[-1]

    def run() -> int:
        for obj, start in list(journal.values()):
            m.heap.touch(obj)
            obj.merge([start, obj.snapshot()])
        if handler.name:
            m.set_item(target_scope(m, handler.name), handler.name, Unknown("an exception"))
        return m.run_block(handler.body)

    return run


def _import_error(handler: ast.ExceptHandler) -> bool:
    """Imports of the libraries that are modelled are taken to succeed."""
    text = ast.dump(handler.type) if handler.type is not None else ""
    return "ImportError" in text or "ModuleNotFoundError" in text


@executes(ast.FunctionDef, ast.AsyncFunctionDef)
def function_definition(m: Machine, node: ast.FunctionDef) -> int:
    made = make_function(m, node, node.name)
    m.functions.setdefault(id(node), made)
    value: Any = made
    for decorator in reversed(node.decorator_list):
        value = decorate(m, decorator, value)
    m.set_item(target_scope(m, node.name), node.name, value)
    return NEXT


TRANSPARENT = frozenset({
    "tensorflow.function", "functools.wraps", "functools.lru_cache", "functools.cache", "abc.abstractmethod",
    "contextlib.contextmanager", "typing.override", "typing.no_type_check", "typing.final", "torch.no_grad",
    "torch.jit.script", "torch.inference_mode", "tensorflow.custom_gradient",
    "tensorflow.autograph.experimental.do_not_convert",
    "tensorflow.Module.with_name_scope", "keras.utils.register_keras_serializable", "keras.layers.experimental",
    "tensorflow.recompute_grad",
})
TRANSPARENT_PREFIXES = ("keras.saving.", "keras.utils.", "keras.src.", "gin.", "click.", "typing.", "pytest.",
                        "typeguard.",
                        "tensorflow.compat.v1.test", "absl.", "keras_export", "keras.")


def decorate(m: Machine, decorator: ast.expr, value: Any) -> Any:
    """Apply a decorator; one that is not understood makes the function unknown."""
    is_call = isinstance(decorator, ast.Call)
    callee = plain(m.eval(decorator.func if isinstance(decorator, ast.Call) else decorator))
    name = getattr(callee, "name", "")
    if name in ("staticmethod", "classmethod", "property") and isinstance(value, FunctionV):
        value.kind = {"staticmethod": "static", "classmethod": "class", "property": "property"}[name]
        return value
    if isinstance(callee, External):
        if callee.path in ("functools.cached_property", "abc.abstractproperty") and isinstance(value, FunctionV):
            value.kind = "property"
            return value
        if callee.path in TRANSPARENT or callee.path.startswith(TRANSPARENT_PREFIXES):
            return value
        return Unknown(f"decorated with {callee.path}")
    if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "getter", "deleter"):
        holder = plain(m.eval(decorator.value))
        if isinstance(holder, FunctionV) and isinstance(value, FunctionV) and decorator.attr == "setter":
            holder.setter = value
        return holder
    if isinstance(callee, Unknown):
        option = isinstance(decorator.func if is_call else decorator, ast.Attribute)  # type: ignore[attr-defined]
        if option and isinstance(value, FunctionV) and _is_command(decorator):
            return value
        return Unknown("decorated with something unknown")
    made = m.eval(decorator)
    return m.call(made, [value], {}, decorator)


def _is_command(decorator: ast.expr) -> bool:
    """`@cli.command()`, `@app.route(...)`: registration, the function stays itself."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Attribute) and target.attr in ("command", "callback", "route", "register", "option")


@executes(ast.ClassDef)
def class_definition(m: Machine, node: ast.ClassDef) -> int:
    m.set_item(target_scope(m, node.name), node.name, define_class(m, node))
    return NEXT


@executes(ast.Match)
def match_(m: Machine, node: ast.Match) -> int:
    subject = m.eval(node.subject)
    branches: list[Any] = []
    for case in node.cases:
        verdict = _matches(m, case.pattern, subject) if case.guard is None else None
        if verdict is False:
            continue
        branches.append(lambda case=case: m.run_block(case.body))
        if verdict is True:
            break
    else:
        branches.append(lambda: NEXT)
    if len(branches) == 1:
        only: int = branches[0]()
        return only
    return m.fork(branches)


def _matches(m: Machine, pattern: ast.pattern, subject: Any) -> bool | None:
    from cudnnlint.interp.operators import compare

    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        if pattern.name:
            m.set_item(target_scope(m, pattern.name), pattern.name, subject)
        return True
    if isinstance(pattern, ast.MatchValue):
        outcome = compare(m, ast.Eq(), subject, m.eval(pattern.value), pattern.value)
        return outcome if isinstance(outcome, bool) else None
    if isinstance(pattern, ast.MatchSingleton):
        outcome = compare(m, ast.Is(), subject, pattern.value, pattern)
        return outcome if isinstance(outcome, bool) else None
    if isinstance(pattern, ast.MatchOr):
        verdicts = [_matches(m, option, subject) for option in pattern.patterns]
        return True if True in verdicts else None if None in verdicts else False
    for inner in ast.walk(pattern):
        if isinstance(inner, (ast.MatchAs, ast.MatchStar)) and inner.name:
            m.set_item(target_scope(m, inner.name), inner.name, Unknown("a matched part"))
    return None


"""def and class, and what decorators leave of them."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.classes import define_class
from cudnnlint.interp.decorators import OTHER_DTYPES, is_noted, leaves_alone
from cudnnlint.interp.functions import AUTOCAST
from cudnnlint.interp.graphs.tracing import COMPILING, as_traced
from cudnnlint.interp.heap import NEXT
from cudnnlint.interp.machine import Machine, executes, plain
from cudnnlint.interp.names import target_scope
from cudnnlint.interp.objects import External, FunctionV
from cudnnlint.interp.own_functions import is_generator, make_function
from cudnnlint.interp.registry import CALLS
from cudnnlint.interp.torch.histories import PAUSED
from cudnnlint.values import Unknown


@executes(ast.FunctionDef, ast.AsyncFunctionDef)
def function_definition(m: Machine, node: ast.FunctionDef) -> int:
    made = make_function(m, node, node.name)
    if m.functions.setdefault(id(node), made).module is not made.module and made.module.name == "__main__":
        m.functions[id(node)] = made  # the file imports itself, under another name
    value: Any = made
    for decorator in reversed(node.decorator_list):
        value = decorate(m, decorator, value)
    m.set_item(target_scope(m, node.name), node.name, value)
    return NEXT


TRANSPARENT = frozenset({
    "functools.wraps", "abc.abstractmethod",
    "typing.override", "typing.no_type_check", "typing.final",
    "torch.jit.script", "torch.jit.script_method",
    "torch.compile", "torch.jit.export", "torch.jit.ignore",
    "tensorflow.autograph.experimental.do_not_convert",
    "tensorflow.Module.with_name_scope", "keras.utils.register_keras_serializable", "keras.layers.experimental",
    "tensorflow.recompute_grad",
})
CACHED = frozenset({"functools.lru_cache", "functools.cache"})
"""Of the same arguments the function is run once."""
MANAGERS = frozenset({"contextlib.contextmanager", "contextlib.asynccontextmanager",
                      "tensorflow.python.util.tf_contextlib.contextmanager"})
OWN_GRADIENT = frozenset({"tensorflow.custom_gradient", "keras.ops.custom_gradient"})
"""Of the result and the gradient that the function gives, its callers get the result."""
UNTRACKED = frozenset({"torch.no_grad", "torch.inference_mode"})
"""Decorators under which PyTorch keeps no graph of what a function computes."""
TRANSPARENT_PREFIXES = ("keras.saving.", "keras.utils.", "keras.src.", "gin.", "typing.", "pytest.",
                        "typeguard.",
                        "tensorflow.compat.v1.test", "absl.", "keras_export", "keras.", "namex.")


def decorate(m: Machine, decorator: ast.expr, value: Any) -> Any:
    """Apply a decorator; one that is not understood makes the function unknown."""
    callee = plain(m.eval(decorator.func if isinstance(decorator, ast.Call) else decorator))
    name = getattr(callee, "name", "")
    if name in ("staticmethod", "classmethod", "property") and isinstance(value, FunctionV):
        value.kind = {"staticmethod": "static", "classmethod": "class", "property": "property"}[name]
        return value
    if isinstance(callee, External):
        if callee.path in ("functools.cached_property", "abc.abstractproperty") and isinstance(value, FunctionV):
            value.kind = "cached" if callee.path == "functools.cached_property" else "property"
            return value
        if callee.path == "tensorflow.function":
            return as_traced(m, value, m.span(decorator), _options(decorator), _compiled(m, decorator),
                             _signature(m, decorator))
        if callee.path in UNTRACKED and isinstance(value, FunctionV):
            value.node.cudnnlint_untracked = True  # type: ignore[union-attr]
            m.state.setdefault(PAUSED, {})
            return value
        if callee.path in OWN_GRADIENT and isinstance(value, FunctionV):
            value.node.cudnnlint_gradient = True  # type: ignore[union-attr]
            return value
        if callee.path in MANAGERS and isinstance(value, FunctionV) and is_generator(value.node, value.module.source):
            value.node.cudnnlint_manager = True  # type: ignore[union-attr]
            return value
        if callee.path.startswith(("hydra.main", "gin.", "pyrallis.", "draccus.")) and callee.path in CALLS:
            return m.call(m.eval(decorator), [value], {}, decorator)
        if callee.path in CACHED and isinstance(value, FunctionV):
            value.node.cudnnlint_cached = True  # type: ignore[union-attr]
            return value
        if callee.path in OTHER_DTYPES and isinstance(value, FunctionV):
            m.state[AUTOCAST] = True  # from here on
            return value
        if callee.path in ("torch.set_grad_enabled", "torch.enable_grad") and isinstance(value, FunctionV):
            given = decorator.args if isinstance(decorator, ast.Call) else []
            value.node.cudnnlint_untracked = bool(given) and plain(m.eval(given[0])) is False  # type: ignore[union-attr]
            return value
        if callee.path in TRANSPARENT or callee.path in MANAGERS or callee.path.startswith(TRANSPARENT_PREFIXES) \
                or leaves_alone(callee.path):
            return value
        if callee.path.startswith("click."):  # what is modelled, and what is not, leaves the function what it is
            return m.call(m.eval(decorator), [value], {}, decorator) if callee.path in CALLS else value
        return Unknown(f"decorated with {callee.path}")
    if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "getter", "deleter"):
        holder = plain(m.eval(decorator.value))
        if isinstance(holder, FunctionV) and isinstance(value, FunctionV) and decorator.attr != "getter":
            setattr(holder, decorator.attr, value)
        return holder
    if isinstance(callee, Unknown):
        if isinstance(value, FunctionV) and is_noted(decorator, of_class=False):
            return value
        return Unknown("decorated with something unknown")
    made = m.eval(decorator)
    return m.call(made, [value], {}, decorator)


def _options(decorator: ast.expr) -> frozenset[str]:
    """The names of the arguments that a decorator is given."""
    return frozenset(word.arg for word in decorator.keywords if word.arg) if isinstance(decorator, ast.Call) \
        else frozenset()


def _signature(m: Machine, decorator: ast.expr) -> Any:
    words = decorator.keywords if isinstance(decorator, ast.Call) else ()
    return next((m.eval(word.value) for word in words if word.arg == "input_signature"), None)


def _compiled(m: Machine, decorator: ast.expr) -> Any:
    """What a tf.function is told of XLA."""
    words = decorator.keywords if isinstance(decorator, ast.Call) else ()
    return next((plain(m.eval(word.value)) for word in words if word.arg in COMPILING), None)


@executes(ast.ClassDef)
def class_definition(m: Machine, node: ast.ClassDef) -> int:
    m.set_item(target_scope(m, node.name), node.name, define_class(m, node))
    return NEXT

"""What each decorator of a library makes of a function: one entry a decorator."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

from cudnnlint.interp.decorators import OTHER_DTYPES, leaves_alone
from cudnnlint.interp.functions import AUTOCAST
from cudnnlint.interp.graphs.tracing import COMPILING, as_traced
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.own_functions import is_generator
from cudnnlint.interp.registry import CALLS
from cudnnlint.interp.torch.histories import PAUSED
from cudnnlint.values import Unknown

Effect: TypeAlias = Callable[[Machine, ast.expr, FunctionV], Any]
"""Of a decorator as it is written and the function below it: what the name stands for then."""
TRANSPARENT = frozenset({
    "functools.wraps", "abc.abstractmethod",
    "torch.jit.script", "torch.jit.script_method",
    "torch.compile", "torch.jit.export", "torch.jit.ignore",
    "tensorflow.autograph.experimental.do_not_convert",
    "tensorflow.Module.with_name_scope", "tensorflow.recompute_grad",
})
TRANSPARENT_PREFIXES = ("keras.", "gin.", "typing.", "pytest.", "typeguard.", "tensorflow.compat.v1.test", "absl.",
                        "keras_export", "namex.", "click.")
"""Of click what is modelled, and what is not, leaves the function what it is."""
WRAPPING = ("hydra.main", "gin.", "pyrallis.", "draccus.", "click.")
"""Whose decorators are modelled as what they are: calls that give something to call."""


def of_library(m: Machine, decorator: ast.expr, path: str, value: Any) -> Any:
    """What the decorator at `path` makes of `value`; unknown, if it is not known."""
    if path == "tensorflow.function":
        return traced(m, decorator, value)
    if path in EFFECTS and isinstance(value, FunctionV):
        return EFFECTS[path](m, decorator, value)
    if path in CALLS and path.startswith(WRAPPING):
        return m.call(m.eval(decorator), [value], {}, decorator)
    if path in EFFECTS or path in TRANSPARENT or path.startswith(TRANSPARENT_PREFIXES) or leaves_alone(path):
        return value
    return Unknown(f"decorated with {path}")


def of_kind(kind: str) -> Effect:
    """It becomes a property, or one that is asked once."""
    def effect(_m: Machine, _decorator: ast.expr, function: FunctionV) -> Any:
        function.kind = kind
        return function
    return effect


def marked(mark: str) -> Effect:
    """Who calls it looks for this mark of its node."""
    def effect(_m: Machine, _decorator: ast.expr, function: FunctionV) -> Any:
        setattr(function.node, mark, True)
        return function
    return effect


def manager(_m: Machine, _decorator: ast.expr, function: FunctionV) -> Any:
    """A generator becomes what `with` takes."""
    if is_generator(function.node, function.module.source):
        function.node.cudnnlint_manager = True  # type: ignore[union-attr]
    return function


def untracked(m: Machine, _decorator: ast.expr, function: FunctionV) -> Any:
    """PyTorch keeps no graph of what it computes."""
    function.node.cudnnlint_untracked = True  # type: ignore[union-attr]
    m.state.setdefault(PAUSED, {})
    return function


def tracked_if(m: Machine, decorator: ast.expr, function: FunctionV) -> Any:
    """`@torch.set_grad_enabled(mode)`; without an argument it keeps the graph."""
    given = decorator.args if isinstance(decorator, ast.Call) else []
    function.node.cudnnlint_untracked = bool(given) and plain(m.eval(given[0])) is False  # type: ignore[union-attr]
    return function


def of_other_dtypes(m: Machine, _decorator: ast.expr, function: FunctionV) -> Any:
    """From here on operations may compute in other types than those of what they are given."""
    m.state[AUTOCAST] = True
    return function


def traced(m: Machine, decorator: ast.expr, value: Any) -> Any:
    """`@tf.function`, with what it is told."""
    words = {word.arg: word.value for word in getattr(decorator, "keywords", ()) if word.arg}
    compiled = next((plain(m.eval(words[name])) for name in words if name in COMPILING), None)
    signature = m.eval(words["input_signature"]) if "input_signature" in words else None
    return as_traced(m, value, m.span(decorator), frozenset(words), compiled, signature)


EFFECTS: dict[str, Effect] = {
    "functools.cached_property": of_kind("cached"),
    "abc.abstractproperty": of_kind("property"),
    **dict.fromkeys(("functools.lru_cache", "functools.cache"), marked("cudnnlint_cached")),
    **dict.fromkeys(("contextlib.contextmanager", "contextlib.asynccontextmanager",
                     "tensorflow.python.util.tf_contextlib.contextmanager"), manager),
    **dict.fromkeys(("tensorflow.custom_gradient", "keras.ops.custom_gradient"), marked("cudnnlint_gradient")),
    **dict.fromkeys(("torch.no_grad", "torch.inference_mode"), untracked),
    **dict.fromkeys(("torch.set_grad_enabled", "torch.enable_grad"), tracked_if),
    **dict.fromkeys(OTHER_DTYPES, of_other_dtypes),
}
"""Of the result and the gradient that a function with its own gradient gives, its callers get the result."""

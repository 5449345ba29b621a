"""What frameworks teach the interpreter: handlers by canonical path, aliases, and class hierarchies."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Assumed, Unknown

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine


@record(slots=True)
class Call:
    """One call under way: the callee, evaluated arguments (may hold Assumed), and where it is written."""

    machine: Machine
    callee: Any
    args: list[Any]
    kwargs: dict[str, Any]
    node: ast.AST
    receiver: Any = None

    @property
    def span(self) -> Span:
        return self.machine.span(self.node)

    @property
    def path(self) -> str:
        """Of the function or method that is called."""
        callee: Any = self.callee
        callee = callee.value if isinstance(callee, Assumed) else callee
        return getattr(callee, "name", None) or getattr(callee, "path", None) or ""

    @property
    def first(self) -> Any:
        """The first argument, by position; without it Python raises TypeError."""
        return self.args[0] if self.args else Unknown("an argument that is missing")

    def get(self, position: int, name: str, default: Any = None) -> Any:
        """The argument by position or keyword, as the program passed it; `receiver` is not counted."""
        if position < len(self.args):
            return self.args[position]
        return self.kwargs.get(name, default)


Handler = Callable[[Call], Any]
AttributeHandler = Callable[["Machine", Any], Any]

CALLS: dict[str, Handler] = {}
"""Canonical path of a function or method -> handler."""
ATTRIBUTES: dict[str, AttributeHandler] = {}
"""Canonical path of a class attribute or property ("keras.Model.layers") -> its value for a receiver."""
CONSTANTS: dict[str, Any] = {}
"""Canonical path of a library constant ("tensorflow.newaxis", "numpy.pi") -> value."""
PARENTS: dict[str, str] = {}
"""Class path -> path of its base class."""
PREFIXES: dict[str, str] = {}
"""Import path prefix -> canonical one ("tensorflow.keras" -> "keras"), longest first."""
ROOTS: set[str] = set()
"""Top-level names of the libraries that are modelled: their attributes resolve to External paths."""

broken: list[str] = []
"""One line for each module that did not load."""


@record(frozen=True, slots=True)
class Framework:
    """One modelled library: import roots, path aliases, and its handlers."""

    name: str
    roots: tuple[str, ...]
    prefixes: Mapping[str, str] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ROOTS.update(self.roots)
        PREFIXES.update(self.prefixes)
        PARENTS.update(self.parents)

    def on(self, *paths: str) -> Callable[[Handler], Handler]:
        """Handle calls of these canonical paths; a method's handler finds its object in `call.receiver`."""

        def decorate(handler: Handler) -> Handler:
            for path in paths:
                if path in CALLS and not isinstance(CALLS[path], Waiting):
                    raise ValueError(f"{path} is handled twice")
                CALLS[path] = handler
            return handler

        return decorate

    def attribute(self, *paths: str) -> Callable[[AttributeHandler], AttributeHandler]:
        """Give the value of a property of a modelled class."""

        def decorate(handler: AttributeHandler) -> AttributeHandler:
            for path in paths:
                ATTRIBUTES[path] = handler
            return handler

        return decorate

    def constant(self, path: str, value: Any) -> None:
        CONSTANTS[path] = value


class Waiting:
    """Stands for what a module registers until it is asked for: then the module is imported, which replaces it."""

    __slots__ = ("_module", "_path", "_table")

    def __init__(self, table: Mapping[str, Any], path: str, module: str) -> None:
        self._table, self._path, self._module = table, path, module

    def brought(self) -> Any:
        """Unknown, if the module does not load."""
        bring(self._module)
        found = self._table[self._path]
        return Unknown(f"{self._module} does not load") if found is self else found

    def __call__(self, *given: Any) -> Any:
        found = self.brought()
        return found if isinstance(found, Unknown) else found(*given)


def expect(table: dict[str, Any], paths: Iterable[str], module: str) -> None:
    """Importing `module` will register these paths."""
    for path in paths:
        table.setdefault(path, Waiting(table, path, module))


@cache
def bring(module: str) -> None:
    """Import a module for what it registers; one that does not load takes nothing else with it."""
    try:
        importlib.import_module(module)
    except Exception as error:
        broken.append(f"{module} does not load: {type(error).__name__}: {error}".replace("\n", " "))


NESTED = 64
"""Parts of a path, at most: no library nests its names so deeply."""


@lru_cache(maxsize=8192)
def canonical(path: str) -> str:
    """The path with framework aliases applied: `tensorflow.keras.layers.Dense` -> `keras.layers.Dense`.

    Prefixes are tried longest first and repeatedly, so that aliases may chain.
    """
    if path.count(".") > NESTED:
        return path
    for _ in range(8):
        head = path
        while head:
            if (target := PREFIXES.get(head)) is not None:
                path = (target + path[len(head):]).lstrip(".")
                break
            head = head.rpartition(".")[0]
        else:
            return _exported(path)
    return path


SECTIONS = ("layers", "models", "losses", "metrics", "optimizers", "callbacks", "initializers", "regularizers",
            "constraints")
"""Packages of Keras whose classes are exported one and all beside their modules."""
OWN_NAMES = frozenset({"schedules", "legacy", "experimental"})
"""Packages within those whose names are public themselves."""


def _exported(path: str) -> str:
    """The public name of a class that is named by the module that defines it: `keras.layers.core.dense.Dense`, as
    editors import it from keras.src."""
    parts = path.split(".")
    if len(parts) < 4 or parts[0] != "keras" or parts[1] not in SECTIONS or parts[2] in OWN_NAMES:
        return path
    at = next((place for place, part in enumerate(parts[2:], 2) if part[:1].isupper()), 2)
    return canonical(".".join((*parts[:2], *parts[at:]))) if at > 2 else path


LAYER_PACKAGES = ("keras.layers.", "keras_contrib.layers.", "tensorflow_addons.layers.",
                  "einops.layers.keras.", "einops.layers.tensorflow.")


@lru_cache(maxsize=2048)
def ancestry(path: str) -> tuple[str, ...]:
    """A class path and its bases, nearest first; any class of keras.layers, and of packages of layers for Keras,
    descends from keras.layers.Layer, any of torch.nn from torch.nn.Module.
    """
    chain = [path]
    while path in PARENTS and len(chain) < 16:
        path = PARENTS[path]
        chain.append(path)
    if path.startswith(LAYER_PACKAGES) and path != "keras.layers.Layer":
        chain.append("keras.layers.Layer")
    if path.startswith("torch.nn.") and path != "torch.nn.Module":
        chain.append("torch.nn.Module")
    return tuple(chain)


@lru_cache(maxsize=4096)
def find_method(path: str, name: str) -> str | None:
    """Canonical path of the method `name` of class `path` or a base, if a handler exists."""
    for base in ancestry(path):
        if f"{base}.{name}" in CALLS:
            return f"{base}.{name}"
    return None


@lru_cache(maxsize=4096)
def find_attribute(path: str, name: str) -> AttributeHandler | None:
    for base in ancestry(path):
        if (handler := ATTRIBUTES.get(f"{base}.{name}")) is not None:
            return handler
    return None

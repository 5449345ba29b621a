"""Names and arguments that the library at hand does not have any more: told where the program uses them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cudnnlint.events import Event
from cudnnlint.facts.changes import (
    ARGUMENTS,
    EXTENT_ATTRIBUTES,
    FUNCTIONAL_METHODS,
    IGNORED,
    IMPORTED,
    LAYER_ATTRIBUTES,
    LAYER_METHODS,
    LEGACY,
    METHODS,
    METRIC_METHODS,
    NO_MODULES,
    OF_OTHERS,
    OPTIMIZER_ATTRIBUTES,
    OPTIMIZER_METHODS,
    OPTIMIZERS,
    REMOVED,
    TENSOR_METHODS,
    Change,
)
from cudnnlint.facts.inner_rooms import is_of_version_1
from cudnnlint.interp.machine import plain
from cudnnlint.interp.mistakes.misspelt import set_in, tell_of_misspelt
from cudnnlint.interp.refusals import is_meant
from cudnnlint.records import record
from cudnnlint.source import Source
from cudnnlint.source.walk import walk
from cudnnlint.values import Stack, Unknown, Where
from cudnnlint.values.stack import parse_version

if TYPE_CHECKING:
    from cudnnlint.events.project import ApiOutlived
    from cudnnlint.interp.machine import Machine
    from cudnnlint.interp.objects import External
    from cudnnlint.interp.registry import Call

NEWEST = Stack()


def check_name(m: Machine, written: str, node: ast.AST, *, imported: bool = False) -> None:
    """A dotted name that the program reads."""
    change = REMOVED.get(written)
    if change is not None and written in IMPORTED and (imported or m.frame.module.source.says(written)):
        return
    if change is not None and written in OF_OTHERS and not _is_with_keras(m):
        return
    if change is not None and written.rpartition(".")[2] not in m.state.get("asked_for", ()):
        _tell(m, "name", written, "", change, node, imported=imported)


def _is_with_keras(m: Machine) -> bool:
    """Whether the file imports TensorFlow or Keras, which tell how old its other packages may be; a comment that only
    speaks of them, or `import tensorboardX`, tells nothing."""
    source = m.frame.module.source
    if not (source.says("tensorflow") or source.says("keras")):
        return False
    found: dict[Source, bool] = m.notes.setdefault("with keras", {})
    if source not in found:
        found[source] = any(name.partition(".")[0] in KERAS for node in walk(source.tree()) for name in _imported(node))
    return found[source]


KERAS = frozenset({"tensorflow", "keras", "tf_keras", "tensorflow_addons", "tensorflow_datasets"})


def _imported(node: ast.AST) -> list[str]:
    """The modules that a statement imports."""
    if type(node) is ast.ImportFrom:
        return [node.module] if node.module and not node.level else []
    return [alias.name for alias in node.names] if type(node) is ast.Import else []


def is_gone(m: Machine, written: str) -> bool:
    """Whether the version at hand has no such name."""
    change = REMOVED.get(written)
    return change is not None and not Where(change.keras, change.tensorflow).holds(m.stack)


def check_import(m: Machine, written: str, node: ast.AST) -> None:
    """A dotted name that the program imports, and the modules that it lies in."""
    if written.startswith("tensorflow.compat.") and written.count(".") > 3:
        holder = ".".join(written.split(".", 4)[:4])
        if holder in NO_MODULES:
            _tell(m, "name", holder, "", Change("<3", "", f"tf{written[10:]}, or tensorflow.keras", holder), node,
                  imported=True)
    for each, holder, name in _prefixes(written):
        check_name(m, each, node, imported=True)
        tell_of_misspelt(m, holder, name, node, imported=True)


@lru_cache(maxsize=4096)
def _prefixes(written: str) -> tuple[tuple[str, str, str], ...]:
    """A dotted name and those of the modules that it lies in, each with what holds it and its own name there.

    >>> _prefixes("keras.layers.Dense")
    (('keras.layers.Dense', 'keras.layers', 'Dense'), ('keras.layers', 'keras', 'layers'))
    """
    found = []
    while "." in written:
        holder, _, name = written.rpartition(".")
        found.append((written, holder, name))
        written = holder
    return tuple(found)


def check_method(c: Call, name: str, owner: str = "Model") -> None:
    """A method called on a model, a layer, an optimizer or a metric."""
    if owner == "Model" and name not in METHODS:
        owner = "Optimizer"
    change = {"Model": METHODS, "Layer": LAYER_METHODS, "Functional": FUNCTIONAL_METHODS,
              "Optimizer": OPTIMIZER_METHODS, "Metric": METRIC_METHODS}[owner][name]
    _tell(c.machine, "method", f"{owner}.{name}", "", change, c.node)


def check_legacy(c: Call, name: str) -> None:
    """`keras.optimizers.legacy.Adam()`"""
    change = Change("<3", "", f"keras.optimizers.{name}", LEGACY)
    _tell(c.machine, "name", f"{LEGACY}.{name}", "", change, c.node)


def check_attribute(m: Machine, path: str, name: str, node: ast.AST) -> None:
    """What is read of an object of the class `path`, where the program neither asks for it nor sets it."""
    owner = "Layer" if name in LAYER_ATTRIBUTES else "Optimizer"
    change = OPTIMIZER_ATTRIBUTES.get(name) or LAYER_ATTRIBUTES[name]
    theirs = path in OPTIMIZERS if owner == "Optimizer" else path.startswith("keras.layers.") and path not in KEEPING
    if not theirs or type(node) is not ast.Attribute:
        return
    source = m.frame.module.source
    if owner == "Layer" and source is not None and source.says("hasattr"):
        return
    if name not in m.state.get("asked_for", ()) and source is not None and name not in set_in(m, source):
        _tell(m, "attribute", f"{owner}.{name}", "", change, node)


def check_symbolic(m: Machine, name: str, node: ast.AST) -> None:
    """`x.get_shape()` of what an Input or a layer gave; within a call() there are tensors of the backend."""
    source = m.frame.module.source
    if type(node) is ast.Attribute and not m.applying and source is not None and not source.says("hasattr") \
            and name not in set_in(m, source):
        _tell(m, "method", f"KerasTensor.{name}", "", TENSOR_METHODS[name], node)


DIMENSIONS = "shapes hold Dimensions"
"""State of programs that ask TensorFlow 2 for those of TensorFlow 1."""


def extent_attribute(m: Machine, extent: Any, name: str, node: ast.Attribute) -> Any:
    """`x.shape[1].value`: the number, or None, with TensorFlow 1; told with what followed it."""
    change, source = EXTENT_ATTRIBUTES[name], m.frame.module.source
    there = m.state.get(DIMENSIONS) or Where(change.keras, change.tensorflow).holds(m.stack)
    if not there and (source is None or source.says("compat")):  # its program may have asked for them
        return Unknown(f"attribute {name} of an extent")
    if DIMENSIONS not in m.state:
        _tell(m, "attribute", f"Dimension.{name}", "", change, node)
    if there:
        return extent
    from cudnnlint.interp.raising import would_raise

    would_raise(m, AttributeError)
    return Unknown(f"attribute {name} of an extent")


KEEPING = frozenset({"keras.layers.TorchModuleWrapper"})
"""Layers of Keras 3 that have an output_shape."""


def check_arguments(c: Call, callee: External) -> None:
    if is_of_version_1(callee.written):
        return
    for what, table in (("argument", ARGUMENTS), ("ignored", IGNORED)):
        for name, change in table.get(callee.path, {}).items():
            value = plain(c.kwargs.get(name, change))
            if name not in c.kwargs or (change.value is not None and change.value is not value) \
                    or _is_passed_over(c, callee):
                continue
            if what == "argument" or value not in (0, None):  # what asks for nothing misses nothing
                _tell(c.machine, what, callee.written or callee.path, name, change, c.node)
            if what == "argument" and not Where(change.keras, change.tensorflow).holds(c.machine.stack):
                from cudnnlint.interp.raising import would_raise

                would_raise(c.machine, TypeError)


def _is_passed_over(c: Call, callee: External) -> bool:
    """A functional model of Keras 3 takes any keyword (keras/src/models/functional.py: Functional.__init__)."""
    given = len(c.args) + ("inputs" in c.kwargs) + ("outputs" in c.kwargs)
    return callee.path == "keras.Model" and given > 1 and c.machine.stack.keras >= (3,)


def _tell(m: Machine, what: str, name: str, argument: str, change: Change, node: ast.AST, **more: Any) -> None:
    """Once a file; not in a try block, which may be there for just this, nor in a branch that need not be taken, nor in
    a module that is imported: it is linted itself, for the versions that it is for. But what its caller hands it by
    `**` is seen from here alone.
    """
    where = Where(keras=change.keras, tensorflow=change.tensorflow)
    if where.holds(m.stack):
        if m.stack.implied and what != "ignored" and not where.holds(NEWEST):
            outlived(m, what, name, argument, where, node, instead=change.instead, **more)
        return
    if not is_meant(m):
        return
    span = m.span(node)
    if span.path != m.linted and not _is_handed(node, argument):
        return
    told, key = m.notes.setdefault("changes", {}), change.group or (name, argument, span.line)
    if key in told:
        return
    told[key] = span
    from cudnnlint.events.project import ApiChanged

    m.say(ApiChanged, span, what=what, name=name, argument=argument, exists=where, instead=change.instead, **more)


def _is_handed(node: ast.AST, argument: str) -> bool:
    """Whether a call gets the argument out of a dict, `**settings`."""
    return bool(argument) and isinstance(node, ast.Call) and argument not in {word.arg for word in node.keywords}


def outlived(m: Machine, what: str, name: str, argument: str, where: Where, node: ast.AST, **more: Any) -> None:
    """In a file that is judged for old versions, though nothing asks for them: the use of what left first is told."""
    span, key = m.span(node), "outlived"
    asked: dict[str, bool] = m.notes.setdefault("asked for by try", {})
    if m.trying:
        asked[name] = True
    if not is_meant(m) or span.path != m.linted:
        return
    from cudnnlint.events.project import ApiOutlived

    age = parse_version((where.tensorflow or where.keras)[1:]), span[:3]
    known = m.endings.get(key)
    if not isinstance(known, _Oldest) or age < known.age:
        event = ApiOutlived(
            span=span, stack=NEWEST, calls=tuple(m.calls), uncalled=m.uncalled, what=what, name=name, argument=argument,
            exists=where, **more)
        m.endings[key] = _Oldest(age, event, m.emit, asked)


@record(frozen=True, slots=True)
class _Oldest:
    """What left first of all that a file uses, told at its end; not what a try asks for, which leaves the function or
    goes another way where it is gone."""

    age: Any
    event: ApiOutlived
    emit: Callable[[Event], object]
    asked: Mapping[str, bool]

    def __call__(self) -> None:
        if self.event.name not in self.asked:
            self.emit(self.event)

"""Builtins that look into objects: isinstance, getattr, type, super, iter and the like."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.builtin.functions import BUILTINS, builtin
from cudnnlint.interp.builtin.kinds import (
    class_of,
    container_of_modules,
    is_callable,
    is_instance,
    is_scalar,
    is_subclass,
)
from cudnnlint.interp.builtin.special import own_method
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import join
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.loops.idle import tell_of_loader, tell_of_no_first
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.namespaces import EXECUTED, GlobalsV
from cudnnlint.interp.objects import MISSING, ClassV, External, GeneratorV, InstanceV, NamespaceV, RangeV, Scope
from cudnnlint.interp.registry import Call
from cudnnlint.interp.settled import MARK
from cudnnlint.interp.supers import SuperV
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.packed import Packed


@builtin("isinstance")
def isinstance_(c: Call) -> Any:
    verdict = is_instance(plain(c.args[0]), plain(c.args[1])) if len(c.args) == 2 else None
    if verdict is not None:
        return assume(verdict, assumptions_of(c.args[0]))
    given = str(getattr(plain(c.args[0]), "why", "")) if c.args else ""
    return Unknown("isinstance of a parameter" if given.startswith("parameter ") else "isinstance of an unknown value")


@builtin("issubclass")
def issubclass_(c: Call) -> Any:
    verdict = is_subclass(plain(c.args[0]), plain(c.args[1])) if len(c.args) == 2 else None
    return Unknown("issubclass") if verdict is None else verdict


@builtin("callable")
def callable_(c: Call) -> Any:
    verdict = is_callable(c.args[0]) if c.args else None
    return Unknown("callable of an unknown value") if verdict is None else verdict


@builtin("getattr")
def getattr_(c: Call) -> Any:
    from cudnnlint.interp.attribute_names import getattr_value

    if len(c.args) < 2:
        return Unknown("getattr without a name")
    return getattr_value(c.machine, c.args[0], c.args[1], c.args[2] if len(c.args) > 2 else MISSING, c.node)


def _note_question(c: Call) -> None:
    """Who asks whether there is a name, knows that there may be none."""
    if len(c.args) > 1 and isinstance(plain(c.args[0]), External | ObjectV):
        state = c.machine.state  # a set that never changes: what a module asked is shared by all that import it
        state["asked_for"] = state.get("asked_for", frozenset()) | {plain(c.args[1])}


def _in_library(c: Call, module: External, name: Any) -> Any:
    """`hasattr(keras.layers, "GELU")`: of a room of Keras all of whose names are known. What only other releases have,
    and what a library itself has, is asked for by code that has a word for each answer."""
    why = Unknown("what a library has")
    keras = c.machine.stack.keras
    if keras < (3,) and (since := OF_KERAS_2.get(f"{module.path}.{name}")):
        return keras >= since
    if module.path == "keras.backend":
        from cudnnlint.facts.backend import in_backend

        found = in_backend(name, module.written, keras)
        return why if found is None else found
    if module.path not in ROOMS or keras < (3,) or name in OF_TENSORFLOW:
        return why
    from cudnnlint.facts.public_names import listed

    now, past = listed(module.path)
    return why if not isinstance(name, str) or name in past else name in now


ROOMS = frozenset(f"keras.{room}" for room in (
    "layers", "models", "optimizers", "optimizers.schedules", "callbacks", "utils", "applications", "initializers",
    "regularizers", "constraints", "activations", "ops", "random", "mixed_precision"))
"""Those that are the same as keras and as tf.keras, but for OF_TENSORFLOW, which tf.keras has (Keras 3.15, run)."""
OF_KERAS_2 = {"keras.activations.gelu": (2, 4)}
"""What programs of Keras 2 ask for, and since when it is there (tensorflow/python/keras/activations.py)."""
OF_TENSORFLOW = ("RandomHeight", "RandomWidth", "ThresholdedReLU")


OF_CELLS = ("state_size", "output_size")
"""What tells cells of recurrent layers from layers."""


@builtin("hasattr")
def hasattr_(c: Call) -> Any:
    _note_question(c)
    from cudnnlint.interp.attribute_names import lacks
    from cudnnlint.interp.attributes import get_attribute
    name = plain(c.args[1])
    value = plain(c.args[0])
    if name == "__len__" and isinstance(value, Tensor) and value.kind == "numpy" and value.shape == ():
        return Unknown("hasattr of a scalar or an array") if is_scalar(value) is not True else False
    if name == "__len__" and isinstance(value, Tensor) and value.kind == "keras" and c.machine.stack.keras >= (3,):
        return False  # keras/src/backend/common/keras_tensor.py; that of Keras 2 has one that raises
    if isinstance(name, str) and not isinstance(value, Unknown):
        if name == "__dict__" and isinstance(value, InstanceV) and value.cls.lookup("__slots__") is not MISSING:
            return Unknown("whether a class with slots has a base without")
        if type(value) is Tensor and lacks(value, name):
            return False
        found = get_attribute(c.machine, value, name, c.node)
        if not isinstance(found, (Unknown, External)):
            return True
        if isinstance(value, NamespaceV) and not value.unknown:
            return name in value.items
        if lacks(value, name):
            return False
        if isinstance(found, External) and found.path == "keras.version" and c.machine.stack.keras >= (3,):
            return True  # what libraries ask to tell Keras 3, which has it from the start, from Keras 2
        if name in OF_CELLS and str(getattr(value, "path", "")).startswith("keras.layers."):
            return value.path.endswith(("Cell", "StackedRNNCells"))
    if isinstance(value, External):
        return _in_library(c, value, name)
    return Unknown("hasattr" if isinstance(value, Unknown) else "hasattr of something known")


@builtin("setattr")
def setattr_(c: Call) -> Any:
    from cudnnlint.interp.attribute_setting import set_named

    set_named(c)


@builtin("type")
def type_(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else None
    if len(c.args) == 1 and isinstance(value, InstanceV):
        return value.cls
    if len(c.args) == 1 and isinstance(value, (bool, int, float, str)):
        return BUILTINS.get(type(value).__name__, Unknown("type"))
    if len(c.args) == 1 and isinstance(value, (ListV, tuple, DictV)) and not isinstance(value, Packed) \
            and not container_of_modules(value):
        return BUILTINS["list" if isinstance(value, ListV) else "tuple" if isinstance(value, tuple) else "dict"]
    return class_of(value) if len(c.args) == 1 else Unknown("type of an unknown value")


@builtin("super")
def super_(c: Call) -> Any:
    if c.args:
        cls, instance = plain(c.args[0]), plain(c.args[1]) if len(c.args) > 1 else None
        return SuperV(cls, instance) if isinstance(cls, ClassV) and instance is not None else Unknown("super()")
    for frame in reversed(c.machine.frames):
        function = frame.function
        owner = function.owner or getattr(function.scope, "owner", None) if function is not None else None
        if function is not None and owner is not None:
            arguments = function.node.args
            names = [*arguments.posonlyargs, *arguments.args]
            if names:
                return SuperV(owner, plain(frame.scope.items.get(names[0].arg)))
    return Unknown("super()")


@builtin("delattr")
def delattr_(c: Call) -> Any:
    from cudnnlint.interp.attribute_setting import delete_attribute

    if len(c.args) == 2:
        delete_attribute(c.machine, *c.args)


@builtin("next")
def next_(c: Call) -> Any:
    from cudnnlint.interp.iterate import partly_run, sample

    value = plain(c.args[0])
    if isinstance(value, InstanceV) and (step := own_method(value, "__next__")) is not MISSING and len(c.args) == 1:
        return c.machine.call(step, [], {}, c.node)
    if getattr(value, "iterator", True) is False:
        tell_of_loader(c.machine, value.path, c.span)
    if isinstance(value, GeneratorV) and value.complete and not value.elements.unknown:
        if value.changed:
            partly_run(c.machine, value)
        if value.elements.items:
            c.machine.heap.touch(value.elements)
            return value.elements.items.pop(0)
        if len(c.args) > 1:  # nothing is left
            return c.args[1]
    if isinstance(value, GeneratorV) and value.counter is not None and not value.counter.unknown:
        return _counted(c.machine, value.counter, value.maker)
    if (following := getattr(value, "following", None)) is not None:
        return following(c.machine)
    if len(c.args) == 1:
        tell_of_no_first(c.machine, value, c.span)
    elif isinstance(value, GeneratorV):  # there may be none
        return join([sample(c.machine, value), c.args[1]])
    return sample(c.machine, value)


def _counted(m: Machine, counter: ListV, maker: str) -> Any:
    """The next of an endless iterator, which goes on after it."""
    m.heap.touch(counter)
    first, *rest = counter.items
    if maker == "cycle":
        counter.items = [*rest, first]
    else:
        number = plain(first)
        counter.items = [number + rest[0] if isinstance(number, int | float) else Unknown("a number counted"), *rest]
    return first


@builtin("iter")
def iter_(c: Call) -> Any:
    from cudnnlint.interp.forget import forget
    from cudnnlint.interp.iterate import all_in_order

    value = plain(c.args[0])
    if len(c.args) > 1:  # calls it until it gives that
        forget(c.machine, c)
        return Unknown("an iterator over what a function gives")
    if isinstance(value, (ListV, tuple, DictV, RangeV, str)):
        found = all_in_order(c.machine, value)
        if not isinstance(found, Unknown) and len(found) <= c.machine.limits.items:
            return GeneratorV(ListV(list(found)), complete=True)
    if isinstance(value, InstanceV) and (made := own_method(value, "__iter__")) is not MISSING:
        return c.machine.call(made, [], {}, c.node)
    return value.as_iterator() if hasattr(value, "as_iterator") else value


@builtin("reveal_shape")
def reveal_shape(c: Call) -> Any:
    """Of ours: tells what an expression in the middle of others is, and gives it back."""
    value = c.args[0] if c.args else Unknown("nothing to reveal")
    c.machine.note(c.node, value)
    return value


@builtin("get_ipython")
def get_ipython(c: Call) -> Any:
    """Of notebooks; it stands there for what a command gives, and for what a cell that is no Python sets."""
    return Unknown("what the notebook sets outside of Python")


@builtin("locals")
def locals_(c: Call) -> Any:
    """The names of the function, class or module that it stands in, as they are now."""
    scope = c.machine.frame.scope
    if c.args or scope.kind == "comprehension":  # whose names they are differs between versions of Python
        return Unknown("locals()")
    table = _table(c.machine, scope)
    if EXECUTED in scope.items:
        table.unknown = Unknown("what exec() bound, up to Python 3.12")
    return table


@builtin("globals")
def globals_(c: Call) -> Any:
    """The names of the module."""
    scope = c.machine.frame.module.scope
    return Unknown("globals()") if c.args else GlobalsV(_table(c.machine, scope).items, scope)


def _table(m: Machine, scope: Scope) -> DictV:
    """All names of a scope at once: which of them is asked for is not seen."""
    if m.recording is not None:
        m.recording.refused = True
    return DictV({name: value for name, value in scope.items.items() if not name.startswith(MARK)}, scope.unknown)

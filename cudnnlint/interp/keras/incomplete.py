"""Classes derived from Layer and Model that lack what Keras needs of them: call(), and the constructor of the base."""

from __future__ import annotations

import ast
from difflib import get_close_matches
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Where

GRAPH_GIVEN = "(graph)"
"""Where a layer keeps that its constructor may have been given inputs and outputs: no name of an attribute."""
WHERE = {"keras.Model": EVERYWHERE, "keras.layers.Layer": Where(keras=">=3")}
"""Whose call() raises: in Keras 2 that of Layer gives what it is given."""
SINCE = (2, 2)
"""The version of Keras in which models of one's own came (keras 2.2 keras/engine/network.py: Network._base_init)."""


def tell_of_no_call(m: Machine, instance: InstanceV, layer: LayerV, span: Span) -> None:
    """A model without call() is called (keras/src/models/model.py: Model.call; keras/src/layers/layer.py: Layer.call;
    tf_keras/src/engine/training.py: Model.call)."""
    where = WHERE.get(layer.path)
    plainly = GRAPH_GIVEN not in layer.extra and (instance.cls.lookup("__init__") is not MISSING or not m.uncalled)
    if where is None or not plainly or _may_be_derived(m, instance) or not is_followed(instance, layer.path) or any(
            instance.cls.lookup(name) is not MISSING or name in instance.items for name in ("call", "__call__")):
        return
    name = instance.cls.name
    refuse(m, span, Mismatch(
        Problem.INCOMPLETE, f"{name} is called, and has no method call()", where=where,
        help="def call(self, inputs): ... says what it gives",
        error='NotImplementedError "When subclassing the `Model` class, you should implement a `call()` method" or '
              '"does not have a `call()` method implemented"'), what=name, layer=layer.info())


def _may_be_derived(m: Machine, instance: InstanceV) -> bool:
    """Whether it is the `self` of a method that nothing here calls: a class derived from this one may have the rest."""
    return m.uncalled and any(frame.receiver is instance for frame in m.frames)


def tell_of_no_base(m: Machine, instance: InstanceV, span: Span) -> bool:
    """`super().__init__()` is missing from the constructor (keras/src/layers/layer.py: Layer._check_super_called;
    tf_keras/src/engine/training.py: Model.__setattr__).

    Whether nothing is known of the object then: one for which older versions did not ask may have set itself up.
    """
    base = instance.cls.external_base() or ""
    own = [cls.items["__init__"] for cls in instance.cls.mro if isinstance(cls, ClassV) and "__init__" in cls.items]
    if base not in WHERE or not own or not is_followed(instance, base) or not all(
            isinstance(method, FunctionV) and not method.node.decorator_list  # type: ignore[union-attr]
            and not _hands_on(method, instance.cls) for method in own):
        return False
    if base == "keras.Model" and m.stack.keras < SINCE:
        return True
    name = instance.cls.name
    return refuse(m, span, Mismatch(
        Problem.INCOMPLETE, _unreached(instance, own),
        help="super().__init__() is the first statement of it",
        error='RuntimeError "you forgot to call `super().__init__()`" or "You must call `super().__init__()`" or '
              'AttributeError "object has no attribute '
              '\'name\'", in fit() "has no attribute \'compiled\'" or "has no attribute \'_is_compiled\'"'),
        what=name)


def asks_for_base(own: Any) -> bool:
    """Whether a call finds out that the base is not set up: not if the class has a `__call__` of its own that does not
    go on to the library's (keras/src/layers/layer.py: Layer.__call__)."""
    return not isinstance(own, FunctionV) or any(
        isinstance(node, ast.Attribute) and node.attr == "__call__" for node in walk(own.node))


MODULE = "torch.nn.Module"


def tell_of_no_forward(m: Machine, instance: InstanceV, span: Span) -> None:
    """A module without forward() is called (torch/nn/modules/module.py: _forward_unimplemented); one that is indented
    too far is a function within __init__()."""
    if m.trying or _may_be_derived(m, instance) or instance.cls.external_base() != MODULE \
            or not is_followed(instance, MODULE) or any(
            instance.cls.lookup(name) is not MISSING or name in instance.items
            for name in ("forward", "__call__", "__getattr__")) or not (is_meant(m) or _lost_forward(instance)):
        return
    name = instance.cls.name
    refuse(m, span, Mismatch(
        Problem.INCOMPLETE, f"{name} is called, and has no method forward()",
        help="def forward(self, x): ... stands in the class, beside __init__()",
        error='NotImplementedError "is missing the required ... function"'), what=name)


def _lost_forward(instance: InstanceV) -> bool:
    """Whether the class was to have one: it has nothing but a constructor, or a method of a name like that. Another
    may be there for what it is asked for elsewhere, and where only some ways lead to the call, they may not be its."""
    own = {name for cls in instance.cls.mro if isinstance(cls, ClassV) for name, value in cls.items.items()
           if isinstance(value, FunctionV) and not name.startswith("__")}
    return not own or bool(get_close_matches("forward", own))


def tell_of_no_module(m: Machine, instance: InstanceV, span: Span) -> bool:
    """Modules are set on self, and `super().__init__()` is missing (torch/nn/modules/module.py: Module.__setattr__)."""
    own = [cls.items["__init__"] for cls in instance.cls.mro if isinstance(cls, ClassV) and "__init__" in cls.items]
    if m.trying or instance.cls.external_base() != MODULE or not own or not is_followed(instance, MODULE) or not all(
            isinstance(method, FunctionV) and not method.node.decorator_list  # type: ignore[union-attr]
            and not _hands_on(method, instance.cls) for method in own):
        return False
    held = next((name for name, value in instance.items.items() if _is_module(plain(value))), None)
    name = instance.cls.name
    return held is not None and refuse(m, span, Mismatch(
        Problem.INCOMPLETE, f"{_unreached(instance, own)}, and sets the module {held}",
        help="super().__init__() is the first statement of it",
        error='AttributeError "cannot assign module before Module.__init__() call"'), what=name)


def _is_module(value: Any) -> bool:
    """Whether it is a module of PyTorch's, or of a class of the program that is derived from one."""
    if isinstance(value, InstanceV):
        return value.cls.external_base() == MODULE and not value.unknown
    return str(getattr(value, "path", "")).startswith("torch.nn.")


def tell_of_early_layer(m: Machine, instance: InstanceV, called: Span) -> None:
    """Layers, or lists that are yet to hold them, that a model of Keras 2 sets before it calls `super().__init__()`, at
    `called` (tf_keras/src/engine/training.py: Model.__setattr__)."""
    if not (2, 4) <= m.stack.keras < (3,) or not instance.items or not is_certain(m) \
            or instance.cls.lookup("__setattr__") is not MISSING or m.frame.module.source.says("__dict__"):
        return
    held = next(((name, value) for name, value in instance.items.items() if _is_of_layers(value, DEEPEST)), None)
    if held is not None:
        made = getattr(plain(held[1]), "span", None)
        at = made if isinstance(made, Span) and made.path == called.path and made.line <= called.line else called
        refuse(m, at, Mismatch(
            Problem.INCOMPLETE, f"{instance.cls.name} sets {held[0]} before it calls super().__init__()",
            where=Where(keras="<3"), help="super().__init__() is the first statement of __init__()",
            error='RuntimeError "It looks like you are subclassing `Model` and you forgot to call '
                  '`super().__init__()`"'), what=instance.cls.name)


DEEPEST = 4
"""Lists within lists that are looked through."""


def _is_of_layers(value: Any, deep: int) -> bool:
    """Whether it is a layer or a model, or a list, tuple or dict of nothing else, be it empty."""
    held = plain(value)
    if isinstance(held, ListV | DictV | tuple):
        inside = held if isinstance(held, tuple) else held.items.values() if isinstance(held, DictV) else held.items
        known = isinstance(held, tuple) or held.unknown is None
        return deep > 0 and known and len(inside) <= MOST and all(_is_of_layers(each, deep - 1) for each in inside)
    if isinstance(held, InstanceV):
        return (held.cls.external_base() or "") in WHERE
    return isinstance(held, LayerV) or getattr(held, "kind", "") in ("sequential", "functional")


MOST = 256


def tell_of_early_module(m: Machine, instance: InstanceV, called: Span) -> None:
    """Modules that are set on self before `super().__init__()` is called, at `called`."""
    source = m.frame.module.source
    if not is_certain(m) or instance.cls.lookup("__setattr__") is not MISSING or source.says("__dict__") \
            or source.says("object.__setattr__"):
        return
    held = next(((name, part.span) for name, value in instance.items.items()
                 if _is_module(part := plain(value)) and isinstance(getattr(part, "span", None), Span)), None)
    if held is not None and held[1].path == called.path:
        refuse(m, held[1], Mismatch(
            Problem.INCOMPLETE, f"{instance.cls.name} sets the module {held[0]} before it calls super().__init__()",
            help="super().__init__() is the first statement of __init__()",
            error='AttributeError "cannot assign module before Module.__init__() call"'), what=instance.cls.name)


def is_followed(instance: InstanceV, base: str) -> bool:
    """Whether all bases are classes of the program, but for this one of Keras."""
    return not instance.unknown and all(
        isinstance(cls, ClassV) or (isinstance(cls, External) and cls.path in (base, "object"))
        for cls in instance.cls.mro)


def _unreached(instance: InstanceV, own: list[Any]) -> str:
    passed = next((node for method in own for node in walk(method.node) if _passes_over(node, instance.cls)), None)
    name = instance.cls.name
    if not isinstance(passed, ast.Attribute):
        return f"__init__() of {name} does not call super().__init__()"
    why = "is bound to no object" if _is_unbound(passed.value) else "passes over the constructor of its base"
    return f"__init__() of {name} calls {ast.unparse(passed)}(), which {why}"


def _passes_over(node: ast.AST, cls: ClassV) -> bool:
    """`super(Layer, self).__init__` in a class that derives from Layer alone, and `super(Net).__init__` in any."""
    if not isinstance(node, ast.Attribute) or node.attr != "__init__" or not isinstance(node.value, ast.Call):
        return False
    if _is_unbound(node.value):
        return True
    if cls.node is None or len(cls.node.bases) != 1 or len(node.value.args) != 2:
        return False
    called, base = node.value.func, cls.node.bases[0]
    return isinstance(called, ast.Name) and called.id == "super" and ast.dump(node.value.args[0]) == ast.dump(base) \
        and isinstance(cls.bases[0], External)


def _is_unbound(node: ast.expr) -> bool:
    """`super(Net)`, whose __init__ is that of super itself (Objects/typeobject.c: super_init)."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super" \
        and len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)


def _hands_on(method: FunctionV, cls: ClassV) -> bool:
    """Whether a constructor may reach that of its base: by a method of that name, or with self in other hands."""
    first = method.node.args.args[0].arg if method.node.args.args else ""
    passing = {id(node.value) for node in walk(method.node) if _passes_over(node, cls)
               if isinstance(node, ast.Attribute)}
    for node in walk(method.node):
        if isinstance(node, ast.Attribute) and node.attr == "__init__" and id(node.value) not in passing:
            return True
        if id(node) in passing:
            continue
        if isinstance(node, ast.Call) and any(isinstance(arg, ast.Name) and arg.id == first for arg in node.args):
            return True
    return False


__all__ = ["MODULE", "asks_for_base", "is_followed", "tell_of_early_layer", "tell_of_early_module", "tell_of_no_base",
           "tell_of_no_call", "tell_of_no_forward", "tell_of_no_module"]

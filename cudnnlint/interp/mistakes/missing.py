"""Attributes that an object of a class of the program's own certainly does not have: slips, and parts left out."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.facts.members import module_may_have
from cudnnlint.facts.public_names import listed
from cudnnlint.interp.attribute_names import lacks
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.misspelt import mentioned
from cudnnlint.interp.objects import MISSING, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.source import Source
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Where

CLOSE = 0.75
"""How alike two names are of which one is taken for a slip of the other, as difflib counts it."""
BASES = {"keras.Model": "keras.Model", "keras.layers.Layer": "keras.layers.Layer", "torch.nn.Module": "torch.nn.Module"}
"""Classes of libraries that programs derive their own from -> where their names are listed."""
BUILDERS = {**dict.fromkeys(("build", "biuld", "bulid", "buld", "buid", "bild", "Build", "built"), "build"),
            **dict.fromkeys(("init", "int", "inti", "innit", "Init"), "__init__")}
"""How methods are written that should make the parts of a layer -> what Python or Keras calls."""
OPENERS = ("setattr", "__dict__", "vars(", "__getattr", "__slots__", "exec(", "locals()", "globals()",
           "add_module", "register_module", "register_parameter", "register_buffer", "_modules")
"""What gives objects attributes whose names no text shows."""


GONE = {"validation_data": ("keras.callbacks.Callback", Where(keras=">=3"),
                            "hand it to the constructor of the callback, which keeps it")}
"""Attributes that objects of a class of Keras had -> that class, versions without, and what to do
(tf_keras/src/callbacks.py: Callback.__init__)."""


def _tell_of_gone(m: Machine, instance: InstanceV, node: ast.Attribute) -> None:
    base, where, advice = GONE[node.attr]
    source = m.frame.module.source
    if instance.cls.external_base() != base or instance.unknown or node.attr in instance.items \
            or instance.cls.lookup(node.attr) is not MISSING or not is_meant(m) or m.handlers \
            or source is None or any(isinstance(one, ast.Attribute) and one.attr == node.attr
                                     and not isinstance(one.ctx, ast.Load) for one in walk(source.tree())):
        return
    name = instance.cls.name
    refuse(m, m.span(node), Mismatch(
        Problem.NO_ATTRIBUTE, f"{name} has no attribute {node.attr}: callbacks of Keras 3 are not given it",
        help=advice, where=where, error=f"AttributeError \"'{name}' object has no attribute '{node.attr}'\"",
        facts=(("moment", "when it is read"),)), what=node.attr)


def tell_of_missing(m: Machine, base: Any, node: ast.Attribute) -> None:
    """`self.con1(x)` in a call() that is followed, where the constructor set `self.conv1`, or in a model or layer of
    which nothing sets such a part.
    """
    instance = plain(base)
    if node.attr in GONE and isinstance(instance, InstanceV):
        _tell_of_gone(m, instance, node)
    if not isinstance(instance, InstanceV) or not isinstance(node.value, ast.Name | ast.Call) \
            or not lacks(instance, node.attr) or not is_certain(m) or not _is_plain(m, instance) \
            or _may_be_module(m, instance, node.attr):
        return
    if setter := _misnamed_setter(m, instance, node.attr):
        name, meant, span = instance.cls.name, BUILDERS[setter.strip("_")], m.span(node)
        if m.notes.setdefault("misnamed", {}).setdefault((name, setter), span) != span:
            return
        refuse(m, m.span(node), Mismatch(
            Problem.NO_ATTRIBUTE, f"{name} has no attribute {node.attr}: only {setter}() sets it, which nothing calls",
            help=f"did you mean def {meant}()?",
            error=f"AttributeError \"'{name}' object has no attribute '{node.attr}'\""), what=node.attr)
        return
    from difflib import get_close_matches

    close = get_close_matches(node.attr, _names(instance), n=1, cutoff=CLOSE)
    if (close or instance.cls.external_base() in (*BASES, None)) and not _is_mentioned(m, instance, node.attr):
        name = instance.cls.name
        refuse(m, m.span(node), Mismatch(
            Problem.NO_ATTRIBUTE, f"{name} has no attribute {node.attr}",
            help=f"did you mean {close[0]}?" if close else f"nothing sets it: self.{node.attr} = ... in __init__()",
            error=f"AttributeError \"'{name}' object has no attribute '{node.attr}'\""), what=node.attr)


def may_be_torch(m: Machine) -> bool:
    """Whether Keras may run on PyTorch: its layers are modules then, with all their methods
    (keras/src/backend/torch/layer.py: TorchLayer)."""
    source = m.frame.module.source
    return source is not None and m.stack.keras >= (3,) and bool(
        source.says("KERAS_BACKEND") or (source.says("torch") and not source.says("tensorflow")))


def _may_be_module(m: Machine, instance: InstanceV, name: str) -> bool:
    return (instance.cls.external_base() or "").startswith("keras.") and module_may_have(name) and may_be_torch(m)


def _misnamed_setter(m: Machine, instance: InstanceV, attribute: str) -> str:
    """The one method that sets it, if its name is a slip of `build` or `__init__`, so that nobody calls it."""
    setters = [(name, method) for cls in instance.cls.mro if isinstance(cls, ClassV)
               for name, method in cls.items.items() if isinstance(method, FunctionV) and any(
                   isinstance(part, ast.Attribute) and part.attr == attribute and not isinstance(part.ctx, ast.Load)
                   for part in walk(method.node))]
    if len(setters) != 1 or setters[0][0] in ("build", "__init__") or setters[0][0].strip("_") not in BUILDERS \
            or getattr(setters[0][1].node, "decorator_list", None) or instance.cls.external_base() not in BASES:
        return ""
    name, itself = setters[0][0], set(walk(setters[0][1].node))
    called = any((isinstance(part, ast.Attribute) and part.attr == name and isinstance(part.ctx, ast.Load))
                 or (isinstance(part, ast.Constant) and part.value == name)
                 for source in _sources(m, instance) for part in walk(source.tree()) if part not in itself)
    return "" if called else name


def _names(instance: InstanceV) -> list[str]:
    """What it has of its own and from the library's class, constructors and the like left aside."""
    of_classes = [name for cls in instance.cls.mro if isinstance(cls, ClassV) for name in cls.items]
    of_library = listed(BASES.get(instance.cls.external_base() or "", ""))[0]
    found = {**instance.items, **dict.fromkeys((*of_classes, *sorted(of_library)))}
    return [name for name in found if not name.startswith("__")]


def _is_plain(m: Machine, instance: InstanceV) -> bool:
    """Whether all bases are followed but the library's, and nothing else gives it attributes."""
    classes = [cls for cls in instance.cls.mro if isinstance(cls, ClassV)]
    others = [cls for cls in instance.cls.mro if not isinstance(cls, ClassV)]
    return len(others) < 2 and all(isinstance(cls, External) for cls in others) and instance.cls.fields is None \
        and instance.cls.members is None and not any(
            cls.unknown or cls.node is None or cls.node.decorator_list or cls.node.keywords for cls in classes) \
        and not any(text in source.text for source in _sources(m, instance) for text in OPENERS)


def _sources(m: Machine, instance: InstanceV) -> list[Source]:
    """The sources of its classes and of where the program is."""
    modules = [cls.module for cls in instance.cls.mro if isinstance(cls, ClassV)] + [frame.module for frame in m.frames]
    return [module.source for module in {id(module): module for module in modules}.values() if module.source]


SCRIPTED = frozenset({"save", "save_to_buffer", "graph", "inlined_graph", "code", "code_with_constants",
                      "original_name", "define", "get_debug_state"})
"""What modules have that torch.jit.script() made (torch/jit/_script.py: RecursiveScriptModule)."""


def _is_mentioned(m: Machine, instance: InstanceV, name: str) -> bool:
    """Whether something sets such an attribute, defines it, or has its name in a text."""
    return any(name in mentioned(m, source) or (name in SCRIPTED and source.says("jit"))
               for source in _sources(m, instance))

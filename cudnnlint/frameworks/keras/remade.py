"""Layers of the program's own that load_model() makes anew: their constructors are handed what was saved of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cudnnlint.frameworks.keras.config_keys import OF_LAYER, not_told
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import walk_parts
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, ClassV, FunctionV, InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Tensor, Where

LAYER, MODEL = "keras.layers.Layer", "keras.Model"
REGISTERS = "register_keras_serializable"


def tell_of_remade(m: Machine, model: Any, span: Span) -> None:
    """`def __init__(self, units):` without **kwargs (keras/src/ops/operation.py: Operation.from_config; tf_keras/src/
    engine/base_layer.py: Layer.from_config). Run with Keras 3.7 and 3.15 and tf_keras 2.21, `.keras` and `.h5`."""
    for layer in _own_layers(model):
        init, get_config = layer.cls.lookup("__init__"), layer.cls.lookup("get_config")
        if not isinstance(init, FunctionV) or init.node.args.kwarg is not None or _is_own(layer, "from_config") \
                or (get_config is MISSING and _given(layer, init)):  # which save() refuses
            continue
        keys = OF_LAYER if get_config is MISSING else _keys_of_base(get_config)
        taken = {argument.arg for argument in (*init.node.args.args, *init.node.args.kwonlyargs)}
        if lacking := [key for key in keys if key not in taken]:
            name = layer.cls.name
            refuse(m, span, Mismatch(
                Problem.INCOMPLETE, f"load_model() makes {name} with {' and '.join(lacking)}, which __init__() of "
                f"{name} does not take", where=Where(keras=">=3") if get_config is MISSING else EVERYWHERE,
                help="def __init__(self, ..., **kwargs): super().__init__(**kwargs), and get_config() for the rest",
                error='TypeError "could not be deserialized properly" or "Error when deserializing class" or "got an '
                      'unexpected keyword argument"'), what="load_model", stage="load_model")
            return
    for part in _own_parts(model):
        if missing := not_told(part.cls):
            name = part.cls.name
            refuse(m, span, Mismatch(
                Problem.INCOMPLETE, f"load_model() makes {name} without {' and '.join(missing)}, which __init__() "
                f"needs and get_config() does not tell", where=EVERYWHERE if _is_layer(part) else Where(keras=">=3"),
                help=f'get_config() of {name} with "{missing[0]}": self.{missing[0]}',
                error='TypeError "could not be deserialized properly" or "Error when deserializing class" or "missing '
                      '1 required positional argument"'), what="load_model", stage="load_model")
            return


def tell_of_unsaved(m: Machine, model: Any, span: Span) -> None:
    """A layer that was given layers or tensors, and has no get_config() to tell what of them
    (keras/src/ops/operation.py: Operation.get_config)."""
    for layer in _own_layers(model):
        init = layer.cls.lookup("__init__")
        if layer.cls.lookup("get_config") is MISSING and isinstance(init, FunctionV) and (given := _given(layer, init)):
            name = layer.cls.name
            refuse(m, span, Mismatch(
                Problem.INCOMPLETE, f"{name} is made with {given}, of which save() knows no configuration",
                where=Where(keras=">=2.13"), help=f"def get_config(self): in {name}, with "
                "keras.saving.serialize_keras_object() of it", error='NotImplementedError "was created by passing '
                'non-serializable argument values in `__init__()`"'), what="save", stage="save")
            return


def _own_layers(model: Any) -> Iterator[InstanceV]:
    """Those of a functional or sequential model, whose bases are known."""
    if not isinstance(plain(model), ModelV):
        return
    for part in walk_parts(model, enters=lambda held: not isinstance(held, InstanceV)):
        if isinstance(part, InstanceV) and not part.unknown and part.cls.external_base() == LAYER \
                and all(_is_plain(cls) for cls in part.cls.mro if isinstance(cls, ClassV)):
            yield part


def _own_parts(model: Any) -> Iterator[InstanceV]:
    """Those layers, or the model where a class of the program's own derives from Model, and its layers."""
    held = plain(model)
    if not isinstance(held, InstanceV):
        yield from _own_layers(held)
    elif not held.unknown and held.cls.external_base() == MODEL \
            and all(_is_plain(cls) for cls in held.cls.mro if isinstance(cls, ClassV)):
        yield held


def _is_layer(part: InstanceV) -> bool:
    return part.cls.external_base() == LAYER


def _is_plain(cls: ClassV) -> bool:
    decorators = cls.node.decorator_list if cls.node is not None else []
    init = cls.items.get("__init__")
    return cls.node is not None and not cls.unknown and all(REGISTERS in ast.unparse(each) for each in decorators) \
        and not (isinstance(init, FunctionV) and init.node.decorator_list)  # type: ignore[union-attr]


def _is_own(layer: InstanceV, name: str) -> bool:
    return layer.cls.lookup(name) is not MISSING


def _keys_of_base(get_config: Any) -> tuple[str, ...]:
    """What a get_config() has of that of the base, which it calls and takes nothing out of."""
    if not isinstance(get_config, FunctionV):
        return ()
    nodes = list(walk(get_config.node))
    calls = any(isinstance(node, ast.Attribute) and node.attr == "get_config" and isinstance(node.value, ast.Call)
                and isinstance(node.value.func, ast.Name) and node.value.func.id == "super" for node in nodes)
    takes = any(isinstance(node, ast.Delete | ast.DictComp | ast.If)
                or (isinstance(node, ast.Attribute) and node.attr == "pop") for node in nodes)
    return ("name", *OF_LAYER) if calls and not takes else ()


def _given(layer: InstanceV, init: FunctionV) -> str:
    """`self.projection = projection` of an argument that is a layer, a model or a tensor."""
    names = {argument.arg for argument in (*init.node.args.args[1:], *init.node.args.kwonlyargs)}
    for node in walk(init.node):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names \
                and len(node.targets) == 1 and isinstance(target := node.targets[0], ast.Attribute):
            held = plain(layer.items.get(target.attr))
            if isinstance(held, LayerV | ModelV | Tensor) or (isinstance(held, InstanceV) and isinstance(
                    held.extra, LayerV)):
                kind = "a tensor" if isinstance(held, Tensor) else "a model" if isinstance(held, ModelV) else "a layer"
                return f"{kind}, {node.value.id}"
    return ""


__all__ = ["tell_of_remade", "tell_of_unsaved"]

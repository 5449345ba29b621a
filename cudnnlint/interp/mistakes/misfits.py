"""Calls in the program that the methods of a user's layer cannot take, and what Keras does not take by position."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.binding import STAR, lacking
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.objects import ClassV, FunctionV, InstanceV
from cudnnlint.interp.parameters import parameters
from cudnnlint.interp.refusals import refuse, told_once
from cudnnlint.interp.registry import Call, ancestry
from cudnnlint.interp.telling import CHOSEN
from cudnnlint.ops.protocol import BASE_ARGUMENTS
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Where
from cudnnlint.values.stack import version_holds
from cudnnlint.values.unknown import Unset

FILLED_IN = frozenset({"training", "mask"})
"""What Keras 2 adds to a call (tf_keras/src/engine/base_layer.py: Layer._set_training_mode). Keras 3 binds arguments
before it looks for them (keras/src/layers/layer.py: CallSpec.__init__), so that a default is needed."""
TWICE = "TypeError \"call() got multiple values for argument 'training'\" or \"compute_output_spec() got multiple " \
        "values\""
LAYER, KERAS_3 = "keras.layers.Layer", Where(keras=">=3")
STRICT = frozenset({LAYER, "keras.Model", "keras.Sequential", *(f"keras.layers.{name}" for name in (
    "BatchNormalization", "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianNoise",
    "GaussianDropout", "AlphaDropout", "LayerNormalization", "MultiHeadAttention", "LSTM", "GRU", "SimpleRNN"))})
"""Classes that take no other values than tensors by position; layers that prepare data, and Functional, do."""


MODEL_ARGUMENTS = {"name": "", "dtype": "", "trainable": "", "autocast": "", "activity_regularizer": ">=3",
                   "input_shape": ">=3", "input_dim": ">=3", "dynamic": "<3", "inputs": "", "outputs": ""}
"""keras/src/models/model.py: Model.__init__, which hands on to Layer; tf_keras/src/engine/training.py: the same."""


def tell_of_call(c: Call, instance: InstanceV, layer: LayerV) -> None:
    """`block(x)` where call(self, x, training) has no default for training; `block(x, True)`."""
    method = _method(instance.cls, "call") if isinstance(c.node, ast.Call) else None
    if method is not None and STAR not in c.kwargs:
        ungiven = next(iter(_ungiven(method, c)), None)
        if ungiven is not None:
            refuse(c.machine, c.span, _misses(instance.cls.name, ungiven), what=instance.cls.name, layer=layer.info())
    tell_of_positional(c, layer, method)


def tell_of_constructor(c: Call, cls: ClassV) -> None:
    """`Block(8, activaton="relu")` where no __init__ takes that."""
    method = _method(cls, "__init__") if isinstance(c.node, ast.Call) else None
    if method is None or STAR in c.kwargs or isinstance(cls.lookup("__new__"), FunctionV) \
            or CHOSEN in c.machine.conditions:  # which of several classes it is decides what it is given
        return
    names, by_keyword = parameters(method.node)
    if method.node.args.kwarg is None:
        known = (*names[1:], *by_keyword)
        for name, value in c.kwargs.items():
            if name not in known and type(value) is not Unset:
                _refuse(c, cls, Mismatch(
                    Problem.UNKNOWN_ARGUMENT, f"{cls.name} has no argument {name}", argument=name,
                    facts=(("name", name), ("versions", ""), ("twice", False), ("parameters", known))))
                return
    if ungiven := _ungiven(method, c):
        _refuse(c, cls, lacking(cls.name, ungiven, by_keyword))


def tell_of_base(c: Call, instance: InstanceV, layer: LayerV) -> None:
    """`super().__init__(**kwargs)` where Layer or Model is handed what it does not have."""
    m, keras = c.machine, c.machine.stack.keras
    known = {LAYER: BASE_ARGUMENTS, "keras.Model": MODEL_ARGUMENTS}.get(layer.path)
    if known is None or STAR in c.kwargs or m.uncertain > m.frame.uncertain \
            or CHOSEN in m.conditions:  # what it hands on may be for another one
        return
    if _path(instance.cls.mro[-1]) != layer.path:  # who else is handed them may take them
        return
    if layer.path != LAYER and (c.args or c.kwargs.keys() & {"inputs", "outputs"}):
        return
    if c.args and strip(c.args[0]) is instance:
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, "super().__init__() is given self, which it has already", help="super().__init__()",
            where=Where(keras=">=3"), error='TypeError "__init__() takes 1 positional argument but 2 were given"'),
            what=instance.cls.name, layer=layer.info(), stage="constructor")
    for name, value in c.kwargs.items():
        if type(value) is not Unset and (name not in known or not version_holds(known[name], keras)):
            names = (*parameters_of(instance.cls), *(word for word in known if version_holds(known[word], keras)))
            refuse(m, instance.span or c.span, Mismatch(
                Problem.UNKNOWN_ARGUMENT, f"{instance.cls.name} has no argument {name}", argument=name,
                facts=(("name", name), ("versions", known.get(name, "")), ("twice", False), ("parameters", names),
                       ("own", parameters_of(instance.cls)), ("base", layer.path))),
                what=instance.cls.name, layer=layer.info(), stage="constructor")
            return


def parameters_of(cls: ClassV) -> tuple[str, ...]:
    """What the class' own __init__ names."""
    method = _method(cls, "__init__")
    names, by_keyword = parameters(method.node) if method is not None else ([], [])
    return *names[1:], *by_keyword


def tell_of_positional(c: Call, layer: LayerV | ModelV, method: FunctionV | None = None) -> None:
    """`dropout(x, True)`: Keras 3 takes only tensors by position (keras/src/layers/layer.py: Layer.__call__), and one
    argument of them where the model is no class of the program's: after it `training` and `mask` come. `method` is the
    program's own call(), whose parameters may have any names."""
    if isinstance(layer, ModelV) and is_given_two(c, layer):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"{layer.display} is called with a second tensor beside its input",
            help="several inputs are one list: model([a, b])", where=KERAS_3, error=TWICE),
            what=layer.display, inputs=strip(c.args[0]))
        return
    for place, arg in enumerate(c.args[1:] if layer.path in STRICT else (), 1):
        found: set[Any] = set()
        value = strip(arg, found)
        if isinstance(value, bool | str):
            if told_once(c.machine, "positional", KERAS_3, c.span):
                return
            name = _name_of(method, place) if method is not None else "training" if isinstance(value, bool) else ""
            advice = f"name it: {name}={value!r}" if name else "name it"
            is_graph = isinstance(layer, ModelV) and layer.kind == "functional"
            refuse(c.machine, c.span, Mismatch(
                Problem.INVALID_ARGUMENT, f"{layer.display} is called with {value!r} as argument {place + 1}, Keras 3 "
                f"takes only {'its inputs' if is_graph else 'tensors'} by position", help=advice,
                error=TWICE if is_graph else
                'ValueError "Only input tensors may be passed as positional arguments"',
                where=KERAS_3), what=layer.display, layer=layer.info() if isinstance(layer, LayerV) else None,
                assumptions=frozenset(found), inputs=strip(c.args[0]), args=tuple(strip(arg) for arg in c.args[1:]))
            return


def _name_of(method: FunctionV, place: int) -> str:
    """The parameter that an argument of the call fills, behind `self`."""
    names, _ = parameters(method.node)
    return names[1 + place] if 1 + place < len(names) else ""


def is_given_two(c: Call, model: ModelV) -> bool:
    """Whether a model of Keras 3 that is no class of the program's is called with a second tensor."""
    return c.machine.stack.keras >= (3,) and model.instance is None and model.path in STRICT and len(c.args) > 1 \
        and bool(tensors(strip(c.args[1])))


def _refuse(c: Call, cls: ClassV, wrong: Mismatch) -> None:
    refuse(c.machine, c.span, wrong, what=cls.name, stage="constructor")


def _method(cls: ClassV, name: str) -> FunctionV | None:
    """The method of a layer's class, if no class that is not known may have another in its place."""
    for base in cls.mro:
        if not isinstance(base, ClassV):
            break
        if name in base.items:
            method = base.items[name]
            plain = isinstance(method, FunctionV) and method.kind == "function"
            return method if plain and any(LAYER in ancestry(_path(one)) for one in cls.mro) else None
    return None


def _path(cls: Any) -> str:
    return str(getattr(cls, "path", ""))


def _ungiven(method: FunctionV, c: Call) -> list[str]:
    names, by_keyword = parameters(method.node)
    needed = [*names[1 + len(c.args): len(names) - len(method.defaults)],
              *(name for name in by_keyword if name not in method.kw_defaults)]
    return [name for name in needed if name not in c.kwargs]


def _misses(layer: str, name: str) -> Mismatch:
    filled = name in FILLED_IN
    advice = f"write {name}=None in call(): only Keras 2 fills in a {name} that has no default" if filled else ""
    return Mismatch(Problem.MISSING_ARGUMENT, f"{layer} is called without {name}", help=advice, argument=name,
                    where=Where(keras=">=3") if filled else EVERYWHERE)

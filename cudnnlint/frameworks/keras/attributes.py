"""What models and layers tell of themselves: layers, inputs, outputs, shapes, parameters."""

from __future__ import annotations

import difflib
import re
from typing import Any, ClassVar

from cudnnlint.events import Rejected
from cudnnlint.frameworks.keras.layer_order import INPUT, OF_A_FUNCTION, in_order, loose_inputs
from cudnnlint.frameworks.keras.making import FRAMEWORK, RECORDED_LAYERS, SPARSE, model_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layer_names import RENAMED, named
from cudnnlint.interp.keras.layers import LayerV, name_of
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import children, holes_of, params_of, walk_parts
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import External, InstanceV
from cudnnlint.interp.raising import would_raise
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.tensors import shape_value
from cudnnlint.ops.protocol import Policy
from cudnnlint.records import record
from cudnnlint.values import DType, Mismatch, Problem, Tensor, Unknown, Where
from cudnnlint.values.tensor import tensors


@FRAMEWORK.attribute("keras.Model.layers", "keras.Model.submodules")
def layers(m: Machine, value: Any) -> Any:
    held = plain(value)
    if isinstance(held, ModelV) and (recorded := held.extra.get(RECORDED_LAYERS)) is not None:
        return ListV([], recorded) if isinstance(recorded, Unknown) else ListV(list(recorded))
    model = model_of(value)
    functional = model is not None and model.kind == "functional"
    found = children(model if functional and m.stack.keras >= (3,) else value)
    if isinstance(found, Unknown):
        return ListV([], found)
    if model is not None and functional:
        found = found if model is value else list({id(layer): layer for layer in found}.values())
        ordered = in_order(model, found, m.stack.keras < (3,))
        if ordered is None:
            return ListV([*found, *loose_inputs(model, found)], Unknown("layers that are not known")).settle()
        found = list(ordered)
    return ListV(found)


@FRAMEWORK.attribute("keras.Model.built")
def built(m: Machine, value: Any) -> Any:
    """A functional model is built as it is made (keras/src/models/functional.py: Functional.__init__)."""
    model = model_of(value)
    return True if model is not None and model.kind == "functional" else Unknown("whether the model is built")


@FRAMEWORK.on("keras.Model.get_layer")
def get_layer(c: Call) -> Any:
    found = plain(layers(c.machine, plain(c.receiver)))
    name, index = plain(c.get(0, "name")), plain(c.get(1, "index"))
    if isinstance(found, ListV) and not found.unknown:
        if isinstance(index, int) and -len(found.items) <= index < len(found.items):
            return found.items[index]
        _tell_of_number(c, found, name, index)
        of_own_name = [layer for layer in found.items if layer is not OF_A_FUNCTION or str(name).startswith("tf")]
        names = [_named(c.machine, layer) for layer in of_own_name]
        for layer, own in zip(of_own_name, names, strict=True):
            if own == name and isinstance(name, str):
                return layer
        if isinstance(name, str) and index is None and all(isinstance(own, str) for own in names) and not _may_have(
                [own for layer, own in zip(of_own_name, names, strict=True) if named(layer) is None], name):
            would_raise(c.machine, ValueError)
            if not _tell_of_inner(c, found, name):
                _tell_of_none(c, names, name)
    elif isinstance(found, ListV) and isinstance(name, str):  # there may be more layers, but names are unique
        for layer in found.items:
            if _named(c.machine, layer) == name:
                return layer
    c.machine.doubts += 1
    if isinstance(name, str):
        _not_on_record(c, name)
    return Unknown("a layer that is not found")


def _named(m: Machine, layer: Any) -> Any:
    """What it is called now, None where that is not known."""
    held = layer.extra if isinstance(layer, InstanceV) else layer
    name = plain(name_of(m, held)) if isinstance(held, LayerV | ModelV) else None
    return name if isinstance(name, str) else None


def _may_have(numbered: list[str], name: str) -> bool:
    """Whether a layer may have this name that was given none, and that Keras numbers."""
    prefix = re.sub(r"_\d+$", "", name)
    return any(re.sub(r"_\d+$", "", own) == prefix for own in numbered)


NAMED = 6
"""Layers that are listed at most."""


def _tell_of_number(c: Call, found: ListV, name: Any, index: Any) -> None:
    """A number past the last layer, or where the name goes (keras/src/models/model.py: Model.get_layer)."""
    m, count = c.machine, len(found.items)
    if not count or not is_meant(m) or m.uncalled or holes_of(plain(c.receiver)):
        return
    if type(index) is int and index >= count:
        told = f"layer {index} of {count} layer{'s' * (count != 1)}, which count from 0"
        refuse(m, c.span, Mismatch(
            Problem.INDEX, told, argument="index", facts=(("size", count), ("index", index)),
            error=f'ValueError "Was asked to retrieve layer at index {index}"'), what="get_layer", stage="call")
    elif type(name) is int and index is None:
        refuse(m, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f"get_layer({name}) looks for a layer of that name", argument="name",
            help=f"get_layer(index={name})", error=f'ValueError "No such layer: {name}"'), what="get_layer")


def _tell_of_none(c: Call, names: list[Any], name: str) -> None:
    """None of the names that the program gave; where it may change names afterwards, nothing is known of them."""
    model, m = plain(c.receiver), c.machine
    if not isinstance(model, ModelV) or RECORDED_LAYERS in model.extra or any(
            RENAMED.search(frame.module.source.text) for frame in m.frames):
        return
    near = difflib.get_close_matches(name, names, n=1)
    m.say(Rejected, c.span, what="get_layer", mismatch=Mismatch(
        Problem.INVALID_ARGUMENT, f'{model.name} has no layer "{name}"', argument="name",
        help=f'did you mean "{near[0]}"?' if near else f"its layers are {', '.join(names[:NAMED])}",
        error=f'ValueError "No such layer: {name}. Existing layers are: ..."'))


def _tell_of_inner(c: Call, found: ListV, name: str) -> bool:
    """A layer of a model that is itself a layer: get_layer() looks no further than the model's own layers."""
    for inner in map(plain, found.items):
        held = plain(layers(c.machine, inner)) if isinstance(inner, ModelV) else None
        if isinstance(held, ListV) and any(getattr(plain(layer), "name", None) == name for layer in held.items):
            model = plain(c.receiver)
            whose = model.name if isinstance(model, ModelV) else "the model"
            c.machine.say(Rejected, c.span, what="get_layer", mismatch=Mismatch(
                Problem.INVALID_ARGUMENT, f'{whose} has no layer "{name}": it is one of {inner.name}, which is a layer '
                "here", argument="name", help=f'get_layer("{inner.name}").get_layer("{name}")',
                error=f'ValueError "No such layer: {name}. Existing layers are: ..."'))
            return True
    return False


def _not_on_record(c: Call, name: str) -> None:
    """A layer that a model of keras.applications certainly does not have; names that Keras numbers may still come."""
    model = plain(c.receiver)
    known = model.extra.get(RECORDED_LAYERS) if isinstance(model, ModelV) else None
    prefix = re.sub(r"_\d+$", "", name)
    if not isinstance(known, tuple) or any(re.sub(r"_\d+$", "", layer.name) == prefix for layer in known):
        return
    near = difflib.get_close_matches(name, [layer.name for layer in known], n=1)
    names = {layer.name for layer in known}
    of_keras_2, of_keras_3 = name.replace("/", "_") in names, name.replace("_", "/") in names  # DenseNet's
    c.machine.say(Rejected, c.span, what="get_layer", mismatch=Mismatch(
        Problem.INVALID_ARGUMENT, f'{model.name} has no layer "{name}"', argument="name",
        help=f'did you mean "{near[0]}"?' if near else f'the last layer is {known[-1].name}',
        where=Where(keras=">=3" if of_keras_2 else "<3" if of_keras_3 else ""),
        error=f'ValueError "No such layer: {name}. Existing layers are: ..."'))


def _io(m: Machine, value: Any, which: int, *, node: bool = False) -> Any:
    """`node`: what its first call took or gave (keras/src/ops/operation.py: Operation.output), which of the models of
    Keras 3 a Sequential alone tells."""
    from cudnnlint.interp.convert import wrap

    model = model_of(value)
    if model is not None:
        if node and model.kind == "sequential" and model.node is not None and m.stack.keras >= (3,):
            return model.node if isinstance(model.node, Unknown) else wrap(model.node[which])
        found = model.outputs if which else model.inputs
        return Unknown("a model that is not built") if found is None else wrap(found)
    layer = value.extra if isinstance(value, InstanceV) else value
    if isinstance(layer, LayerV):
        if layer.path == INPUT and "tensor" in layer.extra:
            return layer.extra["tensor"]
        if layer.calls:
            symbolic = (call for call in layer.calls if any(tensor.kind == "keras" for tensor in tensors(call[1])))
            return wrap(next(symbolic, layer.calls[-1])[which])
    return Unknown("a layer that was not called")


@FRAMEWORK.attribute("keras.layers.Layer.built")
def is_built(m: Machine, value: Any) -> Any:
    """It is once its build() has run, before call() does (keras/src/layers/layer.py: Layer._maybe_build; tf_keras
    base_layer.py of the same name)."""
    layer = value.extra if isinstance(value, InstanceV) else value
    build = value.cls.lookup("build") if isinstance(value, InstanceV) else None
    under_way = build is not None and any(frame.function is build for frame in m.frames)
    return True if isinstance(layer, LayerV) and layer.built and not under_way else Unknown("whether it is built")


@FRAMEWORK.attribute("keras.layers.Layer.output")
def output(m: Machine, value: Any) -> Any:
    return _io(m, value, 1, node=True)


@FRAMEWORK.attribute("keras.layers.Layer.input")
def input_(m: Machine, value: Any) -> Any:
    """That of an InputLayer is what it took, nothing, in Keras 3 (keras/src/layers/core/input_layer.py: InputLayer.
    __init__ makes its Node with no arguments), and its tensor in Keras 2."""
    if isinstance(value, LayerV) and value.path == INPUT and m.stack.keras >= (3,):
        return ListV([])
    return _io(m, value, 0, node=True)


@FRAMEWORK.attribute("keras.Model.inputs")
def inputs(m: Machine, value: Any) -> Any:
    return _listed(_io(m, value, 0))


@FRAMEWORK.attribute("keras.Model.outputs")
def outputs(m: Machine, value: Any) -> Any:
    return _listed(_io(m, value, 1))


def _listed(value: Any) -> Any:
    """Dicts by their keys, as Keras flattens them (keras/src/tree: flatten)."""
    if isinstance(value, DictV) and not value.unknown and all(isinstance(name, str) for name in value.items):
        parts = [_listed(plain(value.items[name])) for name in sorted(value.items)]
        return ListV([each for part in parts for each in part.items]) \
            if all(isinstance(part, ListV) and not part.unknown for part in parts) else Unknown("inputs or outputs")
    return ListV([value]) if isinstance(value, Tensor) else value


@FRAMEWORK.attribute("keras.layers.Layer.output_shape")
def output_shape(m: Machine, value: Any) -> Any:
    return _shapes(_io(m, value, 1), "output shape")


@FRAMEWORK.attribute("keras.layers.Layer.input_shape")
def input_shape(m: Machine, value: Any) -> Any:
    return _shapes(_io(m, value, 0), "input shape")


def _shapes(found: Any, what: str) -> Any:
    """The shape of a tensor, a list of them for several (keras/src/models/functional.py: Functional.input_shape)."""
    if isinstance(found, ListV) and not found.unknown and all(isinstance(item, Tensor) for item in found.items):
        if len(found.items) == 1:
            return shape_value(found.items[0])
        return ListV([shape_value(item) for item in found.items])
    return shape_value(found) if isinstance(found, Tensor) else Unknown(what)


@FRAMEWORK.attribute("keras.layers.Layer.__class__")
def class_of(m: Machine, value: Any) -> Any:
    return External(value.path) if isinstance(value, LayerV) and value.op is not None else Unknown("class of a model")


def _is_of_unbuilt(m: Machine, layer: LayerV) -> bool:
    """Whether a layer that nothing built is part of a model that was not called either, and of no other, as far as
    names of the program go (keras/src/layers/layer.py: Layer.count_params)."""
    from cudnnlint.frameworks.keras.unbuilt import is_unbuilt

    if layer.built or layer.calls or layer.weights is not None or not is_certain(m):
        return False
    values = [plain(value) for frame in m.frames for value in frame.scope.items.values()]
    holding = [one for one in values if isinstance(one, InstanceV | ModelV)
               and any(part is layer for part in walk_parts(one))]
    return bool(holding) and all(map(is_unbuilt, holding))


@FRAMEWORK.on("keras.layers.Layer.count_params")
def count_params(c: Call) -> Any:
    held = plain(c.receiver)
    if isinstance(held, LayerV) and held.user is None and _is_of_unbuilt(c.machine, held):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNBUILT, f"count_params() of {held.display}, which has no weights yet",
            help="call the model on one batch first", error='ValueError "You tried to call `count_params` on layer"'),
            what="Layer.count_params", stage="called")
        return Unknown("weights that are not there yet")
    return held.params() if isinstance(held, LayerV) and held.handed_over else params_of(held)


@FRAMEWORK.on("keras.backend.is_sparse")
def is_sparse(c: Call) -> Any:
    """What is known as a tensor is dense, unless some input is not."""
    dense = isinstance(plain(c.get(0, "tensor")), Tensor) and not c.machine.state.get(SPARSE)
    return False if dense else Unknown("whether it is sparse")


@FRAMEWORK.attribute("keras.layers.Layer.compute_dtype", "keras.layers.Layer._compute_dtype")
def compute_dtype(m: Machine, value: Any) -> Any:
    layer = value.extra if isinstance(value, InstanceV) else value
    return layer.policy.compute if isinstance(layer, LayerV) else Unknown("dtype")


@FRAMEWORK.attribute("keras.layers.Layer.dtype", "keras.layers.Layer.variable_dtype")
def variable_dtype(m: Machine, value: Any) -> Any:
    """keras/src/layers/layer.py: Layer.dtype."""
    layer = value.extra if isinstance(value, InstanceV) else value
    return layer.policy.variable if isinstance(layer, LayerV) else Unknown("dtype")


@FRAMEWORK.attribute("keras.layers.Layer.dtype_policy", "keras.layers.Layer._dtype_policy")
def layer_policy(m: Machine, value: Any) -> Any:
    """The policy itself, as what other layers are given by `dtype=self.dtype_policy`."""
    layer = value.extra if isinstance(value, InstanceV) else value
    return PolicyV(layer.policy) if isinstance(layer, LayerV) else Unknown("dtype policy")


@record(frozen=True, slots=True)
class PolicyV:
    """A dtype policy as a value."""

    policy: Policy
    always_true: ClassVar[bool] = True

    def attribute(self, m: Machine, name: str) -> Any:
        """keras/src/dtype_policies/dtype_policy.py: DTypePolicy."""
        known = {"compute_dtype": self.policy.compute, "variable_dtype": self.policy.variable, "name": self.name()}
        return known.get(name, Unknown(f"{name} of a dtype policy"))

    def name(self) -> DType:
        """
        >>> PolicyV(Policy("float16", "float32")).name(), PolicyV(Policy("float64", "float64")).name()
        ('mixed_float16', 'float64')
        """
        compute = self.policy.compute
        return compute if isinstance(compute, Unknown) or compute == self.policy.variable else f"mixed_{compute}"

"""What a model is made of: its layers, their variables and how many parameters that makes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import ChoiceV
from cudnnlint.interp.keras.graph_walk import graph_layers, unknowns_in
from cudnnlint.interp.keras.layers import LayerV, ObjectV, count
from cudnnlint.interp.keras.variables import library_weights, not_lent, own_metrics, own_variables
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.ops.protocol import LAYERS, LayerCall, Weight
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.dim import Dim

if TYPE_CHECKING:
    from cudnnlint.interp.keras.models import ModelV


@cache
def model_type() -> type[ModelV]:
    """Of a module that needs this one: an import costs a microsecond each time that it is come to."""
    from cudnnlint.interp.keras.models import ModelV

    return ModelV


def sublayers(value: Any, seen: set[int] | None = None) -> list[Any]:
    """Layers and models directly held by a value: attributes, lists, dicts of a user's object; a model's layers."""
    seen = set() if seen is None else seen
    found: list[Any] = []
    held = plain(value)
    if id(held) in seen:
        return found
    seen.add(id(held))
    if isinstance(held, (LayerV, model_type(), ChoiceV)):
        return [held]
    if isinstance(held, InstanceV):
        base = held.cls.external_base()  # Keras does not look into objects of other classes
        return [held] if base is not None and base.startswith(("keras.", "torch.nn.")) else []
    if isinstance(held, ListV):
        parts: Any = held.items
    elif isinstance(held, DictV):
        parts = held.items.values()
    elif isinstance(held, tuple):
        parts = held
    else:
        return found
    for part in parts:
        found += sublayers(part, seen)
    return found


def holes_of(value: Any) -> list[Unknown]:
    """What may be, or come from, layers of a functional model that are not known, of a class of the user's too."""
    layer = value.extra if isinstance(value, InstanceV) else None
    model = layer.model if isinstance(layer, LayerV) else value
    return graph_of(model)[1] if isinstance(model, model_type()) and model.kind == "functional" else []


def graph_of(model: ModelV) -> tuple[list[Any] | Unknown, list[Unknown]]:
    """The layers of a functional model and what may be further ones; found once, since graphs do not change."""
    if model.graph is None or model.graph[0] is not model.outputs:
        holes: list[Unknown] = []
        model.graph = model.outputs, graph_layers(model.outputs, holes, model.inputs), holes
    return model.graph[1:]


ITS_OWN = "_layers"
"""Key of what says that the program sets the list in which Keras 3 keeps the layers of a layer: none is in it but those
that are put there (keras/src/layers/layer.py: Layer._initialize_tracker, Layer._flatten_layers)."""


def children(value: Any) -> list[Any] | Unknown:
    """The layers one level below a model or user object."""
    held = plain(value)
    if isinstance(held, model_type()):
        if held.kind == "sequential":
            return held.layers.unknown or list(held.layers.items)
        return graph_of(held)[0]
    if isinstance(held, InstanceV):
        if held.unknown:
            return held.unknown
        layer = held.extra
        if (held.cls.external_base() or "").startswith("torch."):
            found = [item for part in held.items.values() for item in registered(part)]
        elif getattr(layer, "extra", {}).get(ITS_OWN):
            found = list(sublayers(held.items.get("_layers")))
        else:
            found = [item for part in held.items.values() for item in sublayers(part)]
        if isinstance(layer, LayerV) and layer.model is not None:
            inner = children(layer.model)
            if isinstance(inner, Unknown):
                return inner
            found += inner
        return found
    return []


def within(value: Any) -> Iterator[Any]:
    """A layer, model or user's object and all that it is made of, each once, what holds before what is held.

    An Unknown stands for parts that are not known, and for what may be or come from further ones: who needs all of them
    concludes nothing then, who needs those that are known passes over it. Found once for what does not change: a
    functional model of nothing but layers and models like it.
    """
    model = model_type()
    held = plain(value)
    if not isinstance(held, model) or held.kind != "functional":
        return walk_parts(held)
    if held.inside is None or held.inside[0] is not held.outputs:
        found = tuple(walk_parts(held))
        if not all(isinstance(one, LayerV | Unknown) or (isinstance(one, model) and one.kind == "functional")
                   for one in found):
            return iter(found)
        held.inside = held.outputs, found
    return iter(held.inside[1])


def walk_parts(value: Any, enters: Callable[[Any], bool] = lambda held: True) -> Iterator[Any]:
    """The same, found anew, and of what `enters` is false for without its parts."""
    todo, seen = [value], set[int]()
    while todo:
        held = plain(todo.pop())
        if id(held) in seen:
            continue
        seen.add(id(held))
        if type(held) is LayerV:  # of the library: nothing is in it
            yield held
            continue
        yield Unknown("layers differ between paths") if isinstance(held, ChoiceV) else held
        parts = children(held) if enters(held) else []
        if isinstance(parts, Unknown):
            yield parts
        else:
            yield from holes_of(held)
            todo += reversed(parts)


def layer_of(held: Any) -> LayerV | None:
    """What the framework keeps of a layer, be it of a class of the user's."""
    layer = held.extra if isinstance(held, InstanceV) else held
    return layer if isinstance(layer, LayerV) else None


def is_weightless(layer: LayerV) -> bool:
    """Whether the layer has no variables, whatever it is applied to."""
    if layer.op is None or layer.user is not None:
        return False
    return bool(layer.op.weights(LayerCall(Tensor(Unknown("never applied"), "float32"))) == ())


def registered(value: Any) -> list[Any]:
    """Modules that PyTorch finds in an attribute: not those in plain lists and dicts."""
    plain_container = isinstance(plain(value), (ListV, DictV, tuple)) and not getattr(plain(value), "registers", False)
    return [] if plain_container else sublayers(value)


PARAMETER = "torch.nn.Parameter"
"""Maker of a tensor that is a parameter of the module that it is an attribute of."""


MODULES = ("torch.nn.", "torchvision.models.", "torchvision.ops.")
PLAIN = frozenset({"torch", "torchvision", "numpy", "pandas", "sklearn", "PIL"}) | sys.stdlib_module_names
"""Roots of libraries whose objects are no modules of PyTorch, but for MODULES."""


def unknown_module(instance: InstanceV) -> Unknown | None:
    """An attribute that may be a module whose parameters are not known."""
    return next((hole for value in instance.items.values() if (hole := _open_module(plain(value))) is not None), None)


def _open_module(held: Any) -> Unknown | None:
    if isinstance(held, Unknown):
        return held
    if isinstance(held, ObjectV) and (held.path.startswith(MODULES) or held.path.partition(".")[0] not in PLAIN):
        return Unknown(f"{held.path} is not modelled")
    if isinstance(held, Tensor) and (step := held.step) is not None and step.maker == "torch.Tensor.to":
        return _may_be_parameter(held, step)
    if isinstance(held, InstanceV) and not isinstance(held.extra, LayerV) \
            and (base := held.cls.external_base()) is not None and base.partition(".")[0] not in PLAIN:
        return Unknown(f"{base}, which {held.cls.name} extends, is not modelled")
    if isinstance(held, (ListV, DictV)) and getattr(held, "registers", False):
        items = held.items if isinstance(held, ListV) else held.items.values()
        return held.unknown or next((hole for item in items if (hole := _open_module(plain(item))) is not None), None)
    return None


def _may_be_parameter(held: Tensor, step: Step) -> Unknown | None:
    """A parameter that was cast to what is not known may be the parameter that it was."""
    given = step.arguments[0] if step.arguments is not None else ()
    open_ended = isinstance(held.dtype, Unknown) or any(isinstance(one, Unknown) for one in given)
    return Unknown("a parameter that may be cast") if open_ended and any(
        one.step is not None and one.step.maker == PARAMETER for one in step.parents) else None


def own_parameters(instance: InstanceV) -> tuple[Weight, ...]:
    """nn.Parameter attributes of a module of the user's."""
    found = [(name, plain(value)) for name, value in instance.items.items()]
    return tuple(Weight(name, value.shape if isinstance(value.shape, tuple) else (value.shape,))
                 for name, value in found
                 if isinstance(value, Tensor) and value.step is not None and value.step.maker == PARAMETER)


def with_own(held: Any) -> Any:
    """For a layer of Keras that a user's class extends, the object of that class: it may hold more."""
    return held.user if isinstance(held, LayerV) and held.user is not None else held


LENDING = {"keras.layers.RNN": "cell", "keras.layers.TimeDistributed": "layer"}
"""Layers whose variables are those of another one, and the argument that it is (Bidirectional makes copies of its)."""


def lent_to(layer: LayerV) -> list[Any]:
    """The layers that it is made of, if it has no variables but theirs."""
    held = layer.arguments.get(LENDING[layer.path]) if layer.path in LENDING else None
    return [with_own(one) for one in sublayers(tuple(held) if isinstance(held, list) else held)]


def not_held(parts: list[Any]) -> list[Any]:
    """Without those that are lent to another of them, which may have built them, and is counted with them."""
    lent = {id(inner) for part in parts if isinstance(layer := plain(part), LayerV) and isinstance(layer.weights, tuple)
            for inner in lent_to(layer)}
    return [part for part in parts if id(with_own(plain(part))) not in lent] if lent else parts


UNCALLED = "(uncalled)"
"""Of a layer whose call() is yet to make its variables: Keras 3 was only asked for the shapes that it gives. Of a layer
of the library the variables that are yet to come, those of its activation."""


def data_pass(m: Machine, value: Any) -> None:
    """Data go through a model: all of its layers are called."""
    for held in within(value) if m.wanted is not None else ():
        if isinstance(held, InstanceV) and isinstance(held.extra, LayerV) and UNCALLED in held.extra.extra:
            m.heap.touch(held.extra)
            del held.extra.extra[UNCALLED]
        elif isinstance(held, LayerV) and UNCALLED in held.extra and isinstance(held.weights, tuple):
            m.heap.touch(held)
            held.weights = (*held.weights, *held.extra.pop(UNCALLED))


def weights_of(value: Any, seen: set[int] | None = None) -> tuple[Weight, ...] | Unknown:
    """All variables of a layer, model or user object, each counted once."""
    seen = set() if seen is None else seen
    held = with_own(plain(value))
    if id(held) in seen:
        return ()
    seen.add(id(held))
    if isinstance(held, (Unknown, ChoiceV)):
        return Unknown("layers differ between paths")
    if isinstance(held, ObjectV):
        return Unknown(f"{held.path} is not modelled")
    own: tuple[Weight, ...] = ()
    torch = False
    if isinstance(held, LayerV):
        if held.weights is None:
            return () if is_weightless(held) else Unknown("not built")
        if UNCALLED in held.extra:
            return Unknown("variables of an activation, made when it is first called")
        if (inner := lent_to(held)) and all(id(one) in seen for one in inner):
            return ()
        seen.update(map(id, inner))
        return held.weights if isinstance(held.weights, Unknown) else tuple(not_lent(held.weights, held.read, seen))
    if isinstance(held, InstanceV) and isinstance(held.extra, LayerV):
        if UNCALLED in held.extra.extra:
            return Unknown("variables that call() makes")
        own = (*own_parameters(held), *own_variables(held, seen))
        if isinstance(measured := own_metrics(held), Unknown):
            return measured
        own += measured
        torch = (held.cls.external_base() or "").startswith("torch.")
        if torch and (hole := unknown_module(held)) is not None:
            return hole
        if held.extra.op is not None:
            if not isinstance(weights := library_weights(held.extra), tuple):
                return weights or Unknown("not built")
            own += tuple(not_lent(weights, held.extra.read, seen))
        elif held.extra.path in LAYERS:
            return Unknown(f"{held.extra.display} as its class changes it")
    parts = children(held)
    if isinstance(parts, Unknown):
        return parts
    if isinstance(held, InstanceV) and not torch and (hole := _hole_among_layers(held)) is not None:
        return hole
    if holes := holes_of(held):
        return holes[0]
    for part in not_held(parts):
        more = weights_of(part, seen)
        if isinstance(more, Unknown):
            return more
        own += more
    return own


def _hole_among_layers(instance: InstanceV) -> Unknown | None:
    """What is not known in a list or dict of a user's layer or model, and may be a layer."""
    held = [plain(value) for value in instance.items.values()]
    found = [unknown for value in held if isinstance(value, ListV | DictV | tuple) for unknown in unknowns_in(value)]
    found += [value.unknown for value in held if isinstance(value, ListV | DictV) and value.unknown is not None
              and (not value.items or sublayers(value))]
    return next((unknown for unknown in found if not unknown.number), None)


def known_params(value: Any) -> int:
    """Parameters of the layers within, as far as they are known: quick, each layer counted once."""
    total, todo, seen = 0, [value], set[int]()
    while todo:
        for held in within(todo.pop()):
            if (layer := layer_of(held)) is None or id(layer) in seen:
                continue
            seen.add(id(layer))
            counts = (layer.params(), count(layer.added))
            total += sum(number for number in counts if isinstance(number, int))
            todo += [wrapped] if (wrapped := getattr(layer.op, "layer", None)) is not None else []
    return total


def told_params(m: Machine, value: Any) -> Dim:
    """The number of parameters for an event: counted where somebody asked for more than findings."""
    return params_of(value) if m.wanted is not None else Unknown("not counted")


def params_of(value: Any) -> Dim:
    return count(weights_of(value))


def set_trainable(m: Machine, value: Any, wanted: Any) -> None:
    """`layer.trainable = wanted` is handed down to all layers within (keras/src/layers/layer.py: Layer.trainable).

    Under an unknown condition it is not known afterwards: the flags are not journaled.
    """
    flag = plain(wanted) if not m.uncertain and isinstance(plain(wanted), bool) else Unknown("trainable or not")
    for held in within(value):
        layer = held.extra if isinstance(held, InstanceV) else held
        if isinstance(getattr(layer, "extra", None), dict):
            layer.extra["trainable"] = flag

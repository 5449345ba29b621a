"""What a command asks of a program besides what it does by itself: one model of it, inputs, a batch size."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from cudnnlint.events import BoundHit, Event, ModelAsked, ModelBuilt, ModelMade, tensors
from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.inlined import ENTERED
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, ClassV, FunctionV, InstanceV, ModuleV
from cudnnlint.interp.registry import ancestry
from cudnnlint.interp.uncalled.assumed_inputs import image, taken_by_kin, try_on
from cudnnlint.interp.wanted_arguments import Extents, filled
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Dim, Step, Tensor, Unknown
from cudnnlint.values.dim import FREE

BATCH_NAMES = frozenset({"batch_size", "batchsize", "batch", "bs", "train_batch_size"})
HERE = Span("--input", 1, 0, 1, 0)
"""Where inputs that the command line gives are made."""
NOT_USED = "--input is not used"


@record(frozen=True, slots=True)
class Wanted:
    """model       name of a function, class or variable of the module, dotted for what is inside; "" for all
    inputs      extents of each input, without the batch; None for an open one
    batch_size  what the batch sizes are that the program leaves open
    policy      dtype policy that is set before the program begins
    gpus        how many there are; None where nobody knows
    """

    model: str = ""
    inputs: tuple[Extents, ...] = ()
    batch_size: int | None = None
    policy: str = ""
    gpus: int | None = None


Attempt = Callable[[Callable[[], Any]], None]


def noting_models(emit: Callable[[Event], object], made: list[Any]) -> Callable[[Event], None]:
    """`emit` that also keeps the models that were made, in the order in which their constructors end; functional ones
    whose inputs have open extents come as they are."""

    def noting(event: Event) -> None:
        if isinstance(event, ModelMade):
            outer = (place for place, model in enumerate(made) if model.span in event.calls)
            made.insert(next(outer, len(made)), event.model)
        elif isinstance(event, ModelBuilt) and _has_open_sides(event.applied.maker):
            made.append(event.applied.maker)
        emit(event)

    return noting


def supplied(m: Machine, name: str, value: Any) -> Any:
    """`value`, or the batch size of the command line if the program leaves it open and `name` says that it is one."""
    if m.wanted is None or m.wanted.batch_size is None or name.lower() not in BATCH_NAMES:
        return value
    return m.wanted.batch_size if isinstance(value, Unknown) or plain(value) is None else value


def batch_of(m: Machine, size: Any) -> Any:
    """`size`, or the batch size of the command line where the program's is not known."""
    asked = m.wanted.batch_size if m.wanted is not None else None
    return asked if asked is not None and isinstance(size, Unknown) else size


def symbolic_inputs(m: Machine) -> list[Tensor]:
    """A `keras.Input` of float32 for each of the inputs that the command line gives."""
    from cudnnlint.interp.keras.layers import LayerV

    made = []
    for extents in m.wanted.inputs if m.wanted is not None else ():
        layer = LayerV("keras.layers.InputLayer", m.unique_name("input_layer"), HERE)
        layer.weights = ()
        shape: tuple[Dim, ...] = (BATCH, *(FREE if extent is None else extent for extent in extents))
        layer.extra["tensor"] = tensor = Tensor(shape, "float32", "keras", None, Step(HERE, (), layer))
        made.append(tensor)
    if made:
        m.notes.setdefault(NOT_USED, {})
    return made


def tell_unused(m: Machine) -> None:
    """That inputs were given in vain."""
    if m.wanted is not None and m.wanted.inputs and NOT_USED not in m.notes:
        m.emit(BoundHit(span=Span(m.linted, 1, 0, 1, 0), stack=m.stack,
                        what=f"{NOT_USED}: the program calls its models, or says what they take"))


def answer(m: Machine, module: ModuleV, wanted: Wanted, attempt: Attempt) -> bool:
    """Call what is asked for, unless the program did and no inputs are given; False if the module has no such name."""
    value = find(m, module, wanted.model) if wanted.model else None
    function = value.function if isinstance(value, BoundV) else value
    if isinstance(function, FunctionV | ClassV):
        known = function.instances if isinstance(function, ClassV) else id(function.node) in m.called
        if wanted.inputs or not known:
            m.emit(ModelAsked(span=Span(module.path, 1, 0, 1, 0), stack=m.stack))
            attempt(partial(_call, m, value, wanted))
        return True
    if is_model(value):
        if wanted.inputs:
            attempt(partial(apply, m, value))
        return True
    return False


def _bound(m: Machine, function: FunctionV) -> Any:
    """A method that needs an instance: of the last one made, or of one made with open arguments."""
    from cudnnlint.interp.uncalled.opened import open_arguments

    owner = function.owner
    if function.kind != "function" or owner is None:
        return function
    if owner.instances:
        return BoundV(function, owner.instances[-1])
    init = owner.lookup("__init__")
    kwargs = open_arguments(m, init, 1) if isinstance(init, FunctionV) else {}
    return BoundV(function, m.call(owner, [], kwargs, owner.node or function.node))


def find(m: Machine, module: ModuleV, dotted: str) -> Any:
    """What a dotted name of the module is bound to, or None."""
    name, *rest = dotted.split(".")
    if name not in module.scope.items:
        return None
    value = module.scope.items[name]
    for part in rest:
        value = get_attribute(m, value, part, ast.Constant(value=None))
    return plain(value)


def is_model(value: Any) -> bool:
    """A model, or an instance of a user's model or layer class."""
    from cudnnlint.interp.keras.models import ModelV

    base = value.cls.external_base() if isinstance(value, InstanceV) else None
    return isinstance(value, ModelV) or (base is not None and base.startswith(("keras.", "torch.nn.")))


def is_torch(value: Any) -> bool:
    """A module of PyTorch: it takes channels first."""
    path = value.cls.external_base() if isinstance(value, InstanceV) else getattr(value, "path", "")
    return str(path).startswith("torch.nn.")


def feed(m: Machine, made: list[Any], attempt: Attempt) -> None:
    """Call every model that has not been called, and is not part of another, on the inputs of the command line.

    Where it gives none, on an image, if that is what the model takes.
    """
    parts = [_parts(model) for model in made]
    called = {_span(model) for model in made if not _is_open(model) and not _has_open_sides(model)} - {None}
    given = m.wanted is not None and bool(m.wanted.inputs)
    for place, model in enumerate(list(made)):
        inside = any(id(model) in others for others in parts)
        taken = any(parts[place] & others for others in parts[place + 1:])  # a model made later has layers of this one
        if inside or taken:
            continue
        if given and _has_open_sides(model):
            attempt(partial(_close, m, model))
        elif not _is_open(model) or _span(model) in called:
            continue  # what another one that the same place made is called on tells what such models take
        elif given:
            attempt(partial(apply, m, model))
        elif is_model(model) and not is_torch(model) and id(plain(model)) not in m.notes.get(ENTERED, ()):
            # a module of PyTorch is as often a part as a model; one whose call() was asked directly tells what it takes
            kin = taken_by_kin(model, made) if isinstance(model, InstanceV) else None
            attempt(partial(try_on, m, model, partial(apply, m, model, kin), images=kin is None))


def _span(model: Any) -> Span | None:
    held = plain(model)
    return getattr(held.extra if isinstance(held, InstanceV) else held, "span", None)


def _parts(model: Any) -> set[int]:
    """ids of all that a model is made of."""
    from cudnnlint.interp.keras.parts import within

    return {id(part) for part in within(model) if not isinstance(part, Unknown)} - {id(plain(model))}


def _is_open(model: Any) -> bool:
    """Whether nothing is known of what the model takes."""
    if isinstance(model, InstanceV):
        part = getattr(model.extra, "model", None)
        if is_torch(model):
            return not model.extra.calls
        return not model.extra.calls and (part is None or part.inputs is None)
    if getattr(model, "ran", False) or getattr(model, "asked", False):  # a Sequential that was built by being called
        return False
    return is_torch(model) or (getattr(model, "inputs", None) is None and getattr(model, "outputs", None) is None)


def _has_open_sides(model: Any) -> bool:
    """A functional model, of which the inputs leave open more than the batch: `keras.Input((None, None, 3))`."""
    from cudnnlint.interp.keras.models import ModelV

    taken = tensors(model.inputs) if isinstance(model, ModelV) and model.kind == "functional" else []
    return any(isinstance(one.shape, tuple) and not all(isinstance(extent, int) for extent in one.shape[1:])
               for one in taken)


def _close(m: Machine, model: Any) -> Any:
    """The same model with the inputs of the command line: one that takes these and calls it."""
    from cudnnlint.interp.keras.building import functional

    given: list[Any] = list(symbolic_inputs(m))
    inputs = given[0] if len(given) == 1 else ListV(given)
    outputs = m.call(model, [inputs], {}, _node_at(model.span))
    if not isinstance(plain(outputs), Unknown):
        functional(m, inputs, outputs, "keras.Model", model.name, model.span)


def inputs_for(m: Machine, model: Any) -> list[Any]:
    """The inputs of the command line as a call takes them: one by one if call() has a parameter for each, else a list.

    None for an instance that is no model, nor the layer that was asked for by name.
    """
    if is_torch(model):
        return [Tensor(given.shape, given.dtype, "torch", None, Step(HERE)) for given in symbolic_inputs(m)]
    bases = ancestry(model.cls.external_base() or "") if isinstance(model, InstanceV) else ("keras.Model",)
    if "keras.Model" not in bases and not (m.wanted is not None and m.wanted.model and "keras.layers.Layer" in bases):
        return []
    given: list[Any] = list(symbolic_inputs(m))
    method = model.cls.lookup("call") if isinstance(model, InstanceV) else None
    if len(given) < 2:
        return given
    required = len(method.node.args.args) - len(method.defaults) - 1 if isinstance(method, FunctionV) else 1
    return given if required >= len(given) else [ListV(given)]


def apply(m: Machine, model: Any, assumed: Tensor | None = None) -> Any:
    """One call on the inputs of the command line, or else an assumed one, by default an image, where the model was
    made."""
    inputs = inputs_for(m, model) if m.wanted is not None and m.wanted.inputs else [assumed or image(model, model.span)]
    return m.call(model, inputs, {}, _node_at(model.span))


def _node_at(span: Span) -> ast.expr:
    return ast.Constant(value=None, lineno=span.line, col_offset=span.column, end_lineno=span.end_line,
                        end_col_offset=span.end_column)


def _call(m: Machine, value: Any, wanted: Wanted) -> None:
    """Call a function or class with what the inputs say, defaults as they are, the rest unknown."""
    from cudnnlint.interp.uncalled.opened import open_arguments

    if isinstance(value, FunctionV) and value.owner is not None:
        value = _bound(m, value)
    function = value.function if isinstance(value, BoundV) else value
    init = function.lookup("__init__") if isinstance(function, ClassV) else function
    kwargs: dict[str, Any] = {STAR: Unknown("arguments that are not known")}
    given: dict[str, Any] = {}
    if isinstance(init, FunctionV):
        given = dict(filled(init, wanted.inputs, symbolic_inputs(m)))
        kwargs = {**open_arguments(m, init, skip=1 if init is not value else 0), **given}
        kwargs.pop(STAR, None)  # nobody gives further arguments
    result = m.call(value, [], kwargs, function.node or ast.Constant(value=None, lineno=1, col_offset=0))
    models = [model for model in _models(result) if _is_open(model)]
    for model in models:
        if wanted.inputs:
            apply(m, model)
        else:
            try_on(m, model, partial(apply, m, model))
    if wanted.inputs and not given and not models:
        m.emit(BoundHit(span=Span(m.linted, 1, 0, 1, 0), stack=m.stack,
                        what=f"{NOT_USED}: no parameter of {wanted.model} takes a shape or a tensor"))


def _models(value: Any) -> Iterator[Any]:
    held = plain(value)
    if is_model(held):
        yield held
    parts = held if isinstance(held, tuple) else held.items if isinstance(held, ListV) \
        else held.items.values() if isinstance(held, DictV) else ()
    for part in parts:
        yield from _models(part)

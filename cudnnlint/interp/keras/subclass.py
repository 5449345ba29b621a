"""Layers and models that the user wrote as classes: built and called by following their methods."""

from __future__ import annotations

import ast
from contextlib import nullcontext
from typing import Any

from cudnnlint.events import LayerApplied, tensors
from cudnnlint.interp.convert import as_given, strip, wrap
from cudnnlint.interp.graphs.bodies import body
from cudnnlint.interp.graphs.placeholders import OF_KERAS_3, is_placeholder, placeholders
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import is_named_tuple
from cudnnlint.interp.keras.added import ended
from cudnnlint.interp.keras.application import apply_layer
from cudnnlint.interp.keras.base_build import as_input, build_base
from cudnnlint.interp.keras.base_init import layer_of
from cudnnlint.interp.keras.declared import declared, may_be_alike, shapes_for
from cudnnlint.interp.keras.handed import casts, handed, untold
from cudnnlint.interp.keras.incomplete import asks_for_base, tell_of_no_base, tell_of_no_call
from cudnnlint.interp.keras.layer_inputs import INPUT_NAMES, split_inputs
from cudnnlint.interp.keras.layers import LayerV, is_eager, is_fixed, phase_of
from cudnnlint.interp.keras.masking import masks_for, told_mask
from cudnnlint.interp.keras.parts import UNCALLED, told_params
from cudnnlint.interp.keras.replay import not_called
from cudnnlint.interp.keras.untold_training import left_out, while_building
from cudnnlint.interp.loops.kept import around
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.mistakes.misfits import tell_of_call
from cudnnlint.interp.objects import MISSING, BoundV, ClassV, External, FunctionV, InstanceV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.tensors import shape_value
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.unknown import Cut

MERGE_BASES = frozenset({"keras.layers._Merge", "keras.layers.Merge", "keras.layers.base_merge._Merge",
                         "keras.layers.base_merge.Merge"})
"""Their call() is `_merge_function(inputs)` (keras/src/layers/merging/base_merge.py: Merge.call)."""


DECLARING = ("compute_output_shape", "compute_output_spec")


def shape_of(value: Any) -> Any:
    """The `input_shape` that build() receives: batch as None."""
    if isinstance(value, Tensor):
        symbolic = Tensor(value.shape, value.dtype, "keras", None, value.step, value.assumptions)
        return shape_value(symbolic)
    if isinstance(value, (list, tuple)):
        shapes = [shape_of(item) for item in value]
        return ListV(shapes) if isinstance(value, list) else tuple(shapes)
    if isinstance(value, dict):
        return DictV({key: shape_of(item) for key, item in value.items()})
    if isinstance(value, InstanceV) and value.cls.fields is not None and is_named_tuple(value.cls):
        shapes_of_fields = InstanceV(value.cls, value.span)
        shapes_of_fields.items = {name: shape_of(strip(value.items.get(name))) for name in value.cls.fields}
        return shapes_of_fields
    return Unknown("input shape")


def _fields(value: Any) -> Any:
    """A named tuple as the tuple that it is."""
    if isinstance(value, InstanceV) and value.cls.fields is not None and is_named_tuple(value.cls):
        return tuple(strip(value.items.get(name)) for name in value.cls.fields)
    return value


def call_keras_instance(m: Machine, c: Call, instance: InstanceV) -> Any:
    """Calling a user's layer or model."""
    own = _own_call(instance.cls)
    if not isinstance(instance.extra, LayerV) and asks_for_base(own):
        tell_of_no_base(m, instance, c.span)
    layer = layer_of(m, instance)
    if isinstance(own, FunctionV):
        return m.call(BoundV(own, instance), c.args, c.kwargs, c.node)
    tell_of_call(c, instance, layer)
    return apply_instance(m, instance, layer, c.args, c.kwargs, c.node, c.span)


def _own_call(cls: ClassV) -> Any:
    """`__call__` of a class of the program, unless the library's stands before it in the order of the bases."""
    for base in cls.mro:
        if isinstance(base, ClassV) and "__call__" in base.items:
            return base.items["__call__"]
        if isinstance(base, External) and base.path.startswith("keras."):
            return MISSING
    return cls.lookup("__call__")


def _method_of(instance: InstanceV) -> Any:
    """What gives the output of a user's layer or model, if it is a function; Unknown if nobody knows what does."""
    method = instance.cls.lookup("call")
    if isinstance(plain(method), Unknown):  # put in its place by what is not followed
        return Unknown(f"the call() of {instance.cls.name}")
    if not isinstance(method, FunctionV) and instance.cls.external_base() in MERGE_BASES:
        return instance.cls.lookup("_merge_function")
    return method


def input_names(method: Any) -> tuple[str, ...]:
    """What the inputs may be called when they are given by keyword: as call() names its first argument
    (tf_keras/src/utils/layer_utils.py: CallFunctionSpec.split_out_first_arg; Keras 3: CallSpec.first_arg)."""
    if not isinstance(method, FunctionV):
        return INPUT_NAMES
    arguments = method.node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)][method.kind != "static":]
    return tuple(names[:1]) or INPUT_NAMES


def apply_instance(m: Machine, instance: InstanceV, layer: LayerV, args: list[Any], kwargs: dict[str, Any],
                   node: ast.AST, span: Span) -> Any:
    """One application of a user's layer or model, its call() followed."""
    method = _method_of(instance)
    first, rest, named = split_inputs(args, kwargs, INPUT_NAMES if args else input_names(method))
    found: set[Any] = set(layer.assumptions)
    inputs = strip(first, found)
    taken = _fields(inputs)
    about = tensors([taken, *(strip(arg, found) for arg in rest), *(strip(arg) for arg in named.values())])
    symbolic = any(tensor.kind == "keras" for tensor in about)
    if isinstance(method, Unknown):
        return method
    number = m.begin()
    outer, m.visited = m.visited, set()
    fed = m.fed
    m.fed = fed or (span, about)
    try:
        shaped = symbolic and not m.symbolic and _is_asked(m, instance, layer)
        _build(m, instance, layer, inputs, args, kwargs, node)
        counted = told_params(m, instance) if shaped else None
        if isinstance(method, FunctionV):
            with not_called(m) if shaped else nullcontext():
                output = _run_call(m, instance, layer, method, args, kwargs, node, symbolic)
            if symbolic and layer.op is not None:
                output = _declared(m, instance, layer, inputs, output, span)
        elif layer.model is not None:
            output = layer.model.apply(m, args, kwargs, span)
        elif layer.op is not None:
            return apply_layer(m, layer, args, kwargs, span)
        else:
            tell_of_no_call(m, instance, layer, span)
            plainly = not m.uncalled and instance.cls.external_base() == "keras.layers.Layer"
            output = inputs if plainly and m.stack.keras < (3,) else Unknown(f"{layer.display} has no call()")
    finally:
        m.applying.pop()
        m.visited, m.fed = outer, fed
        if m.phase == "call":
            outer.add(id(instance))
    raw = _cut(strip(output, found), tuple(about) or getattr(inputs, "of", ()))
    made = Step(span, about, instance, as_given(args, kwargs), body=raw,
                mask=told_mask(m, instance, args, kwargs, node, span))
    ended(m, number, made.arguments)
    told = declared(m, instance, layer, args, kwargs, raw, node) if symbolic and not m.symbolic else raw
    result = _outside(told, "keras" if symbolic else None, made, valued=not symbolic or m.stack.keras < (3,))
    result = assume(result, frozenset(found))
    if about := about or tensors(raw):  # `queries(None)` gives a weight
        told_after = told_params(m, instance)
        params = told_after if counted is None else counted
        if m.wanted is not None:
            _note_uncalled(m, layer, waits=counted is not None and counted != told_after, called=counted is None)
        layer.note_call(m, taken, result)
        layer.built = True
        m.say(LayerApplied, span, about=about, assumptions=frozenset(found), layer=layer.info(), inputs=taken,
              output=result, phase=phase_of(m, about), eager=is_eager(m, about), fixed=is_fixed(m, about),
              training=strip(kwargs.get("training")), params=params, maker=instance, number=number,
              within=tuple(m.applying), around=around(m))
    return wrap(result)


def _cut(made: Any, of: tuple[Any, ...]) -> Any:
    """What could not be followed, with the tensors that it is made of."""
    return Cut(made.why, of=of) if type(made) is Unknown and of else made


def _is_asked(m: Machine, instance: InstanceV, layer: LayerV) -> bool:
    """Whether Keras 3 asks the class for its shapes and does not follow call(): it does so once where build() is not
    the class's own, to have what is within built (keras/src/layers/layer.py: Layer._maybe_build, compute_output_spec).
    """
    return m.stack.keras >= (3,) and (layer.built or isinstance(instance.cls.lookup("build"), FunctionV)) \
        and any(isinstance(instance.cls.lookup(name), FunctionV) for name in DECLARING)


def _note_uncalled(m: Machine, layer: LayerV, *, waits: bool, called: bool) -> None:
    """Variables that only call() makes are not there before it is."""
    if waits and UNCALLED not in layer.extra:
        m.heap.touch(layer)
        layer.extra[UNCALLED] = True
    elif called and UNCALLED in layer.extra:
        m.heap.touch(layer)
        del layer.extra[UNCALLED]


def _declared(m: Machine, instance: InstanceV, layer: LayerV, inputs: Any, output: Any, span: Span) -> Any:
    """The output of call(), unless the compute_output_shape() that Keras 3 asks instead gives another shape: that of
    the library's layer (keras/src/layers/layer.py: Layer.compute_output_spec).
    """
    from cudnnlint.interp.keras.application import judge

    own = any(isinstance(instance.cls.lookup(name), FunctionV) for name in DECLARING)
    declared = None if own or m.stack.keras < (3,) else judge(m, layer, inputs, span)[0]
    followed = strip(output)
    if isinstance(declared, Tensor) and isinstance(followed, Tensor) and not may_be_alike(followed, declared):
        return Unknown("call() gives another shape than the compute_output_shape() that it inherits")
    return output


SIZES = ("int32", "int64")
"""What tf.shape() gives."""


def _outside(value: Any, kind: str | None, step: Step, index: tuple[Any, ...] = (), *, valued: bool) -> Any:
    """Outputs of call() as the caller sees them: made by this layer, not by what it is made of; `valued` sizes keep
    their values (tf_keras/src/engine/keras_tensor.py: KerasTensor._inferred_value)."""
    if isinstance(value, Tensor):
        made = Step(step.span, step.parents, step.maker, step.arguments, index, step.body, step.mask)
        sizes = valued and isinstance(value.shape, tuple) and len(value.shape) < 2 and value.dtype in SIZES
        return Tensor(value.shape, value.dtype, kind or value.kind, value.content if sizes else None, made,
                      value.assumptions)
    if isinstance(value, (list, tuple)):
        return type(value)(_outside(item, kind, step, (*index, i), valued=valued) for i, item in enumerate(value))
    if isinstance(value, dict):
        return {key: _outside(item, kind, step, (*index, key), valued=valued) for key, item in value.items()}
    return value


def mark_built(m: Machine, instance: InstanceV) -> None:
    """A layer whose build() the program called itself is not built again (keras/src/layers/layer.py: build_wrapper)."""
    if isinstance(instance.extra, LayerV) and not instance.extra.built:
        m.heap.touch(instance.extra)
        instance.extra.built = True


def _build(m: Machine, instance: InstanceV, layer: LayerV, inputs: Any, args: list[Any], kwargs: dict[str, Any],
           node: ast.AST) -> None:
    if layer.built:
        return
    m.heap.touch(layer)
    layer.built = True
    build = instance.cls.lookup("build")
    if isinstance(build, FunctionV):
        about, before = tensors(inputs), m.state.get(SYMBOLICALLY)
        m.state[SYMBOLICALLY] = bool(about) and all(tensor.kind == "keras" for tensor in about)
        try:
            _call_build(m, instance, build, inputs, args, kwargs, node)
        finally:
            m.state[SYMBOLICALLY] = before
            if before is None:  # as it was: what constructors made before fits again
                del m.state[SYMBOLICALLY]
    elif layer.op is not None and layer.weights is None:
        build_base(m, layer, inputs, layer.span, tuple(map(strip, args[1:])), strip(kwargs))


SYMBOLICALLY = "built of symbolic tensors"
"""Key of whether a build() of the program's own is under way, of which Keras knows no more than a symbolic input."""


def _call_build(m: Machine, instance: InstanceV, build: FunctionV, inputs: Any, args: list[Any],
                kwargs: dict[str, Any], node: ast.AST) -> None:
    names = [arg.arg for arg in build.node.args.args]
    if len(names) > 2 and m.stack.keras >= (3,) and (given := shapes_for(instance, build, args, kwargs)):
        m.call(BoundV(build, instance), [], given, node)
    elif len(names) > 2 and isinstance(inputs, (list, tuple)):
        m.call(BoundV(build, instance), [shape_of(item) for item in inputs][: len(names) - 1], {}, node)
    else:
        m.call(BoundV(build, instance), [shape_of(inputs)], {}, node)


def _run_call(m: Machine, instance: InstanceV, layer: LayerV, method: FunctionV, args: list[Any],
              kwargs: dict[str, Any], node: ast.AST, symbolic: bool) -> Any:
    """Follow the user's call(); `training` is whatever the caller said, what call() has where the program applies the
    layer to values (keras/src/layers/layer.py: _resolve_and_populate_arg), or unknown."""
    arguments = method.node.args
    bound = method if method.kind == "static" else BoundV(method, instance)
    names = [*(["self"] if bound is method else []), *(arg.arg for arg in (*arguments.args, *arguments.kwonlyargs))]
    if m.stack.tensorflow < (2,) and layer.path.startswith("keras."):
        args, kwargs = [untold(arg) for arg in args], {key: untold(value) for key, value in kwargs.items()}
    casting = casts(m, instance, layer)
    everywhere = casting if m.stack.keras >= (3,) else None
    inputs_named = () if args else input_names(method)
    named = {key: handed(value, casting if key in inputs_named else everywhere)
             for key, value in kwargs.items()}
    direct = m.direct or (m.phase != "call" and not (m.symbolic or symbolic or m.uncalled))
    if "training" not in named and "training" in names and len(args) + 1 <= names.index("training"):
        named["training"] = m.training if m.training is not None else left_out(arguments, direct)
    elif "training" in named and "training" not in names and arguments.kwarg is None:
        named.pop("training")
    given = [handed(arg, everywhere if i else casting) for i, arg in enumerate(args)]
    named |= masks_for(m, method, given, named, m.span(node))
    phase, training, outer, around_it = m.phase, m.training, m.symbolic, m.direct
    m.phase, m.symbolic, m.direct = "call", outer or symbolic, direct
    if isinstance(plain(named.get("training")), bool):
        m.training = plain(named["training"])
    try:
        inputs = [each for each in tensors(strip((*given, *named.values()))) if m.symbolic or is_placeholder(m, each)]
        with body(m, instance.cls.name, instance), placeholders(m, inputs, OF_KERAS_3):
            made = m.call(bound, given, named, node)
            if (m.symbolic and phase != "call" and isinstance(named.get("training"), Unknown)
                    and not isinstance(built := while_building(method.node, made), Unknown)):
                m.training = False
                made = m.call(bound, given, {**named, "training": built}, node)
            return made
    finally:
        m.phase, m.training, m.symbolic, m.direct = phase, training, outer, around_it


def super_method(m: Machine, instance: Any, name: str, c: Call) -> Any:
    """super().call(x), super().__call__(x), super().build(shape) where the base is a library class."""
    if not isinstance(instance, InstanceV):
        return Unknown(f"super().{name}")
    layer = layer_of(m, instance)
    if name == "__call__":
        return apply_instance(m, instance, layer, c.args, c.kwargs, c.node, c.span)
    if name == "build":
        mark_built(m, instance)
        if not c.args and not c.kwargs and layer.path == "keras.layers.Layer" and is_certain(m):
            refuse(m, c.span, Mismatch(
                Problem.MISSING_ARGUMENT, "build() of Layer misses its argument input_shape", argument="input_shape",
                help="super().build(input_shape)",
                error="TypeError \"build() missing 1 required positional argument: 'input_shape'\""),
                what=instance.cls.name, stage="called")
        build_base(m, layer, as_input(strip(c.get(0, "input_shape")), c.span), c.span)
        return None
    if layer.model is not None and name == "call":
        return layer.model.apply(m, c.args, c.kwargs, c.span)
    if layer.op is not None and name == "call":
        return apply_layer(m, layer, c.args, c.kwargs, c.span)
    return Unknown(f"super().{name}")

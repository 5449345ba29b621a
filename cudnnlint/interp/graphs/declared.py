"""Tensors that a tf.function is given, against the input_signature that it declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.graphs.placeholders import EAGERLY
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_shape
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown, show
from cudnnlint.values.dim import is_known

if TYPE_CHECKING:
    from cudnnlint.interp.objects import Scope


def tell_of_undeclared(c: Call, name: str, given: Tensor, declared: Tensor) -> bool:
    """A shape that it does not take, or a tensor of another dtype; what NumPy made is converted
    (tensorflow/core/function/polymorphism/function_type.py: FunctionType.bind_with_defaults, cast). Whether it was
    told, and nobody comes to the body with it."""
    if not is_meant(c.machine) or c.machine.uncalled or c.machine.handlers or given.kind not in ("tf", "numpy"):
        return False
    shapes = isinstance(given.shape, tuple) and isinstance(declared.shape, tuple) and (
        len(given.shape) != len(declared.shape) or any(
            is_known(a) and is_known(b) and a != b for a, b in zip(given.shape, declared.shape, strict=True)))
    dtypes = given.kind == "tf" and isinstance(given.dtype, str) and isinstance(declared.dtype, str) \
        and given.dtype != declared.dtype
    return (shapes or dtypes) and refuse(c.machine, c.span, Mismatch(
        Problem.FED if shapes else Problem.DTYPE, f"{name}() is given {given}, its input_signature declares "
        f"{declared.dtype}{show(declared.shape)}",
        help=f"tf.cast(..., tf.{declared.dtype})" if not shapes else
        f"a TensorSpec of rank {given.rank}, or a tensor of rank {declared.rank}" if given.rank != declared.rank else
        "None in the TensorSpec for an axis that may be of any length",
        error='TypeError "Binding inputs to tf.function failed due to" or ValueError "Python inputs incompatible '
              'with input_signature"', facts=(("dtype", given.dtype),)), about=(given,), what=name, inputs=given)


def specs_of(function: FunctionV) -> Sequence[Any]:
    """The parts of its input_signature, which speak of its last arguments."""
    specs = plain(function.traced.signature) if function.traced is not None else None
    return specs.items if isinstance(specs, ListV) else specs if isinstance(specs, tuple) else ()


def declared_arguments(function: FunctionV, c: Call) -> Iterator[tuple[str, Any, Any]]:
    """What a call gives for parts of the input_signature: the name of the parameter, the value, and its part.

    The first part speaks of the first parameter, that of a method of the first after self; `self.call` that is bound
    has it, too (tensorflow/python/eager/polymorphic_function/function_type_utils.py: make_function_type).
    """
    specs, arguments = specs_of(function), function.node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
    given = {**dict(zip(names, c.args, strict=False)), **c.kwargs}
    bound = function.owner is not None and function.kind != "static"
    for name, spec in zip(names[bound:], specs, strict=False):
        if name in given:
            yield name, given[name], spec


def declare(function: FunctionV, scope: Scope, c: Call) -> None:
    """What is given and not known is what the input_signature says of it: nothing else is taken; and lists and numbers
    become such tensors (tensorflow/core/function/polymorphism/function_type.py: FunctionType.bind_with_defaults).
    """
    for name, given, spec in declared_arguments(function, c):
        made, held = _declared(spec, c), plain(given)
        if scope.items.get(name) is not given:
            continue
        if made is None or isinstance(held, ListV | tuple | int | float):
            scope.items[name] = _converted(spec, given, c)
            continue
        undeclared = isinstance(held, Tensor) and not c.machine.state.get(EAGERLY) \
            and tell_of_undeclared(c, function.name, held, made)
        if undeclared or type(held) is Unknown:
            scope.items[name] = made


def _declared(spec: Any, c: Call) -> Tensor | None:
    held = plain(spec)
    if not isinstance(held, ObjectV) or held.path.rpartition(".")[2] != "TensorSpec":
        return None
    shape = strip(held.args[0] if held.args else held.kwargs.get("shape"))
    dtype = strip(held.args[1] if len(held.args) > 1 else held.kwargs.get("dtype", "float32"))
    return Tensor(Unknown("shape not declared") if shape is None else as_shape(shape),
                  dtype if isinstance(dtype, str) else Unknown("dtype"), "tf", None, Step(c.span))


def _converted(spec: Any, given: Any, c: Call) -> Any:
    """What the function gets for lists and numbers, where its signature has tensors: `{"x": [[1.0]]}` of a dict of
    TensorSpecs."""
    wanted, held = plain(spec), plain(given)
    made = _declared(spec, c)
    if made is not None:
        return made if isinstance(held, ListV | tuple | int | float) else given
    if isinstance(wanted, DictV) and isinstance(held, DictV) and not held.unknown \
            and wanted.items.keys() == held.items.keys():
        return DictV({key: _converted(wanted.items[key], value, c) for key, value in held.items.items()})
    return given

"""Attributes and methods of tensors that are no functions of shapes: size(), to(), item(), shape, T, device."""

from __future__ import annotations

import ast
import re
from typing import Any

from cudnnlint.frameworks.torch import backwards
from cudnnlint.frameworks.torch.backwards_refused import tell_of_refused
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.saved import tell_of_kept
from cudnnlint.frameworks.torch.values import tell_of_array
from cudnnlint.interp.builtin.kinds import is_instance
from cudnnlint.interp.convert import KINDS, strip
from cudnnlint.interp.forget import forget_closures
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.names import assign
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch import histories
from cudnnlint.interp.torch.frozen import OWNED, ask, is_wholly_frozen, set_required
from cudnnlint.interp.torch.histories import NO_GRAD
from cudnnlint.interp.torch.leaves import as_leaf, is_parameter
from cudnnlint.interp.torch.named import tell_of_given, tell_of_named, text_at
from cudnnlint.interp.torch.places import tell_of_array_on_gpu
from cudnnlint.ops.torch._core import NAMES
from cudnnlint.ops.torch.shapes import axis_problem
from cudnnlint.values import Mismatch, Problem, Step, Symbol, Tensor, Unknown
from cudnnlint.values.dim import product

DTYPES = frozenset({*NAMES, "complex64", "complex128"})
LEGACY = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
          "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool"}
TYPE = re.compile(rf"torch\.(cuda\.)?({'|'.join(LEGACY)})Tensor")
"""Types of tensors, which name a dtype and a device (torch/csrc/tensor/python_tensor.cpp)."""


def shape_of(tensor: Tensor) -> Any:
    """torch.Size: a tuple; the batch of a loader stays what it is."""
    return Unknown("rank") if tensor.rank is None else assume(tensor.shape, tensor.assumptions)


@FRAMEWORK.on("torch.is_tensor")
def is_tensor(c: Call) -> Any:
    """torch/__init__.py: is_tensor"""
    verdict = is_instance(plain(c.get(0, "obj")), External("torch.Tensor"))
    return Unknown("is_tensor") if verdict is None else verdict


@FRAMEWORK.on("torch.is_floating_point", "torch.is_complex", "torch.Tensor.is_floating_point",
              "torch.Tensor.is_complex")
def is_of_kind(c: Call) -> Any:
    """What its dtype is called says so (c10/core/ScalarType.h: isFloatingType, isComplexType)."""
    tensor = plain(c.receiver if isinstance(plain(c.receiver), Tensor) else c.get(0, "input"))
    name = getattr(plain(c.callee), "name", "") or getattr(plain(c.callee), "path", "")
    kinds = KINDS[name.rpartition(".")[2]]
    known = isinstance(tensor, Tensor) and isinstance(tensor.dtype, str)
    return assume(tensor.dtype.startswith(kinds), tensor.assumptions) if known else Unknown("dtype")


@FRAMEWORK.attribute("torch.Tensor.shape")
def shape(m: Machine, tensor: Any) -> Any:
    return shape_of(tensor)


@FRAMEWORK.attribute("torch.Tensor.dtype")
def dtype(m: Machine, tensor: Any) -> Any:
    return tensor.dtype


@FRAMEWORK.attribute("torch.Tensor.ndim")
def ndim(m: Machine, tensor: Any) -> Any:
    return Unknown("rank") if tensor.rank is None else assume(tensor.rank, tensor.assumptions)


@FRAMEWORK.attribute("torch.Tensor.requires_grad")
def asks(m: Machine, tensor: Any) -> Any:
    """Known of parameters of a module all of which ask for none."""
    step = tensor.step
    owned = step is not None and step.maker == OWNED and step.arguments
    return False if owned and is_wholly_frozen(m, step.arguments[0][0]) else Unknown("whether it asks for its gradient")


@FRAMEWORK.attribute("torch.Tensor.device", "torch.Tensor.grad", "torch.Tensor.is_cuda", "torch.Tensor.grad_fn")
def unknown(m: Machine, tensor: Any) -> Any:
    return Unknown("what runs where")


@FRAMEWORK.attribute("torch.Tensor.data")
def data(m: Machine, tensor: Any) -> Any:
    return Tensor(tensor.shape, tensor.dtype, "torch", tensor.content,
                  Step(tensor.step.span, (tensor,), NO_GRAD) if tensor.step is not None else None, tensor.assumptions)


@FRAMEWORK.attribute("torch.Tensor.mT")
def turned_matrices(m: Machine, tensor: Any) -> Any:
    """Its last two axes swapped."""
    if not isinstance(tensor.shape, tuple) or len(tensor.shape) < 2:
        return tensor.with_(shape=Unknown("mT"))
    return tensor.with_(shape=(*tensor.shape[:-2], tensor.shape[-1], tensor.shape[-2]))


@FRAMEWORK.attribute("torch.Tensor.T")
def transposed(m: Machine, tensor: Any) -> Any:
    turned = tensor.shape[::-1] if isinstance(tensor.shape, tuple) else tensor.shape
    return tensor.with_(shape=turned) if tensor.rank in (None, 2) else tensor.with_(shape=Unknown("T"))


@FRAMEWORK.on("torch.Tensor.size")
def size(c: Call) -> Any:
    tensor = plain(c.receiver)
    dim = strip(c.get(0, "dim"))
    found = shape_of(tensor)
    if dim is None or isinstance(found, Unknown):
        return found
    if found and isinstance(dim, int) and not -len(found) <= dim < len(found):
        if is_meant(c.machine):
            refuse(c.machine, c.span, axis_problem(dim, len(found), tensor), about=(tensor,), what="size()",
                   inputs=tensor)
        return Unknown("an axis that is not there")
    return found[dim] if found and isinstance(dim, int) else Unknown("an extent")


@FRAMEWORK.on("torch.Tensor.dim", "torch.Tensor.ndimension")
def dim(c: Call) -> Any:
    return ndim(c.machine, plain(c.receiver))


@FRAMEWORK.on("torch.Tensor.numel", "torch.Tensor.nelement", "torch.numel")
def numel(c: Call) -> Any:
    tensor = plain(c.receiver if c.receiver is not None else c.get(0, "input"))
    if not isinstance(tensor, Tensor) or isinstance(tensor.shape, Unknown):
        return Unknown("numel()")
    total = product(tensor.shape)
    return assume(total, tensor.assumptions) if not isinstance(total, Symbol) else Unknown("numel()")


@FRAMEWORK.on("torch.Tensor.item", "torch.Tensor.tolist", "torch.Tensor.__float__", "torch.Tensor.__int__")
def item(c: Call) -> Any:
    tensor = plain(c.receiver)
    content = tensor.content
    if c.path.endswith(".item"):
        _tell_of_many(c, tensor)
    if isinstance(content, (bool, int, float)):
        return content
    return Unknown("an element of a tensor", number=not c.path.endswith(".tolist"))


def _tell_of_many(c: Call, tensor: Tensor) -> None:
    """aten/src/ATen/native/Scalar.cpp: item"""
    count = product(tensor.shape) if isinstance(tensor.shape, tuple) else Unknown("rank")
    if isinstance(count, int) and count > 1 and not (c.machine.trying or c.machine.handlers):
        refuse(c.machine, c.span, Mismatch(
            Problem.RANK, f"item() of {tensor}, which has {count} elements", help="sum() or mean() of it, or tolist()",
            error=f'RuntimeError "a Tensor with {count} elements cannot be converted to Scalar"',
            facts=(("expected", 0), ("actual", tensor.rank))), about=(tensor,), what="item()", inputs=tensor)


@FRAMEWORK.on("torch.Tensor.numpy")
def numpy(c: Call) -> Any:
    tensor = plain(c.receiver)
    if plain(c.get(0, "force", False)) is False and not tell_of_array_on_gpu(c.machine, tensor, c.span):
        tell_of_array(c.machine, tensor, c.span)
    return Tensor(tensor.shape, tensor.dtype, "numpy", tensor.content, Step(c.span, (tensor,)), tensor.assumptions)


@FRAMEWORK.on("torch.Tensor.detach", "torch.Tensor.detach_", "torch.detach")
def detach(c: Call) -> Any:
    tensor = plain(c.receiver if c.receiver is not None else c.get(0, "input"))
    if not isinstance(tensor, Tensor):
        return Unknown("detach()")
    step = Step(c.span, (tensor,), NO_GRAD, ((), {"certain": True}))
    return Tensor(tensor.shape, tensor.dtype, "torch", tensor.content, step, tensor.assumptions)


@FRAMEWORK.on("torch.Tensor.backward")
def backward(c: Call) -> Any:
    tensor = plain(c.receiver)
    if isinstance(tensor, Tensor) and tell_of_refused(c, tensor):
        return
    histories.backward(c.machine, tensor, c.span)
    if isinstance(tensor, Tensor):
        tell_of_kept(c.machine, tensor, c.span)
    backwards.backward(c)


@FRAMEWORK.on("torch.Tensor.register_hook", "torch.Tensor.retain_grad",
              "torch.Tensor.share_memory_", "torch.Tensor.record_stream")
def nothing(c: Call) -> Any:
    forget_closures(c.machine, c)  # a hook is called on the way back
    return None


@FRAMEWORK.on("torch.Tensor.requires_grad_")
def requires_grad(c: Call) -> Any:
    """In place, so that the variable holds a leaf from here on."""
    if plain(c.get(0, "requires_grad", True)) is True:
        ask(c.machine, c.receiver)
        made = assume(as_leaf(plain(c.receiver), c.span), assumptions_of(c.receiver))
        called = getattr(c.node, "func", None)
        if isinstance(called, ast.Attribute) and called.attr == "requires_grad_" \
                and isinstance(called.value, ast.Name | ast.Attribute):
            assign(c.machine, called.value, made)
        return made
    set_required(c.machine, c.receiver, c.get(0, "requires_grad", True))
    return c.receiver


def cast(c: Call, dtype_: Any, *where: Any) -> Any:
    """The same elements in another dtype, and on the device `where` if it is given. A parameter that has that dtype
    stays the parameter that it is (aten/src/ATen/native/TensorConversions.cpp: to_will_alias).
    """
    tensor = plain(c.receiver)
    if where in ((), ("cpu",)) and dtype_ == tensor.dtype and is_parameter(tensor):
        return c.receiver
    content = tensor.content if dtype_ == tensor.dtype else None
    step = Step(c.span, (tensor,), "torch.Tensor.to", (where, {}))
    return assume(Tensor(tensor.shape, dtype_, "torch", content, step, tensor.assumptions), c.machine.frame.control)


def _casting(name: str) -> Any:
    return lambda c: cast(c, name)


for _name, _dtype in {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
                      "long": "int64", "int": "int32", "short": "int16", "byte": "uint8", "char": "int8",
                      "bool": "bool"}.items():
    FRAMEWORK.on(f"torch.Tensor.{_name}")(_casting(_dtype))


DEVICES = ("dev", "cuda", "gpu", "cpu", "rank")


def may_be_dtype(c: Call, place: int, value: Any) -> bool:
    """Whether an argument of to() that is not known may be a dtype: not where its name says that it is a device."""
    if not isinstance(value, Unknown):
        return False
    written = getattr(c.node, "args", [])
    text = ast.unparse(written[place]).lower() if place < len(written) else ""
    return not any(word in text for word in DEVICES)


@FRAMEWORK.on("torch.Tensor.to", "torch.Tensor.type")
def to(c: Call) -> Any:
    """A device, a dtype, or both."""
    tensor = plain(c.receiver)
    if c.kwargs:
        tell_of_named(c.machine, c.kwargs, c.node)
    if "dtype" in c.kwargs:
        asked = strip(c.kwargs["dtype"])
        where = c.args[:1] or ([c.kwargs["device"]] if "device" in c.kwargs else [])
        return cast(c, asked if isinstance(asked, str) else Unknown("dtype"), *where)
    for place, arg in enumerate(c.args):
        held = plain(arg)
        if may_be_dtype(c, place, held):
            return cast(c, Unknown("a dtype or a device"), held)
        if c.path.endswith(".type"):
            _tell_of_type(c, place)
        else:
            tell_of_given(c.machine, place, arg, c.node)
        if isinstance(held, str) and held in DTYPES:
            return cast(c, held, *c.args[:place])
        text = held.path if isinstance(held, External) else held
        if isinstance(text, str) and (kind := TYPE.fullmatch(text)):
            return cast(c, LEGACY[kind[2]], "cuda" if kind[1] else "cpu")
        if isinstance(held, Tensor):
            return cast(c, held.dtype, Unknown("where another tensor lies"))
    if c.path.endswith(".type"):
        return cast(c, Unknown("dtype"), Unknown("a type of tensors"))
    return _moved(c, tensor)


def _tell_of_type(c: Call, place: int) -> None:
    """`x.type("float32")`"""
    text = text_at(place, c.node)
    if text is not None and "." not in text and is_meant(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f'"{text}" is no type of tensors', argument="dtype",
            help=f"torch.{text}" if text in DTYPES else "", error=f"ValueError \"invalid type: '{text}'\""),
            what="type")


def _moved(c: Call, tensor: Tensor) -> Any:
    """The same elements, somewhere else or in another order."""
    where = c.args[:1] or [c.kwargs[name] for name in ("device", "memory_format") if name in c.kwargs]
    step = Step(c.span, (tensor,), "torch.Tensor.to", (tuple(where), {}))
    return assume(Tensor(tensor.shape, tensor.dtype, "torch", tensor.content, step, tensor.assumptions),
                  c.machine.frame.control)


@FRAMEWORK.on("torch.Tensor.type_as")
def type_as(c: Call) -> Any:
    other = plain(c.get(0, "other"))
    return cast(c, other.dtype if isinstance(other, Tensor) else Unknown("dtype"), Unknown("where another lies"))


@FRAMEWORK.on("torch.Tensor.view_as", "torch.Tensor.reshape_as", "torch.Tensor.expand_as")
def as_other(c: Call) -> Any:
    other = plain(c.get(0, "other"))
    name = c.path.rpartition(".")[2]
    if not isinstance(other, Tensor) or isinstance(other.shape, Unknown):
        return plain(c.receiver).with_(shape=Unknown("shape of another tensor"))
    path = {"expand_as": "torch.Tensor.expand", "view_as": "torch.Tensor.view"}.get(name, "torch.reshape")
    return apply_function(c.machine, path, [c.receiver, other.shape], {}, c.node)



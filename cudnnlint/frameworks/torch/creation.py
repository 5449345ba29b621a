"""Functions of PyTorch that take extents one by one, and classes that make tensors."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.parts import PARAMETER
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.leaves import as_leaf
from cudnnlint.ops.torch._weights import foreign
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown, is_integer


def packed(args: list[Any]) -> list[Any]:
    """zeros(2, 3) as zeros((2, 3)); a list or tuple as it is."""
    if not args or isinstance(plain(args[0]), (tuple, ListV, Unknown)):
        return args[:1] if args else [()]
    if isinstance(plain(args[0]), Tensor) and plain(args[0]).rank != 0:
        return args[:1]
    return [tuple(args)]


def _path(c: Call) -> str:
    callee = plain(c.callee)
    return callee.path if isinstance(callee, External) else ""


@FRAMEWORK.on("torch.zeros", "torch.ones", "torch.empty", "torch.rand", "torch.randn")
def sized(c: Call) -> Any:
    """torch.zeros(2, 3) and torch.zeros((2, 3))."""
    kwargs = dict(c.kwargs)
    args = [kwargs.pop("size")] if "size" in kwargs else _one_by_one(c.args)
    return apply_function(c.machine, _path(c), packed(args), kwargs, c.node)


@FRAMEWORK.on("torch.Tensor.new_zeros", "torch.Tensor.new_ones", "torch.Tensor.new_empty")
def sized_like(c: Call) -> Any:
    """x.new_zeros(2, 3) and x.new_zeros((2, 3)), of the dtype of x and where it lies."""
    kwargs = dict(c.kwargs)
    args = [kwargs.pop("size")] if "size" in kwargs else c.args
    if STAR in kwargs or (len(args) > 1 and any(isinstance(plain(arg), tuple | ListV) for arg in args)):
        return Tensor(Unknown("extents"), Unknown("dtype"), "torch", None, Step(c.span))
    name, args = c.path.rpartition(".")[2], _one_by_one(args)
    return apply_function(c.machine, f"torch.Tensor.{name}", [c.receiver, *packed(args)], kwargs, c.node)


def _one_by_one(args: list[Any]) -> list[Any]:
    """Of extents that are given one by one and not all known, the count still is."""
    return [tuple(args)] if len(args) > 1 and isinstance(plain(args[0]), Unknown) else args


@FRAMEWORK.on("torch.Tensor.new")
def new(c: Call) -> Any:
    """x.new(2, 3) is of that size, x.new([2, 3]) of those elements, as with torch.Tensor(...)."""
    tensor, first = plain(c.receiver), plain(c.args[0]) if c.args else Unknown("no size")
    if isinstance(first, tuple) or (c.args and all(isinstance(plain(arg), int) for arg in c.args)):
        return apply_function(c.machine, "torch.Tensor.new_empty", [c.receiver, *packed(c.args)], {}, c.node)
    shape = first.shape if isinstance(first, Tensor) else Unknown("data or a size")
    return Tensor(shape, tensor.dtype, "torch", None, Step(c.span, (tensor,), "torch.Tensor.new_empty"))


@FRAMEWORK.on("torch.Size")
def size(c: Call) -> Any:
    """A tuple."""
    given = plain(c.get(0, "iterable", ()))
    if isinstance(given, ListV) and not given.unknown:
        return tuple(given.items)
    return given if isinstance(given, tuple) else Unknown("a torch.Size")


@FRAMEWORK.on("torch.nn.Parameter", "torch.nn.Buffer")
def parameter(c: Call) -> Any:
    given = c.get(0, "data")
    held = plain(given)
    if _path(c) == PARAMETER:
        _tell_of_data(c, strip(given))
    if not isinstance(held, Tensor):
        return Unknown("data of a parameter")
    given = ((), {"requires_grad": plain(c.get(1, "requires_grad", True))})
    maker = PARAMETER if _path(c) == PARAMETER else "torch.nn.Buffer"
    made = Tensor(held.shape, held.dtype, "torch", None, Step(c.span, (held,), maker, given), held.assumptions)
    return assume(made, c.machine.frame.control)


def _tell_of_data(c: Call, data: Any) -> None:
    """torch/nn/parameter.py: Parameter.__new__; python_variable.cpp: THPVariable_set_requires_grad"""
    if not is_meant(c.machine):
        return
    if kind := foreign(data):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"nn.Parameter is given {kind}, not a tensor", argument="data",
            help="torch.tensor(...) makes a tensor of it", error="AttributeError \"object has no attribute 'detach'\""),
            what="Parameter", stage="called")
    elif isinstance(data, Tensor) and is_integer(data.dtype) and plain(c.get(1, "requires_grad", True)) is True:
        refuse(c.machine, c.span, Mismatch(
            Problem.DTYPE, f"nn.Parameter of {data}, which has no gradients", argument="data",
            help="data.float(), or requires_grad=False",
            error='RuntimeError "Only Tensors of floating point and complex dtype can require gradients"'),
            about=(data,), what="Parameter", stage="called")


@FRAMEWORK.on("torch.autograd.Variable")
def variable(c: Call) -> Any:
    """A tensor since PyTorch 0.4."""
    data = c.get(0, "data", Unknown("a variable of nothing"))
    if plain(c.get(1, "requires_grad", False)) is False:
        return data
    return assume(as_leaf(plain(data), c.span), assumptions_of(data))


@FRAMEWORK.on("torch.permute", "torch.Tensor.permute")
def permute(c: Call) -> Any:
    """x.permute(0, 2, 1), also with a tuple."""
    return _with_rest(c, "torch.permute", "dims")


@FRAMEWORK.on("torch.Tensor.view")
def view(c: Call) -> Any:
    return _with_rest(c, "torch.Tensor.view", "shape")


@FRAMEWORK.on("torch.Tensor.reshape", "torch.reshape")
def reshape(c: Call) -> Any:
    return _with_rest(c, "torch.reshape", "shape")


@FRAMEWORK.on("torch.Tensor.expand")
def expand(c: Call) -> Any:
    return _with_rest(c, "torch.Tensor.expand", "size")


@FRAMEWORK.on("torch.Tensor.repeat")
def repeat(c: Call) -> Any:
    return _with_rest(c, "torch.Tensor.repeat", "repeats")


@FRAMEWORK.on("torch.Tensor.tile")
def tile(c: Call) -> Any:
    return _with_rest(c, "torch.tile", "dims")


def _with_rest(c: Call, path: str, name: str) -> Any:
    """A tensor, then numbers one by one, one sequence of them, or that by its keyword."""
    tensor, rest = (c.receiver, c.args) if c.receiver is not None else (c.args[:1] or [Unknown()], c.args[1:])
    tensor = tensor[0] if isinstance(tensor, list) else tensor
    if STAR in c.kwargs:  # *sizes of an unknown number
        given: Any = Unknown(name)
    elif not rest:
        given = next((c.kwargs[key] for key in (name, "size", "shape", "dims", "sizes") if key in c.kwargs),
                     Unknown(name))
    elif len(rest) == 1 and not isinstance(plain(rest[0]), int) and not (
            isinstance(plain(rest[0]), Tensor) and plain(rest[0]).rank == 0):
        given = rest[0]
    else:
        given = tuple(rest)
    return apply_function(c.machine, path, [tensor, given], {}, c.node)

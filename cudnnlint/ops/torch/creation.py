"""Tensors made by PyTorch: zeros, randn, arange, tensor, linspace and the *_like family."""

from __future__ import annotations

import math
import struct
from typing import Any

from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions._core import extents, number
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch._core import dtype_of
from cudnnlint.values import DType, Mismatch, Problem, Tensor, Unknown

LONGEST = 64
"""Elements of an arange() that are kept."""


def made(size: Any, dtype: Any, default: DType = "float32", content: Any = None) -> Outcome:
    """A new tensor of the extents that a program writes."""
    shape = extents(size)
    if isinstance(shape, tuple) and any(isinstance(dim, int) and dim < 0 for dim in shape):
        least = min(dim for dim in shape if isinstance(dim, int))
        return Mismatch(Problem.NON_POSITIVE, f"a tensor with a negative extent: {least}", argument="size",
                        help="extents must not be negative",
                        error='RuntimeError "Trying to create tensor with negative dimension"')
    return Tensor(shape, dtype_of(dtype, default), "torch", content)


def _register() -> None:
    for name in ("zeros", "ones", "empty", "rand", "randn"):
        function(f"torch.{name}")(_sized())
    for name in ("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"):
        function(f"torch.{name}")(_like())
    for name in ("new_zeros", "new_ones", "new_empty"):
        function(f"torch.Tensor.{name}")(_new())


def _sized() -> Any:
    def make(size: Any = (), *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
             requires_grad: Any = False, pin_memory: Any = False, memory_format: Any = None, generator: Any = None,
             names: Any = None) -> Outcome:
        return made(size, dtype)

    return make


def _like() -> Any:
    def make(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: Any = False,
             memory_format: Any = None, pin_memory: Any = False) -> Outcome:
        return input.with_(dtype=dtype_of(dtype, input.dtype)) if isinstance(input, Tensor) else Unknown("input")

    return make


def _new() -> Any:
    def make(input: Any, size: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False,
             layout: Any = None, pin_memory: Any = False) -> Outcome:
        return made(size, dtype, input.dtype if isinstance(input, Tensor) else Unknown("dtype"))

    return make


FEW = 256
"""Elements of a row of equal numbers that is kept."""


@function("torch.full")
def full(size: Any, fill_value: Any, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
         requires_grad: Any = False, pin_memory: Any = False) -> Outcome:
    many = size[0] if isinstance(size, list | tuple) and len(size) == 1 else size
    few = type(many) is int and 0 < many <= FEW and type(fill_value) is int and dtype_of(dtype, "int64") == "int64"
    return made(size, dtype, _kind(fill_value), contents.small((fill_value,) * many) if few else None)


@function("torch.full_like")
def full_like(input: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
              requires_grad: Any = False, memory_format: Any = None) -> Outcome:
    return input.with_(dtype=dtype_of(dtype, input.dtype)) if isinstance(input, Tensor) else Unknown("input")


def _kind(value: Any) -> DType:
    """The dtype that a Python number gives a tensor (torch.get_default_dtype() for floats)."""
    if isinstance(value, bool):
        return "bool"
    return "int64" if isinstance(value, int) else "float32" if isinstance(value, float) else Unknown("dtype of a value")


@function("torch.randint")
def randint(low: Any = None, high: Any = None, size: Any = None, *, generator: Any = None, out: Any = None,
            dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: Any = False,
            pin_memory: Any = False) -> Outcome:
    """randint(high, size) and randint(low, high, size)."""
    if size is None:
        size = high
    return Unknown("size") if size is None else made(size, dtype, "int64")


@function("torch.randint_like")
def randint_like(input: Any, low: Any = None, high: Any = None, *, dtype: Any = None, layout: Any = None,
                 device: Any = None, requires_grad: Any = False, memory_format: Any = None) -> Outcome:
    return input.with_(dtype=dtype_of(dtype, input.dtype)) if isinstance(input, Tensor) else Unknown("input")


@function("torch.randperm")
def randperm(n: Any, *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None,
             device: Any = None, requires_grad: Any = False, pin_memory: Any = False) -> Outcome:
    return made((number(n),), dtype, "int64")


@function("torch.arange")
def arange(start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, layout: Any = None,
           device: Any = None, requires_grad: Any = False, pin_memory: Any = False) -> Outcome:
    if end is None:
        start, end = 0, start
    values = [value.content if isinstance(value, Tensor) else value for value in (start, end, step)]
    floating = any(isinstance(value, float) for value in values)
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values) or not values[2]:
        whole = all(isinstance(value, int) for value in (start, step)) and not isinstance(end, Tensor)
        default: DType = "float32" if floating else "int64" if whole and isinstance(end, int) else Unknown("dtype")
        return Tensor((Unknown("length of a range"),), dtype_of(dtype, default), "torch")
    first, last, by = values
    if not all(map(math.isfinite, values)) or abs(last - first) / abs(by) > 2**53:
        return Unknown("a huge range")
    size = max(0, math.ceil((last - first) / by))
    small = not floating and size <= LONGEST
    content = contents.small(tuple(range(first, last, by))) if small else None
    return Tensor((size,), dtype_of(dtype, "float32" if floating else "int64"), "torch",
                  content if dtype is None else None)


@function("torch.linspace")
def linspace(start: Any, end: Any, steps: Any, *, out: Any = None, dtype: Any = None, layout: Any = None,
             device: Any = None, requires_grad: Any = False, pin_memory: Any = False) -> Outcome:
    return made((number(steps),), dtype, content=_even(start, end, steps) if dtype is None else None)


def _even(start: Any, end: Any, steps: Any) -> Any:
    """Rates of dropout, `torch.linspace(0, rate, depth)`, for the most part: from both ends, each step in float32
    (aten/src/ATen/native/cpu/RangeFactoriesKernel.cpp: linspace_kernel)."""
    ends = [value for value in (start, end) if isinstance(value, (int, float)) and math.isfinite(value)]
    if len(ends) < 2 or not isinstance(steps, int) or not 1 < steps <= LONGEST:
        return None
    first, last = map(float32, ends)
    step = float32((last - first) / (steps - 1))
    return contents.small(tuple(
        float32(first + step * place if place < steps // 2 else last - step * (steps - 1 - place))
        for place in range(steps)))


def float32(value: float) -> float:
    """
    >>> float32(0.1), float32(0.5)
    (0.10000000149011612, 0.5)
    """
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


@function("torch.logspace")
def logspace(start: Any, end: Any, steps: Any, base: Any = 10.0, *, out: Any = None, dtype: Any = None,
             layout: Any = None, device: Any = None, requires_grad: Any = False, pin_memory: Any = False) -> Outcome:
    return made((number(steps),), dtype)


@function("torch.sparse_coo_tensor", "torch.sparse.FloatTensor")
def sparse(indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
           pin_memory: Any = False, requires_grad: Any = False, check_invariants: Any = None,
           is_coalesced: Any = None) -> Outcome:
    """Of a size that is told; other axes follow those of the indices where each of the values is an array."""
    if size is None:
        return Unknown("the size of a sparse tensor")
    kept = values.dtype if isinstance(values, Tensor) else Unknown("dtype of the values")
    return made(size, dtype, kept)


@function("torch.eye")
def eye(n: Any, m: Any = None, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
        requires_grad: Any = False, pin_memory: Any = False) -> Outcome:
    return made((number(n), number(n if m is None else m)), dtype)


@function("torch.tensor", "torch.as_tensor", "torch.asarray", "torch.from_numpy")
def tensor(data: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False,
           pin_memory: Any = False) -> Outcome:
    """Numbers and nested lists by their elements; arrays keep their dtype."""
    if (several := _of_several(data)) is not None:
        return Mismatch(Problem.UNEXPECTED, f"torch.tensor() of a list of tensors, the first of them {several}",
                        help="torch.stack(...) of tensors of one shape", facts=(("moment", "when it runs"),),
                        error='ValueError "only one element tensors can be converted to Python scalars"')
    x = as_tensor(data, "torch")
    if isinstance(x, Unknown):
        return Tensor(Unknown("data"), dtype_of(dtype, Unknown("dtype of the data")), "torch")
    if x.dtype == "object":
        return Mismatch(Problem.DTYPE, f"an array of Python objects is to be a tensor: {x}",
                        help='numbers of one type: x.astype("float32")',
                        error='TypeError "can\'t convert np.ndarray of type numpy.object_"')
    found = dtype_of(dtype, x.dtype)
    return x.with_(dtype=found, kind="torch", content=x.content if found == x.dtype else None)


def _of_several(data: Any) -> Tensor | None:
    """A tensor of PyTorch in a list, that has more than one element (torch/csrc/utils/tensor_new.cpp:
    recursive_store)."""
    first = data[0] if isinstance(data, list | tuple) and data else None
    if isinstance(first, list | tuple):
        return _of_several(first)
    if not isinstance(first, Tensor) or first.kind != "torch" or not isinstance(first.shape, tuple):
        return None
    return first if any(isinstance(dim, int) and dim != 1 for dim in first.shape) else None


_register()

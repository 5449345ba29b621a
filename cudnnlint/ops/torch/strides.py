"""Tensors whose elements do not lie in memory as their shape reads, of which view() makes nothing else."""

from __future__ import annotations

from math import prod
from typing import Any

from cudnnlint.values import Mismatch, Problem, Tensor
from cudnnlint.values.tensor import show

TURNING = ("torch.transpose", "torch.permute", "torch.swapaxes", "torch.t")
FRESH = frozenset({"torch.zeros", "torch.ones", "torch.rand", "torch.randn", "torch.randint", "torch.arange",
                   "torch.zeros_like", "torch.tensor", "torch.Tensor.contiguous", "torch.Tensor.repeat"})
FRESH_MODULES = frozenset({"torch.nn.Linear", "torch.nn.Embedding"})
"""What gives tensors whose elements lie in order; so does a product of matrices with as many axes."""
KEEPING = frozenset({f"torch.nn.{name}{rank}d" for rank in (1, 2, 3) for name in (
    "Conv", "ConvTranspose", "BatchNorm", "MaxPool", "AvgPool", "AdaptiveAvgPool", "Dropout")} | {
        f"torch.nn.{name}" for name in ("ReLU", "LeakyReLU", "ELU", "GELU", "SiLU", "Sigmoid", "Tanh", "Dropout",
                                        "Identity")} | {
            "torch.relu", "torch.sigmoid", "torch.tanh", "torch.Tensor.relu", "torch.nn.functional.relu"})
"""What gives elements in the order of its input (aten/src/ATen/native/Convolution.cpp: determine_backend_memory_format:
channels_last only where input or weights are); a module that was cast or turned is told by its unknown dtype."""
ELEMENTWISE = frozenset({
    *(f"torch.{name}" for name in ("exp", "log", "sqrt", "abs", "neg", "sin", "cos", "relu", "sigmoid", "tanh",
                                   "randn_like", "rand_like", "zeros_like", "ones_like", "empty_like")),
    *(f"torch.nn.functional.{name}" for name in ("relu", "gelu", "silu", "elu", "dropout")),
    *(f"torch.nn.{name}" for name in ("ReLU", "LeakyReLU", "ELU", "GELU", "SiLU", "Sigmoid", "Tanh", "Dropout"))})
"""What gives elements in any order that its input has (aten/src/ATen/TensorIterator.cpp: reorder_dimensions,
compute_strides; torch.preserve_format); so do sums and products of tensors that lie alike."""
ARITHMETIC = frozenset(f"operator.{sign}" for sign in "+-*/")
FAR = 100
"""How many steps back the order is looked for."""


def refuse_view(x: Tensor, wanted: Any) -> Mismatch | None:
    """`x.permute(0, 2, 1).view(2, 12)` (aten/src/ATen/TensorUtils.cpp: computeStride)."""
    target = _whole(wanted, x.shape)
    turned = _layout(x, FAR) if target is not None else None
    if turned is None or target is None:
        return None
    order, maker, sizes = turned
    strides = [prod(sizes[place + 1:]) for place in range(len(sizes))]
    if _fits([sizes[place] for place in order], [strides[place] for place in order], target):
        return None
    return Mismatch(
        Problem.STRIDES, f"view() of {x} as {show(tuple(target))}: {maker.rpartition('.')[2]}() left its "
        "elements in another order in memory", help="reshape(), or contiguous() before view()",
        error='RuntimeError "view size is not compatible with input tensor\'s size and stride"')


def _layout(x: Tensor, left: int) -> tuple[list[int], str, Any] | None:
    """Which axis of the tensor that was turned stands at each place, what turned it, and its extents."""
    step = x.step
    if step is None or not left:
        return None
    maker = step.maker
    if maker in TURNING and len(step.parents) == 1:
        before, order = step.parents[0], _order(maker, step.arguments, x)
        known = order is not None and _is_known(before.shape) and _lies_in_order(before)
        return (order, str(maker), before.shape) if known and order is not None else None
    path = maker if isinstance(maker, str) else getattr(maker, "path", "")
    if step.body is not None or not (maker in ARITHMETIC or (path in ELEMENTWISE and _keeps(maker))):
        return None
    tensors = [parent for parent in step.parents if parent.shape != ()]
    found = [_layout(parent, left - 1) if parent.shape == x.shape else None for parent in tensors]
    alike = found and found[0] is not None and all(one is not None and one[::2] == found[0][::2] for one in found)
    return found[0] if alike else None


def _is_known(shape: Any) -> bool:
    return isinstance(shape, tuple) and all(type(dim) is int and dim > 0 for dim in shape)


def _whole(wanted: Any, shape: Any) -> list[int] | None:
    """The sizes that are asked for, -1 filled in."""
    asked = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
    if not _is_known(shape) or not all(type(size) is int for size in asked) or asked.count(-1) > 1:
        return None
    total, known = prod(shape), prod(size for size in asked if size != -1)
    if known <= 0 or total % known:
        return None
    found = [total // known if size == -1 else size for size in asked]
    return found if prod(found) == total else None


def _order(maker: Any, arguments: Any, x: Tensor) -> list[int] | None:
    """Which axis of the tensor before stands at each place."""
    rank = len(x.shape) if isinstance(x.shape, tuple) else 0
    args, kwargs = arguments or ((), {})
    given = [part for arg in args if not isinstance(arg, Tensor)
             for part in (arg if isinstance(arg, list | tuple) else (arg,))]
    if kwargs or not all(type(part) is int and -rank <= part < rank for part in given):
        return None
    axes, order = [part % rank for part in given], list(range(rank))
    if maker == "torch.permute":
        return axes if sorted(axes) == order else None
    if maker == "torch.t":
        return order[::-1]
    if len(axes) != 2:
        return None
    order[axes[0]], order[axes[1]] = axes[1], axes[0]
    return order


def _lies_in_order(x: Tensor) -> bool:
    for _ in range(FAR):
        step = x.step
        if step is None:
            return False
        maker = step.maker
        path = maker if isinstance(maker, str) else getattr(maker, "path", "")
        if maker in ("operator.@", "torch.matmul", "torch.bmm"):
            return len({part.rank for part in step.parents}) == 1 and (x.rank or 0) > 2
        if path in FRESH:
            return not (path == "torch.Tensor.contiguous" and _turned(step.arguments))
        if path in FRESH_MODULES and getattr(maker, "user", None) is None:
            return True
        if step.body is not None:
            x = step.body
        elif step.parents and (path == "torch.Tensor.view" or (path in KEEPING and _keeps(maker))):
            x = step.parents[0]
        else:
            return False
    return False


def _keeps(maker: Any) -> bool:
    """A function, or a module of the library's that was not turned."""
    return isinstance(maker, str) or (getattr(maker, "user", None) is None
                                      and isinstance(getattr(maker.op, "dtype", ""), str))


def _turned(arguments: Any) -> bool:
    """contiguous(memory_format=torch.channels_last) leaves another order."""
    args, kwargs = arguments or ((), {})
    return len(args) > 1 or bool(kwargs)


def _fits(shape: list[int], strides: list[int], target: list[int]) -> bool:
    """Whether the target's axes part the runs of axes that lie one after the other in memory.

    >>> _fits([2, 4, 3], [12, 1, 4], [2, 12]), _fits([2, 4, 3], [12, 1, 4], [2, 2, 2, 3]), _fits([3, 4], [4, 1], [12])
    (False, True, True)
    """
    place, run, base = len(target) - 1, 1, strides[-1] if strides else 1
    for axis in range(len(shape) - 1, -1, -1):
        run *= shape[axis]
        if axis and (shape[axis - 1] == 1 or strides[axis - 1] == run * base):
            continue
        filled = 1
        while place >= 0 and (filled < run or target[place] == 1):
            filled *= target[place]
            place -= 1
        if filled != run:
            return False
        if axis:
            run, base = 1, strides[axis - 1]
    return place == -1

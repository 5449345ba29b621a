"""The same elements in another shape: view, reshape, flatten, squeeze, permute, transpose, expand, repeat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import is_known, lift, may_equal, product
from cudnnlint.ops.functions._core import Axes, extents, number, numbers
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch.strides import refuse_view
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown


def axis_problem(axis: int, rank: int, x: Tensor | None = None) -> Mismatch:
    """c10/core/WrapDimMinimal.cpp: maybe_wrap_dim_slow."""
    about = f" of {x}" if x is not None else ""
    return Mismatch(Problem.AXIS, f"axis {axis} is out of range for {rank} axes{about}", argument="dim",
                    help=f"a dim from {-rank} to {rank - 1}" if rank else "",
                    error=f'IndexError "Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but '
                          f'got {axis})"', facts=(("axis", axis), ("rank", rank)))


def axis_of(axis: Any, rank: int, x: Tensor | None = None) -> int | Unknown | Mismatch:
    """`axis` counted from 0; a scalar has one axis in this."""
    value = number(axis)
    if isinstance(value, Unknown):
        return value
    least = max(rank, 1)
    return value % least if -least <= value < least else axis_problem(value, least, x)


def axes_of(dims: Any, x: Tensor) -> Axes | Unknown | Mismatch:
    """Several axes, or one, ascending as written."""
    rank = x.rank
    if rank is None:
        return Unknown("rank")
    values = dims if isinstance(dims, (list, tuple)) else (dims,)
    found: list[int] = []
    for value in values:
        one = axis_of(value, rank, x)
        if not isinstance(one, int):
            return one
        found.append(one)
    return tuple(found)


def tensor(value: Any) -> Tensor | Unknown:
    return value if isinstance(value, (Tensor, Unknown)) else Unknown("not a tensor")


def open_rank(x: Tensor, why: str) -> Tensor:
    return x.with_(shape=Unknown(why))


def reshaped(value: Any, shape: Any, name: str) -> Outcome:
    """x.view(shape), x.reshape(shape): one -1 is inferred."""
    x = tensor(value)
    if isinstance(x, Unknown):
        x = Tensor(x, Unknown("dtype"), "torch")
    if isinstance(shape, str):  # x.view(torch.float16) gives the same bytes another dtype
        return _as_dtype(x, shape)
    found = reshape(x, shape, "torch", name)
    if not isinstance(found, Mismatch):
        return found
    asked = extents(shape)
    told = "[" + ", ".join(map(str, asked)) + "]" if isinstance(asked, tuple) else "..."
    count_ = product(x.shape) if isinstance(x.shape, tuple) else Unknown()
    elements = count_ if is_known(count_) else "..."
    error = 'RuntimeError "only one dimension can be inferred"' if found.problem is Problem.INVALID_ARGUMENT else \
        f"RuntimeError \"shape '{told}' is invalid for input of size {elements}\""
    return replace(found, error=error)


BYTES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}


def _as_dtype(x: Tensor, dtype: str) -> Tensor:
    """The last axis is shorter or longer by as much as an element is larger or smaller (aten/src/ATen/native/
    TensorConversions.cpp: view_dtype)."""
    before, after = (BYTES.get(str(one).lstrip("abcdefghijklmnopqrstuvwxyz"), 1 if one == "bool" else 0)
                     for one in (x.dtype, dtype))
    if not (before and after) or isinstance(x.shape, Unknown):
        return x.with_(shape=x.shape if before == after != 0 else Unknown("another dtype"), dtype=dtype)
    if before == after or not x.shape:
        return x.with_(dtype=dtype)
    last = x.shape[-1] * before // after if isinstance(x.shape[-1], int) else Unknown("another dtype")
    return x.with_(shape=(*x.shape[:-1], last), dtype=dtype)


def flattened(x: Tensor, start: Any = 0, end: Any = -1) -> Outcome:
    """Axes start to end as one (aten/src/ATen/native/TensorShape.cpp: flatten)."""
    if isinstance(x.shape, Unknown):
        known = number(start), number(end)
        if known[1] == -1 and isinstance(known[0], int) and 0 <= known[0] < 8:
            return x.with_(shape=(Unknown("input rank"),) * (known[0] + 1)) if known[0] == 1 else open_rank(x, "rank")
        return open_rank(x, "rank of what is flattened")
    first, last = axis_of(start, len(x.shape), x), axis_of(end, len(x.shape), x)
    for bad in (first, last):
        if not isinstance(bad, int):
            return bad if isinstance(bad, Mismatch) else open_rank(x, bad.why)
    assert isinstance(first, int) and isinstance(last, int)
    if first > last:
        return Unknown("flatten() of no axes")
    shape = x.shape or (1,)
    return x.with_(shape=(*shape[:first], product(shape[first:last + 1]), *shape[last + 1:]))


def unflattened(x: Tensor, dim: Any, sizes: Any) -> Outcome:
    """One axis as several, one of which may be -1."""
    asked = extents(sizes)
    if isinstance(x.shape, Unknown) or isinstance(asked, Unknown):
        return open_rank(x, "sizes")
    place = axis_of(dim, len(x.shape), x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else open_rank(x, place.why)
    if not x.shape:
        return Unknown("unflatten of a scalar")
    part = reshaped(x.with_(shape=(x.shape[place],)), list(asked), "unflatten")
    if isinstance(part, Mismatch) and part.problem is Problem.RESHAPE:
        return replace(part, error=f'RuntimeError "unflatten: Provided sizes {list(asked)} don\'t multiply up to the '
                                   f'size of dim {place} ({x.shape[place]})"')
    if not isinstance(part, Tensor) or isinstance(part.shape, Unknown):
        return part
    return x.with_(shape=(*x.shape[:place], *part.shape, *x.shape[place + 1:]))


@function("torch.Tensor.view")
def view(input: Any, shape: Any) -> Outcome:
    made = reshaped(input, shape, "reshape")
    apart = refuse_view(input, shape) if isinstance(input, Tensor) and isinstance(made, Tensor) else None
    return apart or made


@function("torch.Tensor.reshape", "torch.reshape")
def reshape_(input: Any, shape: Any) -> Outcome:
    return reshaped(input, shape, "reshape")


@function("torch.flatten")
def flatten(input: Any, start_dim: Any = 0, end_dim: Any = -1) -> Outcome:
    x = tensor(input)
    return flattened(x, start_dim, end_dim) if isinstance(x, Tensor) else flattened(
        Tensor(x, Unknown("dtype"), "torch"), start_dim, end_dim)


@function("torch.ravel")
def ravel(input: Any) -> Outcome:
    x = tensor(input)
    return flattened(x) if isinstance(x, Tensor) else x


@function("torch.unflatten")
def unflatten(input: Any, dim: Any, sizes: Any) -> Outcome:
    x = tensor(input)
    return unflattened(x, dim, sizes) if isinstance(x, Tensor) else x


@function("torch.squeeze")
def squeeze(input: Any, dim: Any = None) -> Outcome:
    """Axes of extent 1 go; an axis of any other extent stays (aten/src/ATen/native/TensorShape.cpp: squeeze)."""
    x = tensor(input)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    if dim is None:
        if not all(isinstance(extent, int) for extent in x.shape):
            return open_rank(x, "squeeze of open extents")
        return x.with_(shape=tuple(extent for extent in x.shape if extent != 1))
    axes = axes_of(dim, x)
    if not isinstance(axes, tuple):
        return axes if isinstance(axes, Mismatch) else open_rank(x, axes.why)
    if not x.shape:
        return x
    if not all(isinstance(x.shape[axis], int) for axis in axes):
        return open_rank(x, "squeeze of an open extent")
    return x.with_(shape=tuple(extent for at, extent in enumerate(x.shape) if at not in axes or extent != 1))


@function("torch.unsqueeze")
def unsqueeze(input: Any, dim: Any) -> Outcome:
    x = tensor(input)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    place = axis_of(dim, len(x.shape) + 1, x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else open_rank(x, place.why)
    return x.with_(shape=(*x.shape[:place], 1, *x.shape[place:]))


@function("torch.permute")
def permute(input: Any, dims: Any) -> Outcome:
    x = tensor(input)
    if isinstance(x, Unknown):
        return x
    order = numbers(dims)
    if isinstance(x.shape, Unknown):
        return x.with_(shape=(Unknown("input rank"),) * len(order)) if isinstance(order, tuple) else x
    if isinstance(order, Unknown):
        return open_rank(x, order.why)
    if len(order) != len(x.shape):
        return Mismatch(Problem.RANK, f"permute of {len(order)} axes, its input has {len(x.shape)}: {x}",
                        error='RuntimeError "number of dimensions in the tensor input does not match the '
                              f'length of the desired ordering of dimensions i.e. input.dim() = {len(x.shape)} is not '
                              f'equal to len(dims) = {len(order)}"',
                        facts=(("expected", len(order)), ("actual", len(x.shape))))
    axes = axes_of(order, x)
    if not isinstance(axes, tuple):
        return axes if isinstance(axes, Mismatch) else open_rank(x, axes.why)
    if len(set(axes)) != len(axes):
        return Mismatch(Problem.AXIS, f"permute names an axis twice: {list(order)}", argument="dims",
                        error='RuntimeError "permute(): duplicate dims are not allowed."')
    return x.with_(shape=tuple(x.shape[axis] for axis in axes))


@function("torch.transpose", "torch.swapaxes", "torch.swapdims")
def transpose(input: Any, dim0: Any, dim1: Any) -> Outcome:
    x = tensor(input)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    axes = axes_of((dim0, dim1), x)
    if not isinstance(axes, tuple):
        return axes if isinstance(axes, Mismatch) else x.with_(shape=(axes,) * len(x.shape))
    if not x.shape:
        return x
    shape = list(x.shape)
    shape[axes[0]], shape[axes[1]] = shape[axes[1]], shape[axes[0]]
    return x.with_(shape=tuple(shape))


@function("torch.movedim", "torch.moveaxis")
def movedim(input: Any, source: Any, destination: Any) -> Outcome:
    x = tensor(input)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    old, new = axes_of(source, x), axes_of(destination, x)
    for bad in (old, new):
        if not isinstance(bad, tuple):
            return bad if isinstance(bad, Mismatch) else x.with_(shape=(bad,) * len(x.shape))
    assert isinstance(old, tuple) and isinstance(new, tuple)
    if len(old) != len(new) or len(set(old)) != len(old) or len(set(new)) != len(new) or not x.shape:
        return Unknown("movedim")
    rest = iter(axis for axis in range(len(x.shape)) if axis not in old)
    places = dict(zip(new, old, strict=True))
    return x.with_(shape=tuple(x.shape[places[at] if at in places else next(rest)] for at in range(len(x.shape))))


@function("torch.t")
def t(input: Any) -> Outcome:
    x = tensor(input)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    if len(x.shape) > 2:
        return Mismatch(Problem.RANK, f"t() takes at most 2 axes, its input has {len(x.shape)}: {x}",
                        error=f'RuntimeError "t() expects a tensor with <= 2 dimensions, but self is {len(x.shape)}D"',
                        facts=(("expected", 2), ("actual", len(x.shape))))
    return x.with_(shape=x.shape[::-1])


@function("torch.Tensor.expand", "torch.broadcast_to")
def expand(input: Any, size: Any) -> Outcome:
    """-1 keeps the extent; only extents of 1 grow (aten/src/ATen/ExpandUtils.cpp)."""
    x, asked = tensor(input), extents(size)
    if isinstance(x, Unknown) or isinstance(asked, Unknown):
        return x if isinstance(x, Unknown) else open_rank(x, "size")
    if isinstance(x.shape, Unknown):
        return x.with_(shape=tuple(Unknown("kept") if dim == -1 else dim for dim in asked))
    lead = len(asked) - len(x.shape)
    if lead < 0:
        return Unknown("expand() to fewer axes")
    made: list[Dim] = []
    for at, want in enumerate(asked):
        have: Dim = x.shape[at - lead] if at >= lead else 1
        if want == -1:
            made.append(have if at >= lead else Unknown("-1 for a new axis"))
        elif have in (1, want) or may_equal(have, want) is not False:
            made.append(want)
        else:
            return Mismatch(Problem.BROADCAST, f"expand: extent {have} cannot become {want}: {x}", facts=(),
                            error=f'RuntimeError "The expanded size of the tensor ({want}) must match the existing '
                                  f'size ({have}) at non-singleton dimension {at}"')
    return x.with_(shape=tuple(Unknown("a negative extent") if isinstance(dim, int) and dim < 0 else dim
                               for dim in made))


@function("torch.Tensor.repeat")
def repeat(input: Any, repeats: Any) -> Outcome:
    x, times = tensor(input), extents(repeats)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or isinstance(times, Unknown):
        return x if isinstance(x, Unknown) else open_rank(x, "repeat")
    if len(times) < len(x.shape):
        return Mismatch(Problem.RANK, f"repeat by {len(times)} numbers, its input has {len(x.shape)} axes: {x}",
                        help="one number for each axis, 1 where it stays as it is",
                        error='RuntimeError "Number of dimensions of repeat dims can not be smaller than number of '
                              'dimensions of tensor"', facts=(("expected", len(x.shape)), ("actual", len(times))))
    full: tuple[Dim, ...] = (1,) * (len(times) - len(x.shape)) + x.shape
    return x.with_(shape=tuple(lift(lambda n, k: max(n * k, 0), n, k) for n, k in zip(full, times, strict=True)))


@function("torch.tile")
def tile(input: Any, dims: Any) -> Outcome:
    """Axes that are not named stay as they are (aten/src/ATen/native/TensorShape.cpp: tile_symint)."""
    x, times = tensor(input), extents(dims)
    if isinstance(x, Tensor) and isinstance(x.shape, tuple) and isinstance(times, tuple):
        times = (1,) * (len(x.shape) - len(times)) + times
    return repeat(input, times)

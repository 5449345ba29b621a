"""Parts of tensors of PyTorch picked by indices: gather, index_select, narrow, select, unfold, repeat_interleave."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.functions._core import flag, number
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch._core import dtype_of
from cudnnlint.ops.torch.creation import made
from cudnnlint.ops.torch.shapes import axis_of
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.tensor import is_integer


def _placed(x: Any, dim: Any) -> int | Unknown | Mismatch:
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown) or not x.shape:
        return Unknown("an unknown tensor")
    return axis_of(dim, len(x.shape), x)


def _with_extent(x: Any, dim: Any, extent: Dim) -> Outcome:
    place = _placed(x, dim)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) or not isinstance(x, Tensor) else x.with_(shape=place)
    held = Unknown("a negative extent") if isinstance(extent, int) and extent < 0 else extent
    return x.with_(shape=(*x.shape[:place], held, *x.shape[place + 1:]))


def _of_other_rank(name: str, input: Any, dim: Any, index: Any, beside: str) -> Mismatch | None:
    """Input and indices have as many axes, a scalar one; no indices at all are taken in any shape.

    aten/src/ATen/native/ScatterGatherChecks.h: gather_shape_check, scatter_shape_check
    """
    if not isinstance(input, Tensor) or not isinstance(index, Tensor) or input.rank is None \
            or not isinstance(index.shape, tuple) or 0 in index.shape or max(input.rank, 1) == max(len(index.shape), 1):
        return None
    axis = number(dim)
    lacking = isinstance(axis, int) and len(index.shape) == input.rank - 1
    return Mismatch(Problem.RANK, f"{name} needs an index of {max(input.rank, 1)} axes: {index} for {input}",
                    help=_lacking(input.shape, index.shape, axis) if lacking else "",
                    error=f'RuntimeError "Index tensor must have the same number of dimensions as {beside} tensor"',
                    facts=(("expected", max(input.rank, 1)), ("actual", len(index.shape))))


def _lacking(shape: Any, index: Any, axis: int) -> str:
    """Where the axis goes that indices lack, so that they fit: along `axis`, or along another one.

    >>> _lacking((16, 3), (16,), 1), _lacking((8, 9, 4), (8, 9), 1)
    ('index.unsqueeze(1)', 'along axis 2, with index.unsqueeze(2)')
    """
    rank = len(shape) if isinstance(shape, tuple) else 0
    for place in (axis % rank, *range(rank)) if rank else ():
        rest = (*shape[:place], *shape[place + 1:])
        if all(not isinstance(a, int) or not isinstance(b, int) or a <= b for a, b in zip(index, rest, strict=True)):
            return f"index.unsqueeze({axis})" if place == axis % rank else \
                f"along axis {place}, with index.unsqueeze({place})"
    return f"index.unsqueeze({axis})"


@function("torch.gather")
def gather(input: Any, dim: Any, index: Any, sparse_grad: Any = False, out: Any = None) -> Outcome:
    """aten/src/ATen/native/TensorAdvancedIndexing.cpp: gather; indices are int64, later also int32."""
    if not isinstance(input, Tensor) or not isinstance(index, Tensor):
        return Unknown("gather()")
    if isinstance(index.dtype, str) and index.dtype not in ("int64", "int32"):
        return Mismatch(Problem.DTYPE, f"gather by an index of dtype {index.dtype}: {index}", help="index.long()",
                        error='RuntimeError "gather(): Expected dtype int64 for index"',
                        facts=(("dtype", index.dtype),))
    return _of_other_rank("gather", input, dim, index, "input") or input.with_(shape=index.shape)


@function("torch.index_select")
def index_select(input: Any, dim: Any, index: Any, out: Any = None) -> Outcome:
    count = index.shape[0] if isinstance(index, Tensor) and isinstance(index.shape, tuple) and len(index.shape) == 1 \
        else Unknown("indices")
    return _with_extent(input, dim, count)


@function("torch.narrow")
def narrow(input: Any, dim: Any, start: Any, length: Any) -> Outcome:
    return _with_extent(input, dim, number(length))


@function("torch.select")
def select(input: Any, dim: Any, index: Any) -> Outcome:
    place = _placed(input, dim)
    if not isinstance(place, int):
        return place
    return input.with_(shape=(*input.shape[:place], *input.shape[place + 1:]))


@function("torch.Tensor.unfold")
def unfold(input: Any, dimension: Any, size: Any, step: Any) -> Outcome:
    """One axis as (places, size) with `size` last (aten/src/ATen/native/TensorShape.cpp: unfold)."""
    place = _placed(input, dimension)
    if not isinstance(place, int):
        return place
    width, by = number(size), number(step)
    if isinstance(by, int) and by <= 0:
        return Unknown("step")
    places = lift(lambda n, k, s: (n - k) // s + 1, input.shape[place], width, by)
    if isinstance(places, int) and places < 1:
        extent = input.shape[place]
        return Mismatch(Problem.INVALID_ARGUMENT, f"unfold() in windows of {width} along axis {place} of {input}, "
                        f"whose extent there is {extent}", argument="size", error='RuntimeError "maximum size for '
                        f'tensor at dimension {place} is {extent} but size is {width}"')
    return input.with_(shape=(*input.shape[:place], places, *input.shape[place + 1:],
                              Unknown("size") if isinstance(width, int) and width < 0 else width))


@function("torch.repeat_interleave")
def repeat_interleave(input: Any = None, repeats: Any = None, dim: Any = None, output_size: Any = None) -> Outcome:
    if repeats is None:  # the indices, each as often as the one tensor says
        return Unknown("repeat_interleave() of counts")
    times = number(repeats) if not isinstance(repeats, (list, tuple)) else Unknown("repeats")
    if dim is None or not isinstance(input, Tensor) or isinstance(input.shape, Unknown):
        return Unknown("repeat_interleave()")
    place = _placed(input, dim)
    if not isinstance(place, int):
        return place
    return _with_extent(input, dim, lift(lambda n, k: n * k, input.shape[place], times))


@function("torch.index_fill", "torch.index_add", "torch.index_copy")
def changed_at(input: Any, dim: Any, index: Any, src: Any = None, value: Any = None, reduce: Any = None,
               alpha: Any = 1) -> Outcome:
    return input.with_() if isinstance(input, Tensor) else Unknown("input")


@function("torch.scatter", "torch.scatter_add")
def scatter(input: Any, dim: Any, index: Any, src: Any = None, value: Any = None, reduce: Any = None,
            alpha: Any = 1) -> Outcome:
    return _of_other_rank("scatter", input, dim, index, "self") or changed_at(input, dim, index)


COUNT = "how many elements the data pick"


@function("torch.masked_select")
def masked_select(input: Any, mask: Any, *, out: Any = None) -> Outcome:
    """As many as the data say, in one row (aten/src/ATen/native/TensorAdvancedIndexing.cpp: masked_select)."""
    x = as_tensor(input, "torch")
    return x.with_(shape=(Unknown(COUNT),)) if isinstance(x, Tensor) else x


@function("torch.nonzero", "torch.Tensor.nonzero")
def nonzero(input: Any, *, as_tuple: Any = False, out: Any = None) -> Outcome:
    """A row of indices for each, or a tensor for each axis (torch/_torch_docs.py: nonzero)."""
    x, apart = as_tensor(input, "torch"), flag(as_tuple)
    if not isinstance(x, Tensor) or x.rank is None or apart is None:
        return Unknown(COUNT)
    found = Unknown(COUNT)
    return (x.with_(shape=(found,), dtype="int64"),) * max(x.rank, 1) if apart else \
        x.with_(shape=(found, x.rank), dtype="int64")


@function("torch.unique")
def unique(input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False,
           dim: Any = None) -> Outcome:
    """The values, the place of each element among them, and how often each is there (torch/functional.py)."""
    x, wanted = as_tensor(input, "torch"), [flag(one) for one in (return_inverse, return_counts)]
    if not isinstance(x, Tensor) or None in wanted:
        return Unknown(COUNT)
    count = Unknown(COUNT)
    if dim is None:
        values, placed = x.with_(shape=(count,)), x.shape
    else:
        axis = _placed(x, dim)
        if not isinstance(axis, int) or isinstance(x.shape, Unknown):
            return Unknown(COUNT) if isinstance(axis, int) else axis
        values, placed = x.with_(shape=(*x.shape[:axis], count, *x.shape[axis + 1:])), (x.shape[axis],)
    more = (x.with_(shape=placed, dtype="int64"), x.with_(shape=(count,), dtype="int64"))
    found = (values, *(each for each, asked in zip(more, wanted, strict=True) if asked))
    return found if any(wanted) else values


@function("torch.diag")
def diag(input: Any, diagonal: Any = 0) -> Outcome:
    """A vector on a diagonal, or the diagonal of a matrix (aten/src/ATen/native/TensorShape.cpp: diag)."""
    if not isinstance(input, Tensor) or isinstance(input.shape, Unknown):
        return Unknown("a diagonal")
    if len(input.shape) not in (1, 2):
        return Mismatch(Problem.RANK, f"diag() takes 1 or 2 axes, its input has {len(input.shape)}: {input}",
                        help="torch.diagonal() or torch.diag_embed(), which take more",
                        error=f'RuntimeError "diag(): Supports 1D or 2D tensors. Got {len(input.shape)}D"',
                        facts=(("expected", 2), ("actual", len(input.shape))))
    if len(input.shape) == 1:
        return diag_embed(input, diagonal)
    return diagonal_of(input, 0, 1, diagonal)


@function("torch.diag_embed")
def diag_embed(input: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Outcome:
    """The last axis on the diagonals of matrices (aten/src/ATen/native/TensorShape.cpp: diag_embed)."""
    if not isinstance(input, Tensor) or isinstance(input.shape, Unknown) or not input.shape or (dim1, dim2) != (-2, -1):
        return Unknown("a diagonal")
    side = lift(lambda n, by: n + abs(by), input.shape[-1], number(offset))
    return input.with_(shape=(*input.shape[:-1], side, side))


@function("torch.trace")
def trace(input: Any) -> Outcome:
    return Unknown("a trace") if not isinstance(input, Tensor) else input.with_(
        shape=(), dtype="int64" if is_integer(input.dtype) is True else input.dtype)


@function("torch.diagonal")
def diagonal(input: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Outcome:
    """Two axes go, and one of what they share comes last (aten/src/ATen/native/TensorShape.cpp: diagonal)."""
    first, second = _placed(input, dim1), _placed(input, dim2)
    if not isinstance(first, int) or not isinstance(second, int) or first == second:
        return next((one for one in (first, second) if isinstance(one, Mismatch)), Unknown("a diagonal"))
    return diagonal_of(input, first, second, offset)


def diagonal_of(input: Tensor, first: int, second: int, offset: Any) -> Outcome:
    shape = input.shape
    if isinstance(shape, Unknown):
        return Unknown("a diagonal")
    shared = lift(lambda rows, columns, by: max(min(rows + min(by, 0), columns - max(by, 0)), 0), shape[first],
                  shape[second], number(offset))
    return input.with_(shape=(*(dim for at, dim in enumerate(shape) if at not in (first, second)), shared))


@function("torch.bucketize")
def bucketize(input: Any, boundaries: Any, *, out_int32: Any = False, right: Any = False, out: Any = None) -> Outcome:
    """The place of each number among boundaries (aten/src/ATen/native/Bucketization.cpp)."""
    if not isinstance(input, Tensor):
        return Unknown("bucketize()")
    narrow = flag(out_int32)
    return input.with_(dtype=Unknown("out_int32") if narrow is None else "int32" if narrow else "int64")


@function("torch.searchsorted")
def searchsorted(sorted_sequence: Any, input: Any, *, out_int32: Any = False, right: Any = False, side: Any = None,
                 sorter: Any = None, out: Any = None) -> Outcome:
    return bucketize(input, sorted_sequence, out_int32=out_int32)


@function("torch.Tensor.new_full")
def new_full(input: Any, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
             requires_grad: Any = False) -> Outcome:
    return made(size, dtype, input.dtype if isinstance(input, Tensor) else Unknown("dtype"))


@function("torch.Tensor.new_tensor")
def new_tensor(input: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Outcome:
    x = as_tensor(data, "torch")
    return x.with_(dtype=dtype_of(dtype, x.dtype), kind="torch") if isinstance(x, Tensor) else x

"""Einstein sums and keras.backend.batch_dot: products whose axes the caller names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal, meet
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import filled, find_axis, given, is_list, number, numbers, rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, promote_keras, promote_numpy
from cudnnlint.ops.functions.matmul import inner_problem
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Tensor, Unknown
from cudnnlint.values.mismatch import LATE


def einsum(equation: Any, operands: Sequence[Any], library: Library, name: str) -> Outcome:
    """
    >>> print(einsum("bqd,bkd->bqk", (Tensor((2, 5, 8), "float32"), Tensor((2, 7, 8), "float32")), "tf", "tf.einsum"))
    float32[2, 5, 7]
    """
    if not isinstance(equation, str):
        return Unknown("einsum equation")
    tensors = [as_tensor(operand, library) for operand in operands]
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        return Unknown("einsum operands")
    dtype = _dtype([t for t in tensors if isinstance(t, Tensor)], len(tensors), library)
    if not all(isinstance(t, Tensor) for t in tensors):
        return Tensor(Unknown("einsum of an unknown value"), dtype)
    if library == "torch" and (wrong := _twice(right)):
        return wrong
    sizes: dict[str, Dim] = {}
    batch: Shape | Unknown = ()
    known = [t for t in tensors if isinstance(t, Tensor)]
    for term, tensor in zip(terms, known, strict=True):
        found = _assign(term, tensor, sizes, name)
        if isinstance(found, Mismatch):
            return found
        joined = broadcast(batch, found)
        batch = Unknown("einsum ellipsis") if joined is None else joined
    result = right if arrow else _implicit(left)
    kind = "keras" if any(t.kind == "keras" for t in known) else known[0].kind
    return Tensor(_result(result, sizes, batch), dtype, kind)


def _twice(right: str) -> Mismatch | None:
    """A letter that the output names twice (aten/src/ATen/native/Linear.cpp: einsum)."""
    letter = next((one for one in right.replace(".", "") if right.count(one) > 1), "")
    return Mismatch(Problem.INVALID_ARGUMENT, f"einsum: {letter!r} stands twice in the output {right!r}",
                    argument="equation", help="another letter for each axis of the output",
                    error=f'RuntimeError "einsum(): output subscript {letter} appears more than once in the output"') \
        if letter else None


def _dtype(tensors: Sequence[Tensor], count: int, library: Library) -> DType:
    if len(tensors) != count or not tensors:
        return Unknown("einsum of an unknown value")
    dtypes = [tensor.dtype for tensor in tensors]
    if library == "numpy":
        return promote_numpy(*dtypes)
    if library == "keras":
        return promote_keras(*dtypes)
    return dtypes[0] if all(dtype == dtypes[0] for dtype in dtypes) else Unknown("mixed dtypes")


def _implicit(left: str) -> str:
    """Without an arrow: letters that occur once, in alphabetical order, after the ellipsis."""
    letters = left.replace("...", "").replace(",", "")
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    return ("..." if "..." in left else "") + "".join(once)


def _when(name: str, x: Tensor) -> tuple[tuple[str, str], ...]:
    """keras/src/ops/numpy.py: Einsum.compute_output_spec looks at one operand for each letter."""
    return LATE if x.kind == "keras" and name.startswith("keras.ops.") else ()


def _unlike(name: str) -> str:
    if name.startswith("np."):
        return 'ValueError "operands could not be broadcast together"'
    return 'InvalidArgumentError "Expected dimension" or ValueError'


def _assign(term: str, tensor: Tensor, sizes: dict[str, Dim], name: str) -> Shape | Unknown | Mismatch:
    """Note the extents that `term` gives to its letters; what the ellipsis stands for is returned."""
    head, dots, tail = term.partition("...")
    if isinstance(tensor.shape, Unknown):
        for letter in head + tail:
            sizes.setdefault(letter, Unknown("rank"))
        return Unknown("rank") if dots else ()
    count = len(head) + len(tail)
    if len(tensor.shape) < count or (not dots and len(tensor.shape) != count):
        return rank_problem(tensor, (count,), f"{name} term '{term}'") or Unknown("rank")
    middle = tensor.shape[len(head): len(tensor.shape) - len(tail)]
    dims = (*tensor.shape[: len(head)], *tensor.shape[len(tensor.shape) - len(tail):])
    for letter, dim in zip(head + tail, dims, strict=True):
        other = sizes.get(letter, dim)
        if not may_equal(other, dim) and 1 not in (other, dim):
            return Mismatch(Problem.CHANNELS, f"{name}: axis '{letter}' is {other} in one operand and {dim} in another",
                            error=_unlike(name), facts=(("expected", other), ("actual", dim), *_when(name, tensor)))
        sizes[letter] = meet(other, dim) if may_equal(other, dim) else (dim if other == 1 else other)
    return middle


def _result(term: str, sizes: dict[str, Dim], batch: Shape | Unknown) -> Shape | Unknown:
    head, dots, tail = term.partition("...")
    if dots and isinstance(batch, Unknown):
        return batch
    middle = batch if dots and isinstance(batch, tuple) else ()
    unknown: Dim = Unknown("einsum letter")
    return (*(sizes.get(letter, unknown) for letter in head), *middle, *(sizes.get(letter, unknown) for letter in tail))


@function("tensorflow.einsum", "tensorflow.linalg.einsum")
def tf_einsum(equation: Any, a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None, *more: Any,
              **kwargs: Any) -> Outcome:
    return einsum(equation, given(a, b, c, d, e), "tf", "tf.einsum")


@function("numpy.einsum")
def np_einsum(subscripts: Any, a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None, *more: Any,
              out: Any = None, optimize: Any = False, **kwargs: Any) -> Outcome:
    return filled(out, einsum(subscripts, given(a, b, c, d, e), "numpy", "np.einsum"))


@function(*paths.ops("einsum"))
def keras_einsum(subscripts: Any, a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None,
                 *more: Any, **kwargs: Any) -> Outcome:
    return einsum(subscripts, given(a, b, c, d, e), "keras", "keras.ops.einsum")


@function("keras.backend.batch_dot")
def batch_dot(x: Any, y: Any, axes: Any = None) -> Outcome:
    """(B, .., k, ..) x (B, .., k, ..) -> (B, rest of x, rest of y), at least 2 axes (keras/src/legacy/backend.py)."""
    a, b = as_tensor(x, "keras"), as_tensor(y, "keras")
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.rank is None or b.rank is None:
        return Unknown("batch_dot")
    for tensor in (a, b):
        if tensor.rank is not None and tensor.rank < 2:
            return rank_problem(tensor, (2, 3, 4), "batch_dot")
    if axes is None:
        pair: Any = (a.rank - 1, b.rank - 1 if b.rank == 2 else b.rank - 2)
    else:
        pair = numbers(axes) if is_list(axes) else (number(axes), number(axes))
    if isinstance(pair, Unknown) or len(pair) != 2:
        return a.with_(shape=Unknown("axes"))
    i, j = find_axis(pair[0], a.rank, "batch_dot", a), find_axis(pair[1], b.rank, "batch_dot", b)
    if not isinstance(i, int) or not isinstance(j, int):
        return next((one for one in (i, j) if isinstance(one, Mismatch)), Unknown("axes"))
    if i == 0 or j == 0 or isinstance(a.shape, Unknown) or isinstance(b.shape, Unknown):
        return Unknown("batch_dot over the batch axis")
    if not may_equal(a.shape[0], b.shape[0]):
        return Mismatch(Problem.MERGE, f"batch_dot of batches of {a.shape[0]} and {b.shape[0]}",
                        error='ValueError "Cannot do batch_dot on inputs with different batch sizes"',
                        facts=(("shapes", (a.shape, b.shape)),))
    if not may_equal(a.shape[i], b.shape[j]):
        return inner_problem("batch_dot", a.shape[i], b.shape[j], a.shape, b.shape)
    rest = (*(d for n, d in enumerate(a.shape) if n != i), *(d for n, d in enumerate(b.shape) if n not in (0, j)))
    return a.with_(shape=rest if len(rest) > 1 else (*rest, 1), dtype=promote_keras(a.dtype, b.dtype))

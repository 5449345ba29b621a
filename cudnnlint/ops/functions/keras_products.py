"""keras.ops.numpy: products, correlations, diagonals, and elements counted or chosen."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast, lift, may_equal
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axis, flag, number, numbers, rank_problem, set_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype, promote_keras
from cudnnlint.ops.functions.elementwise import binary
from cudnnlint.ops.functions.keras_maths import common, widened
from cudnnlint.ops.functions.matmul import contract, inner_problem
from cudnnlint.ops.functions.matrices import diagonal
from cudnnlint.ops.functions.numpy_signal import span
from cudnnlint.ops.functions.reduce import summed
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Tensor, Unknown
from cudnnlint.values.dim import product

COUNT = "how many different elements there are"


def shaped(*values: Any) -> tuple[tuple[Tensor, Shape], ...] | Unknown:
    """Tensors of known rank with their shapes."""
    found = []
    for value in values:
        x = as_tensor(value, "keras")
        if not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
            return x if isinstance(x, Unknown) else Unknown("rank")
        found.append((x, x.shape))
    return tuple(found)


def symbolic(*tensors: Tensor) -> bool:
    return any(tensor.kind == "keras" for tensor in tensors)


@function(*paths.ops("inner"))
def inner(x1: Any, x2: Any) -> Outcome:
    """
    >>> print(inner(Tensor((2, 3), "float32"), Tensor((4, 3), "float32")))
    float32[2, 4]
    """
    found = shaped(x1, x2)
    if isinstance(found, Unknown):
        return found
    (_, left), (_, right) = found
    if not left or not right:
        return binary("*", x1, x2, "keras", "keras.ops.inner")
    made = contract(x1, x2, "keras", "keras.ops.inner", (len(left) - 1,), (len(right) - 1,))
    return made.with_(dtype=common(x1, x2)) if isinstance(made, Tensor) else made


@function(*paths.ops("vdot"))
def vdot(x1: Any, x2: Any) -> Outcome:
    """Both flattened, of one size."""
    found = shaped(x1, x2)
    if isinstance(found, Unknown):
        return Tensor((), common(x1, x2))
    (a, left), (_, right) = found
    if not may_equal(product(left), product(right)):
        return inner_problem("keras.ops.vdot", product(left), product(right), left, right)
    return a.with_(shape=(), dtype=common(x1, x2))


@function(*paths.ops("kron"))
def kron(x1: Any, x2: Any) -> Outcome:
    """Extents multiply, axis by axis from the last; of symbolic tensors Keras tells it from the first."""
    found = shaped(x1, x2)
    if isinstance(found, Unknown):
        return found
    (a, left), (b, right) = found
    if len(left) != len(right) and symbolic(a, b):
        return Unknown("kron of different ranks")
    width = max(len(left), len(right))
    left, right = ((1,) * (width - len(shape)) + shape for shape in (left, right))
    return a.with_(shape=tuple(lift(lambda m, n: m * n, m, n) for m, n in zip(left, right, strict=True)),
                   dtype=common(x1, x2))


@function(*paths.ops("cross"))
def cross(x1: Any, x2: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Outcome:
    """Vectors of 3, or of 2 which have a scalar as product, along the last axis."""
    found = shaped(x1, x2)
    if isinstance(found, Unknown) or (axisa, axisb, axisc, axis) != (-1, -1, -1, None):
        return Unknown("keras.ops.cross")
    (a, left), (b, right) = found
    if not left or not right:
        return Unknown("keras.ops.cross")
    for size in (left[-1], right[-1]):
        if isinstance(size, int) and size not in (2, 3):
            if not symbolic(a, b):
                return Unknown("keras.ops.cross")
            return Mismatch(Problem.INVALID_ARGUMENT, f"keras.ops.cross: vectors of {size}, not of 2 or 3",
                            error="ValueError \"'s dim on `axis=-1` must be either 2 or 3\"",
                            facts=(("shapes", (left, right)),))
    rest = broadcast(left[:-1], right[:-1])
    known = all(isinstance(size, int) for size in (left[-1], right[-1]))
    if not known or not isinstance(rest, tuple):
        return Unknown("keras.ops.cross")
    return a.with_(shape=(*rest, 3) if 3 in (left[-1], right[-1]) else rest, dtype=common(x1, x2))


@function(*paths.ops("correlate"))
def correlate(x1: Any, x2: Any, mode: Any = "valid") -> Outcome:
    """(m,) and (n,); the result is a float (keras/src/ops/numpy.py: Correlate)."""
    found = shaped(x1, x2)
    if isinstance(found, Unknown):
        return found
    (a, left), (b, right) = found
    for x in (a, b):
        if wrong := rank_problem(x, (1,), "keras.ops.correlate"):
            return wrong
    dtype = common(x1, x2)
    narrow = dtype in ("bfloat16", "float16", "float64")
    wide: DType = dtype if narrow or isinstance(dtype, Unknown) else "float64" if dtype == "int64" else "float32"
    return a.with_(shape=(span(mode, left[0], right[0]),), dtype=wide)


@function(*paths.ops("corrcoef"))
def corrcoef(x: Any) -> Outcome:
    """(variables, observations) -> (variables, variables); Keras tells of symbolic tensors the shape that x has."""
    held = as_tensor(x, "keras")
    if not isinstance(held, Tensor) or held.rank != 2 or not isinstance(held.shape, tuple) or symbolic(held):
        return Unknown("corrcoef")
    return held.with_(shape=(held.shape[0], held.shape[0]), dtype=widened(held.dtype))


def diagonal_length(rows: Dim, columns: Dim, offset: Any) -> Dim:
    """
    >>> diagonal_length(3, 4, 0), diagonal_length(3, 4, 2), diagonal_length(3, 4, -1), diagonal_length(3, 3, 5)
    (3, 2, 2, 0)
    """
    k = number(offset)
    if not isinstance(k, int):
        return Unknown("offset")
    return lift(lambda m, n: max(0, min(m + min(k, 0), n - max(k, 0))), rows, columns)


def diagonal_of(value: Any, offset: Any, axis1: Any, axis2: Any, name: str) -> Outcome:
    """The two axes are gone, and their diagonal comes last."""
    found = shaped(value)
    if isinstance(found, Unknown):
        return found
    ((x, shape),) = found
    if wrong := rank_problem(x, (2, 3, 4), name):
        return wrong if len(shape) < 2 else Unknown("rank")
    places = [find_axis(axis, len(shape), name, x) for axis in (axis1, axis2)]
    if not all(isinstance(place, int) for place in places):
        return next((one for one in places if isinstance(one, Mismatch)), Unknown("axis"))
    first, second = (place for place in places if isinstance(place, int))
    rest = tuple(dim for i, dim in enumerate(shape) if i not in (first, second))
    return x.with_(shape=(*rest, diagonal_length(shape[first], shape[second], offset)))


@function(*paths.ops("diagonal"))
def keras_diagonal(x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Outcome:
    return diagonal_of(x, offset, axis1, axis2, "keras.ops.diagonal")


@function(*paths.ops("trace"))
def trace(x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Outcome:
    made = diagonal_of(x, offset, axis1, axis2, "keras.ops.trace")
    if not isinstance(made, Tensor) or not isinstance(made.shape, tuple):
        return made
    return made.with_(shape=made.shape[:-1], dtype=summed(made.dtype, "keras"))


@function(*paths.ops("diagflat"))
def diagflat(x: Any, k: Any = 0) -> Outcome:
    held = as_tensor(x, "keras")
    flat = reshape(held, (-1,), "keras", "keras.ops.diagflat") if isinstance(held, Tensor) else held
    return diagonal(flat.with_(content=None), k, "keras", "keras.ops.diagflat") if isinstance(flat, Tensor) else flat


@function(*paths.ops("bincount"))
def bincount(x: Any, weights: Any = None, minlength: Any = 0, sparse: Any = False) -> Outcome:
    """(n,) -> (m,), and (batch, n) -> (batch, m), where m depends on what is in x."""
    held = as_tensor(x, "keras")
    if not isinstance(held, Tensor) or not isinstance(held.shape, tuple) or sparse is not False:
        return Unknown("bincount")
    dtype: DType = "int32" if weights is None else Unknown("dtype of the weights")
    return held.with_(shape=(*held.shape[:-1], Unknown("the largest value")), dtype=dtype)


@function(*paths.ops("histogram"))
def histogram(x: Any, bins: Any = 10, range: Any = None) -> Outcome:
    """(counts, edges), of which there is one more; both of x's dtype (keras/src/ops/numpy.py: Histogram)."""
    held, count = as_tensor(x, "keras"), number(bins)
    if not isinstance(held, Tensor) or isinstance(bins, list | tuple):
        return Unknown("histogram")
    if wrong := rank_problem(held, (1,), "keras.ops.histogram", "x"):
        return wrong
    size: Dim = count if isinstance(count, int) and count > 0 else Unknown("bins")
    dtype: DType = Unknown("dtype of a histogram") if held.dtype == "bool" else held.dtype
    return (held.with_(shape=(size,), dtype=dtype),
            held.with_(shape=(lift(lambda n: n + 1, size),), dtype=dtype))


@function(*paths.ops("unique"))
def unique(x: Any, sorted: Any = True, return_index: Any = False, return_inverse: Any = False,
           return_counts: Any = False, axis: Any = None, size: Any = None, fill_value: Any = None) -> Outcome:
    """The elements, and what else is asked for (keras/src/ops/numpy.py: Unique)."""
    found, asked = shaped(x), [flag(one) for one in (return_index, return_inverse, return_counts)]
    if isinstance(found, Unknown) or None in asked:
        return Unknown("unique")
    ((held, shape),) = found
    many = number(size)
    count: Dim = many if isinstance(many, int) and many >= 0 else Unknown(COUNT)
    place = None if axis is None else find_axis(axis, len(shape), "keras.ops.unique", held)
    if isinstance(place, Mismatch | Unknown):
        return place
    made = held.with_(shape=(count,) if place is None else set_dim(shape, place, count))
    inverse = shape if place is None else (shape[place],)
    more = [held.with_(shape=one, dtype="int32") for one, wanted in
            zip(((count,), inverse, (count,)), asked, strict=True) if wanted]
    return (made, *more) if more else made


@function(*paths.ops("unravel_index"))
def unravel_index(indices: Any, shape: Any) -> Outcome:
    held, dims = as_tensor(indices, "keras"), numbers(shape)
    if not isinstance(held, Tensor) or isinstance(dims, Unknown) or not isinstance(indices, Tensor):
        return Unknown("unravel_index")
    if symbolic(held) and any(not isinstance(dim, int) for dim in dims):
        return Unknown("unravel_index")
    return tuple(held.with_() for _ in dims)


SIZES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4,
         "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16}
"""Bytes of an element."""


@function(*paths.ops("view"))
def view(x: Any, dtype: Any = None) -> Outcome:
    """The bytes of the last axis as another dtype (keras/src/ops/numpy.py: View)."""
    found = shaped(x)
    if isinstance(found, Unknown):
        return found
    ((held, shape),) = found
    new = as_dtype(dtype, held.dtype, "keras")
    before, after = SIZES.get(str(held.dtype)), SIZES.get(str(new))
    if before is None or after is None:
        return held.with_(shape=Unknown("dtype"), dtype=new)
    if before == after or not shape:
        return held.with_(shape=shape if shape or before == after else Unknown("view"), dtype=new)
    last = shape[-1]
    if isinstance(last, int) and last * before % after:
        return Mismatch(Problem.INVALID_ARGUMENT, f"keras.ops.view: {last * before} bytes of the last axis of {held} "
                        f"are no whole number of {new}", error='ValueError "the total number of bytes is not '
                        'divisible by the new itemsize"', argument="dtype", facts=(("shape", shape),))
    return held.with_(shape=(*shape[:-1], lift(lambda n: n * before // after, last)), dtype=new)


@function(*paths.ops("select"))
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Outcome:
    """Of one shape and dtype, all of them; otherwise symbolic and eager results differ."""
    if not isinstance(choicelist, list | tuple) or not isinstance(condlist, list | tuple) or not choicelist:
        return Unknown("select")
    found = shaped(*condlist, *choicelist)
    if isinstance(found, Unknown):
        return found
    shapes = {shape for _, shape in found}
    dtypes = {x.dtype for x, _ in found[len(condlist):]}
    if len(shapes) != 1 or len(dtypes) != 1:
        return Unknown("select of different shapes or dtypes")
    made = found[len(condlist)][0]
    whole = promote_keras(made.dtype, {int: "int", float: "float"}.get(type(default), made.dtype))
    return made.with_(dtype=made.dtype if whole == made.dtype != "bool" else Unknown("select"))

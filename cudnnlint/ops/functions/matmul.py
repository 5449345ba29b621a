"""Products that contract axes: matmul, dot, tensordot, batch_dot, outer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal, product
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import Axes, filled, find_axis, flag, is_list, number, numbers, rank_problem, shown
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.elementwise import binary, broadcast_problem, library_of, with_otherwise
from cudnnlint.ops.functions.promotion import common_dtype
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Tensor, Unknown


def matmul(a: Any, b: Any, library: Library | None = None, name: str = "matmul", *, transpose_a: Any = False,
           transpose_b: Any = False) -> Outcome:
    """(..., n, k) x (..., k, m) -> (..., n, m); numpy and Keras also take vectors.

    >>> print(matmul(Tensor((2, 3, 4), "float32"), Tensor((4, 5), "float32")))
    float32[2, 3, 5]
    >>> matmul(Tensor((2, 3), "float32"), Tensor((4, 5), "float32")).message
    'matmul: inner extents 3 and 4 differ: (2, 3) x (4, 5)'
    """
    library = library_of(a, b) if library is None else library
    x, y = as_tensor(a, library), as_tensor(b, library)
    if isinstance(x, Unknown):
        return x
    if isinstance(y, Unknown):
        return x.with_(shape=y)
    dtype = common_dtype("matmul", a, b, x, y, library, name)
    if isinstance(x.shape, Unknown) or isinstance(y.shape, Unknown):
        shape: Shape | Unknown | Mismatch = Unknown("rank")
    elif min(len(x.shape), len(y.shape)) < (2 if library == "tf" else 1):
        short, which = (x, "a") if len(x.shape) < 2 else (y, "b")
        wrong = rank_problem(short, (2, 3, 4), name, which)
        if wrong is not None and which == "b" and len(y.shape) == 1 and library == "tf":
            return replace(wrong, help="tf.linalg.matvec() multiplies a matrix by a vector, or b[:, tf.newaxis]")
        return wrong
    else:
        left, right = _turned(x.shape, transpose_a), _turned(y.shape, transpose_b)
        shape = _matrix_shape(x, y, left, right, name)
    if isinstance(shape, Mismatch):
        return shape
    return _typed(x, y, shape, dtype)


def _typed(x: Tensor, y: Tensor, shape: Shape | Unknown, dtype: DType | Mismatch) -> Outcome:
    kind = "keras" if "keras" in (x.kind, y.kind) else x.kind
    if isinstance(dtype, Mismatch):
        return with_otherwise(dtype, x.with_(shape=shape, dtype=Unknown("mixed dtypes"), kind=kind))
    return x.with_(shape=shape, dtype=dtype, kind=kind)


def _turned(shape: Shape, transpose: Any) -> Shape:
    turned = flag(transpose)
    if len(shape) < 2 or turned is False:
        return shape
    if turned is None:
        return (*shape[:-2], Unknown("transpose"), Unknown("transpose"))
    return (*shape[:-2], shape[-1], shape[-2])


def _matrix_shape(x: Tensor, y: Tensor, a: Shape, b: Shape, name: str) -> Shape | Unknown | Mismatch:
    left = a if len(a) > 1 else (1, *a)
    right = b if len(b) > 1 else (*b, 1)
    if not may_equal(left[-1], right[-2]):
        return inner_problem(name, left[-1], right[-2], a, b)
    batch = broadcast(left[:-2], right[:-2])
    if batch is None:
        return broadcast_problem(x.with_(shape=left[:-2]), y.with_(shape=right[:-2]), f"{name}: batch axes")
    if isinstance(batch, Unknown):
        return batch
    return (*batch, *((left[-2],) if len(a) > 1 else ()), *((right[-1],) if len(b) > 1 else ()))


def inner_problem(name: str, m: Dim, n: Dim, a: Shape, b: Shape) -> Mismatch:
    return Mismatch(Problem.CHANNELS, f"{name}: inner extents {m} and {n} differ: {shown(a)} x {shown(b)}",
                    error='InvalidArgumentError "Matrix size-incompatible" or ValueError',
                    facts=(("expected", n), ("actual", m)))


def contract(a: Any, b: Any, library: Library, name: str, left: Axes, right: Axes) -> Outcome:
    """Sum over the axes `left` of a against `right` of b; the remaining ones in order."""
    x, y = as_tensor(a, library), as_tensor(b, library)
    if isinstance(x, Unknown):
        return x
    if isinstance(y, Unknown):
        return x.with_(shape=y)
    dtype = common_dtype("matmul", a, b, x, y, library, name)
    if isinstance(x.shape, Unknown) or isinstance(y.shape, Unknown):
        return _typed(x, y, Unknown("rank"), dtype)
    for i, j in zip(left, right, strict=True):
        if not may_equal(x.shape[i], y.shape[j]):
            return inner_problem(name, x.shape[i], y.shape[j], x.shape, y.shape)
    rest = (*(dim for i, dim in enumerate(x.shape) if i not in left),
            *(dim for j, dim in enumerate(y.shape) if j not in right))
    return _typed(x, y, rest, dtype)


def dot(a: Any, b: Any, library: Library, name: str) -> Outcome:
    """numpy.dot: the last axis of a with the last but one of b; scalars multiply."""
    x, y = as_tensor(a, library), as_tensor(b, library)
    if not isinstance(x, Tensor) or not isinstance(y, Tensor) or x.rank is None or y.rank is None:
        return contract(a, b, library, name, (), ()) if isinstance(x, Tensor) and x.rank is None else Unknown("dot")
    if x.rank == 0 or y.rank == 0:
        return binary("*", x, y, library, name)
    return contract(a, b, library, name, (x.rank - 1,), (max(y.rank - 2, 0),))


def tensordot(a: Any, b: Any, axes: Any, library: Library, name: str) -> Outcome:
    x, y = as_tensor(a, library), as_tensor(b, library)
    if not isinstance(x, Tensor) or not isinstance(y, Tensor) or x.rank is None or y.rank is None:
        return x if isinstance(x, Unknown) else Unknown("tensordot")
    if is_list(axes) and isinstance(axes, (list, tuple)) and len(axes) == 2:
        pairs = [numbers(side) if is_list(side) else (number(side),) for side in axes]
    else:
        count = number(axes)
        if isinstance(count, Unknown) or not 0 <= count <= max(x.rank, y.rank):
            return Unknown("axes")
        pairs = [tuple(range(-count, 0)), tuple(range(count))]
    sides: list[Axes] = []
    for values, tensor in zip(pairs, (x, y), strict=True):
        if isinstance(values, Unknown):
            return x.with_(shape=values)
        found = [find_axis(value, tensor.rank or 0, name, tensor) for value in values]
        bad = next((one for one in found if not isinstance(one, int)), None)
        if bad is not None:
            return bad if isinstance(bad, Mismatch) else x.with_(shape=bad)
        sides.append(tuple(one for one in found if isinstance(one, int)))
    if len(sides[0]) != len(sides[1]):
        return Unknown("tensordot axes of different lengths")
    return contract(a, b, library, name, sides[0], sides[1])


def outer(a: Any, b: Any, library: Library, name: str) -> Outcome:
    """Both flattened: (size of a, size of b)."""
    x, y = as_tensor(a, library), as_tensor(b, library)
    if not isinstance(x, Tensor) or not isinstance(y, Tensor):
        return x if isinstance(x, Unknown) else y
    sizes = [Unknown("rank") if isinstance(t.shape, Unknown) else product(t.shape) for t in (x, y)]
    return _typed(x, y, tuple(sizes), common_dtype("outer", a, b, x, y, library, name))


@function("tensorflow.matmul", "tensorflow.linalg.matmul")
def tf_matmul(a: Any, b: Any, transpose_a: Any = False, transpose_b: Any = False, adjoint_a: Any = False,
              adjoint_b: Any = False, a_is_sparse: Any = False, b_is_sparse: Any = False, output_type: Any = None,
              grad_a: Any = False, grad_b: Any = False, name: Any = None) -> Outcome:
    turned = [first if flag(second) is False else second for first, second in
              ((transpose_a, adjoint_a), (transpose_b, adjoint_b))]
    return matmul(a, b, "tf", "tf.matmul", transpose_a=turned[0], transpose_b=turned[1])


@function("tensorflow.linalg.matvec")
def matvec(a: Any, b: Any, transpose_a: Any = False, adjoint_a: Any = False, a_is_sparse: Any = False,
           b_is_sparse: Any = False, name: Any = None) -> Outcome:
    vector = as_tensor(b, "tf")
    if not isinstance(vector, Tensor) or isinstance(vector.shape, Unknown) or not vector.shape:
        return Unknown("vector")
    turned = transpose_a if flag(adjoint_a) is False else adjoint_a
    made = matmul(a, vector.with_(shape=(*vector.shape, 1)), "tf", "tf.linalg.matvec", transpose_a=turned)
    return made.with_(shape=made.shape[:-1]) if isinstance(made, Tensor) and isinstance(made.shape, tuple) else made


@function("tensorflow.tensordot", "tensorflow.linalg.tensordot")
def tf_tensordot(a: Any, b: Any, axes: Any, name: Any = None) -> Outcome:
    return tensordot(a, b, axes, "tf", "tf.tensordot")


@function("numpy.matmul")
def np_matmul(x1: Any, x2: Any, out: Any = None, *, axes: Any = None, axis: Any = None, keepdims: Any = False,
              casting: Any = "same_kind", order: Any = "K", dtype: Any = None, subok: Any = True,
              signature: Any = None) -> Outcome:
    return filled(out, matmul(x1, x2, "numpy", "np.matmul"))


@function("numpy.linalg.matmul")
def np_linalg_matmul(x1: Any, x2: Any) -> Outcome:
    return matmul(x1, x2, "numpy", "np.linalg.matmul")


@function("numpy.dot")
def np_dot(a: Any, b: Any, out: Any = None) -> Outcome:
    return filled(out, dot(a, b, "numpy", "np.dot"))


@function("numpy.tensordot")
def np_tensordot(a: Any, b: Any, axes: Any = 2) -> Outcome:
    return tensordot(a, b, axes, "numpy", "np.tensordot")


@function("numpy.outer")
def np_outer(a: Any, b: Any, out: Any = None) -> Outcome:
    return filled(out, outer(a, b, "numpy", "np.outer"))


@function(*paths.ops("matmul"))
def keras_matmul(x1: Any, x2: Any) -> Outcome:
    return matmul(x1, x2, "keras", "keras.ops.matmul")


@function(*paths.ops("dot"))
def keras_dot(x1: Any, x2: Any) -> Outcome:
    return dot(x1, x2, "keras", "keras.ops.dot")


@function("keras.backend.dot")
def backend_dot(x: Any, y: Any) -> Outcome:
    return dot(x, y, "keras", "keras.backend.dot")


@function(*paths.ops("tensordot"))
def keras_tensordot(x1: Any, x2: Any, axes: Any = 2) -> Outcome:
    return tensordot(x1, x2, axes, "keras", "keras.ops.tensordot")


@function(*paths.ops("outer"))
def keras_outer(x1: Any, x2: Any) -> Outcome:
    return outer(x1, x2, "keras", "keras.ops.outer")

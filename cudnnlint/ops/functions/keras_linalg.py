"""keras.ops.linalg: what its matrices are taken apart into, and systems of equations."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.keras_products import shaped, symbolic
from cudnnlint.ops.functions.matrices import least, matrix, number_per_matrix, square
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import DType, Mismatch, Tensor, Unknown

REAL = ("float32", "float64")


def real(dtype: DType) -> DType:
    """TensorFlow has these functions for two floats; of others only symbolic tensors are told anything."""
    return dtype if dtype in REAL else Unknown("matrices of that dtype")


def _square(name: str) -> paths.Builder:
    def build(x: Any, upper: Any = False) -> Outcome:
        held = square(x, "keras", f"keras.ops.{name}")
        return held.with_(dtype=real(_own(x))) if isinstance(held, Tensor) else held

    return build


def _own(x: Any) -> DType:
    held = as_tensor(x, "keras")
    return held.dtype if isinstance(held, Tensor) else held


for _name in ("cholesky", "cholesky_inverse"):
    paths.spell(_square(_name), *paths.ops(_name, "linalg"))


@function(*paths.ops("eig", "linalg"))
def eig(x: Any) -> Outcome:
    """(values, vectors): complex, but of a symbolic tensor told to be what it is (keras/src/ops/linalg.py: Eig)."""
    held = square(x, "keras", "keras.ops.eig")
    if not isinstance(held, Tensor) or not isinstance(held.shape, tuple):
        return held if isinstance(held, Mismatch) else Unknown("eig")
    known = {"float32": "complex64", "float64": "complex128"}.get(str(held.dtype))
    dtype: DType = Unknown("eigenvalues") if symbolic(held) or known is None else known
    return held.with_(shape=held.shape[:-1], dtype=dtype), held.with_(dtype=dtype)


@function("keras.ops.logdet")
def logdet(x: Any) -> Outcome:
    made = number_per_matrix(x, "keras", "keras.ops.logdet")
    return made.with_(dtype=real(_own(x))) if isinstance(made, Tensor) else made


@function(*paths.ops("slogdet"))
def slogdet(x: Any) -> Outcome:
    """(sign, logarithm); of a symbolic tensor the sign is told to be one number (keras/src/ops/numpy.py: Slogdet)."""
    made = number_per_matrix(x, "keras", "keras.ops.slogdet")
    if not isinstance(made, Tensor):
        return made
    value = made.with_(dtype=real(_own(x)))
    return (value.with_(shape=Unknown("sign")) if symbolic(made) and made.shape != () else value, value)


@function(*paths.ops("pinv", "linalg"))
def pinv(x: Any, rcond: Any = None) -> Outcome:
    held = matrix(x, "keras", "keras.ops.pinv")
    if not isinstance(held, Tensor) or not isinstance(held.shape, tuple):
        return held
    return held.with_(shape=(*held.shape[:-2], held.shape[-1], held.shape[-2]), dtype=real(held.dtype))


@function(*paths.ops("matrix_rank", "linalg"))
def matrix_rank(x: Any, tol: Any = None) -> Outcome:
    held = matrix(x, "keras", "keras.ops.matrix_rank")
    if not isinstance(held, Tensor):
        return held
    return held.with_(shape=held.shape[:-2] if isinstance(held.shape, tuple) else held.shape, dtype="int32")


@function(*paths.ops("lu_factor", "linalg"))
def lu_factor(x: Any) -> Outcome:
    """(both triangles, pivots)."""
    held = matrix(x, "keras", "keras.ops.lu_factor")
    if not isinstance(held, Tensor) or not isinstance(held.shape, tuple) \
            or not may_equal(held.shape[-2], held.shape[-1]):  # which TensorFlow refuses and others take
        return held if isinstance(held, Mismatch) else Unknown("lu_factor")
    pivots: DType = Unknown("dtype of pivots") if symbolic(held) else "int32"
    return held.with_(dtype=real(held.dtype)), held.with_(
        shape=(*held.shape[:-2], least(held.shape[-2], held.shape[-1])), dtype=pivots)


@function(*paths.ops("solve_triangular", "linalg"))
def solve_triangular(a: Any, b: Any, lower: Any = False) -> Outcome:
    left, right = square(a, "keras", "keras.ops.solve_triangular"), as_tensor(b, "keras")
    if isinstance(left, Mismatch):
        return left
    return right.with_(dtype=real(right.dtype)) if isinstance(right, Tensor) and right.rank == 2 \
        and isinstance(left, Tensor) and left.rank == 2 else Unknown("solve_triangular")


@function(*paths.ops("lstsq", "linalg"))
def lstsq(a: Any, b: Any, rcond: Any = None) -> Outcome:
    """(m, n) and (m, k) or (m,) -> (n, k) or (n,)."""
    found = shaped(a, b)
    if isinstance(found, Unknown):
        return found
    (left, rows), (right, wanted) = found
    if len(rows) < 2:
        return rank_problem(left, (2,), "keras.ops.lstsq", "a") or Unknown("lstsq")
    if len(rows) != 2 or len(wanted) not in (1, 2) or not may_equal(rows[0], wanted[0]):
        return Unknown("lstsq")
    return right.with_(shape=(rows[1], *wanted[1:]), dtype=real(right.dtype))


@function("keras.ops.cdist")
def cdist(x: Any, y: Any) -> Outcome:
    """(..., n, d) and (..., m, d) -> (..., n, m)."""
    found = shaped(x, y)
    if isinstance(found, Unknown):
        return found
    (a, left), (b, right) = found
    for one, shape in found:
        if len(shape) < 2:
            return rank_problem(one, (2, 3), "keras.ops.cdist") or Unknown("cdist")
    if left[:-2] != right[:-2] or not may_equal(left[-1], right[-1]) or a.dtype != b.dtype:
        return Unknown("cdist")
    floats = a.dtype in ("float16", "bfloat16", *REAL)
    return a.with_(shape=(*left[:-2], left[-2], right[-2]), dtype=a.dtype if floats else Unknown("cdist of no floats"))

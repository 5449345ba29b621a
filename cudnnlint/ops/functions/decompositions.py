"""Matrices taken apart, and systems of equations solved: svd, qr, eigh, solve and their kin."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions._core import flag
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, promote_numpy
from cudnnlint.ops.functions.matrices import least, matrix, square
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Tensor, Unknown, is_floating


def taken_apart(value: Any, library: Library, name: str) -> Tensor | Unknown | Mismatch:
    """A tensor of at least two axes whose extents are told, as floats."""
    x = matrix(value, library, name)
    if not isinstance(x, Tensor):
        return x
    if not isinstance(x.shape, tuple):
        return Unknown("rank")
    dtype = "float64" if library == "numpy" and is_floating(x.dtype) is False else x.dtype
    return x.with_(dtype=dtype)


def parts_of_svd(value: Any, full: Any, library: Library, name: str) -> Any:
    """(u, s, v) with u (..., m, k), s (..., k), v (..., n, k), where k is the lesser, or all of m and n if `full`."""
    x, whole = taken_apart(value, library, name), flag(full)
    if not isinstance(x, Tensor) or whole is None or not isinstance(x.shape, tuple):
        return x if isinstance(x, Mismatch) else Unknown(name)
    *lead, rows, columns = x.shape
    short = least(rows, columns)
    return (x.with_(shape=(*lead, rows, rows if whole else short)), x.with_(shape=(*lead, short)),
            (tuple(lead), columns, columns if whole else short, x))


@function("tensorflow.linalg.svd")
def tf_svd(tensor: Any, full_matrices: Any = False, compute_uv: Any = True, name: Any = None) -> Outcome:
    """(s, u, v) (tensorflow/python/ops/linalg_ops.py: svd)."""
    found = parts_of_svd(tensor, full_matrices, "tf", "tf.linalg.svd")
    if not isinstance(found, tuple) or flag(compute_uv) is None:
        return found if not isinstance(found, tuple) else Unknown("compute_uv")
    u, s, (lead, columns, short, x) = found
    return (s, u, x.with_(shape=(*lead, columns, short))) if flag(compute_uv) else s


def _transposed(value: Any, full: Any, uv: Any, library: Library, name: str) -> Outcome:
    found = parts_of_svd(value, full, library, name)
    if not isinstance(found, tuple) or flag(uv) is None:
        return found if not isinstance(found, tuple) else Unknown("compute_uv")
    u, s, (lead, columns, short, x) = found
    return (u, s, x.with_(shape=(*lead, short, columns))) if flag(uv) else s


@function("keras.ops.svd", "keras.ops.linalg.svd")
def keras_svd(x: Any, full_matrices: Any = True, compute_uv: Any = True) -> Outcome:
    """(u, s, vh)."""
    return _transposed(x, full_matrices, compute_uv, "keras", "keras.ops.svd")


@function("numpy.linalg.svd")
def np_svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Outcome:
    return _transposed(a, full_matrices, compute_uv, "numpy", "np.linalg.svd")


def parts_of_qr(value: Any, full: Any, library: Library, name: str) -> Outcome:
    """(q, r): (..., m, k) and (..., k, n)."""
    x, whole = taken_apart(value, library, name), flag(full)
    if not isinstance(x, Tensor) or whole is None or not isinstance(x.shape, tuple):
        return x if isinstance(x, Mismatch) else Unknown(name)
    *lead, rows, columns = x.shape
    inner = rows if whole else least(rows, columns)
    return x.with_(shape=(*lead, rows, inner)), x.with_(shape=(*lead, inner, columns))


@function("tensorflow.linalg.qr")
def tf_qr(input: Any, full_matrices: Any = False, name: Any = None) -> Outcome:
    return parts_of_qr(input, full_matrices, "tf", "tf.linalg.qr")


def _mode(mode: Any) -> Any:
    return {"reduced": False, "complete": True}.get(mode, Unknown("mode")) if isinstance(mode, str) else Unknown("mode")


@function("keras.ops.qr", "keras.ops.linalg.qr")
def keras_qr(x: Any, mode: Any = "reduced") -> Outcome:
    return parts_of_qr(x, _mode(mode), "keras", "keras.ops.qr")


@function("numpy.linalg.qr")
def np_qr(a: Any, mode: Any = "reduced") -> Outcome:
    return parts_of_qr(a, _mode(mode), "numpy", "np.linalg.qr")


def eigen(value: Any, library: Library, name: str) -> Outcome:
    """(values, vectors) of a symmetric matrix."""
    x = square(value, library, name)
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return x if isinstance(x, Mismatch) else Unknown(name)
    if isinstance(x.dtype, str) and x.dtype.startswith("complex"):
        return Unknown(name)
    return x.with_(shape=x.shape[:-1]), x.with_()


@function("tensorflow.linalg.eigh")
def tf_eigh(tensor: Any, name: Any = None) -> Outcome:
    return eigen(tensor, "tf", "tf.linalg.eigh")


@function("keras.ops.eigh", "keras.ops.linalg.eigh")
def keras_eigh(x: Any) -> Outcome:
    return eigen(x, "keras", "keras.ops.eigh")


@function("numpy.linalg.eigh")
def np_eigh(a: Any, UPLO: Any = "L") -> Outcome:
    return eigen(a, "numpy", "np.linalg.eigh")


def solved(a: Any, b: Any, library: Library, name: str) -> Outcome:
    """a x = b for a square matrix without a batch: x has the shape of b."""
    left, right = square(a, library, name), as_tensor(b, library)
    if isinstance(left, Mismatch):
        return left
    if not isinstance(left, Tensor) or not isinstance(right, Tensor) or left.rank != 2 or right.rank not in (1, 2):
        return Unknown(name)
    if library == "tf" and right.rank != 2:
        return Unknown(name)
    dtype = left.dtype if library != "numpy" else promote_numpy(
        left.dtype, "float64" if is_floating(right.dtype) is False else right.dtype)
    return right.with_(dtype=dtype)


@function("tensorflow.linalg.solve")
def tf_solve(matrix: Any, rhs: Any, adjoint: Any = False, name: Any = None) -> Outcome:
    return solved(matrix, rhs, "tf", "tf.linalg.solve")


@function("tensorflow.linalg.triangular_solve")
def triangular_solve(matrix: Any, rhs: Any, lower: Any = True, adjoint: Any = False, name: Any = None) -> Outcome:
    return solved(matrix, rhs, "tf", "tf.linalg.triangular_solve")


@function("keras.ops.solve", "keras.ops.linalg.solve")
def keras_solve(a: Any, b: Any) -> Outcome:
    return solved(a, b, "keras", "keras.ops.solve")


@function("numpy.linalg.solve")
def np_solve(a: Any, b: Any) -> Outcome:
    return solved(a, b, "numpy", "np.linalg.solve")


def _pinv(value: Any, library: Library, name: str) -> Outcome:
    x = taken_apart(value, library, name)
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return x
    return x.with_(shape=(*x.shape[:-2], x.shape[-1], x.shape[-2]))


@function("numpy.linalg.pinv")
def np_pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Outcome:
    return _pinv(a, "numpy", "np.linalg.pinv")


@function("tensorflow.linalg.pinv")
def tf_pinv(a: Any, rcond: Any = None, validate_args: Any = False, name: Any = None) -> Outcome:
    return _pinv(a, "tf", "tf.linalg.pinv")

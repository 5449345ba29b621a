"""Matrices: diagonals, triangles, inverses and determinants over the last two axes."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import number, rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, floated
from cudnnlint.ops.functions.reduce import summed
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown, is_floating


def matrix(value: Any, library: Library, name: str) -> Tensor | Unknown | Mismatch:
    """A tensor of at least two axes."""
    x = as_tensor(value, library)
    if isinstance(x, Tensor) and x.rank is not None and x.rank < 2:
        return rank_problem(x, (2, 3, 4), name) or Unknown("rank")
    return x


def kept(value: Any, library: Library) -> Outcome:
    x = as_tensor(value, library)
    if not isinstance(x, Tensor):
        return x
    return x.with_(shape=x.shape if x.rank is None or x.rank >= 2 else Unknown("not a matrix"))


def square(value: Any, library: Library, name: str) -> Outcome:
    """The last two axes must be equal."""
    x = matrix(value, library, name)
    if isinstance(x, Tensor) and isinstance(x.shape, tuple) and not may_equal(x.shape[-2], x.shape[-1]):
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name} needs a square matrix, got {x}",
                        error='ValueError or LinAlgError "Last 2 dimensions of the array must be square"',
                        facts=(("shape", x.shape),))
    if not isinstance(x, Tensor):
        return x
    whole = library == "numpy" and is_floating(x.dtype) is False
    return x.with_(dtype="float64" if whole else floated(x.dtype, library))


def triangle(value: Any, library: Library) -> Outcome:
    """A vector stands for as many equal rows."""
    x = as_tensor(value, library)
    vector = isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) == 1
    return x.with_(shape=(*x.shape, *x.shape)) if vector else kept(x, library)  # type: ignore[misc, union-attr]


def number_per_matrix(value: Any, library: Library, name: str) -> Outcome:
    """det and its kin: the last two axes are gone."""
    x = square(value, library, name)
    return x.with_(shape=x.shape[:-2]) if isinstance(x, Tensor) and isinstance(x.shape, tuple) else x


def least(a: Dim, b: Dim) -> Dim:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else a if a == b else Unknown("diagonal")


def diagonal_part(value: Any, offset: Any, library: Library, name: str) -> Outcome:
    """
    >>> print(diagonal_part(Tensor((5, 3, 4), "float32"), 0, "tf", "tf.linalg.diag_part"))
    float32[5, 3]
    """
    x = matrix(value, library, name)
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown):
        return x
    dim = least(x.shape[-2], x.shape[-1]) if offset == 0 else Unknown("offset diagonal")
    return x.with_(shape=(*x.shape[:-2], dim))


def diagonal(value: Any, offset: Any, library: Library, name: str) -> Outcome:
    """numpy.diag: a square matrix from a vector, or the diagonal of a matrix."""
    x, k = as_tensor(value, library), number(offset)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    if len(x.shape) == 2:
        return diagonal_part(x, offset, library, name)
    if len(x.shape) != 1:
        return rank_problem(x, (1, 2), name)
    size = x.shape[0] + abs(k) if isinstance(x.shape[0], int) and isinstance(k, int) else Unknown("diagonal")
    return x.with_(shape=(size, size))


@function("numpy.diag")
def np_diag(v: Any, k: Any = 0) -> Outcome:
    return diagonal(v, k, "numpy", "np.diag")


@function(*paths.ops("diag"))
def keras_diag(x: Any, k: Any = 0) -> Outcome:
    return diagonal(x, k, "keras", "keras.ops.diag")


@function("numpy.triu", "numpy.tril")
def np_triangle(m: Any, k: Any = 0) -> Outcome:
    return triangle(m, "numpy")


@function(*paths.ops("triu"), *paths.ops("tril"))
def keras_triangle(x: Any, k: Any = 0) -> Outcome:
    return kept(x, "keras")


@function("tensorflow.linalg.band_part", "tensorflow.matrix_band_part")
def band_part(input: Any, num_lower: Any, num_upper: Any, name: Any = None) -> Outcome:
    return kept(input, "tf")


@function("tensorflow.linalg.diag")
def tf_diag(diagonal: Any, name: Any = "diag", k: Any = 0, num_rows: Any = -1, num_cols: Any = -1,
            padding_value: Any = 0, align: Any = "RIGHT_LEFT") -> Outcome:
    x = as_tensor(diagonal, "tf")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or not x.shape:
        return x
    plain = k == 0 and num_rows == -1 and num_cols == -1
    return x.with_(shape=(*x.shape, x.shape[-1]) if plain else Unknown("diagonals"))


@function("tensorflow.linalg.diag_part")
def tf_diag_part(input: Any, name: Any = "diag_part", k: Any = 0, padding_value: Any = 0,
                 align: Any = "RIGHT_LEFT") -> Outcome:
    return diagonal_part(input, k, "tf", "tf.linalg.diag_part")


@function("tensorflow.linalg.tensor_diag_part")
def tensor_diag_part(input: Any, name: Any = None) -> Outcome:
    x = as_tensor(input, "tf")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or len(x.shape) % 2:
        return Unknown("tensor_diag_part")
    return x.with_(shape=x.shape[: len(x.shape) // 2])


@function("tensorflow.linalg.set_diag")
def set_diag(input: Any, diagonal: Any, name: Any = "set_diag", k: Any = 0, align: Any = "RIGHT_LEFT") -> Outcome:
    return kept(input, "tf")


@function("tensorflow.linalg.cholesky", "tensorflow.linalg.expm", "tensorflow.linalg.sqrtm", "tensorflow.linalg.logm",
          "tensorflow.matrix_square_root")
def tf_square(input: Any, name: Any = None) -> Outcome:
    return kept(input, "tf")


@function("tensorflow.linalg.inv")
def tf_inv(input: Any, adjoint: Any = False, name: Any = None) -> Outcome:
    return square(input, "tf", "tf.linalg.inv")


@function("tensorflow.linalg.det")
def tf_det(input: Any, name: Any = None) -> Outcome:
    return number_per_matrix(input, "tf", "tf.linalg.det")


@function("tensorflow.linalg.logdet")
def tf_logdet(matrix: Any, name: Any = None) -> Outcome:
    return number_per_matrix(matrix, "tf", "tf.linalg.logdet")


@function("numpy.linalg.inv")
def np_inv(a: Any) -> Outcome:
    return square(a, "numpy", "np.linalg.inv")


@function("numpy.linalg.det")
def np_det(a: Any) -> Outcome:
    return number_per_matrix(a, "numpy", "np.linalg.det")


@function(*paths.ops("inv", "linalg"))
def keras_inv(x: Any) -> Outcome:
    return square(x, "keras", "keras.ops.inv")


@function(*paths.ops("det", "linalg"))
def keras_det(x: Any) -> Outcome:
    return number_per_matrix(x, "keras", "keras.ops.det")


@function("numpy.trace")
def np_trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None) -> Outcome:
    x = as_tensor(a, "numpy")
    if isinstance(x, Unknown) or x.rank != 2 or dtype is not None or out is not None:
        return Unknown("trace")
    return x.with_(shape=(), dtype=summed(x.dtype, "numpy"))


@function("tensorflow.linalg.cross", "tensorflow.cross")
def tf_cross(a: Any, b: Any, name: Any = None) -> Outcome:
    """Vectors of 3 along the last axis, of one shape (tensorflow/core/ops/math_ops.cc: Cross).

    >>> print(tf_cross(Tensor((5, 3), "float32"), Tensor((5, 3), "float32")))
    float32[5, 3]
    """
    left, right = as_tensor(a, "tf"), as_tensor(b, "tf")
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return Unknown("tf.linalg.cross")
    if not isinstance(left.shape, tuple) or not isinstance(right.shape, tuple) or len(left.shape) != len(right.shape):
        return left.with_(shape=Unknown("tf.linalg.cross"))
    return left.with_(shape=tuple(m if isinstance(m, int) else n if isinstance(n, int) else m
                                  for m, n in zip(left.shape, right.shape, strict=True)))

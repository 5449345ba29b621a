"""NumPy: windows, indices of triangles, sets, eigenvalues, and what fits none of the other families."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast, lift
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import extents, filled, find_axis, known_size, number, set_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype, floated, promote_numpy
from cudnnlint.ops.functions.elementwise import binary
from cudnnlint.ops.functions.keras_products import diagonal_of
from cudnnlint.ops.functions.matmul import contract
from cudnnlint.ops.functions.matrices import number_per_matrix, square
from cudnnlint.ops.functions.numpy_signal import transformed
from cudnnlint.ops.functions.reduce import averaged
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Tensor, Unknown, is_floating

ORDER = "how many there are"


def _window(M: Any) -> Outcome:
    return Tensor((known_size(number(M)),), "float64", "numpy")


for _name in ("hanning", "hamming", "blackman", "bartlett"):
    paths.spell(_window, f"numpy.{_name}")


@function("numpy.kaiser")
def kaiser(M: Any, beta: Any) -> Outcome:
    return _window(M)


def _floats(x: Any) -> Outcome:
    held = as_tensor(x, "numpy")
    return held.with_(dtype=averaged(held.dtype, "numpy")) if isinstance(held, Tensor) else held


@function("numpy.sinc", "numpy.i0")
def sinc(x: Any) -> Outcome:
    return _floats(x)


@function("numpy.angle")
def angle(z: Any, deg: Any = False) -> Outcome:
    held = as_tensor(z, "numpy")
    if not isinstance(held, Tensor):
        return held
    real = {"complex64": "float32", "complex128": "float64"}.get(str(held.dtype))
    return held.with_(dtype=real or floated("int64" if held.dtype == "bool" else held.dtype, "numpy"))


@function("numpy.unwrap")
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 6.283185307179586) -> Outcome:
    return _floats(p)


def _tests(x: Any) -> Outcome:
    held = as_tensor(x, "numpy")
    return held.with_(dtype="bool") if isinstance(held, Tensor) else Tensor(held, "bool", "numpy")


@function("numpy.isreal", "numpy.iscomplex")
def isreal(x: Any) -> Outcome:
    return _tests(x)


@function("numpy.isposinf", "numpy.isneginf")
def isposinf(x: Any, out: Any = None) -> Outcome:
    return filled(out, _tests(x))


@function("numpy.diagonal")
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Outcome:
    return diagonal_of(as_tensor(a, "numpy"), offset, axis1, axis2, "np.diagonal")


def _triangle(n: Any, k: Any, m: Any, upper: bool) -> Outcome:
    """(rows, columns) of the elements of a triangle of (n, m)."""
    rows, offset, columns = number(n), number(k), number(n if m is None else m)
    count: Dim = Unknown(ORDER)
    if all(isinstance(one, int) and abs(one) <= 1 << 12 for one in (rows, offset, columns)) and min(rows, columns) >= 0:
        below = sum(min(max(i + (offset - upper) + 1, 0), columns) for i in range(rows))
        count = rows * columns - below if upper else below
    one = Tensor((count,), "int64", "numpy")
    return (one, one.with_())


@function("numpy.triu_indices")
def triu_indices(n: Any, k: Any = 0, m: Any = None) -> Outcome:
    """
    >>> [str(one) for one in triu_indices(4, 1)]
    ['int64[6]', 'int64[6]']
    """
    return _triangle(n, k, m, upper=True)


@function("numpy.tril_indices")
def tril_indices(n: Any, k: Any = 0, m: Any = None) -> Outcome:
    return _triangle(n, k, m, upper=False)


@function("numpy.diag_indices")
def diag_indices(n: Any, ndim: Any = 2) -> Outcome:
    size, count = known_size(number(n)), number(ndim)
    if not isinstance(count, int) or not 0 <= count <= 32:
        return Unknown("ndim")
    return tuple(Tensor((size,), "int64", "numpy") for _ in range(count))


def _some(dtype: DType) -> Tensor:
    return Tensor((Unknown(ORDER),), dtype, "numpy")


def _set(a: Any, b: Any) -> Outcome:
    x, y = as_tensor(a, "numpy"), as_tensor(b, "numpy")
    known = isinstance(x, Tensor) and isinstance(y, Tensor)
    return _some(promote_numpy(x.dtype, y.dtype) if known else Unknown("dtype"))  # type: ignore[union-attr]


@function("numpy.union1d")
def union1d(ar1: Any, ar2: Any) -> Outcome:
    return _set(ar1, ar2)


@function("numpy.setdiff1d")
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Outcome:
    x = as_tensor(ar1, "numpy")
    return _some(x.dtype if isinstance(x, Tensor) else Unknown("dtype"))


@function("numpy.setxor1d")
def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Outcome:
    return _set(ar1, ar2)


@function("numpy.intersect1d")
def intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False) -> Outcome:
    made = _set(ar1, ar2)
    return made if return_indices is False else (made, _some("int64"), _some("int64"))


@function("numpy.extract")
def extract(condition: Any, arr: Any) -> Outcome:
    x = as_tensor(arr, "numpy")
    return _some(x.dtype if isinstance(x, Tensor) else Unknown("dtype"))


@function("numpy.ediff1d")
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Outcome:
    x = as_tensor(ary, "numpy")
    if isinstance(x, Tensor):
        x = reshape(x, (-1,), "numpy", "np.ediff1d")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or x.dtype == "bool":
        return Unknown("ediff1d")
    whole = to_end is None and to_begin is None
    return x.with_(shape=(lift(lambda n: max(n - 1, 0), x.shape[0]) if whole else Unknown(ORDER),))


@function("numpy.unravel_index")
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> Outcome:
    """One index for each axis: numbers of one index, arrays of several."""
    x, dims = as_tensor(indices, "numpy"), extents(shape)
    if not isinstance(x, Tensor) or isinstance(dims, Unknown):
        return Unknown("unravel_index")
    return tuple(x.with_(dtype="int64", kind="numpy") for _ in dims)


@function("numpy.atleast_3d")
def atleast_3d(a: Any = None, b: Any = None) -> Outcome:
    """(n,) -> (1, n, 1), (m, n) -> (m, n, 1)."""
    x = as_tensor(a, "numpy")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or b is not None:
        return Unknown("atleast_3d")
    shape = {0: (1, 1, 1), 1: (1, *x.shape, 1), 2: (*x.shape, 1)}.get(len(x.shape), x.shape)
    return x.with_(shape=shape)


@function("numpy.inner")
def inner(a: Any, b: Any) -> Outcome:
    x, y = as_tensor(a, "numpy"), as_tensor(b, "numpy")
    if not isinstance(x, Tensor) or not isinstance(y, Tensor) or x.rank is None or y.rank is None:
        return Unknown("inner")
    if not x.rank or not y.rank:
        return binary("*", a, b, "numpy", "np.inner")
    return contract(a, b, "numpy", "np.inner", (x.rank - 1,), (y.rank - 1,))


@function("numpy.lexsort")
def lexsort(keys: Any, axis: Any = -1) -> Outcome:
    x = as_tensor(keys, "numpy")
    known = isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) > 1
    return x.with_(shape=x.shape[1:], dtype="int64") if known else Unknown("lexsort")  # type: ignore[union-attr, index]


@function("numpy.fromstring")
def fromstring(string: Any, dtype: Any = float, count: Any = -1, *, sep: Any = "", like: Any = None) -> Outcome:
    size = number(count)
    return Tensor((size if isinstance(size, int) and size >= 0 else Unknown(ORDER),),
                  as_dtype(dtype, "float64", "numpy"), "numpy")


@function("numpy.broadcast_arrays")
def broadcast_arrays(a: Any = None, b: Any = None, c: Any = None, d: Any = None, *, subok: Any = False) -> Outcome:
    found = [as_tensor(one, "numpy") for one in (a, b, c, d) if one is not None]
    if not all(isinstance(one, Tensor) for one in found) or not found:
        return Unknown("broadcast_arrays")
    held = [one for one in found if isinstance(one, Tensor)]
    shape = held[0].shape
    for one in held[1:]:
        both = broadcast(shape, one.shape)
        if both is None:
            return Unknown("broadcast_arrays")
        shape = both
    return tuple(one.with_(shape=shape) for one in held)


@function("numpy.linalg.cholesky")
def cholesky(a: Any, *, upper: Any = False) -> Outcome:
    return square(a, "numpy", "np.linalg.cholesky")


@function("numpy.linalg.eigvalsh")
def eigvalsh(a: Any, UPLO: Any = "L") -> Outcome:
    return _values(a, "np.linalg.eigvalsh", real=True)


@function("numpy.linalg.eigvals")
def eigvals(a: Any) -> Outcome:
    return _values(a, "np.linalg.eigvals", real=False)


@function("numpy.linalg.eig")
def eig(a: Any) -> Outcome:
    """(values, vectors), complex only where they must be."""
    found = _values(a, "np.linalg.eig", real=False)
    x = square(a, "numpy", "np.linalg.eig")
    return (found, x.with_(dtype=found.dtype)) if isinstance(found, Tensor) and isinstance(x, Tensor) else found


def _values(a: Any, name: str, real: bool) -> Outcome:
    x = square(a, "numpy", name)
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return x
    own = real and is_floating(x.dtype)
    return x.with_(shape=x.shape[:-1], dtype=x.dtype if own else Unknown("real or complex"))


@function("numpy.linalg.slogdet")
def slogdet(a: Any) -> Outcome:
    made = number_per_matrix(a, "numpy", "np.linalg.slogdet")
    return (made, made.with_()) if isinstance(made, Tensor) else made


@function("numpy.linalg.matrix_power")
def matrix_power(a: Any, n: Any) -> Outcome:
    held, x = as_tensor(a, "numpy"), square(a, "numpy", "np.linalg.matrix_power")
    whole = isinstance(x, Tensor) and isinstance(held, Tensor) and is_floating(held.dtype) is False
    power = number(n)
    if whole and isinstance(x, Tensor) and isinstance(held, Tensor):
        return x.with_(dtype=held.dtype if isinstance(power, int) and power >= 0 else Unknown("an inverse"))
    return x


@function("numpy.linalg.lstsq")
def lstsq(a: Any, b: Any, rcond: Any = None) -> Outcome:
    """(solution, residuals, rank, singular values)."""
    x, y = as_tensor(a, "numpy"), as_tensor(b, "numpy")
    if not isinstance(x, Tensor) or not isinstance(y, Tensor) or x.rank != 2 or y.rank not in (1, 2):
        return Unknown("lstsq")
    assert isinstance(x.shape, tuple) and isinstance(y.shape, tuple)
    (rows, columns), dtype = x.shape, promote_numpy(averaged(x.dtype, "numpy"), averaged(y.dtype, "numpy"))
    short = lift(lambda m, n: m if m < n else n, rows, columns)
    return (x.with_(shape=(columns, *y.shape[1:]), dtype=dtype), x.with_(shape=(Unknown("residuals"),), dtype=dtype),
            Unknown("rank", number=True), x.with_(shape=(short,), dtype=averaged(x.dtype, "numpy")))


@function("numpy.fft.rfftn")
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Outcome:
    return rfft2(a, s, axes)


@function("numpy.fft.rfft2")
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Outcome:
    """Half of the last axis."""
    x = as_tensor(a, "numpy")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or s is not None or not x.shape:
        return Unknown("a transform")
    place = find_axis(axes[-1], len(x.shape), "np.fft.rfft2", x) if isinstance(axes, tuple) and axes \
        else len(x.shape) - 1
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else Unknown("axes")
    return x.with_(shape=set_dim(x.shape, place, lift(lambda n: n // 2 + 1, x.shape[place])),
                   dtype=transformed(x.dtype))

"""NumPy: products, covariances, polynomials and integrals."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast, lift
from cudnnlint.ops.functions._core import find_axis, is_list, number, numbers
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import promote_numpy
from cudnnlint.ops.functions.reduce import averaged, reduced
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import DType, Mismatch, Tensor, Unknown


def pair(a: Any, b: Any) -> tuple[Tensor, Tensor] | Unknown:
    left, right = as_tensor(a, "numpy"), as_tensor(b, "numpy")
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return Unknown("operands")
    return (left, right) if isinstance(left.shape, tuple) and isinstance(right.shape, tuple) else Unknown("rank")


@function("numpy.kron")
def kron(a: Any, b: Any) -> Outcome:
    """Extents multiply, axis by axis from the last.

    >>> print(kron(Tensor((2, 2), "float64"), Tensor((3, 3), "float64")))
    float64[6, 6]
    """
    found = pair(a, b)
    if isinstance(found, Unknown):
        return found
    left, right = found
    assert isinstance(left.shape, tuple) and isinstance(right.shape, tuple)
    width = max(len(left.shape), len(right.shape))
    shapes = [(1,) * (width - len(one.shape)) + one.shape for one in (left, right)]  # type: ignore[arg-type]
    dims = tuple(lift(lambda m, n: m * n, m, n) for m, n in zip(*shapes, strict=True))
    return left.with_(shape=dims, dtype=promote_numpy(left.dtype, right.dtype))


@function("numpy.cross")
def cross(a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Outcome:
    """Vectors of 3 along the last axis."""
    found = pair(a, b)
    if isinstance(found, Unknown) or (axisa, axisb, axisc, axis) != (-1, -1, -1, None):
        return Unknown("np.cross")
    left, right = found
    shape = broadcast(left.shape, right.shape)
    of_three = all(isinstance(one.shape, tuple) and one.shape[-1:] == (3,) for one in found)
    return left.with_(shape=shape if of_three and isinstance(shape, tuple) else Unknown("np.cross"),
                      dtype=promote_numpy(left.dtype, right.dtype))


def _per_variable(m: Any, rowvar: Any, alone: bool) -> Outcome:
    x = as_tensor(m, "numpy")
    if not alone or not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or len(x.shape) not in (1, 2):
        return Unknown("a covariance")
    dtype: DType = promote_numpy(x.dtype, "float64")
    if len(x.shape) == 1:
        return x.with_(shape=(), dtype=dtype)
    count = x.shape[0 if rowvar is True else 1]
    if not isinstance(rowvar, bool) or not isinstance(count, int) or (not rowvar and x.shape[0] == 1):
        return x.with_(shape=Unknown("a covariance"), dtype=dtype)
    return x.with_(shape=() if count == 1 else (count, count), dtype=dtype)


@function("numpy.cov")
def cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None,
        aweights: Any = None, *, dtype: Any = None) -> Outcome:
    """A row and a column for each variable, rows being variables unless rowvar=False.

    >>> print(cov(Tensor((5, 60), "float32")))
    float64[5, 5]
    """
    return _per_variable(m, rowvar, y is None and dtype is None)


@function("numpy.corrcoef")
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Outcome:
    return _per_variable(x, rowvar, y is None and dtype is None)


@function("numpy.polyfit")
def polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False) -> Outcome:
    """One coefficient more than the degree."""
    degree, values = number(deg), as_tensor(y, "numpy")
    if full is not False or cov is not False or not isinstance(degree, int) or not isinstance(values, Tensor) \
            or values.rank != 1:
        return Unknown("np.polyfit")
    return Tensor((degree + 1,), "float64", "numpy")


@function("numpy.polyval")
def polyval(p: Any, x: Any) -> Outcome:
    """A value for each of x."""
    found = pair(p, x)
    if isinstance(found, Unknown):
        return found
    return found[1].with_(dtype=promote_numpy(found[0].dtype, found[1].dtype))


@function("numpy.trapezoid", "numpy.trapz")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Outcome:
    """The axis is gone."""
    held = as_tensor(x, "numpy") if x is not None else None
    if held is not None and not (isinstance(held, Tensor) and held.rank == 1):
        return Unknown("np.trapezoid")
    dtype = averaged(held.dtype, "numpy") if held is not None else None
    made = reduced(y, axis, False, averaged, "numpy", "np.trapezoid")
    return made.with_(dtype=promote_numpy(made.dtype, dtype)) if isinstance(made, Tensor) and dtype else made


@function("numpy.gradient")
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Outcome:
    """An array for each axis, or one where there is one axis."""
    x = as_tensor(f, "numpy")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return Unknown("np.gradient")
    made = x.with_(dtype=averaged(x.dtype, "numpy"))
    if axis is not None and not is_list(axis):
        found = find_axis(axis, len(x.shape), "np.gradient", x)
        return made if isinstance(found, int) else found if isinstance(found, Mismatch) else Unknown("axis")
    axes = tuple(range(len(x.shape))) if axis is None else numbers(axis)
    if isinstance(axes, Unknown) or not axes:
        return Unknown("axis")
    return made if len(axes) == 1 else Unknown("np.gradient of several axes")


@function("numpy.block")
def block(arrays: Any) -> Outcome:
    """Rows of blocks, each row joined along the last axis, the rows along the one before."""
    from cudnnlint.ops.functions.join import concat

    rows = [arrays] if isinstance(arrays, list) and not any(isinstance(one, list) for one in arrays) else arrays
    if not isinstance(rows, list) or not all(isinstance(row, list) and row for row in rows) or not rows:
        return Unknown("np.block")
    parts = [[as_tensor(one, "numpy") for one in row] for row in rows]
    if not all(isinstance(one, Tensor) and one.rank == 2 for row in parts for one in row):
        return Unknown("np.block")
    joined = [concat(row, -1, "numpy", "np.block") for row in parts]
    wrong = next((one for one in joined if not isinstance(one, Tensor)), None)
    return wrong if wrong is not None else concat(joined, 0, "numpy", "np.block") if len(joined) > 1 else joined[0]

"""NumPy: Fourier transforms, convolution, interpolation and the other functions of signals and samples."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axis, known_size, number, set_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import promote_numpy
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Tensor, Unknown


def transformed(dtype: DType, *, back: bool = False) -> DType:
    """complex128; narrower floats keep their width since NumPy 2 (numpy/fft/_pocketfft.py: _raw_fft)."""
    if isinstance(dtype, Unknown):
        return dtype
    if dtype in ("float32", "float16", "complex64"):
        return Unknown("the width differs between versions of NumPy")
    return "float64" if back else "complex128"


def along(a: Any, n: Any, axis: Any, name: str, size: Any, back: bool = False) -> Outcome:
    """A transform of one axis; `size` gives its length after it, of `n` or of what it is before."""
    x = as_tensor(a, "numpy")
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown) or not x.shape:
        return x if isinstance(x, Unknown) else x.with_(shape=Unknown("a signal"))
    place = find_axis(axis, len(x.shape), name, x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=Unknown("axis"))
    length: Dim = x.shape[place] if n is None else number(n)
    after = size(length) if n is not None or not back else size(lift(lambda m: 2 * (m - 1), length))
    return x.with_(shape=set_dim(x.shape, place, known_size(after)), dtype=transformed(x.dtype, back=back))


def _one(name: str, size: Any, back: bool = False) -> paths.Builder:
    def build(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Outcome:
        return along(a, n, axis, f"np.fft.{name}", size, back)

    return build


def _whole(length: Dim) -> Dim:
    return length


def _half(length: Dim) -> Dim:
    return lift(lambda n: n // 2 + 1, length)


def _several(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Outcome:
    """fft2 and its kin: the shape stays where no size is given."""
    x = as_tensor(a, "numpy")
    if not isinstance(x, Tensor):
        return x
    return x.with_(shape=x.shape if s is None else Unknown("size of a transform"), dtype=transformed(x.dtype))


def _shifted(x: Any, axes: Any = None) -> Outcome:
    held = as_tensor(x, "numpy")
    return held.with_() if isinstance(held, Tensor) else held


def _register() -> None:
    for name in ("fft", "ifft"):
        paths.spell(_one(name, _whole), f"numpy.fft.{name}")
    paths.spell(_one("rfft", _half), "numpy.fft.rfft")
    paths.spell(_one("irfft", _whole, back=True), "numpy.fft.irfft")
    for name in ("fftn", "ifftn"):
        paths.spell(_several, f"numpy.fft.{name}")
    for name in ("fftshift", "ifftshift"):
        paths.spell(_shifted, f"numpy.fft.{name}")


_register()


@function("numpy.fft.fft2", "numpy.fft.ifft2")
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Outcome:
    return _several(a, s)


@function("numpy.fft.fftfreq")
def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Outcome:
    return Tensor((known_size(number(n)),), "float64", "numpy")


@function("numpy.fft.rfftfreq")
def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Outcome:
    return Tensor((known_size(_half(number(n))),), "float64", "numpy")


def span(mode: Any, a: Dim, v: Dim) -> Dim:
    """How long what slid is (numpy/_core/numeric.py: convolve); the shorter of the two is the window."""
    if mode == "same":
        return lift(lambda m, n: m if m > n else n, a, v)
    if mode == "full":
        return lift(lambda m, n: m + n - 1, a, v)
    return lift(lambda m, n: abs(m - n) + 1, a, v) if mode == "valid" else Unknown("mode")


def slid(a: Any, v: Any, mode: Any) -> Outcome:
    left, right = as_tensor(a, "numpy"), as_tensor(v, "numpy")
    if not isinstance(left, Tensor) or not isinstance(right, Tensor) or left.rank != 1 or right.rank != 1:
        return Unknown("what slides over a signal")
    assert isinstance(left.shape, tuple) and isinstance(right.shape, tuple)
    return left.with_(shape=(span(mode, left.shape[0], right.shape[0]),), dtype=promote_numpy(left.dtype, right.dtype))


@function("numpy.convolve")
def convolve(a: Any, v: Any, mode: Any = "full") -> Outcome:
    """
    >>> print(convolve(Tensor((100,), "float64"), Tensor((5,), "float64"), "valid"))
    float64[96]
    """
    return slid(a, v, mode)


@function("numpy.correlate")
def correlate(a: Any, v: Any, mode: Any = "valid") -> Outcome:
    return slid(a, v, mode)


@function("numpy.interp")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Outcome:
    """A value for each of x."""
    held, values = as_tensor(x, "numpy"), as_tensor(fp, "numpy")
    dtype: DType = Unknown("dtype of the values")
    if isinstance(values, Tensor) and isinstance(values.dtype, str):
        dtype = "complex128" if values.dtype.startswith("complex") else "float64"
    return Tensor(held, dtype, "numpy") if isinstance(held, Unknown) else held.with_(dtype=dtype)


def binned(bins: Any) -> Dim:
    """How many bins there are: the number, or one fewer than the edges."""
    if isinstance(bins, list | tuple | Tensor) and not (isinstance(bins, Tensor) and bins.shape == ()):
        edges = as_tensor(bins, "numpy")
        one = isinstance(edges, Tensor) and isinstance(edges.shape, tuple) and len(edges.shape) == 1
        return known_size(lift(lambda n: n - 1, edges.shape[0])) if one else Unknown("bins")  # type: ignore[union-attr, index]
    return known_size(number(bins))


@function("numpy.histogram")
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Outcome:
    """(counts, edges), of which there is one more."""
    count = binned(bins)
    edges = lift(lambda n: n + 1, count)
    counted: DType = "int64" if weights is None and density in (None, False) else Unknown("dtype of a histogram")
    return (Tensor((count,), counted, "numpy"), Tensor((edges,), Unknown("dtype of the edges"), "numpy"))


def _bits(x: Any, axis: Any, name: str, size: Any) -> Outcome:
    held = as_tensor(x, "numpy")
    if axis is None and isinstance(held, Tensor):
        held, axis = reshape(held, (-1,), "numpy", name), 0
    if not isinstance(held, Tensor) or isinstance(held.shape, Unknown):
        return Tensor(Unknown("bits"), "uint8", "numpy")
    place = find_axis(axis, len(held.shape), name, held)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else Tensor(Unknown("axis"), "uint8", "numpy")
    return held.with_(shape=set_dim(held.shape, place, lift(size, held.shape[place])), dtype="uint8")


@function("numpy.unpackbits")
def unpackbits(a: Any, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Outcome:
    return _bits(a, axis, "np.unpackbits", lambda n: 8 * n) if count is None else Tensor(Unknown("bits"), "uint8")


@function("numpy.packbits")
def packbits(a: Any, axis: Any = None, bitorder: Any = "big") -> Outcome:
    return _bits(a, axis, "np.packbits", lambda n: -(-n // 8))

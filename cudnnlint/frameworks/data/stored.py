"""Arrays out of files: of np.load, h5py and their kin nothing is known but that they are arrays, and where from."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.frameworks.tfdata.dataset import Given, called_as
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_shape
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.dim import is_known
from cudnnlint.values.unknown import lines

READERS = ("pickle.load", "pickle.loads", "joblib.load", "scipy.io.loadmat", "pandas.read_pickle", "dill.load",
           "cloudpickle.load")
"""What these give may be anything."""


def from_file(reader: str) -> Unknown:
    """The reason of whatever a library's reader gives."""
    return Unknown(f"from {reader}(...)")


def stored(why: Unknown, span: Span, dtype: Any = None, rank: int | None = None) -> Tensor:
    """An array of which only the file knows the extents."""
    shape = why if rank is None else (why,) * rank
    return Tensor(shape, why if dtype is None else dtype, "numpy", None, Step(span))


@record(frozen=True, slots=True)
class ArchiveV:
    """Arrays by name: an .npz or HDF5 file."""

    why: Unknown
    span: Span
    path: ClassVar[str] = "cudnnlint.Archive"
    always_true: ClassVar[bool] = True

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return stored(self.why, self.span)

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown(self.why.why) if not name.startswith("__") else MISSING

    def entered(self, m: Machine) -> Any:
        return self

    def join_with(self, other: Any) -> Any:
        return self if self == other else Unknown("differs between paths")


@FRAMEWORK.on("numpy.load")
def load(c: Call) -> Any:
    """An array, or several by name; with allow_pickle=True anything (numpy/lib/_npyio_impl.py: load)."""
    given, why = Given(c, method=False), from_file("np.load")
    name = given.get(0, "file")
    if isinstance(name, str) and name.endswith(".npz"):
        return ArchiveV(why, c.span)
    return why if given.get(2, "allow_pickle", False) is not False else stored(why, c.span)


@FRAMEWORK.on("h5py.File")
def open_hdf5(c: Call) -> Any:
    return ArchiveV(from_file("h5py.File"), c.span)


@FRAMEWORK.on("numpy.loadtxt", "numpy.genfromtxt")
def load_text(c: Call) -> Any:
    """Rows of numbers: one axis or two, or several arrays with unpack=True (numpy/lib/_npyio_impl.py: loadtxt)."""
    given, why = Given(c, method=False), from_file(f"np.{called_as(c).rpartition('.')[2]}")
    if given.get(6, "unpack", False) is not False or given.get(8, "names") is not None:
        return why
    made = stored(why, c.span, as_dtype(given.get(1, "dtype"), "float64", "numpy"))
    return made.with_(shape=lines(why.why))


@FRAMEWORK.on("numpy.fromfile")
def from_raw(c: Call) -> Any:
    """numpy.fromfile: one axis of `count` elements, or as many as there are."""
    given = Given(c, method=False)
    why, count = from_file("np.fromfile"), given.number(2, "count", -1)
    made = stored(why, c.span, as_dtype(given.get(1, "dtype"), "float64", "numpy"), 1)
    return made.with_(shape=(count,)) if is_known(count) and count >= 0 else made


@FRAMEWORK.on("numpy.memmap")
def memory_mapped(c: Call) -> Any:
    given, why = Given(c, method=False), from_file("np.memmap")
    shape, dtype = given.get(4, "shape"), as_dtype(given.get(1, "dtype"), "uint8", "numpy")
    if shape is None:
        return stored(why, c.span, dtype, 1)
    return Tensor(as_shape(shape if isinstance(shape, tuple | list) else (shape,)), dtype, "numpy", None, Step(c.span))


def _anything(reader: str) -> Any:
    return lambda c: from_file(reader)


for _name in READERS:
    FRAMEWORK.on(_name)(_anything(_name))


__all__ = ["ArchiveV", "from_file", "stored"]

"""Arrays out of files: of np.load, h5py and their kin nothing is known but that they are arrays, and where from, unless
the program wrote them itself."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.frameworks.tfdata.dataset import Given, called_as
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, BuiltinV
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
    name: str | None = None
    path: ClassVar[str] = "cudnnlint.Archive"
    always_true: ClassVar[bool] = True

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return kept(m, self.name, plain(key), self.span) or stored(self.why, self.span)

    def set_item(self, m: Machine, key: Any, value: Any) -> None:
        keep(m, self.name, plain(key), value)

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "create_dataset":
            return BuiltinV(name, self._created)
        return Unknown(self.why.why) if not name.startswith("__") else MISSING

    def _created(self, c: Call) -> Any:
        """h5py: Group.create_dataset(name, shape=None, dtype=None, data=None), which `maxshape` lets grow."""
        as_given = c.kwargs.keys() <= {"name", "data", "compression", "compression_opts", "chunks"} and len(c.args) < 3
        keep(c.machine, self.name, plain(c.get(0, "name")), c.get(3, "data") if as_given else None)
        return Unknown(self.why.why)

    def entered(self, m: Machine) -> Any:
        return self

    def join_with(self, other: Any) -> Any:
        return self if self == other else Unknown("differs between paths")


WRITTEN = "arrays that the program wrote to files"


def keep(m: Machine, name: Any, key: Any, value: Any) -> None:
    """An array goes to a file, under a name in it; None stands for what was written in several shapes."""
    if not isinstance(name, str) or not isinstance(key, str):
        return
    held, array = m.state.setdefault(WRITTEN, {}), plain(value)
    one = array if isinstance(array, Tensor) else None
    former = held.get((name, key), one)
    same = one is not None and former is not None and former.shape == one.shape and former.dtype == one.dtype
    held[name, key] = one if same else None


def kept(m: Machine, name: Any, key: Any, span: Span) -> Tensor | None:
    """The array that the program wrote there before, if it is known."""
    one = m.state.get(WRITTEN, {}).get((name, key)) if isinstance(name, str) and isinstance(key, str) else None
    return Tensor(one.shape, one.dtype, "numpy", None, Step(span, (one,)), one.assumptions) if one is not None else None


@FRAMEWORK.on("numpy.save", "numpy.savez", "numpy.savez_compressed")
def save(c: Call) -> Any:
    """numpy/lib/_npyio_impl.py: save and savez add the ending that a name lacks."""
    name, alone = plain(c.get(0, "file")), called_as(c).endswith("save")
    ending = ".npy" if alone else ".npz"
    if isinstance(name, str):
        name = name if name.endswith(ending) else name + ending
        if alone:
            keep(c.machine, name, "", c.get(1, "arr"))
        else:
            given = {**{f"arr_{i}": value for i, value in enumerate(c.args[1:])}, **c.kwargs}
            for key, value in given.items():
                keep(c.machine, name, key, value)
    return None


@FRAMEWORK.on("numpy.load")
def load(c: Call) -> Any:
    """An array, or several by name; with allow_pickle=True anything (numpy/lib/_npyio_impl.py: load)."""
    given, why = Given(c, method=False), from_file("np.load")
    name = given.get(0, "file")
    if isinstance(name, str) and name.endswith(".npz"):
        return ArchiveV(why, c.span, name)
    if (written := kept(c.machine, name, "", c.span)) is not None:
        return written
    return why if given.get(2, "allow_pickle", False) is not False else stored(why, c.span)


@FRAMEWORK.on("h5py.File")
def open_hdf5(c: Call) -> Any:
    name = plain(c.get(0, "name"))
    return ArchiveV(from_file("h5py.File"), c.span, name if isinstance(name, str) else None)


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

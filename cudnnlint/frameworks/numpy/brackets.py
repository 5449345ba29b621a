"""NumPy's objects that are indexed rather than called (np.r_, np.mgrid, ...), and functions that call the user's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.interp.placing import place
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions._core import find_axis
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.numpy_edges import bracketed, ranged
from cudnnlint.values import Mismatch, Tensor, Unknown


def _key(c: Call) -> tuple[tuple[Any, ...], set[Any]]:
    """What stands between the brackets, part by part."""
    found: set[Any] = set()
    key = plain(c.first)

    def part(item: Any) -> Any:
        held = plain(item)
        return slice(*(strip(bound, found) for bound in (held.start, held.stop, held.step))) \
            if isinstance(held, slice) else strip(item, found)

    return tuple(map(part, key if isinstance(key, tuple) else (key,))), found


def _made(c: Call, path: str, outcome: Any, parts: Sequence[Any], found: set[Any]) -> Any:
    outcome = Unknown(path) if isinstance(outcome, Mismatch) else outcome
    return assume(wrap(place(path, outcome, tensors(list(parts)), None, c.span, frozenset(found))), frozenset(found))


@FRAMEWORK.on("numpy.r_.__getitem__", "numpy.c_.__getitem__")
def joined(c: Call) -> Any:
    parts, found = _key(c)
    path = plain(c.callee).path
    return _made(c, path, bracketed(parts, path == "numpy.c_"), parts, found)


@FRAMEWORK.on("numpy.s_.__getitem__", "numpy.index_exp.__getitem__")
def sliced(c: Call) -> Any:
    """The key itself."""
    single = plain(c.callee).path == "numpy.index_exp" and not isinstance(plain(c.first), tuple)
    return (c.first,) if single else c.first


@FRAMEWORK.on("numpy.mgrid.__getitem__", "numpy.ogrid.__getitem__")
def grid(c: Call) -> Any:
    """mgrid: one array with a first axis for the coordinates; ogrid: an array for each, long in one axis only."""
    parts, found = _key(c)
    path = plain(c.callee).path
    lines = [ranged(part) if isinstance(part, slice) else Unknown("a grid") for part in parts]
    known = [line for line in lines if isinstance(line, Tensor) and isinstance(line.shape, tuple)]
    if len(known) != len(lines) or not isinstance(plain(c.first), tuple):
        return Unknown(path)
    sizes = tuple(line.shape[0] for line in known)  # type: ignore[index]
    dtype = "float64" if any(line.dtype == "float64" for line in known) else "int64"
    if path == "numpy.mgrid":
        return _made(c, path, Tensor((len(sizes), *sizes), dtype, "numpy"), (), found)
    open_ = tuple(Tensor(tuple(n if i == axis else 1 for i in range(len(sizes))), dtype, "numpy")
                  for axis, n in enumerate(sizes))
    return _made(c, path, open_, (), found)


@FRAMEWORK.on("numpy.ix_")
def crossed(c: Call) -> Any:
    """An index array for each axis, long in that one only."""
    found: set[Any] = set()
    lines = [as_tensor(strip(arg, found), "numpy") for arg in c.args]
    if not all(isinstance(line, Tensor) and isinstance(line.shape, tuple) and len(line.shape) == 1
               and line.dtype != "bool" for line in lines):
        return Unknown("np.ix_")
    outcome = tuple(line.with_(shape=tuple(line.shape[0] if i == axis else 1  # type: ignore[index, union-attr]
                                           for i in range(len(lines)))) for axis, line in enumerate(lines))
    return _made(c, "numpy.ix_", outcome, lines, found)


@FRAMEWORK.on("numpy.vectorize")
def vectorize(c: Call) -> Any:
    """A function of the elements; what it gives for one of them says the dtype."""
    function, plain_call = c.get(0, "pyfunc"), len(c.args) == 1 and not c.kwargs

    def run(inner: Call) -> Any:
        arrays = [as_tensor(strip(arg), "numpy") for arg in inner.args]
        if not plain_call or inner.kwargs or len(arrays) != 1 or not isinstance(arrays[0], Tensor):
            return Unknown("np.vectorize")
        inner.machine.call(function, [Unknown("an element")], {}, inner.node)
        return place("numpy.vectorize", arrays[0].with_(dtype=Unknown("what the function gives")), (arrays[0],), None,
                     inner.span)

    return BuiltinV("vectorize", run)


@FRAMEWORK.on("numpy.apply_along_axis")
def along(c: Call) -> Any:
    """The function gets one line; what it gives takes the place of the axis (numpy/lib/_shape_base_impl.py)."""
    x, axis = as_tensor(strip(c.get(2, "arr")), "numpy"), strip(c.get(1, "axis"))
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return Unknown("np.apply_along_axis")
    at = find_axis(axis, len(x.shape), "np.apply_along_axis", x)
    if not isinstance(at, int):
        return Unknown("np.apply_along_axis")
    line = x.with_(shape=(x.shape[at],), kind="numpy")
    made = as_tensor(strip(c.machine.call(c.get(0, "func1d"), [line, *c.args[3:]], {}, c.node)), "numpy")
    if not isinstance(made, Tensor) or not isinstance(made.shape, tuple):
        return Unknown("np.apply_along_axis")
    shape = (*x.shape[:at], *made.shape, *x.shape[at + 1:])
    return place("numpy.apply_along_axis", made.with_(shape=shape), (x,), None, c.span)

"""Layers that add or cut a border: ZeroPadding1D/2D/3D, Cropping1D/2D/3D."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arguments import check_data_format, check_extents, show
from cudnnlint.ops.arith import as_dim, is_known, lift, rank_mismatch
from cudnnlint.ops.kernels.maths import copy
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, layer
from cudnnlint.ops.windows import AXES, Split, blank, empty, gone, split, symbolic_dtype
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim


def border(value: Any, axes: int) -> tuple[tuple[Dim, Dim], ...]:
    """Elements added or cut (before, after) on each axis.

    >>> border(1, 2), border(((1, 2), 3), 2), border((1, 2), 1)
    (((1, 1), (1, 1)), ((1, 2), (3, 3)), ((1, 2),))
    >>> border((1, 2, 3), 2)[0]
    (Unknown(why='not a border'), Unknown(why='not a border'))
    """
    wrong: tuple[tuple[Dim, Dim], ...] = ((Unknown("not a border"),) * 2,) * axes
    if not isinstance(value, (tuple, list)):
        side = as_dim(value)
        return ((side, side),) * axes
    items = [value] if axes == 1 else value
    if len(items) != axes:
        return wrong
    sides = [tuple(item) if isinstance(item, (tuple, list)) else (item, item) for item in items]
    if any(len(side) != 2 for side in sides):
        return wrong
    return tuple((as_dim(before), as_dim(after)) for before, after in sides)


def check_border(name: str, value: Any, axes: int) -> Iterator[Mismatch]:
    """An int, or for each axis an int or a pair; nothing negative (zero_padding2d.py, cropping2d.py: __init__)."""
    if axes == 1:
        yield from check_extents(name, value, 2, least=0)
    elif isinstance(value, (tuple, list)) and len(value) == axes:
        for item in value:
            yield from check_extents(name, item, 2, least=0)
    elif value is None or isinstance(value, (tuple, list, str, float, dict)):
        yield Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {show(value)}, not an integer or {axes} integers or pairs",
                       help=f"give one integer, or one pair for each of the {axes} axes", argument=name,
                       error=f'ValueError "`{name}` should have {"two" if axes == 2 else axes} elements"')
    elif is_known(value) and value < 0:
        error = ('InvalidArgumentError "Paddings must be non-negative"' if name == "padding" else
                 f'ValueError "`cropping` cannot be negative. Received: cropping={value}"')
        yield Mismatch(Problem.NON_POSITIVE, f"{name} is {value}", help=f"{name} cannot be negative", argument=name,
                       error=error, where=Where() if name == "padding" else Where(keras=">=3"))


@record(frozen=True, slots=True)
class ZeroPadding(SingleInput):
    """(N, *spatial, C) -> (N, *(before + n + after), C) (keras/src/layers/reshaping/zero_padding2d.py)."""

    name: str
    axes: int
    padding: Any
    data_format: Any = None

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        yield from check_border("padding", self.padding, self.axes)
        yield from check_data_format(self.data_format)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        dtype = symbolic_dtype(x, call)
        if wrong := rank_mismatch(x, self.axes + 2, self.name):
            return wrong
        at, sides = split(x, self.axes, self.data_format), border(self.padding, self.axes)
        if isinstance(at, Unknown):
            return blank(x, self.axes, dtype)
        after = tuple(lift(lambda n, a, b: n + a + b, n, a, b) for n, (a, b) in zip(at.spatial, sides, strict=True))
        return x.with_(shape=at.shape(after, at.channel), dtype=dtype)

    def lower(self, at: Site) -> Value:
        return at.tape.run("pad", (at.x,), at.size())


@record(frozen=True, slots=True)
class Cropping(SingleInput):
    """(N, *spatial, C) -> (N, *(n - before - after), C) (keras/src/layers/reshaping/cropping2d.py)."""

    name: str
    axes: int
    cropping: Any
    data_format: Any = None

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        yield from check_border("cropping", self.cropping, self.axes)
        yield from check_data_format(self.data_format)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        dtype = symbolic_dtype(x, call)
        if wrong := rank_mismatch(x, self.axes + 2, self.name):
            return wrong
        at, sides = split(x, self.axes, self.data_format), border(self.cropping, self.axes)
        if isinstance(at, Unknown):
            return blank(x, self.axes, dtype)
        after = tuple(lift(lambda n, a, b: n - a - b, n, a, b) for n, (a, b) in zip(at.spatial, sides, strict=True))
        out = x.with_(shape=at.shape(after, at.channel), dtype=dtype)
        return self._nothing_left(at, after, x.with_(dtype=dtype), call.stack) if any(map(gone, after)) else out

    def _nothing_left(self, at: Split, after: Shape, x: Tensor, stack: Stack) -> Mismatch:
        """Keras 2 does not check Cropping3D, nor before 2.7 the others: an empty slice goes on."""
        silent = stack.keras < ((3,) if self.axes == 3 else (2, 7))
        rest = tuple(0 if gone(extent) else extent for extent in after)
        error = ("Values in `cropping` argument should be smaller than the corresponding spatial dimension of the input"
                 if stack.keras >= (3,) else "Argument `cropping` must be greater than the input shape")
        names = zip(AXES[self.axes], at.spatial, after, strict=True)
        remedy = ", ".join(f"less than {size} from the {name}" for name, size, left in names if gone(left))
        return empty(at.spatial, after, f"cropping {show(self.cropping)}", f"crop {remedy}",
                     "" if silent else f'ValueError "{error}"',
                     x.with_(shape=at.shape(rest, at.channel)) if silent else None)

    def lower(self, at: Site) -> Value:
        return copy(at.tape, at.x, at.size())


@layer("keras.layers.ZeroPadding1D", versions={"data_format": ">=3.5"})
def zero_padding1d(padding: Any = 1, data_format: Any = None) -> ZeroPadding:
    return ZeroPadding("ZeroPadding1D", 1, padding, data_format)


@layer("keras.layers.ZeroPadding2D")
def zero_padding2d(padding: Any = (1, 1), data_format: Any = None) -> ZeroPadding:
    return ZeroPadding("ZeroPadding2D", 2, padding, data_format)


@layer("keras.layers.ZeroPadding3D")
def zero_padding3d(padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: Any = None) -> ZeroPadding:
    return ZeroPadding("ZeroPadding3D", 3, padding, data_format)


@layer("keras.layers.Cropping1D")
def cropping1d(cropping: Any = (1, 1)) -> Cropping:
    return Cropping("Cropping1D", 1, cropping)


@layer("keras.layers.Cropping2D")
def cropping2d(cropping: Any = ((0, 0), (0, 0)), data_format: Any = None) -> Cropping:
    return Cropping("Cropping2D", 2, cropping, data_format)


@layer("keras.layers.Cropping3D")
def cropping3d(cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: Any = None) -> Cropping:
    return Cropping("Cropping3D", 3, cropping, data_format)

"""What tf.nn and keras.ops functions share that slide a window: axes, extents, the axis that vanishes."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import as_dim, lift, window
from cudnnlint.ops.functions._core import is_list, numbers, rank_problem
from cudnnlint.ops.windows import Split, Window, empty, gone
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Shape, Tensor, Unknown


@record(frozen=True, slots=True)
class Slide:
    """A window as a function's arguments give it; one Dim per spatial axis.

    before, after   explicit padding per spatial axis, with padding "EXPLICIT"
    """

    extent: Shape
    strides: Shape
    dilation: Shape
    padding: Any
    before: Shape = ()
    after: Shape = ()
    word: str = "kernel_size"

    def over(self, spatial: Shape) -> Shape:
        """Extents after the window, rounded down; they may be zero or negative.

        >>> Slide((3, 3), (2, 2), (1, 1), "VALID").over((8, 2))
        (3, 0)
        """
        padding = self.padding.lower() if isinstance(self.padding, str) else self.padding
        if padding == "explicit":
            spatial = tuple(lift(lambda n, a, b: n + a + b, n, a, b)
                            for n, a, b in zip(spatial, self.before, self.after, strict=True))
            padding = "valid"
        return tuple(window(n, k, s, padding, d) for n, k, s, d in
                     zip(spatial, self.extent, self.strides, self.dilation, strict=True))

    def passes_eagerly(self, spatial: Shape, after: Shape) -> bool:
        """The kernel truncates toward zero and accepts 0 (kernel_shape_util.cc: GetWindowedOutputSizeVerbose)."""
        for n, k, s, d, out in zip(spatial, self.extent, self.strides, self.dilation, after, strict=True):
            if gone(out) and all(isinstance(value, int) for value in (n, k, s, d)):
                if n - ((k - 1) * d + 1) + s <= -s:  # type: ignore[operator]
                    return False
            elif gone(out):
                return False
        return True

    def reject(self, at: Split, after: Shape, out: Tensor, *, lenient: bool = False) -> Mismatch | None:
        """EMPTY_DIM when an axis vanishes; eager kernels go on with an axis of 0, `lenient` ones whatever is left."""
        if not any(map(gone, after)) or str(self.padding).lower() != "valid":
            return None
        plain = Window(len(at.spatial), _same(self.extent), _same(self.strides), self.padding, _same(self.dilation),
                       self.word)
        zero = lenient or self.passes_eagerly(at.spatial, after)
        error = ('ValueError "Negative dimension size caused by subtracting" in a graph; eagerly an empty tensor'
                 if zero else 'InvalidArgumentError "Computed output size would be negative"')
        return empty(at.spatial, after, str(plain), plain.remedy(at.spatial, after), error, out if zero else None)


def _same(values: Shape) -> Any:
    """(3, 3) as 3."""
    return values[0] if values and all(value == values[0] for value in values) else values


def channels_first(data_format: Any) -> bool | None:
    """None when the format is not known; None as a format is channels last.

    >>> channels_first("NCHW"), channels_first("NHWC"), channels_first("channels_first"), channels_first(None)
    (True, False, True, False)
    """
    if data_format is None:
        return False
    if not isinstance(data_format, str):
        return None
    return data_format == "channels_first" or data_format.upper().startswith("NC")


def split(x: Tensor, rank: int, data_format: Any, *, leads: int = 1) -> Split | Unknown:
    """`x` by axis; an unknown rank is taken to be rank + 2."""
    first = channels_first(data_format)
    if first is None:
        return Unknown("data_format")
    shape: Shape = (Unknown("input rank"),) * (rank + 2) if isinstance(x.shape, Unknown) else x.shape
    if len(shape) < rank + 1 + leads:
        return Unknown("too few axes")
    cut = len(shape) - rank - 1
    lead, rest = shape[:cut], shape[cut:]
    return Split(lead, rest[1:], rest[0], True) if first else Split(lead, rest[:-1], rest[-1], False)


def spatial_values(value: Any, rank: int, data_format: Any) -> Shape:
    """strides, dilations or ksize per spatial axis: an int, or 1, rank or rank + 2 of them.

    >>> spatial_values(2, 2, "NHWC"), spatial_values([1, 2, 3, 1], 2, "NHWC"), spatial_values([1, 1, 2, 3], 2, "NCHW")
    ((2, 2), (2, 3), (2, 3))
    """
    unknown = (Unknown("window argument"),) * rank
    if value is None:
        return (1,) * rank
    if not is_list(value):
        return (as_dim(value),) * rank
    items = numbers(value)
    if isinstance(items, Unknown):
        return unknown
    if len(items) == 1:
        return tuple(items) * rank
    if len(items) == rank:
        return tuple(items)
    first = channels_first(data_format)
    if len(items) != rank + 2 or first is None:
        return unknown
    return tuple(items[2:] if first else items[1:-1])


def explicit(padding: Any, rank: int, data_format: Any) -> tuple[Shape, Shape] | None:
    """tf.nn's list of (before, after) for all axes, as the spatial ones' two halves."""
    if not isinstance(padding, (list, tuple)):
        return None
    pairs = [numbers(pair) for pair in padding]
    first = channels_first(data_format)
    if len(pairs) != rank + 2 or first is None or any(isinstance(pair, Unknown) or len(pair) != 2 for pair in pairs):
        return (Unknown("padding"),) * rank, (Unknown("padding"),) * rank
    inner = [pair for pair in (pairs[2:] if first else pairs[1:-1]) if isinstance(pair, tuple)]
    return tuple(pair[0] for pair in inner), tuple(pair[1] for pair in inner)


def make_slide(extent: Shape, strides: Any, dilations: Any, padding: Any, data_format: Any,
               word: str = "kernel_size") -> Slide:
    rank = len(extent)
    step, spread = spatial_values(strides, rank, data_format), spatial_values(dilations, rank, data_format)
    sides = explicit(padding, rank, data_format)
    if sides is not None:
        return Slide(extent, step, spread, "EXPLICIT", *sides, word=word)
    return Slide(extent, step, spread, padding, word=word)


def needs_rank(x: Tensor, rank: int, name: str, *, more: bool = False) -> Mismatch | None:
    """(batch, *spatial, channels); tf.nn's newer functions take several batch axes."""
    if more and x.rank is not None and x.rank > rank + 2:
        return None
    return rank_problem(x, (rank + 2,), name)

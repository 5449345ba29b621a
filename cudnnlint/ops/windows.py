"""What every layer that slides a window over space shares: axes, dtypes, and the axis that vanishes."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arguments import largest, show
from cudnnlint.ops.arith import lift, spread, window
from cudnnlint.ops.protocol import LayerCall
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim
from cudnnlint.values.tensor import tensors

AXES = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}


@record(frozen=True, slots=True)
class Split:
    """A shape taken apart: (*lead, *spatial, channel), or (*lead, channel, *spatial) if `first`."""

    lead: Shape
    spatial: Shape
    channel: Dim
    first: bool

    def shape(self, spatial: Shape, channel: Dim) -> Shape:
        """
        >>> Split((2,), (8, 8), 3, first=True).shape((4, 4), 16)
        (2, 16, 4, 4)
        """
        return (*self.lead, channel, *spatial) if self.first else (*self.lead, *spatial, channel)


def channels_first(data_format: Any) -> bool | None:
    """None when the format is unknown. `data_format=None` is channels_last (keras/src/backend/config.py).

    >>> channels_first("channels_first"), channels_first(None), channels_first(Unknown())
    (True, False, None)
    """
    if data_format is None:
        return False
    return data_format.lower() == "channels_first" if isinstance(data_format, str) else None


def split(x: Tensor, rank: int, data_format: Any) -> Split | Unknown:
    """`x` by axis; an unknown rank is taken to be rank + 2."""
    first = channels_first(data_format)
    if first is None:
        return Unknown("data_format")
    shape = (Unknown("input rank"),) * (rank + 2) if isinstance(x.shape, Unknown) else x.shape
    if len(shape) < rank + 2:
        return Unknown("too few axes")
    lead, rest = shape[: len(shape) - rank - 1], shape[len(shape) - rank - 1:]
    return Split(lead, rest[1:], rest[0], True) if first else Split(lead, rest[:-1], rest[-1], False)


def blank(x: Tensor, rank: int, dtype: Any) -> Tensor:
    """`x` after a layer whose data_format is unknown: only the batch axis stays known."""
    if isinstance(x.shape, Unknown):
        return x.with_(dtype=dtype)
    return x.with_(shape=(*x.shape[:-rank - 1], *(Unknown("data_format"),) * (rank + 1)), dtype=dtype)


def symbolic_dtype(x: Tensor, call: LayerCall) -> Any:
    """Keras 3 labels a symbolic output with its compute dtype (keras/src/layers/layer.py: compute_output_spec)."""
    return call.policy.compute if x.kind == "keras" and call.stack.keras >= (3,) else x.dtype


FLOATS = ("float", "bfloat")
NUMBERS = (*FLOATS, "int", "uint")


def refused_dtype(x: Tensor, call: LayerCall, name: str, accepted: tuple[str, ...] = FLOATS) -> Mismatch | None:
    """A symbolic input whose dtype Keras 2 refuses when it traces the op; Keras 3 builds it unseen."""
    if x.kind != "keras" or call.stack.keras >= (3,) or isinstance(x.dtype, Unknown) or x.dtype.startswith(accepted):
        return None
    floating = x.dtype.startswith(FLOATS)
    return Mismatch(Problem.DTYPE if floating else Problem.INTEGER_INPUT, f"{name} on an input of dtype {x.dtype}",
                    help="give it float32" if floating else "cast or rescale the input to a float dtype first",
                    error=f'TypeError "Value passed to parameter \'input\' has DataType {x.dtype} not in list of '
                          f'allowed values"', where=Where(keras="<3"), facts=(("dtype", x.dtype),))


def phrase(before: Shape, after: Shape) -> str:
    """Which axes vanish, grouped where the numbers are the same.

    >>> phrase((3, 3), (-1, -1)), phrase((3, 9), (-1, 5))
    ('height and width 3 -> -1', 'height 3 -> -1')
    >>> phrase((3, 4), (-1, 0)), phrase((4,), (-2,))
    ('height 3 -> -1, width 4 -> 0', 'length 4 -> -2')
    """
    groups: dict[tuple[Dim, Dim], list[str]] = {}
    for name, old, new in zip(AXES[len(before)], before, after, strict=True):
        if gone(new):
            groups.setdefault((old, new), []).append(name)
    return ", ".join(f"{_listed(names)} {old} -> {new}" for (old, new), names in groups.items())


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"


def size(spatial: Shape) -> str:
    """
    >>> size((3, 3)), size((7,))
    ('3x3', 'length 7')
    """
    return f"length {spatial[0]}" if len(spatial) == 1 else "x".join(map(str, spatial))


def gone(extent: Dim) -> bool:
    """An extent of zero or less."""
    return isinstance(extent, int) and extent <= 0


def only_zero(spatial: Shape) -> bool:
    """Empty, but not negative: some versions hand such a tensor on."""
    return not any(isinstance(extent, int) and extent < 0 for extent in spatial)


def empty(before: Shape, after: Shape, cause: str, remedy: str, error: str, passed: Tensor | None = None) -> Mismatch:
    """EMPTY_DIM for a layer that turns `before` into `after` because of `cause`."""
    lost = [axis for axis, extent in enumerate(after) if gone(extent)]
    facts = (("axes", tuple(AXES[len(before)][axis] for axis in lost)),
             ("before", tuple(before[axis] for axis in lost)), ("after", tuple(after[axis] for axis in lost)))
    return Mismatch(Problem.EMPTY_DIM, f"{phrase(before, after)} with {cause}", help=remedy, error=error,
                    otherwise=passed, facts=facts)


def at_most(name: str, limits: Shape, after: Shape) -> str:
    """`a kernel_size of at most 3`, over the axes that vanish."""
    known = [limit for limit, extent in zip(limits, after, strict=True) if gone(extent) and isinstance(limit, int)]
    return f"a {name} of at most {min(known)}" if known and min(known) >= 1 else ""


def remedies(*texts: str) -> str:
    return "; or ".join(filter(None, texts))


def undefined_channels(x: Tensor, name: str, channel: Dim) -> Mismatch | None:
    """A layer with weights needs to know how many channels come in."""
    if not isinstance(channel, Symbol):
        return None
    return Mismatch(Problem.FEATURE_UNKNOWN, f"{name} needs the number of input channels, which is None in {x}",
                    help="give the channel axis of the input its number",
                    error='ValueError "The channel dimension of the inputs should be defined" or TypeError')


def window_error(stack: Stack, after: Shape, since: tuple[int, ...]) -> str:
    """What the library says of an empty output; "" where zero passes (Keras 3 before `since`)."""
    zero = only_zero(after)
    if stack.keras >= since:
        return 'ValueError "Computed output size would be zero or negative"'
    if stack.keras >= (3,):
        return "" if zero else 'ValueError "Computed output size would be negative"'
    return ('ValueError "Negative dimension size caused by subtracting"' if zero else
            'ValueError "One of the dimensions in the output is <= 0 due to downsampling"')


@record(frozen=True, slots=True)
class Window:
    """What slides over the input. `word` is what the layer calls its extent, kernel_size or pool_size."""

    rank: int
    extent: Any
    strides: Any = 1
    padding: Any = "valid"
    dilation_rate: Any = 1
    word: str = "kernel_size"

    def over(self, spatial: Shape) -> Shape:
        """Extents after the window; they may be zero or negative.

        >>> Window(2, 5).over((12, 3)), Window(1, 3, 2, "SAME").over((7,))
        ((8, -1), (4,))
        """
        padding = self.padding.lower() if isinstance(self.padding, str) else self.padding
        arguments = (each(value, self.rank) for value in (self.extent, self.strides, self.dilation_rate))
        return tuple(window(n, k, s, padding, d) for n, k, s, d in zip(spatial, *arguments, strict=True))

    def __str__(self) -> str:
        """
        >>> str(Window(2, (5, 3), 2))
        'kernel_size (5, 3), strides 2, padding "valid"'
        """
        parts = [f"{self.word} {show(self.extent)}"]
        if largest(self.strides) > 1 and self.strides != self.extent:
            parts.append(f"strides {show(self.strides)}")
        if largest(self.dilation_rate) > 1:
            parts.append(f"dilation_rate {show(self.dilation_rate)}")
        return ", ".join([*parts, f"padding {show(self.padding)}"])

    def remedy(self, before: Shape, after: Shape) -> str:
        """How to keep an axis that vanishes: pad, or a smaller window ((k-1)*d + 1 <= n).

        >>> Window(1, 5, padding="VALID").remedy((4,), (0,))
        'padding="SAME" keeps length 4; or a kernel_size of at most 4'
        """
        same = Window(self.rank, self.extent, self.strides, "same", self.dilation_rate).over(before)
        verb = "keeps" if same == before else "gives"
        limits = tuple(lift(lambda n, d: (n - 1) // d + 1, n, d)
                       for n, d in zip(before, each(self.dilation_rate, self.rank), strict=True))
        word = "SAME" if self.padding == "VALID" else "same"  # tf.nn takes capitals only
        return remedies(f'padding="{word}" {verb} {size(same)}' if not any(map(gone, same)) else "",
                        at_most(self.word, limits, after))

    def reject(self, at: Split, after: Shape, x: Any, call: LayerCall, since: tuple[int, ...]) -> Mismatch | None:
        """EMPTY_DIM if `after`, of what the layer gives, `x`, has an empty axis. Zero (not negative) is handed on
        before Keras `since`: by Keras 3 always, by Keras 2 eagerly and for some dilated windows; TensorFlow's graphs
        refuse it as they are made (tensorflow/core/framework/common_shape_fns.cc: GetWindowedOutputSizeFromDimsV2)."""
        if self.padding != "valid" and not (isinstance(self.padding, str) and self.padding.lower() == "valid"):
            return None
        if not any(map(gone, after)):
            return None
        given = tensors(x)
        symbolic = any(tensor.kind == "keras" for tensor in given)
        in_graph = call.traced and any(  # call() of a layer, followed on symbolic tensors
            isinstance(tensor.shape, tuple) and isinstance(next(iter(tensor.shape), 0), Symbol) for tensor in given)
        refused = (in_graph or (call.stack.keras < (3,) and symbolic)) \
            and set(each(self.dilation_rate, self.rank)) == {1}
        passes = only_zero(after) and call.stack.keras < since and not refused
        return empty(at.spatial, after, str(self), self.remedy(at.spatial, after),
                     window_error(call.stack, after, since), x if passes else None)


def each(value: Any, count: int) -> tuple[Dim, ...]:
    spreaded = spread(value, count)
    return (spreaded,) * count if isinstance(spreaded, Unknown) else spreaded
